/* 409: copies that nothing waits for; 409_wrong.cuh and 409_right.cuh hold the bodies */
#include "explain.h"

static const ww_work work[] = {
    /* given: the row */
    {.name = "fill", .side = WW_PRODUCER},
    /* end */
    {.name = "read", .side = WW_CONSUMER},
    {0}};

static void declare(ww_kernel *k)
{
    explain_handed_on(k, ww_pipeline_async_async(.stages = 2), work);
}

EXPLAIN(409, .wrong = declare, .right = declare, .audited = true, .body_wrong = "409_wrong.cuh",
        .body_right = "409_right.cuh");
