/* The small GEMMs' work tables, their inputs and what must come out. */
#include "gemms.h"

#include <stdlib.h>
#include <string.h>

enum { CTAS = 2, MOST_K_TILES = 9, MOST_K = MOST_K_TILES * GEMM_K };

/* ---- work ------------------------------------------------------------------------------------------------- */

const ww_work operands_work[] = {
    {.name = "load", .side = WW_PRODUCER, .copies = {{"a", GEMM_A_BYTES}, {"b", GEMM_B_BYTES}}},
    {.name = "put", .side = WW_PRODUCER, .constants = {"int warps", "int loads"}},
    {.name = "descriptors", .side = WW_CONSUMER, .out = {"uint64_t a", "uint64_t b"}},
    {0},
};

/* Each of two CTAs along m loads half of B for both. */
const ww_work shared_operands_work[] = {
    {.name = "load_shared",
     .side = WW_PRODUCER,
     .copies = {{"a", GEMM_A_BYTES}, {"b", GEMM_B_BYTES / 2, WW_REACH_B}}},
    {.name = "descriptors", .side = WW_CONSUMER, .out = {"uint64_t a", "uint64_t b"}},
    {0},
};

const ww_work operand_a_work[] = {
    {.name = "load", .side = WW_PRODUCER, .copies = {{"a", GEMM_A_BYTES}}},
    {.name = "descriptor", .side = WW_CONSUMER, .out = {"uint64_t a"}},
    {0},
};

const ww_work operand_b_work[] = {
    {.name = "load", .side = WW_PRODUCER, .copies = {{"b", GEMM_B_BYTES}}},
    {.name = "put", .side = WW_PRODUCER, .constants = {"int warps", "int loads"}},
    {.name = "descriptor", .side = WW_CONSUMER, .out = {"uint64_t b"}},
    {0},
};

const ww_work seen_a_work[] = {{.name = "copy", .side = WW_CONSUMER}, {0}};

static const ww_work result_work[] = {
    {.name = "store", .side = WW_PRODUCER, .in = {"gemms_sums sums"}, .constants = {"int part"}},
    {0},
};

const ww_work staging_work[] = {
    {.name = "put", .side = WW_PRODUCER, .in = {"gemms_sums sums"}},
    {.name = "store", .side = WW_CONSUMER, .bulk_store = true},
    {.name = "settle", .side = WW_CONSUMER, .bulk_wait = WW_BULK_WAIT(0)},
    {0},
};

ww_resource *gemms_sums(ww_kernel *k, const char *ring, const char *other_ring)
{
    const ww_work work[] = {
        {.name = "clear", .side = WW_PRODUCER},
        {.name = "mma",
         .side = WW_PRODUCER,
         .in = {"uint64_t a", "uint64_t b"},
         .wgmma_reads = {ring, other_ring}},
        {.name = "settle_previous", .side = WW_CONSUMER, .wgmma_wait = WW_WGMMA_WAIT(1)},
        {.name = "settle", .side = WW_CONSUMER, .wgmma_wait = WW_WGMMA_WAIT(0)},
        {.name = "result", .side = WW_CONSUMER, .out = {"gemms_sums result"}},
        {0},
    };
    return ww_resource_new(k, "sums", &(ww_resource_options){.work = work});
}

ww_resource *gemms_result(ww_kernel *k)
{
    return ww_resource_new(k, "result", &(ww_resource_options){.work = result_work});
}

ww_kernel *gemms_kernel(const char *name, const char *body, ww_cluster cluster)
{
    return feature_kernel(name, body, "gemms_params", sizeof(struct gemms_params), cluster);
}

/* ---- the problem -------------------------------------------------------------------------------------------- */

/* -3 .. 3, as a number and as bf16, whose bits are the upper half of an f32's. */
static int element(size_t i)
{
    return (int)(input_word(i) % 7) - 3;
}

static uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

typedef struct problem {
    size_t k, parts; /* parts: matrices D, the K tiles dealt out to them in turn */
    uint16_t a[CTAS * GEMM_M * MOST_K], b[GEMM_N * MOST_K];
    uint32_t d[2 * CTAS * GEMM_M * GEMM_N];
    uint32_t copy[CTAS * GEMM_M * MOST_K / 2];
} problem;

enum { B_FIRST = 1 << 20 }; /* the elements of B */

static void fill(uint16_t *matrix, size_t count, size_t first)
{
    for (size_t i = 0; i < count; i++)
        matrix[i] = (uint16_t)(float_bits((float)element(first + i)) >> 16);
}

/* The sum over the K tiles of one part. */
static int product(const problem *p, size_t part, size_t m, size_t n)
{
    int sum = 0;
    for (size_t k = 0; k < p->k; k++)
        if (k / GEMM_K % p->parts == part)
            sum += element(m * p->k + k) * element(B_FIRST + n * p->k + k);
    return sum;
}

static void multiply(problem *p)
{
    for (size_t i = 0; i < p->parts * CTAS * GEMM_M * GEMM_N; i++) {
        size_t row = i / GEMM_N, part = row / (CTAS * GEMM_M);
        p->d[i] = float_bits((float)product(p, part, row % (CTAS * GEMM_M), i % GEMM_N));
    }
}

/* A tile after tile: row block, then K. */
static void cut(problem *p)
{
    size_t tile_words = GEMM_K / 2, at = 0;
    for (size_t block = 0; block < CTAS; block++)
        for (size_t k = 0; k < p->k; k += GEMM_K)
            for (size_t row = 0; row < GEMM_M; row++, at += tile_words)
                memcpy(&p->copy[at], &p->a[(block * GEMM_M + row) * p->k + k], tile_words * sizeof *p->copy);
}

/* ---- on the device -------------------------------------------------------------------------------------------- */

static void map_operand(trial *t, uint64_t at, size_t rows, size_t k, uint32_t box_rows, ww_tensor_map *map)
{
    ww_run_tensor_map(t->run,
                      &(ww_tensor_2d){.element = WW_BF16,
                                      .address = at,
                                      .rows = rows,
                                      .cols = k,
                                      .row_bytes = k * 2,
                                      .box_rows = box_rows,
                                      .box_cols = GEMM_K,
                                      .swizzle = WW_SWIZZLE_128B},
                      map);
}

static void map_result(trial *t, uint64_t at, ww_tensor_map *map)
{
    ww_run_tensor_map(t->run,
                      &(ww_tensor_2d){.element = WW_F32,
                                      .address = at,
                                      .rows = CTAS * GEMM_M,
                                      .cols = GEMM_N,
                                      .row_bytes = GEMM_N * 4,
                                      .box_rows = GEMM_M,
                                      .box_cols = GEMM_N},
                      map);
}

static void check_size(trial *t, problem *p, int k_tiles, bool tiles)
{
    struct gemms_params params = {.k_tiles = k_tiles, .k_pairs = k_tiles / 2};
    p->k = (size_t)k_tiles * GEMM_K;
    fill(p->a, CTAS * GEMM_M * p->k, 0);
    fill(p->b, GEMM_N * p->k, B_FIRST);
    multiply(p);
    cut(p);
    uint64_t a = trial_put(t, p->a, CTAS * GEMM_M * p->k * sizeof *p->a), b = trial_put(t, p->b, sizeof p->b);
    uint64_t d = trial_room(t, sizeof p->d), copy = trial_room(t, sizeof p->copy);
    map_operand(t, a, CTAS * GEMM_M, p->k, GEMM_M, &params.a_map);
    map_operand(t, b, GEMM_N, p->k, GEMM_N, &params.b_map);
    map_operand(t, b, GEMM_N, p->k, GEMM_N / 2, &params.b_half_map);
    map_result(t, d, &params.d_map);
    params.a = (const uint32_t *)a;
    params.b = (const uint32_t *)b;
    params.d = (float *)d;
    params.copy = (uint32_t *)copy;
    trial_go(t, &params, CTAS, 1, 1);
    trial_expect(t, "D", d, p->d, p->parts * CTAS * GEMM_M * GEMM_N);
    if (tiles)
        trial_expect(t, "tiles of A", copy, p->copy, CTAS * GEMM_M * p->k / 2);
}

void gemms_check(trial *t, gemms_output output)
{
    static const int k_tiles[] = {1, 2, 3, 4, 5, 8, MOST_K_TILES};
    problem *p = calloc(1, sizeof *p);
    if (!p)
        abort();
    p->parts = output == GEMMS_D_BY_TURNS ? 2 : 1;
    for (size_t i = 0; i < sizeof k_tiles / sizeof *k_tiles; i++)
        if ((size_t)k_tiles[i] % p->parts == 0)
            check_size(t, p, k_tiles[i], output == GEMMS_D_AND_TILES);
    free(p);
}
