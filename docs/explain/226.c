/* 226: slots that are committed are filled */
#include "explain.h"

static void trips_of(ww_schedule *s, void *tile)
{
    explain_load(s, tile);
}

static void store_one_more(ww_schedule *s, void *tile)
{
    explain_store(s, tile);
    ww_wait(s, tile);
    ww_consume(s, tile, "use");
    ww_release(s, tile);
}

static void load_wrong(ww_schedule *s, void *tile)
{
    /* wrong: the last slot is handed on unfilled */
    trips_of(s, tile); /* acquire, fill, commit in every trip */
    ww_acquire(s, tile);
    ww_commit(s, tile);
    /* end */
}

static void load_right(ww_schedule *s, void *tile)
{
    /* right: it is filled, as the others */
    trips_of(s, tile); /* acquire, fill, commit in every trip */
    ww_acquire(s, tile);
    ww_produce(s, tile, "fill");
    ww_commit(s, tile);
    /* end */
}

static void wrong(ww_kernel *k)
{
    explain_pair(k, ww_pipeline_async_async(.stages = 2), load_wrong, store_one_more);
}

static void right(ww_kernel *k)
{
    explain_pair(k, ww_pipeline_async_async(.stages = 2), load_right, store_one_more);
}

EXPLAIN(226, .wrong = wrong, .right = right);
