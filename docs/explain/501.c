/* 501: launch arguments keep what was promised */
#include "explain.h"

static const ww_work work[] = {{.name = "next", .side = WW_CONSUMER, .out = {"int row"}}, {0}};

/* The schedule promises at least 4 trips. */
static void count(ww_schedule *s, void *rows)
{
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 4), ww_imm(1)) {
        ww_consume(s, rows, "next");
    }
}

static void declare(ww_kernel *k)
{
    explain_task(k, "count", 0, 1, count, ww_resource_new(k, "rows", &(ww_resource_options){.work = work}));
}

static void run_wrong(ww_run *r)
{
    /* wrong: the loop's bound is ww_arg(tile_params, trips, 4) */
    const tile_params p = {.trips = 2};
    ww_run_launch(r, &(ww_launch){.params = &p, .grid = {1, 1, 1}});
    /* end */
}

static void run_right(ww_run *r)
{
    /* right: at least 4, or a smaller promise: ww_arg(tile_params, trips, 0) */
    const tile_params p = {.trips = 4};
    ww_run_launch(r, &(ww_launch){.params = &p, .grid = {1, 1, 1}});
    /* end */
}

EXPLAIN(501, .wrong = declare, .right = declare, .body_wrong = "401_right.cuh", .body_right = "401_right.cuh",
        .run_wrong = run_wrong, .run_right = run_right);
