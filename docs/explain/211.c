/* 211: edges have a task behind them */
#include "explain.h"

typedef struct chain {
    ww_resource *tile, *total;
} chain;

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

static chain declare(ww_kernel *k)
{
    chain c = {explain_ring(k, "tile", ww_pipeline_async_async(.stages = 2)), explain_plain(k, "total")};
    explain_task(k, "load", 0, 1, explain_load, c.tile);
    explain_task(k, "add_up", 1, 1, add_up, &c);
    return c;
}

static void wrong(ww_kernel *k)
{
    chain c = declare(k);
    /* wrong: the task add_up computes total from tile, not tile from total */
    ww_depends(k, c.tile, c.total);
    /* end */
}

static void right(ww_kernel *k)
{
    chain c = declare(k);
    /* right: the downstream first */
    ww_depends(k, c.tile, NULL);
    ww_depends(k, c.total, c.tile);
    /* end */
}

EXPLAIN(211, .wrong = wrong, .right = right);
