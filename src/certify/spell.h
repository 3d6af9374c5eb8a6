/* spell: the words of certificates, both ways. One function says what a line has in it; it prints that, or reads it. Numbers have
 * one spelling each, and what is usual is not said. */
#ifndef WW_CERTIFY_SPELL_H
#define WW_CERTIFY_SPELL_H

#include "certify/weaken.h"

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

/* A machine that has been weakened, as lines. */
void spell_print(state *s, text *out);
/* Reads what spell_print has printed; where that ends, or NULL. What is read may be anything: it does no harm. */
const char *spell_read(state *s, const char *lines, const char *end);

#endif
