/* 403: the copies of a row; 403_wrong.cuh and 403_right.cuh hold the bodies */
#include "explain.h"

static const ww_work work[] = {
    /* given: the row */
    {.name = "copy_in", .side = WW_PRODUCER, .copies = {{"data", 1024}}},
    /* end */
    {.name = "read", .side = WW_CONSUMER},
    {0}};

static void declare(ww_kernel *k)
{
    explain_handed_on(k, ww_pipeline_tma_async(.stages = 2), work);
}

EXPLAIN(403, .wrong = declare, .right = declare, .audited = true, .body_wrong = "403_wrong.cuh",
        .body_right = "403_right.cuh");
