#include "core_kernel.h"
#include "capture/capture.h"

ww_kernel *core_kernel(void)
{
    return ww_kernel_new("k", &(ww_kernel_options){.body = "k.cuh",
                                                   .params = "core_params",
                                                   .params_bytes = sizeof(struct core_params)});
}

ww_resource *core_ring(ww_kernel *k, ww_pipeline pipeline)
{
    static const ww_work tma[] = {
        {.name = "fill", .side = WW_PRODUCER, .copies = {{"data", 1024}}},
        {.name = "look", .side = WW_CONSUMER, .out = {"int x"}},
        {.name = "use", .side = WW_CONSUMER, .in = {"int x"}},
        {.name = "touch", .side = WW_PRODUCER, .auxiliary = true},
        {0},
    };
    static const ww_work async[] = {
        {.name = "fill", .side = WW_PRODUCER},
        {.name = "look", .side = WW_CONSUMER, .out = {"int x"}},
        {.name = "use", .side = WW_CONSUMER, .in = {"int x"}},
        {.name = "touch", .side = WW_PRODUCER, .auxiliary = true},
        {0},
    };
    if (!pipeline.stages)
        pipeline.stages = 2;
    return ww_resource_new(k, "ring",
                           &(ww_resource_options){.pipeline = pipeline,
                                                  .buffers = {{"data", 1024, 128}},
                                                  .work = pipeline.type == WW_TMA_ASYNC ? tma : async});
}

ww_task *core_task(ww_kernel *k, const char *name, int first_warp, ww_schedule_function *schedule,
                   void *context)
{
    return ww_task_new(
        k, name,
        &(ww_task_options){.first_warp = first_warp, .warps = 1, .schedule = schedule, .context = context});
}

const ww_diag *core_find(const ww_kernel *k, ww_code code)
{
    for (const ww_diag *d = k->diags.first; d; d = d->next)
        if (d->code == code)
            return d;
    return NULL;
}

ir_program *core_lower(ww_kernel *k)
{
    model_resolve(k);
    capture_complete(k);
    model_layout(k);
    k->program = lower_kernel(k);
    return k->program;
}
