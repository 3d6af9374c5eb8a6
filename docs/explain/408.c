/* 408: synchronisation in bodies; 408_wrong.cuh and 408_right.cuh hold the bodies */
#include "explain.h"

static const ww_work work[] = {
    /* given: the row */
    {.name = "turn", .side = WW_CONSUMER},
    /* end */
    {.name = "load", .side = WW_PRODUCER, .copies = {{"data", 1024}}},
    {0}};

static void declare(ww_kernel *k)
{
    explain_handed_on(k, ww_pipeline_tma_async(.stages = 2), work);
}

EXPLAIN(408, .wrong = declare, .right = declare, .audited = true, .body_wrong = "408_wrong.cuh",
        .body_right = "408_right.cuh");
