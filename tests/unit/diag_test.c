/* Diagnostics: the list, the table of codes and the printed form. */
#include "base/diag.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>
#include <cmocka.h>

/* ---- codes ------------------------------------------------------------------------------------------ */

static void test_a_code_is_found_by_number_and_by_name(void **state)
{
    (void)state;
    assert_int_equal(ww_code_from_text("WW204"), WW_ARRIVALS);
    assert_int_equal(ww_code_from_text("ww204"), WW_ARRIVALS);
    assert_int_equal(ww_code_from_text("204"), WW_ARRIVALS);
    assert_int_equal(ww_code_from_text("tx-bytes"), WW_TX_BYTES);
    assert_int_equal(ww_code_from_text("TX_BYTES"), WW_TX_BYTES);
}

static void test_other_texts_are_no_code(void **state)
{
    (void)state;
    const char *const texts[] = {"",     "W",      "WW",      "WW0",       "WW999",
                                 "204x", "WW-204", "arrival", "arrivalss", "+204"};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        assert_int_equal(ww_code_from_text(texts[i]), WW_NO_CODE);
    assert_int_equal(ww_code_from_text(NULL), WW_NO_CODE);
}

/* Every row has what a reader needs, and its name leads back to it. */
static void check_row(ww_code code, const char *identifier)
{
    const char *name = ww_code_name(code);
    assert_int_equal(strlen(name), strlen(identifier));
    assert_null(strpbrk(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_ "));
    assert_int_equal(ww_code_from_text(name), code);
    assert_int_equal(ww_code_from_text(identifier), code);
    assert_true(strlen(ww_code_title(code)) > 10);
    assert_true(strlen(ww_code_explanation(code)) > 10);
}

static void test_every_row_is_complete(void **state)
{
    (void)state;
#define WW_DIAGNOSTIC(name, ...) check_row(WW_##name, #name);
#include "warpwright/diagnostics.def"
#undef WW_DIAGNOSTIC
}

static void test_an_unknown_code_has_no_row(void **state)
{
    (void)state;
    assert_null(ww_code_title(WW_NO_CODE));
    assert_null(ww_code_explanation((ww_code)999));
    assert_string_equal(ww_code_name((ww_code)999), "unknown");
    assert_string_equal(ww_severity_name(WW_NOTE), "note");
    assert_string_equal(ww_severity_name((ww_severity)9), "unknown");
}

/* ---- the list --------------------------------------------------------------------------------------- */

static void test_the_list_keeps_order_and_severity(void **state)
{
    (void)state;
    arena a = {0};
    diag_list list;
    diag_list_init(&list, &a);
    assert_null(list.first);
    ww_diag *first = diag_add(&list, WW_UNUSED_VALUE, (ww_place){"a.c", 1}, "value %d", 7);
    ww_diag *second = diag_add(&list, WW_RACE, (ww_place){"a.c", 2}, "race");
    assert_ptr_equal(list.first, first);
    assert_ptr_equal(first->next, second);
    assert_null(second->next);
    assert_string_equal(first->message, "value 7");
    assert_int_equal(first->severity, WW_WARNING);
    assert_int_equal(ww_diag_count(list.first, WW_NOTE), 2);
    assert_int_equal(ww_diag_count(list.first, WW_ERROR), 1);
    assert_int_equal(ww_diag_count(NULL, WW_NOTE), 0);
    arena_free(&a);
}

/* ---- the printed form ------------------------------------------------------------------------------- */

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

static void test_all_parts_are_printed(void **state)
{
    (void)state;
    arena a = {0};
    diag_list list;
    diag_list_init(&list, &a);
    ww_diag *d =
        diag_add(&list, WW_ARRIVALS, (ww_place){"no/such/gemm.c", 88}, "smem_ab.empty\nnever completes");
    diag_expected(&list, d, "%d arrivals", 8);
    diag_found(&list, d, "7 arrivals,\n6 of them late");
    diag_hint(&list, d, "leave the count out");
    diag_related(&list, d, (ww_place){"no/such/gemm.c", 41}, "the count is given here");
    check_printed(list.first, "no/such/gemm.c:88: error: WW204 arrivals: smem_ab.empty\n"
                              "    never completes\n"
                              "    expected: 8 arrivals\n"
                              "    found:    7 arrivals,\n"
                              "              6 of them late\n"
                              "    hint:     leave the count out\n"
                              "no/such/gemm.c:41: note: the count is given here\n");
    arena_free(&a);
}

static void test_a_diagnostic_without_a_place(void **state)
{
    (void)state;
    arena a = {0};
    diag_list list;
    diag_list_init(&list, &a);
    (void)diag_add(&list, WW_NO_COMPILER, (ww_place){0}, "NVRTC was not found");
    check_printed(list.first, "warpwright: error: WW402 no-compiler: NVRTC was not found\n");
    arena_free(&a);
}

/* A file with one line of tabs, one longer than any buffer, one that ends in CR LF and one that does not end.
 */
static void write_source(char path[])
{
    text source = {0};
    text_add(&source, "first\n\t  ww_wait(s, r);\n");
    for (int i = 0; i < 3000; i++)
        text_add(&source, "x");
    text_add(&source, "\n  ww_release(s, r);\r\nlast");
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(close(descriptor), 0);
    assert_true(file_write(path, text_str(&source), source.len));
    text_free(&source);
}

static void check_source_line(const char *path, int line, const char *expected)
{
    arena a = {0};
    diag_list list;
    diag_list_init(&list, &a);
    (void)diag_add(&list, WW_RACE, (ww_place){path, line}, "race");
    text whole = {0};
    text_printf(&whole, "%s:%d: error: WW304 race: race\n%s", path, line, expected);
    check_printed(list.first, text_str(&whole));
    text_free(&whole);
    arena_free(&a);
}

static void test_the_source_line_carries_a_caret(void **state)
{
    (void)state;
    char path[] = "/tmp/ww_diag_test_XXXXXX";
    write_source(path);
    check_source_line(path, 1, "      1 | first\n        | ^\n");
    check_source_line(path, 2, "      2 | \t  ww_wait(s, r);\n        | \t  ^\n");
    check_source_line(path, 4, "      4 |   ww_release(s, r);\n        |   ^\n");
    check_source_line(path, 5, "      5 | last\n        | ^\n");
    check_source_line(path, 6, "");
    check_source_line(path, 0, "");
    assert_int_equal(remove(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_code_is_found_by_number_and_by_name),
        cmocka_unit_test(test_other_texts_are_no_code),
        cmocka_unit_test(test_every_row_is_complete),
        cmocka_unit_test(test_an_unknown_code_has_no_row),
        cmocka_unit_test(test_the_list_keeps_order_and_severity),
        cmocka_unit_test(test_all_parts_are_printed),
        cmocka_unit_test(test_a_diagnostic_without_a_place),
        cmocka_unit_test(test_the_source_line_carries_a_caret),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
