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
    int64_t threshold;
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
    int *stage_order, *slot_order; /* canonical place -> stage, slot */
    int *stage_place;              /* the reverse */
    int *first_copy, *next_copy;   /* by stage, by place of a slot: copies that complete on the stage */
    uint8_t *stage_use;            /* which clocks and contributions of a stage matter */
    VEC(canonical_mark) marks;     /* for the clock entry at hand */
    VEC(int64_t) thresholds;       /* of the marks: sorted, each once */
    VEC(uint32_t) reached;         /* [thresholds + 1][mark_words]: the marks that so many thresholds are */
    size_t mark_words;
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

static inline void canonical_put(canonical *c, int64_t word)
{
    vec_push(&c->words, (uint32_t)word);
}

#endif
