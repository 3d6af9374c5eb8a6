/* 102: names are identifiers of the generated CUDA */
#include "explain.h"

static const ww_work work[] = {
    {.name = "fill", .side = WW_PRODUCER}, {.name = "use", .side = WW_CONSUMER}, {0}};

static void wrong(ww_kernel *k)
{
    /* wrong: no C identifier */
    ww_resource *tile = ww_resource_new(k, "smem tile",
                                        &(ww_resource_options){
                                            .pipeline = {.type = WW_ASYNC_ASYNC, .stages = 2},
                                            .buffers = {{"data", 1024}},
                                            .work = work,
                                        });
    /* end */
    explain_task(k, "load", 0, 1, explain_load, tile);
    explain_task(k, "store", 1, 1, explain_store, tile);
}

static void right(ww_kernel *k)
{
    /* right: the name of a struct of the body header */
    ww_resource *tile = ww_resource_new(k, "smem_tile",
                                        &(ww_resource_options){
                                            .pipeline = {.type = WW_ASYNC_ASYNC, .stages = 2},
                                            .buffers = {{"data", 1024}},
                                            .work = work,
                                        });
    /* end */
    explain_task(k, "load", 0, 1, explain_load, tile);
    explain_task(k, "store", 1, 1, explain_store, tile);
}

EXPLAIN(102, .wrong = wrong, .right = right);
