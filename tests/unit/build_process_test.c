/* Work in a child: what it says arrives whole, and its crash is a message. And texts packed into one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "build/pack.h"
#include "build/process.h"

#include <signal.h>

/* More than a pipe holds, so that writing waits for reading. */
enum { LONG_RESULT = 1 << 20 };

static void say_much(void *context, text *result)
{
    for (int i = 0; i < LONG_RESULT; i++)
        text_add_n(result, context, 1);
}

static void all_that_was_said_arrives(void **state)
{
    (void)state;
    text result = {0}, why_not = {0};
    assert_true(process_guard(say_much, "x", &result, &why_not));
    assert_int_equal(result.len, LONG_RESULT);
    assert_int_equal(strspn(text_str(&result), "x"), LONG_RESULT);
    assert_int_equal(why_not.len, 0);
    text_free(&result);
}

static void raise_signal(void *context, text *result)
{
    text_add(result, "lost");
    (void)raise(*(int *)context);
}

static void a_crash_is_a_message(void **state)
{
    (void)state;
    static const struct {
        int signal;
        const char *said;
    } crashes[] = {{SIGSEGV, "crashed: Segmentation fault"}, {SIGABRT, "crashed: Aborted"}};
    for (size_t i = 0; i < ARRAY_LEN(crashes); i++) {
        int number = crashes[i].signal;
        text result = {0}, why_not = {0};
        assert_false(process_guard(raise_signal, &number, &result, &why_not));
        assert_string_equal(text_str(&why_not), crashes[i].said);
        assert_int_equal(result.len, 0);
        text_free(&result);
        text_free(&why_not);
    }
}

static void a_program_is_run_and_heard(void **state)
{
    (void)state;
    text output = {0};
    const char *const command[] = {"/bin/sh", "-c", "echo out; echo err >&2; exit 3", NULL};
    assert_int_equal(process_run(command, &output), 3);
    assert_string_equal(text_str(&output), "out\nerr\n");
    output.len = 0;
    const char *const absent[] = {"/nonexistent/program", NULL};
    assert_int_not_equal(process_run(absent, &output), 0);
    text_free(&output);
}

static void packed_texts_come_back(void **state)
{
    (void)state;
    text first = {0}, second = {0}, third = {0}, packed = {0};
    text_add_n(&first, "a\0b", 3);
    text_add(&third, "third");
    const text *const parts[] = {&first, &second, &third};
    pack_texts(parts, 3, &packed);
    text back[3] = {{0}};
    text *const into[] = {&back[0], &back[1], &back[2]};
    assert_true(unpack_texts(packed.at, packed.len, into, 3));
    assert_int_equal(back[0].len, 3);
    assert_memory_equal(back[0].at, "a\0b", 3);
    assert_int_equal(back[1].len, 0);
    assert_string_equal(text_str(&back[2]), "third");
    for (size_t len = 0; len < packed.len; len++)
        assert_false(unpack_texts(packed.at, len, into, 3));
    assert_int_equal(back[0].len, 3);
    for (size_t i = 0; i < 3; i++)
        text_free(&back[i]);
    text_free(&first);
    text_free(&third);
    text_free(&packed);
}

static void a_length_beyond_the_end_is_refused(void **state)
{
    (void)state;
    const uint64_t lengths[3] = {UINT64_MAX, 1, 0};
    text first = {0}, second = {0};
    text *const into[] = {&first, &second};
    assert_false(unpack_texts((const char *)lengths, sizeof lengths, into, 2));
    assert_int_equal(first.len + second.len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_that_was_said_arrives),          cmocka_unit_test(a_crash_is_a_message),
        cmocka_unit_test(a_program_is_run_and_heard),         cmocka_unit_test(packed_texts_come_back),
        cmocka_unit_test(a_length_beyond_the_end_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
