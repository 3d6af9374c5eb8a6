/* The pieces of kernels that the examples share. */
#include "explain.h"

static const ww_work by_threads[] = {
    {.name = "fill", .side = WW_PRODUCER}, {.name = "use", .side = WW_CONSUMER}, {0}};
static const ww_work by_copies[] = {{.name = "fill", .side = WW_PRODUCER, .copies = {{"data", 1024}}},
                                    {.name = "use", .side = WW_CONSUMER},
                                    {0}};
static const ww_work plain[] = {
    {.name = "get", .side = WW_CONSUMER}, {.name = "put", .side = WW_PRODUCER}, {0}};

static ww_resource *new_ring(ww_kernel *k, const char *name, ww_pipeline pipeline, const ww_work *work)
{
    return ww_resource_new(k, name,
                           &(ww_resource_options){.pipeline = pipeline,
                                                  .buffers = {{.name = "data", .bytes = 1024}},
                                                  .work = work});
}

ww_resource *explain_ring(ww_kernel *k, const char *name, ww_pipeline pipeline)
{
    bool copied =
        pipeline.type == WW_TMA_ASYNC || pipeline.type == WW_TMA_WGMMA || pipeline.type == WW_TMA_UMMA;
    return new_ring(k, name, pipeline, copied ? by_copies : by_threads);
}

ww_resource *explain_ring_of(ww_kernel *k, ww_pipeline pipeline, const ww_work *work)
{
    return new_ring(k, "tile", pipeline, work);
}

ww_resource *explain_plain(ww_kernel *k, const char *name)
{
    return ww_resource_new(k, name, &(ww_resource_options){.work = plain});
}

void explain_task(ww_kernel *k, const char *name, int first_warp, int warps, ww_schedule_function *schedule,
                  void *context)
{
    (void)ww_task_new(
        k, name,
        &(ww_task_options){
            .first_warp = first_warp, .warps = warps, .schedule = schedule, .context = context});
}

void explain_pair(ww_kernel *k, ww_pipeline pipeline, ww_schedule_function *load, ww_schedule_function *store)
{
    ww_resource *tile = explain_ring(k, "tile", pipeline);
    explain_task(k, "load", 0, 1, load, tile);
    explain_task(k, "store", 1, 1, store, tile);
}

void explain_handed_on(ww_kernel *k, ww_pipeline pipeline, const ww_work *work)
{
    ww_resource *tile = explain_ring_of(k, pipeline, work);
    explain_task(k, "load", 0, 1, explain_hand_over, tile);
    explain_task(k, "store", 1, 1, explain_take_over, tile);
}

static void fill(ww_schedule *s, ww_resource *tile, const char *work)
{
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        ww_acquire(s, tile);
        ww_produce(s, tile, work);
        ww_commit(s, tile);
    }
}

static void use(ww_schedule *s, ww_resource *tile, const char *work)
{
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        ww_wait(s, tile);
        ww_consume(s, tile, work);
        ww_release(s, tile);
    }
}

void explain_load(ww_schedule *s, void *tile)
{
    fill(s, tile, "fill");
}

void explain_store(ww_schedule *s, void *tile)
{
    use(s, tile, "use");
}

void explain_hand_over(ww_schedule *s, void *tile)
{
    fill(s, tile, NULL);
}

void explain_take_over(ww_schedule *s, void *tile)
{
    use(s, tile, NULL);
}

void explain_look_up(ww_schedule *s, void *table)
{
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        ww_consume(s, table, "get");
    }
}
