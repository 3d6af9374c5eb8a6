/* gemms: TmaWgmma and AsyncWgmma, stages released in the trip that read them, and one trip later; by two CTAs that load
 * for each other; and by two tasks in turn. */
#include "gemms.h"

#include <string.h>

typedef struct gemm_form {
    ww_pipeline pipeline;
    int fill_warps;
    const char *fill; /* the work: "load" by TMA, "load_shared" of two CTAs, "put" by threads or cp.async */
} gemm_form;

typedef struct gemm {
    ww_resource *ring, *sums, *result;
    ww_bound k_tiles;
    const gemm_form *form;
} gemm;

static void fill(ww_schedule *s, void *context)
{
    const gemm *g = context;
    int loads = g->form->pipeline.producer_op == WW_ASYNC_LOAD;
    ww_domain_loop(s, ww_imm(0), g->k_tiles, ww_imm(1)) {
        ww_try_acquire(s, g->ring);
        ww_acquire(s, g->ring);
        if (strcmp(g->form->fill, "put") == 0)
            ww_produce(s, g->ring, "put", .constants = {g->form->fill_warps, loads});
        else
            ww_produce(s, g->ring, g->form->fill);
        ww_commit(s, g->ring);
    }
}

static void multiply(ww_schedule *s, const gemm *g)
{
    ww_token a, b;
    ww_try_wait(s, g->ring);
    ww_wait(s, g->ring);
    ww_consume(s, g->ring, "descriptors", .out = {&a, &b});
    ww_produce(s, g->sums, "mma", .in = {a, b});
}

static void finish(ww_schedule *s, const gemm *g)
{
    ww_token result;
    ww_consume(s, g->sums, "result", .out = {&result});
    ww_produce(s, g->result, "store", .in = {result});
}

static void math(ww_schedule *s, void *context)
{
    const gemm *g = context;
    ww_produce(s, g->sums, "clear");
    ww_domain_loop(s, ww_imm(0), g->k_tiles, ww_imm(1)) {
        multiply(s, g);
        ww_consume(s, g->sums, "settle");
        ww_release(s, g->ring);
    }
    finish(s, g);
}

/* A stage is given back when the next one's multiplication has been issued. */
static void math_lag(ww_schedule *s, void *context)
{
    const gemm *g = context;
    ww_produce(s, g->sums, "clear");
    ww_domain_loop(s, ww_imm(0), g->k_tiles, ww_imm(1)) {
        multiply(s, g);
        ww_consume(s, g->sums, "settle_previous");
        ww_every(s, 1, 1) {
            ww_release(s, g->ring);
        }
    }
    ww_consume(s, g->sums, "settle");
    ww_release(s, g->ring);
    finish(s, g);
}

static ww_kernel *declare(const feature *f, const char *kernel)
{
    gemm g = {.form = f->form, .k_tiles = ww_arg(struct gemms_params, k_tiles, 1)};
    bool shared = strcmp(g.form->fill, "load_shared") == 0;
    ww_kernel *k = gemms_kernel(kernel, "gemms.cuh", shared ? (ww_cluster){1, 2, 1, 1} : ONE_CTA);
    g.ring =
        ww_resource_new(k, "ring",
                        &(ww_resource_options){.type = "operands",
                                               .pipeline = g.form->pipeline,
                                               .buffers = {{"a", GEMM_A_BYTES, .swizzle = WW_SWIZZLE_128B},
                                                           {"b", GEMM_B_BYTES, .swizzle = WW_SWIZZLE_128B}},
                                               .work = shared ? shared_operands_work : operands_work});
    g.sums = gemms_sums(k, "ring", NULL);
    g.result = gemms_result(k);
    feature_task(k, "math", 0, 4, g.form->pipeline.advance_on_wait ? math_lag : math, &g);
    feature_task(k, "fill", 4, g.form->fill_warps, fill, &g);
    return k;
}

static void check(trial *t, const feature *f)
{
    (void)f;
    gemms_check(t, GEMMS_D);
}

/* ---- ping-pong: two math tasks, each with a ring of its own, multiply in turn ------------------------------------- */

typedef struct ping_pong {
    ww_resource *rings[2], *turns, *sums, *result;
    ww_bound pairs;
} ping_pong;

typedef struct player {
    const ping_pong *game;
    int part;
} player;

static void serve(ww_schedule *s, void *context)
{
    const ping_pong *g = context;
    ww_domain_loop(s, ww_imm(0), g->pairs, ww_imm(1)) {
        for (int part = 0; part < 2; part++) {
            ww_acquire(s, g->rings[part]);
            ww_produce(s, g->rings[part], "load", .constants = {part});
            ww_commit(s, g->rings[part]);
        }
    }
}

static void play(ww_schedule *s, void *context)
{
    const player *p = context;
    const ping_pong *g = p->game;
    ww_resource *ring = g->rings[p->part];
    const char *mma = p->part ? "mma_odd" : "mma_even";
    ww_token a, b, result;
    ww_produce(s, g->sums, "clear");
    ww_domain_loop(s, ww_imm(0), g->pairs, ww_imm(1)) {
        ww_wait(s, ring);
        ww_consume(s, ring, "descriptors", .out = {&a, &b});
        ww_acquire(s, g->turns);
        ww_produce(s, g->sums, mma, .in = {a, b});
        ww_commit(s, g->turns);
        ww_consume(s, g->sums, "settle");
        ww_release(s, ring);
    }
    ww_consume(s, g->sums, "result", .out = {&result});
    ww_produce(s, g->result, "store", .in = {result}, .constants = {p->part});
}

static ww_resource *turn_ring(ww_kernel *k, const char *name)
{
    static const ww_work work[] = {
        {.name = "load",
         .side = WW_PRODUCER,
         .constants = {"int part"},
         .copies = {{"a", GEMM_A_BYTES}, {"b", GEMM_B_BYTES}}},
        {.name = "descriptors", .side = WW_CONSUMER, .out = {"uint64_t a", "uint64_t b"}},
        {0},
    };
    return ww_resource_new(
        k, name,
        &(ww_resource_options){.type = "turn_operands",
                               .pipeline = {.type = WW_TMA_WGMMA, .stages = 2},
                               .buffers = {{"a", GEMM_A_BYTES, .swizzle = WW_SWIZZLE_128B},
                                           {"b", GEMM_B_BYTES, .swizzle = WW_SWIZZLE_128B}},
                               .work = work});
}

static ww_kernel *declare_ping_pong(const feature *f, const char *kernel)
{
    static const ww_work sums_work[] = {
        {.name = "clear", .side = WW_PRODUCER},
        {.name = "mma_even",
         .side = WW_PRODUCER,
         .in = {"uint64_t a", "uint64_t b"},
         .wgmma_reads = {"even"}},
        {.name = "mma_odd", .side = WW_PRODUCER, .in = {"uint64_t a", "uint64_t b"}, .wgmma_reads = {"odd"}},
        {.name = "settle", .side = WW_CONSUMER, .wgmma_wait = WW_WGMMA_WAIT(0)},
        {.name = "result", .side = WW_CONSUMER, .out = {"gemms_sums result"}},
        {0},
    };
    (void)f;
    ping_pong g = {.pairs = ww_arg(struct gemms_params, k_pairs, 1)};
    ww_kernel *k = gemms_kernel(kernel, "gemms.cuh", ONE_CTA);
    g.rings[0] = turn_ring(k, "even");
    g.rings[1] = turn_ring(k, "odd");
    g.turns = ww_ordered_sequence_new(k, "turns");
    g.sums = ww_resource_new(k, "sums", &(ww_resource_options){.work = sums_work});
    g.result = gemms_result(k);
    player even = {&g, 0}, odd = {&g, 1};
    feature_task(k, "math_even", 0, 4, play, &even);
    feature_task(k, "math_odd", 4, 4, play, &odd);
    feature_task(k, "serve", 8, 1, serve, &g);
    return k;
}

static void check_ping_pong(trial *t, const feature *f)
{
    (void)f;
    gemms_check(t, GEMMS_D_BY_TURNS);
}

#define FORM(...)                                                                                            \
    &(const gemm_form)                                                                                       \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }

static const feature features[] = {
    {"tma_same_trip", declare, check, FORM({.type = WW_TMA_WGMMA, .stages = 3}, 1, "load")},
    {"tma_one_stage", declare, check, FORM({.type = WW_TMA_WGMMA, .stages = 1}, 1, "load")},
    {"tma_lag_one", declare, check,
     FORM({.type = WW_TMA_WGMMA, .stages = 3, .advance_on_wait = true}, 1, "load")},
    {"threads_same_trip", declare, check, FORM({.type = WW_ASYNC_WGMMA, .stages = 2}, 4, "put")},
    {"threads_lag_one", declare, check,
     FORM({.type = WW_ASYNC_WGMMA, .stages = 3, .advance_on_wait = true}, 2, "put")},
    {"cp_async_same_trip", declare, check,
     FORM({.type = WW_ASYNC_WGMMA, .stages = 2, .producer_op = WW_ASYNC_LOAD}, 4, "put")},
    {"cp_async_lag_one", declare, check,
     FORM({.type = WW_ASYNC_WGMMA, .stages = 4, .producer_op = WW_ASYNC_LOAD, .advance_on_wait = true}, 2,
          "put")},
    {"tma_for_each_other", declare, check,
     FORM({.type = WW_TMA_WGMMA, .stages = 3, .advance_on_wait = true}, 1, "load_shared")},
    {"ping_pong", declare_ping_pong, check_ping_pong, NULL},
    {0},
};

const family gemms_family = {"gemms", features};
