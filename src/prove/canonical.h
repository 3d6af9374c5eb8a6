/* canonical: a configuration as a sequence of words, equal for configurations that behave alike from here on.
 *
 * What is left out: how many phases have passed (only parities relative to cursors, and the order of clock entries, can
 * ever be compared again), accesses that everyone has heard of, values nobody will ask about, and the rotation of a
 * ring, whose slots are alike as long as no other buffer overlaps them. */
#ifndef WW_CANONICAL_H
#define WW_CANONICAL_H

#include "prove/machine.h"

/* An epoch or phase that entries of clocks may yet be compared with. */
typedef struct canonical_mark {
    int kind, place;
    uint32_t threshold;
    int slot; /* its lap matters too; -1: it has none */
    int64_t lap;
} canonical_mark;

/* What the clock of a stage has to tell its waiters of an entry. */
typedef struct canonical_news {
    int entry;
    int from; /* canonical place of the stage, times 2; and 1 for the clock of its last completion */
    uint32_t value;
} canonical_news;

/* Where an agent is in a loop that the value asked about rules: its next test, and how far that is from what is known. */
typedef struct canonical_place {
    int agent;
    int64_t test, distance;
} canonical_place;

typedef struct canonical {
    const plan *plan;
    int *ring_agent,
        *ring_cursor; /* by ring: the cursor that says where it begins; agent -1: it is not turned */
    int *stage_order, *slot_order;    /* canonical place -> stage, slot */
    int *stage_place, *slot_place;    /* the reverse */
    uint16_t *stage_use;              /* which clocks and contributions of a stage matter */
    uint8_t *slot_use;                /* which copies into a slot matter */
    VEC(canonical_mark) marks;        /* for the clock entry at hand */
    VEC(uint32_t) thresholds;         /* of the marks: sorted, each once */
    VEC(uint32_t) merged;             /* room to sort them */
    size_t finger;                    /* where the last value stood among them */
    VEC(uint32_t) values;             /* the entry's in all clocks: how many thresholds each reaches */
    VEC(uint32_t) classes;            /* [thresholds + 1]: of those that reach so many */
    VEC(canonical_news) news, sorted; /* as found; by entry */
    int *first_news;                  /* [entry]: among the sorted */
    uint32_t *known;                  /* a clock: what all waiters of the stage at hand know */
    const question *asked;
    VEC(canonical_place) places;
    VEC(uint32_t) words; /* the result; first what must be equal along a chain ... */
    size_t
        chain_length; /* ... so many; then distances of the places, and the value if it will be asked again */
    bool asked_again; /* loops that have not started may ask about the value */
} canonical;

void canonical_init(canonical *c, const plan *p);
void canonical_free(canonical *c);

/* The configuration of a machine at rest that asks q. */
void canonical_of(canonical *c, const machine *m, const question *q);

/* Part of it: barriers, accesses, clocks. */
void canonical_clocks(canonical *c, const machine *m);

/* ---- marks of one entry, and the values of all clocks (canonical_marks.c) --------------------------------- */

void canonical_clear_marks(canonical *c);
canonical_mark *canonical_mark_at(canonical *c, int kind, int place, uint32_t threshold);

/* Between begin and end, values are added; how many thresholds one reaches is returned, and kept in `values`. Then
 * classes[how many] and the class of a mark tell which values reach which marks: those whose class is as great. */
void canonical_begin_values(canonical *c);
uint32_t canonical_add_value(canonical *c, uint32_t value);
void canonical_end_values(canonical *c);
uint32_t canonical_class_of_mark(canonical *c, const canonical_mark *at);

static inline void canonical_put(canonical *c, int64_t word)
{
    vec_push(&c->words, (uint32_t)word);
}

#endif
