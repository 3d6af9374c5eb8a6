/* Emission: whole files against golden ones. That they compile and run is the examples' business. */
#include "golden/kernels.h"
#include "report_golden.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

static void check_emitted(ww_kernel *k, const char *path)
{
    text actual = {0};
    ww_diag_print(stdout, ww_kernel_check(k));
    const char *cuda = ww_kernel_emit(k);
    assert_non_null(cuda);
    text_add(&actual, cuda);
    golden_check(path, &actual);
    text_free(&actual);
    ww_kernel_free(k);
}

static void test_two_tasks(void **state)
{
    (void)state;
    check_emitted(golden_two_tasks(), "tests/golden/two_tasks.cu");
}

static void test_gemm(void **state)
{
    (void)state;
    check_emitted(golden_gemm(), "tests/golden/gemm.cu");
}

/* Nothing is generated for a kernel with an error, unless the checks are switched off. */
static void test_refused(void **state)
{
    (void)state;
    ww_kernel *k = golden_two_tasks_with_arrivals(5);
    assert_null(ww_kernel_emit(k));
    ww_kernel_free(k);
    k = golden_two_tasks_with_arrivals(5);
    ww_kernel_unchecked(k);
    assert_non_null(
        strstr(ww_kernel_emit(k), "ww::mbarrier_init(smem_base + ww_map::rows_empty + 8 * stage, 5);"));
    ww_kernel_free(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_tasks),
        cmocka_unit_test(test_gemm),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
