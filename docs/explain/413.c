/* 413: values in local memory; 413_wrong.cuh and 413_right.cuh hold the bodies */
#include "explain.h"

static const ww_work work[] = {{.name = "count", .side = WW_CONSUMER, .auxiliary = true}, {0}};

static void count(ww_schedule *s, void *kinds)
{
    ww_consume(s, kinds, "count");
}

static void declare(ww_kernel *k)
{
    explain_task(k, "count", 0, 1, count, ww_resource_new(k, "kinds", &(ww_resource_options){.work = work}));
}

EXPLAIN(413, .wrong = declare, .right = declare, .audited = true, .body_wrong = "413_wrong.cuh",
        .body_right = "413_right.cuh");
