/* 225: descriptors are those of the slot */
#include "explain.h"

typedef struct mma {
    ww_resource *tile, *sum;
} mma;

static const ww_work tile_work[] = {
    {.name = "fill", .side = WW_PRODUCER, .copies = {{"data", 1024}}},
    {.name = "describe", .side = WW_CONSUMER, .auxiliary = true, .out = {"uint64_t a"}},
    {0}};
static const ww_work sum_work[] = {
    {.name = "multiply", .side = WW_PRODUCER, .in = {"uint64_t a"}, .wgmma_reads = {"tile"}},
    {.name = "finish", .side = WW_CONSUMER, .wgmma_wait = WW_WGMMA_WAIT(0)},
    {0}};

static void load(ww_schedule *s, void *context)
{
    explain_load(s, ((mma *)context)->tile);
}

static void math_wrong(ww_schedule *s, void *context)
{
    mma *m = context;
    /* wrong: a describes the first slot, and the cursor moves on */
    ww_token a;
    ww_consume(s, m->tile, "describe", .out = {&a});
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        ww_wait(s, m->tile);
        ww_produce(s, m->sum, "multiply", .in = {a});
        ww_consume(s, m->sum, "finish");
        ww_release(s, m->tile);
    }
    /* end */
}

static void math_right(ww_schedule *s, void *context)
{
    mma *m = context;
    /* right: made anew at each slot */
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        ww_token a;
        ww_wait(s, m->tile);
        ww_consume(s, m->tile, "describe", .out = {&a});
        ww_produce(s, m->sum, "multiply", .in = {a});
        ww_consume(s, m->sum, "finish");
        ww_release(s, m->tile);
    }
    /* end */
}

static void wrong(ww_kernel *k)
{
    mma m = {ww_resource_new(k, "tile",
                             &(ww_resource_options){.pipeline = ww_pipeline_tma_wgmma(.stages = 2),
                                                    .buffers = {{.name = "data", .bytes = 1024}},
                                                    .work = tile_work}),
             ww_resource_new(k, "sum", &(ww_resource_options){.work = sum_work})};
    explain_task(k, "load", 0, 1, load, &m);
    explain_task(k, "math", 4, 4, math_wrong, &m);
}

static void right(ww_kernel *k)
{
    mma m = {ww_resource_new(k, "tile",
                             &(ww_resource_options){.pipeline = ww_pipeline_tma_wgmma(.stages = 2),
                                                    .buffers = {{.name = "data", .bytes = 1024}},
                                                    .work = tile_work}),
             ww_resource_new(k, "sum", &(ww_resource_options){.work = sum_work})};
    explain_task(k, "load", 0, 1, load, &m);
    explain_task(k, "math", 4, 4, math_right, &m);
}

EXPLAIN(225, .wrong = wrong, .right = right);
