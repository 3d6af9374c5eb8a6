/* 201: tasks list what they consume and produce */
#include "explain.h"

typedef struct chain {
    ww_resource *tile, *total;
} chain;

static void load(ww_schedule *s, void *context)
{
    explain_load(s, ((chain *)context)->tile);
}

static void add_up(ww_schedule *s, void *context)
{
    chain *c = context;
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        ww_wait(s, c->tile);
        ww_consume(s, c->tile, "use");
        ww_produce(s, c->total, "put");
        ww_release(s, c->tile);
    }
}

static void wrong(ww_kernel *k)
{
    chain c = {explain_ring(k, "tile", ww_pipeline_async_async(.stages = 2)), explain_plain(k, "total")};
    ww_resource *total = c.total;
    explain_task(k, "load", 0, 1, load, &c);
    /* wrong: its schedule waits for tile as well */
    const ww_task_options options = {
        .first_warp = 1, .warps = 1, .schedule = add_up, .context = &c, .produces = {total}};
    /* end */
    (void)ww_task_new(k, "add_up", &options);
}

static void right(ww_kernel *k)
{
    chain c = {explain_ring(k, "tile", ww_pipeline_async_async(.stages = 2)), explain_plain(k, "total")};
    ww_resource *tile = c.tile, *total = c.total;
    explain_task(k, "load", 0, 1, load, &c);
    /* right: all of it; or neither list, and both are derived */
    const ww_task_options options = {.first_warp = 1,
                                     .warps = 1,
                                     .schedule = add_up,
                                     .context = &c,
                                     .consumes = {tile},
                                     .produces = {total}};
    /* end */
    (void)ww_task_new(k, "add_up", &options);
}

EXPLAIN(201, .wrong = wrong, .right = right);
