/* random: seeded numbers for filling matrices.
 *
 * xoshiro256** (Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2018), its state
 * filled by splitmix64 from a seed. Uniform numbers are the same on every machine; normal ones up to the last
 * bit of the C library's logarithm. */
#ifndef WW_RUN_RANDOM_H
#define WW_RUN_RANDOM_H

#include "run/matrix.h"

typedef struct random_state {
    uint64_t word[4];
} random_state;

random_state random_seed(uint64_t seed);
uint64_t random_next(random_state *r);
uint64_t random_below(random_state *r, uint64_t end); /* 0 .. end - 1; end > 0 */
float random_uniform(random_state *r);                /* [-1, 1), multiples of 2^-23 */
float random_normal(random_state *r);                 /* mean 0, variance 1 */

void random_fill_uniform(random_state *r, matrix *m);
void random_fill_normal(random_state *r, matrix *m);

#endif
