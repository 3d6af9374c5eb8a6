/* 222: conditions of one key */
#include "explain.h"

typedef struct masked {
    ww_resource *tile, *mask;
} masked;

static const ww_work mask_work[] = {{.name = "test", .side = WW_CONSUMER, .out = {"bool masked"}}, {0}};

static void load(ww_schedule *s, void *context)
{
    masked *m = context;
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        ww_token test;
        ww_consume(s, m->mask, "test", .out = {&test});
        ww_when_true(s, test, "masked") {
            ww_acquire(s, m->tile);
            ww_produce(s, m->tile, "fill");
            ww_commit(s, m->tile);
        }
    }
}

static void use(ww_schedule *s, ww_resource *tile)
{
    ww_wait(s, tile);
    ww_consume(s, tile, "use");
    ww_release(s, tile);
}

static void store_wrong(ww_schedule *s, void *context)
{
    masked *m = context;
    /* wrong: load asks once a trip, and here it is asked once */
    ww_token test;
    ww_consume(s, m->mask, "test", .out = {&test});
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        ww_when_true(s, test, "masked") {
            use(s, m->tile); /* wait, use, release */
        }
    }
    /* end */
}

static void store_right(ww_schedule *s, void *context)
{
    masked *m = context;
    /* right: once a trip in both tasks */
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        ww_token test;
        ww_consume(s, m->mask, "test", .out = {&test});
        ww_when_true(s, test, "masked") {
            use(s, m->tile); /* wait, use, release */
        }
    }
    /* end */
}

static void wrong(ww_kernel *k)
{
    masked m = {explain_ring(k, "tile", ww_pipeline_async_async(.stages = 2)),
                ww_resource_new(k, "mask", &(ww_resource_options){.work = mask_work})};
    explain_task(k, "load", 0, 1, load, &m);
    explain_task(k, "store", 1, 1, store_wrong, &m);
}

static void right(ww_kernel *k)
{
    masked m = {explain_ring(k, "tile", ww_pipeline_async_async(.stages = 2)),
                ww_resource_new(k, "mask", &(ww_resource_options){.work = mask_work})};
    explain_task(k, "load", 0, 1, load, &m);
    explain_task(k, "store", 1, 1, store_right, &m);
}

EXPLAIN(222, .wrong = wrong, .right = right, .unmodelled = true);
