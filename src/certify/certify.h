/* certify: certificates that a kernel is proved, and a checker that takes nobody's word for it. docs/certificate.md has the
 * format, what must hold of it, and the argument.
 *
 * A certificate is an inductive invariant: every machine that can be at rest, and where each answer to its question leads. The
 * checker runs each stretch between two questions with its own machine (state.h) and sees that the machine of the next node may
 * stand for where that ends (cover.c); it searches nothing.
 *
 * world*.c            the program, numbered
 * state.c ... run.c   the machine
 * rename.c, turn.c    its other names
 * cover.c             whether one machine may stand for another
 * check.c             the checker
 *
 * What follows is not relied on:
 *
 * weaken.c, forget.c  a weaker machine, so that there are few
 * spell.c             that machine as text, both ways; names.c: its numbers, for people
 * form.c              nodes as text; machines of a class
 * search.c            the writer: finds the machines, with the same machine */
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
