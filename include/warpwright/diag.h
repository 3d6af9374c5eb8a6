/* Diagnostics: what warpwright has to say about a declaration.
 *
 * Nothing in this library prints or exits on an author's mistake. Each call records what is wrong, with the
 * file and line of the author's own call, and goes on; the list is read when it suits
 * (ww_kernel_check returns it all, in order of place and each finding once, whatever the order of declaring). */
#ifndef WARPWRIGHT_DIAG_H
#define WARPWRIGHT_DIAG_H

#include <stddef.h>
#include <stdio.h>

/* One row a diagnostic, see diagnostics.def: WW_<NAME> = <number>. */
typedef enum ww_code {
    WW_NO_CODE = 0,
#define WW_DIAGNOSTIC(name, number, severity, title, explanation) WW_##name = (number),
#include "warpwright/diagnostics.def"
#undef WW_DIAGNOSTIC
} ww_code;

typedef enum ww_severity { WW_NOTE, WW_WARNING, WW_ERROR } ww_severity;

/* A place in the author's C file. */
typedef struct ww_place {
    const char *file; /* NULL: nowhere in particular */
    int line;
} ww_place;

#define WW_HERE ((ww_place){__FILE__, __LINE__})

typedef struct ww_diag {
    struct ww_diag *next;
    ww_code code;
    ww_severity severity;
    ww_place place;      /* the call to mend */
    const char *message; /* one sentence, names task, resource and step */
    const char *
        expected; /* never NULL in an error, nor are found and hint; else where there is nothing to compare */
    const char *found;
    const char *hint;        /* what to write instead, or NULL */
    ww_place related;        /* a second place that matters (file NULL: none) ... */
    const char *related_why; /* ... and why */
    const char *suppressed;  /* why it does not count (ww_kernel_suppressed); NULL: it does */
} ww_diag;

/* "error", "warning", "note". */
const char *ww_severity_name(ww_severity severity);
/* The row of a code: its title and its long explanation; NULL for an unknown code. */
const char *ww_code_title(ww_code code);
const char *ww_code_explanation(ww_code code);
/* The code that text names ("WW301", "301" or "arrival-count"); WW_NO_CODE when there is none. */
ww_code ww_code_from_text(const char *text);
/* The code's name in lower case with dashes ("arrival-count"). */
const char *ww_code_name(ww_code code);

/* Prints a list the way a compiler would: file:line, severity, code, message; then expected, found, hint,
 * related. */
void ww_diag_print(FILE *out, const ww_diag *list);
/* How many of the list have at least this severity. */
size_t ww_diag_count(const ww_diag *list, ww_severity at_least);

/* ---- suppression ------------------------------------------------------------------------------------- */

typedef struct ww_kernel ww_kernel;

/* Findings of that code do not count on this kernel; the reason, which has to be given, is shown with them. Warnings can
 * be suppressed, and rules (2xx); not what declaring refuses (1xx) nor what the prover finds (3xx). The kernel still has to
 * be proved, but what only rules look at (docs/prover.md, section 6) is then the author's to answer for. A rule's error
 * that leaves nothing to go on with stands nevertheless. A suppression that hides nothing is a warning. */
#define ww_kernel_suppress(k, code, reason) ww_kernel_suppress_at(WW_HERE, k, code, reason)
void ww_kernel_suppress_at(ww_place place, ww_kernel *k, ww_code code, const char *reason);

/* What ww_kernel_check left out, each with its reason; closes the declaration, too. NULL: nothing. */
const ww_diag *ww_kernel_suppressed(ww_kernel *k);

#endif
