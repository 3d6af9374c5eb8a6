/* 204: counts of barriers */
#include "explain.h"

static void wrong(ww_kernel *k)
{
    /* wrong: a release of AsyncAsync arrives with all 32 lanes of each warp */
    ww_pipeline ring = ww_pipeline_async_async(.stages = 2, .consumer_arrivals = 1);
    /* end */
    explain_pair(k, ring, explain_load, explain_store);
}

static void right(ww_kernel *k)
{
    /* right: left out, it is derived: 1 warp of store x 32 lanes */
    ww_pipeline ring = ww_pipeline_async_async(.stages = 2);
    /* end */
    explain_pair(k, ring, explain_load, explain_store);
}

EXPLAIN(204, .wrong = wrong, .right = right);
