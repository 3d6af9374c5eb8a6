/* 218: engines that pipeline types name */
#include "explain.h"

typedef struct mma {
    ww_resource *tile, *sum;
} mma;

static const ww_work sum_work[] = {{.name = "multiply", .side = WW_PRODUCER, .umma_reads = {"tile"}},
                                   {.name = "use", .side = WW_CONSUMER},
                                   {0}};

static void load(ww_schedule *s, void *context)
{
    explain_load(s, ((mma *)context)->tile);
}

static void math(ww_schedule *s, void *context)
{
    mma *m = context;
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        ww_wait(s, m->tile);
        ww_acquire(s, m->sum);
        ww_produce(s, m->sum, "multiply");
        ww_release(s, m->tile);
        ww_commit(s, m->sum);
    }
}

static void store(ww_schedule *s, void *context)
{
    explain_store(s, ((mma *)context)->sum);
}

static void declare(ww_kernel *k, ww_pipeline ring)
{
    mma m = {
        explain_ring(k, "tile", ww_pipeline_tma_umma(.stages = 2)),
        ww_resource_new(k, "sum",
                        &(ww_resource_options){.pipeline = ring, .tmem = {{"acc", 32}}, .work = sum_work})};
    explain_task(k, "load", 0, 1, load, &m);
    explain_task(k, "math", 1, 1, math, &m);
    explain_task(k, "store", 4, 4, store, &m);
}

static void wrong(ww_kernel *k)
{
    /* wrong: tcgen05 fills sum, and threads commit before it has finished */
    ww_pipeline sum = ww_pipeline_async_async(.stages = 2);
    /* end */
    declare(k, sum);
}

static void right(ww_kernel *k)
{
    /* right: its commit is a tcgen05.commit */
    ww_pipeline sum = ww_pipeline_umma_async(.stages = 2);
    /* end */
    declare(k, sum);
}

EXPLAIN(218, .wrong = wrong, .right = right, .arch = "sm_100a");
