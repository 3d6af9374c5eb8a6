/* 115: interleave strides */
#include "explain.h"

static void declare(ww_kernel *k, ww_pipeline ring)
{
    ww_resource *tile = explain_ring(k, "tile", ring);
    explain_task(k, "load", 0, 2, explain_load, tile);
    explain_task(k, "store", 2, 2, explain_store, tile);
}

static void wrong(ww_kernel *k)
{
    /* wrong: two lanes cannot share three stages */
    ww_pipeline ring = ww_pipeline_async_async(.stages = 3, .stride = {2});
    /* end */
    declare(k, ring);
}

static void right(ww_kernel *k)
{
    /* right: two stages a lane */
    ww_pipeline ring = ww_pipeline_async_async(.stages = 4, .stride = {2});
    /* end */
    declare(k, ring);
}

EXPLAIN(115, .wrong = wrong, .right = right);
