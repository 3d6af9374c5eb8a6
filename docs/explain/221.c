/* 221: copies between CTAs */
#include "explain.h"

static void declare(ww_kernel *k, const ww_work *work)
{
    ww_resource *tile = ww_resource_new(k, "tile",
                                        &(ww_resource_options){.pipeline = ww_pipeline_tma_async(.stages = 2),
                                                               .buffers = {{.name = "data", .bytes = 1024}},
                                                               .work = work});
    explain_task(k, "load", 0, 1, explain_load, tile);
    explain_task(k, "store", 1, 1, explain_store, tile);
}

static void wrong(ww_kernel *k)
{
    /* wrong: A tiles are shared along n, and .cluster = {.m = 2} */
    const ww_work work[] = {{.name = "fill", .side = WW_PRODUCER, .copies = {{"data", 512, WW_REACH_A}}},
                            {.name = "use", .side = WW_CONSUMER},
                            {0}};
    /* end */
    declare(k, work);
}

static void right(ww_kernel *k)
{
    /* right: B tiles are shared along m: each of the two CTAs copies half for both */
    const ww_work work[] = {{.name = "fill", .side = WW_PRODUCER, .copies = {{"data", 512, WW_REACH_B}}},
                            {.name = "use", .side = WW_CONSUMER},
                            {0}};
    /* end */
    declare(k, work);
}

EXPLAIN(221, .wrong = wrong, .right = right, .cluster = {.m = 2});
