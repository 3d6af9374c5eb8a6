/* 305: work under way at the end */
#include "explain.h"

static void load(ww_schedule *s, void *tile)
{
    ww_acquire(s, tile);
    ww_produce(s, tile, "fill");
    ww_commit(s, tile);
    explain_load(s, tile);
}

static void trips_of(ww_schedule *s, void *tile)
{
    explain_store(s, tile);
}

static void store_wrong(ww_schedule *s, void *tile)
{
    /* wrong: load fills a slot ahead of the loop, and nobody takes the last one */
    trips_of(s, tile); /* wait, use, release in every trip, as load fills in every trip */
    /* end */
}

static void store_right(ww_schedule *s, void *tile)
{
    /* right: one more than the loop's trips */
    trips_of(s, tile); /* wait, use, release in every trip, as load fills in every trip */
    ww_wait(s, tile);
    ww_consume(s, tile, "use");
    ww_release(s, tile);
    /* end */
}

static void wrong(ww_kernel *k)
{
    explain_pair(k, ww_pipeline_async_async(.stages = 2), load, store_wrong);
}

static void right(ww_kernel *k)
{
    explain_pair(k, ww_pipeline_async_async(.stages = 2), load, store_right);
}

EXPLAIN(305, .wrong = wrong, .right = right);
