/* Recording: each mistake that can be seen while a schedule is recorded, and the nearest thing that is right.
 */
#include "core_kernel.h"
#include "capture/capture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* Records one schedule over a TMA ring (context: the ring) and hands back the kernel. */
static ww_kernel *record(ww_schedule_function *schedule)
{
    ww_kernel *k = core_kernel();
    ww_resource *ring = core_ring(k, (ww_pipeline){.type = WW_TMA_ASYNC});
    (void)core_task(k, "t", 0, schedule, ring);
    return k;
}

static void expect(ww_schedule_function *schedule, ww_code code, const char *message)
{
    ww_kernel *k = record(schedule);
    const ww_diag *d = core_find(k, code);
    assert_non_null(d);
    assert_string_equal(d->message, message);
    assert_non_null(strstr(d->place.file, "capture_test.c"));
    ww_kernel_free(k);
}

static void expect_silence(ww_schedule_function *schedule)
{
    ww_kernel *k = record(schedule);
    ww_diag_print(stdout, k->diags.first);
    assert_null(k->diags.first);
    ww_kernel_free(k);
}

/* ---- work methods and tokens ------------------------------------------------------------------------ */

static void misspelt(ww_schedule *s, void *ring)
{
    ww_produce(s, ring, "fil");
}

static void wrong_side(ww_schedule *s, void *ring)
{
    ww_consume(s, ring, "fill");
}

static void no_input(ww_schedule *s, void *ring)
{
    ww_consume(s, ring, "use");
}

static void invented_token(ww_schedule *s, void *ring)
{
    ww_token x = {7};
    ww_consume(s, ring, "use", .in = {x});
}

static void too_many_inputs(ww_schedule *s, void *ring)
{
    ww_token x;
    ww_consume(s, ring, "look", .out = {&x});
    ww_consume(s, ring, "use", .in = {x, x});
}

static void unused_token(ww_schedule *s, void *ring)
{
    ww_token x;
    ww_consume(s, ring, "look", .out = {&x});
}

static void routed(ww_schedule *s, void *ring)
{
    ww_token x;
    ww_consume(s, ring, "look", .out = {&x});
    ww_consume(s, ring, "use", .in = {x});
}

static void output_left_out(ww_schedule *s, void *ring)
{
    ww_consume(s, ring, "look");
}

static void test_work(void **state)
{
    (void)state;
    expect(misspelt, WW_UNKNOWN_WORK, "task t: resource ring has no work method named \"fil\"");
    ww_kernel *k = record(misspelt);
    assert_string_equal(core_find(k, WW_UNKNOWN_WORK)->hint, "did you mean \"fill\"?");
    assert_string_equal(core_find(k, WW_UNKNOWN_WORK)->expected, "fill, look, use, touch");
    ww_kernel_free(k);
    expect(wrong_side, WW_UNKNOWN_WORK, "task t: ring.fill is producer work");
}

static void test_tokens(void **state)
{
    (void)state;
    expect(no_input, WW_BAD_TOKEN, "task t: input x of ring.use has no value");
    expect(invented_token, WW_BAD_TOKEN, "task t: input x of ring.use has no value");
    expect(too_many_inputs, WW_BAD_TOKEN, "task t: ring.use has 1 input, not more");
    expect(unused_token, WW_UNUSED_VALUE, "task t: output x of ring.look is never used");
    expect_silence(routed);
    expect_silence(output_left_out);
}

/* ---- verbs ------------------------------------------------------------------------------------------ */

static void no_resource(ww_schedule *s, void *ring)
{
    (void)ring;
    ww_acquire(s, NULL);
}

static void foreign_resource(ww_schedule *s, void *ring)
{
    ww_kernel *other = core_kernel();
    (void)ring;
    ww_acquire(s, core_ring(other, (ww_pipeline){.type = WW_TMA_ASYNC}));
    ww_kernel_free(other);
}

static void without_pipeline(ww_schedule *s, void *ring)
{
    (void)ring;
    ww_resource *plain = ww_resource_new(s->kernel, "plain", NULL);
    ww_wait(s, plain);
}

static void not_a_queue(ww_schedule *s, void *ring)
{
    ww_advance_tile(s, ring);
}

static void test_verbs(void **state)
{
    (void)state;
    expect(no_resource, WW_BAD_VALUE, "task t: acquire is given no resource");
    expect(foreign_resource, WW_BAD_VALUE, "task t: acquire is given a resource of another kernel");
    expect(without_pipeline, WW_NOT_PIPELINED, "task t: wait on plain, which has no pipeline");
    expect(not_a_queue, WW_NOT_A_QUEUE, "task t: ww_advance_tile on ring, which is no work queue");
}

/* ---- blocks ----------------------------------------------------------------------------------------- */

static void nested_domains(ww_schedule *s, void *ring)
{
    (void)ring;
    ww_domain_loop(s, ww_imm(0), ww_imm(4), ww_imm(1)) {
        ww_domain_loop(s, ww_imm(0), ww_imm(4), ww_imm(1)) {
        }
    }
}

static void two_domains(ww_schedule *s, void *ring)
{
    (void)ring;
    ww_domain_loop(s, ww_imm(0), ww_imm(4), ww_imm(1)) {
    }
    ww_domain_loop(s, ww_imm(4), ww_imm(0), ww_imm(-1)) {
    }
}

static void step_zero(ww_schedule *s, void *ring)
{
    (void)ring;
    ww_domain_loop(s, ww_imm(0), ww_imm(4), ww_imm(0)) {
    }
}

static void guard_outside(ww_schedule *s, void *ring)
{
    (void)ring;
    ww_first_iter(s) {
    }
}

static void skip_outside(ww_schedule *s, void *ring)
{
    (void)ring;
    ww_skippable(s) {
    }
}

static void left_by_break(ww_schedule *s, void *ring)
{
    (void)ring;
    ww_domain_loop(s, ww_imm(0), ww_imm(4), ww_imm(1)) {
        ww_first_iter(s) {
            break;
        }
    }
}

static ww_resource *skipping_queue(ww_schedule *s)
{
    return ww_queue_static(s->kernel, "q", &(ww_queue_options){.tiles = {ww_imm(4)}, .skip = "past_end"});
}

static void domain_beside_skip(ww_schedule *s, void *ring)
{
    (void)ring;
    ww_work_tile_loop(s, skipping_queue(s)) {
        ww_domain_loop(s, ww_imm(0), ww_imm(4), ww_imm(1)) {
        }
    }
}

static void domain_in_skip(ww_schedule *s, void *ring)
{
    (void)ring;
    ww_work_tile_loop(s, skipping_queue(s)) {
        ww_skippable(s) {
            ww_domain_loop(s, ww_imm(0), ww_imm(4), ww_imm(1)) {
                ww_last_iter(s) {
                }
            }
        }
    }
}

static void second_tile_loop(ww_schedule *s, void *ring)
{
    (void)ring;
    ww_resource *q = ww_queue_static(s->kernel, "q", &(ww_queue_options){.tiles = {ww_imm(4)}});
    ww_work_tile_loop(s, q) {
    }
    ww_work_tile_loop(s, q) {
    }
}

static void test_blocks(void **state)
{
    (void)state;
    expect(nested_domains, WW_BAD_BLOCK, "task t: a domain loop in a domain loop stands where it may not");
    expect_silence(two_domains);
    expect(step_zero, WW_BAD_VALUE, "task t: a domain loop with step 0");
    expect(guard_outside, WW_BAD_BLOCK, "task t: ww_first_iter stands where it may not");
    expect(skip_outside, WW_BAD_BLOCK, "task t: a skippable block stands where it may not");
    expect(left_by_break, WW_BAD_BLOCK,
           "task t: a block that was left by break, goto or return stands where it may not");
    expect(domain_beside_skip, WW_BAD_BLOCK,
           "task t: a domain loop outside ww_skippable stands where it may not");
    expect_silence(domain_in_skip);
    expect(second_tile_loop, WW_BAD_BLOCK, "task t: a second tile loop stands where it may not");
}

/* ---- every n-th trip, conditions, unrolling, fetching ------------------------------------------------ */

static void every_outside(ww_schedule *s, void *ring)
{
    (void)ring;
    ww_every(s, 2, 0) {
    }
}

static void every_never(ww_schedule *s, void *ring)
{
    (void)ring;
    ww_domain_loop(s, ww_imm(0), ww_imm(4), ww_imm(1)) {
        ww_every(s, 0, 0) {
        }
    }
}

static void every_other(ww_schedule *s, void *ring)
{
    (void)ring;
    ww_domain_loop(s, ww_imm(0), ww_imm(4), ww_imm(1)) {
        ww_every(s, 2, 1) {
            ww_first_iter(s) {
            }
        }
    }
}

static void no_condition(ww_schedule *s, void *ring)
{
    (void)ring;
    ww_when_true(s, (ww_token){0}, NULL) {
    }
}

static void on_condition(ww_schedule *s, void *ring)
{
    ww_token x;
    ww_wait(s, ring);
    ww_consume(s, ring, "look", .out = {&x});
    ww_release(s, ring);
    ww_when_true(s, x, "same") {
        ww_when_false(s, x, "same") {
        }
    }
}

static void unrolled(ww_schedule *s, void *ring)
{
    (void)ring;
    ww_domain_loop_unrolled(s, ww_imm(0), ww_imm(4), ww_imm(1), 4) {
    }
    ww_domain_loop_unrolled(s, ww_imm(0), ww_imm(4), ww_imm(1), 0) {
    }
}

static void unrolled_backwards(ww_schedule *s, void *ring)
{
    (void)ring;
    ww_domain_loop_unrolled(s, ww_imm(0), ww_imm(4), ww_imm(1), -1) {
    }
}

static void fetch_static(ww_schedule *s, void *ring)
{
    (void)ring;
    ww_fetch_tile(s, ww_queue_static(s->kernel, "q", &(ww_queue_options){.tiles = {ww_imm(4)}}));
}

static void test_newer_blocks(void **state)
{
    (void)state;
    expect(every_outside, WW_BAD_BLOCK, "task t: ww_every stands where it may not");
    expect(every_never, WW_BAD_VALUE, "task t: ww_every");
    expect_silence(every_other);
    expect(no_condition, WW_BAD_TOKEN, "task t: the condition of ww_when_true has no value");
    expect_silence(on_condition);
    expect_silence(unrolled);
    expect(unrolled_backwards, WW_BAD_VALUE, "task t: unroll of a domain loop");
    expect(fetch_static, WW_NOT_A_QUEUE, "task t: ww_fetch_tile on q, which is no dynamic work queue");
}

/* ---- who has which verb, and calls without a name ---------------------------------------------------- */

static void acquire_a_barrier(ww_schedule *s, void *ring)
{
    (void)ring;
    ww_acquire(s, ww_named_barrier_new(s->kernel, "b", 0));
}

static void sync_a_ring(ww_schedule *s, void *ring)
{
    ww_sync(s, ring);
}

static void wait_for_a_turn(ww_schedule *s, void *ring)
{
    (void)ring;
    ww_wait(s, ww_ordered_sequence_new(s->kernel, "o"));
}

static void launch_a_wait(ww_schedule *s, void *ring)
{
    (void)ring;
    ww_griddep_launch(s, ww_pdl_wait_new(s->kernel, "p"));
}

static void nameless(ww_schedule *s, void *ring)
{
    ww_acquire(s, ring);
    ww_produce(s, ring, NULL); /* "fill" is the only producer work that is not auxiliary */
    ww_commit(s, ring);
}

static void nameless_choice(ww_schedule *s, void *ring)
{
    ww_wait(s, ring);
    ww_consume(s, ring, NULL); /* "look" or "use" */
    ww_release(s, ring);
}

static void test_who_has_which_verb(void **state)
{
    (void)state;
    expect(acquire_a_barrier, WW_NOT_PIPELINED, "task t: acquire on b, which has no such verb");
    expect(sync_a_ring, WW_NOT_PIPELINED, "task t: sync on ring, which has no such verb");
    expect(wait_for_a_turn, WW_NOT_PIPELINED, "task t: wait on o, which has no such verb");
    expect(launch_a_wait, WW_NOT_PIPELINED, "task t: griddep_launch on p, which has no such verb");
    expect_silence(nameless);
    expect(nameless_choice, WW_UNKNOWN_WORK,
           "task t: a call of ring without a name, and it has no single method on that side");
}

static void no_verb(ww_schedule *s, void *ring)
{
    ww_verb_at(WW_HERE, s, ring, (ww_verb)55);
}

static void no_guard(ww_schedule *s, void *ring)
{
    (void)ring;
    ww_domain_loop(s, ww_imm(0), ww_imm(4), ww_imm(1)) {
        WW_BLOCK(ww_guard_open(WW_HERE, s, WW_GUARD_WHEN_TRUE))
        {
        }
    }
}

static void no_bound(ww_schedule *s, void *ring)
{
    (void)ring;
    ww_domain_loop(s, ww_imm(0), ((ww_bound){.kind = (ww_bound_kind)7, .name = "end"}), ww_imm(1)) {
    }
}

/* Numbers that are no enumerators. */
static void test_enumerators(void **state)
{
    (void)state;
    expect(no_verb, WW_BAD_VALUE, "task t: a verb that there is not");
    expect(no_guard, WW_BAD_VALUE, "task t: kind of a guard");
    expect(no_bound, WW_BAD_VALUE, "task t: the end of a domain loop");
}

static void look(ww_schedule *s, void *ring, int times, ww_token *last)
{
    for (int i = 0; i < times; i++)
        ww_consume(s, ring, "look", .out = {last});
}

/* A token has 16 bits for its value: the next one would be taken for another. */
static void too_many_values(ww_schedule *s, void *ring)
{
    ww_token x;
    ww_wait(s, ring);
    look(s, ring, 65536, &x);
    ww_consume(s, ring, "use", .in = {x});
    ww_release(s, ring);
}

static void many_values(ww_schedule *s, void *ring)
{
    ww_token x;
    look(s, ring, 65535, &x);
    ww_consume(s, ring, "use", .in = {x});
    assert_int_equal(s->steps.at[s->steps.len - 1].in[0], 65535);
}

static void test_values_are_told_apart(void **state)
{
    (void)state;
    expect(too_many_values, WW_TOO_MANY, "values of task t");
    ww_kernel *k = record(many_values);
    assert_null(core_find(k, WW_TOO_MANY));
    ww_kernel_free(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_work),         cmocka_unit_test(test_tokens),
        cmocka_unit_test(test_verbs),        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_newer_blocks), cmocka_unit_test(test_who_has_which_verb),
        cmocka_unit_test(test_enumerators),  cmocka_unit_test(test_values_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
