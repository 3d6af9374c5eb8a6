/* 104: work methods are rows of the work table */
#include "explain.h"

static void store_wrong(ww_schedule *s, void *tile)
{
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        /* wrong: the work table has "fill" and "use" */
        ww_wait(s, tile);
        ww_consume(s, tile, "read");
        ww_release(s, tile);
        /* end */
    }
}

static void store_right(ww_schedule *s, void *tile)
{
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        /* right: a row of it, of the consumer's side */
        ww_wait(s, tile);
        ww_consume(s, tile, "use");
        ww_release(s, tile);
        /* end */
    }
}

static void wrong(ww_kernel *k)
{
    explain_pair(k, ww_pipeline_async_async(.stages = 2), explain_load, store_wrong);
}

static void right(ww_kernel *k)
{
    explain_pair(k, ww_pipeline_async_async(.stages = 2), explain_load, store_right);
}

EXPLAIN(104, .wrong = wrong, .right = right);
