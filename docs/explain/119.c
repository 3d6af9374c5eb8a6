/* 119: suppressions that hide something */
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
    declare(k);
    ww_kernel_suppress(k, WW_COVERAGE, "only table has an order worth declaring");
    /* wrong: the kernel has no such finding (any more) */
    ww_kernel_suppress(k, WW_ARRIVALS, "counted by hand");
    /* end */
}

static void right(ww_kernel *k)
{
    declare(k);
    /* right: those alone that are made */
    ww_kernel_suppress(k, WW_COVERAGE, "only table has an order worth declaring");
    /* end */
}

EXPLAIN(119, .wrong = wrong, .right = right);
