/* canonical: a configuration as a sequence of words, equal for configurations that behave alike from here on.
 *
 * What is left out: how many phases have passed (only parities relative to cursors, and the order of clock entries, can
 * ever be compared again), accesses that everyone has heard of, values nobody will ask about, and the rotation of a
 * ring, whose slots are alike as long as no other buffer overlaps them. */
#ifndef WW_CANONICAL_H
#define WW_CANONICAL_H

#include "prove/machine.h"

/* What of a stage can still matter: the clock of a phase that has begun; the clock of the last completion, while
 * someone who waits on the barrier does not know it (who knows it has joined that clock, or all that went into it);
 * contributions to a phase of a given age, and waits that it let through, while someone does not know that it is complete,
 * and could learn it from them all; DEFERRED_0: from the waits alone, for contributions arrive later than they are made. */
enum { USE_GATHERED = 1, USE_DONE = 2, USE_AGE_0 = 4, DEFERRED_0 = 32 };

/* Of a phase of that age: somebody does not know that it is complete. */
static inline bool canonical_is_unknown(int stage_use, int age)
{
    return stage_use & (USE_AGE_0 | DEFERRED_0) << age;
}

/* Of the copies into a slot: the last, that of an earlier lap. */
enum { USE_COPY = 1, USE_COPY_BEFORE = 2 };

enum {
    MARK_WRITE,
    MARK_WRITE_BEFORE,
    MARK_READ,
    MARK_GROUPS,
    MARK_WAIT = MARK_GROUPS + GROUP_KINDS,
    MARK_LAST,
    MARK_AGE_0,
    MARK_PASSED = MARK_AGE_0 + 3,
    MARK_COPY = MARK_PASSED + 2,
    MARK_COPY_BEFORE,
    MARK_FENCE_WRITE,
    MARK_FENCE_WRITE_BEFORE,
    MARK_FENCE_READ,
    MARK_KINDS
};

typedef struct canonical_range {
    size_t at, words;
} canonical_range;

/* An epoch that entries of clocks may yet be compared with. */
typedef struct canonical_mark {
    int kind, place;
    uint32_t threshold;
    int slot; /* its lap matters too; -1: it has none */
    int64_t lap;
    uint32_t class;       /* see canonical_end_values */
    canonical_range laps; /* how it was written */
} canonical_mark;

/* What the clock of a stage tells of an entry: which marks, by their classes. */
typedef struct canonical_kept_news {
    int from; /* as in canonical_news */
    uint32_t class;
} canonical_kept_news;

/* The copies into a slot that somebody may not know to be over. */
typedef struct canonical_kept_copy {
    bool whole;
    uint32_t age, age_before; /* of their phases; age_before 0: all know of that one */
    canonical_range laps;
} canonical_kept_copy;

/* Where one entry's marks, agents' classes (by agent, CANONICAL_NOBODY: the owner, or not alive) and news begin. */
typedef struct canonical_kept_entry {
    size_t marks, classes, news;
} canonical_kept_entry;

enum { CANONICAL_NOBODY = UINT16_MAX };

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

/* A cursor at whose slot somebody writes. */
typedef struct canonical_writer {
    int agent, cursor;
} canonical_writer;

typedef struct canonical {
    const plan *plan;
    /* By ring: the cursor that says where it begins; agent -1: it is not turned. */
    int *ring_agent, *ring_cursor;
    canonical_writer *writers;        /* by ring */
    int *first_writer;                /* [ring + 1] */
    int *stage_order, *slot_order;    /* canonical place -> stage, slot */
    int *stage_place, *slot_place;    /* the reverse */
    uint8_t *stage_use;               /* which clocks and contributions of a stage matter */
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
    /* The result: what agents will do (so many words), what they know (so many must be equal along a chain), how far
     * the places are, and the value, if it will be asked about again. */
    VEC(uint32_t) words;
    size_t control_length, chain_length;
    int64_t asked_from;
    bool asked_again; /* loops that have not started may ask about the value */
    bool keep;        /* what canonical_knows_more asks for is wanted, too: */
    VEC(canonical_kept_entry) kept;
    VEC(canonical_mark) kept_marks;
    VEC(uint32_t) kept_classes;
    VEC(canonical_kept_news) kept_news;
    canonical_kept_copy *kept_copies; /* by place of a slot */
    VEC(uint8_t) worries;             /* what is worse the greater it is */
} canonical;

void canonical_init(canonical *c, const plan *p);
void canonical_free(canonical *c);

/* The configuration of a machine at rest that asks q. */
void canonical_of(canonical *c, const machine *m, const question *q);

/* Parts of it: what agents do next at barriers; who knows what (canonical_clocks.c). */
void canonical_barriers(canonical *c, const machine *m);
void canonical_clocks(canonical *c, const machine *m);

/* Whether machines of configuration `a` will do the same as those of `b`, and pass every check that those pass, because in
 * `a` whoever asks knows at least as much (canonical_order.c). Both were made with `keep`. */
bool canonical_knows_more(const canonical *a, const canonical *b);
void canonical_keep_entry(canonical *c, const machine *m, int entry); /* its marks and values are at hand */
/* Whether an agent's clock is written for an entry: not the owner's, nor those of the dead. */
static inline bool canonical_is_told(const canonical *c, const machine *m, int entry, int agent_index)
{
    int owners = c->plan->agent_count * c->plan->lanes;
    bool owner = entry < owners && entry / c->plan->lanes == agent_index;
    return !owner && machine_alive(m, agent_index);
}

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
