/* 404: bulk stores; 404.cuh holds the body */
#include "explain.h"

static const ww_work work_wrong[] = {{.name = "load", .side = WW_PRODUCER, .copies = {{"data", 1024}}},
                                     /* wrong: nobody asks who waits for the store */
                                     {.name = "copy_out", .side = WW_CONSUMER},
                                     /* end */
                                     {0}};

static const ww_work work_right[] = {
    {.name = "load", .side = WW_PRODUCER, .copies = {{"data", 1024}}},
    /* right: the row says that there is one, and that the body waits for it */
    {.name = "copy_out", .side = WW_CONSUMER, .bulk_store = true, .bulk_wait = WW_BULK_WAIT(0)},
    /* end */
    {0}};

static void wrong(ww_kernel *k)
{
    explain_handed_on(k, ww_pipeline_tma_async(.stages = 2), work_wrong);
}

static void right(ww_kernel *k)
{
    explain_handed_on(k, ww_pipeline_tma_async(.stages = 2), work_right);
}

EXPLAIN(404, .wrong = wrong, .right = right, .audited = true, .body_wrong = "404.cuh",
        .body_right = "404.cuh");
