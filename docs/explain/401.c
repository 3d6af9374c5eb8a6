/* 401: work bodies have the types of the work table; 401_wrong.cuh and 401_right.cuh hold the examples */
#include "explain.h"

static const ww_work work[] = {{.name = "next", .side = WW_CONSUMER, .out = {"int row"}}, {0}};

static void count(ww_schedule *s, void *rows)
{
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        ww_consume(s, rows, "next");
    }
}

static void declare(ww_kernel *k)
{
    explain_task(k, "count", 0, 1, count, ww_resource_new(k, "rows", &(ww_resource_options){.work = work}));
}

EXPLAIN(401, .wrong = declare, .right = declare, .body_wrong = "401_wrong.cuh",
        .body_right = "401_right.cuh");
