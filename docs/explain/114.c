/* 114: members that a pipeline type offers */
#include "explain.h"

static void wrong(ww_kernel *k)
{
    /* wrong: cp.async fills no ring of bulk copies */
    ww_pipeline ring = ww_pipeline_tma_async(.stages = 2, .producer_op = WW_ASYNC_LOAD);
    /* end */
    explain_pair(k, ring, explain_load, explain_store);
}

static void right(ww_kernel *k)
{
    /* right: a ring that threads fill */
    ww_pipeline ring = ww_pipeline_async_async(.stages = 2, .producer_op = WW_ASYNC_LOAD);
    /* end */
    explain_pair(k, ring, explain_load, explain_store);
}

EXPLAIN(114, .wrong = wrong, .right = right);
