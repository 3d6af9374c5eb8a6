/* print: what the parts of the printer of machines share. */
#ifndef WW_CERTIFY_PRINT_H
#define WW_CERTIFY_PRINT_H

#include "certify/state.h"

/* Facts that the same agents and stages do not know. */
typedef struct fact_group {
    uint64_t *holders; /* bits */
    text facts;
} fact_group;

typedef struct printer {
    const state *s;
    const world *w;
    text *out;
    text *fact;        /* the one at hand, spelled */
    uint64_t *holders; /* who does not know it */
    size_t holder_words;
    VEC(fact_group) groups;
    print_places *places;
    int *turn;     /* by ring: the slot that is called 0 */
    int64_t *laps; /* by ring: the lap that is called 0 */
    bool *tells;   /* by stage: its last completion has something to tell */
} printer;

/* print_rings.c: names in rings that are turned so that the first cursor that moves stands at slot 0 of lap 0. */
void printer_turn(const printer *p);
int printer_turned(const printer *p, int ring, int number);
int printer_stage_ring(const printer *p, int stage);
int printer_slot_ring(const printer *p, int slot);
int printer_stage_at(const printer *p, int place); /* the one that is printed at that place */
int printer_slot_at(const printer *p, int place);
const char *printer_stage_name(const printer *p, int stage);
const char *printer_slot_name(const printer *p, int slot);
int64_t printer_lap(const printer *p, int ring, int number, int64_t lap);
uint32_t printer_parity(const printer *p, int ring, int number, uint32_t parity);

/* print_facts.c: stages, accesses, and who does not know what. */
bool printer_all_know(const printer *p, int stage, uint8_t how, int fact);
void print_facts(printer *p);

static inline void printer_put(const printer *p, const char *word)
{
    text_add(p->out, " ");
    text_add(p->out, word);
}

static inline void printer_put_number(const printer *p, const char *word, int64_t number)
{
    text_printf(p->out, " %s %lld", word, (long long)number);
}

#endif
