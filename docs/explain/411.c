/* 411: calls where registers are split; 411_wrong.cuh and 411_right.cuh hold the bodies */
#include "explain.h"

static const ww_work work[] = {{.name = "copy_in", .side = WW_PRODUCER, .copies = {{"data", 1024}}},
                               {.name = "read", .side = WW_CONSUMER},
                               {0}};

static void load(ww_schedule *s, void *tile)
{
    explain_hand_over(s, tile);
}

static void declare(ww_kernel *k)
{
    ww_resource *tile = explain_ring_of(k, ww_pipeline_tma_async(.stages = 2), work);
    /* given: the task has given registers back */
    ww_task_new(k, "load",
                &(ww_task_options){.warps = 1, .registers = 40, .schedule = load, .context = tile});
    /* end */
    ww_task_new(k, "idle", &(ww_task_options){.first_warp = 1, .warps = 3, .registers = 40});
    ww_task_new(
        k, "store",
        &(ww_task_options){
            .first_warp = 4, .warps = 4, .registers = 232, .schedule = explain_take_over, .context = tile});
}

EXPLAIN(411, .wrong = declare, .right = declare, .audited = true, .body_wrong = "411_wrong.cuh",
        .body_right = "411_right.cuh");
