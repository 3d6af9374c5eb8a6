/* 207: warps belong to one task */
#include "explain.h"

static ww_schedule_function *const load_tile = explain_load, *const store_tile = explain_store;

static void wrong(ww_kernel *k)
{
    ww_resource *tile = explain_ring(k, "tile", ww_pipeline_async_async(.stages = 2));
    /* wrong: warp 1 cannot do both */
    const ww_task_options load = {.first_warp = 0, .warps = 2, .schedule = load_tile, .context = tile};
    const ww_task_options store = {.first_warp = 1, .warps = 4, .schedule = store_tile, .context = tile};
    /* end */
    (void)ww_task_new(k, "load", &load);
    (void)ww_task_new(k, "store", &store);
}

static void right(ww_kernel *k)
{
    ww_resource *tile = explain_ring(k, "tile", ww_pipeline_async_async(.stages = 2));
    /* right: store begins after load */
    const ww_task_options load = {.first_warp = 0, .warps = 2, .schedule = load_tile, .context = tile};
    const ww_task_options store = {.first_warp = 2, .warps = 4, .schedule = store_tile, .context = tile};
    /* end */
    (void)ww_task_new(k, "load", &load);
    (void)ww_task_new(k, "store", &store);
}

EXPLAIN(207, .wrong = wrong, .right = right);
