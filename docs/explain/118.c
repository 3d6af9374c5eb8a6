/* 118: what can be suppressed */
#include "explain.h"

/* The graph lacks the ring: WW203. */
static void declare(ww_kernel *k)
{
    ww_resource *table = explain_plain(k, "table");
    explain_pair(k, ww_pipeline_async_async(.stages = 2), explain_load, explain_store);
    explain_task(k, "look_up", 2, 1, explain_look_up, table);
    ww_depends(k, table, NULL);
}

static void wrong(ww_kernel *k)
{
    /* wrong: no reason is given */
    ww_kernel_suppress(k, WW_COVERAGE, "");
    /* end */
    explain_pair(k, ww_pipeline_async_async(.stages = 2), explain_load, explain_store);
}

static void right(ww_kernel *k)
{
    declare(k);
    /* right: why the finding does not matter here */
    ww_kernel_suppress(k, WW_COVERAGE, "only table has an order worth declaring");
    /* end */
}

EXPLAIN(118, .wrong = wrong, .right = right);
