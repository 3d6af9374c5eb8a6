/* 206: shared memory */
#include "explain.h"

static const ww_work work[] = {
    {.name = "fill", .side = WW_PRODUCER}, {.name = "use", .side = WW_CONSUMER}, {0}};

static void wrong(ww_kernel *k)
{
    /* wrong: 262144 bytes, and sm_90a has 232448 */
    ww_resource *tile = ww_resource_new(k, "tile",
                                        &(ww_resource_options){
                                            .pipeline = {.type = WW_ASYNC_ASYNC, .stages = 8},
                                            .buffers = {{"data", 32768}},
                                            .work = work,
                                        });
    /* end */
    explain_task(k, "load", 0, 1, explain_load, tile);
    explain_task(k, "store", 1, 1, explain_store, tile);
}

static void right(ww_kernel *k)
{
    /* right: as many stages as fit: 7 */
    ww_resource *tile = ww_resource_new(k, "tile",
                                        &(ww_resource_options){
                                            .pipeline = {.type = WW_ASYNC_ASYNC, .stages = WW_STAGES_MAX},
                                            .buffers = {{"data", 32768}},
                                            .work = work,
                                        });
    /* end */
    explain_task(k, "load", 0, 1, explain_load, tile);
    explain_task(k, "store", 1, 1, explain_store, tile);
}

EXPLAIN(206, .wrong = wrong, .right = right);
