/* 303: waiters that miss a phase */
#include "explain.h"

typedef struct split {
    ww_resource *tile, *used;
} split;

/* A ring without memory: with some, the work would race as well. */
static ww_resource *tokens(ww_kernel *k)
{
    const ww_resource_options options = {.pipeline = ww_pipeline_async_async(.stages = 2)};
    return ww_resource_new(k, "tile", &options);
}

static void load(ww_schedule *s, void *context)
{
    split *c = context;
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        ww_acquire(s, c->tile);
        ww_commit(s, c->tile);
    }
}

static void use_wrong(ww_schedule *s, void *context)
{
    split *c = context;
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        ww_wait(s, c->tile);
    }
}

static void give_back_wrong(ww_schedule *s, void *context)
{
    split *c = context;
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        /* wrong: another task waits for tile, and may not have looked when the ring has gone round */
        ww_release(s, c->tile);
        /* end */
    }
}

static void use_right(ww_schedule *s, void *context)
{
    split *c = context;
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        ww_wait(s, c->tile);
        ww_sync(s, c->used);
    }
}

static void give_back_right(ww_schedule *s, void *context)
{
    split *c = context;
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        /* right: it meets that task first, which calls ww_sync after its wait */
        ww_sync(s, c->used);
        ww_release(s, c->tile);
        /* end */
    }
}

static void wrong(ww_kernel *k)
{
    split c = {tokens(k)};
    explain_task(k, "load", 0, 1, load, &c);
    explain_task(k, "use", 1, 1, use_wrong, &c);
    explain_task(k, "give_back", 2, 1, give_back_wrong, &c);
}

static void right(ww_kernel *k)
{
    split c = {tokens(k), ww_named_barrier_new(k, "used", 0)};
    explain_task(k, "load", 0, 1, load, &c);
    explain_task(k, "use", 1, 1, use_right, &c);
    explain_task(k, "give_back", 2, 1, give_back_right, &c);
}

EXPLAIN(303, .wrong = wrong, .right = right);
