/* The writer of JSON: what it writes is read back by json_read, which shares nothing with it. */
#include "app/json.h"
#include "diag_json_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void test_the_reader_refuses_what_is_no_json(void **state)
{
    (void)state;
    const char *const wrong[] = {"",      "{",   "[1,]",   "{\"a\":1,}", "{\"a\" 1}",   "{a:1}",
                                 "[1 2]", "\"a", "\"\n\"", "\"\\x41\"",  "\"\\u12g4\"", "\"\\ud800\"",
                                 "01",    "nul", "[]]",    "'a'"};
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++)
        if (json_valid(wrong[i]))
            fail_msg("'%s' is accepted", wrong[i]);
    const char *const right[] = {"{}", " [ ] ", "0", "{\"a\": [1, {\"b\": null}], \"c\": \"\\u00e9\\n\"}"};
    for (size_t i = 0; i < ARRAY_LEN(right); i++)
        assert_true(json_valid(right[i]));
}

static void test_objects_and_arrays_nest(void **state)
{
    (void)state;
    text out = {0};
    json j = {.out = &out};
    json_object(&j, NULL);
    json_number(&j, "count", UINT64_MAX);
    json_array(&j, "list");
    json_bool(&j, NULL, true);
    json_object(&j, NULL);
    json_object_end(&j);
    json_array(&j, NULL);
    json_array_end(&j);
    json_array_end(&j);
    json_string(&j, "none", NULL);
    json_object_end(&j);
    assert_string_equal(text_str(&out), "{\n"
                                        "  \"count\": 18446744073709551615,\n"
                                        "  \"list\": [\n"
                                        "    true,\n"
                                        "    {},\n"
                                        "    []\n"
                                        "  ],\n"
                                        "  \"none\": null\n"
                                        "}");
    assert_true(json_valid(text_str(&out)));
    assert_true(json_is(text_str(&out), "list.2", "[]"));
    assert_true(json_is(text_str(&out), "none", "null"));
    text_free(&out);
}

/* Writes {"key": value} with the value's text as key as well, and reads both back. */
static void check_string(const char *value, const char *read_back)
{
    text out = {0};
    json j = {.out = &out};
    json_object(&j, NULL);
    json_string(&j, "value", value);
    json_string(&j, value, "as a key");
    json_object_end(&j);
    if (!json_valid(text_str(&out)) || !json_says(text_str(&out), "value", read_back))
        fail_msg("%s", text_str(&out));
    text_free(&out);
}

static void test_strings_are_read_back_as_they_were(void **state)
{
    (void)state;
    const char *const values[] = {"",
                                  "a \"quoted\" \\path\\",
                                  "two\nlines\ttab\r\f\b",
                                  "\x01\x1f\x7f",
                                  "na\xC3\xAFve",
                                  "\xE2\x86\x92",
                                  "\xF0\x9F\x9A\x80",
                                  "</script>"};
    for (size_t i = 0; i < ARRAY_LEN(values); i++)
        check_string(values[i], values[i]);
    char every[128];
    for (int i = 1; i < 128; i++)
        every[i - 1] = (char)i;
    every[127] = '\0';
    check_string(every, every);
}

#define REPLACED "\xEF\xBF\xBD"

static void test_what_is_no_utf8_is_replaced(void **state)
{
    (void)state;
    check_string("a\xFFz", "a" REPLACED "z");
    check_string("cut \xE2\x86", "cut " REPLACED REPLACED);
    check_string("\xC0\xAF", REPLACED REPLACED);              /* overlong */
    check_string("\xED\xA0\x80", REPLACED REPLACED REPLACED); /* a surrogate */
    check_string("\xF4\x90\x80\x80", REPLACED REPLACED REPLACED REPLACED);
    check_string("\xC3\"", REPLACED "\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_reader_refuses_what_is_no_json),
        cmocka_unit_test(test_objects_and_arrays_nest),
        cmocka_unit_test(test_strings_are_read_back_as_they_were),
        cmocka_unit_test(test_what_is_no_utf8_is_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
