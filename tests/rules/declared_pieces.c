/* Rings, tasks and schedules that many cases share. */
#include "declared.h"

ww_resource *declared_ring(ww_kernel *k, const char *name, ww_pipeline pipeline)
{
    static const ww_work threads[] = {
        {.name = "fill", .side = WW_PRODUCER}, {.name = "use", .side = WW_CONSUMER}, {0}};
    static const ww_work copies[] = {{.name = "fill", .side = WW_PRODUCER, .copies = {{"data", 1024}}},
                                     {.name = "use", .side = WW_CONSUMER},
                                     {0}};
    bool counts_bytes = pipeline.type == WW_TMA_ASYNC || pipeline.type == WW_TMA_UMMA;
    if (!pipeline.stages)
        pipeline.stages = 2;
    return ww_resource_new(k, name,
                           &(ww_resource_options){.pipeline = pipeline,
                                                  .buffers = {{.name = "data", .bytes = 1024}},
                                                  .work = counts_bytes ? copies : threads});
}

ww_resource *declared_ring_of_threads(ww_kernel *k)
{
    return declared_ring(k, "ring", ww_pipeline_async_async());
}

ww_resource *declared_queue(ww_kernel *k, const char *skip)
{
    return ww_queue_static(k, "queue",
                           &(ww_queue_options){.tiles = {ww_arg(declared_params, tiles, 0)}, .skip = skip});
}

void declared_task(ww_kernel *k, const char *name, int first_warp, int warps, ww_schedule_function *schedule,
                   void *context)
{
    ww_task_new(k, name,
                &(ww_task_options){
                    .first_warp = first_warp, .warps = warps, .schedule = schedule, .context = context});
}

void declared_fill(ww_schedule *s, ww_resource *ring)
{
    ww_acquire(s, ring);
    ww_produce(s, ring, "fill");
    ww_commit(s, ring);
}

void declared_use(ww_schedule *s, ww_resource *ring)
{
    ww_wait(s, ring);
    ww_consume(s, ring, "use");
    ww_release(s, ring);
}

void declared_fill_all(ww_schedule *s, void *ring)
{
    LOOP(s)
    {
        declared_fill(s, ring);
    }
}

void declared_use_all(ww_schedule *s, void *ring)
{
    LOOP(s)
    {
        declared_use(s, ring);
    }
}

void declared_right(ww_kernel *k)
{
    ww_resource *ring = declared_ring_of_threads(k);
    declared_task(k, "load", 0, 1, declared_fill_all, ring);
    declared_task(k, "store", 1, 1, declared_use_all, ring);
}

void declared_fill_a(ww_schedule *s, void *context)
{
    declared_fill_all(s, ((operands *)context)->a);
}

void declared_fill_b(ww_schedule *s, void *context)
{
    declared_fill_all(s, ((operands *)context)->b);
}

void declared_use_sum(ww_schedule *s, void *context)
{
    declared_use_all(s, ((operands *)context)->sum);
}
