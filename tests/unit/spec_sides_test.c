/* Who acts, whose cursors move, and who waits at the end: what the framework that this one follows got wrong about
 * leaders, cursors that run ahead, lanes and drains, done right. By the numbers of docs/coverage.md: D5, D7 to D14, D21,
 * D28 to D30, Q3, Q4, Q6, Q20, Q21. */
#include "spec_kernel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>

static const ww_cluster pair = {.v = 2};

static void multiply(ww_schedule *s, void *context)
{
    const spec_parts *p = context;
    SPEC_LOOP(s)
    {
        ww_wait(s, p->a);
        ww_produce(s, p->c, "mma");
        ww_release(s, p->a);
    }
}

static void multiply_into_ring(ww_schedule *s, void *context)
{
    const spec_parts *p = context;
    SPEC_LOOP(s)
    {
        ww_wait(s, p->a);
        ww_acquire(s, p->b);
        ww_produce(s, p->b, "mma");
        ww_release(s, p->a);
        ww_commit(s, p->b);
    }
}

/* A ring "a" that threads or copies fill and tcgen05 reads into "c". */
static ww_kernel *operand_kernel(ww_cluster cluster, ww_pipeline pipeline, int producer_warps)
{
    ww_kernel *k = spec_kernel("sm_100a", cluster);
    spec_parts p = {.a = spec_ring(k, "a", pipeline)};
    p.c = spec_sums(k, "c", "a");
    spec_task(k, "in", 0, producer_warps, spec_fill, p.a);
    spec_task(k, "mma", 4, 1, multiply, &p);
    return k;
}

/* "a" by copies, read by tcgen05 into the ring "b", read by threads. */
static ww_kernel *gemm_kernel(ww_cluster cluster, ww_pipeline out)
{
    static const ww_work work[] = {
        {.name = "mma", .side = WW_PRODUCER, .umma_reads = {"a"}}, {.name = "use", .side = WW_CONSUMER}, {0}};
    ww_kernel *k = spec_kernel("sm_100a", cluster);
    spec_parts p = {.a = spec_ring(k, "a", ww_pipeline_tma_umma(.stages = 2))};
    p.b =
        ww_resource_new(k, "b", &(ww_resource_options){.pipeline = out, .tmem = {{"acc", 32}}, .work = work});
    spec_task(k, "in", 5, 1, spec_fill, p.a);
    spec_task(k, "mma", 4, 1, multiply_into_ring, &p);
    spec_task(k, "out", 0, 4, spec_use, p.b);
    return k;
}

/* ---- leaders and followers -------------------------------------------------------------------------------- */

/* D7: one a pair, by the rank, wherever the question is asked. */
static void every_pair_has_a_leader(void **state)
{
    (void)state;
    const ww_cluster pairs = {.v = 2, .m = 2};
    for (int rank = 0; rank < 4; rank++) {
        assert_int_equal(model_gate_open(&pairs, MODEL_LEADERS, rank), rank % 2 == 0);
        assert_int_equal(model_gate_open(&pairs, MODEL_RANK_0, rank), rank == 0);
    }
    ww_kernel *k = gemm_kernel(pairs, ww_pipeline_umma_async(.stages = 2));
    spec_accept(k);
    const char *cuda = spec_emit(k);
    SPEC_IN_ORDER(cuda, "// task in", "if (cluster::leader(cta_rank) == cta_rank) {",
                  "mbarrier_arrive_expect_tx");
    assert_int_equal(spec_count(cuda, "mma", "if (cluster::leader(cta_rank) == cta_rank) {"),
                     5); /* each of its steps */
    assert_null(strstr(cuda, "blockIdx.x %"));
    ww_kernel_free(k);
}

/* D8, D14: barriers may be the leaders' alone, cursors move in all CTAs; and work that nothing orders in a follower is
 * refuted. */
static void followers_keep_step_and_are_looked_at(void **state)
{
    (void)state;
    ww_kernel *k = spec_kernel("sm_100a", pair);
    ww_resource *ring =
        spec_ring(k, "ring",
                  ww_pipeline_async_async(.stages = 2, .producer_signaling = WW_SIGNAL_CTA_LEADER,
                                          .consumer_signaling = WW_SIGNAL_CTA_LEADER));
    spec_task(k, "in", 0, 1, spec_fill, ring);
    spec_task(k, "out", 4, 1, spec_use, ring);
    assert_null(ww_kernel_check(k));
    ww_verdict v = ww_kernel_prove(k);
    assert_false(v.proved);
    assert_int_equal(v.refutation->code, WW_RACE);
    assert_non_null(strstr(v.refutation->message, "CTA 1 reads ring.data[0] of CTA 1"));
    const char *const names[] = {"in", "out"};
    for (int i = 0; i < 2; i++) {
        const ir_task *t = spec_ir_task(k, names[i]);
        assert_int_equal(spec_op(t, IR_WAIT, 0)->gate, MODEL_LEADERS);
        assert_int_equal(spec_op(t, IR_ARRIVE, 0)->gate, MODEL_LEADERS);
        assert_int_equal(spec_op(t, IR_ADVANCE, 0)->gate, MODEL_EVERYWHERE);
    }
    SPEC_IN_ORDER(spec_emit(k), "// task out", "if (cluster::leader(cta_rank) == cta_rank) {",
                  "mbarrier_wait(", "}", "ring_use(", "if (cluster::leader(cta_rank) == cta_rank) {",
                  "mbarrier_arrive(", "}", "ring_consume_slot = ring_consume_slot == 1");
    ww_kernel_free(k);
}

/* D9, Q4: an acquire that runs ahead moves its cursor outside the leaders' gate, so that work sees the slot acquired. */
static void acquires_run_ahead_in_followers_too(void **state)
{
    (void)state;
    ww_kernel *k = spec_kernel("sm_100a", pair);
    spec_parts p = {.a = spec_ring(k, "a",
                                   ww_pipeline_async_umma(.stages = 3, .advance_on_acquire = true,
                                                          .producer_signaling = WW_SIGNAL_CTA_LEADER))};
    p.c = spec_sums(k, "c", "a");
    spec_task(k, "in", 0, 1, spec_fill, p.a);
    spec_task(k, "mma", 4, 1, multiply, &p);
    const char *cuda = spec_emit(k);
    const ir_task *t = spec_ir_task(k, "in");
    assert_int_equal(spec_op(t, IR_WAIT, 0)->gate, MODEL_LEADERS);
    assert_int_equal(spec_op(t, IR_ADVANCE, 0)->gate, MODEL_EVERYWHERE);
    assert_true(spec_op(t, IR_WORK, 0)->held);
    SPEC_IN_ORDER(cuda, "// task in", "if (cluster::leader(cta_rank) == cta_rank) {", "mbarrier_wait(", "}",
                  "a_produce_held = a_produce_slot;", "a_produce_slot = a_produce_slot == 2", "a_fill(",
                  "static_cast<int>(a_produce_held)", "a_commit_slot = a_commit_slot == 2");
    ww_kernel_free(k);
    k = gemm_kernel(
        pair, ww_pipeline_umma_async(.stages = 2, .advance_on_acquire = true)); /* all that a pair needs */
    spec_accept(k);
    SPEC_IN_ORDER(spec_emit(k), "// task mma", "b_empty + 8 * b_produce_slot", "}",
                  "b_produce_held = b_produce_slot;",
                  "b_produce_slot = ", "if (cluster::leader(cta_rank) == cta_rank) {", "b_mma(",
                  "static_cast<int>(b_produce_held)");
    ww_kernel_free(k);
}

/* ---- what a work body is told of its barriers --------------------------------------------------------------- */

static void expect_barriers(int stride, const char *side_slot)
{
    ww_kernel *k = spec_kernel(NULL, SPEC_ONE_CTA);
    ww_resource *ring = spec_ring(k, "ring", ww_pipeline_async_async(.stages = 4, .stride = {.all = stride}));
    spec_task(k, "in", 0, stride, spec_fill, ring);
    spec_task(k, "out", 4, stride, spec_use, ring);
    spec_accept(k);
    char full[64], empty[64];
    (void)snprintf(full, sizeof full, "smem_base + k_map::ring_full + 8 * ring_%s_slot,", side_slot);
    (void)snprintf(empty, sizeof empty, "smem_base + k_map::ring_empty + 8 * ring_%s_slot,", side_slot);
    const char *work = strcmp(side_slot, "produce") == 0 ? "ring_fill(" : "ring_use(";
    SPEC_IN_ORDER(spec_emit(k), work, "static_cast<int>(ring_", full, empty);
    ww_kernel_free(k);
}

/* D5: both barriers of the stage, on both sides, whatever the stride. */
static void work_is_told_both_barriers_of_its_stage(void **state)
{
    (void)state;
    for (int stride = 1; stride <= 2; stride++) {
        expect_barriers(stride, "produce");
        expect_barriers(stride, "consume");
    }
}

/* ---- drains ---------------------------------------------------------------------------------------------------- */

static int drains(const ir_task *t, const ww_resource *r)
{
    int n = 0;
    for (size_t i = 0; i < t->ops.len; i++)
        n += t->ops.at[i].drain && t->ops.at[i].kind == IR_WAIT && t->ops.at[i].resource == r->index;
    return n;
}

static const ir_op *first_drain(const ir_task *t)
{
    for (size_t i = 0; i < t->ops.len; i++)
        if (t->ops.at[i].drain)
            return &t->ops.at[i];
    fail_msg("task %s drains nothing", t->name);
    return NULL;
}

/* D10: where leaders alone acquire, leaders alone drain; and releases by threads need no drain. */
static void drains_stand_behind_the_gate_of_acquires(void **state)
{
    (void)state;
    ww_kernel *k = operand_kernel(
        pair, ww_pipeline_async_umma(.stages = 2, .producer_signaling = WW_SIGNAL_CTA_LEADER), 1);
    const char *cuda = spec_emit(k);
    const ir_task *t = spec_ir_task(k, "in");
    assert_int_equal(drains(t, k->resources.at[0]), 2);
    assert_int_equal(first_drain(t)->gate, MODEL_LEADERS);
    SPEC_IN_ORDER(cuda, "// drain a:", "for (int drained = 0; drained < 2; drained++) {",
                  "if (cluster::leader(cta_rank) == cta_rank) {", "mbarrier_wait(", "}", "a_produce_slot =");
    ww_kernel_free(k);
    k = spec_kernel("sm_100a", pair);
    ww_resource *ring = spec_ring(k, "ring", ww_pipeline_async_async(.stages = 2));
    spec_task(k, "in", 0, 1, spec_fill, ring);
    spec_task(k, "out", 1, 1, spec_use, ring);
    spec_accept(k);
    assert_int_equal(drains(spec_ir_task(k, "in"), ring), 0);
    ww_kernel_free(k);
}

/* Q3: no rank is left out of a drain that another one has; UmmaAsync, released by threads, needs none. */
static void all_ranks_drain_alike(void **state)
{
    (void)state;
    ww_kernel *k = gemm_kernel((ww_cluster){.n = 2}, ww_pipeline_umma_async(.stages = 2));
    spec_accept(k);
    const char *cuda = spec_emit(k);
    const ir_task *mma = spec_ir_task(k, "mma"), *in = spec_ir_task(k, "in");
    assert_int_equal(drains(mma, k->resources.at[1]), 0);
    assert_int_equal(drains(in, k->resources.at[0]), 2);
    assert_null(strstr(cuda, "if (cluster::leader")); /* without pairs all lead */
    SPEC_IN_ORDER(cuda, "// task out", "ww::cluster_arrive();", "ww::cluster_wait();");
    ww_kernel_free(k);
}

static void fill_tiles(ww_schedule *s, void *context)
{
    spec_parts *p = context;
    ww_work_tile_loop(s, p->queue) {
        spec_fill(s, p->a);
        ww_advance_tile(s, p->queue);
    }
}

static void multiply_two(ww_schedule *s, void *context)
{
    const spec_parts *p = context;
    SPEC_LOOP(s)
    {
        for (int lane = 0; lane < 2; lane++) {
            ww_wait(s, p->a);
            ww_produce(s, p->c, "mma");
            ww_release(s, p->a);
        }
    }
}

static void multiply_tiles(ww_schedule *s, void *context)
{
    spec_parts *p = context;
    ww_work_tile_loop(s, p->queue) {
        multiply_two(s, p);
        ww_advance_tile(s, p->queue);
    }
}

static ww_kernel *lanes_kernel(bool tiles)
{
    ww_kernel *k = spec_kernel("sm_100a", SPEC_ONE_CTA);
    spec_parts p = {
        .a = spec_ring(k, "a", ww_pipeline_async_umma(.stages = 6, .stride = {.acquire = 2, .commit = 2}))};
    p.c = spec_sums(k, "c", "a");
    p.queue = spec_queue(k);
    if (tiles)
        spec_task(k, "in", 0, 2, fill_tiles, &p);
    else
        spec_task(k, "in", 0, 2, spec_fill, p.a);
    spec_task(k, "mma", 4, 1, tiles ? multiply_tiles : multiply_two, &p);
    return k;
}

/* D11, D28, Q21: a lane waits for all the slots of its own, the one filled last among them, and for no others; with
 * tiles as without. */
static void a_lane_drains_all_its_slots_and_no_others(void **state)
{
    (void)state;
    for (int tiles = 0; tiles < 2; tiles++) {
        ww_kernel *k = lanes_kernel(tiles);
        spec_accept(k);
        const char *cuda = spec_emit(k);
        const ir_task *t = spec_ir_task(k, "in");
        const ir_cursor *c = &t->cursors.at[first_drain(t)->cursor];
        assert_int_equal(drains(t, k->resources.at[0]), 3);
        assert_int_equal(c->stride, 2);
        assert_int_equal(c->lane, IR_LANE_BY_WARP);
        SPEC_IN_ORDER(strstr(cuda, "// task in"), "for (int i_",
                      "// drain a:", "for (int drained = 0; drained < 3; drained++) {",
                      "a_produce_slot += 2;");
        ww_kernel_free(k);
    }
}

static void acquire_and_fill(ww_schedule *s, void *context)
{
    const spec_parts *p = context;
    SPEC_LOOP(s)
    {
        ww_acquire(s, p->a);
        ww_produce(s, p->a, "fill");
        ww_acquire(s, p->b);
        ww_commit(s, p->b);
    }
}

static void commit_alone(ww_schedule *s, void *context)
{
    const spec_parts *p = context;
    SPEC_LOOP(s)
    {
        ww_wait(s, p->b);
        ww_release(s, p->b);
        ww_commit(s, p->a);
    }
}

/* D12: who acquires drains, by the cursor that acquires move; who only commits has nothing to wait for. */
static void who_acquires_drains(void **state)
{
    (void)state;
    ww_kernel *k = spec_kernel("sm_100a", SPEC_ONE_CTA);
    spec_parts p = {.a = spec_ring(k, "a", ww_pipeline_async_umma(.stages = 2)),
                    .b = ww_resource_new(
                        k, "b", &(ww_resource_options){.pipeline = ww_pipeline_async_async(.stages = 2)})};
    p.c = spec_sums(k, "c", "a");
    spec_task(k, "in", 0, 1, acquire_and_fill, &p);
    spec_task(k, "tell", 1, 1, commit_alone, &p);
    spec_task(k, "mma", 4, 1, multiply, &p);
    spec_accept(k);
    const ir_task *in = spec_ir_task(k, "in"), *tell = spec_ir_task(k, "tell");
    assert_int_equal(drains(in, p.a), 2);
    assert_int_equal(in->cursors.at[first_drain(in)->cursor].role, IR_PRODUCE);
    assert_int_equal(first_drain(in)->cursor, spec_op(in, IR_WAIT, 0)->cursor);
    assert_int_equal(drains(tell, p.a), 0);
    ww_kernel_free(k);
}

static void fill_fork(ww_schedule *s, void *context)
{
    const spec_parts *p = context;
    SPEC_LOOP(s)
    {
        ww_acquire(s, p->a);
        ww_acquire(s, p->b);
        ww_produce(s, p->a, "fill");
        ww_commit(s, p->group);
    }
}

static void multiply_b(ww_schedule *s, void *context)
{
    const spec_parts *p = context;
    SPEC_LOOP(s)
    {
        ww_wait(s, p->b);
        ww_produce(s, p->queue, "mma");
        ww_release(s, p->b);
    }
}

/* D29, Q20: every member of a fork has empty barriers of its own, and each is waited for. The first warp of the one
 * producer announces for all. */
static void all_members_of_a_fork_are_drained(void **state)
{
    (void)state;
    ww_kernel *k = spec_kernel("sm_100a", SPEC_ONE_CTA);
    const ww_pipeline pipeline =
        ww_pipeline_tma_umma(.stages = 2, .producer_signaling = WW_SIGNAL_WARP_LEADER);
    static const ww_work halves[] = {
        {.name = "fill", .side = WW_PRODUCER, .copies = {{.buffer = "data", .bytes = 512}}}, {0}};
    spec_parts p = {.a = ww_resource_new(k, "a",
                                         &(ww_resource_options){.pipeline = pipeline,
                                                                .buffers = {{.name = "data", .bytes = 1024}},
                                                                .work = halves})};
    p.b =
        ww_resource_new(k, "b",
                        &(ww_resource_options){.pipeline = pipeline,
                                               .buffers = {{.name = "data", .bytes = 1024, .shares = p.a}}});
    p.group = ww_group_new(k, "both", &(ww_group_options){.mode = WW_FORK, .members = {p.a, p.b}});
    p.c = spec_sums(k, "c", "a");
    p.queue = spec_sums(k, "d", "b"); /* no queue: the second accumulator */
    spec_task(k, "in", 0, 2, fill_fork, &p);
    spec_task(k, "mma_a", 4, 1, multiply, &p);
    spec_task(k, "mma_b", 5, 1, multiply_b, &p);
    spec_accept(k);
    const char *cuda = spec_emit(k);
    const ir_task *in = spec_ir_task(k, "in");
    assert_int_equal(drains(in, p.a), 2);
    assert_int_equal(drains(in, p.b), 2);
    assert_int_equal(spec_barrier(k, p.group, IR_FULL)->arrivals, 1);
    assert_int_equal(spec_op(in, IR_EXPECT, 0)->lanes, MODEL_LANES_FIRST);
    SPEC_IN_ORDER(cuda, "// drain", "for (int drained = 0; drained < 2; drained++) {",
                  "a_empty + 8 * both_produce_slot", "b_empty + 8 * both_produce_slot",
                  "both_produce_slot = ");
    ww_kernel_free(k);
}

/* ---- lanes that run ahead ------------------------------------------------------------------------------------------ */

/* D13, Q6: strides and look-ahead together, on both sides. */
static void lanes_may_run_ahead(void **state)
{
    (void)state;
    ww_kernel *k = spec_kernel(NULL, SPEC_ONE_CTA);
    ww_resource *ring = spec_ring(
        k, "ring",
        ww_pipeline_async_async(.stages = 4, .stride = {.acquire = 2, .commit = 2, .wait = 2, .release = 2},
                                .advance_on_acquire = true, .advance_on_wait = true));
    spec_task(k, "in", 0, 2, spec_fill, ring);
    spec_task(k, "out", 2, 2, spec_use, ring);
    spec_accept(k);
    for (size_t t = 0; t < 2; t++)
        for (size_t c = 0; c < 2; c++) {
            assert_int_equal(k->program->tasks.at[t].cursors.at[c].stride, 2);
            assert_int_equal(k->program->tasks.at[t].cursors.at[c].lane, IR_LANE_BY_WARP);
        }
    SPEC_IN_ORDER(spec_emit(k), "uint32_t ring_produce_slot = task_warp;",
                  "uint32_t ring_commit_slot = task_warp;", "ring_produce_held = ring_produce_slot;",
                  "ring_produce_slot += 2;", "static_cast<int>(ring_produce_held)",
                  "ring_full + 8 * ring_commit_slot", "ring_commit_slot += 2;");
    ww_kernel_free(k);
}

/* ---- registers -------------------------------------------------------------------------------------------------------- */

static void idle(ww_schedule *s, void *context)
{
    const spec_parts *p = context;
    ww_produce(s, p->c, "finish");
}

static ww_kernel *split_kernel(int first, int second)
{
    static const ww_work work[] = {{.name = "finish", .side = WW_PRODUCER}, {0}};
    ww_kernel *k = spec_kernel(NULL, SPEC_ONE_CTA);
    spec_parts p = {.c = spec_plain(k, "c", work)};
    for (int i = 0; i < 3; i++)
        ww_task_new(k,
                    i == 0   ? "one"
                    : i == 1 ? "two"
                             : "three",
                    &(ww_task_options){.first_warp = 4 * i,
                                       .warps = 4,
                                       .registers = i ? second : first,
                                       .schedule = idle,
                                       .context = &p});
    spec_accept(k);
    return k;
}

/* Twelve warps start with 168 registers a thread. D30: what is given back need not be taken by others. */
static void registers_may_be_left_over(void **state)
{
    (void)state;
    ww_kernel *k = split_kernel(24, 40);
    SPEC_IN_ORDER(spec_emit(k), "ww::setmaxnreg_dec<24>();", "ww::setmaxnreg_dec<40>();",
                  "ww::setmaxnreg_dec<40>();");
    ww_kernel_free(k);
}

/* D21: who asks for what it has got changes nothing. */
static void an_equal_register_request_changes_nothing(void **state)
{
    (void)state;
    ww_kernel *k = split_kernel(40, 168);
    const char *cuda = spec_emit(k);
    assert_non_null(strstr(cuda, "ww::setmaxnreg_dec<40>();"));
    assert_null(strstr(cuda, "<168>"));
    ww_kernel_free(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_has_a_leader),
        cmocka_unit_test(followers_keep_step_and_are_looked_at),
        cmocka_unit_test(acquires_run_ahead_in_followers_too),
        cmocka_unit_test(work_is_told_both_barriers_of_its_stage),
        cmocka_unit_test(drains_stand_behind_the_gate_of_acquires),
        cmocka_unit_test(all_ranks_drain_alike),
        cmocka_unit_test(a_lane_drains_all_its_slots_and_no_others),
        cmocka_unit_test(who_acquires_drains),
        cmocka_unit_test(all_members_of_a_fork_are_drained),
        cmocka_unit_test(lanes_may_run_ahead),
        cmocka_unit_test(registers_may_be_left_over),
        cmocka_unit_test(an_equal_register_request_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
