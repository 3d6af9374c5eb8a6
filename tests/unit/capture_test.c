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
    expect(too_many_inputs, WW_BAD_TOKEN, "task t: ring.use takes 1 inputs, not more");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_work),
        cmocka_unit_test(test_tokens),
        cmocka_unit_test(test_verbs),
        cmocka_unit_test(test_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
