/* The command line of check and prove, run as a user would: findings as text and as JSON, --werror, --suppress. */
#include "base/base.h"
#include "diag_json_reader.h"
#include "diag_sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

typedef struct answer {
    int status;
    text out; /* stdout, or what `streams` sends there */
} answer;

static answer ask(const char *arguments, const char *streams)
{
    answer a = {0};
    text command = {0};
    text_printf(&command, "'%s' %s %s", DIAG_APP, arguments, streams);
    FILE *program = popen(text_str(&command), "r");
    assert_non_null(program);
    char buffer[4096];
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, program)) > 0;)
        text_add_n(&a.out, buffer, n);
    int status = pclose(program);
    text_free(&command);
    assert_true(WIFEXITED(status));
    a.status = WEXITSTATUS(status);
    return a;
}

#define STDOUT_ONLY "2>/dev/null"
#define STDERR_ONLY "2>&1 >/dev/null"

static void check_answer(const char *arguments, const char *streams, int status, const char *expected)
{
    answer a = ask(arguments, streams);
    assert_string_equal(text_str(&a.out), expected);
    assert_int_equal(a.status, status);
    text_free(&a.out);
}

/* The same for stdout, whose times are not compared: it starts with one text and ends with the other. */
static void check_summary(const char *arguments, int status, const char *start, const char *end)
{
    answer a = ask(arguments, STDOUT_ONLY);
    const char *out = text_str(&a.out);
    if (strncmp(out, start, strlen(start)) != 0 || a.out.len < strlen(end) ||
        strcmp(out + a.out.len - strlen(end), end) != 0)
        fail_msg("%s prints\n%s", arguments, out);
    assert_int_equal(a.status, status);
    text_free(&a.out);
}

#define UNUSED "WW108 unused-value: task ping: output x of second.use is never used\n"
#define UNUSED_X                                                                                             \
    UNUSED                                                                                                   \
    "    expected: a later call of this schedule with it in .in\n"                                           \
    "    found:    none\n"                                                                                   \
    "    hint:     pass the token on, or leave it out of .out\n"
#define WARNING "sample.c:23: warning: " UNUSED_X
#define SEVERAL                                                                                              \
    "sample.c:20: error: WW203 coverage: no task releases the slots of pipeline second; opened by task "     \
    "ping\n"                                                                                                 \
    "    expected: release(second) after the work on each slot\n"                                            \
    "    found:    wait(second) alone\n"                                                                     \
    "    hint:     add ww_release(s, second) to task ping\n"                                                 \
    "sample.c:87: note: second is declared here\n" WARNING                                                   \
    "sample.c:87: error: WW204 arrivals: the empty barrier of first expects 7 arrivals a phase, and "        \
    "receives more\n"                                                                                        \
    "    expected: 32 = 1 warp of pong x 32 lanes\n"                                                         \
    "    found:    .consumer_arrivals = 7\n"                                                                 \
    "    hint:     .consumer_arrivals = 32, or leave it out\n"

/* ---- text --------------------------------------------------------------------------------------------- */

static void test_all_findings_in_one_go_without_colours_in_a_pipe(void **state)
{
    (void)state;
    check_answer("check --mistakes 7", STDERR_ONLY, 1, SEVERAL);
    check_answer("check --mistakes 7 --backwards 1", STDERR_ONLY, 1, SEVERAL);
    check_answer("check", STDERR_ONLY, 0, "");
}

static void test_the_summary_counts(void **state)
{
    (void)state;
    check_summary("check", 0, "check: no errors, 0 warnings (declare ", " ms)\n");
    check_summary("check --mistakes 1", 0, "check: no errors, 1 warnings (declare ", " ms)\n");
    check_summary("check --mistakes 7", 1, "check: errors, 1 warnings (declare ", " ms)\n");
}

static void test_suppressed_findings_are_listed_with_their_reasons(void **state)
{
    (void)state;
    check_summary(
        "check --mistakes 3 --suppress 'WW108=for = the debugger' --suppress coverage=later", 0,
        "check: no errors, 0 warnings, 2 suppressed (declare ",
        " ms)\n"
        "suppressed: sample.c:20: WW203 coverage: no task releases the slots of pipeline second; opened by "
        "task ping\n"
        "    reason: later\n"
        "suppressed: sample.c:23: " UNUSED "    reason: for = the debugger\n");
    check_summary("prove --mistakes 1 --suppress 108=seen", 0,
                  "prove: ", "\nsuppressed: sample.c:23: " UNUSED "    reason: seen\n");
    check_answer(
        "check --suppress 108=seen", STDERR_ONLY, 0,
        "warpwright: warning: WW119 idle-suppression: the suppression of WW108 unused-value hides nothing in "
        "kernel sample\n"
        "    expected: a finding WW108 unused-value\n"
        "    found:    none\n"
        "    hint:     leave it out; the reason given was: seen\n");
}

static void test_werror_refuses_warnings(void **state)
{
    (void)state;
    check_answer("check --werror", STDERR_ONLY, 0, "");
    check_answer("check --mistakes 1 --werror", STDERR_ONLY, 1,
                 WARNING "diag_app: warnings are errors here (--werror)\n");
    check_answer("prove --mistakes 1 --werror", STDOUT_ONLY, 1,
                 "verdict: REFUSED warnings are errors here (--werror)\n");
    check_answer("emit --mistakes 1 --werror", STDOUT_ONLY, 1, "");
    check_answer("run --mistakes 1 --werror", STDOUT_ONLY, 1, "");
    check_answer("check --mistakes 7 --werror", STDERR_ONLY, 1, SEVERAL); /* refused anyway */
    check_summary("check --mistakes 1 --werror --suppress 108=seen", 0,
                  "check: no errors, 0 warnings, 1 suppressed", "    reason: seen\n");
    check_summary("emit --mistakes 1", 0, "//", "\n");
}

/* ---- JSON --------------------------------------------------------------------------------------------- */

/* What is not modelled is not refuted, and what the rules refuse the prover has not seen. */
static void test_the_verdict_in_words(void **state)
{
    (void)state;
    check_answer(
        "prove --mistakes 64", STDOUT_ONLY, 1,
        "verdict: UNPROVED two loops share a symbolic bound, and one of them has a second symbolic bound\n");
    check_answer("prove --mistakes 2", STDOUT_ONLY, 1,
                 "verdict: REFUSED 1 error of declaring or of the rules\n");
    check_answer("prove --mistakes 6", STDOUT_ONLY, 1,
                 "verdict: REFUSED 2 errors of declaring or of the rules\n");
}

static void test_json_of_one_finding(void **state)
{
    (void)state;
    check_answer(
        "check --mistakes 2 --format json", "2>&1", 1,
        "{\n"
        "  \"kernel\": \"sample\",\n"
        "  \"errors\": 1,\n"
        "  \"warnings\": 0,\n"
        "  \"suppressed\": 0,\n"
        "  \"findings\": [\n"
        "    {\n"
        "      \"code\": \"WW203\",\n"
        "      \"name\": \"coverage\",\n"
        "      \"severity\": \"error\",\n"
        "      \"message\": \"no task releases the slots of pipeline second; opened by task ping\",\n"
        "      \"file\": \"sample.c\",\n"
        "      \"line\": 20,\n"
        "      \"expected\": \"release(second) after the work on each slot\",\n"
        "      \"found\": \"wait(second) alone\",\n"
        "      \"hint\": \"add ww_release(s, second) to task ping\",\n"
        "      \"related\": [\n"
        "        {\n"
        "          \"file\": \"sample.c\",\n"
        "          \"line\": 87,\n"
        "          \"text\": \"second is declared here\"\n"
        "        }\n"
        "      ]\n"
        "    }\n"
        "  ],\n"
        "  \"suppressed_findings\": [],\n"
        "  \"verdict\": \"refused\"\n"
        "}\n");
}

/* A member of the object and how it is spelled, or what it says. */
typedef struct member {
    const char *path, *spelling, *says;
} member;

static void check_json(const char *arguments, int status, const member *members)
{
    answer a = ask(arguments, "2>&1");
    if (!json_valid(text_str(&a.out)))
        fail_msg("%s prints\n%s", arguments, text_str(&a.out));
    for (const member *m = members; m->path; m++)
        if (m->says ? !json_says(text_str(&a.out), m->path, m->says)
                    : !json_is(text_str(&a.out), m->path, m->spelling))
            fail_msg("%s: %s is not %s in\n%s", arguments, m->path, m->says ? m->says : m->spelling,
                     text_str(&a.out));
    assert_int_equal(a.status, status);
    text_free(&a.out);
}

static void test_json_of_check(void **state)
{
    (void)state;
    check_json("check --format json", 0,
               (member[]){{"errors", "0"}, {"findings", "[]"}, {"verdict", .says = "accepted"}, {0}});
    check_json("check --mistakes 7 --backwards 1 --format json", 1,
               (member[]){{"errors", "2"},
                          {"warnings", "1"},
                          {"findings.0.code", .says = "WW203"},
                          {"findings.1.severity", .says = "warning"},
                          {"findings.1.expected", .says = "a later call of this schedule with it in .in"},
                          {"findings.1.related", "[]"},
                          {"findings.2.line", "87"},
                          {"verdict", .says = "refused"},
                          {0}});
    check_json("check --mistakes 8 --format json", 1,
               (member[]){{"findings.0.message",
                           .says = "resource \"no name\" of type \"no name\": not C identifiers"},
                          {"verdict", .says = "refused"},
                          {0}});
    check_json("check --mistakes 1 --werror --format json", 1,
               (member[]){{"errors", "0"}, {"warnings", "1"}, {"verdict", .says = "refused"}, {0}});
    check_json("check --unchecked --format json", 0, (member[]){{"verdict", .says = "unchecked"}, {0}});
}

static void test_json_of_suppressed_findings(void **state)
{
    (void)state;
    check_json("check --mistakes 1 --suppress '108=a \"reason\" \\ with \xC3\xA9' --format json", 0,
               (member[]){{"suppressed", "1"},
                          {"findings", "[]"},
                          {"suppressed_findings.0.code", .says = "WW108"},
                          {"suppressed_findings.0.line", "23"},
                          {"suppressed_findings.0.reason", .says = "a \"reason\" \\ with \xC3\xA9"},
                          {"verdict", .says = "accepted"},
                          {0}});
    check_json("check --suppress 108=idle --format json", 0,
               (member[]){{"warnings", "1"},
                          {"findings.0.code", .says = "WW119"},
                          {"findings.0.file", "null"},
                          {"findings.0.line", "null"},
                          {0}});
}

static void test_json_of_prove(void **state)
{
    (void)state;
    check_json(
        "prove --format json", 0,
        (member[]){{"verdict", .says = "proved"}, {"proof.covered", .says = "trips any; period 1"}, {0}});
    check_json("prove --mistakes 16 --format json", 1,
               (member[]){{"errors", "1"},
                          {"findings.0.code", .says = "WW301"},
                          {"findings.0.related.0.text", .says = "task pong arrives here, if it gets so far"},
                          {"findings.1.severity", .says = "note"},
                          {"verdict", .says = "refuted"},
                          {0}});
    check_json("prove --mistakes 64 --format json", 1,
               (member[]){{"errors", "1"},
                          {"findings.0.code", .says = "WW306"},
                          {"findings.0.related", "[]"},
                          {"verdict", .says = "unproved"},
                          {0}});
    check_json(
        "prove --mistakes 2 --format json", 1,
        (member[]){
            {"errors", "1"}, {"findings.0.code", .says = "WW203"}, {"verdict", .says = "refused"}, {0}});
    check_json("prove --mistakes 1 --werror --format json", 1,
               (member[]){{"warnings", "1"}, {"verdict", .says = "refused"}, {0}});
    answer a = ask("prove --mistakes 1 --werror --format json", STDOUT_ONLY);
    assert_false(json_has(text_str(&a.out), "proof"));
    text_free(&a.out);
}

static void test_json_goes_where_o_says(void **state)
{
    (void)state;
    char path[] = "/tmp/ww_diag_app_test_XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    text arguments = {0}, written = {0};
    text_printf(&arguments, "check --format json -o %s", path);
    check_answer(text_str(&arguments), "2>&1", 0, "");
    assert_true(file_read(path, &written));
    assert_true(json_says(text_str(&written), "verdict", "accepted"));
    assert_int_equal(remove(path), 0);
    text_free(&arguments);
    text_free(&written);
}

/* ---- options that are none ---------------------------------------------------------------------------- */

static void test_malformed_options_are_refused(void **state)
{
    (void)state;
    check_answer("check --suppress WW999=why", "2>&1", 2, "--suppress WW999=why: expected CODE=REASON\n");
    check_answer("check --suppress WW108", "2>&1", 2, "--suppress WW108: expected CODE=REASON\n");
    check_answer("check --suppress WW108=", "2>&1", 2, "--suppress WW108=: expected CODE=REASON\n");
    check_answer("check --format xml", "2>&1", 2, "--format xml: expected text|json\n");
    check_answer("emit --format json", "2>&1", 2, "emit: --format goes with check, prove, audit\n");
    check_answer(
        "check --suppress WW301=why", STDERR_ONLY, 1,
        "warpwright: error: WW118 suppression: kernel sample suppresses WW301 deadlock, which cannot be\n"
        "    expected: a warning, or an error of the rules (2xx)\n"
        "    found:    WW301 deadlock\n"
        "    hint:     mend what it reports\n");
}

/* Nothing that is asked for is passed over in silence. */
static void test_options_that_a_command_does_not_take_are_refused(void **state)
{
    (void)state;
    check_answer("check --certificate c", "2>&1", 2, "check: --certificate goes with prove\n");
    check_answer("prove --replay w", "2>&1", 2, "prove: --replay goes with run\n");
    check_answer("prove --audit", "2>&1", 2, "prove: --audit goes with check\n");
    check_answer("check --routes", "2>&1", 2, "check: --routes goes with table\n");
    check_answer("check --nothing 1", "2>&1", 2, "--nothing: unknown option; see --help\n");
    check_answer("check --mistakes", "2>&1", 2,
                 "--mistakes: a value is missing, or the option is unknown; see --help\n");
    check_answer("check --mistakes x", "2>&1", 2, "--mistakes x: expected BITS\n");
    check_answer("prove --explore --states 0", "2>&1", 2, "--states 0: expected N\n");
}

static void test_options_that_contradict_each_other_are_refused(void **state)
{
    static const char *const apart[][2] = {
        {"--explore", "--certificate c"},   {"--explore", "--check c"},
        {"--explore", "--witness w"},       {"--explore", "--timeline"},
        {"--explore", "--format json"},     {"--check c", "--certificate d"},
        {"--check c", "--witness w"},       {"--check c", "--timeline"},
        {"--check c", "--format json"},     {"--check c", "--werror"},
        {"--check c", "--suppress 108=why"}};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(apart); i++) {
        text arguments = {0}, expected = {0};
        text_printf(&arguments, "prove %s %s", apart[i][1], apart[i][0]);
        text_printf(&expected, "prove: %.*s and %.*s do not go together\n", (int)strcspn(apart[i][0], " "),
                    apart[i][0], (int)strcspn(apart[i][1], " "), apart[i][1]);
        check_answer(text_str(&arguments), "2>&1", 2, text_str(&expected));
        text_free(&arguments);
        text_free(&expected);
    }
    check_answer("prove --trips 3", "2>&1", 2, "prove: --trips goes with --explore\n");
    check_answer("prove --no-reduction", "2>&1", 2, "prove: --no-reduction goes with --explore\n");
    check_answer("check --async late --async-seed 3", "2>&1", 2,
                 "check: --async-seed goes with --async random\n");
    check_answer("check -o f", "2>&1", 2, "check: -o goes with --format json\n");
    check_summary("prove --explore --trips 3", 0, "explore: ", "in every interleaving of this instance\n");
}

/* ---- files --------------------------------------------------------------------------------------------- */

#define NO_FOLDER "/nowhere/at/all"

static void test_files_that_cannot_be_written_or_read(void **state)
{
    (void)state;
    static const char why[] = NO_FOLDER ": No such file or directory\n";
    check_answer("emit -o " NO_FOLDER, "2>&1", 1, why);
    check_answer("table -o " NO_FOLDER, "2>&1", 1, why);
    check_answer("check --format json -o " NO_FOLDER, "2>&1", 1, why);
    check_answer("prove --certificate " NO_FOLDER, STDERR_ONLY, 1, why);
    check_answer("prove --check " NO_FOLDER, "2>&1", 1, why);
    check_answer("run --replay " NO_FOLDER, "2>&1", 1, why);
    check_answer("prove --witness " NO_FOLDER, STDERR_ONLY, 0,
                 NO_FOLDER ": there is no counterexample to write\n");
    answer refuted = ask("prove --mistakes 16 --witness " NO_FOLDER, STDERR_ONLY);
    assert_non_null(strstr(text_str(&refuted.out), why));
    assert_int_equal(refuted.status, 1);
    text_free(&refuted.out);
}

/* Through a link, as a file that took the place of the device would outlive the test. */
static void test_a_full_disk_is_no_success(void **state)
{
    static const char *const writers[] = {"emit -o", "graph -o", "check --format json -o",
                                          "prove --certificate", "prove --mistakes 16 --witness"};
    (void)state;
    char folder[] = "/tmp/ww_diag_app_test_XXXXXX";
    text link = {0};
    struct stat at;
    assert_non_null(mkdtemp(folder));
    text_printf(&link, "%s/full", folder);
    assert_int_equal(symlink("/dev/full", text_str(&link)), 0);
    for (size_t i = 0; i < ARRAY_LEN(writers); i++) {
        text arguments = {0}, why = {0};
        text_printf(&arguments, "%s %s", writers[i], text_str(&link));
        text_printf(&why, "%s: No space left on device\n", text_str(&link));
        answer a = ask(text_str(&arguments), STDERR_ONLY);
        if (!strstr(text_str(&a.out), text_str(&why)))
            fail_msg("%s says %s", writers[i], text_str(&a.out));
        assert_int_equal(a.status, 1);
        assert_int_equal(lstat(text_str(&link), &at), 0);
        assert_true(S_ISLNK(at.st_mode));
        text_free(&a.out);
        text_free(&arguments);
        text_free(&why);
    }
    check_answer("emit", "2>&1 >/dev/full", 1, "stdout: No space left on device\n");
    assert_int_equal(remove(text_str(&link)), 0);
    assert_int_equal(remove(folder), 0);
    text_free(&link);
}

/* The program itself is neither a certificate nor a counterexample. */
static void test_files_of_another_kind_are_refused(void **state)
{
    (void)state;
    check_summary("prove --check '" DIAG_APP "'", 1, "certificate: REFUSED ", "\n");
    answer a = ask("run --replay '" DIAG_APP "'", STDERR_ONLY);
    assert_non_null(strstr(text_str(&a.out), ": no counterexample: "));
    assert_int_equal(a.status, 1);
    text_free(&a.out);
}

static void test_usage_says_the_exit_status(void **state)
{
    (void)state;
    check_summary("--help", 0, "diag_app: a kernel with mistakes\n",
                  "2 when the command line cannot be read\n");
    check_answer("", STDOUT_ONLY, 2, "");
    check_answer("fly", STDOUT_ONLY, 2, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_findings_in_one_go_without_colours_in_a_pipe),
        cmocka_unit_test(test_the_summary_counts),
        cmocka_unit_test(test_suppressed_findings_are_listed_with_their_reasons),
        cmocka_unit_test(test_werror_refuses_warnings),
        cmocka_unit_test(test_the_verdict_in_words),
        cmocka_unit_test(test_json_of_one_finding),
        cmocka_unit_test(test_json_of_check),
        cmocka_unit_test(test_json_of_suppressed_findings),
        cmocka_unit_test(test_json_of_prove),
        cmocka_unit_test(test_json_goes_where_o_says),
        cmocka_unit_test(test_malformed_options_are_refused),
        cmocka_unit_test(test_options_that_a_command_does_not_take_are_refused),
        cmocka_unit_test(test_options_that_contradict_each_other_are_refused),
        cmocka_unit_test(test_files_that_cannot_be_written_or_read),
        cmocka_unit_test(test_a_full_disk_is_no_success),
        cmocka_unit_test(test_files_of_another_kind_are_refused),
        cmocka_unit_test(test_usage_says_the_exit_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
