/* 213: engines read after the call has returned */
#include "explain.h"

typedef struct mma {
    ww_resource *tile, *sum;
} mma;

static const ww_work sum_work[] = {{.name = "multiply", .side = WW_PRODUCER, .wgmma_reads = {"tile"}},
                                   {.name = "finish", .side = WW_CONSUMER, .wgmma_wait = WW_WGMMA_WAIT(0)},
                                   {0}};

static void load(ww_schedule *s, void *context)
{
    explain_load(s, ((mma *)context)->tile);
}

static void math_wrong(ww_schedule *s, void *context)
{
    mma *m = context;
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        /* wrong: wgmma may still read tile */
        ww_wait(s, m->tile);
        ww_produce(s, m->sum, "multiply"); /* .wgmma_reads = {"tile"} */
        ww_release(s, m->tile);
        ww_consume(s, m->sum, "finish"); /* .wgmma_wait = WW_WGMMA_WAIT(0) */
        /* end */
    }
}

static void math_right(ww_schedule *s, void *context)
{
    mma *m = context;
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        /* right: first wait for the group that reads it */
        ww_wait(s, m->tile);
        ww_produce(s, m->sum, "multiply"); /* .wgmma_reads = {"tile"} */
        ww_consume(s, m->sum, "finish");   /* .wgmma_wait = WW_WGMMA_WAIT(0) */
        ww_release(s, m->tile);
        /* end */
    }
}

static void wrong(ww_kernel *k)
{
    mma m = {explain_ring(k, "tile", ww_pipeline_tma_async(.stages = 2)),
             ww_resource_new(k, "sum", &(ww_resource_options){.work = sum_work})};
    explain_task(k, "load", 0, 1, load, &m);
    explain_task(k, "math", 4, 4, math_wrong, &m);
}

static void right(ww_kernel *k)
{
    mma m = {explain_ring(k, "tile", ww_pipeline_tma_async(.stages = 2)),
             ww_resource_new(k, "sum", &(ww_resource_options){.work = sum_work})};
    explain_task(k, "load", 0, 1, load, &m);
    explain_task(k, "math", 4, 4, math_right, &m);
}

EXPLAIN(213, .wrong = wrong, .right = right);
