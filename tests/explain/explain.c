/* The pieces of kernels that the examples share. */
#include "explain.h"

static const ww_work by_threads[] = {
    {.name = "fill", .side = WW_PRODUCER}, {.name = "use", .side = WW_CONSUMER}, {0}};
static const ww_work by_copies[] = {{.name = "fill", .side = WW_PRODUCER, .copies = {{"data", 1024}}},
                                    {.name = "use", .side = WW_CONSUMER},
                                    {0}};
static const ww_work plain[] = {
    {.name = "get", .side = WW_CONSUMER}, {.name = "put", .side = WW_PRODUCER}, {0}};

ww_resource *explain_ring(ww_kernel *k, const char *name, ww_pipeline pipeline)
{
    bool copied =
        pipeline.type == WW_TMA_ASYNC || pipeline.type == WW_TMA_WGMMA || pipeline.type == WW_TMA_UMMA;
    return ww_resource_new(k, name,
                           &(ww_resource_options){.pipeline = pipeline,
                                                  .buffers = {{.name = "data", .bytes = 1024}},
                                                  .work = copied ? by_copies : by_threads});
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

void explain_load(ww_schedule *s, void *tile)
{
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        ww_acquire(s, tile);
        ww_produce(s, tile, "fill");
        ww_commit(s, tile);
    }
}

void explain_store(ww_schedule *s, void *tile)
{
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        ww_wait(s, tile);
        ww_consume(s, tile, "use");
        ww_release(s, tile);
    }
}

void explain_look_up(ww_schedule *s, void *table)
{
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        ww_consume(s, table, "get");
    }
}
