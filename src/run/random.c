/* Seeded numbers: xoshiro256**, uniform and normal. */
#include "run/random.h"

#include <assert.h>
#include <math.h>

/* splitmix64: one step of a Weyl sequence, then a mixing function. */
static uint64_t splitmix(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

random_state random_seed(uint64_t seed)
{
    random_state r;
    for (size_t i = 0; i < ARRAY_LEN(r.word); i++)
        r.word[i] = splitmix(&seed);
    return r;
}

static uint64_t rotate(uint64_t value, unsigned by)
{
    return value << by | value >> (64 - by);
}

uint64_t random_next(random_state *r)
{
    uint64_t *s = r->word;
    uint64_t result = rotate(s[1] * 5, 7) * 9;
    uint64_t shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate(s[3], 45);
    return result;
}

/* Numbers past the largest multiple of end are drawn again, so that all results are equally likely. */
uint64_t random_below(random_state *r, uint64_t end)
{
    assert(end > 0);
    uint64_t surplus = (UINT64_MAX % end + 1) % end;
    uint64_t drawn;
    do
        drawn = random_next(r);
    while (drawn > UINT64_MAX - surplus);
    return drawn % end;
}

float random_uniform(random_state *r)
{
    return (float)(random_next(r) >> 40) * 0x1p-23f - 1.0f;
}

/* Marsaglia's polar method; the second number it yields is dropped, which keeps the state to four words. */
float random_normal(random_state *r)
{
    double x, y, square;
    do {
        x = (double)(random_next(r) >> 11) * 0x1p-52 - 1.0;
        y = (double)(random_next(r) >> 11) * 0x1p-52 - 1.0;
        square = x * x + y * y;
    } while (square >= 1.0 || square <= 0.0);
    return (float)(x * sqrt(-2.0 * log(square) / square));
}

void random_fill_uniform(random_state *r, matrix *m)
{
    for (size_t i = 0; i < m->rows * m->cols; i++)
        m->at[i] = random_uniform(r);
}

void random_fill_normal(random_state *r, matrix *m)
{
    for (size_t i = 0; i < m->rows * m->cols; i++)
        m->at[i] = random_normal(r);
}
