/* 208: register splits */
#include "explain.h"

static void declare(ww_kernel *k, ww_task_options load, ww_task_options math)
{
    (void)ww_task_new(k, "load", &load);
    (void)ww_task_new(k, "math", &math);
}

static void wrong(ww_kernel *k)
{
    ww_resource *tile = explain_ring(k, "tile", ww_pipeline_async_async(.stages = 2));
    /* wrong: 40 + 2 x 240 a thread of each warpgroup, and 3 x 168 is all there is */
    ww_task_options load = {.warps = 4, .registers = 40};
    ww_task_options math = {.first_warp = 4, .warps = 8, .registers = 240};
    /* end */
    load.schedule = explain_load, math.schedule = explain_store;
    load.context = math.context = tile;
    declare(k, load, math);
}

static void right(ww_kernel *k)
{
    ww_resource *tile = explain_ring(k, "tile", ww_pipeline_async_async(.stages = 2));
    /* right: 24 + 2 x 240 = 3 x 168 */
    ww_task_options load = {.warps = 4, .registers = 24};
    ww_task_options math = {.first_warp = 4, .warps = 8, .registers = 240};
    /* end */
    load.schedule = explain_load, math.schedule = explain_store;
    load.context = math.context = tile;
    declare(k, load, math);
}

EXPLAIN(208, .wrong = wrong, .right = right);
