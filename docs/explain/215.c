/* 215: lanes of interleaved pipelines */
#include "explain.h"

static ww_schedule_function *const store_tile = explain_store;

static void wrong(ww_kernel *k)
{
    ww_resource *tile = explain_ring(k, "tile", ww_pipeline_async_async(.stages = 4, .stride = {2}));
    explain_task(k, "load", 0, 2, explain_load, tile);
    /* wrong: two lanes, and three warps */
    const ww_task_options store = {.first_warp = 2, .warps = 3, .schedule = store_tile, .context = tile};
    /* end */
    (void)ww_task_new(k, "store", &store);
}

static void right(ww_kernel *k)
{
    ww_resource *tile = explain_ring(k, "tile", ww_pipeline_async_async(.stages = 4, .stride = {2}));
    explain_task(k, "load", 0, 2, explain_load, tile);
    /* right: each warp a lane */
    const ww_task_options store = {.first_warp = 2, .warps = 2, .schedule = store_tile, .context = tile};
    /* end */
    (void)ww_task_new(k, "store", &store);
}

EXPLAIN(215, .wrong = wrong, .right = right);
