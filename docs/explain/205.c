/* 205: bytes of barriers */
#include "explain.h"

static void wrong(ww_kernel *k)
{
    /* wrong: the one copy brings 1024 bytes a stage; the barrier would wait for ever */
    ww_pipeline ring = ww_pipeline_tma_async(.stages = 2, .tx_bytes = 2048);
    /* end */
    explain_pair(k, ring, explain_load, explain_store);
}

static void right(ww_kernel *k)
{
    /* right: left out, it is the sum of the copies */
    ww_pipeline ring = ww_pipeline_tma_async(.stages = 2);
    /* end */
    explain_pair(k, ring, explain_load, explain_store);
}

EXPLAIN(205, .wrong = wrong, .right = right);
