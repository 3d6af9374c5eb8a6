/* blackwell: sm_100a's constructs: operands by TMA, by threads and by both in front of tcgen05, sums in tensor memory in
 * two stages, A by way of tensor memory, pairs of CTAs, copies for each other, tiles dealt out by cluster launch control.
 * There has been no such GPU: these run on the emulator. */
#include "blackwell.h"

enum { SUM_STAGES = 2, RING_STAGES = 3, SUM_WARPS = 4 };

typedef struct form {
    blackwell_problem problem;
    ww_pipeline_type a, b;  /* of a ring each; b WW_NO_PIPELINE: one ring for both */
    bool merge;             /* both rings are released together */
    bool fork;              /* A's copies have a second reader */
    bool through_tmem;      /* A goes on by tcgen05.cp */
    bool cp_async;          /* threads fill by cp.async */
    bool lag;               /* a stage is given back when the next one's mma has been issued */
    int stages, sum_stages; /* 0: RING_STAGES, SUM_STAGES */
} form;

typedef struct gemm {
    ww_resource *queue, *tally, *a, *b, *seen, *group, *tmem, *factors, *sums, *result;
    ww_bound k_tiles;
    const form *form;
} gemm;

static const ww_token no_value;

/* ---- schedules -------------------------------------------------------------------------------------------- */

typedef void k_steps(ww_schedule *s, const gemm *g);

static void k_loop(ww_schedule *s, const gemm *g, k_steps *steps)
{
    ww_domain_loop(s, ww_imm(0), g->k_tiles, ww_imm(1)) {
        steps(s, g);
    }
}

/* Over all tiles; the inside of the skippable ones alone is left out. */
static void tile_loop(ww_schedule *s, const gemm *g, k_steps *before, k_steps *of_tile)
{
    ww_work_tile_loop(s, g->queue) {
        if (before)
            before(s, g);
        if (g->form->problem.skip) {
            ww_skippable(s) {
                of_tile(s, g);
            }
        } else {
            of_tile(s, g);
        }
        ww_advance_tile(s, g->queue);
    }
}

static void fill_ring(ww_schedule *s, const gemm *g, ww_resource *ring, ww_pipeline_type type)
{
    ww_cluster c = g->form->problem.cluster;
    bool both = ring == g->a && !g->b;
    if (type == WW_TMA_UMMA && both && !g->form->problem.scaled)
        ww_produce(s, ring, "load", .constants = {c.v, c.m, c.n});
    else if (type == WW_TMA_UMMA)
        ww_produce(s, ring, "load", .constants = {c.v});
    else if (both)
        ww_produce(s, ring, "put", .constants = {c.v, g->form->cp_async});
    else
        ww_produce(s, ring, "put", .constants = {c.v});
}

static void fill_a_step(ww_schedule *s, const gemm *g)
{
    ww_acquire(s, g->a);
    if (g->seen)
        ww_acquire(s, g->seen);
    fill_ring(s, g, g->a, g->form->a);
    ww_commit(s, g->seen ? g->group : g->a);
}

static void fill_b_step(ww_schedule *s, const gemm *g)
{
    ww_acquire(s, g->b);
    fill_ring(s, g, g->b, g->form->b);
    ww_commit(s, g->b);
}

static void fill_a_tile(ww_schedule *s, const gemm *g)
{
    k_loop(s, g, fill_a_step);
}

static void fill_b_tile(ww_schedule *s, const gemm *g)
{
    k_loop(s, g, fill_b_step);
}

static void count(ww_schedule *s, const gemm *g)
{
    ww_produce(s, g->tally, "count");
}

static void fill_a(ww_schedule *s, void *context)
{
    tile_loop(s, context, count, fill_a_tile);
}

static void fill_b(ww_schedule *s, void *context)
{
    tile_loop(s, context, NULL, fill_b_tile);
}

static void copy_step(ww_schedule *s, const gemm *g)
{
    ww_token a = no_value;
    ww_wait(s, g->a);
    ww_acquire(s, g->tmem);
    ww_consume(s, g->a, "descriptor", .out = {&a});
    ww_produce(s, g->tmem, "copy", .in = {a}, .constants = {g->form->problem.cluster.v});
    ww_commit(s, g->tmem);
    ww_release(s, g->a);
}

static void copy_tile(ww_schedule *s, const gemm *g)
{
    k_loop(s, g, copy_step);
}

static void copy_a(ww_schedule *s, void *context)
{
    tile_loop(s, context, NULL, copy_tile);
}

static void multiply_both(ww_schedule *s, const gemm *g)
{
    ww_token a = no_value, b = no_value;
    ww_wait(s, g->a);
    ww_consume(s, g->a, "descriptors", .out = {&a, &b});
    ww_produce(s, g->sums, "mma", .in = {a, b}, .constants = {g->form->problem.cluster.v});
    if (!g->form->lag) {
        ww_release(s, g->a);
        return;
    }
    ww_every(s, 1, 1) {
        ww_release(s, g->a);
    }
}

static void multiply_scaled(ww_schedule *s, const gemm *g)
{
    int v = g->form->problem.cluster.v;
    ww_token a = no_value, b = no_value, a_factors = no_value, b_factors = no_value;
    ww_wait(s, g->a);
    ww_consume(s, g->a, "descriptors", .out = {&a, &b, &a_factors, &b_factors});
    ww_produce(s, g->factors, "copy", .in = {a_factors, b_factors}, .constants = {v});
    ww_consume(s, g->factors, "address", .out = {&a_factors, &b_factors});
    ww_produce(s, g->sums, "mma_scaled", .in = {a, b, a_factors, b_factors}, .constants = {v});
    ww_release(s, g->a);
}

static void multiply_rings(ww_schedule *s, const gemm *g)
{
    ww_token a = no_value, b = no_value;
    ww_resource *ring_a = g->tmem ? g->tmem : g->a;
    ww_wait(s, ring_a);
    ww_wait(s, g->b);
    ww_consume(s, ring_a, g->tmem ? "address" : "descriptor", .out = {&a});
    ww_consume(s, g->b, "descriptor", .out = {&b});
    ww_produce(s, g->sums, g->tmem ? "mma_tmem" : "mma", .in = {a, b},
               .constants = {g->form->problem.cluster.v});
    if (g->form->merge) {
        ww_release(s, g->group);
    } else {
        ww_release(s, ring_a);
        ww_release(s, g->b);
    }
}

static void multiply_tile(ww_schedule *s, const gemm *g)
{
    ww_acquire(s, g->sums);
    k_loop(s, g, g->factors ? multiply_scaled : g->b ? multiply_rings : multiply_both);
    if (g->form->lag)
        ww_release(s, g->a);
    ww_commit(s, g->sums);
}

static void multiply(ww_schedule *s, void *context)
{
    tile_loop(s, context, NULL, multiply_tile);
}

static void store_tile(ww_schedule *s, const gemm *g)
{
    int v = g->form->problem.cluster.v;
    ww_wait(s, g->sums);
    for (int part = 0; part < UMMA_N * v / UMMA_PART; part++) {
        ww_token row = no_value;
        ww_consume(s, g->sums, "read", .out = {&row}, .constants = {part});
        ww_produce(s, g->result, "store", .in = {row}, .constants = {v, part});
    }
    ww_release(s, g->sums);
}

static void store(ww_schedule *s, void *context)
{
    tile_loop(s, context, NULL, store_tile);
}

static void see_step(ww_schedule *s, const gemm *g)
{
    ww_wait(s, g->seen);
    ww_consume(s, g->seen, "copy");
    ww_release(s, g->seen);
}

static void see_tile(ww_schedule *s, const gemm *g)
{
    k_loop(s, g, see_step);
}

static void see(ww_schedule *s, void *context)
{
    tile_loop(s, context, NULL, see_tile);
}

static void deal(ww_schedule *s, void *context)
{
    const gemm *g = context;
    ww_work_tile_loop(s, g->queue) {
        ww_fetch_tile(s, g->queue);
        ww_advance_tile(s, g->queue);
    }
}

/* ---- resources ---------------------------------------------------------------------------------------------- */

static ww_resource *declare_queue(ww_kernel *k, const form *f)
{
    ww_queue_options options = {
        .tiles = {ww_arg(struct blackwell_params, tiles_m, 0), ww_arg(struct blackwell_params, tiles_n, 0)},
        .skip = f->problem.skip ? "skips_odd" : NULL};
    return f->problem.clc ? ww_queue_clc(k, "queue", &options) : ww_queue_static(k, "queue", &options);
}

static ww_pipeline ring_of(const form *f, ww_pipeline_type type)
{
    bool by_threads = type == WW_ASYNC_UMMA;
    return (ww_pipeline){.type = type,
                         .stages = f->stages ? f->stages : RING_STAGES,
                         .advance_on_wait = f->lag,
                         .producer_op = by_threads && f->cp_async ? WW_ASYNC_LOAD : WW_ASYNC_THREAD};
}

/* Both operands in one ring. */
static ww_resource *declare_both(ww_kernel *k, const form *f)
{
    ww_cluster c = f->problem.cluster;
    const ww_work work[] = {
        {.name = "load",
         .side = WW_PRODUCER,
         .constants = {"int v", "int m", "int n"},
         .copies = {{"a", (uint32_t)(UMMA_A_BYTES / c.n), c.n > 1 ? WW_REACH_A : WW_REACH_OWN},
                    {"b", (uint32_t)(UMMA_B_BYTES / c.m), c.m > 1 ? WW_REACH_B : WW_REACH_OWN}}},
        {.name = "put", .side = WW_PRODUCER, .constants = {"int v", "int loads"}},
        {.name = "descriptors", .side = WW_CONSUMER, .auxiliary = true, .out = {"uint64_t a", "uint64_t b"}},
        {0},
    };
    const ww_work *used = f->a == WW_TMA_UMMA ? work : work + 1;
    return ww_resource_new(
        k, "ring_a",
        &(ww_resource_options){.type = "operands_ab",
                               .pipeline = ring_of(f, f->a),
                               .buffers = {{"a", UMMA_A_BYTES, .swizzle = WW_SWIZZLE_128B},
                                           {"b", UMMA_B_BYTES, .swizzle = WW_SWIZZLE_128B}},
                               .work = used});
}

static void declare_scaled(gemm *g, ww_kernel *k)
{
    static const ww_work work[] = {
        {.name = "load",
         .side = WW_PRODUCER,
         .constants = {"int v"},
         .copies = {{"a", UMMA_A_BYTES},
                    {"b", UMMA_B_BYTES},
                    {"a_factors", UMMA_FACTOR_BYTES},
                    {"b_factors", UMMA_FACTOR_BYTES}}},
        {.name = "descriptors",
         .side = WW_CONSUMER,
         .auxiliary = true,
         .out = {"uint64_t a", "uint64_t b", "uint64_t a_factors", "uint64_t b_factors"}},
        {0},
    };
    static const ww_work copy[] = {
        {.name = "copy",
         .side = WW_PRODUCER,
         .in = {"uint64_t a", "uint64_t b"},
         .constants = {"int v"},
         .umma_reads = {"ring_a"}},
        {.name = "address", .side = WW_CONSUMER, .auxiliary = true, .out = {"uint32_t a", "uint32_t b"}},
        {0},
    };
    g->a = ww_resource_new(k, "ring_a",
                           &(ww_resource_options){.type = "operands_scaled",
                                                  .pipeline = ring_of(g->form, g->form->a),
                                                  .buffers = {{"a", UMMA_A_BYTES, .swizzle = WW_SWIZZLE_128B},
                                                              {"b", UMMA_B_BYTES, .swizzle = WW_SWIZZLE_128B},
                                                              {"a_factors", UMMA_FACTOR_BYTES},
                                                              {"b_factors", UMMA_FACTOR_BYTES}},
                                                  .work = work});
    g->factors = ww_resource_new(
        k, "factors",
        &(ww_resource_options){.tmem = {{"a", 4 * UMMA_FACTOR_BLOCKS}, {"b", 4 * UMMA_FACTOR_BLOCKS}},
                               .work = copy});
}

static const ww_work operand_a_work[] = {
    {.name = "load", .side = WW_PRODUCER, .constants = {"int v"}, .copies = {{"a", UMMA_A_BYTES}}},
    {.name = "descriptor", .side = WW_CONSUMER, .auxiliary = true, .out = {"uint64_t a"}},
    {0},
};

static const ww_work operand_b_work[] = {
    {.name = "put", .side = WW_PRODUCER, .constants = {"int v"}},
    {.name = "descriptor", .side = WW_CONSUMER, .auxiliary = true, .out = {"uint64_t b"}},
    {0},
};

static const ww_work operand_b_load_work[] = {
    {.name = "load", .side = WW_PRODUCER, .constants = {"int v"}, .copies = {{"b", UMMA_B_BYTES}}},
    {.name = "descriptor", .side = WW_CONSUMER, .auxiliary = true, .out = {"uint64_t b"}},
    {0},
};

static const ww_work seen_work[] = {{.name = "copy", .side = WW_CONSUMER}, {0}};

static void declare_rings(gemm *g, ww_kernel *k)
{
    const form *f = g->form;
    const ww_buffer a = {"a", UMMA_A_BYTES, .swizzle = WW_SWIZZLE_128B},
                    b = {"b", UMMA_B_BYTES, .swizzle = WW_SWIZZLE_128B};
    g->a = ww_resource_new(
        k, "ring_a",
        &(ww_resource_options){
            .type = "operand_a", .pipeline = ring_of(f, f->a), .buffers = {a}, .work = operand_a_work});
    g->b = ww_resource_new(
        k, "ring_b",
        &(ww_resource_options){.type = "operand_b",
                               .pipeline = ring_of(f, f->b),
                               .buffers = {b},
                               .work = f->b == WW_TMA_UMMA ? operand_b_load_work : operand_b_work});
}

static void declare_group(gemm *g, ww_kernel *k)
{
    const ww_buffer same = {"a", UMMA_A_BYTES, .swizzle = WW_SWIZZLE_128B, .shares = g->a};
    if (g->form->fork)
        g->seen = ww_resource_new(k, "ring_seen",
                                  &(ww_resource_options){.type = "seen_a",
                                                         .pipeline = ring_of(g->form, WW_TMA_ASYNC),
                                                         .buffers = {same},
                                                         .work = seen_work});
    if (g->form->fork)
        g->group = ww_group_new(k, "both", &(ww_group_options){.mode = WW_FORK, .members = {g->a, g->seen}});
    if (g->form->merge)
        g->group = ww_group_new(k, "both", &(ww_group_options){.mode = WW_MERGE, .members = {g->a, g->b}});
}

static void declare_sums(gemm *g, ww_kernel *k)
{
    static const ww_work copy[] = {
        {.name = "copy",
         .side = WW_PRODUCER,
         .in = {"uint64_t a"},
         .constants = {"int v"},
         .umma_reads = {"ring_a"}},
        {.name = "address", .side = WW_CONSUMER, .auxiliary = true, .out = {"uint32_t a"}},
        {0},
    };
    const ww_work scaled_sums[] = {
        {.name = "mma_scaled",
         .side = WW_PRODUCER,
         .in = {"uint64_t a", "uint64_t b", "uint32_t a_factors", "uint32_t b_factors"},
         .constants = {"int v"},
         .umma_reads = {"ring_a", "factors"}},
        {.name = "read", .side = WW_CONSUMER, .out = {"sums_part row"}, .constants = {"int part"}},
        {0},
    };
    const ww_work sums[] = {
        {.name = g->form->through_tmem ? "mma_tmem" : "mma",
         .side = WW_PRODUCER,
         .in = {g->form->through_tmem ? "uint32_t a" : "uint64_t a", "uint64_t b"},
         .constants = {"int v"},
         .umma_reads = {g->form->through_tmem ? "tmem_a" : "ring_a", g->b ? "ring_b" : NULL}},
        {.name = "read", .side = WW_CONSUMER, .out = {"sums_part row"}, .constants = {"int part"}},
        {0},
    };
    if (g->form->through_tmem)
        g->tmem = ww_resource_new(k, "tmem_a",
                                  &(ww_resource_options){.pipeline = {.type = WW_UMMA_UMMA, .stages = 2},
                                                         .tmem = {{"a", UMMA_K / 2}},
                                                         .work = copy});
    g->sums = ww_resource_new(
        k, "sums",
        &(ww_resource_options){.pipeline = {.type = WW_UMMA_ASYNC,
                                            .stages = g->form->sum_stages ? g->form->sum_stages : SUM_STAGES},
                               .tmem = {{"d", UMMA_N * g->form->problem.cluster.v}},
                               .work = g->factors ? scaled_sums : sums});
}

static const ww_work result_work[] = {
    {.name = "store", .side = WW_PRODUCER, .in = {"sums_part row"}, .constants = {"int v", "int part"}},
    {0},
};

static const ww_work tally_work[] = {{.name = "count", .side = WW_PRODUCER}, {0}};

/* ---- kernels ------------------------------------------------------------------------------------------------ */

static void declare_tasks(gemm *g, ww_kernel *k)
{
    int warp = SUM_WARPS;
    feature_task(k, "store", 0, SUM_WARPS, store, g);
    feature_task(k, "multiply", warp++, 1, multiply, g);
    feature_task(k, "fill_a", warp++, 1, fill_a, g);
    if (g->b)
        feature_task(k, "fill_b", warp++, 1, fill_b, g);
    if (g->tmem)
        feature_task(k, "copy_a", warp++, 1, copy_a, g);
    if (g->seen)
        feature_task(k, "see", warp++, 1, see, g);
    if (g->form->problem.clc)
        feature_task(k, "deal", warp++, 1, deal, g);
}

static ww_kernel *declare(const feature *f, const char *kernel)
{
    gemm g = {.form = f->form, .k_tiles = ww_arg(struct blackwell_params, k_tiles, 1)};
    ww_kernel *k = ww_kernel_new(kernel, &(ww_kernel_options){.arch = "sm_100a",
                                                              .body = "blackwell.cuh",
                                                              .body_folder = FEATURES_FOLDER,
                                                              .params = "blackwell_params",
                                                              .params_bytes = sizeof(struct blackwell_params),
                                                              .cluster = g.form->problem.cluster});
    g.queue = declare_queue(k, g.form);
    g.tally = ww_resource_new(k, "tally", &(ww_resource_options){.work = tally_work});
    if (g.form->problem.scaled)
        declare_scaled(&g, k);
    else if (g.form->b == WW_NO_PIPELINE)
        g.a = declare_both(k, g.form);
    else
        declare_rings(&g, k);
    declare_group(&g, k);
    declare_sums(&g, k);
    g.result = ww_resource_new(k, "result", &(ww_resource_options){.work = result_work});
    declare_tasks(&g, k);
    return k;
}

static void check(trial *t, const feature *f)
{
    const form *what = f->form;
    if (what->problem.scaled)
        blackwell_scaled_check(t, &what->problem);
    else
        blackwell_check(t, &what->problem);
}

#define FORM(...)                                                                                            \
    &(const form)                                                                                            \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }
#define ONE                                                                                                  \
    {                                                                                                        \
        1, 1, 1, 1                                                                                           \
    }
#define PAIR                                                                                                 \
    {                                                                                                        \
        2, 1, 1, 1                                                                                           \
    }

static const feature features[] = {
    {"tma", declare, check, FORM({ONE}, WW_TMA_UMMA)},
    {"tma_pair", declare, check, FORM({PAIR}, WW_TMA_UMMA)},
    {"tma_one_stage", declare, check, FORM({ONE}, WW_TMA_UMMA, .stages = 1, .sum_stages = 1)},
    {"tma_pair_one_stage", declare, check, FORM({PAIR}, WW_TMA_UMMA, .stages = 1, .sum_stages = 1)},
    {"tma_lag_one", declare, check, FORM({ONE}, WW_TMA_UMMA, .lag = true)},
    {"tma_pair_lag_one", declare, check, FORM({PAIR}, WW_TMA_UMMA, .lag = true)},
    {"threads_pair_lag_one", declare, check, FORM({PAIR}, WW_ASYNC_UMMA, .lag = true)},
    {"pairs_lag_one", declare, check, FORM({{2, 2, 2, 1}, .share = true}, WW_TMA_UMMA, .lag = true)},
    {"clc_merge_pair", declare, check, FORM({PAIR, .clc = true}, WW_TMA_UMMA, WW_ASYNC_UMMA, .merge = true)},
    {"clc_fork_skip", declare, check,
     FORM({ONE, .clc = true, .skip = true}, WW_TMA_UMMA, WW_TMA_UMMA, .fork = true)},
    {"clc_through_tmem_pair", declare, check,
     FORM({PAIR, .clc = true}, WW_TMA_UMMA, WW_TMA_UMMA, .through_tmem = true)},
    {"merge_one_stage", declare, check, FORM({ONE}, WW_TMA_UMMA, WW_ASYNC_UMMA, .merge = true, .stages = 1)},
    {"tma_rings", declare, check, FORM({ONE}, WW_TMA_UMMA, WW_TMA_UMMA)},
    {"tma_rings_pair", declare, check, FORM({PAIR}, WW_TMA_UMMA, WW_TMA_UMMA)},
    {"tma_for_each_other_m", declare, check, FORM({{1, 2, 1, 1}, .share = true}, WW_TMA_UMMA)},
    {"tma_for_each_other_n", declare, check, FORM({{1, 1, 2, 1}, .share = true}, WW_TMA_UMMA)},
    {"tma_for_each_other_mn", declare, check, FORM({{1, 2, 2, 1}, .share = true}, WW_TMA_UMMA)},
    {"pairs_for_each_other_n", declare, check, FORM({{2, 1, 2, 1}, .share = true}, WW_TMA_UMMA)},
    {"pairs_for_each_other_mn", declare, check, FORM({{2, 2, 2, 1}, .share = true}, WW_TMA_UMMA)},
    {"threads", declare, check, FORM({ONE}, WW_ASYNC_UMMA)},
    {"threads_pair", declare, check, FORM({PAIR}, WW_ASYNC_UMMA)},
    {"cp_async", declare, check, FORM({ONE}, WW_ASYNC_UMMA, .cp_async = true)},
    {"merge", declare, check, FORM({ONE}, WW_TMA_UMMA, WW_ASYNC_UMMA, .merge = true)},
    {"merge_pair", declare, check, FORM({PAIR}, WW_TMA_UMMA, WW_ASYNC_UMMA, .merge = true)},
    {"fork", declare, check, FORM({ONE, .tiles = true}, WW_TMA_UMMA, WW_TMA_UMMA, .fork = true)},
    {"through_tmem", declare, check, FORM({ONE}, WW_TMA_UMMA, WW_TMA_UMMA, .through_tmem = true)},
    {"through_tmem_pair", declare, check, FORM({PAIR}, WW_TMA_UMMA, WW_TMA_UMMA, .through_tmem = true)},
    {"scaled", declare, check, FORM({ONE, .scaled = true}, WW_TMA_UMMA)},
    {"scaled_pair", declare, check, FORM({PAIR, .scaled = true}, WW_TMA_UMMA)},
    {"scaled_clc_pair", declare, check, FORM({PAIR, .clc = true, .scaled = true}, WW_TMA_UMMA)},
    {"clc", declare, check, FORM({ONE, .clc = true}, WW_TMA_UMMA)},
    {"clc_skip", declare, check, FORM({ONE, .clc = true, .skip = true}, WW_TMA_UMMA)},
    {"clc_cluster", declare, check, FORM({{1, 2, 1, 1}, .clc = true, .share = true}, WW_TMA_UMMA)},
    {"clc_pair", declare, check, FORM({PAIR, .clc = true}, WW_TMA_UMMA)},
    {"clc_pairs_skip", declare, check,
     FORM({{2, 1, 2, 1}, .clc = true, .skip = true, .share = true}, WW_TMA_UMMA)},
    {0},
};

const family blackwell_family = {"blackwell", features, "sm_100a"};
