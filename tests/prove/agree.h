/* agree: a random declaration, and what is counted of them. */
#ifndef AGREE_H
#define AGREE_H

#include "mini.h"

enum { MOST_TASKS = 3 };

/* Random numbers (xorshift, Marsaglia), from 0 to below - 1; 0 if that is 0. The state is not 0. */
static inline unsigned agree_draw(uint64_t *state, unsigned below)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return below ? (unsigned)(*state >> 33) % below : 0;
}

/* Schedules of two or three tasks that work together, on rings a and b, a buffer x and a queue. $ is replaced by a loop
 * count. */
typedef struct pattern {
    const char *tasks[MOST_TASKS];
    ww_pipeline_type a, b; /* 0: AsyncAsync */
    bool ahead;            /* a has look-ahead waits */
    bool ahead_in;         /* a has look-ahead acquires */
    bool first_warp;       /* the first warp of a's producers announces for all */
    bool loads;            /* a is filled by cp.async */
    int stride;            /* of a: its stages are a multiple; tasks have as many warps */
    int stage_unit;        /* a's stages are a multiple of it */
    bool leader;           /* tasks run in CTA 0 alone */
    int lanes[MOST_TASKS]; /* warps of each task; 0: any number */
    const char *arch;
    ww_cluster cluster;
    ww_reach reach;
    uint32_t copy; /* bytes of one copy into a; 0: all of its buffer */
    const char *group;
    ww_group_mode mode;
    const char *named, *named_too, *ordered;
    bool alias, shares; /* b lies over a; b is a view of a */
    mini_queue queue;
    bool always_tiles;
    bool condition, trip_condition; /* c; made anew in each trip */
    bool alone;                     /* no CTAs side by side */
    bool tensor;                    /* x is tensor memory */
    ww_part put, get, engine;       /* of x */
} pattern;

typedef struct declaration {
    const pattern *pattern;
    char texts[MOST_TASKS][512];
    int stages[2], warps[MOST_TASKS];
    int tasks;
    bool tiles, skips;
    int side_by_side; /* CTAs, where the pattern names no cluster */
    bool broken;
    int fence;       /* number of the fence that is left out, or moved; -1: none */
    int fence_moves; /* by so many operations; 0: it is left out */
} declaration;

/* Of the patterns that name no cluster: CTAs side by side. */
static inline ww_cluster declared_cluster(const declaration *d)
{
    const ww_cluster *c = &d->pattern->cluster;
    return c->v ? *c : (ww_cluster){1, d->side_by_side, 1, 1};
}

/* ---- agree_order.c: machines that know more, and less ------------------------------------------------------- */

typedef struct order_count {
    int compared, more, turned; /* pairs; the one knows more; it is the one that was made to know less */
} order_count;

/* False, and why, if a machine of this kernel that is said to know more than another does not go on as that one does. */
bool order_holds(const mini *m, uint64_t seed, order_count *count, char *why, size_t why_bytes);

/* ---- agree_table.c: how many declarations with each feature both have decided ------------------------------- */

typedef enum decided {
    DECIDED_CLEAN,
    DECIDED_FAULT,
    PROVED_ALONE,
    REFUTED_ALONE,
    OUTSIDE,
    DECIDED_KINDS
} decided;

void table_count(const declaration *d, decided how);
void table_print(void);
/* Whether each feature has been decided by both at least that often. */
bool table_has_all(int least);

#endif
