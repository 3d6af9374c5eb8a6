/* 223: work goes to the slot opened last */
#include "explain.h"

static void store_two(ww_schedule *s, void *tile)
{
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        for (int i = 0; i < 2; i++) {
            ww_wait(s, tile);
            ww_consume(s, tile, "use");
            ww_release(s, tile);
        }
    }
}

static void load_wrong(ww_schedule *s, void *tile)
{
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        /* wrong: two slots are acquired, the last is filled, and both are handed on */
        ww_acquire(s, tile); /* .advance_on_acquire = true */
        ww_acquire(s, tile);
        ww_produce(s, tile, "fill");
        ww_commit(s, tile);
        ww_commit(s, tile);
        /* end */
    }
}

static void load_right(ww_schedule *s, void *tile)
{
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        /* right: each is filled before the next is acquired */
        ww_acquire(s, tile); /* .advance_on_acquire = true */
        ww_produce(s, tile, "fill");
        ww_acquire(s, tile);
        ww_produce(s, tile, "fill");
        ww_commit(s, tile);
        ww_commit(s, tile);
        /* end */
    }
}

static void wrong(ww_kernel *k)
{
    explain_pair(k, ww_pipeline_async_async(.stages = 2, .advance_on_acquire = true), load_wrong, store_two);
}

static void right(ww_kernel *k)
{
    explain_pair(k, ww_pipeline_async_async(.stages = 2, .advance_on_acquire = true), load_right, store_two);
}

EXPLAIN(223, .wrong = wrong, .right = right);
