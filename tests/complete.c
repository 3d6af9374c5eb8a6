/* Every error that any test provokes is complete: a place in the author's file, what was expected, what was found, and a
 * hint; and what a rule says rests on whatever task and resource it names (src/verify/doubts.c). The linker puts this in front of ww_kernel_free (-Wl,--wrap), so no test has to ask for it. */
#include "model/model.h"

#include <ctype.h>
#include <stdio.h>

void __real_ww_kernel_free(ww_kernel *k); /* NOLINT: the linker's names */
void __wrap_ww_kernel_free(ww_kernel *k); /* NOLINT */

static bool is_complete(const ww_diag *d)
{
    return d->severity != WW_ERROR || (d->place.file && d->expected && d->found && d->hint);
}

static void complain(const char *why, const char *what, const ww_diag *d)
{
    (void)fprintf(stderr, "%s%s:\n", why, what);
    ww_diag_print(stderr, d);
    abort();
}

/* ---- what a rule's finding rests on ---------------------------------------------------------------------- */

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Whether the name is a word of the text (NULL: none). */
static bool names(const char *s, const char *name)
{
    for (const char *at = s; at && (at = strstr(at, name)); at++)
        if ((at == s || !is_letter(at[-1])) && !is_letter(at[strlen(name)]))
            return true;
    return false;
}

/* Names that messages have as words of English, too. */
static bool is_word(const char *name)
{
    static const char *const words[] = {"before", "between",  "both",   "first", "one", "other",
                                        "queue",  "schedule", "second", "tile",  "two", "work"};
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (strcmp(words[i], name) == 0)
            return true;
    return strlen(name) == 1;
}

static bool finding_names(const ww_diag *d, const char *name)
{
    return names(d->message, name) || names(d->expected, name) || names(d->found, name);
}

/* A task and a resource may have one name. NULL: whether it rests on anything; what declaring finds does not. */
static bool rests_on(const ww_kernel *k, const ww_diag *d, const char *name)
{
    for (size_t i = 0; i < k->tasks.len; i++)
        if ((!name || strcmp(k->tasks.at[i]->name, name) == 0) && diag_does_rest_on(d, DIAG_TASK, (int)i))
            return true;
    for (size_t i = 0; i < k->resources.len; i++)
        if ((!name || strcmp(k->resources.at[i]->name, name) == 0) &&
            diag_does_rest_on(d, DIAG_RESOURCE, (int)i))
            return true;
    return false;
}

static void check_name(const ww_kernel *k, const ww_diag *d, const char *name)
{
    if (!is_word(name) && finding_names(d, name) && !rests_on(k, d, name))
        complain("a rule's finding names, and does not rest on, ", name, d);
}

static void check_basis(const ww_kernel *k, const ww_diag *d)
{
    for (size_t i = 0; i < k->tasks.len; i++)
        check_name(k, d, k->tasks.at[i]->name);
    for (size_t i = 0; i < k->resources.len; i++)
        check_name(k, d, k->resources.at[i]->name);
}

static void check(const ww_kernel *k, const ww_diag *list)
{
    for (const ww_diag *d = list; d; d = d->next) {
        if (!is_complete(d))
            complain("an error lacks its place, expected, found or hint", "", d);
        if (rests_on(k, d, NULL))
            check_basis(k, d);
    }
}

void __wrap_ww_kernel_free(ww_kernel *k) /* NOLINT */
{
    if (k) {
        check(k, k->diags.first);
        check(k, k->suppressed.first);
        check(k, k->verdict ? k->verdict->refutation : NULL);
    }
    __real_ww_kernel_free(k);
}
