/* 406: what tensor cores read; 406.cuh holds the bodies */
#include "explain.h"

static const ww_work work_wrong[] = {{.name = "load", .side = WW_PRODUCER, .copies = {{"data", 1024}}},
                                     /* wrong: as if it had read the tile when it returns */
                                     {.name = "multiply", .side = WW_CONSUMER},
                                     /* end */
                                     {.name = "settle", .side = WW_CONSUMER, .wgmma_wait = WW_WGMMA_WAIT(0)},
                                     {0}};

static const ww_work work_right[] = {{.name = "load", .side = WW_PRODUCER, .copies = {{"data", 1024}}},
                                     /* right: the tile is read until a later body, "settle", has waited */
                                     {.name = "multiply", .side = WW_CONSUMER, .wgmma_reads = {"tile"}},
                                     {.name = "settle", .side = WW_CONSUMER, .wgmma_wait = WW_WGMMA_WAIT(0)},
                                     /* end */
                                     {0}};

static void math(ww_schedule *s, void *tile)
{
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        ww_wait(s, tile);
        ww_consume(s, tile, "multiply");
        ww_consume(s, tile, "settle");
        ww_release(s, tile);
    }
}

static void declare(ww_kernel *k, const ww_work *work)
{
    ww_resource *tile = explain_ring_of(k, ww_pipeline_tma_async(.stages = 2), work);
    explain_task(k, "load", 0, 1, explain_hand_over, tile);
    explain_task(k, "math", 4, 4, math, tile);
}

static void wrong(ww_kernel *k)
{
    declare(k, work_wrong);
}

static void right(ww_kernel *k)
{
    declare(k, work_right);
}

EXPLAIN(406, .wrong = wrong, .right = right, .audited = true, .body_wrong = "406.cuh",
        .body_right = "406.cuh");
