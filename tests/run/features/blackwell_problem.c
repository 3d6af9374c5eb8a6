/* The inputs of sm_100a's GEMMs, and what must come out. */
#include "blackwell.h"
#include "warpwright/tile_space.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_M = 5 * UMMA_M, MOST_N = 3 * UMMA_N * 2, MOST_K = 5 * UMMA_K, MOST_TILES = 16, CLUSTERS = 2 };

typedef struct problem {
    const blackwell_problem *what;
    size_t m, n, k, tile_n, tiles_m;
    int a_values[MOST_M * MOST_K], b_values[MOST_N * MOST_K];
    uint16_t a[MOST_M * MOST_K], b[MOST_N * MOST_K];
    uint32_t d[MOST_M * MOST_N], copy[MOST_M * MOST_K / 2], tally[MOST_TILES];
} problem;

static uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* -3 .. 3, as a number and as bf16, whose bits are the upper half of an f32's. */
static void fill(int *values, uint16_t *matrix, size_t count, size_t first)
{
    for (size_t i = 0; i < count; i++) {
        values[i] = (int)(input_word(first + i) % 7) - 3;
        matrix[i] = (uint16_t)(float_bits((float)values[i]) >> 16);
    }
}

static bool is_skipped(const problem *p, size_t m, size_t n)
{
    return p->what->skip && (m / UMMA_M / 2 + n / p->tile_n / 2) % 2;
}

/* What nobody writes stays full of ones. */
static uint32_t result_at(const problem *p, size_t m, size_t n)
{
    int sum = 0;
    if (is_skipped(p, m, n))
        return UINT32_MAX;
    for (size_t k = 0; k < p->k; k++)
        sum += p->a_values[m * p->k + k] * p->b_values[n * p->k + k];
    return float_bits((float)sum);
}

static void multiply(problem *p)
{
    for (size_t m = 0; m < p->m; m++)
        for (size_t n = 0; n < p->n; n++)
            p->d[m * p->n + n] = result_at(p, m, n);
}

static void cut(problem *p)
{
    size_t words = UMMA_K / 2, at = 0;
    for (size_t m = 0; m < p->m; m += UMMA_M)
        for (size_t k = 0; k < p->k; k += UMMA_K)
            for (size_t row = 0; row < UMMA_M; row++, at += words)
                memcpy(&p->copy[at], &p->a[(m + row) * p->k + k], words * sizeof *p->copy);
}

static void map_operand(trial *t, uint64_t at, size_t rows, size_t k, int box_rows, ww_tensor_map *map)
{
    ww_run_tensor_map(t->run,
                      &(ww_tensor_2d){.element = WW_BF16,
                                      .address = at,
                                      .rows = rows,
                                      .cols = k,
                                      .row_bytes = k * 2,
                                      .box_rows = (uint32_t)box_rows,
                                      .box_cols = UMMA_K,
                                      .swizzle = WW_SWIZZLE_128B},
                      map);
}

static ww_tile_space tile_space(const problem *p)
{
    ww_cluster c = p->what->cluster;
    return (ww_tile_space){
        .tiles = {(int)p->tiles_m, (int)(p->n / p->tile_n), 1}, .cluster_m = c.v * c.m, .cluster_n = c.n};
}

static void launch(trial *t, const problem *p, const struct blackwell_params *params)
{
    uint32_t grid[3] = {1, 1, 1};
    ww_tile_space space = tile_space(p);
    /* So few that each has more tiles than stages of sums. */
    if (!ww_tile_space_grid(&space, p->what->clc, CLUSTERS * space.cluster_m * space.cluster_n, grid))
        abort();
    trial_go(t, params, grid[0], grid[1], grid[2]);
}

static void expect(trial *t, problem *p, const struct blackwell_params *params)
{
    size_t tiles = p->tiles_m * (p->n / p->tile_n);
    for (size_t i = 0; i < tiles; i++)
        p->tally[i] = 1;
    trial_expect(t, "how often each tile was dealt out", (uint64_t)params->tally, p->tally, tiles);
    trial_expect(t, "D", (uint64_t)params->d, p->d, p->m * p->n);
    if (p->what->tiles)
        trial_expect(t, "tiles of A", (uint64_t)params->copy, p->copy, p->m * p->k / 2);
}

typedef struct size {
    int m, n, k; /* in tiles */
} size;

static void check_size(trial *t, problem *p, const size *at)
{
    ww_cluster c = p->what->cluster;
    struct blackwell_params params = {.tiles_m = at->m, .tiles_n = at->n, .k_tiles = at->k};
    p->tile_n = (size_t)(UMMA_N * c.v);
    p->tiles_m = (size_t)at->m;
    p->m = p->tiles_m * UMMA_M, p->n = (size_t)at->n * p->tile_n, p->k = (size_t)at->k * UMMA_K;
    fill(p->a_values, p->a, p->m * p->k, 0);
    fill(p->b_values, p->b, p->n * p->k, 1 << 20);
    multiply(p);
    cut(p);
    memset(p->tally, 0, sizeof p->tally);
    params.a = (const uint32_t *)trial_put(t, p->a, p->m * p->k * sizeof *p->a);
    params.b = (const uint32_t *)trial_put(t, p->b, p->n * p->k * sizeof *p->b);
    params.d = (float *)trial_room(t, p->m * p->n * sizeof *p->d);
    params.copy = (uint32_t *)trial_room(t, p->m * p->k * 2);
    params.tally = (uint32_t *)trial_put(t, p->tally, sizeof p->tally);
    map_operand(t, (uint64_t)params.a, p->m, p->k, UMMA_M / (p->what->share ? c.n : 1), &params.a_map);
    map_operand(t, (uint64_t)params.b, p->n, p->k, UMMA_N / (p->what->share ? c.m : 1), &params.b_map);
    launch(t, p, &params);
    expect(t, p, &params);
}

void blackwell_check(trial *t, const blackwell_problem *what)
{
    /* Clusters reach beyond the edge in some. */
    static const size sizes[] = {{1, 1, 1}, {2, 1, 2}, {2, 2, 5}, {5, 3, 3}};
    problem *p = calloc(1, sizeof *p);
    if (!p)
        abort();
    p->what = what;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        check_size(t, p, &sizes[i]);
    free(p);
}
