/* 215: with a stride of k each task has k warps, or a domain loop that picks its lane; all lanes are served. */
#include "reject.h"

static void produce_lane(ww_schedule *s, ww_resource *ring, int lane, int lanes)
{
    ww_domain_loop(s, ww_imm(lane), ww_arg(reject_params, trips, 0), ww_imm(lanes)) {
        ww_acquire(s, ring);
        ww_produce(s, ring, "fill");
        ww_commit(s, ring);
    }
}

static void consume_lane(ww_schedule *s, ww_resource *ring, int lane, int lanes)
{
    ww_domain_loop(s, ww_imm(lane), ww_arg(reject_params, trips, 0), ww_imm(lanes)) {
        ww_wait(s, ring), BLAME;
        ww_consume(s, ring, "use");
        ww_release(s, ring);
    }
}

static void produce_even(ww_schedule *s, void *ring)
{
    produce_lane(s, ring, 0, 2);
}

static void produce_odd(ww_schedule *s, void *ring)
{
    produce_lane(s, ring, 1, 2);
}

static void consume_even(ww_schedule *s, void *ring)
{
    consume_lane(s, ring, 0, 2);
}

static void consume_odd(ww_schedule *s, void *ring)
{
    consume_lane(s, ring, 1, 2);
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

static const ww_pipeline two_lanes = {.type = WW_ASYNC_ASYNC, .stages = 4, .stride = {.all = 2}};

/* ---- a lane for every task -------------------------------------------------------------------------------- */

static void three_warps_two_lanes(ww_kernel *k)
{
    ww_resource *ring = reject_ring(k, "ring", two_lanes);
    reject_task(k, "load", 0, 3, load, ring);
    reject_task(k, "store", 4, 2, reject_consumer, ring);
}

static void two_warps_two_lanes(ww_kernel *k)
{
    ww_resource *ring = reject_ring(k, "ring", two_lanes);
    reject_task(k, "load", 0, 2, load, ring);
    reject_task(k, "store", 4, 2, reject_consumer, ring);
}

static void declare_tasks(ww_kernel *k, ww_pipeline pipeline, ww_schedule_function *second)
{
    ww_resource *ring = reject_ring(k, "ring", pipeline);
    reject_task(k, "store_even", 4, 1, consume_even, ring);
    reject_task(k, "store_odd", 5, 1, consume_odd, ring);
    reject_task(k, "load_odd", 1, 1, second, ring);
    reject_task(k, "load_even", 0, 1, produce_even, ring);
}

static void two_tasks_two_lanes(ww_kernel *k)
{
    declare_tasks(k, two_lanes, produce_odd);
}

/* Both loops start at 0: nobody fills the odd stages. */
static void both_on_one_lane(ww_kernel *k)
{
    ww_resource *ring = reject_ring(k, "ring", two_lanes);
    reject_task(k, "load", 0, 1, produce_even, ring);
    reject_task(k, "store_even", 4, 1, consume_even, ring);
    reject_task(k, "store_odd", 5, 1, consume_odd, ring);
}

/* ---- both ends of a side ----------------------------------------------------------------------------------- */

static void load_odd(ww_schedule *s, void *ring)
{
    ww_domain_loop(s, ww_imm(1), ww_arg(reject_params, trips, 0), ww_imm(2)) {
        ww_acquire(s, ring), BLAME;
        ww_produce(s, ring, "fill");
        ww_commit(s, ring);
    }
}

static void both_ends_of_unequal_strides(ww_kernel *k)
{
    ww_pipeline p = {.type = WW_ASYNC_ASYNC,
                     .stages = 4,
                     .advance_on_acquire = true,
                     .stride = {.acquire = 2, .commit = 1}};
    ww_resource *ring = reject_ring(k, "ring", p);
    reject_task(k, "load", 0, 2, load, ring);
    reject_task(k, "store", 4, 1, reject_consumer, ring);
}

static void a_lane_by_loop_of_one_end(ww_kernel *k)
{
    ww_pipeline p = {.type = WW_ASYNC_ASYNC,
                     .stages = 4,
                     .advance_on_acquire = true,
                     .stride = {.acquire = 2, .commit = 1}};
    declare_tasks(k, p, load_odd);
}

/* ---- clusters ----------------------------------------------------------------------------------------------- */

static void in_a_cluster(ww_kernel *k)
{
    static const ww_work work[] = {{.name = "fill", .side = WW_PRODUCER, .copies = {{"data", 1024}}},
                                   {.name = "use", .side = WW_CONSUMER},
                                   {.name = NULL}};
    const ww_resource_options options = {.pipeline = ww_pipeline_tma_async(.stages = 2, .stride = {.all = 2}),
                                         .buffers = {{.name = "data", .bytes = 1024}},
                                         .work = work};
    ww_resource *ring = (BLAME, ww_resource_new(k, "ring", &options));
    reject_task(k, "load", 0, 2, reject_producer, ring);
    reject_task(k, "store", 4, 2, reject_consumer, ring);
}

/* ---- one lane in all loops ---------------------------------------------------------------------------------- */

/* In the second loop of the two tasks item 0 would come from the second task's lane. */
static void lane_0_then(ww_schedule *s, ww_resource *ring, int second)
{
    produce_lane(s, ring, 0, 2);
    ww_domain_loop(s, ww_imm(second), ww_arg(reject_params, trips, 0), (BLAME, ww_imm(2))) {
        ww_acquire(s, ring);
        ww_produce(s, ring, "fill");
        ww_commit(s, ring);
    }
}

static void produce_even_then_odd(ww_schedule *s, void *ring)
{
    lane_0_then(s, ring, 1);
}

static void produce_even_twice(ww_schedule *s, void *ring)
{
    lane_0_then(s, ring, 2);
}

static void produce_odd_twice(ww_schedule *s, void *ring)
{
    produce_lane(s, ring, 1, 2);
    produce_lane(s, ring, 3, 2);
}

static void consume_even_twice(ww_schedule *s, void *ring)
{
    consume_lane(s, ring, 0, 2);
    consume_lane(s, ring, 2, 2);
}

static void consume_odd_twice(ww_schedule *s, void *ring)
{
    consume_lane(s, ring, 1, 2);
    consume_lane(s, ring, 3, 2);
}

static void loops_of(ww_kernel *k, ww_schedule_function *first_filler)
{
    ww_resource *ring = reject_ring(k, "ring", two_lanes);
    reject_task(k, "load_odd", 1, 1, produce_odd_twice, ring);
    reject_task(k, "store_even", 2, 1, consume_even_twice, ring);
    reject_task(k, "store_odd", 3, 1, consume_odd_twice, ring);
    reject_task(k, "load_even", 0, 1, first_filler, ring);
}

static void loops_on_two_lanes(ww_kernel *k)
{
    loops_of(k, produce_even_then_odd);
}

static void loops_on_one_lane(ww_kernel *k)
{
    loops_of(k, produce_even_twice);
}

const reject_case reject_interleave[] = {
    {"interleave: three warps, two lanes", three_warps_two_lanes, WW_INTERLEAVE,
     "task load: acquire(ring) has a stride of 2, and the task no lane",
     "2 warps, or a domain loop with an immediate start and the step 2", "3 warps, and no such loop"},
    {"interleave: two tasks on one lane", both_on_one_lane, WW_INTERLEAVE,
     "task store_odd waits on lane 1 for the full barrier of ring, which receives another number of arrivals "
     "there",
     "32 = 1 warp of load x 32 lanes, as on lane 0", "0"},
    {"interleave: both ends of unequal strides", both_ends_of_unequal_strides, WW_INTERLEAVE,
     "task load uses both acquire and commit of ring, whose strides differ",
     "equal strides, or one task for each of the two verbs", "acquire by 2, commit by 1"},
    {"interleave: a loop picks the lane of one end", a_lane_by_loop_of_one_end, WW_INTERLEAVE,
     "task load_odd: its domain loop picks a lane of ring, whose strides of acquire and commit differ",
     "equal strides", "acquire by 2, commit by 1"},
    {"interleave: TmaAsync in a cluster",
     in_a_cluster,
     WW_INTERLEAVE,
     "ring: a pipeline of type TmaAsync is not interleaved in a cluster",
     "stride 1, or a cluster of one CTA",
     "stride 2, 2 CTAs",
     {.cluster = {.n = 2}}},
    {"interleave: two warps, two lanes", two_warps_two_lanes, 0, NULL, NULL, NULL},
    {"interleave: two tasks, two lanes", two_tasks_two_lanes, 0, NULL, NULL, NULL},
    {"interleave: the second loop on another lane", loops_on_two_lanes, WW_INTERLEAVE,
     "task load_even: this loop is not on the lane of ring that the first loop picks",
     "an immediate start that leaves 0 by 2, and the step 2", "a loop from 1 by 2"},
    {"interleave: all loops on one lane", loops_on_one_lane, 0, NULL, NULL, NULL},
    {0},
};
