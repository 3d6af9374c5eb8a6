/* kernel: the tasks around one pipeline: who fills it, who empties it, lane by lane and looking ahead
 * where it may.
 *
 * The stages are shared out to lanes in one of two ways. Where threads act on the strided side, a task of
 * as many warps as lanes makes all trips in each warp; the other side, if it takes every stage in turn,
 * then makes as many brackets a trip as there are lanes. tcgen05 is issued by tasks of one warp, so that
 * there each lane is a task of its own, whose loop begins at the lane and steps by their number; the
 * other side steps alike. */
#include "matrix.h"
#include "matrix_params.h"

#include <stdio.h>

enum { THREAD_WARPS = 2, WGMMA_WARPS = 4 };

/* One task's way through the pipeline. */
typedef struct lane_plan {
    const ring *ring;
    ww_resource *queue;
    int first, step; /* of its loop; the first trip is its lane, where lanes are tasks */
    int brackets;    /* a trip */
    int least;       /* trips that are promised */
    bool ahead, probes;
} lane_plan;

/* ---- schedules ------------------------------------------------------------------------------------- */

static void open_in(ww_schedule *s, const lane_plan *p)
{
    if (p->probes)
        ww_try_acquire(s, p->ring->ring);
    ww_acquire(s, p->ring->ring);
    ring_put(s, p->ring);
}

static void fill(ww_schedule *s, const lane_plan *p, int brackets)
{
    for (int i = 0; i < brackets; i++) {
        open_in(s, p);
        ww_commit(s, p->ring->ring);
    }
}

static void produce(ww_schedule *s, void *context)
{
    const lane_plan *p = context;
    int first = p->first;
    if (p->ahead) {
        open_in(s, p);
        fill(s, p, p->brackets - 1);
        first += p->step;
    }
    ww_domain_loop(s, ww_imm(first), ww_arg(struct matrix_params, trips, p->least), ww_imm(p->step)) {
        fill(s, p, p->brackets);
    }
    if (p->ahead)
        ww_commit(s, p->ring->ring);
}

static void open_out(ww_schedule *s, const lane_plan *p)
{
    if (p->probes)
        ww_try_wait(s, p->ring->ring);
    ww_wait(s, p->ring->ring);
    ring_take(s, p->ring, p->first);
}

static void empty(ww_schedule *s, const lane_plan *p, int brackets)
{
    for (int i = 0; i < brackets; i++) {
        open_out(s, p);
        ring_settle(s, p->ring, p->first, !p->ahead);
        ww_release(s, p->ring->ring);
    }
}

static void consume(ww_schedule *s, void *context)
{
    const lane_plan *p = context;
    int first = p->first;
    if (p->ahead) {
        open_out(s, p);
        empty(s, p, p->brackets - 1);
        first += p->step;
    }
    ww_domain_loop(s, ww_imm(first), ww_arg(struct matrix_params, trips, p->least), ww_imm(p->step)) {
        empty(s, p, p->brackets);
    }
    if (p->ahead) {
        ring_settle(s, p->ring, p->first, true);
        ww_release(s, p->ring->ring);
    }
    ring_finish(s, p->ring, p->first);
}

/* ---- lanes and look-ahead -------------------------------------------------------------------------- */

/* How the two sides go through the ring. */
typedef struct plan {
    int in, out;     /* strides */
    bool lane_tasks; /* each lane a task of its own */
    bool ahead_in, ahead_out;
    int least;
} plan;

/* A side that is one slot ahead of itself holds two, a stride apart. All that is held must be less than
 * the ring, or each side waits for the other. */
static void plan_ahead(plan *p, const form *f)
{
    int stages = f->pipeline.stages;
    p->ahead_out = f->pipeline.advance_on_wait && p->out < stages;
    p->ahead_in = f->pipeline.advance_on_acquire && p->in + (p->ahead_out ? p->out : 0) < stages;
    if (f->too_far_ahead) {
        p->ahead_out = f->pipeline.advance_on_wait;
        p->ahead_in = f->pipeline.advance_on_acquire;
    }
}

static plan plan_of(const form *f)
{
    plan p = {.in = form_stride_in(f), .out = form_stride_out(f)};
    p.lane_tasks = f->lane_tasks || (p.out > 1 && type_consumer(f->pipeline.type) == AGENT_UMMA);
    plan_ahead(&p, f);
    int lanes = p.lane_tasks ? p.out > p.in ? p.out : p.in : 1;
    p.least = p.ahead_in || p.ahead_out ? lanes : 0;
    return p;
}

/* Warps of a producer task. A leading warp leads another. */
static int producer_warps(const form *f, const plan *p)
{
    bool leads = f->pipeline.producer_signaling & WW_SIGNAL_WARP_LEADER;
    if (p->in > 1 && !p->lane_tasks)
        return p->in;
    if (p->in > 1 && leads)
        return p->in == 2 ? 4 : 2;
    if (type_producer(f->pipeline.type) == AGENT_ASYNC)
        return p->lane_tasks ? 1 : THREAD_WARPS;
    return leads && type_producer(f->pipeline.type) == AGENT_TMA ? 2 : 1;
}

static int consumer_warps(const form *f, const plan *p)
{
    agent who = type_consumer(f->pipeline.type);
    if (who == AGENT_WGMMA)
        return WGMMA_WARPS;
    if (p->out > 1 && !p->lane_tasks)
        return p->out;
    return who == AGENT_UMMA || p->lane_tasks ? 1 : THREAD_WARPS; /* of as many warps as lanes, each is one */
}

int warp_room_take(warp_room *room, int warps, bool aligned)
{
    int first = aligned ? (room->next + WGMMA_WARPS - 1) / WGMMA_WARPS * WGMMA_WARPS : room->next;
    room->next = first + warps;
    return first;
}

static void add_task(ww_kernel *k, warp_room *room, const char *name, int warps,
                     ww_schedule_function *schedule, lane_plan *context)
{
    int first = warp_room_take(room, warps, warps == WGMMA_WARPS);
    ww_task_new(
        k, name,
        &(ww_task_options){.first_warp = first, .warps = warps, .schedule = schedule, .context = context});
}

/* One side: `stride` is its own, `other` that of the other side. */
static void add_side(ww_kernel *k, warp_room *room, const plan *p, lane_plan lane, bool producer, int warps)
{
    int own = producer ? p->in : p->out, other = producer ? p->out : p->in;
    int tasks = p->lane_tasks ? own : 1;
    lane.brackets = !p->lane_tasks && own == 1 ? other : 1;
    lane.step = tasks;
    for (lane.first = 0; lane.first < tasks; lane.first++) {
        char name[32];
        (void)snprintf(name, sizeof name, "%s%d_%d", producer ? "produce" : "consume", lane.ring->number,
                       lane.first);
        add_task(k, room, name, warps, producer ? produce : consume, &lane);
    }
}

static void declare_ring(ww_kernel *k, const form *f)
{
    plan p = plan_of(f);
    int warps = producer_warps(f, &p);
    ring r;
    ring_declare(&r, k, f, 0, p.in > 1 && !p.lane_tasks ? 1 : warps, p.lane_tasks ? p.out : 1);
    lane_plan lane = {.ring = &r, .least = p.least, .probes = f->pipeline.stages > 2};
    warp_room room = {0};
    lane.ahead = p.ahead_out;
    add_side(k, &room, &p, lane, false, consumer_warps(f, &p));
    lane.ahead = p.ahead_in;
    add_side(k, &room, &p, lane, true, warps);
}

/* ---- dynamic queues -------------------------------------------------------------------------------- */

static void schedule_tiles(ww_schedule *s, void *context)
{
    const lane_plan *p = context;
    ww_work_tile_loop(s, p->queue) {
        ww_fetch_tile(s, p->queue);
        ww_advance_tile(s, p->queue);
    }
}

static void work_on_tiles(ww_schedule *s, void *context)
{
    const lane_plan *p = context;
    ww_work_tile_loop(s, p->queue) {
        ww_produce(s, p->ring->sink, "mark");
        ww_advance_tile(s, p->queue);
    }
}

static void declare_queue(ww_kernel *k, const form *f)
{
    static const ww_work work[] = {{.name = "mark", .side = WW_PRODUCER}, {0}};
    ww_queue_options o = {.tiles = {ww_arg(struct matrix_params, tiles, 0)},
                          .stages = f->pipeline.stages,
                          .counter = f->counter ? "counter" : NULL,
                          .pipeline = f->pipeline};
    ring r = {.form = *f,
              .sink = ww_resource_new(k, "sink0", &(ww_resource_options){.type = "sink", .work = work})};
    lane_plan p = {.ring = &r,
                   .queue = f->counter ? ww_queue_counter(k, "tiles", &o) : ww_queue_clc(k, "tiles", &o)};
    warp_room room = {0};
    add_task(k, &room, "work", THREAD_WARPS, work_on_tiles, &p);
    add_task(k, &room, "more_work", 1, work_on_tiles, &p);
    add_task(k, &room, "scheduler", 1, schedule_tiles, &p);
}

/* ---- kernels --------------------------------------------------------------------------------------- */

ww_kernel *matrix_kernel_new(const char *arch, ww_cluster cluster)
{
    ww_kernel_options o = {.arch = arch,
                           .body = "matrix.cuh",
                           .body_folder = TEST_FOLDER,
                           .params = "matrix_params",
                           .params_bytes = sizeof(struct matrix_params),
                           .cluster = cluster,
                           .allow_unproved = true};
    return ww_kernel_new(MATRIX_KERNEL, &o);
}

void kernel_declare(ww_kernel *k, const form *f)
{
    if (f->pipeline.type == WW_CLC_FETCH_ASYNC)
        declare_queue(k, f);
    else
        declare_ring(k, f);
}
