/* Defects of the framework that this one follows, each by the number of the list that names it (Q: resources, 19:
 * schedules): what it accepted and should not have, or what went wrong with it and does not here.
 *
 * Others have their case in the file of the rule: Q20 "arrivals: seven releases of a group"; Q23 and 19.27 "route:
 * swapped"; Q24 "group_use: a fused merge waited for once"; 19.12 "bracket: one task
 * acquires, another commits"; 19.28 "signaling: a stage each"; 19.30 "registers: more than there are". */
#include "reject.h"

/* ---- Q2: TmaUmma's releases come from one row and one column of the cluster --------------------------------------- */

typedef struct mma {
    ww_resource *operand, *sum;
} mma;

static const ww_work shared_work[] = {
    {.name = "fill", .side = WW_PRODUCER, .copies = {{"a", 512, WW_REACH_A}, {"b", 512, WW_REACH_B}}},
    {.name = NULL}};
static const ww_work operand_work[] = {{.name = "fill", .side = WW_PRODUCER, .copies = {{"a", 1024}}},
                                       {.name = NULL}};
static const ww_work sum_work[] = {{.name = "multiply", .side = WW_PRODUCER, .umma_reads = {"operand"}},
                                   {.name = "use", .side = WW_CONSUMER},
                                   {.name = NULL}};

static void multiply(ww_schedule *s, void *context)
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

static void declare_mma(ww_kernel *k, ww_pipeline in, ww_pipeline out, const ww_work *work)
{
    const ww_resource_options options = {
        .pipeline = in,
        .buffers = {{.name = "a", .bytes = 1024}, {.name = "b", .bytes = 1024}},
        .work = work};
    mma m = {(BLAME, ww_resource_new(k, "operand", &options)),
             ww_resource_new(
                 k, "sum", &(ww_resource_options){.pipeline = out, .tmem = {{"acc", 32}}, .work = sum_work})};
    reject_task(k, "load", 0, 1, reject_producer, m.operand);
    reject_task(k, "math", 1, 1, multiply, &m);
    reject_task(k, "store", 4, 4, reject_consumer, m.sum);
}

static void declare_cross(ww_kernel *k, uint32_t releases)
{
    declare_mma(k, ww_pipeline_tma_umma(.stages = 2, .consumer_arrivals = releases),
                ww_pipeline_umma_async(.stages = 2), shared_work);
}

static void a_release_of_every_pair(ww_kernel *k)
{
    declare_cross(k, 4);
}

static void a_row_and_a_column(ww_kernel *k)
{
    declare_cross(k, 3);
}

/* ---- Q3, Q4, 19.7, 19.9: UmmaAsync where CTAs lead, and where they follow ------------------------------------------- */

static void umma_async(ww_kernel *k)
{
    declare_mma(k, ww_pipeline_tma_umma(.stages = 2), ww_pipeline_umma_async(.stages = 2), operand_work);
}

static void acquire_ahead(ww_kernel *k)
{
    declare_mma(k, ww_pipeline_tma_umma(.stages = 2, .advance_on_acquire = true),
                ww_pipeline_umma_async(.stages = 2, .advance_on_acquire = true), operand_work);
}

/* ---- 19.8: work runs in all CTAs, wherever barriers are left to leaders ------------------------------------------------------------ */

static void followers_work_unsynchronised(ww_kernel *k)
{
    ww_resource *ring = reject_ring(k, "ring",
                                    ww_pipeline_async_async(.producer_signaling = WW_SIGNAL_CTA_LEADER,
                                                            .consumer_signaling = WW_SIGNAL_CTA_LEADER));
    reject_task(k, "load", 0, 1, reject_producer, ring);
    reject_task(k, "store", 1, 1, reject_consumer, ring);
}

static void leaders_work_alone(ww_kernel *k)
{
    ww_resource *ring = reject_ring(k, "ring", ww_pipeline_async_async());
    reject_pinned(k, "load", 0, 1, 0, reject_producer, ring);
    reject_pinned(k, "store", 1, 1, 0, reject_consumer, ring);
}

/* ---- Q5, 19.1: an answer of a probe is used once ----------------------------------------------------------------------- */

static void probe_once_produce(ww_schedule *s, void *ring)
{
    reject_loop(s)
    {
        ww_first_iter(s) {
            ww_try_acquire(s, ring);
        }
        ww_acquire(s, ring);
        ww_produce(s, ring, "fill");
        ww_commit(s, ring);
    }
}

static void probe_once_consume(ww_schedule *s, void *ring)
{
    ww_try_wait(s, ring);
    reject_consumer(s, ring);
}

static void probes_in_the_first_trip(ww_kernel *k)
{
    ww_resource *ring = reject_ring(k, "ring", ww_pipeline_async_async());
    reject_task(k, "load", 0, 1, probe_once_produce, ring);
    reject_task(k, "store", 1, 1, probe_once_consume, ring);
}

/* ---- Q6, 19.13: lanes that look ahead ------------------------------------------------------------------------------------ */

static void lanes_ahead(ww_kernel *k)
{
    ww_resource *ring = reject_ring(k, "ring",
                                    ww_pipeline_async_async(.stages = 4, .advance_on_acquire = true,
                                                            .advance_on_wait = true, .stride = {.all = 2}));
    reject_task(k, "load", 0, 2, reject_producer, ring);
    reject_task(k, "store", 2, 2, reject_consumer, ring);
}

/* ---- Q14, Q15, Q19, 19.29: groups ------------------------------------------------------------------------------------------ */

typedef struct pair {
    ww_resource *a, *b, *both, *queue;
} pair;

static void use_both(ww_schedule *s, void *context)
{
    pair *p = context;
    reject_loop(s)
    {
        ww_wait(s, p->a);
        ww_wait(s, p->b);
        ww_consume(s, p->a, "use");
        ww_consume(s, p->b, "use");
        ww_release(s, p->both);
    }
}

static void declare_merge(ww_kernel *k, ww_pipeline pipeline)
{
    pair p = {.a = reject_ring(k, "a", pipeline), .b = reject_ring(k, "b", pipeline)};
    p.both = (BLAME, ww_group_new(k, "both", &(ww_group_options){.members = {p.a, p.b}}));
    reject_task(k, "load_a", 0, 1, reject_producer, p.a);
    reject_task(k, "load_b", 1, 1, reject_producer, p.b);
    reject_task(k, "store", 2, 1, use_both, &p);
}

static void merge_acquired_ahead(ww_kernel *k)
{
    declare_merge(k, ww_pipeline_async_async(.advance_on_acquire = true));
}

static void merge_waited_for_ahead(ww_kernel *k)
{
    declare_merge(k, ww_pipeline_async_async(.advance_on_wait = true));
}

static void fill_one_for_both(ww_schedule *s, void *context)
{
    pair *p = context;
    reject_loop(s)
    {
        ww_acquire(s, p->a);
        ww_acquire(s, p->b);
        ww_produce(s, p->a, "fill");
        ww_commit(s, p->both);
    }
}

static void declare_fork(ww_kernel *k, ww_pipeline pipeline, uint32_t bytes, int warps)
{
    pair p = {.a = reject_ring(k, "a", pipeline)};
    static const ww_work view_work[] = {{.name = "use", .side = WW_CONSUMER}, {.name = NULL}};
    pipeline.stages = 2;
    const ww_resource_options view = {
        .pipeline = pipeline, .buffers = {{.name = "data", .bytes = 1024, .shares = p.a}}, .work = view_work};
    p.b = ww_resource_new(k, "b", &view);
    const ww_group_options options = {
        .mode = WW_FORK, .members = {p.a, p.b}, .pipeline = {.tx_bytes = bytes}};
    p.both = (BLAME, ww_group_new(k, "both", &options));
    reject_task(k, "load", 0, warps, fill_one_for_both, &p);
    reject_task(k, "store_a", 4, 1, reject_consumer, p.a);
    reject_task(k, "store_b", 5, 1, reject_consumer, p.b);
}

static void the_sum_of_a_fork(ww_kernel *k)
{
    declare_fork(k, ww_pipeline_tma_async(), 2048, 1);
}

static void one_transfer_of_a_fork(ww_kernel *k)
{
    declare_fork(k, ww_pipeline_tma_async(), 1024, 1);
}

/* ---- Q20: a fork whose producer's first warp announces for all ----------------------------------------------------------------------- */

static void a_leader_of_a_fork(ww_kernel *k)
{
    static const ww_work halves[] = {{.name = "fill", .side = WW_PRODUCER, .copies = {{"data", 512}}},
                                     {.name = "use", .side = WW_CONSUMER},
                                     {.name = NULL}};
    const ww_pipeline pipeline = {
        .type = WW_TMA_ASYNC, .stages = 2, .producer_signaling = WW_SIGNAL_WARP_LEADER};
    pair p = {.a = ww_resource_new(k, "a",
                                   &(ww_resource_options){.pipeline = pipeline,
                                                          .buffers = {{.name = "data", .bytes = 1024}},
                                                          .work = halves})};
    p.b = ww_resource_new(k, "b",
                          &(ww_resource_options){.pipeline = pipeline,
                                                 .buffers = {{.name = "data", .bytes = 1024, .shares = p.a}},
                                                 .work = halves});
    p.both = ww_group_new(k, "both", &(ww_group_options){.mode = WW_FORK, .members = {p.a, p.b}});
    reject_task(k, "load", 0, 2, fill_one_for_both, &p);
    reject_task(k, "store_a", 4, 1, reject_consumer, p.a);
    reject_task(k, "store_b", 5, 1, reject_consumer, p.b);
}

/* ---- Q21, 19.11: lanes in a tile loop ------------------------------------------------------------------------------------------ */

static void produce_tiles(ww_schedule *s, void *context)
{
    pair *p = context;
    ww_work_tile_loop(s, p->queue) {
        reject_producer(s, p->a);
        ww_advance_tile(s, p->queue);
    }
}

static void consume_tiles(ww_schedule *s, void *context)
{
    pair *p = context;
    ww_work_tile_loop(s, p->queue) {
        reject_consumer(s, p->a);
        ww_advance_tile(s, p->queue);
    }
}

static void lanes_and_tiles(ww_kernel *k)
{
    pair p = {.a = reject_ring(k, "ring", ww_pipeline_async_async(.stages = 4, .stride = {.all = 2})),
              .queue = ww_queue_static(k, "tiles",
                                       &(ww_queue_options){.tiles = {ww_arg(reject_params, tiles, 0)}})};
    reject_task(k, "load", 0, 2, produce_tiles, &p);
    reject_task(k, "store", 2, 2, consume_tiles, &p);
}

/* ---- 19.2, 19.3: inputs and outputs of one name --------------------------------------------------------------------------------- */

static const ww_work source_work[] = {{.name = "both", .side = WW_CONSUMER, .out = {"int x", "int y"}},
                                      {.name = NULL}};
static const ww_work sink_work[] = {{.name = "put_q", .side = WW_PRODUCER, .in = {"int x"}},
                                    {.name = "put_k", .side = WW_PRODUCER, .in = {"int x"}},
                                    {.name = NULL}};

static void put_both(ww_schedule *s, void *context)
{
    pair *p = context;
    ww_token x, y;
    ww_consume(s, p->a, "both", .out = {&x, &y});
    ww_produce(s, p->b, "put_q", .in = {x});
    ww_produce(s, p->b, "put_k", .in = {y});
}

static void inputs_of_one_name(ww_kernel *k)
{
    static const ww_route routes[] = {{"a.both.x", "b.put_q.x"}, {"a.both.y", "b.put_k.x"}, {0}};
    pair p = {.a = ww_resource_new(k, "a", &(ww_resource_options){.work = source_work}),
              .b = ww_resource_new(k, "b", &(ww_resource_options){.work = sink_work})};
    (void)ww_task_new(k, "put",
                      &(ww_task_options){.warps = 1, .schedule = put_both, .context = &p, .routes = routes});
}

/* ---- 19.4: guards in guards must all hold --------------------------------------------------------------------------------------------- */

static void release_in_the_only_trip(ww_schedule *s, void *ring)
{
    reject_loop(s)
    {
        ww_first_iter(s) {
            ww_wait(s, ring), BLAME;
            ww_consume(s, ring, "use");
            ww_last_iter(s) {
                ww_release(s, ring);
            }
        }
    }
}

static void produce_in_the_first_trip(ww_schedule *s, void *ring)
{
    reject_loop(s)
    {
        ww_first_iter(s) {
            ww_acquire(s, ring);
            ww_produce(s, ring, "fill");
            ww_commit(s, ring);
        }
    }
}

static void first_and_last(ww_kernel *k)
{
    ww_resource *ring = reject_ring(k, "ring", ww_pipeline_async_async());
    reject_task(k, "load", 0, 1, produce_in_the_first_trip, ring);
    reject_task(k, "store", 1, 1, release_in_the_only_trip, ring);
}

/* ---- 19.16, 19.32: schedules without a domain loop ----------------------------------------------------------------------------------------- */

static void produce_once(ww_schedule *s, void *ring)
{
    ww_acquire(s, ring);
    ww_produce(s, ring, "fill");
    ww_commit(s, ring);
}

static void consume_once(ww_schedule *s, void *ring)
{
    ww_wait(s, ring);
    ww_consume(s, ring, "use");
    ww_release(s, ring);
}

static void straight_line(ww_kernel *k)
{
    ww_resource *ring = reject_ring(k, "ring", ww_pipeline_async_async());
    reject_task(k, "load", 0, 1, produce_once, ring);
    reject_task(k, "store", 1, 1, consume_once, ring);
}

static void produce_a_tile(ww_schedule *s, void *context)
{
    pair *p = context;
    ww_work_tile_loop(s, p->queue) {
        produce_once(s, p->a);
        produce_once(s, p->a);
        ww_advance_tile(s, p->queue);
    }
}

static void consume_a_tile(ww_schedule *s, void *context)
{
    pair *p = context;
    ww_work_tile_loop(s, p->queue) {
        consume_once(s, p->a);
        consume_once(s, p->a);
        ww_advance_tile(s, p->queue);
    }
}

static void tiles_without_a_loop(ww_kernel *k)
{
    pair p = {.a = reject_ring(k, "ring", ww_pipeline_async_async()),
              .queue = ww_queue_static(k, "tiles",
                                       &(ww_queue_options){.tiles = {ww_arg(reject_params, tiles, 0)}})};
    reject_task(k, "load", 0, 1, produce_a_tile, &p);
    reject_task(k, "store", 1, 1, consume_a_tile, &p);
}

/* ---- 19.19: a group's verbs outside the tile loop --------------------------------------------------------------------------------------------- */

static void release_after_the_tiles(ww_schedule *s, void *context)
{
    pair *p = context;
    ww_work_tile_loop(s, p->queue) {
        use_both(s, p);
        ww_advance_tile(s, p->queue);
    }
    ww_release(s, p->both), BLAME;
}

static void produce_b_tiles(ww_schedule *s, void *context)
{
    pair *p = context;
    ww_work_tile_loop(s, p->queue) {
        reject_producer(s, p->b);
        ww_advance_tile(s, p->queue);
    }
}

static void a_release_outside_the_tiles(ww_kernel *k)
{
    pair p = {.a = reject_ring(k, "a", ww_pipeline_async_async()),
              .b = reject_ring(k, "b", ww_pipeline_async_async())};
    p.both = ww_group_new(k, "both", &(ww_group_options){.members = {p.a, p.b}});
    p.queue = ww_queue_static(k, "tiles", &(ww_queue_options){.tiles = {ww_arg(reject_params, tiles, 0)}});
    reject_task(k, "load_a", 0, 1, produce_tiles, &p);
    reject_task(k, "load_b", 1, 1, produce_b_tiles, &p);
    reject_task(k, "store", 2, 1, release_after_the_tiles, &p);
}

const reject_case reject_defects[] = {
    {"Q2: a release of every pair of the cluster",
     a_release_of_every_pair,
     WW_ARRIVALS,
     "the empty barrier of operand expects 4 arrivals a phase, and never receives so many",
     "3 = 1 warp of math x 1 tcgen05.commit x 3 CTAs",
     ".consumer_arrivals = 4",
     {.arch = "sm_100a", .cluster = {2, 2, 2, 1}}},
    {"Q2: the releases of a row and a column",
     a_row_and_a_column,
     0,
     NULL,
     NULL,
     NULL,
     {.arch = "sm_100a", .cluster = {2, 2, 2, 1}}},
    {"Q3: UmmaAsync in a cluster of two without pairs",
     umma_async,
     0,
     NULL,
     NULL,
     NULL,
     {.arch = "sm_100a", .cluster = {.n = 2}}},
    {"Q4, 19.9: acquired ahead in leaders, worked on in both",
     acquire_ahead,
     0,
     NULL,
     NULL,
     NULL,
     {.arch = "sm_100a", .cluster = {.v = 2}}},
    {"19.7: a leader in every pair",
     umma_async,
     0,
     NULL,
     NULL,
     NULL,
     {.arch = "sm_100a", .cluster = {.v = 2, .m = 2}}},
    {"19.8: work in followers that only leaders synchronise",
     followers_work_unsynchronised,
     WW_RACE,
     NULL,
     NULL,
     NULL,
     {.arch = "sm_100a", .cluster = {.v = 2}}},
    {"19.8: work in leaders alone",
     leaders_work_alone,
     0,
     NULL,
     NULL,
     NULL,
     {.arch = "sm_100a", .cluster = {.v = 2}}},
    {"Q5, 19.1: probes in the first trip only", probes_in_the_first_trip, 0, NULL, NULL, NULL},
    {"Q6, 19.13: lanes that look ahead", lanes_ahead, 0, NULL, NULL, NULL},
    {"Q14: a merge acquired ahead", merge_acquired_ahead, 0, NULL, NULL, NULL},
    {"Q15: the bytes of a fork counted twice", the_sum_of_a_fork, WW_TX_BYTES,
     "each stage of both expects 2048 bytes, and its copies bring 1024", "1024 = the copies of a + b",
     ".tx_bytes = 2048"},
    {"Q15, 19.29: the bytes of a fork", one_transfer_of_a_fork, 0, NULL, NULL, NULL},
    {"Q19: a merge waited for ahead", merge_waited_for_ahead, WW_GROUP,
     "group both: member b waits ahead, and the members of a merge share one wait cursor",
     "as member a: 2 stages, stride 1, advance_on_wait 1, advance_on_acquire 0",
     "2 stages, stride 1, advance_on_wait 1, advance_on_acquire 0"},
    {"Q20: a leader of a fork", a_leader_of_a_fork, 0, NULL, NULL, NULL},
    {"Q21, 19.11: lanes in a tile loop", lanes_and_tiles, 0, NULL, NULL, NULL},
    {"19.2, 19.3: inputs of one name", inputs_of_one_name, 0, NULL, NULL, NULL},
    {"19.4: the first and the last trip", first_and_last, WW_BRACKET,
     "task store: wait(ring) opens a slot that is never closed, in its loop",
     "release(ring) after it, on every path", "the end of the task with 1 slot open"},
    {"19.16: a schedule without a loop", straight_line, 0, NULL, NULL, NULL},
    {"19.19: a group's release outside the tile loop", a_release_outside_the_tiles, WW_BRACKET,
     "task store: release(both) closes a slot, and none is open, after its loop", "wait(a) before it",
     "release without wait"},
    {"19.32: a tile loop without a domain loop", tiles_without_a_loop, 0, NULL, NULL, NULL},
    {0},
};
