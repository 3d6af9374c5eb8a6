/* The inputs of the block-scaled GEMMs, and what must come out: elements E2M1, factors UE4M3 for each 16 of K. All sums are
 * exact in f32: multiples of 1/4 below 2^22. */
#include "blackwell.h"
#include "warpwright/tile_space.h"

#include <stdlib.h>
#include <string.h>

enum {
    STAGE_K = UMMA_K * 4, /* elements in a row of 128 bytes */
    MOST_M = 5 * UMMA_M,
    MOST_N = 2 * UMMA_N * 2,
    MOST_K = 3 * STAGE_K,
    MOST_TILES = 16,
    CLUSTERS = 2,
    B_FIRST = 1 << 20,
    B_FACTORS_FIRST = 1 << 21,
    A_FACTORS_FIRST = 1 << 22
};

typedef struct problem {
    const blackwell_problem *what;
    size_t m, n, k, tile_n;
    int a_values[MOST_M * MOST_K], b_values[MOST_N * MOST_K]; /* twice the element times its factor */
    uint8_t a[MOST_M * MOST_K / 2], b[MOST_N * MOST_K / 2];
    uint8_t a_factors[MOST_M * MOST_K / 16], b_factors[MOST_M * MOST_K / 16];
    uint32_t d[MOST_M * MOST_N], tally[MOST_TILES];
} problem;

/* ---- numbers -------------------------------------------------------------------------------------------- */

/* -3 .. 3 */
static int element(size_t i)
{
    return (int)(input_word(i) % 7) - 3;
}

/* 0, 1, 2, 3 in E2M1, and the sign. */
static unsigned element_code(int value)
{
    static const unsigned codes[] = {0, 2, 4, 5};
    return codes[abs(value)] | (value < 0 ? 8u : 0);
}

/* Factors are 1/2, 1, 2, 4: in UE4M3 0x30, 0x38, 0x40, 0x48. */
static unsigned factor_exponent(size_t i)
{
    return input_word(i) % 4;
}

static void fill(uint8_t *matrix, int *values, size_t count, size_t first, size_t factors_first)
{
    for (size_t i = 0; i < count; i++)
        values[i] = element(first + i) * (1 << factor_exponent(factors_first + i / 16));
    for (size_t i = 0; i < count; i += 2)
        matrix[i / 2] =
            (uint8_t)(element_code(element(first + i)) | element_code(element(first + i + 1)) << 4);
}

/* Blocks of 512 bytes for 128 rows by 4 factors, those along K first; within one
 *
 *     byte    8..4 row % 32 | 3..2 row / 32 | 1..0 factor
 *
 * Each tile, of tile_rows rows, begins with a block of its own. */
static void fill_factors(uint8_t *to, size_t rows, size_t tile_rows, size_t per_row, size_t first)
{
    for (size_t row = 0; row < rows; row++)
        for (size_t f = 0; f < per_row; f++) {
            size_t block = row / tile_rows * (per_row / 4) + f / 4, r = row % tile_rows;
            to[block * 512 + r % 32 * 16 + r / 32 * 4 + f % 4] =
                (uint8_t)(0x30 + 8 * factor_exponent(first + row * per_row + f));
        }
}

static uint32_t result_at(const problem *p, size_t m, size_t n)
{
    int sum = 0;
    for (size_t k = 0; k < p->k; k++)
        sum += p->a_values[m * p->k + k] * p->b_values[n * p->k + k];
    float value = (float)sum / 4;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* ---- on the device ----------------------------------------------------------------------------------------- */

typedef struct box {
    int rows, bytes;
    ww_swizzle swizzle;
} box;

/* Bytes, as a matrix of 16-bit elements. */
static void map_bytes(trial *t, uint64_t at, size_t rows, size_t row_bytes, box b, ww_tensor_map *map)
{
    ww_run_tensor_map(t->run,
                      &(ww_tensor_2d){.element = WW_BF16,
                                      .address = at,
                                      .rows = rows,
                                      .cols = row_bytes / 2,
                                      .row_bytes = row_bytes,
                                      .box_rows = (uint32_t)b.rows,
                                      .box_cols = (uint32_t)b.bytes / 2,
                                      .swizzle = b.swizzle},
                      map);
}

static void put(trial *t, const problem *p, struct blackwell_params *params)
{
    const box factors = {UMMA_FACTOR_BLOCKS, 512, WW_SWIZZLE_NONE};
    size_t blocks = p->k / 64;
    uint64_t a = trial_put(t, p->a, sizeof p->a), b = trial_put(t, p->b, sizeof p->b);
    uint64_t a_factors = trial_put(t, p->a_factors, sizeof p->a_factors),
             b_factors = trial_put(t, p->b_factors, sizeof p->b_factors);
    map_bytes(t, a, p->m, p->k / 2, (box){UMMA_M, 128, WW_SWIZZLE_128B}, &params->a_map);
    map_bytes(t, b, p->n, p->k / 2, (box){UMMA_N, 128, WW_SWIZZLE_128B}, &params->b_map);
    map_bytes(t, a_factors, p->m / UMMA_M * blocks, 512, factors, &params->a_factors);
    map_bytes(t, b_factors, p->n / p->tile_n * blocks, 512, factors, &params->b_factors);
    params->d = (float *)trial_room(t, p->m * p->n * sizeof *p->d);
    params->tally = (uint32_t *)trial_put(t, p->tally, sizeof p->tally);
}

static void prepare(problem *p, const struct blackwell_params *params)
{
    p->tile_n = (size_t)(UMMA_N * p->what->cluster.v);
    p->m = (size_t)params->tiles_m * UMMA_M;
    p->n = (size_t)params->tiles_n * p->tile_n;
    p->k = (size_t)params->k_tiles * STAGE_K;
    fill(p->a, p->a_values, p->m * p->k, 0, A_FACTORS_FIRST);
    fill(p->b, p->b_values, p->n * p->k, B_FIRST, B_FACTORS_FIRST);
    fill_factors(p->a_factors, p->m, UMMA_M, p->k / 16, A_FACTORS_FIRST);
    fill_factors(p->b_factors, p->n, p->tile_n, p->k / 16, B_FACTORS_FIRST);
    memset(p->tally, 0, sizeof p->tally);
    for (size_t i = 0; i < p->m * p->n; i++)
        p->d[i] = result_at(p, i / p->n, i % p->n);
}

static void check_size(trial *t, problem *p, int tiles_m, int tiles_n, int k_tiles)
{
    struct blackwell_params params = {.tiles_m = tiles_m, .tiles_n = tiles_n, .k_tiles = k_tiles};
    ww_cluster c = p->what->cluster;
    ww_tile_space space = {.tiles = {tiles_m, tiles_n, 1}, .cluster_m = c.v * c.m, .cluster_n = c.n};
    uint32_t grid[3] = {1, 1, 1};
    prepare(p, &params);
    put(t, p, &params);
    if (!ww_tile_space_grid(&space, p->what->clc, CLUSTERS * space.cluster_m * space.cluster_n, grid))
        abort();
    trial_go(t, &params, grid[0], grid[1], grid[2]);
    for (int i = 0; i < tiles_m * tiles_n; i++)
        p->tally[i] = 1;
    trial_expect(t, "how often each tile was dealt out", (uint64_t)params.tally, p->tally,
                 (size_t)(tiles_m * tiles_n));
    trial_expect(t, "D", (uint64_t)params.d, p->d, p->m * p->n);
}

void blackwell_scaled_check(trial *t, const blackwell_problem *what)
{
    problem *p = calloc(1, sizeof *p);
    if (!p)
        abort();
    p->what = what;
    check_size(t, p, 1, 1, 1);
    check_size(t, p, 2, 2, 3);
    check_size(t, p, 5, 2, 2);
    free(p);
}
