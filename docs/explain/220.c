/* 220: named barriers */
#include "explain.h"

static void meet(ww_schedule *s, void *ready)
{
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        ww_sync(s, ready);
    }
}

static void declare(ww_kernel *k, ww_resource *ready)
{
    explain_task(k, "load", 0, 1, meet, ready);
    explain_task(k, "store", 1, 2, meet, ready);
}

static void wrong(ww_kernel *k)
{
    /* wrong: the tasks load and store, which sync, have 3 warps: 96 threads */
    ww_resource *ready = ww_named_barrier_new(k, "ready", 128);
    /* end */
    declare(k, ready);
}

static void right(ww_kernel *k)
{
    /* right: have them counted */
    ww_resource *ready = ww_named_barrier_new(k, "ready", 0);
    /* end */
    declare(k, ready);
}

EXPLAIN(220, .wrong = wrong, .right = right);
