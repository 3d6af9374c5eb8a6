/* 405: waits that a row promises; 405_wrong.cuh and 405_right.cuh hold the bodies */
#include "explain.h"

static const ww_work work[] = {
    /* given: the row */
    {.name = "copy_out", .side = WW_CONSUMER, .bulk_store = true, .bulk_wait = WW_BULK_WAIT(0)},
    /* end */
    {.name = "load", .side = WW_PRODUCER, .copies = {{"data", 1024}}},
    {0}};

static void declare(ww_kernel *k)
{
    explain_handed_on(k, ww_pipeline_tma_async(.stages = 2), work);
}

EXPLAIN(405, .wrong = declare, .right = declare, .audited = true, .body_wrong = "405_wrong.cuh",
        .body_right = "405_right.cuh");
