/* 224: rings are filled and read */
#include "explain.h"

static void load_wrong(ww_schedule *s, void *tile)
{
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        /* wrong: no task fills tile, which has a buffer */
        ww_acquire(s, tile);
        ww_commit(s, tile);
        /* end */
    }
}

static void load_right(ww_schedule *s, void *tile)
{
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        /* right: work between acquire and commit; or no buffers, if tokens alone are handed on */
        ww_acquire(s, tile);
        ww_produce(s, tile, "fill");
        ww_commit(s, tile);
        /* end */
    }
}

static void wrong(ww_kernel *k)
{
    explain_pair(k, ww_pipeline_async_async(.stages = 2), load_wrong, explain_store);
}

static void right(ww_kernel *k)
{
    explain_pair(k, ww_pipeline_async_async(.stages = 2), load_right, explain_store);
}

EXPLAIN(224, .wrong = wrong, .right = right);
