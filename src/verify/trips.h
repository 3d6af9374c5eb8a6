/* trips: how often a domain loop runs, as far as its bounds say. Rules and prover share this reading.
 *
 * A loop's trip j (from 0) runs exactly if
 *
 *     value > offset + j * step          with step > 0
 *
 * where value is the one symbolic bound of the loop. `for (i = 2; i < k; i += 3)` has value k, offset 2, step
 * 3; counting down, `for (i = k; i > 0; i -= 1)` has value k, offset 0, step 1. A loop with several symbolic
 * bounds is ruled by a value of its own, its number of trips. Bounds that are all immediate give a plain
 * count. */
#ifndef WW_TRIPS_H
#define WW_TRIPS_H

#include "lower/lower.h"

typedef struct trips {
    bool symbolic;
    int64_t count;        /* of trips, when not symbolic */
    int64_t offset, step; /* when symbolic */
    bool combined;        /* value is the number of trips of bounds that are symbolic together */
} trips;

trips trips_of(const ir_op *loop);

/* Whether two symbolic loops are ruled by the same value. */
bool trips_same_value(const ir_op *a, const ir_op *b);

/* The smallest the value can be: what the author promised, or 0 for values computed on the device. */
int64_t trips_least_value(const ir_op *loop);

/* Whether a bound is computed on the device, so that the value may change from tile to tile. */
bool trips_on_device(const ir_op *loop);

/* How many trips a value gives. */
int64_t trips_for_value(const trips *t, int64_t value);

/* The value as the author spells it: "k_tiles", "kv_length()", "trips of [begin, end)". */
void trips_value_text(const ir_op *loop, text *out);

#endif
