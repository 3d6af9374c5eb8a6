/* The places of edits, numbered in the order in which a declaration passes them. */
#include "mutate.h"

#include <stdarg.h>

/* The one mutable state of this test: declaring functions have no room for a context of ours. */
static struct {
    int next, wanted;
    char text[256];
    ww_kernel *original;
} edits;

bool mutate_here(const char *format, ...)
{
    if (edits.next++ != edits.wanted)
        return false;
    va_list values;
    va_start(values, format);
    (void)vsnprintf(edits.text, sizeof edits.text, format, values);
    va_end(values);
    return true;
}

void mutate_begin(int number)
{
    edits.next = 0;
    edits.wanted = number;
    edits.text[0] = '\0';
}

int mutate_places(void)
{
    return edits.next;
}

const char *mutate_text(void)
{
    return edits.text;
}

void mutate_set_original(ww_kernel *original)
{
    edits.original = original;
}

const ww_kernel *mutate_original(void)
{
    return edits.original;
}

const ww_resource *mutate_original_resource(const char *name)
{
    for (size_t i = 0; edits.original && i < edits.original->resources.len; i++)
        if (strcmp(edits.original->resources.at[i]->name, name) == 0)
            return edits.original->resources.at[i];
    return NULL;
}
