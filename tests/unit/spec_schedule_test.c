/* Schedules: what the framework that this one follows got wrong in recording and lowering them, done right; and the
 * blocks that it documents and does not have. By the numbers of docs/coverage.md: D1 to D7, D16 to D18, D24 to D27, D31,
 * D32, N1 to N6. */
#include "spec_kernel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* ---- D1: probes ------------------------------------------------------------------------------------------ */

static const ww_work finish_work[] = {{.name = "finish", .side = WW_PRODUCER}, {0}};

static void probe_the_first_slot(ww_schedule *s, void *context)
{
    const spec_parts *p = context;
    ww_try_wait(s, p->a);
    ww_produce(s, p->c, "finish");
    ww_wait(s, p->a);
    ww_consume(s, p->a, "use");
    ww_release(s, p->a);
    spec_use(s, p->a);
}

static void probe_in_the_first_trip(ww_schedule *s, void *context)
{
    const spec_parts *p = context;
    ww_acquire(s, p->a);
    ww_produce(s, p->a, "fill");
    ww_commit(s, p->a);
    SPEC_LOOP(s)
    {
        ww_first_iter(s) {
            ww_try_acquire(s, p->a);
        }
        ww_produce(s, p->c, "finish");
        ww_acquire(s, p->a);
        ww_produce(s, p->a, "fill");
        ww_commit(s, p->a);
    }
}

/* An answer belongs to one slot and one lap. Where the cursor moves it is forgotten, so that each later wait, with no
 * probe of its own, is carried out. */
static void a_probe_is_forgotten_when_its_cursor_moves(void **state)
{
    (void)state;
    ww_kernel *k = spec_kernel(NULL, SPEC_ONE_CTA);
    spec_parts p = {.a = spec_ring(k, "ring", ww_pipeline_async_async(.stages = 2)),
                    .c = spec_plain(k, "c", finish_work)};
    spec_task(k, "in", 0, 1, probe_in_the_first_trip, &p);
    spec_task(k, "out", 1, 1, probe_the_first_slot, &p);
    spec_accept(k);
    const char *const names[] = {"in", "out"};
    for (int t = 0; t < 2; t++) {
        const ir_task *task = spec_ir_task(k, names[t]);
        assert_int_equal(task->status_count, 1);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(spec_op(task, IR_WAIT, i)->status, 0);
            assert_int_equal(spec_op(task, IR_ADVANCE, i)->status, 0);
        }
    }
    const char *cuda = spec_emit(k);
    SPEC_IN_ORDER(strstr(cuda, "// task out"), "bool ready_0 = false;", "ready_0 = ww::mbarrier_try_wait(",
                  "if (!ready_0) ww::mbarrier_wait(", "ready_0 = false;", "for (int",
                  "if (!ready_0) ww::mbarrier_wait(", "ready_0 = false;", "}");
    ww_kernel_free(k);
}

/* ---- D2, D3, D31: values --------------------------------------------------------------------------------- */

static const ww_work source_work[] = {{.name = "both", .side = WW_CONSUMER, .out = {"int x", "int y"}}, {0}};
static const ww_work sink_work[] = {{.name = "put_q", .side = WW_PRODUCER, .in = {"int x"}},
                                    {.name = "put_k", .side = WW_PRODUCER, .in = {"int x"}},
                                    {.name = "sum", .side = WW_PRODUCER, .in = {"int x", "int y"}},
                                    {0}};

static void pass_two(ww_schedule *s, void *context)
{
    const spec_parts *p = context;
    ww_token x, y;
    ww_consume(s, p->a, "both", .out = {&x, &y});
    ww_produce(s, p->c, "put_q", .in = {x});
    ww_produce(s, p->c, "put_k", .in = {y});
}

static void two_inputs_of_one_name_get_two_values(void **state)
{
    (void)state;
    ww_kernel *k = spec_kernel(NULL, SPEC_ONE_CTA);
    spec_parts p = {.a = spec_plain(k, "a", source_work), .c = spec_plain(k, "c", sink_work)};
    spec_task(k, "pass", 0, 1, pass_two, &p);
    spec_accept(k);
    const ir_task *t = spec_ir_task(k, "pass");
    assert_int_equal(spec_op(t, IR_WORK, 1)->in[0], spec_op(t, IR_WORK, 0)->out[0]);
    assert_int_equal(spec_op(t, IR_WORK, 2)->in[0], spec_op(t, IR_WORK, 0)->out[1]);
    SPEC_IN_ORDER(spec_emit(k), "a_both(", "x_0, y_1);", "c_put_q(", "ww::input(x_0));", "c_put_k(",
                  "ww::input(y_1));");
    ww_kernel_free(k);
}

static void pass_from_two(ww_schedule *s, void *context)
{
    const spec_parts *p = context;
    ww_token x, y;
    ww_consume(s, p->a, "both", .out = {&x});
    ww_consume(s, p->b, "both", .out = {&y});
    ww_produce(s, p->c, "sum", .in = {x, y});
    ww_produce(s, p->c, "sum", .in = {y, x});
}

/* Outputs of one name, from two resources, and from two calls: each call makes a value of its own. */
static void equal_names_of_two_resources_are_two_values(void **state)
{
    (void)state;
    ww_kernel *k = spec_kernel(NULL, SPEC_ONE_CTA);
    spec_parts p = {.a = spec_plain(k, "a", source_work),
                    .b = spec_plain(k, "b", source_work),
                    .c = spec_plain(k, "c", sink_work)};
    spec_task(k, "pass", 0, 1, pass_from_two, &p);
    spec_accept(k);
    SPEC_IN_ORDER(spec_emit(k), "a_both(", "x_0,", "b_both(", "x_2,", "c_sum(",
                  "ww::input(x_0), ww::input(x_2));", "c_sum(", "ww::input(x_2), ww::input(x_0));");
    ww_kernel_free(k);
}

static void renew(ww_schedule *s, void *context)
{
    const spec_parts *p = context;
    ww_token first, second;
    ww_consume(s, p->a, "both", .out = {&first});
    ww_consume(s, p->a, "both", .out = {&second});
    ww_produce(s, p->c, "sum", .in = {first, second});
}

/* A second call does not take the first one's value away: tokens never go stale. */
static void a_later_call_leaves_earlier_values_alone(void **state)
{
    (void)state;
    ww_kernel *k = spec_kernel(NULL, SPEC_ONE_CTA);
    spec_parts p = {.a = spec_plain(k, "a", source_work), .c = spec_plain(k, "c", sink_work)};
    spec_task(k, "one", 0, 1, renew, &p);
    spec_task(k, "two", 1, 1, renew, &p);
    spec_accept(k);
    const char *cuda = spec_emit(k);
    SPEC_IN_ORDER(cuda, "c_sum(", "ww::input(x_0), ww::input(x_2));");
    /* and each task has variables of its own */
    assert_int_equal(spec_count(cuda, "one", "int x_0;"), 1);
    assert_int_equal(spec_count(cuda, "two", "int x_0;"), 1);
    ww_kernel_free(k);
}

typedef struct keeper {
    ww_resource *source, *sink;
    ww_token kept;
} keeper;

static void keep(ww_schedule *s, void *context)
{
    keeper *p = context;
    ww_token y;
    ww_consume(s, p->source, "both", .out = {&p->kept, &y});
    ww_produce(s, p->sink, "sum", .in = {p->kept, y});
}

static void use_kept(ww_schedule *s, void *context)
{
    keeper *p = context;
    ww_token x, y;
    ww_consume(s, p->source, "both", .out = {&x, &y});
    ww_produce(s, p->sink, "sum", .in = {x, y});
    ww_produce(s, p->sink, "put_q", .in = {p->kept});
}

/* A value is a register of the task that computes it: no other schedule can take it. */
static void a_token_of_another_schedule_is_refused(void **state)
{
    (void)state;
    ww_kernel *k = spec_kernel(NULL, SPEC_ONE_CTA);
    keeper p = {.source = spec_plain(k, "a", source_work), .sink = spec_plain(k, "c", sink_work)};
    spec_task(k, "one", 0, 1, keep, &p);
    assert_null(core_find(k, WW_BAD_TOKEN));
    spec_task(k, "two", 1, 1, use_kept, &p);
    assert_string_equal(spec_refuse(k, WW_BAD_TOKEN)->message, "task two: input x of c.put_q has no value");
    ww_kernel_free(k);
}

/* ---- D4: guards in guards -------------------------------------------------------------------------------- */

static void mark_only_trip(ww_schedule *s, void *context)
{
    const spec_parts *p = context;
    ww_token x, y;
    ww_consume(s, p->a, "both", .out = {&x, &y});
    SPEC_LOOP(s)
    {
        ww_first_iter(s) {
            ww_last_iter(s) {
                ww_produce(s, p->c, "put_q", .in = {x});
            }
        }
        ww_every(s, 4, 1) {
            ww_when_true(s, y, NULL) {
                ww_produce(s, p->c, "put_k", .in = {y});
            }
        }
    }
}

static void guards_in_guards_all_hold(void **state)
{
    (void)state;
    ww_kernel *k = spec_kernel(NULL, SPEC_ONE_CTA);
    spec_parts p = {.a = spec_plain(k, "a", source_work), .c = spec_plain(k, "c", sink_work)};
    spec_task(k, "mark", 0, 1, mark_only_trip, &p);
    spec_accept(k);
    const ir_task *t = spec_ir_task(k, "mark");
    assert_int_equal(spec_op(t, IR_GUARD, 0)->guard, IR_GUARD_FIRST);
    assert_int_equal(spec_op(t, IR_GUARD, 1)->guard, IR_GUARD_LAST);
    assert_true(spec_op(t, IR_GUARD, 1)->match < spec_op(t, IR_GUARD, 0)->match);
    SPEC_IN_ORDER(spec_emit(k), "if (i_1 == 0) {", "if (i_1 == ww::loop_last(0, params.trips, 1)) {",
                  "c_put_q(", "}", "}", "if (i_1 >= 1 && (i_1 - 1) % 4 == 0) {", "if (y_1) {", "c_put_k(");
    ww_kernel_free(k);
}

/* ---- D16, D17, D32: with and without loops --------------------------------------------------------------- */

static void fill_once(ww_schedule *s, void *ring)
{
    ww_acquire(s, ring);
    ww_produce(s, ring, "fill");
    ww_commit(s, ring);
}

static void use_once(ww_schedule *s, void *ring)
{
    ww_wait(s, ring);
    ww_consume(s, ring, "use");
    ww_release(s, ring);
}

static void a_schedule_needs_no_loop(void **state)
{
    (void)state;
    ww_kernel *k = spec_kernel(NULL, SPEC_ONE_CTA);
    ww_resource *ring = spec_ring(k, "ring", ww_pipeline_tma_async(.stages = 1));
    spec_task(k, "in", 0, 1, fill_once, ring);
    spec_task(k, "out", 1, 1, use_once, ring);
    spec_accept(k);
    const char *cuda = spec_emit(k);
    assert_null(strstr(cuda, "for (int i_"));
    assert_null(strstr(cuda, "while"));
    ww_kernel_free(k);
}

static void fill_a_tile(ww_schedule *s, void *context)
{
    const spec_parts *p = context;
    ww_work_tile_loop(s, p->queue) {
        fill_once(s, p->a);
        ww_advance_tile(s, p->queue);
    }
    ww_produce(s, p->c, "finish");
}

static void use_a_tile(ww_schedule *s, void *context)
{
    const spec_parts *p = context;
    ww_work_tile_loop(s, p->queue) {
        use_once(s, p->a);
        ww_advance_tile(s, p->queue);
    }
}

static void finish_alone(ww_schedule *s, void *context)
{
    const spec_parts *p = context;
    ww_produce(s, p->c, "finish");
}

/* Steps stay where they were written. The tile loop, nothing else, makes a task go from tile to tile. */
static void a_tile_loop_needs_no_domain_loop(void **state)
{
    (void)state;
    ww_kernel *k = spec_kernel(NULL, SPEC_ONE_CTA);
    spec_parts p = {.queue = spec_queue(k), .c = spec_plain(k, "c", finish_work)};
    p.a = spec_ring(k, "ring", ww_pipeline_async_async(.stages = 2));
    spec_task(k, "in", 0, 1, fill_a_tile, &p);
    spec_task(k, "out", 1, 1, use_a_tile, &p);
    spec_task(k, "alone", 2, 1, finish_alone, &p);
    spec_accept(k);
    const char *cuda = spec_emit(k);
    SPEC_IN_ORDER(strstr(cuda, "// task in"), "while (tile.valid) {", "mbarrier_wait(", "ring_fill(",
                  "mbarrier_arrive(", "tile = queue_queue.next();", "}", "c_finish(", "// task out");
    assert_int_equal(spec_ir_task(k, "in")->queue, p.queue->index);
    assert_int_equal(spec_ir_task(k, "alone")->queue, -1);
    assert_int_equal(spec_count(cuda, "alone", "while"), 0);
    ww_kernel_free(k);
}

static void three_loops(ww_schedule *s, void *context)
{
    const spec_parts *p = context;
    ww_domain_loop(s, ww_device("begin_of"), ww_device("end_of"), ww_device("step_of")) {
        ww_produce(s, p->c, "finish");
    }
    ww_domain_loop(s, SPEC_TRIPS, ww_imm(0), ww_imm(-1)) {
        ww_produce(s, p->c, "finish");
    }
    ww_domain_loop_unrolled(s, ww_imm(0), SPEC_TRIPS, ww_imm(1), 0) {
        ww_produce(s, p->c, "finish");
    }
}

/* Any function of the body header, for any bound; several loops; not unrolled unless asked for. */
static void loops_follow_each_other_with_any_bounds(void **state)
{
    (void)state;
    ww_kernel *k = spec_kernel(NULL, SPEC_ONE_CTA);
    spec_parts p = {.c = spec_plain(k, "c", finish_work)};
    spec_task(k, "walk", 0, 1, three_loops, &p);
    spec_accept(k);
    const ir_task *t = spec_ir_task(k, "walk");
    assert_int_equal(spec_op(t, IR_LOOP, 0)->unroll, 1);
    assert_int_equal(spec_op(t, IR_LOOP, 1)->unroll, 1);
    assert_int_equal(spec_op(t, IR_LOOP, 2)->unroll, 0);
    const char *cuda = spec_emit(k);
    SPEC_IN_ORDER(cuda, "const int start_0 = begin_of(", "const int end_0 = end_of(",
                  "const int step_0 = step_of(", "#pragma unroll 1\n",
                  "for (int i_0 = start_0; ww::loop_goes_on(i_0, end_0, step_0); i_0 += step_0) {",
                  "#pragma unroll 1\n", "for (int i_3 = params.trips; i_3 > 0; i_3 += -1) {",
                  "for (int i_6 = 0; i_6 < params.trips; i_6 += 1) {");
    assert_int_equal(spec_count(cuda, "walk", "#pragma unroll"), 2);
    ww_kernel_free(k);
}

/* ---- D24, D25: names and identity -------------------------------------------------------------------------- */

static void pass_to_odd_names(ww_schedule *s, void *context)
{
    const spec_parts *p = context;
    ww_token x, y;
    ww_consume(s, p->a, "both", .out = {&x, &y});
    ww_produce(s, p->c, "put", .in = {x, y});
}

/* No spelling makes an input anything else than an input. */
static void inputs_may_have_any_name(void **state)
{
    (void)state;
    static const ww_work work[] = {{.name = "put", .side = WW_PRODUCER, .in = {"int self", "int stage_info"}},
                                   {0}};
    ww_kernel *k = spec_kernel(NULL, SPEC_ONE_CTA);
    spec_parts p = {.a = spec_plain(k, "a", source_work), .c = spec_plain(k, "c", work)};
    spec_task(k, "pass", 0, 1, pass_to_odd_names, &p);
    spec_accept(k);
    SPEC_IN_ORDER(spec_emit(k), "c_put(c_self,", "ww::input(x_0), ww::input(y_1));");
    ww_kernel_free(k);
}

static void fill_both(ww_schedule *s, void *context)
{
    const spec_parts *p = context;
    SPEC_LOOP(s)
    {
        fill_once(s, p->a);
        fill_once(s, p->b);
    }
}

static void use_b_then_a(ww_schedule *s, void *context)
{
    const spec_parts *p = context;
    SPEC_LOOP(s)
    {
        use_once(s, p->a);
        use_once(s, p->b);
    }
}

/* Two resources that look alike are two all the same. */
static void equal_looking_resources_are_two(void **state)
{
    (void)state;
    ww_kernel *k = spec_kernel(NULL, SPEC_ONE_CTA);
    const ww_pipeline pipeline = ww_pipeline_async_async(.stages = 2);
    spec_parts p = {.a = spec_ring(k, "a", pipeline), .b = spec_ring(k, "b", pipeline)};
    spec_task(k, "in", 0, 1, fill_both, &p);
    spec_task(k, "out", 1, 1, use_b_then_a, &p);
    spec_accept(k);
    assert_int_equal(k->program->barriers.len, 4);
    assert_int_equal(spec_ir_task(k, "in")->cursors.len, 2);
    assert_int_not_equal(p.a->buffers[0].offset, p.b->buffers[0].offset);
    assert_int_not_equal(spec_barrier(k, p.a, IR_FULL)->offset, spec_barrier(k, p.b, IR_FULL)->offset);
    ww_kernel_free(k);
}

/* ---- N3, N4: conditions ----------------------------------------------------------------------------------- */

static const ww_work choice_work[] = {{.name = "pick", .side = WW_CONSUMER, .out = {"bool odd", "int rest"}},
                                      {0}};

static void act_on_both(ww_schedule *s, void *context)
{
    const spec_parts *p = context;
    ww_token odd, rest;
    ww_consume(s, p->a, "pick", .out = {&odd, &rest});
    ww_when_true(s, odd, "odd") {
        ww_produce(s, p->c, "finish");
    }
    ww_when_false(s, odd, "odd") {
        ww_produce(s, p->c, "finish");
    }
    ww_when_true(s, rest, NULL) {
        ww_produce(s, p->c, "finish");
    }
    ww_when_true(s, rest, NULL) {
        ww_produce(s, p->c, "finish");
    }
}

/* One call, two values, four blocks: each block reads the value that was stored. Equal keys are one value of the kernel,
 * in whatever task; blocks without a key are each their own. */
static void conditions_of_one_call_are_told_apart(void **state)
{
    (void)state;
    ww_kernel *k = spec_kernel(NULL, SPEC_ONE_CTA);
    spec_parts p = {.a = spec_plain(k, "a", choice_work), .c = spec_plain(k, "c", finish_work)};
    spec_task(k, "one", 0, 1, act_on_both, &p);
    spec_task(k, "two", 1, 1, act_on_both, &p);
    ww_kernel_unchecked(k);
    (void)ww_kernel_check(k);
    const ir_task *one = spec_ir_task(k, "one"), *two = spec_ir_task(k, "two");
    const ir_op *odd = spec_op(one, IR_GUARD, 0), *even = spec_op(one, IR_GUARD, 1),
                *rest = spec_op(one, IR_GUARD, 2);
    assert_int_equal(odd->condition, spec_op(one, IR_WORK, 0)->out[0]);
    assert_int_equal(rest->condition, spec_op(one, IR_WORK, 0)->out[1]);
    assert_int_equal(odd->key, even->key);
    assert_int_equal(odd->key, spec_op(two, IR_GUARD, 0)->key);
    assert_int_not_equal(rest->key, spec_op(one, IR_GUARD, 3)->key);
    assert_int_not_equal(rest->key, spec_op(two, IR_GUARD, 2)->key);
    const char *cuda = spec_emit(k);
    SPEC_IN_ORDER(cuda, "a_pick(", "if (odd_0) {", "if (!odd_0) {", "if (rest_1) {", "if (rest_1) {");
    assert_int_equal(spec_count(cuda, "one", "a_pick("), 1);
    ww_kernel_free(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_probe_is_forgotten_when_its_cursor_moves),
        cmocka_unit_test(two_inputs_of_one_name_get_two_values),
        cmocka_unit_test(equal_names_of_two_resources_are_two_values),
        cmocka_unit_test(a_later_call_leaves_earlier_values_alone),
        cmocka_unit_test(a_token_of_another_schedule_is_refused),
        cmocka_unit_test(guards_in_guards_all_hold),
        cmocka_unit_test(a_schedule_needs_no_loop),
        cmocka_unit_test(a_tile_loop_needs_no_domain_loop),
        cmocka_unit_test(loops_follow_each_other_with_any_bounds),
        cmocka_unit_test(inputs_may_have_any_name),
        cmocka_unit_test(equal_looking_resources_are_two),
        cmocka_unit_test(conditions_of_one_call_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
