/* 109: checking closes the declaration */
#include "explain.h"

static void wrong(ww_kernel *k)
{
    ww_resource *tile = explain_ring(k, "tile", ww_pipeline_async_async(.stages = 2));
    explain_task(k, "load", 0, 1, explain_load, tile);
    explain_task(k, "store", 1, 1, explain_store, tile);
    /* wrong: an edge after the check */
    (void)ww_kernel_check(k);
    ww_depends(k, tile, NULL);
    /* end */
}

static void right(ww_kernel *k)
{
    ww_resource *tile = explain_ring(k, "tile", ww_pipeline_async_async(.stages = 2));
    explain_task(k, "load", 0, 1, explain_load, tile);
    explain_task(k, "store", 1, 1, explain_store, tile);
    /* right: all declarations first */
    ww_depends(k, tile, NULL);
    (void)ww_kernel_check(k);
    /* end */
}

EXPLAIN(109, .wrong = wrong, .right = right);
