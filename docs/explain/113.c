/* 113: what the architecture has */
#include "explain.h"

static void wrong(ww_kernel *k)
{
    /* wrong: TmaAsync on sm_80, which has no bulk copies */
    ww_pipeline ring = ww_pipeline_tma_async(.stages = 2);
    /* end */
    explain_pair(k, ring, explain_load, explain_store);
}

static void right(ww_kernel *k)
{
    /* right: threads copy, by ld and st or by cp.async; or .arch = "sm_90a" */
    ww_pipeline ring = ww_pipeline_async_async(.stages = 2);
    /* end */
    explain_pair(k, ring, explain_load, explain_store);
}

EXPLAIN(113, .wrong = wrong, .right = right, .arch = "sm_80");
