/* certify: certificates that a kernel is proved, and a checker that takes nobody's word for it. docs/certificate.md has the
 * format, what must hold of it, and the argument.
 *
 * A certificate is an inductive invariant: every machine that can be at rest, and where each answer to its question leads. The
 * checker runs each stretch between two questions with its own machine (state.h) and compares; it searches nothing. The
 * writer (search.c) finds the machines, with the same machine; that it is right is not relied on.
 *
 * world*.c, names.c   the program, numbered
 * state.c ... run.c   the machine
 * print*.c, read.c    a machine at rest as text
 * form.c              nodes, and machines of a class
 * check.c             the checker
 * search.c            the writer */
#ifndef WW_CERTIFY_H
#define WW_CERTIFY_H

#include "lower/lower.h"

typedef struct certify_result {
    bool valid;
    int nodes;
    uint64_t events; /* operations executed */
    char why[256];   /* why not; "": it is */
} certify_result;

/* Whether the text is a certificate of this program. */
certify_result certify_check(ww_kernel *k, const ir_program *p, const char *certificate, size_t length);

/* Writes a certificate that has been checked; or says why there is none. */
certify_result certify_write(ww_kernel *k, const ir_program *p, text *out);

#endif
