/* Constructs that are more than one pipeline: groups, dynamic queues, barriers without data, interleaving, split sides,
 * set-up and end of a kernel. As in protocol_test.c the expected lines are worked out by hand. */
#include "core_kernel.h"
#include "emitted.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define TRIPS(s) ww_domain_loop(s, ww_imm(0), ww_arg(struct core_params, trips, 0), ww_imm(1))

typedef struct parts {
    ww_resource *a, *b, *c, *g, *q;
} parts;

static const ww_work async_work[] = {
    {.name = "fill", .side = WW_PRODUCER}, {.name = "use", .side = WW_CONSUMER}, {0}};
static const ww_work tma_work[] = {{.name = "fill", .side = WW_PRODUCER, .copies = {{"data", 1024}}},
                                   {.name = "use", .side = WW_CONSUMER},
                                   {0}};

static ww_kernel *kernel_for(const char *arch, ww_cluster cluster)
{
    ww_kernel *k = ww_kernel_new("k", &(ww_kernel_options){.body = "k.cuh",
                                                           .params = "core_params",
                                                           .params_bytes = sizeof(struct core_params),
                                                           .arch = arch,
                                                           .cluster = cluster});
    ww_kernel_unchecked(k);
    return k;
}

static ww_resource *ring(ww_kernel *k, const char *name, ww_pipeline pipeline)
{
    bool bytes = model_protocol_of(pipeline.type)->full_by == MODEL_BY_EXPECT;
    return ww_resource_new(k, name,
                           &(ww_resource_options){.pipeline = pipeline,
                                                  .buffers = {{.name = "data", .bytes = 1024}},
                                                  .work = bytes ? tma_work : async_work});
}

static void task(ww_kernel *k, const char *name, int first, int warps, ww_schedule_function *schedule,
                 parts *p)
{
    ww_task_new(k, name,
                &(ww_task_options){.first_warp = first, .warps = warps, .schedule = schedule, .context = p});
}

static const char *emitted(ww_kernel *k)
{
    const ww_diag *d = ww_kernel_check(k);
    if (ww_diag_count(d, WW_ERROR))
        ww_diag_print(stderr, d);
    const char *cuda = ww_kernel_emit(k);
    assert_non_null(cuda);
    return cuda;
}

static const ir_barrier *barrier(const ww_kernel *k, const ww_resource *r, ir_side side)
{
    for (size_t i = 0; i < k->program->barriers.len; i++)
        if (k->program->barriers.at[i].resource == r->index && k->program->barriers.at[i].side == side)
            return &k->program->barriers.at[i];
    fail_msg("%s has no such barrier", r->name);
    return NULL;
}

#define EXPECT_TASK(cuda, task, ...) emitted_expect(cuda, task, (const char *const[]){__VA_ARGS__, NULL})

/* ---- groups ---------------------------------------------------------------------------------------------- */

static void fill_a(ww_schedule *s, void *context)
{
    parts *p = context;
    TRIPS(s)
    {
        ww_acquire(s, p->a);
        ww_produce(s, p->a, "fill");
        ww_commit(s, p->a);
    }
}

static void fill_b(ww_schedule *s, void *context)
{
    parts *p = context;
    TRIPS(s)
    {
        ww_acquire(s, p->b);
        ww_produce(s, p->b, "fill");
        ww_commit(s, p->b);
    }
}

static void use_merged(ww_schedule *s, void *context)
{
    parts *p = context;
    TRIPS(s)
    {
        ww_try_wait(s, p->a);
        ww_try_wait(s, p->b);
        ww_wait(s, p->a);
        ww_wait(s, p->b);
        ww_consume(s, p->a, "use");
        ww_consume(s, p->b, "use");
        ww_release(s, p->g);
    }
}

/* Two full barriers, one empty barrier: both producers wait on it, the consumer's one cursor serves both members. */
static void test_merge(void **state)
{
    (void)state;
    parts p = {0};
    ww_kernel *k = kernel_for("sm_90a", (ww_cluster){0});
    p.a = ring(k, "a", ww_pipeline_async_async(.stages = 2));
    p.b = ring(k, "b", ww_pipeline_tma_async(.stages = 2));
    p.g = ww_group_new(k, "g", &(ww_group_options){.mode = WW_MERGE, .members = {p.a, p.b}});
    task(k, "la", 0, 1, fill_a, &p);
    task(k, "lb", 1, 1, fill_b, &p);
    task(k, "out", 4, 4, use_merged, &p);
    const char *cuda = emitted(k);
    EXPECT_TASK(cuda, "la", "mbarrier_wait(g_empty + 8 * a_produce_slot, a_produce_parity);",
                "mbarrier_arrive(a_full + 8 * a_produce_slot);");
    EXPECT_TASK(cuda, "lb", "mbarrier_wait(g_empty + 8 * b_produce_slot, b_produce_parity);",
                "if (elect_one()) mbarrier_arrive_expect_tx(b_full + 8 * b_produce_slot, 1024);");
    EXPECT_TASK(cuda, "out", "ready_0 = mbarrier_try_wait(a_full + 8 * g_consume_slot, g_consume_parity);",
                "ready_1 = mbarrier_try_wait(b_full + 8 * g_consume_slot, g_consume_parity);",
                "if (!ready_0) mbarrier_wait(a_full + 8 * g_consume_slot, g_consume_parity);",
                "if (!ready_1) mbarrier_wait(b_full + 8 * g_consume_slot, g_consume_parity);", "syncwarp();",
                "if (elect_one()) mbarrier_arrive(g_empty + 8 * g_consume_slot);");
    assert_int_equal(barrier(k, p.a, IR_FULL)->arrivals, 32);
    assert_int_equal(barrier(k, p.b, IR_FULL)->arrivals, 1);
    assert_int_equal(barrier(k, p.b, IR_FULL)->tx_bytes, 1024);
    assert_int_equal(barrier(k, p.g, IR_EMPTY)->arrivals, 4);
    assert_non_null(strstr(cuda, "ready_0 = false;")); /* one cursor, both answers are forgotten */
    assert_non_null(strstr(cuda, "ready_1 = false;"));
    ww_kernel_free(k);
}

static void use_fused(ww_schedule *s, void *context)
{
    parts *p = context;
    TRIPS(s)
    {
        ww_wait(s, p->g);
        ww_consume(s, p->a, "use");
        ww_consume(s, p->b, "use");
        ww_release(s, p->g);
    }
}

/* One full barrier too: 32 threads of the one producer and one announcement of the other end its phase. */
static void test_fused_merge(void **state)
{
    (void)state;
    parts p = {0};
    ww_kernel *k = kernel_for("sm_90a", (ww_cluster){0});
    p.a = ring(k, "a", ww_pipeline_async_async(.stages = 2));
    p.b = ring(k, "b", ww_pipeline_tma_async(.stages = 2));
    p.g = ww_group_new(k, "g", &(ww_group_options){.mode = WW_FUSED_MERGE, .members = {p.a, p.b}});
    task(k, "la", 0, 1, fill_a, &p);
    task(k, "lb", 1, 1, fill_b, &p);
    task(k, "out", 4, 4, use_fused, &p);
    const char *cuda = emitted(k);
    EXPECT_TASK(cuda, "la", "mbarrier_wait(g_empty + 8 * a_produce_slot, a_produce_parity);",
                "mbarrier_arrive(g_full + 8 * a_produce_slot);");
    EXPECT_TASK(cuda, "lb", "mbarrier_wait(g_empty + 8 * b_produce_slot, b_produce_parity);",
                "if (elect_one()) mbarrier_arrive_expect_tx(g_full + 8 * b_produce_slot, 1024);");
    EXPECT_TASK(cuda, "out", "mbarrier_wait(g_full + 8 * g_consume_slot, g_consume_parity);", "syncwarp();",
                "if (elect_one()) mbarrier_arrive(g_empty + 8 * g_consume_slot);");
    assert_int_equal(barrier(k, p.g, IR_FULL)->arrivals, 33);
    assert_int_equal(barrier(k, p.g, IR_FULL)->tx_bytes, 1024);
    assert_int_equal(barrier(k, p.g, IR_EMPTY)->arrivals, 4);
    ww_kernel_free(k);
}

static void sum_fused(ww_schedule *s, void *context)
{
    parts *p = context;
    TRIPS(s)
    {
        ww_try_wait(s, p->g);
        ww_consume(s, p->a, "use");
        ww_wait(s, p->g);
        ww_release(s, p->g);
    }
}

/* Threads of both CTAs of a pair hand what they stored to the leader's tensor core: where one barrier stands for their
 * stores and for bulk copies, it is waited for in the whole cluster's order, too. */
static void test_fused_merge_of_a_pair(void **state)
{
    (void)state;
    parts p = {0};
    ww_kernel *k = kernel_for("sm_100a", (ww_cluster){.v = 2});
    p.a = ring(k, "a", ww_pipeline_async_umma(.stages = 2));
    p.b = ring(k, "b", ww_pipeline_tma_umma(.stages = 2));
    p.g = ww_group_new(k, "g", &(ww_group_options){.mode = WW_FUSED_MERGE, .members = {p.a, p.b}});
    task(k, "la", 0, 1, fill_a, &p);
    task(k, "lb", 1, 1, fill_b, &p);
    task(k, "out", 4, 1, sum_fused, &p);
    const char *cuda = emitted(k);
    assert_non_null(strstr(cuda, "ww::mbarrier_arrive_remote_release(smem_base + k_map::g_full"));
    assert_non_null(strstr(cuda, "ready_0 = ww::mbarrier_try_wait_cluster(smem_base + k_map::g_full"));
    assert_non_null(strstr(cuda, "ww::mbarrier_wait_cluster(smem_base + k_map::g_full"));
    assert_null(strstr(cuda, "mbarrier_wait(smem_base + k_map::g_full"));
    ww_kernel_free(k);
}

static void fill_fork(ww_schedule *s, void *context)
{
    parts *p = context;
    TRIPS(s)
    {
        ww_acquire(s, p->a);
        ww_acquire(s, p->b);
        ww_produce(s, p->a, "fill");
        ww_commit(s, p->g);
    }
}

static void mma(ww_schedule *s, void *context)
{
    parts *p = context;
    TRIPS(s)
    {
        ww_wait(s, p->a);
        ww_produce(s, p->c, "mma");
        ww_release(s, p->a);
    }
}

static void use_b(ww_schedule *s, void *context)
{
    parts *p = context;
    TRIPS(s)
    {
        ww_wait(s, p->b);
        ww_consume(s, p->b, "use");
        ww_release(s, p->b);
    }
}

/* One load, two readers: bytes are announced once, though both members are fed by TMA; each reader gives back its own
 * empty barrier; only the tensor core's comes late, so only that one is drained. */
static void test_fork(void **state)
{
    (void)state;
    static const ww_work mma_work[] = {{.name = "mma", .side = WW_PRODUCER, .umma_reads = {"a"}}, {0}};
    static const ww_work reading[] = {{.name = "use", .side = WW_CONSUMER}, {0}};
    parts p = {0};
    ww_kernel *k = kernel_for("sm_100a", (ww_cluster){0});
    p.a = ring(k, "a", ww_pipeline_tma_umma(.stages = 2));
    p.b = ww_resource_new(k, "b",
                          &(ww_resource_options){.pipeline = ww_pipeline_tma_async(.stages = 2),
                                                 .buffers = {{.name = "data", .bytes = 1024, .shares = p.a}},
                                                 .work = reading});
    p.c = ww_resource_new(k, "c", &(ww_resource_options){.tmem = {{"d", 32}}, .work = mma_work});
    p.g = ww_group_new(k, "g", &(ww_group_options){.mode = WW_FORK, .members = {p.a, p.b}});
    task(k, "in", 4, 1, fill_fork, &p);
    task(k, "mma", 5, 1, mma, &p);
    task(k, "act", 0, 4, use_b, &p);
    const char *cuda = emitted(k);
    EXPECT_TASK(cuda, "in", "mbarrier_wait(a_empty + 8 * g_produce_slot, g_produce_parity);",
                "if (elect_one()) mbarrier_arrive_expect_tx(g_full + 8 * g_produce_slot, 1024);",
                "mbarrier_wait(b_empty + 8 * g_produce_slot, g_produce_parity);",
                "mbarrier_wait(a_empty + 8 * g_produce_slot, g_produce_parity);");
    EXPECT_TASK(cuda, "mma", "mbarrier_wait(g_full + 8 * a_consume_slot, a_consume_parity);",
                "if (elect_one()) tcgen05_commit<1>(a_empty + 8 * a_consume_slot);");
    EXPECT_TASK(cuda, "act", "mbarrier_wait(g_full + 8 * b_consume_slot, b_consume_parity);", "syncwarp();",
                "if (elect_one()) mbarrier_arrive(b_empty + 8 * b_consume_slot);");
    assert_int_equal(barrier(k, p.g, IR_FULL)->arrivals, 1);
    assert_int_equal(barrier(k, p.g, IR_FULL)->tx_bytes, 1024);
    assert_int_equal(barrier(k, p.a, IR_EMPTY)->arrivals, 1);
    assert_int_equal(barrier(k, p.b, IR_EMPTY)->arrivals, 4);
    assert_int_equal(p.a->buffers[0].offset, p.b->buffers[0].offset);
    ww_kernel_free(k);
}

/* ---- queues ---------------------------------------------------------------------------------------------- */

static void schedule_tiles(ww_schedule *s, void *context)
{
    parts *p = context;
    ww_work_tile_loop(s, p->q) {
        ww_fetch_tile(s, p->q);
        ww_advance_tile(s, p->q);
    }
}

static void walk_tiles(ww_schedule *s, void *context)
{
    parts *p = context;
    ww_work_tile_loop(s, p->q) {
        ww_produce(s, p->a, "fill");
        ww_advance_tile(s, p->q);
    }
}

/* One warp asks, everybody (the scheduler too) reads the answer; one lane a warp gives its slot back. */
static void test_clc_queue(void **state)
{
    (void)state;
    parts p = {0};
    ww_kernel *k = kernel_for("sm_100a", (ww_cluster){0});
    p.q = ww_queue_clc(k, "q", &(ww_queue_options){.tiles = {ww_arg(struct core_params, tiles, 0)}});
    p.a = ww_resource_new(k, "a", &(ww_resource_options){.work = async_work});
    task(k, "scheduler", 4, 1, schedule_tiles, &p);
    task(k, "walk", 0, 4, walk_tiles, &p);
    const char *cuda = emitted(k);
    EXPECT_TASK(cuda, "scheduler", "mbarrier_wait(q_empty + 8 * q_produce_slot, q_produce_parity);",
                "if (elect_one()) mbarrier_arrive_expect_tx(q_full + 8 * q_produce_slot, 16);",
                "clc_fetch<1>(q_response + 16 * q_produce_slot, q_full + 8 * q_produce_slot);",
                "mbarrier_wait(q_full + 8 * q_consume_slot, q_consume_parity);",
                "tile = q_queue.decode_clc(q_response + 16 * q_consume_slot);", "syncwarp();",
                "if (elect_one()) mbarrier_arrive(q_empty + 8 * q_consume_slot);");
    EXPECT_TASK(cuda, "walk", "mbarrier_wait(q_full + 8 * q_consume_slot, q_consume_parity);",
                "tile = q_queue.decode_clc(q_response + 16 * q_consume_slot);", "syncwarp();",
                "if (elect_one()) mbarrier_arrive(q_empty + 8 * q_consume_slot);");
    assert_int_equal(barrier(k, p.q, IR_FULL)->arrivals, 1);
    assert_int_equal(barrier(k, p.q, IR_FULL)->tx_bytes, 16);
    assert_int_equal(barrier(k, p.q, IR_EMPTY)->arrivals, 5);
    ww_kernel_free(k);
}

/* In a cluster rank 0 asks for all: one lane arms each CTA's barrier, all CTAs give the slot back to rank 0. */
static void test_counter_queue_in_a_cluster(void **state)
{
    (void)state;
    parts p = {0};
    ww_kernel *k = kernel_for("sm_90a", (ww_cluster){.n = 2});
    p.q = ww_queue_counter(
        k, "q", &(ww_queue_options){.tiles = {ww_arg(struct core_params, tiles, 0)}, .counter = "counter"});
    p.a = ww_resource_new(k, "a", &(ww_resource_options){.work = async_work});
    task(k, "scheduler", 4, 1, schedule_tiles, &p);
    task(k, "walk", 0, 4, walk_tiles, &p);
    const char *cuda = emitted(k);
    EXPECT_TASK(cuda, "scheduler", "if (cta_rank == 0) {",
                "mbarrier_wait(q_empty + 8 * q_produce_slot, q_produce_parity);",
                "if (lane < 2) mbarrier_arrive_expect_tx_remote(q_full + 8 * q_produce_slot, 16, lane);",
                "counter_fetch<2>(q_queue, params.counter, q_response + 16 * q_produce_slot, q_full + 8 * "
                "q_produce_slot);",
                "mbarrier_wait(q_full + 8 * q_consume_slot, q_consume_parity);",
                "tile = q_queue.decode_counter(q_response + 16 * q_consume_slot);", "syncwarp();",
                "if (elect_one()) mbarrier_arrive_remote(q_empty + 8 * q_consume_slot, 0);");
    assert_int_equal(barrier(k, p.q, IR_FULL)->arrivals, 1);
    assert_int_equal(barrier(k, p.q, IR_EMPTY)->arrivals, 10);
    ww_kernel_free(k);
}

/* ---- barriers without data -------------------------------------------------------------------------------- */

static void sync_task(ww_schedule *s, void *context)
{
    parts *p = context;
    TRIPS(s)
    ww_sync(s, p->a);
}

static void arrive_task(ww_schedule *s, void *context)
{
    parts *p = context;
    TRIPS(s)
    {
        ww_sync(s, p->b);
        ww_sync_arrive(s, p->a);
    }
}

static void test_named_barriers(void **state)
{
    (void)state;
    parts p = {0};
    ww_kernel *k = kernel_for("sm_90a", (ww_cluster){0});
    p.a = ww_named_barrier_new(k, "a", 0);
    p.b = ww_named_barrier_new(k, "b", 0);
    task(k, "waits", 0, 4, sync_task, &p);
    task(k, "signals", 4, 2, arrive_task, &p);
    const char *cuda = emitted(k);
    EXPECT_TASK(cuda, "waits", "named_barrier_sync(1, 192);");
    EXPECT_TASK(cuda, "signals", "named_barrier_sync(2, 64);", "named_barrier_arrive(1, 192);");
    ww_kernel_free(k);
}

static void take_turns(ww_schedule *s, void *context)
{
    parts *p = context;
    TRIPS(s)
    {
        ww_acquire(s, p->a);
        ww_commit(s, p->a);
    }
}

/* The first participant's turn is there from the start (parity 1), each passes on to the next, the last to the first. */
static void test_ordered_sequence(void **state)
{
    (void)state;
    parts p = {0};
    ww_kernel *k = kernel_for("sm_90a", (ww_cluster){0});
    p.a = ww_ordered_sequence_new(k, "order");
    task(k, "ping", 0, 4, take_turns, &p);
    task(k, "pong", 4, 4, take_turns, &p);
    const char *cuda = emitted(k);
    EXPECT_TASK(cuda, "ping", "mbarrier_wait(order_turn_0, order_produce_parity);", "syncwarp();",
                "if (elect_one()) mbarrier_arrive(order_turn_1);");
    EXPECT_TASK(cuda, "pong", "mbarrier_wait(order_turn_1, order_produce_parity);", "syncwarp();",
                "if (elect_one()) mbarrier_arrive(order_turn_0);");
    assert_non_null(strstr(cuda, "uint32_t order_produce_parity = 1;"));
    assert_non_null(strstr(cuda, "uint32_t order_produce_parity = 0;"));
    assert_int_equal(barrier(k, p.a, IR_TURN)->arrivals, 4);
    ww_kernel_free(k);
}

/* Each CTA has turns of its own. */
static void test_ordered_sequence_in_a_cluster(void **state)
{
    (void)state;
    parts p = {0};
    ww_kernel *k = kernel_for("sm_90a", (ww_cluster){.m = 2});
    p.a = ww_ordered_sequence_new(k, "order");
    task(k, "ping", 0, 4, take_turns, &p);
    task(k, "pong", 4, 4, take_turns, &p);
    EXPECT_TASK(emitted(k), "ping", "mbarrier_wait(order_turn_0, order_produce_parity);", "syncwarp();",
                "if (elect_one()) mbarrier_arrive(order_turn_1);");
    assert_true(ww_kernel_prove(k).proved);
    ww_kernel_free(k);
}

static void pdl(ww_schedule *s, void *context)
{
    parts *p = context;
    ww_griddep_wait(s, p->a);
    TRIPS(s)
    ww_produce(s, p->c, "fill");
    ww_griddep_launch(s, p->b);
}

static void test_pdl_and_one_cta(void **state)
{
    (void)state;
    parts p = {0};
    ww_kernel *k = kernel_for("sm_90a", (ww_cluster){.n = 2});
    p.a = ww_pdl_wait_new(k, "before");
    p.b = ww_pdl_launch_new(k, "after");
    p.c = ww_resource_new(k, "c", &(ww_resource_options){.work = async_work});
    ww_task_new(k, "only",
                &(ww_task_options){.warps = 1, .schedule = pdl, .context = &p, .only_cta = WW_ONLY_CTA(1)});
    const char *cuda = emitted(k);
    EXPECT_TASK(cuda, "only", "griddepcontrol_wait();", "griddepcontrol_launch_dependents();");
    assert_non_null(strstr(cuda, "cta_rank == 1"));
    ww_kernel_free(k);
}

/* ---- interleaving, split sides ------------------------------------------------------------------------------ */

static void fill_lane(ww_schedule *s, void *context)
{
    parts *p = context;
    ww_domain_loop(s, ww_imm(1), ww_arg(struct core_params, trips, 0), ww_imm(2)) {
        ww_acquire(s, p->a);
        ww_produce(s, p->a, "fill");
        ww_commit(s, p->a);
    }
}

/* Stride 2 over 4 stages: a task of two warps has a lane a warp; a task whose loop starts at 1 by 2 is lane 1. */
static void test_interleaving(void **state)
{
    (void)state;
    parts p = {0};
    ww_kernel *k = kernel_for("sm_90a", (ww_cluster){0});
    p.a = ring(k, "a", ww_pipeline_tma_async(.stages = 4, .stride = {.acquire = 2, .commit = 2}));
    task(k, "two", 0, 2, fill_a, &p);
    const char *cuda = emitted(k);
    assert_non_null(strstr(cuda, "uint32_t a_produce_slot = task_warp;"));
    assert_non_null(strstr(cuda, "a_produce_slot += 2;"));
    assert_int_equal(barrier(k, p.a, IR_FULL)->arrivals, 1);
    ww_kernel_free(k);
    k = kernel_for("sm_90a", (ww_cluster){0});
    p.a = ring(k, "a", ww_pipeline_tma_async(.stages = 4, .stride = {.acquire = 2, .commit = 2}));
    task(k, "odd", 0, 1, fill_lane, &p);
    cuda = emitted(k);
    assert_non_null(strstr(cuda, "uint32_t a_produce_slot = 1;"));
    ww_kernel_free(k);
}

static void wait_and_read(ww_schedule *s, void *context)
{
    parts *p = context;
    TRIPS(s)
    {
        ww_wait(s, p->a);
        ww_consume(s, p->a, "use");
        ww_sync_arrive(s, p->b);
    }
}

static void release_only(ww_schedule *s, void *context)
{
    parts *p = context;
    TRIPS(s)
    {
        ww_sync(s, p->b);
        ww_release(s, p->a);
    }
}

/* One task waits, another releases: each has a cursor of its own, and nobody had to ask for it. */
static void test_split_consumer(void **state)
{
    (void)state;
    parts p = {0};
    ww_kernel *k = kernel_for("sm_90a", (ww_cluster){0});
    p.a = ring(k, "a", ww_pipeline_tma_async(.stages = 2));
    p.b = ww_named_barrier_new(k, "b", 0);
    task(k, "reads", 0, 4, wait_and_read, &p);
    task(k, "releases", 4, 1, release_only, &p);
    task(k, "la", 5, 1, fill_a, &p);
    const char *cuda = emitted(k);
    EXPECT_TASK(cuda, "reads", "mbarrier_wait(a_full + 8 * a_consume_slot, a_consume_parity);",
                "named_barrier_arrive(1, 160);");
    EXPECT_TASK(cuda, "releases", "named_barrier_sync(1, 160);", "syncwarp();",
                "if (elect_one()) mbarrier_arrive(a_empty + 8 * a_release_slot);");
    assert_true(p.a->pipeline.advance_on_wait);
    assert_int_equal(barrier(k, p.a, IR_EMPTY)->arrivals, 1);
    ww_kernel_free(k);
}

/* ---- set-up and end ------------------------------------------------------------------------------------------ */

static void sums(ww_schedule *s, void *context)
{
    parts *p = context;
    ww_acquire(s, p->c);
    TRIPS(s)
    {
        ww_wait(s, p->a);
        ww_produce(s, p->c, "mma");
        ww_release(s, p->a);
    }
    ww_commit(s, p->c);
}

static void read_sums(ww_schedule *s, void *context)
{
    parts *p = context;
    ww_wait(s, p->c);
    ww_consume(s, p->c, "load");
    ww_release(s, p->c);
}

/* Barriers are made by the lanes of one warp side by side, tensor memory is allocated and published behind the same
 * barrier; at the end everybody has finished with it before it goes back. */
static void test_set_up(void **state)
{
    (void)state;
    static const ww_work work[] = {{.name = "mma", .side = WW_PRODUCER, .umma_reads = {"a"}},
                                   {.name = "load", .side = WW_CONSUMER},
                                   {0}};
    parts p = {0};
    ww_kernel *k = kernel_for("sm_100a", (ww_cluster){0});
    p.a = ring(k, "a", ww_pipeline_tma_umma(.stages = 3));
    p.c = ww_resource_new(k, "c",
                          &(ww_resource_options){.pipeline = ww_pipeline_umma_async(.stages = 2),
                                                 .tmem = {{"sums", 100}},
                                                 .work = work});
    task(k, "la", 4, 1, fill_a, &p);
    task(k, "mma", 5, 1, sums, &p);
    task(k, "out", 0, 4, read_sums, &p);
    const char *cuda = emitted(k);
    emitted_expect_between(cuda, "if (warp == 0) {", "// task",
                           (const char *const[]){
                               "mbarrier_init(ww_barriers + 8 * i, i < 8 ? 1 : 128);",
                               "fence_mbarrier_init();",
                               "syncwarp();",
                               "tcgen05_alloc<1>(ww_tmem_slot, 256);",
                               "tcgen05_relinquish<1>();",
                               "tcgen05_fence_before_thread_sync();",
                               "__syncthreads();",
                               "tcgen05_fence_after_thread_sync();",
                               NULL,
                           });
    emitted_expect_between(cuda, "// commit c", "",
                           (const char *const[]){
                               "tcgen05_fence_before_thread_sync();",
                               "__syncthreads();",
                               "tcgen05_fence_after_thread_sync();",
                               "tcgen05_dealloc<1>(tmem_base, 256);",
                               NULL,
                           });
    assert_int_equal(k->tmem_columns, 256);
    ww_kernel_free(k);
}

static void values_named_as_our_own(ww_schedule *s, void *context)
{
    parts *p = context;
    ww_token i, start, ready;
    ww_domain_loop(s, ww_device("first"), ww_imm(4), ww_imm(1)) {
        ww_consume(s, p->a, "make", .out = {&i, &start, &ready});
        ww_first_iter(s) {
            ww_consume(s, p->a, "take", .in = {i, start});
        }
    }
    ww_consume(s, p->a, "take", .in = {ready, ready});
}

/* Values may be named as generated code names its loops: i_0 is the trip, not the value. */
static void test_names_of_values(void **state)
{
    (void)state;
    static const ww_work work[] = {
        {.name = "make", .side = WW_CONSUMER, .out = {"int i", "int start", "int ready"}},
        {.name = "take", .side = WW_CONSUMER, .in = {"int i", "int start"}},
        {0}};
    parts p = {0};
    ww_kernel *k = kernel_for("sm_90a", (ww_cluster){0});
    p.a = ww_resource_new(k, "a", &(ww_resource_options){.work = work});
    task(k, "t", 0, 1, values_named_as_our_own, &p);
    const char *cuda = emitted(k);
    assert_non_null(strstr(cuda, "int ready_value_2{};"));
    assert_non_null(strstr(cuda, "for (int i_0 = start_0; i_0 < 4; i_0 += 1) {\n            int i_value_0;\n"
                                 "            int start_value_1;\n"));
    assert_non_null(strstr(cuda, "i_value_0, start_value_1, ready_value_2);"));
    assert_non_null(strstr(cuda, "ww::input(i_value_0), ww::input(start_value_1));"));
    assert_non_null(strstr(cuda, "ww::input(ready_value_2), ww::input(ready_value_2));"));
    ww_kernel_free(k);
}

/* Nobody to launch is no empty block: the kernel does nothing. */
static void test_no_tasks(void **state)
{
    (void)state;
    ww_kernel *k = kernel_for("sm_90a", (ww_cluster){0});
    assert_non_null(strstr(emitted(k), "__launch_bounds__(32, 1)"));
    ww_kernel_free(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_merge),
        cmocka_unit_test(test_fused_merge),
        cmocka_unit_test(test_fused_merge_of_a_pair),
        cmocka_unit_test(test_fork),
        cmocka_unit_test(test_clc_queue),
        cmocka_unit_test(test_counter_queue_in_a_cluster),
        cmocka_unit_test(test_named_barriers),
        cmocka_unit_test(test_ordered_sequence),
        cmocka_unit_test(test_ordered_sequence_in_a_cluster),
        cmocka_unit_test(test_pdl_and_one_cta),
        cmocka_unit_test(test_interleaving),
        cmocka_unit_test(test_split_consumer),
        cmocka_unit_test(test_set_up),
        cmocka_unit_test(test_names_of_values),
        cmocka_unit_test(test_no_tasks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
