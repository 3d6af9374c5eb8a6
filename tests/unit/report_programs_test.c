/* Tables as programs print them: golden files of an example and of a kernel for a pair of CTAs, and what must hold of the
 * tables of all feature kernels, which are proved: every access has a chain of barriers, and every count agrees. */
#include "base/base.h"
#include "report_golden.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

static text printed_by(const char *command)
{
    text output = {0};
    FILE *program = popen(command, "r");
    assert_non_null(program);
    char buffer[4096];
    size_t n;
    while ((n = fread(buffer, 1, sizeof buffer, program)) > 0)
        text_add_n(&output, buffer, n);
    assert_int_equal(pclose(program), 0);
    return output;
}

static void check_golden(const char *command, const char *path)
{
    text output = printed_by(command);
    golden_check(path, &output);
    text_free(&output);
}

static void test_table_of_the_gemm_example(void **state)
{
    (void)state;
    check_golden("'" GEMM "' table", "tests/golden/example_gemm.table");
}

static void test_table_of_a_blackwell_pair(void **state)
{
    (void)state;
    check_golden("'" FEATURES "' --table blackwell.tma_pair", "tests/golden/blackwell_tma_pair.table");
}

static void test_tables_of_proved_kernels_object_to_nothing(void **state)
{
    (void)state;
    static const char *const wrong[] = {"no chain of barriers", "MISMATCH", "OVERLAPS", "TOO MANY", "nobody"};
    text all = printed_by("'" FEATURES "' --table");
    assert_non_null(strstr(text_str(&all), "\nreuse of memory: "));
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++)
        if (strstr(text_str(&all), wrong[i]))
            fail_msg("a table of a feature kernel says: %.200s", strstr(text_str(&all), wrong[i]));
    text_free(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_of_the_gemm_example),
        cmocka_unit_test(test_table_of_a_blackwell_pair),
        cmocka_unit_test(test_tables_of_proved_kernels_object_to_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
