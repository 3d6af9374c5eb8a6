/* 407: memory that a row has; 407_wrong.cuh and 407_right.cuh hold the bodies */
#include "explain.h"

static const ww_work work[] = {
    /* given: the row */
    {.name = "scale", .side = WW_CONSUMER},
    /* end */
    {.name = "load", .side = WW_PRODUCER, .copies = {{"data", 1024}}},
    {0}};

static void declare(ww_kernel *k)
{
    explain_handed_on(k, ww_pipeline_tma_async(.stages = 2), work);
}

EXPLAIN(407, .wrong = declare, .right = declare, .audited = true, .body_wrong = "407_wrong.cuh",
        .body_right = "407_right.cuh");
