/* Every error that any test provokes is complete: a place in the author's file, what was expected, what was found, and a
 * hint. The linker puts this in front of ww_kernel_free (-Wl,--wrap), so no test has to ask for it. */
#include "model/model.h"

#include <stdio.h>

void __real_ww_kernel_free(ww_kernel *k); /* NOLINT: the linker's names */
void __wrap_ww_kernel_free(ww_kernel *k); /* NOLINT */

static bool is_complete(const ww_diag *d)
{
    return d->severity != WW_ERROR || (d->place.file && d->expected && d->found && d->hint);
}

static void check(const ww_diag *list)
{
    for (const ww_diag *d = list; d; d = d->next)
        if (!is_complete(d)) {
            (void)fprintf(stderr, "an error lacks its place, expected, found or hint:\n");
            ww_diag_print(stderr, list);
            abort();
        }
}

void __wrap_ww_kernel_free(ww_kernel *k) /* NOLINT */
{
    if (k) {
        check(k->diags.first);
        check(k->suppressed.first);
        check(k->verdict ? k->verdict->refutation : NULL);
    }
    __real_ww_kernel_free(k);
}
