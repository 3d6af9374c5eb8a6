/* Suppression: what may be passed over, what becomes of it, and what may not. */
#include "diag_sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* ---- asking ------------------------------------------------------------------------------------------- */

static char *printed(const ww_diag *list)
{
    char *bytes = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&bytes, &len);
    assert_non_null(out);
    ww_diag_print(out, list);
    assert_int_equal(fclose(out), 0);
    return bytes;
}

static void check_printed(const ww_diag *list, const char *expected)
{
    char *actual = printed(list);
    assert_string_equal(actual, expected);
    free(actual);
}

static ww_kernel *sample_with(unsigned mistakes)
{
    static diag_sample sample;
    sample = (diag_sample){.mistakes = mistakes};
    return diag_sample_kernel(&sample);
}

#define PLACE(line) ((ww_place){"user.c", line})

#define UNUSED_X                                                                                             \
    "WW108 unused-value: task ping: output x of second.use is never used\n"                                  \
    "    expected: a later call of this schedule with it in .in\n"                                           \
    "    found:    none\n"                                                                                   \
    "    hint:     pass the token on, or leave it out of .out\n"
#define NO_RELEASE(severity)                                                                                 \
    "sample.c:20: " severity                                                                                 \
    ": WW203 coverage: no task releases the slots of pipeline second; opened by task ping\n"                 \
    "    expected: release(second) after the work on each slot\n"                                            \
    "    found:    wait(second) alone\n"                                                                     \
    "    hint:     add ww_release(s, second) to task ping\n"
#define RING_NOTE "sample.c:87: note: second is declared here\n"

/* ---- what is suppressed ------------------------------------------------------------------------------- */

static void test_a_warning_is_suppressed(void **state)
{
    (void)state;
    ww_kernel *k = sample_with(DIAG_UNUSED_VALUE);
    ww_kernel_suppress(k, WW_UNUSED_VALUE, "for the debugger");
    assert_null(ww_kernel_check(k));
    check_printed(ww_kernel_suppressed(k),
                  "sample.c:23: suppressed warning: " UNUSED_X "    reason:   for the debugger\n");
    assert_true(ww_kernel_prove(k).proved);
    ww_kernel_free(k);
}

/* The others of the kernel stay. */
static void test_a_rule_is_suppressed(void **state)
{
    (void)state;
    ww_kernel *k = sample_with(DIAG_NO_RELEASE | DIAG_UNUSED_VALUE);
    ww_kernel_suppress(k, WW_COVERAGE, "one trip only");
    check_printed(ww_kernel_check(k), "sample.c:23: warning: " UNUSED_X);
    check_printed(ww_kernel_suppressed(k),
                  NO_RELEASE("suppressed error") "    reason:   one trip only\n" RING_NOTE);
    ww_kernel_free(k);
}

/* What the rule saw is there all the same, and the prover finds it. */
static void test_the_prover_still_has_its_say(void **state)
{
    (void)state;
    ww_kernel *k = sample_with(DIAG_NO_RELEASE);
    ww_kernel_suppress(k, WW_COVERAGE, "one trip only");
    ww_verdict v = ww_kernel_prove(k);
    assert_false(v.proved);
    assert_int_equal(v.refutation->code / 100, 3);
    assert_null(ww_kernel_emit(k));
    ww_kernel_free(k);
}

static void test_one_suppression_hides_all_findings_of_its_code(void **state)
{
    (void)state;
    diag_sample sample = {.mistakes = DIAG_ARRIVALS};
    ww_kernel *k = diag_sample_kernel(&sample);
    (void)ww_resource_new_at(PLACE(4), k, "third", &(ww_resource_options){.pipeline = {WW_ASYNC_ASYNC, 2}});
    (void)ww_resource_new_at(PLACE(3), k, "fourth", &(ww_resource_options){.pipeline = {WW_ASYNC_ASYNC, 2}});
    ww_kernel_suppress(k, WW_COVERAGE, "for later");
    const ww_diag *left = ww_kernel_check(k);
    assert_int_equal(ww_diag_count(left, WW_NOTE), 1);
    assert_int_equal(left->code, WW_ARRIVALS);
    const ww_diag *hidden = ww_kernel_suppressed(k);
    int lines[] = {3, 3, 4, 4}; /* neither side of each; in order of place, too */
    for (size_t i = 0; i < 4; i++, hidden = hidden->next) {
        assert_int_equal(hidden->code, WW_COVERAGE);
        assert_int_equal(hidden->place.line, lines[i]);
    }
    assert_null(hidden);
    ww_kernel_free(k);
}

/* Declared before or after what it hides. */
static void test_it_does_not_matter_when_it_is_declared(void **state)
{
    (void)state;
    ww_kernel *k =
        ww_kernel_new("k", &(ww_kernel_options){.body = "k.cuh", .params = "p", .params_bytes = 4});
    ww_kernel_suppress(k, WW_COVERAGE, "early");
    (void)ww_resource_new(k, "ring", &(ww_resource_options){.pipeline = {WW_ASYNC_ASYNC, 2}});
    assert_null(ww_kernel_check(k));
    assert_string_equal(ww_kernel_suppressed(k)->suppressed, "early");
    ww_kernel_free(k);
}

/* ---- what is not -------------------------------------------------------------------------------------- */

static void test_an_idle_suppression_is_a_warning(void **state)
{
    (void)state;
    ww_kernel *k = sample_with(0);
    ww_kernel_suppress_at(PLACE(7), k, WW_COVERAGE, "was true once");
    check_printed(ww_kernel_check(k), "user.c:7: warning: WW119 idle-suppression: the suppression of WW203 "
                                      "coverage hides nothing in kernel sample\n"
                                      "    expected: a finding WW203 coverage\n"
                                      "    found:    none\n"
                                      "    hint:     leave it out; the reason given was: was true once\n");
    assert_null(ww_kernel_suppressed(k));
    assert_true(ww_kernel_prove(k).proved);
    ww_kernel_free(k);
}

/* The program's own and one of the command line, say. */
static void test_two_suppressions_of_one_code_are_both_in_use(void **state)
{
    (void)state;
    ww_kernel *k = sample_with(DIAG_UNUSED_VALUE);
    ww_kernel_suppress(k, WW_UNUSED_VALUE, "first");
    ww_kernel_suppress(k, WW_UNUSED_VALUE, "second");
    assert_null(ww_kernel_check(k));
    assert_int_equal(ww_diag_count(ww_kernel_suppressed(k), WW_NOTE), 1);
    ww_kernel_free(k);
}

/* Where the rules have not run, nobody knows whether it is idle. */
static void test_without_rules_no_suppression_is_idle(void **state)
{
    (void)state;
    ww_kernel *k = sample_with(DIAG_BAD_NAME);
    ww_kernel_suppress(k, WW_COVERAGE, "seen");
    assert_int_equal(ww_kernel_check(k)->code, WW_BAD_NAME);
    assert_null(ww_kernel_check(k)->next);
    ww_kernel_free(k);
    k = sample_with(0);
    ww_kernel_unchecked(k);
    ww_kernel_suppress(k, WW_COVERAGE, "seen");
    assert_null(ww_kernel_check(k));
    ww_kernel_free(k);
}

/* The codes that are refused, each with its message; the finding stays. */
static void test_declaring_and_proving_cannot_be_suppressed(void **state)
{
    (void)state;
    static const ww_code codes[] = {
#define WW_DIAGNOSTIC(name, number, severity, title, explanation)                                            \
    (number) / 100 == 2 || (WW_##severity == WW_WARNING && (number) != WW_IDLE_SUPPRESSION) ? WW_NO_CODE     \
                                                                                            : WW_##name,
#include "warpwright/diagnostics.def"
#undef WW_DIAGNOSTIC
    };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        ww_kernel *k = sample_with(0);
        ww_kernel_suppress_at(PLACE(7), k, codes[i], "please");
        const ww_diag *d = ww_kernel_check(k);
        assert_int_equal(d->code, WW_SUPPRESSION);
        assert_int_equal(d->place.line, 7);
        assert_string_equal(d->expected, "a warning, or an error of the rules (2xx)");
        assert_null(ww_kernel_emit(k));
        ww_kernel_free(k);
    }
}

static void test_every_warning_and_rule_can_be_suppressed(void **state)
{
    (void)state;
    static const ww_code codes[] = {
#define WW_DIAGNOSTIC(name, number, severity, title, explanation)                                            \
    (number) / 100 == 2 || (WW_##severity == WW_WARNING && (number) != WW_IDLE_SUPPRESSION) ? WW_##name      \
                                                                                            : WW_NO_CODE,
#include "warpwright/diagnostics.def"
#undef WW_DIAGNOSTIC
    };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        if (codes[i] == WW_NO_CODE)
            continue;
        ww_kernel *k = sample_with(0);
        ww_kernel_suppress(k, codes[i], "asked for");
        const ww_diag *d = ww_kernel_check(k);
        if (codes[i] / 100 == 4) { /* the audit's, which alone can tell that it is idle */
            assert_null(d);
        } else {
            assert_int_equal(d->severity, WW_WARNING);
            assert_int_equal(d->code, WW_IDLE_SUPPRESSION);
            assert_non_null(strstr(d->message, ww_code_name(codes[i])));
            assert_null(d->next);
        }
        ww_kernel_free(k);
    }
}

static void test_a_finding_of_the_prover_stays(void **state)
{
    (void)state;
    ww_kernel *k = sample_with(DIAG_DEADLOCK);
    ww_kernel_suppress_at(PLACE(7), k, WW_DEADLOCK, "it ends in practice");
    check_printed(
        ww_kernel_check(k),
        "user.c:7: error: WW118 suppression: kernel sample suppresses WW301 deadlock, which cannot be\n"
        "    expected: a warning, or an error of the rules (2xx)\n"
        "    found:    WW301 deadlock\n"
        "    hint:     mend what it reports\n");
    assert_false(ww_kernel_prove(k).proved);
    ww_kernel_free(k);
}

static void test_a_reason_is_wanted(void **state)
{
    (void)state;
    const char *const reasons[] = {NULL, "", " \t\n"};
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        ww_kernel *k = sample_with(DIAG_UNUSED_VALUE);
        ww_kernel_suppress_at(PLACE(7), k, WW_UNUSED_VALUE, reasons[i]);
        check_printed(
            ww_kernel_check(k),
            "sample.c:23: warning: " UNUSED_X "user.c:7: error: WW118 suppression: kernel sample "
            "suppresses WW108 unused-value without a reason\n"
            "    expected: why the finding does not matter here, in a few words\n"
            "    found:    nothing\n"
            "    hint:     ww_kernel_suppress(k, code, \"the reason\"), or --suppress CODE=REASON\n");
        assert_null(ww_kernel_suppressed(k));
        ww_kernel_free(k);
    }
}

/* A rule's code, but reported while declaring: the kernel has no program that could be proved. */
static void test_an_error_that_leaves_nothing_to_go_on_with_stands(void **state)
{
    (void)state;
    ww_kernel *k = sample_with(0);
    ww_depends_at(PLACE(9), k, NULL, NULL);
    ww_kernel_suppress(k, WW_GRAPH, "never mind");
    const ww_diag *d = ww_kernel_check(k);
    assert_int_equal(d->code, WW_GRAPH);
    assert_int_equal(d->place.line, 9);
    assert_null(d->next);
    assert_null(ww_kernel_suppressed(k));
    assert_false(ww_kernel_prove(k).proved);
    assert_null(ww_kernel_emit(k));
    ww_kernel_free(k);
}

static void test_a_checked_kernel_takes_no_suppression(void **state)
{
    (void)state;
    ww_kernel *k = sample_with(DIAG_UNUSED_VALUE);
    (void)ww_kernel_check(k);
    ww_kernel_suppress_at(PLACE(7), k, WW_UNUSED_VALUE, "too late");
    check_printed(ww_kernel_check(k),
                  "sample.c:23: warning: " UNUSED_X
                  "user.c:7: error: WW109 closed: a suppression is declared after kernel sample was checked\n"
                  "    expected: all declarations before ww_kernel_check, prove, emit and the reports\n"
                  "    found:    one after them\n"
                  "    hint:     move it before the first of these calls\n");
    ww_kernel_free(k);
}

/* ---- the kernel's list -------------------------------------------------------------------------------- */

#define SEVERAL                                                                                              \
    NO_RELEASE("error")                                                                                      \
    RING_NOTE "sample.c:23: warning: " UNUSED_X "sample.c:87: error: WW204 arrivals: the empty barrier of "  \
              "first expects 7 arrivals a phase, and receives more\n"                                        \
              "    expected: 32 = 1 warp of pong x 32 lanes\n"                                               \
              "    found:    .consumer_arrivals = 7\n"                                                       \
              "    hint:     .consumer_arrivals = 32, or leave it out\n"

static void test_several_findings_in_one_go_whatever_the_order_of_declaring(void **state)
{
    (void)state;
    for (int backwards = 0; backwards < 2; backwards++) {
        diag_sample sample = {.mistakes = DIAG_UNUSED_VALUE | DIAG_NO_RELEASE | DIAG_ARRIVALS,
                              .backwards = backwards};
        ww_kernel *k = diag_sample_kernel(&sample);
        check_printed(ww_kernel_check(k), SEVERAL);
        check_printed(ww_kernel_check(k), SEVERAL); /* asked again: the same */
        ww_kernel_free(k);
    }
}

static void test_a_call_made_twice_is_blamed_once(void **state)
{
    (void)state;
    ww_kernel *k = sample_with(DIAG_UNUSED_VALUE | DIAG_UNUSED_TWICE);
    check_printed(ww_kernel_check(k), "sample.c:23: warning: " UNUSED_X);
    ww_kernel_free(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_warning_is_suppressed),
        cmocka_unit_test(test_a_rule_is_suppressed),
        cmocka_unit_test(test_the_prover_still_has_its_say),
        cmocka_unit_test(test_one_suppression_hides_all_findings_of_its_code),
        cmocka_unit_test(test_it_does_not_matter_when_it_is_declared),
        cmocka_unit_test(test_an_idle_suppression_is_a_warning),
        cmocka_unit_test(test_two_suppressions_of_one_code_are_both_in_use),
        cmocka_unit_test(test_without_rules_no_suppression_is_idle),
        cmocka_unit_test(test_declaring_and_proving_cannot_be_suppressed),
        cmocka_unit_test(test_every_warning_and_rule_can_be_suppressed),
        cmocka_unit_test(test_a_finding_of_the_prover_stays),
        cmocka_unit_test(test_a_reason_is_wanted),
        cmocka_unit_test(test_an_error_that_leaves_nothing_to_go_on_with_stands),
        cmocka_unit_test(test_a_checked_kernel_takes_no_suppression),
        cmocka_unit_test(test_several_findings_in_one_go_whatever_the_order_of_declaring),
        cmocka_unit_test(test_a_call_made_twice_is_blamed_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
