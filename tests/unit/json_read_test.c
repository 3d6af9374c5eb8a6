/* The reader of JSON: what it takes, what it refuses and where, and that damage never leads it astray. */
#include "app/json_read.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

static const json_value *read(const char *s, arena *a)
{
    text error = {0};
    const json_value *v = json_read(s, strlen(s), a, &error);
    if (!v)
        print_message("%s: %s\n", s, text_str(&error));
    assert_int_equal(v == NULL, error.len > 0);
    text_free(&error);
    return v;
}

static void values(void **state)
{
    (void)state;
    arena a = {0};
    const json_value *v =
        read(" {\"a\": [1, -2, 0, 1.5e-3, 9223372036854775807, -9223372036854775808, 9223372036854775808],\n"
             "\"b\": {\"c\": null, \"d\": true}, \"e\": \"x\\u00e4\\n\\ud83d\\ude00\\/\xc3\xa4\", \"\": []} ",
             &a);
    assert_non_null(v);
    static const struct {
        bool integer;
        int64_t number;
    } numbers[] = {{true, 1},         {true, -2},        {true, 0}, {false, 0},
                   {true, INT64_MAX}, {true, INT64_MIN}, {false, 0}};
    const json_value *list = json_member(v, "a"), *n = list->first;
    assert_int_equal(list->count, ARRAY_LEN(numbers));
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++, n = n->next) {
        assert_int_equal(n->kind, JSON_NUMBER);
        assert_int_equal(n->integer, numbers[i].integer);
        assert_int_equal(n->number, numbers[i].number);
    }
    assert_int_equal(json_member(json_member(v, "b"), "c")->kind, JSON_NULL);
    assert_true(json_member(json_member(v, "b"), "d")->boolean);
    assert_string_equal(json_member(v, "e")->string, "x\xc3\xa4\n\xf0\x9f\x98\x80/\xc3\xa4");
    assert_int_equal(json_member(v, "")->count, 0);
    assert_null(json_member(v, "f"));
    assert_null(json_member(list, "a"));
    arena_free(&a);
}

static void refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        " ",
        "{",
        "[",
        "[1",
        "[1,]",
        "[,1]",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{a:1}",
        "{\"a\":1 \"b\":2}",
        "{\"a\":1,\"a\":2}",
        "01",
        "-",
        "+1",
        "1.",
        ".5",
        "1e",
        "1e+",
        "0x10",
        "nul",
        "True",
        "NaN",
        "\"",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u0000\"",
        "\"\\ud800\"",
        "\"\\ud800\\u0041\"",
        "\"\\udc00\"",
        "\"\t\"",
        "\"\xff\"",
        "\"\xc3",
        "\"\xe2\x82\"",
        "\"\xed\xa0\x80\"",
        "1 2",
        "[] ]",
        "// x\n1",
        "[1}",
        "{\"a\":1]",
    };
    arena a = {0};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        assert_null(read(texts[i], &a));
    arena_free(&a);
}

static void depth_is_bounded(void **state)
{
    (void)state;
    char deep[2 * JSON_MOST_DEPTH + 3];
    for (int extra = 0; extra < 2; extra++) {
        arena a = {0};
        int depth = JSON_MOST_DEPTH + extra;
        memset(deep, '[', (size_t)depth);
        memset(deep + depth, ']', (size_t)depth);
        deep[2 * depth] = '\0';
        assert_int_equal(read(deep, &a) != NULL, !extra);
        arena_free(&a);
    }
}

static void errors_name_the_line(void **state)
{
    (void)state;
    arena a = {0};
    text error = {0};
    static const char s[] = "{\n\"a\": 1,\n\"b\": x}";
    assert_null(json_read(s, strlen(s), &a, &error));
    assert_string_equal(text_str(&error), "line 3: a value expected");
    text_free(&error);
    arena_free(&a);
}

/* No terminator is needed, and none is looked for: each beginning of a text is read from a block of its own size. */
static void beginnings(void **state)
{
    (void)state;
    static const char s[] = "[{\"k\\u00e4\": [-1.5e3, \"\xf0\x9f\x98\x80\"]}, null, true, false]";
    for (size_t len = 0; len < strlen(s); len++) {
        arena a = {0};
        text error = {0};
        char *copy = base_alloc(len + !len);
        memcpy(copy, s, len);
        assert_null(json_read(copy, len, &a, &error));
        free(copy);
        text_free(&error);
        arena_free(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),           cmocka_unit_test(refused),
        cmocka_unit_test(depth_is_bounded), cmocka_unit_test(errors_name_the_line),
        cmocka_unit_test(beginnings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
