/* A persistent GEMM on a TMA ring, right, and wrong in the six ways that are easiest to get wrong. */
#include "reject.h"

enum { A_BYTES = 16384, B_BYTES = 32768 };

typedef struct gemm {
    ww_resource *queue, *gmem_ab, *smem_ab, *other, *accum, *gmem_d;
} gemm;

static const ww_work gmem_ab_work[] = {
    {.name = "coords", .side = WW_CONSUMER, .out = {"int k", "int m", "int n"}}, {.name = NULL}};
static const ww_work smem_ab_work[] = {
    {.name = "tma_load",
     .side = WW_PRODUCER,
     .in = {"int k", "int m", "int n"},
     .copies = {{"a", A_BYTES}, {"b", B_BYTES}}},
    {.name = "descriptors", .side = WW_CONSUMER, .out = {"uint64_t a", "uint64_t b"}},
    {.name = NULL}};
static const ww_work accum_work[] = {
    {.name = "mma", .side = WW_PRODUCER, .in = {"uint64_t a", "uint64_t b"}, .wgmma_reads = {"smem_ab"}},
    {.name = "settle", .side = WW_CONSUMER, .wgmma_wait = WW_WGMMA_WAIT(0)},
    {.name = NULL}};
static const ww_work gmem_d_work[] = {{.name = "store", .side = WW_PRODUCER}, {.name = NULL}};

#define K_LOOP(s) ww_domain_loop(s, ww_imm(0), ww_arg(reject_params, trips, 1), ww_imm(1))

/* What one edit changes. */
typedef struct edit {
    uint32_t tx_bytes, consumer_arrivals;
    ww_schedule_function *load, *math;
} edit;

static void load_coordinates(ww_schedule *s, gemm *g, ww_token *k, ww_token *m, ww_token *n)
{
    ww_consume(s, g->gmem_ab, "coords", .out = {k, m, n});
}

static void load(ww_schedule *s, void *context)
{
    gemm *g = context;
    ww_work_tile_loop(s, g->queue) {
        K_LOOP(s)
        {
            ww_token k, m, n;
            load_coordinates(s, g, &k, &m, &n);
            ww_try_acquire(s, g->smem_ab);
            ww_acquire(s, g->smem_ab);
            ww_produce(s, g->smem_ab, "tma_load", .in = {k, m, n});
            ww_commit(s, g->smem_ab);
        }
        ww_advance_tile(s, g->queue);
    }
}

static void load_swapped(ww_schedule *s, void *context)
{
    gemm *g = context;
    ww_work_tile_loop(s, g->queue) {
        K_LOOP(s)
        {
            ww_token k, m, n;
            load_coordinates(s, g, &k, &m, &n);
            ww_commit(s, g->smem_ab), BLAME;
            ww_produce(s, g->smem_ab, "tma_load", .in = {k, m, n});
            ww_acquire(s, g->smem_ab);
        }
        ww_advance_tile(s, g->queue);
    }
}

static void multiply(ww_schedule *s, gemm *g)
{
    ww_token a, b;
    ww_consume(s, g->smem_ab, "descriptors", .out = {&a, &b});
    ww_produce(s, g->accum, "mma", .in = {a, b});
    ww_consume(s, g->accum, "settle");
}

static void finish_tile(ww_schedule *s, gemm *g)
{
    ww_produce(s, g->gmem_d, "store");
    ww_advance_tile(s, g->queue);
}

static void math(ww_schedule *s, void *context)
{
    gemm *g = context;
    ww_work_tile_loop(s, g->queue) {
        K_LOOP(s)
        {
            ww_wait(s, g->smem_ab);
            multiply(s, g);
            ww_release(s, g->smem_ab);
        }
        finish_tile(s, g);
    }
}

static void math_without_release(ww_schedule *s, void *context)
{
    gemm *g = context;
    ww_work_tile_loop(s, g->queue) {
        K_LOOP(s)
        {
            ww_wait(s, g->smem_ab), BLAME;
            multiply(s, g);
        }
        finish_tile(s, g);
    }
}

static void math_with_two_releases(ww_schedule *s, void *context)
{
    gemm *g = context;
    ww_work_tile_loop(s, g->queue) {
        K_LOOP(s)
        {
            ww_wait(s, g->smem_ab);
            multiply(s, g);
            ww_release(s, g->smem_ab);
            ww_release(s, g->smem_ab), BLAME;
        }
        finish_tile(s, g);
    }
}

static void math_waits_for_other(ww_schedule *s, void *context)
{
    gemm *g = context;
    ww_work_tile_loop(s, g->queue) {
        K_LOOP(s)
        {
            ww_token a, b;
            ww_wait(s, g->other);
            ww_consume(s, g->smem_ab, "descriptors", .out = {&a, &b}), BLAME;
            ww_produce(s, g->accum, "mma", .in = {a, b});
            ww_consume(s, g->accum, "settle");
            ww_release(s, g->other);
            ww_wait(s, g->smem_ab);
            ww_release(s, g->smem_ab);
        }
        finish_tile(s, g);
    }
}

static void load_both(ww_schedule *s, void *context)
{
    gemm *g = context;
    ww_work_tile_loop(s, g->queue) {
        K_LOOP(s)
        {
            ww_token k, m, n;
            load_coordinates(s, g, &k, &m, &n);
            ww_acquire(s, g->smem_ab);
            ww_produce(s, g->smem_ab, "tma_load", .in = {k, m, n});
            ww_commit(s, g->smem_ab);
            ww_acquire(s, g->other);
            ww_produce(s, g->other, "fill");
            ww_commit(s, g->other);
        }
        ww_advance_tile(s, g->queue);
    }
}

static void declare_ring(ww_kernel *k, gemm *g, const edit *e)
{
    ww_resource_options options = {.pipeline = {.type = WW_TMA_ASYNC,
                                                .stages = 4,
                                                .tx_bytes = e->tx_bytes,
                                                .consumer_arrivals = e->consumer_arrivals},
                                   .buffers = {{"a", A_BYTES, 1024}, {"b", B_BYTES, 1024}},
                                   .work = smem_ab_work};
    if (e->tx_bytes || e->consumer_arrivals)
        BLAME, reject_blamed.line += 1;
    g->smem_ab = ww_resource_new(k, "smem_ab", &options);
}

static void declare(ww_kernel *k, edit e)
{
    gemm g = {.queue = ww_queue_static(k, "tiles",
                                       &(ww_queue_options){.tiles = {ww_arg(reject_params, tiles, 0)}})};
    g.gmem_ab = ww_resource_new(k, "gmem_ab", &(ww_resource_options){.work = gmem_ab_work});
    declare_ring(k, &g, &e);
    if (e.load == load_both)
        g.other = reject_ring(k, "smem_c", (ww_pipeline){.type = WW_TMA_ASYNC});
    g.accum = ww_resource_new(k, "accum", &(ww_resource_options){.work = accum_work});
    g.gmem_d = ww_resource_new(k, "gmem_d", &(ww_resource_options){.work = gmem_d_work});
    reject_task(k, "load", 0, 1, e.load ? e.load : load, &g);
    reject_task(k, "math", 4, 8, e.math ? e.math : math, &g);
}

static void right(ww_kernel *k)
{
    declare(k, (edit){0});
}

static void never_releases(ww_kernel *k)
{
    declare(k, (edit){.math = math_without_release});
}

static void releases_twice(ww_kernel *k)
{
    declare(k, (edit){.math = math_with_two_releases});
}

static void wrong_arrivals(ww_kernel *k)
{
    declare(k, (edit){.consumer_arrivals = 2});
}

static void wrong_bytes(ww_kernel *k)
{
    declare(k, (edit){.tx_bytes = A_BYTES});
}

static void commits_first(ww_kernel *k)
{
    declare(k, (edit){.load = load_swapped});
}

static void waits_for_the_wrong_ring(ww_kernel *k)
{
    declare(k, (edit){.load = load_both, .math = math_waits_for_other});
}

const reject_case reject_gemm[] = {
    {"gemm: the consumer never releases", never_releases, WW_COVERAGE,
     "no task releases the slots of pipeline smem_ab; opened by task math",
     "release(smem_ab) after the work on each slot", "wait(smem_ab) alone"},
    {"gemm: a release too many", releases_twice, WW_BRACKET,
     "task math: release(smem_ab) closes a slot, and none is open, in the first trip of its loop",
     "wait(smem_ab) before it", "a second release for one wait"},
    {"gemm: a wrong arrival count", wrong_arrivals, WW_ARRIVALS,
     "the empty barrier of smem_ab expects 2 arrivals a phase, and receives more",
     "8 = 8 warps of math x 1 lane (or 256, all lanes)", ".consumer_arrivals = 2"},
    {"gemm: wrong bytes", wrong_bytes, WW_TX_BYTES,
     "each stage of smem_ab expects 16384 bytes, and its copies bring 49152",
     "49152 = 16384 (a) + 32768 (b) by load", ".tx_bytes = 16384"},
    {"gemm: acquire and commit swapped", commits_first, WW_BRACKET,
     "task load: commit(smem_ab) closes a slot, and none is open, in the first trip of its loop",
     "acquire(smem_ab) before it", "commit without acquire"},
    {"gemm: a wait on the wrong ring", waits_for_the_wrong_ring, WW_BRACKET,
     "task math: smem_ab.descriptors works on a slot that is not open, in the first trip of its loop",
     "the work between wait(smem_ab) and release(smem_ab)", "no wait(smem_ab) before it"},
    {"gemm: as it should be", right, 0, NULL, NULL, NULL},
    {0},
};
