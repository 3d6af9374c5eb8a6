/* 214: which warps and CTAs act for a side of a pipeline, against the tasks that do. */
#include "reject.h"

/* ---- a producer of bulk copies with two warps ----------------------------------------------------------- */

static const ww_work halves[] = {{.name = "fill", .side = WW_PRODUCER, .copies = {{"data", 512}}},
                                 {.name = "use", .side = WW_CONSUMER},
                                 {.name = NULL}};

static ww_resource *ring_of(ww_kernel *k, ww_pipeline pipeline)
{
    return ww_resource_new(k, "ring",
                           &(ww_resource_options){.pipeline = pipeline,
                                                  .buffers = {{.name = "data", .bytes = 1024}},
                                                  .work = halves});
}

static void load(ww_schedule *s, void *ring)
{
    reject_loop(s)
    {
        ww_acquire(s, ring), BLAME;
        ww_produce(s, ring, "fill");
        ww_commit(s, ring);
    }
}

static void declare(ww_kernel *k, ww_pipeline pipeline)
{
    ww_resource *ring = ring_of(k, pipeline);
    reject_task(k, "load", 0, 2, load, ring);
    reject_task(k, "store", 4, 1, reject_consumer, ring);
}

static void both_warps_announce(ww_kernel *k)
{
    declare(k, ww_pipeline_tma_async(.stages = 2));
}

static void a_stage_each_and_a_leader(ww_kernel *k)
{
    declare(k, ww_pipeline_tma_async(.stages = 2, .stride = {.acquire = 2, .commit = 2},
                                     .producer_signaling = WW_SIGNAL_WARP_LEADER));
}

static void the_first_warp_announces(ww_kernel *k)
{
    declare(k, ww_pipeline_tma_async(.stages = 2, .producer_signaling = WW_SIGNAL_WARP_LEADER));
}

static void a_stage_each(ww_kernel *k)
{
    ww_resource *ring = reject_ring(k, "ring", ww_pipeline_tma_async(.stages = 2, .stride = {.all = 2}));
    reject_task(k, "load", 0, 2, reject_producer, ring);
    reject_task(k, "store", 4, 2, reject_consumer, ring);
}

/* ---- a task of one CTA ------------------------------------------------------------------------------------ */

static void store(ww_schedule *s, void *ring)
{
    reject_loop(s)
    {
        ww_wait(s, ring), BLAME;
        ww_consume(s, ring, "use");
        ww_release(s, ring);
    }
}

static void one_cta_waits(ww_kernel *k)
{
    ww_resource *ring = reject_ring(k, "ring", ww_pipeline_async_async());
    reject_task(k, "load", 0, 1, reject_producer, ring);
    reject_pinned(k, "store", 1, 1, 0, store, ring);
}

static void one_cta_has_it_all(ww_kernel *k)
{
    ww_resource *ring = reject_ring(k, "ring", ww_pipeline_async_async());
    reject_pinned(k, "load", 0, 1, 1, reject_producer, ring);
    reject_pinned(k, "store", 1, 1, 1, reject_consumer, ring);
}

/* ---- wait_signaling --------------------------------------------------------------------------------------- */

typedef struct mma {
    ww_resource *operand, *sum, *go;
} mma;

static const ww_work operand_work[] = {{.name = "fill", .side = WW_PRODUCER}, {.name = NULL}};
static const ww_work sum_work[] = {{.name = "multiply", .side = WW_PRODUCER, .umma_reads = {"operand"}},
                                   {.name = "use", .side = WW_CONSUMER},
                                   {.name = NULL}};

static void multiply_alone(ww_schedule *s, void *context)
{
    mma *m = context;
    reject_loop(s)
    {
        ww_wait(s, m->operand);
        ww_acquire(s, m->sum);
        ww_produce(s, m->sum, "multiply");
        ww_release(s, m->operand);
        ww_commit(s, m->sum);
    }
}

/* That the operand is there it hears from the task that has waited for it. */
static void multiply_and_release(ww_schedule *s, void *context)
{
    mma *m = context;
    reject_loop(s)
    {
        ww_wait(s, m->go);
        ww_release(s, m->go);
        ww_acquire(s, m->sum);
        ww_produce(s, m->sum, "multiply");
        ww_release(s, m->operand);
        ww_commit(s, m->sum);
    }
}

static void wait_only(ww_schedule *s, void *context)
{
    mma *m = context;
    reject_loop(s)
    {
        ww_wait(s, m->operand);
        ww_acquire(s, m->go);
        ww_commit(s, m->go);
    }
}

static void declare_mma(ww_kernel *k, bool split)
{
    mma m = {(BLAME, ww_resource_new(
                         k, "operand",
                         &(ww_resource_options){
                             .pipeline = ww_pipeline_async_umma(.stages = 2, .wait_signaling = WW_SIGNAL_ALL),
                             .buffers = {{.name = "data", .bytes = 1024}},
                             .work = operand_work})),
             ww_resource_new(k, "sum",
                             &(ww_resource_options){.pipeline = ww_pipeline_umma_async(.stages = 1),
                                                    .tmem = {{"acc", 32}},
                                                    .work = sum_work}),
             split ? reject_tokens(k, "go") : NULL};
    reject_task(k, "load", 0, 1, reject_producer, m.operand);
    if (split)
        reject_task(k, "watch", 2, 1, wait_only, &m);
    reject_task(k, "math", 1, 1, split ? multiply_and_release : multiply_alone, &m);
    reject_task(k, "store", 4, 4, reject_consumer, m.sum);
}

static void nobody_waits_apart(ww_kernel *k)
{
    declare_mma(k, false);
}

static void a_task_waits_apart(ww_kernel *k)
{
    declare_mma(k, true);
}

/* ---- dynamic queues ---------------------------------------------------------------------------------------- */

static void schedule_tiles(ww_schedule *s, void *queue)
{
    ww_work_tile_loop(s, queue) {
        ww_fetch_tile(s, queue);
        ww_advance_tile(s, queue);
    }
}

static void declare_queue(ww_kernel *k, ww_signaling consumer)
{
    const ww_queue_options options = {.tiles = {ww_arg(reject_params, tiles, 0)},
                                      .counter = "counter",
                                      .pipeline = {.consumer_signaling = consumer}};
    ww_resource *queue = (BLAME, ww_queue_counter(k, "tiles", &options));
    reject_task(k, "scheduler", 0, 1, schedule_tiles, queue);
}

static void leaders_take_the_tiles(ww_kernel *k)
{
    declare_queue(k, WW_SIGNAL_CTA_LEADER);
}

static void all_take_the_tiles(ww_kernel *k)
{
    declare_queue(k, WW_SIGNAL_ALL);
}

const reject_case reject_signaling[] = {
    {"signaling: leaders take the tiles",
     leaders_take_the_tiles,
     WW_SIGNALING,
     "only leaders would take the tiles of work queue tiles",
     "consumer_signaling WW_SIGNAL_ALL, or left out: every CTA walks the tiles",
     "WW_SIGNAL_CTA_LEADER",
     {.cluster = {.n = 2}}},
    {"signaling: all take the tiles", all_take_the_tiles, 0, NULL, NULL, NULL, {.cluster = {.n = 2}}},
    {"signaling: both warps announce the same stage", both_warps_announce, WW_SIGNALING,
     "task load: its 2 warps all announce the bytes of a stage of ring",
     "one warp; or a stride of 2, a stage a warp; or WW_SIGNAL_WARP_LEADER, the first warp for all",
     "2 warps, stride 1"},
    {"signaling: a stage each, and a leader of both", a_stage_each_and_a_leader, WW_SIGNALING,
     "task load: a stage of ring has one warp, and only the task's first warp announces bytes",
     "one warp; or a stride of 2, a stage a warp; or WW_SIGNAL_WARP_LEADER, the first warp for all; not both",
     "2 warps, a stride and WW_SIGNAL_WARP_LEADER"},
    {"signaling: one CTA waits, all produce",
     one_cta_waits,
     WW_SIGNALING,
     "task store runs in CTA 0 only and waits on ring, in which other CTAs take part",
     "WW_SIGNAL_CTA_LEADER on the waiting side of ring, or all its tasks in CTA 0",
     "WW_SIGNAL_ALL",
     {.cluster = {.n = 2}}},
    {"signaling: wait_signaling, and nobody waits apart",
     nobody_waits_apart,
     WW_SIGNALING,
     "operand has a signalling of its own for wait, and whoever waits also releases",
     "a task that waits on operand and leaves the release to another",
     ".wait_signaling with .consumer_signaling for the same tasks",
     {.arch = "sm_100a"}},
    {"signaling: the first warp announces for both", the_first_warp_announces, 0, NULL, NULL, NULL},
    {"signaling: a stage each", a_stage_each, 0, NULL, NULL, NULL},
    {"signaling: one CTA has it all", one_cta_has_it_all, 0, NULL, NULL, NULL, {.cluster = {.n = 2}}},
    {"signaling: a task waits apart", a_task_waits_apart, 0, NULL, NULL, NULL, {.arch = "sm_100a"}},
    {0},
};
