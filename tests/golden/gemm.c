/* A persistent GEMM: one warp loads operand tiles, two warpgroups multiply, one warpgroup stores. It uses
 * every kind of step that a report draws. */
#include "kernels.h"

enum { A_BYTES = 16384, B_BYTES = 16384, D_BYTES = 32768 };

typedef struct gemm_params {
    int tiles_m, tiles_n, k_tiles;
} gemm_params;

typedef struct gemm {
    ww_resource *queue, *gmem_ab, *smem_ab, *accumulator, *smem_d, *gmem_d;
} gemm;

#define K_TILES ww_arg(gemm_params, k_tiles, 1)

static void load(ww_schedule *s, void *context)
{
    gemm *g = context;
    ww_produce(s, g->smem_ab, "prefetch");
    ww_work_tile_loop(s, g->queue) {
        ww_skippable(s) {
            ww_domain_loop(s, ww_imm(0), K_TILES, ww_imm(1)) {
                ww_token k, m, n;
                ww_try_acquire(s, g->smem_ab);
                ww_consume(s, g->gmem_ab, "coords", .out = {&k, &m, &n});
                ww_acquire(s, g->smem_ab);
                ww_produce(s, g->smem_ab, "load", .in = {k, m, n});
                ww_commit(s, g->smem_ab);
            }
        }
        ww_advance_tile(s, g->queue);
    }
}

static void math(ww_schedule *s, void *context)
{
    gemm *g = context;
    ww_work_tile_loop(s, g->queue) {
        ww_skippable(s) {
            ww_domain_loop(s, ww_imm(0), K_TILES, ww_imm(1)) {
                ww_token a, b;
                ww_try_wait(s, g->smem_ab);
                ww_first_iter(s) {
                    ww_produce(s, g->accumulator, "clear");
                }
                ww_wait(s, g->smem_ab);
                ww_consume(s, g->smem_ab, "descriptors", .out = {&a, &b});
                ww_produce(s, g->accumulator, "multiply", .in = {a, b});
                ww_produce(s, g->accumulator, "finish");
                ww_release(s, g->smem_ab);
            }
            ww_acquire(s, g->smem_d);
            ww_produce(s, g->smem_d, "put");
            ww_commit(s, g->smem_d);
        }
        ww_advance_tile(s, g->queue);
    }
}

static void epilogue(ww_schedule *s, void *context)
{
    gemm *g = context;
    ww_work_tile_loop(s, g->queue) {
        ww_skippable(s) {
            ww_wait(s, g->smem_d);
            ww_consume(s, g->smem_d, "fetch");
            ww_produce(s, g->gmem_d, "store");
            ww_release(s, g->smem_d);
        }
        ww_advance_tile(s, g->queue);
    }
}

static const ww_work gmem_ab_work[] = {
    {.name = "coords", .side = WW_CONSUMER, .out = {"int k", "int m", "int n"}}, {0}};
static const ww_work smem_ab_work[] = {
    {.name = "prefetch", .side = WW_PRODUCER, .auxiliary = true},
    {.name = "load",
     .side = WW_PRODUCER,
     .in = {"int k", "int m", "int n"},
     .copies = {{"a", A_BYTES}, {"b", B_BYTES}}},
    {.name = "descriptors", .side = WW_CONSUMER, .out = {"uint64_t a", "uint64_t b"}},
    {0}};
static const ww_work accumulator_work[] = {
    {.name = "clear", .side = WW_PRODUCER, .auxiliary = true},
    {.name = "multiply", .side = WW_PRODUCER, .in = {"uint64_t a", "uint64_t b"}, .wgmma_reads = {"smem_ab"}},
    {.name = "finish", .side = WW_PRODUCER, .wgmma_wait = WW_WGMMA_WAIT(0)},
    {0}};
static const ww_work smem_d_work[] = {
    {.name = "put", .side = WW_PRODUCER}, {.name = "fetch", .side = WW_CONSUMER}, {0}};
static const ww_work gmem_d_work[] = {{.name = "store", .side = WW_PRODUCER}, {0}};

static void declare_resources(ww_kernel *k, gemm *g)
{
    g->queue = ww_queue_static(
        k, "queue",
        &(ww_queue_options){.tiles = {ww_arg(gemm_params, tiles_m, 1), ww_arg(gemm_params, tiles_n, 1)},
                            .skip = "gemm_skip"});
    g->gmem_ab = ww_resource_new(k, "gmem_ab", &(ww_resource_options){.work = gmem_ab_work});
    g->smem_ab =
        ww_resource_new(k, "smem_ab",
                        &(ww_resource_options){.pipeline = {.type = WW_TMA_ASYNC, .stages = WW_STAGES_MAX},
                                               .buffers = {{"a", A_BYTES, 1024}, {"b", B_BYTES, 1024}},
                                               .work = smem_ab_work});
    g->accumulator = ww_resource_new(k, "accumulator", &(ww_resource_options){.work = accumulator_work});
    g->smem_d = ww_resource_new(k, "smem_d",
                                &(ww_resource_options){.pipeline = {.type = WW_ASYNC_ASYNC, .stages = 1},
                                                       .buffers = {{"d", D_BYTES, 1024}},
                                                       .work = smem_d_work});
    g->gmem_d = ww_resource_new(k, "gmem_d", &(ww_resource_options){.work = gmem_d_work});
}

static void declare_graph(ww_kernel *k, const gemm *g)
{
    ww_depends(k, g->smem_ab, g->gmem_ab);
    ww_depends(k, g->accumulator, g->smem_ab);
    ww_depends(k, g->smem_d, g->accumulator);
    ww_depends(k, g->gmem_d, g->smem_d);
}

ww_kernel *golden_gemm(void)
{
    ww_kernel *k = ww_kernel_new("gemm", &(ww_kernel_options){.body = "gemm.cuh",
                                                              .body_folder = ".",
                                                              .params = "gemm_params",
                                                              .params_bytes = sizeof(gemm_params)});
    gemm g;
    declare_resources(k, &g);
    (void)ww_task_new(
        k, "load",
        &(ww_task_options){.first_warp = 0, .warps = 1, .registers = 40, .schedule = load, .context = &g});
    (void)ww_task_new(k, "padding", &(ww_task_options){.first_warp = 1, .warps = 3, .registers = 40});
    (void)ww_task_new(
        k, "math",
        &(ww_task_options){.first_warp = 4, .warps = 8, .registers = 168, .schedule = math, .context = &g});
    (void)ww_task_new(
        k, "epilogue",
        &(ww_task_options){
            .first_warp = 12, .warps = 4, .registers = 128, .schedule = epilogue, .context = &g});
    declare_graph(k, &g);
    return k;
}
