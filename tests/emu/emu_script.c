/* emu_script: launches along a script: the order of marked steps, what lands when, what is told of accesses, barriers and
 * hangs, and where a script that does not fit ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "emu/emu.h"

/* Two warps: each comes to mark 1, stores its number + 1 to the same word, comes to mark 2, adds the word to what it puts
 * out. */
static const char racing[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                             ".extern .shared .align 16 .b8 words[];\n"
                             ".visible .entry race(.param .u64 out) {\n"
                             ".reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %q<4>;\n"
                             "ld.param.u64 %q1, [out];\n"
                             "mov.u32 %r1, %tid.x;\n"
                             "shr.u32 %r2, %r1, 5;\n"
                             "mov.u32 %r3, words;\n"
                             "add.u32 %r4, %r2, 1;\n"
                             ".pragma \"mark 1\";\n"
                             "st.shared.u32 [%r3], %r4;\n"
                             ".pragma \"mark 2\";\n"
                             "ld.shared.u32 %r5, [%r3];\n"
                             "mad.wide.u32 %q2, %r1, 4, %q1;\n"
                             "st.global.u32 [%q2], %r5;\n"
                             ".pragma \"unroll\";\n"
                             "ret; }\n";

/* Warp 0 makes a barrier of one arrival; warp 1 waits for it; warp 0 comes to mark 1, arrives, comes to mark 2. */
static const char waiting[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                              ".extern .shared .align 16 .b8 words[];\n"
                              ".visible .entry await() {\n"
                              ".reg .pred %p<4>; .reg .b32 %r<8>;\n"
                              "mov.u32 %r1, %tid.x;\n"
                              "mov.u32 %r3, words;\n"
                              "setp.ne.u32 %p1, %r1, 0;\n"
                              "@%p1 bra READY;\n"
                              "mbarrier.init.shared.b64 [%r3+8], 2;\n"
                              "READY: bar.sync 0;\n"
                              "shr.u32 %r2, %r1, 5;\n"
                              "setp.eq.u32 %p1, %r2, 1;\n"
                              "@%p1 bra WAITER;\n"
                              ".pragma \"mark 1\";\n"
                              "setp.ne.u32 %p2, %r1, 0;\n"
                              "@%p2 bra ARRIVED;\n"
                              "mbarrier.arrive.shared.b64 _, [%r3+8];\n"
                              "ARRIVED: ret;\n"
                              "WAITER: .pragma \"mark 7\";\n"
                              "AGAIN: mbarrier.try_wait.parity.shared.b64 %p3, [%r3+8], 0;\n"
                              "@!%p3 bra AGAIN;\n"
                              ".pragma \"mark 8\";\n"
                              "ret; }\n";

typedef struct fixture {
    emu_machine *machine;
    emu_module *module;
    uint64_t out;
    emu_told told;
    emu_result result;
} fixture;

static void start(fixture *f, const char *ptx)
{
    text errors = {0};
    *f = (fixture){.machine = emu_machine_new(), .module = emu_module_load(ptx, strlen(ptx), &errors)};
    assert_string_equal(text_str(&errors), "");
    f->out = emu_alloc(f->machine, 64 * sizeof(uint32_t));
}

static emu_status run(fixture *f, const char *kernel, const emu_script *script)
{
    emu_launch launch = {.kernel = kernel,
                         .grid = {2, 1, 1},
                         .block = {64, 1, 1},
                         .dynamic_shared_bytes = 64,
                         .params = &f->out,
                         .param_bytes = sizeof f->out,
                         .script = script,
                         .told = &f->told};
    return emu_run(f->machine, f->module, &launch, &f->result);
}

static void end(fixture *f)
{
    emu_told_free(&f->told);
    text_free(&f->result.report);
    emu_module_free(f->module);
    emu_machine_free(f->machine);
}

static uint32_t word(const fixture *f, size_t i)
{
    return ((const uint32_t *)emu_host_pointer(f->machine, f->out, 64 * sizeof(uint32_t)))[i];
}

#define PASS(w, m)                                                                                           \
    {                                                                                                        \
        .kind = EMU_STEP_PASS, .warp = (w), .mark = (m)                                                      \
    }

static void without_a_script_marks_do_nothing(void **state)
{
    (void)state;
    fixture f;
    start(&f, racing);
    assert_int_equal(run(&f, "race", NULL), EMU_OK);
    end(&f);
}

/* Whose store is last decides what both read. */
static void the_order_is_the_scripts(void **state)
{
    (void)state;
    for (uint32_t last = 0; last < 2; last++) {
        fixture f;
        const emu_step steps[] = {PASS(1 - last, 1), PASS(last, 1), PASS(0, 2), PASS(1, 2)};
        const emu_script script = {steps, 4, .then_run = true, .first = SIZE_MAX, .second = SIZE_MAX};
        start(&f, racing);
        assert_int_equal(run(&f, "race", &script), EMU_OK);
        assert_int_equal(f.told.done, 4);
        assert_int_equal(word(&f, 0), last + 1);
        assert_int_equal(word(&f, 63), last + 1);
        end(&f);
    }
}

static void accesses_of_two_steps_are_told(void **state)
{
    (void)state;
    fixture f;
    const emu_step steps[] = {PASS(0, 1), PASS(0, 2), PASS(1, 1)};
    const emu_script script = {steps, 3, .then_run = false, .first = 1, .second = 2};
    start(&f, racing);
    assert_int_equal(run(&f, "race", &script), EMU_STOPPED);
    assert_int_equal(f.told.done, 3);
    assert_string_equal(text_str(&f.told.diverged), "");
    assert_true(f.told.passed);
    assert_false(f.told.in_flight);
    assert_int_equal(f.told.touches[0].len, 1);
    assert_int_equal(f.told.touches[1].len, 1);
    emu_touch read = f.told.touches[0].at[0], written = f.told.touches[1].at[0];
    assert_false(read.write);
    assert_true(written.write);
    assert_int_equal(read.offset, 0);
    assert_int_equal(written.offset, 0);
    assert_int_equal(written.bytes, 4);
    assert_int_equal(written.line, 13);
    assert_int_equal(read.line, 15);
    end(&f);
}

static void a_script_that_does_not_fit_ends_the_launch(void **state)
{
    (void)state;
    fixture f;
    const emu_step steps[] = {PASS(0, 1), PASS(1, 2)};
    const emu_script script = {steps, 2, .then_run = true, .first = SIZE_MAX, .second = SIZE_MAX};
    start(&f, racing);
    assert_int_equal(run(&f, "race", &script), EMU_STOPPED);
    assert_int_equal(f.told.done, 1);
    assert_non_null(strstr(text_str(&f.told.diverged), "step 2 lets warp 1 of CTA rank 0 pass mark 2, but"));
    assert_non_null(strstr(text_str(&f.told.diverged), "the script, at mark 1"));
    end(&f);
}

static void a_warp_that_is_not_there_ends_the_launch(void **state)
{
    (void)state;
    fixture f;
    const emu_step steps[] = {PASS(9, 1)};
    const emu_script script = {steps, 1, .then_run = true, .first = SIZE_MAX, .second = SIZE_MAX};
    start(&f, racing);
    assert_int_equal(run(&f, "race", &script), EMU_STOPPED);
    assert_non_null(strstr(text_str(&f.told.diverged), "there is no such warp"));
    end(&f);
}

/* One of two arrivals: the barrier is told before and after, and the hang with who waits for what. */
static void barriers_and_hangs_are_told(void **state)
{
    (void)state;
    fixture f;
    const emu_step steps[] = {PASS(1, 7), PASS(0, 1)};
    const emu_script script = {
        steps, 2, .then_run = true, .first = SIZE_MAX, .second = 1, .watches = true, .barrier_offset = 8};
    start(&f, waiting);
    assert_int_equal(run(&f, "await", &script), EMU_DEADLOCK);
    assert_int_equal(f.told.status, EMU_DEADLOCK);
    assert_int_equal(f.told.before.pending, 2);
    assert_int_equal(f.told.after.pending, 1);
    assert_int_equal(f.told.after.completed, 0);
    assert_int_equal(f.told.stuck.len, 1);
    assert_int_equal(f.told.stuck.at[0].warp, 1);
    assert_int_equal(f.told.stuck.at[0].barrier_offset, 8);
    end(&f);
}

/* The waiter cannot come to its second mark. */
static void a_wait_that_does_not_pass_diverges(void **state)
{
    (void)state;
    fixture f;
    const emu_step steps[] = {PASS(0, 1), PASS(1, 7), PASS(1, 8)};
    const emu_script script = {steps, 3, .then_run = true, .first = SIZE_MAX, .second = SIZE_MAX};
    start(&f, waiting);
    assert_int_equal(run(&f, "await", &script), EMU_STOPPED);
    assert_int_equal(f.told.done, 2);
    assert_non_null(strstr(text_str(&f.told.diverged), "waits on mbarrier"));
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_script_marks_do_nothing),
        cmocka_unit_test(the_order_is_the_scripts),
        cmocka_unit_test(accesses_of_two_steps_are_told),
        cmocka_unit_test(a_script_that_does_not_fit_ends_the_launch),
        cmocka_unit_test(a_warp_that_is_not_there_ends_the_launch),
        cmocka_unit_test(barriers_and_hangs_are_told),
        cmocka_unit_test(a_wait_that_does_not_pass_diverges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
