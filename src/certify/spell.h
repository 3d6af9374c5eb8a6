/* spell: the words of certificates, both ways. One function says what a line has in it; it prints that, or reads it. Numbers have
 * one spelling each, and what is usual is not said. */
#ifndef WW_CERTIFY_SPELL_H
#define WW_CERTIFY_SPELL_H

#include "certify/state.h"

typedef struct speller {
    state *s;
    text *out;            /* printing; NULL: reading */
    const char *at, *end; /* reading */
    bool wrong;
} speller;

/* The first word of a line; its end. */
bool spell_line(speller *p, const char *word, bool said);
void spell_end(speller *p);
/* A word that is there or not; one that is there. */
bool spell_word(speller *p, const char *word, bool said);
void spell_literal(speller *p, const char *word);
void spell_number(speller *p, int64_t *n, int64_t least, int64_t most);
void spell_int(speller *p, int *n, int least, int most);

#endif
