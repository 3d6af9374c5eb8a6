/* explore: every interleaving of a small instance, state by state. The oracle that tests hold the prover against.
 *
 * It shares the program and the numbering with the prover and nothing else: no clocks, no canonical run, no steady
 * state. Values are given; programs are unrolled. Faults are judged from what can be seen in states:
 *
 *   deadlock      a state that is not the end and has no successor
 *   over-arrival  an arrival past the count, bytes past the announced ones, or an arrival that falls into different
 *                 phases in different interleavings
 *   lapped        a wait that passes after different completions, or that can meet its barrier more than one
 *                 completion before the one it passes after, or past it
 *   race          two conflicting accesses both possible, or under way, in one state
 *   unfenced      two conflicting accesses, and in some interleaving no fence between them (explore_fences.c)
 *   leftover      an end with a phase half done, a filled slot not waited for, fills and releases that differ, or
 *                 something asynchronous that nobody has waited for */
#ifndef WW_EXPLORE_H
#define WW_EXPLORE_H

#include "lower/lower.h"

enum { EXPLORE_KEYS = 4, EXPLORE_TRIPS = 8 };

typedef struct explore_values {
    int argument, device; /* of every loop bound of that kind */
    int tiles;
    unsigned skipped; /* bit t: tile t */
    unsigned conditions
        [EXPLORE_KEYS]; /* by key; bit t: true in tile t; of the launch: bit 0; of trips: in trip t */
} explore_values;

typedef struct explore_result {
    bool deadlock, over_arrival, lapped, race, unfenced, leftover;
    bool capped; /* too many states: nothing is claimed */
    uint64_t states;
} explore_result;

typedef struct explore_options {
    uint64_t most_states;
    bool reduced; /* not all orders of steps that cannot see each other: fewer states, the same verdict */
} explore_options;

explore_result explore_program(ww_kernel *k, const ir_program *p, explore_values values,
                               explore_options options);

/* The greatest minimum that is promised of a symbolic bound, or the smallest; 0: there are none. */
int explore_trips(const ir_program *p, bool greatest);

/* Whether nothing is wrong. */
static inline bool explore_clean(const explore_result *r)
{
    return !r->deadlock && !r->over_arrival && !r->lapped && !r->race && !r->unfenced && !r->leftover;
}

#endif
