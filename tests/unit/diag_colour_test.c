/* Colours: on a terminal, unless NO_COLOR is set; nowhere else. The terminal is the far end of a pseudo-terminal. */
#define _XOPEN_SOURCE 700 /* posix_openpt */
#include "base/diag.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>
#include <cmocka.h>

static void print_warning(FILE *out)
{
    arena a = {0};
    diag_list list;
    diag_list_init(&list, &a);
    ww_diag *d = diag_add(&list, WW_UNUSED_VALUE, (ww_place){"no/a.c", 5}, "x");
    diag_found(&list, d, "y");
    ww_diag_print(out, list.first);
    arena_free(&a);
}

/* What arrives at the other end once this one is closed; it may come in several pieces. The text is short enough for a pipe
 * or a terminal to hold. */
static void check_through(int write_to, int read_from, const char *expected)
{
    FILE *out = fdopen(write_to, "w");
    assert_non_null(out);
    print_warning(out);
    assert_int_equal(fclose(out), 0);
    text seen = {0};
    char piece[256];
    for (ssize_t n; (n = read(read_from, piece, sizeof piece)) > 0;) /* a terminal ends with EIO */
        text_add_n(&seen, piece, (size_t)n);
    assert_string_equal(text_str(&seen), expected);
    text_free(&seen);
    assert_int_equal(close(read_from), 0);
}

static const char plain[] = "no/a.c:5: warning: WW108 unused-value: x\n"
                            "    found:    y\n";
/* A terminal turns line ends into CR LF. */
static const char plain_terminal[] = "no/a.c:5: warning: WW108 unused-value: x\r\n"
                                     "    found:    y\r\n";
static const char coloured[] = "\033[1mno/a.c:5: \033[0m\033[1;35mwarning\033[0m: WW108 unused-value: x\r\n"
                               "    \033[1;36mfound:\033[0m    y\r\n";

static void check_on_terminal(const char *expected)
{
    int near = posix_openpt(O_RDWR | O_NOCTTY);
    if (near < 0)
        skip(); /* no pseudo-terminals here */
    assert_int_equal(grantpt(near), 0);
    assert_int_equal(unlockpt(near), 0);
    int far = open(ptsname(near), O_RDWR | O_NOCTTY);
    assert_true(far >= 0);
    check_through(far, near, expected);
}

static void test_a_terminal_gets_colours(void **state)
{
    (void)state;
    assert_int_equal(unsetenv("NO_COLOR"), 0);
    check_on_terminal(coloured);
    assert_int_equal(setenv("NO_COLOR", "", 1), 0); /* no-color.org: when not empty */
    check_on_terminal(coloured);
}

static void test_not_where_no_color_is_set(void **state)
{
    (void)state;
    assert_int_equal(setenv("NO_COLOR", "1", 1), 0);
    check_on_terminal(plain_terminal);
}

static void test_a_pipe_gets_none(void **state)
{
    (void)state;
    assert_int_equal(unsetenv("NO_COLOR"), 0);
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    check_through(ends[1], ends[0], plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_terminal_gets_colours),
        cmocka_unit_test(test_not_where_no_color_is_set),
        cmocka_unit_test(test_a_pipe_gets_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
