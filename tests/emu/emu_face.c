/* emu_face: the C interface of the emulator: memory, modules, launches, results. What instructions do is tested by the
 * .ptx files beside this one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "emu/emu.h"

#define HEADER ".version 8.0\n.target sm_90\n.address_size 64\n"

/* Every block adds its number to a counter of the module, and stores what was there before. */
static const char counting[] = HEADER ".global .align 4 .u32 counter = 100;\n"
                                      ".visible .entry count(.param .u64 out) {\n"
                                      ".reg .b32 %r<8>; .reg .b64 %q<4>;\n"
                                      "ld.param.u64 %q1, [out];\n"
                                      "mov.u32 %r1, %ctaid.x;\n"
                                      "mov.u64 %q2, counter;\n"
                                      "atom.global.add.u32 %r2, [%q2], %r1;\n"
                                      "mad.wide.u32 %q3, %r1, 4, %q1;\n"
                                      "st.global.u32 [%q3], %r2;\n"
                                      "ret; }\n";

/* Block b fails, if b is at least the first parameter, by a trap; but the higher ones come to it sooner. */
static const char failing[] = HEADER ".visible .entry fail(.param .u32 first) {\n"
                                     ".reg .pred %p<4>; .reg .b32 %r<8>;\n"
                                     "ld.param.u32 %r1, [first];\n"
                                     "mov.u32 %r2, %ctaid.x;\n"
                                     "sub.u32 %r3, 64, %r2;\n"
                                     "mul.lo.u32 %r3, %r3, 200;\n"
                                     "WAIT: sub.u32 %r3, %r3, 1;\n"
                                     "setp.ne.u32 %p1, %r3, 0;\n"
                                     "@%p1 bra WAIT;\n"
                                     "setp.ge.u32 %p2, %r2, %r1;\n"
                                     "@%p2 trap;\n"
                                     "ret; }\n";

static emu_module *load(const char *ptx)
{
    text errors = {0};
    emu_module *module = emu_module_load(ptx, strlen(ptx), &errors);
    assert_string_equal(text_str(&errors), "");
    assert_non_null(module);
    text_free(&errors);
    return module;
}

static emu_launch launch_of(const char *kernel, uint32_t blocks, const void *params, size_t bytes)
{
    return (emu_launch){.kernel = kernel,
                        .grid = {blocks, 1, 1},
                        .block = {32, 1, 1},
                        .params = params,
                        .param_bytes = bytes};
}

/* ---- memory ------------------------------------------------------------------------------------------- */

static void blocks_are_zeroed_aligned_and_checked(void **state)
{
    (void)state;
    emu_machine *m = emu_machine_new();
    uint64_t a = emu_alloc(m, 100), b = emu_alloc(m, 1);
    assert_int_equal(a % 256, 0);
    assert_int_equal(b % 256, 0);
    assert_int_equal(emu_alloc(m, 0), 0);
    uint8_t *bytes = emu_host_pointer(m, a, 100);
    assert_non_null(bytes);
    for (int i = 0; i < 100; i++)
        assert_int_equal(bytes[i], 0);
    assert_ptr_equal(emu_host_pointer(m, a + 60, 40), bytes + 60);
    assert_null(emu_host_pointer(m, a + 60, 41));
    assert_null(emu_host_pointer(m, a - 1, 1));
    assert_null(emu_host_pointer(m, a, SIZE_MAX));
    assert_false(emu_free(m, a + 1));
    assert_true(emu_free(m, a));
    assert_false(emu_free(m, a));
    assert_null(emu_host_pointer(m, a, 1));
    assert_non_null(emu_host_pointer(m, b, 1));
    emu_machine_free(m);
    emu_machine_free(NULL);
}

static void a_kernel_cannot_reach_freed_memory(void **state)
{
    (void)state;
    emu_machine *m = emu_machine_new();
    emu_module *module = load(counting);
    uint64_t out = emu_alloc(m, 64);
    emu_launch launch = launch_of("count", 1, &out, sizeof out);
    emu_result result;
    assert_true(emu_free(m, out));
    assert_int_equal(emu_run(m, module, &launch, &result), EMU_FAULT);
    assert_non_null(strstr(text_str(&result.report), "lane 0: global address 0x"));
    text_free(&result.report);
    emu_module_free(module);
    emu_machine_free(m);
}

/* ---- modules ------------------------------------------------------------------------------------------ */

static void variables_of_a_module_live_from_launch_to_launch(void **state)
{
    (void)state;
    emu_machine *m = emu_machine_new();
    emu_module *module = load(counting), *other = load(counting);
    uint64_t out = emu_alloc(m, 64);
    const uint32_t *before = emu_host_pointer(m, out, 64);
    emu_launch launch = launch_of("count", 3, &out, sizeof out);
    emu_result result;
    launch.host_threads = 1;
    assert_int_equal(emu_run(m, module, &launch, &result), EMU_OK);
    assert_int_equal(before[0], 100);
    assert_int_equal(emu_run(m, module, &launch, &result), EMU_OK);
    assert_int_equal(before[0], 100 + 32 * 3);
    assert_int_equal(emu_run(m, other, &launch, &result), EMU_OK);
    assert_int_equal(before[0], 100);
    emu_module_free(other);
    emu_module_free(module);
    emu_module_free(NULL);
    emu_machine_free(m);
}

static void errors_of_a_module_need_not_be_asked_for(void **state)
{
    (void)state;
    assert_null(emu_module_load("nonsense", 8, NULL));
    assert_null(emu_module_load("", 0, NULL));
}

/* ---- launches ----------------------------------------------------------------------------------------- */

static void instructions_are_counted(void **state)
{
    (void)state;
    emu_machine *m = emu_machine_new();
    emu_module *module = load(counting);
    uint64_t out = emu_alloc(m, 64);
    emu_launch launch = launch_of("count", 5, &out, sizeof out);
    emu_result result;
    assert_int_equal(emu_run(m, module, &launch, &result), EMU_OK);
    assert_int_equal(result.instructions, 5 * 7);
    assert_string_equal(text_str(&result.report), "");
    emu_module_free(module);
    emu_machine_free(m);
}

/* The first failing block by number is reported, however the blocks were spread over host threads. */
static void the_first_failure_is_reported(void **state)
{
    (void)state;
    emu_machine *m = emu_machine_new();
    emu_module *module = load(failing);
    uint32_t first = 20;
    for (uint32_t threads = 1; threads <= 8; threads *= 2) {
        emu_launch launch = launch_of("fail", 64, &first, sizeof first);
        emu_result result;
        launch.host_threads = threads;
        launch.sm_count = 8;
        assert_int_equal(emu_run(m, module, &launch, &result), EMU_FAULT);
        assert_non_null(
            strstr(text_str(&result.report), "fault in fail, CTA (20,0,0), warp 0, lane 0: trap"));
        text_free(&result.report);
    }
    emu_module_free(module);
    emu_machine_free(m);
}

static void launches_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    emu_machine *m = emu_machine_new();
    emu_module *module = load(counting);
    uint64_t out = emu_alloc(m, 64);
    static const struct {
        uint32_t grid, block, cluster, dynamic;
        const char *says;
    } rows[] = {
        {0, 32, 0, 0, "a grid of 0 x 1 x 1 blocks"},
        {1, 0, 0, 0, "a block of 0 x 1 x 1 threads"},
        {1, 1025, 0, 0, "a block of 1025 x 1 x 1 threads"},
        {3, 32, 2, 0, "is not a multiple of the cluster's"},
        {17, 32, 17, 0, "a cluster of 17 blocks"},
        {1, 32, 0, 1 << 20, "1048576 bytes of shared memory"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        emu_launch launch = launch_of("count", rows[i].grid, &out, sizeof out);
        emu_result result;
        launch.block[0] = rows[i].block;
        launch.dynamic_shared_bytes = rows[i].dynamic;
        if (rows[i].cluster)
            launch.cluster[0] = rows[i].cluster, launch.cluster[1] = launch.cluster[2] = 1;
        assert_int_equal(emu_run(m, module, &launch, &result), EMU_BAD_LAUNCH);
        assert_non_null(strstr(text_str(&result.report), rows[i].says));
        text_free(&result.report);
    }
    emu_module_free(module);
    emu_machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_zeroed_aligned_and_checked),
        cmocka_unit_test(a_kernel_cannot_reach_freed_memory),
        cmocka_unit_test(variables_of_a_module_live_from_launch_to_launch),
        cmocka_unit_test(errors_of_a_module_need_not_be_asked_for),
        cmocka_unit_test(instructions_are_counted),
        cmocka_unit_test(the_first_failure_is_reported),
        cmocka_unit_test(launches_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
