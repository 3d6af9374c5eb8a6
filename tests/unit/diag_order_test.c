/* Several findings in one go: each once, in order of place, whatever the order they were found in. */
#include "base/diag.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

/* ---- a handful of findings ---------------------------------------------------------------------------- */

static void no_place(diag_list *list)
{
    (void)diag_add(list, WW_NO_COMPILER, (ww_place){0}, "NVRTC was not found");
}

static void first_file(diag_list *list)
{
    ww_diag *d = diag_add(list, WW_COVERAGE, (ww_place){"no/a.c", 30}, "nobody releases ring");
    diag_expected(list, d, "release(ring)");
    diag_found(list, d, "wait(ring) alone");
    diag_hint(list, d, "add ww_release(s, ring)");
    diag_related(list, d, (ww_place){"no/a.c", 3}, "the ring is declared here");
}

static void same_line_lower_code(diag_list *list)
{
    (void)diag_add(list, WW_UNUSED_VALUE, (ww_place){"no/a.c", 30}, "x is never used");
}

static void same_line_other_message(diag_list *list)
{
    (void)diag_add(list, WW_COVERAGE, (ww_place){"no/a.c", 30}, "nobody commits ring");
}

static void line_nine(diag_list *list)
{
    (void)diag_add(list, WW_ARRIVALS, (ww_place){"no/a.c", 9}, "7 arrivals");
}

static void second_file(diag_list *list)
{
    (void)diag_add(list, WW_WARPS, (ww_place){"no/b.c", 1}, "tasks share warp 3");
}

/* As first_file, seen once more and with less to say. */
static void first_file_again(diag_list *list)
{
    (void)diag_add(list, WW_COVERAGE, (ww_place){"no/a.c", 30}, "nobody releases ring");
}

static void (*const findings[])(diag_list *) = {
    no_place, first_file, same_line_lower_code, same_line_other_message, line_nine, second_file, first_file,
};
enum { COUNT = ARRAY_LEN(findings) };

static const char in_order[] = "warpwright: error: WW402 no-compiler: NVRTC was not found\n"
                               "no/a.c:9: error: WW204 arrivals: 7 arrivals\n"
                               "no/a.c:30: warning: WW108 unused-value: x is never used\n"
                               "no/a.c:30: error: WW203 coverage: nobody commits ring\n"
                               "no/a.c:30: error: WW203 coverage: nobody releases ring\n"
                               "    expected: release(ring)\n"
                               "    found:    wait(ring) alone\n"
                               "    hint:     add ww_release(s, ring)\n"
                               "no/a.c:3: note: the ring is declared here\n"
                               "no/b.c:1: error: WW207 warps: tasks share warp 3\n";

static void check_printed(const diag_list *list, const char *expected)
{
    char *bytes = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&bytes, &len);
    assert_non_null(out);
    ww_diag_print(out, list->first);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(bytes, expected);
    free(bytes);
}

/* ---- the tests ---------------------------------------------------------------------------------------- */

static void check_order(const size_t order[COUNT])
{
    arena a = {0};
    diag_list list;
    diag_list_init(&list, &a);
    for (size_t i = 0; i < COUNT; i++)
        findings[order[i]](&list);
    diag_list_settle(&list);
    check_printed(&list, in_order);
    diag_list_settle(&list);
    check_printed(&list, in_order);
    arena_free(&a);
}

/* All orders, by Heap's exchange of the last of n with each before it. */
static void check_orders(size_t order[COUNT], size_t n, size_t *checked)
{
    if (n <= 1) {
        check_order(order);
        ++*checked;
        return;
    }
    for (size_t i = 0; i < n; i++) {
        check_orders(order, n - 1, checked);
        size_t other = n % 2 ? 0 : i, last = order[n - 1];
        order[n - 1] = order[other];
        order[other] = last;
    }
}

static void test_the_order_of_finding_does_not_matter(void **state)
{
    (void)state;
    size_t order[COUNT], checked = 0;
    for (size_t i = 0; i < COUNT; i++)
        order[i] = i;
    check_orders(order, COUNT, &checked);
    assert_int_equal(checked, 5040);
}

/* Two records of one finding: which of them stays does not depend on which came first, either. */
static void test_a_finding_is_said_once(void **state)
{
    (void)state;
    char *printed[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        arena a = {0};
        diag_list list;
        diag_list_init(&list, &a);
        (i ? first_file : first_file_again)(&list);
        (i ? first_file_again : first_file)(&list);
        diag_list_settle(&list);
        assert_non_null(list.first);
        assert_null(list.first->next);
        size_t len = 0;
        FILE *out = open_memstream(&printed[i], &len);
        ww_diag_print(out, list.first);
        assert_int_equal(fclose(out), 0);
        arena_free(&a);
    }
    assert_string_equal(printed[0], printed[1]);
    assert_non_null(strstr(printed[0], "add ww_release(s, ring)")); /* the one that says more */
    free(printed[0]);
    free(printed[1]);
}

static void test_a_settled_list_can_be_added_to(void **state)
{
    (void)state;
    arena a = {0};
    diag_list list;
    diag_list_init(&list, &a);
    diag_list_settle(&list);
    assert_null(list.first);
    second_file(&list);
    line_nine(&list);
    diag_list_settle(&list);
    same_line_lower_code(&list);
    check_printed(&list, "no/a.c:9: error: WW204 arrivals: 7 arrivals\n"
                         "no/b.c:1: error: WW207 warps: tasks share warp 3\n"
                         "no/a.c:30: warning: WW108 unused-value: x is never used\n");
    diag_list_settle(&list);
    check_printed(&list, "no/a.c:9: error: WW204 arrivals: 7 arrivals\n"
                         "no/a.c:30: warning: WW108 unused-value: x is never used\n"
                         "no/b.c:1: error: WW207 warps: tasks share warp 3\n");
    arena_free(&a);
}

static void test_findings_move_between_lists(void **state)
{
    (void)state;
    arena a = {0};
    diag_list list, other;
    diag_list_init(&list, &a);
    diag_list_init(&other, &a);
    line_nine(&list);
    second_file(&list);
    diag_list_move(&other, &list, &list.first->next); /* the last: the list's end moves back */
    same_line_lower_code(&list);
    diag_list_move(&other, &list, &list.first);
    check_printed(&list, "no/a.c:30: warning: WW108 unused-value: x is never used\n");
    check_printed(&other, "no/b.c:1: error: WW207 warps: tasks share warp 3\n"
                          "no/a.c:9: error: WW204 arrivals: 7 arrivals\n");
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_order_of_finding_does_not_matter),
        cmocka_unit_test(test_a_finding_is_said_once),
        cmocka_unit_test(test_a_settled_list_can_be_added_to),
        cmocka_unit_test(test_findings_move_between_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
