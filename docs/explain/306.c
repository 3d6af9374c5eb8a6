/* 306: what the prover does not model */
#include "explain.h"

static void trips_of(ww_schedule *s, ww_resource *tile, ww_bound first)
{
    ww_domain_loop(s, first, ww_arg(tile_params, trips, 0), ww_imm(1)) {
        ww_wait(s, tile);
        ww_consume(s, tile, "use");
        ww_release(s, tile);
    }
}

static void store_wrong(ww_schedule *s, void *tile)
{
    /* wrong: load loops from 0 to trips; that tiles is 0, too, nobody has said */
    ww_bound first = ww_arg(tile_params, tiles, 0);
    /* end */
    trips_of(s, tile, first);
}

static void store_right(ww_schedule *s, void *tile)
{
    /* right: bounds of which one determines the number of trips */
    ww_bound first = ww_imm(0);
    /* end */
    trips_of(s, tile, first);
}

static void wrong(ww_kernel *k)
{
    explain_pair(k, ww_pipeline_async_async(.stages = 2), explain_load, store_wrong);
}

static void right(ww_kernel *k)
{
    explain_pair(k, ww_pipeline_async_async(.stages = 2), explain_load, store_right);
}

EXPLAIN(306, .wrong = wrong, .right = right);
