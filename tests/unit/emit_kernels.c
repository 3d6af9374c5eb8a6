/* Small kernels, one or two forms of the task program each; see emit_kernels.h. */
#include "emit_kernels.h"

#include "base/base.h"

struct emit_params {
    int trips, tiles_m, tiles_n;
    unsigned *counter;
};

#define TRIPS ww_arg(struct emit_params, trips, 0)

/* ---- small kernels ---------------------------------------------------------------------------------- */

/* What the schedules below work on. */
typedef struct parts {
    ww_kernel *kernel;
    ww_resource *ring, *other, *group, *queue, *barrier, *scratch;
} parts;

static parts new_parts(const char *name, const char *arch, ww_cluster cluster)
{
    return (parts){.kernel =
                       ww_kernel_new(name, &(ww_kernel_options){.arch = arch,
                                                                .body = "emit_bodies.cuh",
                                                                .params = "emit_params",
                                                                .params_bytes = sizeof(struct emit_params),
                                                                .cluster = cluster})};
}

static const ww_work work_methods[] = {
    {.name = "fill", .side = WW_PRODUCER},
    {.name = "use", .side = WW_CONSUMER},
    {.name = "look", .side = WW_CONSUMER, .out = {"int x = -1"}},
    {.name = "watch", .side = WW_PRODUCER, .in = {"int x"}, .auxiliary = true},
    {.name = "tuned", .side = WW_CONSUMER, .constants = {"int times", "bool twice"}},
    {0},
};

static const ww_work copying_methods[] = {
    {.name = "fill", .side = WW_PRODUCER, .copies = {{"data", 1024, WW_REACH_A}}},
    {.name = "use", .side = WW_CONSUMER},
    {0},
};

static bool copies(ww_pipeline_type type)
{
    return type == WW_TMA_ASYNC || type == WW_TMA_UMMA || type == WW_TMA_WGMMA || type == WW_PEER_ASYNC;
}

static ww_resource *new_ring(ww_kernel *k, const char *name, ww_pipeline pipeline)
{
    return ww_resource_new(
        k, name,
        &(ww_resource_options){.pipeline = pipeline,
                               .buffers = {{"data", 1024, 128}},
                               .work = copies(pipeline.type) ? copying_methods : work_methods});
}

static void add_task(parts *p, const char *name, int first_warp, int warps, ww_schedule_function *schedule)
{
    (void)ww_task_new(
        p->kernel, name,
        &(ww_task_options){.first_warp = first_warp, .warps = warps, .schedule = schedule, .context = p});
}

static void fill_ring(ww_schedule *s, void *context)
{
    parts *p = context;
    ww_domain_loop(s, ww_imm(0), TRIPS, ww_imm(1)) {
        ww_acquire(s, p->ring);
        ww_produce(s, p->ring, "fill");
        ww_commit(s, p->ring);
    }
}

static void use_ring(ww_schedule *s, void *context)
{
    parts *p = context;
    ww_domain_loop(s, ww_imm(0), TRIPS, ww_imm(1)) {
        ww_wait(s, p->ring);
        ww_consume(s, p->ring, "use");
        ww_release(s, p->ring);
    }
}

/* One warp fills a ring, four warps use it. */
static ww_kernel *ring_kernel(const char *name, const char *arch, ww_cluster cluster, ww_pipeline pipeline)
{
    parts p = new_parts(name, arch, cluster);
    p.ring = new_ring(p.kernel, "ring", pipeline);
    add_task(&p, "use", 0, 4, use_ring);
    add_task(&p, "fill", 4, 1, fill_ring);
    return p.kernel;
}

/* ---- one ring ---------------------------------------------------------------------------------------- */

ww_kernel *emit_local(void)
{
    return ring_kernel("local", "sm_80", (ww_cluster){0}, ww_pipeline_async_async(.stages = 3));
}

ww_kernel *emit_loading(void)
{
    return ring_kernel("loading", "sm_89", (ww_cluster){0},
                       ww_pipeline_async_async(.stages = 2, .producer_op = WW_ASYNC_LOAD));
}

ww_kernel *emit_clustered(void)
{
    return ring_kernel("clustered", "sm_90a", (ww_cluster){.m = 2, .n = 2},
                       ww_pipeline_tma_async(.stages = 2));
}

ww_kernel *emit_async_umma(void)
{
    return ring_kernel("async_umma", "sm_100a", (ww_cluster){.v = 2},
                       ww_pipeline_async_umma(.stages = 2, .consumer_signaling = WW_SIGNAL_CTA_LEADER));
}

ww_kernel *emit_peer(void)
{
    return ring_kernel("peer", "sm_90a", (ww_cluster){.m = 4},
                       ww_pipeline_peer_async(.stages = 2, .peer_shift = 3));
}

ww_kernel *emit_first_warp(void)
{
    parts p = new_parts("first_warp", "sm_90a", (ww_cluster){0});
    p.ring = new_ring(p.kernel, "ring",
                      ww_pipeline_tma_async(.stages = 2, .producer_signaling = WW_SIGNAL_WARP_LEADER));
    add_task(&p, "use", 0, 4, use_ring);
    add_task(&p, "fill", 4, 2, fill_ring);
    return p.kernel;
}

static void use_behind(ww_schedule *s, void *context)
{
    parts *p = context;
    ww_wait(s, p->ring);
    ww_domain_loop(s, ww_imm(0), TRIPS, ww_imm(1)) {
        ww_wait(s, p->ring);
        ww_consume(s, p->ring, "use");
        ww_release(s, p->ring);
    }
    ww_release(s, p->ring);
}

ww_kernel *emit_ahead(void)
{
    parts p = new_parts("ahead", "sm_90a", (ww_cluster){0});
    p.ring = new_ring(p.kernel, "ring", ww_pipeline_async_async(.stages = 4, .advance_on_wait = true));
    add_task(&p, "use", 0, 4, use_behind);
    add_task(&p, "fill", 4, 1, fill_ring);
    return p.kernel;
}

ww_kernel *emit_aliased(void)
{
    parts p = new_parts("aliased", "sm_90a", (ww_cluster){0});
    p.ring = new_ring(p.kernel, "ring", ww_pipeline_async_async(.stages = 4));
    p.other = new_ring(p.kernel, "other", (ww_pipeline){0});
    p.scratch = ww_resource_new(
        p.kernel, "scratch",
        &(ww_resource_options){.buffers = {{"data", 1024, 128, .shares = p.other}}, .work = work_methods});
    ww_alias(p.kernel, {{p.ring}}, {{p.other}});
    add_task(&p, "use", 0, 4, use_ring);
    add_task(&p, "fill", 4, 1, fill_ring);
    return p.kernel;
}

/* ---- tensor memory ----------------------------------------------------------------------------------- */

static void use_accumulator(ww_schedule *s, void *context)
{
    parts *p = context;
    ww_wait(s, p->other);
    ww_consume(s, p->other, "use");
    ww_release(s, p->other);
}

static void multiply(ww_schedule *s, void *context)
{
    parts *p = context;
    ww_acquire(s, p->other);
    ww_domain_loop(s, ww_imm(0), TRIPS, ww_imm(1)) {
        ww_wait(s, p->ring);
        ww_produce(s, p->other, "fill");
        ww_release(s, p->ring);
    }
    ww_commit(s, p->other);
}

/* The main loop of an sm_100 GEMM: TMA fills, tcgen05 multiplies, threads read tensor memory. */
static ww_kernel *umma_kernel(const char *name, ww_cluster cluster)
{
    static const ww_work accumulate[] = {{.name = "fill", .side = WW_PRODUCER, .umma_reads = {"ring"}},
                                         {.name = "use", .side = WW_CONSUMER},
                                         {0}};
    parts p = new_parts(name, "sm_100a", cluster);
    p.ring = new_ring(p.kernel, "ring", ww_pipeline_tma_umma(.stages = 4));
    p.other = ww_resource_new(p.kernel, "other",
                              &(ww_resource_options){.pipeline = ww_pipeline_umma_async(.stages = 2),
                                                     .tmem = {{"sum", 128}},
                                                     .work = accumulate});
    add_task(&p, "use", 0, 4, use_accumulator);
    add_task(&p, "fill", 4, 1, fill_ring);
    add_task(&p, "multiply", 5, 1, multiply);
    return p.kernel;
}

ww_kernel *emit_umma_1(void)
{
    return umma_kernel("umma_1", (ww_cluster){0});
}

ww_kernel *emit_umma_2(void)
{
    return umma_kernel("umma_2", (ww_cluster){.v = 2, .n = 2});
}

/* ---- lanes of a ring --------------------------------------------------------------------------------- */

ww_kernel *emit_lanes(void)
{
    parts p = new_parts("lanes", "sm_90a", (ww_cluster){0});
    p.ring = new_ring(p.kernel, "ring", ww_pipeline_async_async(.stages = 4, .stride.all = 2));
    p.other = new_ring(p.kernel, "other", /* nobody fills it: a count of its own keeps the assembler going */
                       ww_pipeline_async_async(.stages = 4, .stride.all = 4, .producer_arrivals = 1));
    add_task(&p, "use", 0, 2, use_ring);
    add_task(&p, "fill", 4, 2, fill_ring);
    add_task(&p, "user", 8, 4, use_accumulator);
    return p.kernel;
}

static void use_every_second(ww_schedule *s, void *context)
{
    parts *p = context;
    ww_domain_loop(s, ww_imm(1), TRIPS, ww_imm(2)) {
        ww_wait(s, p->ring);
        ww_consume(s, p->ring, "use");
        ww_release(s, p->ring);
    }
}

ww_kernel *emit_loop_lane(void)
{
    parts p = new_parts("loop_lane", "sm_90a", (ww_cluster){0});
    p.ring = new_ring(p.kernel, "ring",
                      ww_pipeline_async_async(.stages = 4, .stride.all = 2, .producer_arrivals = 1));
    add_task(&p, "use", 0, 4, use_every_second);
    return p.kernel;
}

/* ---- groups ------------------------------------------------------------------------------------------ */

static void fill_both(ww_schedule *s, void *context)
{
    parts *p = context;
    ww_domain_loop(s, ww_imm(0), TRIPS, ww_imm(1)) {
        ww_acquire(s, p->ring);
        ww_acquire(s, p->other);
        ww_produce(s, p->ring, "fill");
        ww_produce(s, p->other, "fill");
        ww_commit(s, p->group);
    }
}

static void fill_other(ww_schedule *s, void *context)
{
    parts *p = context;
    ww_acquire(s, p->other);
    ww_produce(s, p->other, "fill");
    ww_commit(s, p->other);
}

static void use_both(ww_schedule *s, void *context)
{
    parts *p = context;
    ww_domain_loop(s, ww_imm(0), TRIPS, ww_imm(1)) {
        ww_try_wait(s, p->ring);
        ww_try_wait(s, p->other);
        ww_wait(s, p->ring);
        ww_wait(s, p->other);
        ww_consume(s, p->ring, "use");
        ww_consume(s, p->other, "use");
        ww_release(s, p->group);
    }
}

static void use_fused(ww_schedule *s, void *context)
{
    parts *p = context;
    ww_domain_loop(s, ww_imm(0), TRIPS, ww_imm(1)) {
        ww_wait(s, p->group);
        ww_consume(s, p->ring, "use");
        ww_consume(s, p->other, "use");
        ww_release(s, p->group);
    }
}

static ww_kernel *group_kernel(const char *name, ww_group_mode mode)
{
    parts p = new_parts(name, "sm_90a", (ww_cluster){0});
    ww_pipeline pipeline = ww_pipeline_async_async(.stages = 2);
    p.ring = new_ring(p.kernel, "ring", pipeline);
    p.other = new_ring(p.kernel, "other", pipeline);
    p.group = ww_group_new(p.kernel, "both", &(ww_group_options){.mode = mode, .members = {p.ring, p.other}});
    if (mode == WW_FORK) {
        add_task(&p, "fill", 0, 1, fill_both);
        add_task(&p, "use", 1, 1, use_ring);
        add_task(&p, "user", 2, 1, use_accumulator);
    } else {
        add_task(&p, "fill", 0, 1, fill_ring);
        add_task(&p, "filler", 1, 1, fill_other);
        add_task(&p, "use", 2, 1, mode == WW_MERGE ? use_both : use_fused);
    }
    return p.kernel;
}

ww_kernel *emit_merge(void)
{
    return group_kernel("merge", WW_MERGE);
}

ww_kernel *emit_fused(void)
{
    return group_kernel("fused", WW_FUSED_MERGE);
}

ww_kernel *emit_fork(void)
{
    return group_kernel("fork", WW_FORK);
}

/* ---- barriers without data --------------------------------------------------------------------------- */

static void meet(ww_schedule *s, void *context)
{
    parts *p = context;
    ww_sync(s, p->barrier);
}

static void pass_by(ww_schedule *s, void *context)
{
    parts *p = context;
    ww_sync_arrive(s, p->barrier);
}

ww_kernel *emit_meeting(void)
{
    parts p = new_parts("meeting", "sm_80", (ww_cluster){0});
    p.barrier = ww_named_barrier_new(p.kernel, "meeting", 0);
    add_task(&p, "meet", 0, 2, meet);
    add_task(&p, "pass_by", 2, 1, pass_by);
    return p.kernel;
}

static void take_turn(ww_schedule *s, void *context)
{
    parts *p = context;
    ww_domain_loop(s, ww_imm(0), TRIPS, ww_imm(1)) {
        ww_acquire(s, p->barrier);
        ww_commit(s, p->barrier);
    }
}

ww_kernel *emit_turns(void)
{
    parts p = new_parts("turns", "sm_90a", (ww_cluster){0});
    p.barrier = ww_ordered_sequence_new(p.kernel, "order");
    add_task(&p, "ping", 0, 4, take_turn);
    add_task(&p, "pong", 4, 4, take_turn);
    return p.kernel;
}

static void depend(ww_schedule *s, void *context)
{
    parts *p = context;
    ww_griddep_wait(s, p->ring);
    ww_griddep_launch(s, p->other);
}

ww_kernel *emit_dependent(void)
{
    parts p = new_parts("dependent", "sm_90a", (ww_cluster){0});
    p.ring = ww_pdl_wait_new(p.kernel, "before");
    p.other = ww_pdl_launch_new(p.kernel, "after");
    add_task(&p, "depend", 0, 1, depend);
    return p.kernel;
}

/* ---- queues ------------------------------------------------------------------------------------------ */

static void schedule_tiles(ww_schedule *s, void *context)
{
    parts *p = context;
    ww_work_tile_loop(s, p->queue) {
        ww_fetch_tile(s, p->queue);
        ww_advance_tile(s, p->queue);
    }
}

static void take_tiles(ww_schedule *s, void *context)
{
    parts *p = context;
    ww_work_tile_loop(s, p->queue) {
        ww_produce(s, p->scratch, "fill");
        ww_advance_tile(s, p->queue);
    }
}

static ww_kernel *queue_kernel(parts p)
{
    p.scratch = ww_resource_new(p.kernel, "scratch", &(ww_resource_options){.work = work_methods});
    add_task(&p, "schedule", 0, 1, schedule_tiles);
    add_task(&p, "take", 4, 4, take_tiles);
    return p.kernel;
}

#define QUEUE_TILES                                                                                          \
    {                                                                                                        \
        ww_arg(struct emit_params, tiles_m, 1), ww_arg(struct emit_params, tiles_n, 1)                       \
    }

ww_kernel *emit_counter(void)
{
    parts p = new_parts("counter", "sm_90a", (ww_cluster){0});
    p.queue = ww_queue_counter(p.kernel, "queue",
                               &(ww_queue_options){.tiles = QUEUE_TILES, .counter = "counter", .swizzle = 4});
    return queue_kernel(p);
}

ww_kernel *emit_clc(void)
{
    parts p = new_parts("clc", "sm_100a", (ww_cluster){.m = 2, .n = 2});
    p.queue =
        ww_queue_clc(p.kernel, "queue", &(ww_queue_options){.tiles = QUEUE_TILES, .raster_along_n = true});
    return queue_kernel(p);
}

/* ---- loops, guards, values --------------------------------------------------------------------------- */

static void guarded(ww_schedule *s, void *context)
{
    parts *p = context;
    ww_domain_loop_unrolled(s, ww_imm(4), TRIPS, ww_imm(2), 4) {
        ww_token x;
        ww_consume(s, p->scratch, "look", .out = {&x});
        ww_every(s, 3, 0) {
            ww_consume(s, p->scratch, "tuned", .constants = {7, 1});
        }
        ww_every(s, 3, 2) {
            ww_produce(s, p->scratch, "fill");
        }
        ww_when_true(s, x, NULL) {
            ww_produce(s, p->scratch, "watch", .in = {x});
        }
    }
    ww_produce(s, p->scratch, "fill");
}

static void looked_at_later(ww_schedule *s, void *context)
{
    parts *p = context;
    ww_token x = {0};
    ww_domain_loop_unrolled(s, ww_imm(0), TRIPS, ww_imm(1), 0) {
        ww_first_iter(s) {
            ww_consume(s, p->scratch, "look", .out = {&x});
        }
    }
    ww_produce(s, p->scratch, "fill");
    ww_domain_loop(s, ww_imm(8), ww_imm(0), ww_imm(-1)) {
        ww_when_false(s, x, NULL) {
            ww_produce(s, p->scratch, "watch", .in = {x});
        }
    }
}

ww_kernel *emit_blocks(void)
{
    parts p = new_parts("blocks", "sm_90a", (ww_cluster){.m = 2});
    p.scratch = ww_resource_new(p.kernel, "scratch", &(ww_resource_options){.work = work_methods});
    add_task(&p, "guarded", 0, 4, guarded);
    (void)ww_task_new(p.kernel, "later",
                      &(ww_task_options){.first_warp = 4,
                                         .warps = 1,
                                         .schedule = looked_at_later,
                                         .context = &p,
                                         .only_cta = WW_ONLY_CTA(1)});
    return p.kernel;
}

ww_kernel *(*const emit_kernels[])(void) = {
    emit_local,      emit_loading,   emit_meeting,   emit_clustered, emit_peer,   emit_first_warp,
    emit_lanes,      emit_loop_lane, emit_merge,     emit_fused,     emit_fork,   emit_ahead,
    emit_aliased,    emit_turns,     emit_dependent, emit_counter,   emit_blocks, emit_umma_1,
    emit_async_umma, emit_clc,       emit_umma_2,    NULL,
};
