/* 410: fences in bodies; 410_wrong.cuh and 410_right.cuh hold the bodies */
#include "explain.h"

static const ww_work work[] = {
    /* given: the row */
    {.name = "fill", .side = WW_PRODUCER},
    /* end */
    {.name = "store", .side = WW_CONSUMER, .bulk_store = true, .bulk_wait = WW_BULK_WAIT(0)},
    {0}};

static void declare(ww_kernel *k)
{
    explain_handed_on(k, ww_pipeline_async_tma(.stages = 2), work);
}

EXPLAIN(410, .wrong = declare, .right = declare, .audited = true, .body_wrong = "410_wrong.cuh",
        .body_right = "410_right.cuh");
