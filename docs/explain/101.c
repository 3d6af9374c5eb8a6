/* 101: values within their range */
#include "explain.h"

static const ww_work work[] = {
    {.name = "fill", .side = WW_PRODUCER}, {.name = "use", .side = WW_CONSUMER}, {0}};

static void wrong(ww_kernel *k)
{
    /* wrong: a ring without a stage */
    ww_resource *tile = ww_resource_new(k, "tile",
                                        &(ww_resource_options){
                                            .pipeline = {.type = WW_ASYNC_ASYNC, .stages = 0},
                                            .buffers = {{"data", 1024}},
                                            .work = work,
                                        });
    /* end */
    explain_task(k, "load", 0, 1, explain_load, tile);
    explain_task(k, "store", 1, 1, explain_store, tile);
}

static void right(ww_kernel *k)
{
    /* right: as deep as the loads run ahead */
    ww_resource *tile = ww_resource_new(k, "tile",
                                        &(ww_resource_options){
                                            .pipeline = {.type = WW_ASYNC_ASYNC, .stages = 2},
                                            .buffers = {{"data", 1024}},
                                            .work = work,
                                        });
    /* end */
    explain_task(k, "load", 0, 1, explain_load, tile);
    explain_task(k, "store", 1, 1, explain_store, tile);
}

EXPLAIN(101, .wrong = wrong, .right = right);
