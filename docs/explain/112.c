/* 112: rows of work tables */
#include "explain.h"

/* wrong: the buffer is called "data" */
static const ww_work wrong_work[] = {{.name = "fill", .side = WW_PRODUCER, .copies = {{"datum", 1024}}},
                                     {.name = "use", .side = WW_CONSUMER},
                                     {0}};
/* end */

/* right: a buffer of the resource, in whole units of 16 bytes */
static const ww_work right_work[] = {{.name = "fill", .side = WW_PRODUCER, .copies = {{"data", 1024}}},
                                     {.name = "use", .side = WW_CONSUMER},
                                     {0}};
/* end */

static void declare(ww_kernel *k, const ww_work *work)
{
    ww_resource *tile = ww_resource_new(k, "tile",
                                        &(ww_resource_options){
                                            .pipeline = {.type = WW_TMA_ASYNC, .stages = 2},
                                            .buffers = {{"data", 1024}},
                                            .work = work,
                                        });
    explain_task(k, "load", 0, 1, explain_load, tile);
    explain_task(k, "store", 1, 1, explain_store, tile);
}

static void wrong(ww_kernel *k)
{
    declare(k, wrong_work);
}

static void right(ww_kernel *k)
{
    declare(k, right_work);
}

EXPLAIN(112, .wrong = wrong, .right = right);
