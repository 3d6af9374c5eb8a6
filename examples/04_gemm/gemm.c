/* gemm: D = A . B^T on Hopper, bf16 with fp32 accumulation, persistent and warp-specialised.
 *
 *     load task, 1 warp      coordinates, then TMA into a ring of shared-memory stages
 *     math task, 8 warps     two warpgroups on wgmma; each keeps 64 x 256 sums in registers, rounds them,
 * stages them in shared memory and stores them by TMA
 *
 * Each math warpgroup waits for its own tensor-core work before it releases a stage; meanwhile the other one
 * keeps the tensor core busy. (Releasing one step late was measured too: no faster, see bench/RESULTS.md.)
 * Any M, N >= 1 and any K >= 1 that is a multiple of 8; ragged edges are TMA's zero fill and clipping.
 */
#include "warpwright/warpwright.h"
#include "gemm_params.h"

#include <stdio.h>
#include <stdlib.h>

struct gemm {
    /* the declaration */
    ww_resource *tiles, *gmem_ab, *smem_ab, *accum, *gmem_d, *staged;
    ww_bound k_tiles;
    /* the problem */
    int mnk[3];
    int seed;
    const char *a_path, *b_path, *out_path;
    ww_matrix a, b;
    struct gemm_params params;
    uint64_t a_at, b_at, d_at; /* on the device */
};

/* ---- schedules -------------------------------------------------------------------------------------- */

static void load(ww_schedule *s, void *context)
{
    struct gemm *g = context;
    ww_produce(s, g->smem_ab, "prefetch");
    ww_work_tile_loop(s, g->tiles) {
        ww_domain_loop(s, ww_imm(0), g->k_tiles, ww_imm(1)) {
            ww_token k, m, n;
            ww_consume(s, g->gmem_ab, "coords", .out = {&k, &m, &n});
            ww_try_acquire(s, g->smem_ab);
            ww_acquire(s, g->smem_ab);
            ww_produce(s, g->smem_ab, "tma_load", .in = {k, m, n});
            ww_commit(s, g->smem_ab);
        }
        ww_advance_tile(s, g->tiles);
    }
}

/* While one chunk of 64 columns is read by TMA, the next is written: two buffers, so that of the stores in flight one may
 * still be reading. Each warpgroup has its rows to itself and meets at a barrier of its own. */
static void store_tile(ww_schedule *s, struct gemm *g, ww_token result)
{
    for (int chunk = 0; chunk < GEMM_TILE_N / GEMM_CHUNK_N; chunk++) {
        ww_consume(s, g->gmem_d, "reuse");
        ww_sync(s, g->staged);
        ww_produce(s, g->gmem_d, chunk % 2 ? "stage_odd" : "stage_even", .in = {result},
                   .constants = {chunk});
        ww_sync(s, g->staged);
        ww_consume(s, g->gmem_d, chunk % 2 ? "store_odd" : "store_even", .constants = {chunk});
    }
}

static void math(ww_schedule *s, void *context)
{
    struct gemm *g = context;
    ww_consume(s, g->gmem_d, "choose");
    ww_work_tile_loop(s, g->tiles) {
        ww_token a, b, result;
        ww_produce(s, g->accum, "clear");
        ww_domain_loop(s, ww_imm(0), g->k_tiles, ww_imm(1)) {
            ww_wait(s, g->smem_ab);
            ww_consume(s, g->smem_ab, "descriptors", .out = {&a, &b});
            ww_produce(s, g->accum, "mma", .in = {a, b});
            ww_consume(s, g->accum, "settle");
            ww_release(s, g->smem_ab);
        }
        ww_consume(s, g->accum, "result", .out = {&result});
        store_tile(s, g, result);
        ww_advance_tile(s, g->tiles);
    }
    ww_consume(s, g->gmem_d, "drain");
}

/* ---- work bodies, see gemm.cuh ---------------------------------------------------------------------- */

static const ww_work gmem_ab_work[] = {
    {.name = "coords", .side = WW_CONSUMER, .out = {"int k", "int m", "int n"}},
    {0},
};

static const ww_work smem_ab_work[] = {
    {.name = "prefetch", .side = WW_PRODUCER, .auxiliary = true},
    {.name = "tma_load",
     .side = WW_PRODUCER,
     .in = {"int k", "int m", "int n"},
     .copies = {{"a", GEMM_A_BYTES}, {"b", GEMM_B_BYTES}}},
    {.name = "descriptors", .side = WW_CONSUMER, .out = {"uint64_t a", "uint64_t b"}},
    {0},
};

static const ww_work accum_work[] = {
    {.name = "clear", .side = WW_PRODUCER},
    {.name = "mma", .side = WW_PRODUCER, .in = {"uint64_t a", "uint64_t b"}, .wgmma_reads = {"smem_ab"}},
    {.name = "settle", .side = WW_CONSUMER, .wgmma_wait = WW_WGMMA_WAIT(0)},
    {.name = "result", .side = WW_CONSUMER, .out = {"gemm_fragment result"}},
    {0},
};

static const ww_work gmem_d_work[] = {
    {.name = "choose", .side = WW_CONSUMER, .auxiliary = true},
    {.name = "reuse", .side = WW_CONSUMER, .auxiliary = true, .bulk_wait = WW_BULK_WAIT(1)},
    {.name = "stage_even",
     .side = WW_PRODUCER,
     .in = {"gemm_fragment result"},
     .constants = {"int chunk"},
     .touches = {"even"},
     .part = WW_PART_WARP},
    {.name = "stage_odd",
     .side = WW_PRODUCER,
     .in = {"gemm_fragment result"},
     .constants = {"int chunk"},
     .touches = {"odd"},
     .part = WW_PART_WARP},
    {.name = "store_even",
     .side = WW_CONSUMER,
     .constants = {"int chunk"},
     .touches = {"even"},
     .part = WW_PART_WARPGROUP,
     .bulk_store = true},
    {.name = "store_odd",
     .side = WW_CONSUMER,
     .constants = {"int chunk"},
     .touches = {"odd"},
     .part = WW_PART_WARPGROUP,
     .bulk_store = true},
    {.name = "drain", .side = WW_CONSUMER, .auxiliary = true, .bulk_wait = WW_BULK_WAIT(0)},
    {0},
};

/* ---- declaration ------------------------------------------------------------------------------------ */

static void declare_resources(struct gemm *g, ww_kernel *k)
{
    g->k_tiles = ww_arg(struct gemm_params, k_tiles, 1);
    g->tiles = ww_queue_static(
        k, "tiles",
        &(ww_queue_options){
            .tiles = {ww_arg(struct gemm_params, tiles_m, 0), ww_arg(struct gemm_params, tiles_n, 0)},
            .swizzle = 8,
            .raster_along_n = true,
        });
    g->gmem_ab = ww_resource_new(k, "gmem_ab", &(ww_resource_options){.work = gmem_ab_work});
    g->smem_ab =
        ww_resource_new(k, "smem_ab",
                        &(ww_resource_options){
                            .pipeline = ww_pipeline_tma_wgmma(.stages = WW_STAGES_MAX),
                            .buffers = {{.name = "a", .bytes = GEMM_A_BYTES, .swizzle = WW_SWIZZLE_128B},
                                        {.name = "b", .bytes = GEMM_B_BYTES, .swizzle = WW_SWIZZLE_128B}},
                            .work = smem_ab_work,
                        });
    g->accum = ww_resource_new(k, "accum", &(ww_resource_options){.work = accum_work});
    g->staged = ww_warpgroup_barrier_new(k, "staged");
    g->gmem_d = ww_resource_new(
        k, "gmem_d",
        &(ww_resource_options){
            .buffers = {{.name = "even", .bytes = GEMM_STAGING_BYTES, .swizzle = WW_SWIZZLE_128B},
                        {.name = "odd", .bytes = GEMM_STAGING_BYTES, .swizzle = WW_SWIZZLE_128B}},
            .work = gmem_d_work});
}

static ww_kernel *declare(void *problem)
{
    struct gemm *g = problem;
    ww_kernel *k = ww_kernel_new("gemm", &(ww_kernel_options){
                                             .body = "gemm.cuh",
                                             .body_folder = EXAMPLE_FOLDER,
                                             .params = "gemm_params",
                                             .params_bytes = sizeof(struct gemm_params),
                                         });
    declare_resources(g, k);
    ww_depends(k, g->gmem_ab, NULL);
    ww_depends(k, g->smem_ab, g->gmem_ab);
    ww_depends(k, g->accum, g->smem_ab);
    ww_depends(k, g->gmem_d, g->accum);
    ww_task_new(k, "load", &(ww_task_options){.warps = 1, .registers = 40, .schedule = load, .context = g});
    ww_task_new(k, "idle", &(ww_task_options){.first_warp = 1, .warps = 3, .registers = 40});
    ww_task_new(
        k, "math",
        &(ww_task_options){.first_warp = 4, .warps = 8, .registers = 232, .schedule = math, .context = g});
    return k;
}

/* ---- the problem on the device ---------------------------------------------------------------------- */

/* Rows of bf16, from row to row a multiple of 16 bytes as TMA wants it. */
static size_t row_bytes(size_t cols)
{
    return (cols * 2 + 15) / 16 * 16;
}

static bool read_inputs(struct gemm *g)
{
    if (!g->a_path || !g->b_path) {
        (void)fprintf(stderr, "--a and --b go together\n");
        return false;
    }
    if (!ww_matrix_read(g->a_path, &g->a) || !ww_matrix_read(g->b_path, &g->b))
        return false;
    if (g->a.cols != g->b.cols) {
        (void)fprintf(stderr,
                      "A is %zu x %zu and B is %zu x %zu: D = A . B^T wants as many columns in both\n",
                      g->a.rows, g->a.cols, g->b.rows, g->b.cols);
        return false;
    }
    return true;
}

static bool find_inputs(struct gemm *g)
{
    ww_matrix_free(&g->a);
    ww_matrix_free(&g->b);
    if (g->a_path || g->b_path) {
        if (!read_inputs(g))
            return false;
    } else {
        g->a = ww_matrix_random((size_t)g->mnk[0], (size_t)g->mnk[2], (uint64_t)g->seed);
        g->b = ww_matrix_random((size_t)g->mnk[1], (size_t)g->mnk[2], (uint64_t)g->seed + 1);
    }
    if (g->a.cols % 8) {
        (void)fprintf(stderr, "K is %zu: it must be a multiple of 8, TMA moves rows of whole 16 bytes\n",
                      g->a.cols);
        return false;
    }
    ww_matrix_round(&g->a, WW_BF16);
    ww_matrix_round(&g->b, WW_BF16);
    return true;
}

static uint64_t place(ww_run *r, const ww_matrix *m, size_t rows, size_t cols, uint32_t box_rows,
                      ww_tensor_map *map)
{
    size_t pitch = row_bytes(cols);
    uint64_t at = ww_run_alloc(r, rows * pitch);
    if (m)
        ww_matrix_upload(r, at, m, WW_BF16, pitch);
    ww_run_tensor_map(r,
                      &(ww_tensor_2d){.element = WW_BF16,
                                      .address = at,
                                      .rows = rows,
                                      .cols = cols,
                                      .row_bytes = pitch,
                                      .box_rows = box_rows,
                                      .box_cols = GEMM_TILE_K,
                                      .swizzle = WW_SWIZZLE_128B},
                      map);
    return at;
}

static int tiles_of(size_t extent, int tile)
{
    return (int)((extent + (size_t)tile - 1) / (size_t)tile);
}

static bool prepare(void *problem, ww_run *r, ww_launch *launch)
{
    struct gemm *g = problem;
    struct gemm_params *p = &g->params;
    if (!find_inputs(g))
        return false;
    g->a_at = place(r, &g->a, g->a.rows, g->a.cols, GEMM_TILE_M, &p->a);
    g->b_at = place(r, &g->b, g->b.rows, g->b.cols, GEMM_TILE_N, &p->b);
    g->d_at = place(r, NULL, g->a.rows, g->b.rows, 64, &p->d);
    p->m = (int)g->a.rows;
    p->n = (int)g->b.rows;
    p->k = (int)g->a.cols;
    p->k_tiles = tiles_of(g->a.cols, GEMM_TILE_K);
    p->tiles_m = tiles_of(g->a.rows, GEMM_TILE_M);
    p->tiles_n = tiles_of(g->b.rows, GEMM_TILE_N);
    int tiles = p->tiles_m * p->tiles_n, ctas = ww_run_multiprocessors(r);
    *launch = (ww_launch){.params = p, .grid = {1, 1, (uint32_t)(tiles < ctas ? tiles : ctas)}};
    return true;
}

/* ---- the result ------------------------------------------------------------------------------------- */

enum { MOST_ROWS_COMPARED = 512 };

static bool compare(void *problem, ww_run *r, ww_comparison *c)
{
    struct gemm *g = problem;
    ww_matrix d = ww_matrix_new(g->a.rows, g->b.rows);
    ww_matrix_download(r, &d, g->d_at, WW_BF16, row_bytes(d.cols));
    ww_compare_gemm(&g->a, &g->b, &d, MOST_ROWS_COMPARED, (uint64_t)g->seed, c);
    c->limit = 4e-3; /* rounding to bf16 alone gives up to 2^-9 an element, about 1.7e-3 in the norm */
    bool ok = !g->out_path || ww_matrix_write(g->out_path, &d);
    ww_matrix_free(&d);
    return ok;
}

static ww_cost cost(void *problem)
{
    const struct gemm *g = problem;
    double m = g->mnk[0], n = g->mnk[1], k = g->mnk[2];
    return (ww_cost){.flops = 2 * m * n * k, .bytes = 2 * (m * k + n * k + m * n)};
}

static void peer(void *problem, ww_gemm *gemm)
{
    const struct gemm *g = problem;
    *gemm = (ww_gemm){g->a.rows, g->b.rows, g->a.cols, WW_BF16, g->a_at, g->b_at, g->d_at};
}

static void clean_up(void *problem)
{
    struct gemm *g = problem;
    ww_matrix_free(&g->a);
    ww_matrix_free(&g->b);
}

int main(int argc, char **argv)
{
    struct gemm g = {.mnk = {512, 512, 512}, .seed = 1};
    const ww_option options[] = {
        {"mnk", "M,N,K", "problem size, filled at random (512,512,512)", WW_OPTION_INTS, g.mnk, 3, 1},
        {"seed", "N", "of the random fill (1)", WW_OPTION_INTS, &g.seed, 1, 0},
        {"a", "A.npy", "read A (M x K) from a NumPy file", WW_OPTION_TEXT, &g.a_path, 0, 0},
        {"b", "B.npy", "read B (N x K) from a NumPy file", WW_OPTION_TEXT, &g.b_path, 0, 0},
        {"out", "D.npy", "write D (M x N) as a NumPy file", WW_OPTION_TEXT, &g.out_path, 0, 0},
        {0},
    };
    const ww_app app = {
        .name = "gemm",
        .summary = "D = A . B^T, bf16 with fp32 accumulation, sm_90a",
        .options = options,
        .problem = &g,
        .declare = declare,
        .prepare = prepare,
        .compare = compare,
        .cost = cost,
        .peer = peer,
        .clean_up = clean_up,
    };
    return ww_app_main(&app, argc, argv);
}
