/* 214: who signals */
#include "explain.h"

static const ww_work halves[] = {{.name = "fill", .side = WW_PRODUCER, .copies = {{"data", 512}}},
                                 {.name = "use", .side = WW_CONSUMER},
                                 {0}};

static void declare(ww_kernel *k, ww_pipeline ring)
{
    ww_resource *tile =
        ww_resource_new(k, "tile",
                        &(ww_resource_options){
                            .pipeline = ring, .buffers = {{.name = "data", .bytes = 1024}}, .work = halves});
    explain_task(k, "load", 0, 2, explain_load, tile);
    explain_task(k, "store", 4, 1, explain_store, tile);
}

static void wrong(ww_kernel *k)
{
    /* wrong: load has two warps, each fills half a stage, and each would announce */
    ww_pipeline ring = ww_pipeline_tma_async(.stages = 2);
    /* end */
    declare(k, ring);
}

static void right(ww_kernel *k)
{
    /* right: its first warp announces the bytes of both */
    ww_pipeline ring = ww_pipeline_tma_async(.stages = 2, .producer_signaling = WW_SIGNAL_WARP_LEADER);
    /* end */
    declare(k, ring);
}

EXPLAIN(214, .wrong = wrong, .right = right);
