/* aliases: memory used twice. Two rings one after the other in the same bytes; a staging buffer over the operands of a
 * GEMM that is done with them; two resources that share a buffer, which one task fills and another changes in place. */
#include "gemms.h"

enum { FILL_WARPS = 2, READ_WARPS = 3 };

/* ---- two rings, one after the other -------------------------------------------------------------------------------- */

typedef struct phases {
    ww_resource *rings[2], *between;
} phases;

static ww_bound pairs(void)
{
    return ww_arg(struct words_params, pairs, 0);
}

static void fill_phases(ww_schedule *s, void *context)
{
    const phases *p = context;
    for (int phase = 0; phase < 2; phase++) {
        if (phase)
            ww_sync(s, p->between);
        ww_domain_loop(s, ww_imm(0), pairs(), ww_imm(1)) {
            ww_acquire(s, p->rings[phase]);
            ww_produce(s, p->rings[phase], "fill", .constants = {FILL_WARPS, phase});
            ww_commit(s, p->rings[phase]);
        }
    }
}

static void read_phases(ww_schedule *s, void *context)
{
    const phases *p = context;
    for (int phase = 0; phase < 2; phase++) {
        if (phase)
            ww_sync(s, p->between);
        ww_domain_loop(s, ww_imm(0), pairs(), ww_imm(1)) {
            ww_wait(s, p->rings[phase]);
            ww_consume(s, p->rings[phase], "read", .constants = {READ_WARPS, phase});
            ww_release(s, p->rings[phase]);
        }
    }
}

static const ww_work phase_work[] = {
    {.name = "fill", .side = WW_PRODUCER, .constants = {"int warps", "int phase"}},
    {.name = "read", .side = WW_CONSUMER, .constants = {"int warps", "int phase"}},
    {0},
};

static ww_resource *phase_ring(ww_kernel *k, const char *name, int stages)
{
    return ww_resource_new(k, name,
                           &(ww_resource_options){.type = "phase_ring",
                                                  .pipeline = {.type = WW_ASYNC_ASYNC, .stages = stages},
                                                  .buffers = {{"words", ROW_BYTES}},
                                                  .work = phase_work});
}

static ww_kernel *declare_phases(const feature *f, const char *kernel)
{
    (void)f;
    phases p;
    ww_kernel *k = words_kernel(kernel, "aliases.cuh", ONE_CTA);
    p.rings[0] = phase_ring(k, "first", 3);
    p.rings[1] = phase_ring(k, "second", 2);
    p.between = ww_named_barrier_new(k, "between", 0);
    ww_alias(k, {{p.rings[0]}}, {{p.rings[1]}});
    feature_task(k, "fill", 0, FILL_WARPS, fill_phases, &p);
    feature_task(k, "read_back", FILL_WARPS, READ_WARPS, read_phases, &p);
    return k;
}

static void check_phases(trial *t, const feature *f)
{
    (void)f;
    static const int trips[] = {2, 4, 6, 8, 16, 34, 0, -1};
    trial_pass_rows(t, (passing_grid){3, 1, 1}, trips, backward_word, NULL);
}

/* ---- staging over operands -------------------------------------------------------------------------------------------- */

typedef struct staged {
    ww_resource *ring, *sums, *staging, *all_read;
    ww_bound k_tiles;
} staged;

static void load(ww_schedule *s, void *context)
{
    const staged *g = context;
    ww_domain_loop(s, ww_imm(0), g->k_tiles, ww_imm(1)) {
        ww_acquire(s, g->ring);
        ww_produce(s, g->ring, "load");
        ww_commit(s, g->ring);
    }
}

/* The operands' memory is free when all four warps have finished their parts of the last multiplication. */
static void multiply(ww_schedule *s, void *context)
{
    const staged *g = context;
    ww_token a, b, result;
    ww_produce(s, g->sums, "clear");
    ww_domain_loop(s, ww_imm(0), g->k_tiles, ww_imm(1)) {
        ww_wait(s, g->ring);
        ww_consume(s, g->ring, "descriptors", .out = {&a, &b});
        ww_produce(s, g->sums, "mma", .in = {a, b});
        ww_consume(s, g->sums, "settle");
        ww_release(s, g->ring);
    }
    ww_sync(s, g->all_read);
    ww_consume(s, g->sums, "result", .out = {&result});
    ww_acquire(s, g->staging);
    ww_produce(s, g->staging, "put", .in = {result});
    ww_commit(s, g->staging);
}

static void store(ww_schedule *s, void *context)
{
    const staged *g = context;
    ww_wait(s, g->staging);
    ww_consume(s, g->staging, "store");
    ww_consume(s, g->staging, "settle");
    ww_release(s, g->staging);
}

static ww_kernel *declare_staged(const feature *f, const char *kernel)
{
    (void)f;
    staged g = {.k_tiles = ww_arg(struct gemms_params, k_tiles, 1)};
    ww_kernel *k = gemms_kernel(kernel, "gemms.cuh", ONE_CTA);
    g.ring =
        ww_resource_new(k, "ring",
                        &(ww_resource_options){.type = "operands",
                                               .pipeline = {.type = WW_TMA_WGMMA, .stages = 3},
                                               .buffers = {{"a", GEMM_A_BYTES, .swizzle = WW_SWIZZLE_128B},
                                                           {"b", GEMM_B_BYTES, .swizzle = WW_SWIZZLE_128B}},
                                               .work = operands_work});
    g.sums = gemms_sums(k, "ring", NULL);
    g.staging = ww_resource_new(k, "staging",
                                &(ww_resource_options){.pipeline = {.type = WW_ASYNC_TMA, .stages = 1},
                                                       .buffers = {{"d", GEMM_D_BYTES}},
                                                       .work = staging_work});
    g.all_read = ww_named_barrier_new(k, "all_read", 0);
    ww_alias(k, {{g.ring}}, {{g.staging}});
    feature_task(k, "multiply", 0, 4, multiply, &g);
    feature_task(k, "load", 4, 1, load, &g);
    feature_task(k, "store", 5, 1, store, &g);
    return k;
}

static void check_staged(trial *t, const feature *f)
{
    (void)f;
    gemms_check(t, GEMMS_D);
}

/* ---- a buffer of two resources ------------------------------------------------------------------------------------------ */

typedef struct in_place {
    ww_resource *raw, *cooked;
} in_place;

static void load_raw(ww_schedule *s, void *context)
{
    const in_place *p = context;
    ww_domain_loop(s, ww_imm(0), trips_from(0), ww_imm(1)) {
        ww_acquire(s, p->raw);
        ww_produce(s, p->raw, "load");
        ww_commit(s, p->raw);
    }
}

static void cook(ww_schedule *s, void *context)
{
    const in_place *p = context;
    ww_domain_loop(s, ww_imm(0), trips_from(0), ww_imm(1)) {
        ww_wait(s, p->raw);
        ww_acquire(s, p->cooked);
        ww_produce(s, p->cooked, "change", .constants = {FILL_WARPS});
        ww_commit(s, p->cooked);
    }
}

/* Who reads the changed row gives both back: until then it is in use. */
static void eat(ww_schedule *s, void *context)
{
    const in_place *p = context;
    ww_domain_loop(s, ww_imm(0), trips_from(0), ww_imm(1)) {
        ww_wait(s, p->cooked);
        ww_consume(s, p->cooked, "read", .constants = {READ_WARPS});
        ww_release(s, p->cooked);
        ww_release(s, p->raw);
    }
}

static const ww_work raw_work[] = {
    {.name = "load", .side = WW_PRODUCER, .copies = {{"words", ROW_BYTES}}},
    {0},
};

static const ww_work cooked_work[] = {
    {.name = "change", .side = WW_PRODUCER, .constants = {"int warps"}},
    {.name = "read", .side = WW_CONSUMER, .constants = {"int warps"}},
    {0},
};

static ww_kernel *declare_in_place(const feature *f, const char *kernel)
{
    (void)f;
    in_place p;
    ww_kernel *k = words_kernel(kernel, "aliases.cuh", ONE_CTA);
    p.raw = ww_resource_new(k, "raw",
                            &(ww_resource_options){.pipeline = {.type = WW_TMA_ASYNC, .stages = 3},
                                                   .buffers = {{"words", ROW_BYTES}},
                                                   .work = raw_work});
    p.cooked = ww_resource_new(k, "cooked",
                               &(ww_resource_options){.pipeline = {.type = WW_ASYNC_ASYNC, .stages = 3},
                                                      .buffers = {{"words", ROW_BYTES, .shares = p.raw}},
                                                      .work = cooked_work});
    feature_task(k, "eat", 0, READ_WARPS, eat, &p);
    feature_task(k, "cook", READ_WARPS, FILL_WARPS, cook, &p);
    feature_task(k, "load", READ_WARPS + FILL_WARPS, 1, load_raw, &p);
    return k;
}

static uint32_t cooked_word(const struct words_params *p, size_t cta, size_t row, size_t w, const void *form)
{
    return backward_word(p, cta, row, w, form) * 3 + 1;
}

static void check_in_place(trial *t, const feature *f)
{
    (void)f;
    static const int trips[] = {1, 2, 3, 8, 33, 0, -1};
    trial_pass_rows(t, (passing_grid){3, 1, 1}, trips, cooked_word, NULL);
}

static const feature features[] = {
    {"phases", declare_phases, check_phases, NULL},
    {"staging", declare_staged, check_staged, NULL},
    {"in_place", declare_in_place, check_in_place, NULL},
    {0},
};

const family aliases_family = {"aliases", features};
