/* 402: where the CUDA compiler is looked for */
#include "explain.h"

#include <stdlib.h>

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

static void declare_without(ww_kernel *k)
{
    /* wrong: neither wheels in .deps nor a toolkit */
    (void)setenv("WW_DEPS", "/nowhere", 1);
    (void)setenv("WW_NO_TOOLKIT", "1", 1);
    /* end */
    declare(k);
}

static void declare_with(ww_kernel *k)
{
    /* right: the wheels that `make demo` fetches, /usr/local/cuda, or WW_CUDA_HOME=FOLDER */
    (void)unsetenv("WW_DEPS");
    (void)unsetenv("WW_NO_TOOLKIT");
    /* end */
    declare(k);
}

EXPLAIN(402, .wrong = declare_without, .right = declare_with, .body_wrong = "401_right.cuh",
        .body_right = "401_right.cuh");
