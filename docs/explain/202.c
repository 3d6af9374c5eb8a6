/* 202: work stands in the bracket of its slot */
#include "explain.h"

static void store_wrong(ww_schedule *s, void *tile)
{
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        /* wrong: the slot is given away before it is read */
        ww_wait(s, tile);
        ww_release(s, tile);
        ww_consume(s, tile, "use");
        /* end */
    }
}

static void store_right(ww_schedule *s, void *tile)
{
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        /* right: work between wait and release */
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

EXPLAIN(202, .wrong = wrong, .right = right);
