/* groups: pipelines that share barriers. Merges (one consumer of two rings: one empty barrier), fused merges (one full
 * barrier too), forks (two consumers of one load: one full barrier), the last also with wgmma as one of the consumers. */
#include "gemms.h"

enum { HALF_BYTES = ROW_BYTES / 2, READ_WARPS = 4, STAGES = 4 };

static const ww_token no_value;

/* ---- merges ------------------------------------------------------------------------------------------------- */

typedef struct merge_form {
    ww_group_mode mode;
    ww_pipeline_type low, high;
} merge_form;

typedef struct merge {
    ww_resource *low, *high, *group, *joined;
    const merge_form *form;
} merge;

static void fill_half(ww_schedule *s, ww_resource *half, int part, ww_pipeline_type type)
{
    ww_domain_loop(s, ww_imm(0), trips_from(0), ww_imm(1)) {
        ww_try_acquire(s, half);
        ww_acquire(s, half);
        if (type == WW_TMA_ASYNC)
            ww_produce(s, half, "load", .constants = {part});
        else
            ww_produce(s, half, "fill", .constants = {part, 1});
        ww_commit(s, half);
    }
}

static void fill_low(ww_schedule *s, void *context)
{
    const merge *m = context;
    fill_half(s, m->low, 0, m->form->low);
}

static void fill_high(ww_schedule *s, void *context)
{
    const merge *m = context;
    fill_half(s, m->high, 1, m->form->high);
}

static void wait_for_both(ww_schedule *s, const merge *m)
{
    if (m->form->mode == WW_FUSED_MERGE) {
        ww_try_wait(s, m->group);
        ww_wait(s, m->group);
        return;
    }
    ww_try_wait(s, m->low);
    ww_wait(s, m->low);
    ww_try_wait(s, m->high);
    ww_wait(s, m->high);
}

static void join(ww_schedule *s, void *context)
{
    const merge *m = context;
    ww_token low = no_value, high = no_value;
    ww_domain_loop(s, ww_imm(0), trips_from(0), ww_imm(1)) {
        wait_for_both(s, m);
        ww_consume(s, m->low, "address", .out = {&low});
        ww_consume(s, m->high, "address", .out = {&high});
        ww_produce(s, m->joined, "store", .in = {low, high}, .constants = {READ_WARPS});
        ww_release(s, m->group);
    }
}

static const ww_work half_work[] = {
    {.name = "fill", .side = WW_PRODUCER, .constants = {"int part", "int warps"}},
    {.name = "load", .side = WW_PRODUCER, .constants = {"int part"}, .copies = {{"words", HALF_BYTES}}},
    {.name = "address", .side = WW_CONSUMER, .out = {"uint32_t address"}},
    {0},
};

static const ww_work joined_work[] = {
    {.name = "store",
     .side = WW_PRODUCER,
     .in = {"uint32_t low", "uint32_t high"},
     .constants = {"int warps"}},
    {0},
};

static ww_resource *half_ring(ww_kernel *k, const char *name, ww_pipeline_type type)
{
    return ww_resource_new(k, name,
                           &(ww_resource_options){.type = "half",
                                                  .pipeline = {.type = type, .stages = STAGES},
                                                  .buffers = {{"words", HALF_BYTES}},
                                                  .work = half_work});
}

static ww_kernel *declare_merge(const feature *f, const char *kernel)
{
    merge m = {.form = f->form};
    ww_kernel *k = words_kernel(kernel, "groups.cuh", ONE_CTA);
    m.low = half_ring(k, "low", m.form->low);
    m.high = half_ring(k, "high", m.form->high);
    m.group = ww_group_new(k, "both", &(ww_group_options){.mode = m.form->mode, .members = {m.low, m.high}});
    m.joined = ww_resource_new(k, "joined", &(ww_resource_options){.work = joined_work});
    feature_task(k, "store", 0, READ_WARPS, join, &m);
    feature_task(k, "fill_low", READ_WARPS, 1, fill_low, &m);
    feature_task(k, "fill_high", READ_WARPS + 1, 1, fill_high, &m);
    return k;
}

/* ---- forks --------------------------------------------------------------------------------------------------- */

typedef struct fork_form {
    ww_pipeline_type type;
    int warps[2]; /* of the consumers */
} fork_form;

typedef struct forked {
    ww_resource *first, *second, *group;
    const fork_form *form;
} forked;

static void fill_fork(ww_schedule *s, void *context)
{
    const forked *f = context;
    ww_domain_loop(s, ww_imm(0), trips_from(0), ww_imm(1)) {
        ww_acquire(s, f->first);
        ww_acquire(s, f->second);
        if (f->form->type == WW_TMA_ASYNC)
            ww_produce(s, f->first, "load");
        else
            ww_produce(s, f->first, "fill", .constants = {1});
        ww_commit(s, f->group);
    }
}

static void read_fork(ww_schedule *s, ww_resource *ring, int part, int warps)
{
    ww_domain_loop(s, ww_imm(0), trips_from(0), ww_imm(1)) {
        ww_wait(s, ring);
        ww_consume(s, ring, "read", .constants = {part, warps});
        ww_release(s, ring);
    }
}

static void read_first(ww_schedule *s, void *context)
{
    const forked *f = context;
    read_fork(s, f->first, 0, f->form->warps[0]);
}

static void read_second(ww_schedule *s, void *context)
{
    const forked *f = context;
    read_fork(s, f->second, 1, f->form->warps[1]);
}

static const ww_work shared_row_work[] = {
    {.name = "fill", .side = WW_PRODUCER, .constants = {"int warps"}},
    {.name = "load", .side = WW_PRODUCER, .copies = {{"words", ROW_BYTES}}},
    {.name = "read", .side = WW_CONSUMER, .constants = {"int part", "int warps"}},
    {0},
};

static ww_resource *fork_ring(ww_kernel *k, const char *name, ww_pipeline_type type, ww_resource *shares)
{
    return ww_resource_new(k, name,
                           &(ww_resource_options){.type = "shared_row",
                                                  .pipeline = {.type = type, .stages = STAGES},
                                                  .buffers = {{"words", ROW_BYTES, .shares = shares}},
                                                  .work = shared_row_work});
}

static ww_kernel *declare_fork(const feature *f, const char *kernel)
{
    forked o = {.form = f->form};
    const int *warps = o.form->warps;
    ww_kernel *k = words_kernel(kernel, "groups.cuh", ONE_CTA);
    o.first = fork_ring(k, "first", o.form->type, NULL);
    o.second = fork_ring(k, "second", o.form->type, o.first);
    o.group = ww_group_new(k, "both", &(ww_group_options){.mode = WW_FORK, .members = {o.first, o.second}});
    feature_task(k, "read_first", 0, warps[0], read_first, &o);
    feature_task(k, "read_second", warps[0], warps[1], read_second, &o);
    feature_task(k, "fill", warps[0] + warps[1], 1, fill_fork, &o);
    return k;
}

/* ---- a fork of wgmma and threads -------------------------------------------------------------------------------- */

typedef struct gemm_fork {
    ww_resource *a, *seen, *b, *group, *sums, *result;
    ww_bound k_tiles;
} gemm_fork;

static void load_gemm(ww_schedule *s, void *context)
{
    const gemm_fork *g = context;
    ww_domain_loop(s, ww_imm(0), g->k_tiles, ww_imm(1)) {
        ww_acquire(s, g->a);
        ww_acquire(s, g->seen);
        ww_produce(s, g->a, "load");
        ww_commit(s, g->group);
        ww_acquire(s, g->b);
        ww_produce(s, g->b, "load");
        ww_commit(s, g->b);
    }
}

static void multiply(ww_schedule *s, void *context)
{
    const gemm_fork *g = context;
    ww_token a, b, result;
    ww_produce(s, g->sums, "clear");
    ww_domain_loop(s, ww_imm(0), g->k_tiles, ww_imm(1)) {
        ww_wait(s, g->a);
        ww_wait(s, g->b);
        ww_consume(s, g->a, "descriptor", .out = {&a});
        ww_consume(s, g->b, "descriptor", .out = {&b});
        ww_produce(s, g->sums, "mma", .in = {a, b});
        ww_consume(s, g->sums, "settle");
        ww_release(s, g->a);
        ww_release(s, g->b);
    }
    ww_consume(s, g->sums, "result", .out = {&result});
    ww_produce(s, g->result, "store", .in = {result});
}

static void see(ww_schedule *s, void *context)
{
    const gemm_fork *g = context;
    ww_domain_loop(s, ww_imm(0), g->k_tiles, ww_imm(1)) {
        ww_wait(s, g->seen);
        ww_consume(s, g->seen, "copy");
        ww_release(s, g->seen);
    }
}

static ww_resource *tile_ring(ww_kernel *k, const char *name, ww_pipeline_type type, const ww_buffer *buffer,
                              const ww_work *work)
{
    return ww_resource_new(
        k, name,
        &(ww_resource_options){.pipeline = {.type = type, .stages = 3}, .buffers = {*buffer}, .work = work});
}

static ww_kernel *declare_gemm_fork(const feature *f, const char *kernel)
{
    (void)f;
    gemm_fork g = {.k_tiles = ww_arg(struct gemms_params, k_tiles, 1)};
    ww_kernel *k = gemms_kernel(kernel, "gemms.cuh", ONE_CTA);
    const ww_buffer a = {"a", GEMM_A_BYTES, .swizzle = WW_SWIZZLE_128B},
                    b = {"b", GEMM_B_BYTES, .swizzle = a.swizzle};
    g.a = tile_ring(k, "operand_a", WW_TMA_WGMMA, &a, operand_a_work);
    const ww_buffer same = {"a", GEMM_A_BYTES, .swizzle = a.swizzle, .shares = g.a};
    g.seen = tile_ring(k, "seen_a", WW_TMA_ASYNC, &same, seen_a_work);
    g.b = tile_ring(k, "operand_b", WW_TMA_WGMMA, &b, operand_b_work);
    g.group = ww_group_new(k, "both_a", &(ww_group_options){.mode = WW_FORK, .members = {g.a, g.seen}});
    g.sums = gemms_sums(k, "operand_a", "operand_b");
    g.result = gemms_result(k);
    feature_task(k, "multiply", 0, 4, multiply, &g);
    feature_task(k, "load", 4, 1, load_gemm, &g);
    feature_task(k, "see", 5, 1, see, &g);
    return k;
}

/* ---- a merge of two kinds of producer in front of wgmma ----------------------------------------------------------- */

typedef struct gemm_merge {
    ww_resource *a, *b, *group, *sums, *result;
    ww_bound k_tiles;
} gemm_merge;

static void load_a(ww_schedule *s, void *context)
{
    const gemm_merge *g = context;
    ww_domain_loop(s, ww_imm(0), g->k_tiles, ww_imm(1)) {
        ww_acquire(s, g->a);
        ww_produce(s, g->a, "load");
        ww_commit(s, g->a);
    }
}

static void put_b(ww_schedule *s, void *context)
{
    const gemm_merge *g = context;
    ww_domain_loop(s, ww_imm(0), g->k_tiles, ww_imm(1)) {
        ww_acquire(s, g->b);
        ww_produce(s, g->b, "put", .constants = {1, 0});
        ww_commit(s, g->b);
    }
}

static void multiply_merged(ww_schedule *s, void *context)
{
    const gemm_merge *g = context;
    ww_token a, b, result;
    ww_produce(s, g->sums, "clear");
    ww_domain_loop(s, ww_imm(0), g->k_tiles, ww_imm(1)) {
        ww_wait(s, g->a);
        ww_wait(s, g->b);
        ww_consume(s, g->a, "descriptor", .out = {&a});
        ww_consume(s, g->b, "descriptor", .out = {&b});
        ww_produce(s, g->sums, "mma", .in = {a, b});
        ww_consume(s, g->sums, "settle");
        ww_release(s, g->group);
    }
    ww_consume(s, g->sums, "result", .out = {&result});
    ww_produce(s, g->result, "store", .in = {result});
}

static ww_kernel *declare_gemm_merge(const feature *f, const char *kernel)
{
    (void)f;
    gemm_merge g = {.k_tiles = ww_arg(struct gemms_params, k_tiles, 1)};
    ww_kernel *k = gemms_kernel(kernel, "gemms.cuh", ONE_CTA);
    const ww_buffer a = {"a", GEMM_A_BYTES, .swizzle = WW_SWIZZLE_128B},
                    b = {"b", GEMM_B_BYTES, .swizzle = a.swizzle};
    g.a = tile_ring(k, "operand_a", WW_TMA_WGMMA, &a, operand_a_work);
    g.b = tile_ring(k, "operand_b", WW_ASYNC_WGMMA, &b, operand_b_work);
    g.group = ww_group_new(k, "operands_ab", &(ww_group_options){.mode = WW_MERGE, .members = {g.a, g.b}});
    g.sums = gemms_sums(k, "operand_a", "operand_b");
    g.result = gemms_result(k);
    feature_task(k, "multiply", 0, 4, multiply_merged, &g);
    feature_task(k, "load_a", 4, 1, load_a, &g);
    feature_task(k, "put_b", 5, 1, put_b, &g);
    return k;
}

/* ---- kernels --------------------------------------------------------------------------------------------------- */

static void check(trial *t, const feature *f)
{
    (void)f;
    static const int trips[] = {1, 2, 4, 7, 16, 33, 0, -1};
    trial_pass_rows(t, (passing_grid){3, 1, 1}, trips, backward_word, NULL);
}

static void check_gemm_fork(trial *t, const feature *f)
{
    (void)f;
    gemms_check(t, GEMMS_D_AND_TILES);
}

static void check_gemm_merge(trial *t, const feature *f)
{
    (void)f;
    gemms_check(t, GEMMS_D);
}

#define MERGE(...)                                                                                           \
    &(const merge_form)                                                                                      \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }
#define FORK(...)                                                                                            \
    &(const fork_form)                                                                                       \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }

static const feature features[] = {
    {"merge_copy", declare_merge, check, MERGE(WW_MERGE, WW_ASYNC_ASYNC, WW_TMA_ASYNC)},
    {"merge_bulk", declare_merge, check, MERGE(WW_MERGE, WW_TMA_ASYNC, WW_TMA_ASYNC)},
    {"merge_threads", declare_merge, check, MERGE(WW_MERGE, WW_ASYNC_ASYNC, WW_ASYNC_ASYNC)},
    {"fused_copy", declare_merge, check, MERGE(WW_FUSED_MERGE, WW_ASYNC_ASYNC, WW_TMA_ASYNC)},
    {"fused_bulk", declare_merge, check, MERGE(WW_FUSED_MERGE, WW_TMA_ASYNC, WW_TMA_ASYNC)},
    {"fork_bulk", declare_fork, check, FORK(WW_TMA_ASYNC, {2, 3})},
    {"fork_threads", declare_fork, check, FORK(WW_ASYNC_ASYNC, {1, 4})},
    {"fork_gemm", declare_gemm_fork, check_gemm_fork, NULL},
    {"merge_gemm", declare_gemm_merge, check_gemm_merge, NULL},
    {0},
};

const family groups_family = {"groups", features};
