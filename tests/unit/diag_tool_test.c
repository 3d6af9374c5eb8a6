/* The ww tool, run as a user would: what it prints and its exit status; docs/diagnostics.md against its
 * output. */
#include "base/base.h"
#include "report_golden.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/wait.h>
#include <cmocka.h>

/* Runs `ww ARGUMENTS`, stdout and stderr together; returns the exit status. */
static int run_ww(const char *arguments, text *output)
{
    text command = {0};
    text_printf(&command, "'%s' %s 2>&1", WW_TOOL, arguments);
    FILE *tool = popen(text_str(&command), "r");
    assert_non_null(tool);
    char buffer[4096];
    size_t n;
    while ((n = fread(buffer, 1, sizeof buffer, tool)) > 0)
        text_add_n(output, buffer, n);
    int status = pclose(tool);
    text_free(&command);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void check_ww(const char *arguments, int status, const char *expected)
{
    text output = {0};
    assert_int_equal(run_ww(arguments, &output), status);
    if (!strstr(text_str(&output), expected))
        fail_msg("ww %s prints\n%s\nand not\n%s", arguments, text_str(&output), expected);
    text_free(&output);
}

static void test_explain_by_number_and_by_name(void **state)
{
    (void)state;
    check_ww("explain WW303", 0, "WW303 lapped (error)\n  a barrier can complete a phase before a waiter");
    check_ww("explain tx-bytes", 0, "WW205 tx-bytes (error)\n");
    check_ww("explain 108 301", 0, "WW301 deadlock (error)\n");
    check_ww("explain --all", 0, "\n\nWW501 below-minimum (error)\n");
}

/* The lines of code under a heading, blank ones aside. */
static int example_lines(const char *output, const char *heading)
{
    const char *at = strstr(output, heading);
    int lines = 0;
    if (!at)
        return 0;
    at = strchr(at, '\n') + 1;
    at = strchr(at, '\n') + 1;
    for (; strncmp(at, "  RIGHT", 7) != 0 && *at; at = strchr(at, '\n') + 1)
        lines += strncmp(at, "      ", 6) == 0;
    return lines;
}

/* Two examples a row, each short enough to be read at a glance. */
static void test_every_code_has_its_examples(void **state)
{
    (void)state;
    static const int codes[] = {
#define WW_DIAGNOSTIC(name, number, severity, title, explanation) (number),
#include "warpwright/diagnostics.def"
#undef WW_DIAGNOSTIC
    };
    for (size_t i = 0; i < ARRAY_LEN(codes); i++) {
        text command = {0}, output = {0};
        text_printf(&command, "explain %d", codes[i]);
        assert_int_equal(run_ww(text_str(&command), &output), 0);
        int wrong = example_lines(text_str(&output), "\n  WRONG: "),
            right = example_lines(text_str(&output), "\n  RIGHT: ");
        if (wrong < 1 || right < 1 || wrong > 12 || right > 12)
            fail_msg("ww explain %d: examples of %d and %d lines", codes[i], wrong, right);
        if (strstr(text_str(&output), "explain_")) /* what only the tests have */
            fail_msg("ww explain %d shows a helper of tests/explain:\n%s", codes[i], text_str(&output));
        text_free(&command);
        text_free(&output);
    }
}

/* Line breaks, indents and comments are those of the file. */
static void test_examples_are_printed_as_they_are(void **state)
{
    (void)state;
    check_ww("explain 107", 0,
             "  WRONG: a static queue knows its tiles\n\n"
             "      ww_work_tile_loop(s, t->queue) {\n"
             "          ww_consume(s, t->input, \"get\");\n"
             "          ww_fetch_tile(s, t->queue);\n"
             "          ww_advance_tile(s, t->queue);\n"
             "      }\n\n"
             "  RIGHT: nothing to fetch\n\n");
    check_ww("explain 217", 0,
             "          ww_consume(s, c->input, \"get\"); /* ww_depends(k, input, previous) */\n");
}

static void test_unknown_codes_get_a_suggestion(void **state)
{
    (void)state;
    check_ww("explain arrival-count", 1,
             "there is no diagnostic 'arrival-count'; did you mean WW204 arrivals?\n");
    check_ww("explain dedlock 301", 1, "did you mean WW301 deadlock?\n");
    check_ww("explain WW999", 1, "there is no diagnostic 'WW999'; `ww explain --all` lists them\n");
}

static void test_pipelines_show_the_protocols(void **state)
{
    (void)state;
    check_ww("pipelines", 0, "TmaAsync      WW_TMA_ASYNC         acquire: one lane a warp, announcing");
    check_ww("pipelines", 0, "AsyncAsync    WW_ASYNC_ASYNC       commit: every lane of every warp\n");
    check_ww("pipelines all", 2, "pipelines takes no arguments but --markdown");
}

static void test_usage(void **state)
{
    (void)state;
    check_ww("--version", 0, "ww " WW_VERSION "\n");
    check_ww("--help", 0, "usage:\n");
    check_ww("", 2, "usage:\n");
    check_ww("explain", 2, "explain wants a code");
    check_ww("explian WW303", 2, "there is no command 'explian'; did you mean 'explain'?\n");
}

static void test_the_diagnostics_page_is_up_to_date(void **state)
{
    (void)state;
    text page = {0};
    assert_int_equal(run_ww("explain --markdown", &page), 0);
    golden_check("docs/diagnostics.md", &page);
    text_free(&page);
}

static void test_the_pipelines_page_is_up_to_date(void **state)
{
    (void)state;
    text page = {0};
    assert_int_equal(run_ww("pipelines --markdown", &page), 0);
    golden_check("docs/pipelines.md", &page);
    text_free(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_explain_by_number_and_by_name),
        cmocka_unit_test(test_every_code_has_its_examples),
        cmocka_unit_test(test_examples_are_printed_as_they_are),
        cmocka_unit_test(test_unknown_codes_get_a_suggestion),
        cmocka_unit_test(test_pipelines_show_the_protocols),
        cmocka_unit_test(test_usage),
        cmocka_unit_test(test_the_diagnostics_page_is_up_to_date),
        cmocka_unit_test(test_the_pipelines_page_is_up_to_date),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
