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

/* CTA 0 comes to mark 1 and sends 64 bytes to both CTAs; each comes to marks 2 and 3, and puts out what it then has. */
static const char sending[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry send(.param .u64 out) {\n"
    ".shared .align 128 .b8 tile[64]; .shared .align 8 .b64 barrier;\n"
    ".reg .pred %p<4>; .reg .b16 %h<2>; .reg .b32 %r<12>; .reg .b64 %q<4>;\n"
    "ld.param.u64 %q1, [out];\n"
    "mov.u32 %r1, %tid.x; mov.u32 %r2, barrier; mov.u32 %r3, tile; mov.u32 %r4, %cluster_ctarank;\n"
    "setp.ne.u32 %p1, %r1, 0;\n"
    "@%p1 bra READY;\n"
    "mbarrier.init.shared::cta.b64 [%r2], 1;\n"
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 64;\n"
    "READY: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
    "setp.ne.u32 %p2, %r4, 0;\n"
    "@%p2 bra SENT;\n"
    ".pragma \"mark 1\";\n"
    "@%p1 bra SENT;\n"
    "mov.u16 %h1, 3;\n"
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r3], [%q1+128], "
    "64, [%r2], %h1;\n"
    "SENT: .pragma \"mark 2\";\n"
    "ld.shared.u32 %r5, [%r3];\n"
    "mad.wide.u32 %q2, %r4, 4, %q1;\n"
    "st.global.u32 [%q2], %r5;\n"
    ".pragma \"mark 3\";\n"
    "ld.shared.u32 %r5, [%r3];\n"
    "st.global.u32 [%q2+8], %r5;\n"
    "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
    "ret; }\n";

/* Each warp puts out 5, unless the script answers question 3 at its number otherwise. */
static const char asking[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                             ".visible .entry ask(.param .u64 out) {\n"
                             ".reg .b32 %r<8>; .reg .b64 %q<4>;\n"
                             "ld.param.u64 %q1, [out];\n"
                             "mov.u32 %r1, %tid.x;\n"
                             "shr.u32 %r2, %r1, 5;\n"
                             "mov.u32 %r3, -1;\n"
                             "mov.u32 %r5, 5;\n"
                             ".pragma \"answer 3, %r5, %r2, %r3\";\n"
                             "mad.wide.u32 %q2, %r1, 4, %q1;\n"
                             "st.global.u32 [%q2], %r5;\n"
                             "ret; }\n";

/* Warp 0 comes to mark 1 and writes, to mark 2 and fences; warp 1 comes to mark 3 and stores that in bulk. */
static const char storing[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                              ".extern .shared .align 16 .b8 words[];\n"
                              ".visible .entry store(.param .u64 out) {\n"
                              ".reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %q<4>;\n"
                              "ld.param.u64 %q1, [out];\n"
                              "mov.u32 %r1, %tid.x;\n"
                              "mov.u32 %r3, words;\n"
                              "setp.ge.u32 %p1, %r1, 32;\n"
                              "@%p1 bra STORE;\n"
                              ".pragma \"mark 1\";\n"
                              "st.shared.u32 [%r3], %r1;\n"
                              ".pragma \"mark 2\";\n"
                              "fence.proxy.async.shared::cta;\n"
                              "ret;\n"
                              "STORE: .pragma \"mark 3\";\n"
                              "cp.async.bulk.global.shared::cta.bulk_group [%q1], [%r3], 16;\n"
                              "cp.async.bulk.commit_group;\n"
                              "cp.async.bulk.wait_group 0;\n"
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

static emu_status run_in(fixture *f, const char *kernel, const emu_script *script, uint32_t ctas)
{
    emu_launch launch = {.kernel = kernel,
                         .grid = {2, 1, 1},
                         .block = {64 / ctas, 1, 1},
                         .cluster = {ctas, 1, 1},
                         .check_fences = true,
                         .dynamic_shared_bytes = 64,
                         .params = &f->out,
                         .param_bytes = sizeof f->out,
                         .script = script,
                         .told = &f->told};
    return emu_run(f->machine, f->module, &launch, &f->result);
}

static emu_status run(fixture *f, const char *kernel, const emu_script *script)
{
    return run_in(f, kernel, script, 1);
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

#define PASS_IN(c, m)                                                                                        \
    {                                                                                                        \
        .kind = EMU_STEP_PASS, .cta = (c), .mark = (m)                                                       \
    }

#define LAND(event, rank)                                                                                    \
    {                                                                                                        \
        .kind = EMU_STEP_LAND, .of = (event), .to = (rank)                                                   \
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

static void a_multicast_lands_in_one_cta_after_the_other(void **state)
{
    (void)state;
    fixture f;
    const emu_step steps[] = {PASS_IN(0, 1), LAND(0, 1),    PASS_IN(0, 2), PASS_IN(1, 2),
                              LAND(0, 0),    PASS_IN(0, 3), PASS_IN(1, 3)};
    const emu_script script = {steps, 7, .then_run = true, .first = SIZE_MAX, .second = SIZE_MAX};
    start(&f, sending);
    memset((uint8_t *)emu_host_pointer(f.machine, f.out, 256) + 128, 7, 64);
    assert_int_equal(run_in(&f, "send", &script, 2), EMU_OK);
    assert_int_equal(f.told.done, 7);
    assert_int_equal(word(&f, 0), UINT32_MAX); /* nothing there yet */
    assert_int_equal(word(&f, 1), 0x07070707);
    assert_int_equal(word(&f, 2), 0x07070707);
    assert_int_equal(word(&f, 3), 0x07070707);
    end(&f);
}

static void what_is_computed_can_be_chosen(void **state)
{
    (void)state;
    static const emu_answer answers[] = {{0, 2, 4, -1, -1, 8}, {0, 1, 3, 1, -1, 7}, {0, 2, 3, 1, 6, 9}};
    fixture f;
    const emu_script script = {
        .answers = answers, .answer_count = 3, .then_run = true, .first = SIZE_MAX, .second = SIZE_MAX};
    start(&f, asking);
    assert_int_equal(run(&f, "ask", &script), EMU_OK);
    assert_int_equal(word(&f, 31), 5);
    assert_int_equal(word(&f, 32), 9);
    assert_int_equal(run(&f, "ask", NULL), EMU_OK);
    assert_int_equal(word(&f, 32), 5);
    end(&f);
}

static void a_missing_fence_is_told(void **state)
{
    (void)state;
    for (size_t fenced = 0; fenced < 2; fenced++) {
        fixture f;
        const emu_step steps[] = {PASS(0, 1), PASS(fenced ? 0 : 1, fenced ? 2 : 3), PASS(1, 3)};
        const emu_script script = {steps, 2 + fenced, .then_run = false, .first = 0, .second = 1 + fenced};
        start(&f, storing);
        assert_int_equal(run(&f, "store", &script),
                         fenced ? EMU_OK : EMU_STOPPED); /* all have ended, or not */
        assert_int_equal(f.told.done, 2 + fenced);
        assert_int_equal(f.told.unfenced.len, !fenced);
        if (!fenced) {
            assert_int_equal(f.told.unfenced.at[0].offset, 0);
            assert_int_equal(f.told.unfenced.at[0].bytes, 16);
        }
        end(&f);
    }
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
        cmocka_unit_test(a_multicast_lands_in_one_cta_after_the_other),
        cmocka_unit_test(what_is_computed_can_be_chosen),
        cmocka_unit_test(a_missing_fence_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
