/* form: what the writer and the checker of certificates share: nodes, and how they are spelled. */
#ifndef WW_CERTIFY_FORM_H
#define WW_CERTIFY_FORM_H

#include "certify/certify.h"
#include "certify/spell.h"

enum { FORM_END = -1 };
#define FORM_MOST_EVENTS UINT64_C(50000000)

/* A machine at rest, the question it is asked, and which nodes the answers lead to. */
typedef struct form_node {
    int agent;         /* what it asks is the question */
    const char *lines; /* as spell_print has spelled it */
    size_t length;
    int leads
        [2]; /* no, the value is the least that it can be; yes, it is greater. FORM_END: the kernel ends */
} form_node;

void form_header(const world *w, text *out);
/* Printing, or reading. The machine of a node that is read stays in the speller's state. */
void form_start(speller *p, int *nodes, int *start);
void form_spell_node(speller *p, form_node *n, int number);

/* Makes a weakened machine the one of a class that `target` stands for, if it is of that class: one whose value may be any of
 * {from, from + every, ...}. What does not fit is left as it is. */
void form_fit(state *s, const state *target);

#endif
