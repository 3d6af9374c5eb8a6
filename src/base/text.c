/* Growing strings and vectors. */
#include "base/base.h"

#include <stdio.h>

void vec_grow(void **at, size_t *cap, size_t elem_bytes)
{
    *cap = *cap ? *cap * 2 : 8;
    *at = base_realloc(*at, *cap * elem_bytes);
}

static void text_reserve(text *t, size_t more)
{
    if (t->len + more + 1 <= t->cap)
        return;
    t->cap = t->cap ? t->cap * 2 : 256;
    if (t->cap < t->len + more + 1)
        t->cap = t->len + more + 1;
    t->at = base_realloc(t->at, t->cap);
}

void text_add_n(text *t, const char *s, size_t len)
{
    if (!len) /* adding nothing makes nothing that would have to be freed */
        return;
    text_reserve(t, len);
    memcpy(t->at + t->len, s, len);
    t->len += len;
    t->at[t->len] = '\0';
}

void text_add(text *t, const char *s)
{
    text_add_n(t, s, strlen(s));
}

void text_vprintf(text *t, const char *fmt, va_list args)
{
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    text_reserve(t, (size_t)len);
    (void)vsnprintf(t->at + t->len, (size_t)len + 1, fmt, args);
    t->len += (size_t)len;
}

void text_printf(text *t, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    text_vprintf(t, fmt, args);
    va_end(args);
}

const char *text_str(const text *t)
{
    return t->at ? t->at : "";
}

void text_free(text *t)
{
    free(t->at);
    *t = (text){0};
}
