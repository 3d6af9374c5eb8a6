/* 302: arrivals past a phase */
#include "explain.h"

static void store(ww_schedule *s, void *ready)
{
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        ww_sync(s, ready);
    }
}

static void load_wrong(ww_schedule *s, void *ready)
{
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        /* wrong: an arrival of the next trip may come while the phase is open */
        ww_sync_arrive(s, ready); /* store calls ww_sync once a trip */
        /* end */
    }
}

static void load_right(ww_schedule *s, void *ready)
{
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        /* right: nobody runs ahead of the barrier */
        ww_sync(s, ready); /* store calls ww_sync once a trip */
        /* end */
    }
}

static void wrong(ww_kernel *k)
{
    ww_resource *ready = ww_named_barrier_new(k, "ready", 0);
    explain_task(k, "load", 0, 1, load_wrong, ready);
    explain_task(k, "store", 1, 1, store, ready);
}

static void right(ww_kernel *k)
{
    ww_resource *ready = ww_named_barrier_new(k, "ready", 0);
    explain_task(k, "load", 0, 1, load_right, ready);
    explain_task(k, "store", 1, 1, store, ready);
}

EXPLAIN(302, .wrong = wrong, .right = right);
