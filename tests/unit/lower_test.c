/* Lowering: what each verb becomes, by hand from the protocol of its pipeline type (spec: PTX-level
 * semantics), and the cursors, counts, bytes, sections and values around it. */
#include "core_kernel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void fill(ww_schedule *s, void *ring)
{
    ww_produce(s, ring, "touch");
    ww_domain_loop(s, ww_imm(0), ww_arg(struct core_params, trips, 0), ww_imm(1)) {
        ww_try_acquire(s, ring);
        ww_acquire(s, ring);
        ww_produce(s, ring, "fill");
        ww_commit(s, ring);
    }
}

static void drain(ww_schedule *s, void *ring)
{
    ww_token x;
    ww_domain_loop(s, ww_imm(0), ww_arg(struct core_params, trips, 0), ww_imm(1)) {
        ww_wait(s, ring);
        ww_consume(s, ring, "look", .out = {&x});
        ww_release(s, ring);
    }
    ww_consume(s, ring, "use", .in = {x});
}

static ww_kernel *two_tasks(ww_pipeline pipeline)
{
    ww_kernel *k = core_kernel();
    ww_resource *ring = core_ring(k, pipeline);
    (void)core_task(k, "fill", 0, fill, ring);
    (void)ww_task_new(k, "drain",
                      &(ww_task_options){.first_warp = 4, .warps = 3, .schedule = drain, .context = ring});
    (void)core_lower(k);
    return k;
}

static void expect_ops(ww_kernel *k, int task, const char *const *expected)
{
    const ir_task *t = &k->program->tasks.at[task];
    for (size_t i = 0; i < t->ops.len; i++) {
        text line = {0};
        ir_op_text(k->program, t, &t->ops.at[i], &line);
        assert_non_null(expected[i]);
        assert_string_equal(text_str(&line), expected[i]);
        text_free(&line);
    }
    assert_null(expected[t->ops.len]);
}

static void test_tma_async(void **state)
{
    (void)state;
    ww_kernel *k = two_tasks((ww_pipeline){.type = WW_TMA_ASYNC});
    expect_ops(k, 0,
               (const char *const[]){"ring.touch()", "loop [0, trips) step 1", "probe ring.empty",
                                     "wait ring.empty", "expect ring.full 1024 bytes by one lane a warp",
                                     "ring.fill()", "advance ring", "}", NULL});
    expect_ops(k, 1,
               (const char *const[]){"loop [0, trips) step 1", "wait ring.full", "x = ring.look()",
                                     "arrive ring.empty by one lane a warp", "advance ring", "}",
                                     "ring.use(x)", NULL});
    const ir_barrier *full = &k->program->barriers.at[0], *empty = &k->program->barriers.at[1];
    assert_int_equal(full->arrivals, 1);
    assert_int_equal(full->tx_bytes, 1024);
    assert_int_equal(empty->arrivals, 3);
    assert_int_equal(empty->offset, full->offset + 2 * 8);
    assert_int_equal(k->program->tasks.at[0].cursors.at[0].parity, 1);
    assert_int_equal(k->program->tasks.at[1].cursors.at[0].parity, 0);
    ww_kernel_free(k);
}

static void test_async_async(void **state)
{
    (void)state;
    ww_kernel *k = two_tasks((ww_pipeline){.type = WW_ASYNC_ASYNC});
    expect_ops(k, 0,
               (const char *const[]){"ring.touch()", "loop [0, trips) step 1", "probe ring.empty",
                                     "wait ring.empty", "ring.fill()", "arrive ring.full by all lanes",
                                     "advance ring", "}", NULL});
    assert_int_equal(k->program->barriers.at[0].arrivals, 32);
    assert_int_equal(k->program->barriers.at[0].tx_bytes, 0);
    assert_int_equal(k->program->barriers.at[1].arrivals, 96);
    ww_kernel_free(k);
}

/* A count of 32 a warp on a side where one lane arrives means that the author wants all lanes to. */
static void test_all_thread_release(void **state)
{
    (void)state;
    ww_kernel *k = two_tasks((ww_pipeline){.type = WW_TMA_ASYNC, .consumer_arrivals = 96});
    assert_int_equal(k->program->barriers.at[1].arrivals, 96);
    assert_int_equal(k->program->tasks.at[1].ops.at[3].lanes, MODEL_LANES_ALL);
    ww_kernel_free(k);
}

static void test_sections_and_values(void **state)
{
    (void)state;
    ww_kernel *k = two_tasks((ww_pipeline){.type = WW_TMA_ASYNC});
    const ir_task *first = &k->program->tasks.at[0], *second = &k->program->tasks.at[1];
    assert_int_equal(first->ops.at[0].section, IR_HEAD);
    assert_int_equal(first->ops.at[3].section, IR_BODY);
    assert_int_equal(second->ops.at[6].section, IR_TAIL);
    assert_int_equal(second->ops.at[0].match, 5);
    assert_true(second->values.at[0].hoisted);
    assert_int_equal(second->ops.at[6].in[0], 0);
    assert_int_equal(first->status_count, 1);
    assert_int_equal(second->status_count, 0);
    assert_int_equal(second->ops.at[1].status, -1);
    assert_int_equal(first->ops.at[6].status, 0);
    ww_kernel_free(k);
}

static void test_effects(void **state)
{
    (void)state;
    ww_kernel *k = two_tasks((ww_pipeline){.type = WW_TMA_ASYNC});
    const ir_op *copy = &k->program->tasks.at[0].ops.at[5], *read = &k->program->tasks.at[1].ops.at[2];
    assert_int_equal(copy->effect_count, 1);
    assert_int_equal(copy->effects[0].kind, IR_COPY_IN);
    assert_int_equal(copy->effects[0].bytes, 1024);
    assert_int_equal(copy->effects[0].barrier, 0);
    assert_int_equal(read->effect_count, 1);
    assert_int_equal(read->effects[0].kind, IR_READ);
    assert_int_equal(k->program->tasks.at[0].ops.at[0].effect_count, 0);
    ww_kernel_free(k);
}

/* Look-ahead: the wait moves its own cursor, so work sees the slot before, and release follows on a second
 * cursor. */
static void test_advance_on_wait(void **state)
{
    (void)state;
    ww_kernel *k = two_tasks((ww_pipeline){.type = WW_TMA_ASYNC, .advance_on_wait = true});
    expect_ops(k, 1,
               (const char *const[]){"loop [0, trips) step 1", "wait ring.full", "advance ring",
                                     "x = ring.look()", "arrive ring.empty by one lane a warp",
                                     "advance ring", "}", "ring.use(x)", NULL});
    const ir_task *t = &k->program->tasks.at[1];
    assert_int_equal(t->cursors.len, 2);
    assert_true(t->ops.at[3].held);
    assert_int_equal(t->cursors.at[t->ops.at[4].cursor].role, IR_RELEASE_BEHIND);
    ww_kernel_free(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tma_async),
        cmocka_unit_test(test_async_async),
        cmocka_unit_test(test_all_thread_release),
        cmocka_unit_test(test_sections_and_values),
        cmocka_unit_test(test_effects),
        cmocka_unit_test(test_advance_on_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
