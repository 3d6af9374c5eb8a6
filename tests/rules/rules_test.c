/* Small kernels in the notation of tests/prove/mini.h, each given to the rules and, with the rules out of the way, to the
 * prover: what either says must be what the row says. A kernel that is refused by one of them is refused; one that both
 * let pass is generated.
 *
 * consan.def follows the tests of a run-time sanitiser, spec.def and declared_*.c the rules of docs/rules.md. */
#include "declared.h"
#include "mini_row.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Rows leave out what they do not need. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
static const mini_row consan[] = {
#include "consan.def"
};
static const mini_row spec[] = {
#include "spec.def"
};
#pragma GCC diagnostic pop

#define LEN(table) (sizeof(table) / sizeof *(table))

static const ww_diag *first_error(const ww_diag *d)
{
    while (d && d->severity != WW_ERROR)
        d = d->next;
    return d;
}

static ww_code said_by_rules(const mini_row *r, bool *generates)
{
    mini m = mini_row_declare(r);
    mini_row_add_tasks(&m, r);
    const ww_diag *d = ww_kernel_check(m.kernel);
    const ww_diag *error = first_error(d);
    ww_code code = error ? error->code : WW_NO_CODE;
    if (code != r->rule)
        ww_diag_print(stderr, d);
    *generates = ww_kernel_emit(m.kernel) != NULL;
    mini_free(&m);
    return code;
}

static ww_code said_by_prover(const mini_row *r)
{
    mini m = mini_row_declare(r);
    mini_row_add_tasks(&m, r);
    ww_verdict v = mini_prove(&m);
    ww_code code = v.proved ? WW_NO_CODE : v.refutation->code;
    if (code != r->code)
        ww_diag_print(stderr, v.refutation);
    mini_free(&m);
    return code;
}

static const char *shown(ww_code code)
{
    return code ? ww_code_name(code) : "nothing";
}

static bool is_right(const mini_row *r)
{
    bool generates;
    ww_code rule = said_by_rules(r, &generates), proof = said_by_prover(r);
    bool refused = r->rule || r->code;
    if (rule == r->rule && proof == r->code && generates == !refused)
        return true;
    print_error("  %s: rules: %s, should be %s; prover: %s, should be %s%s\n", r->name, shown(rule),
                shown(r->rule), shown(proof), shown(r->code),
                generates == !refused ? ""
                : generates           ? "; code is generated"
                                      : "; no code is generated");
    return false;
}

static void check(const char *title, const mini_row *rows, size_t count)
{
    int wrong = 0, rejected = 0;
    for (size_t i = 0; i < count; i++) {
        wrong += !is_right(&rows[i]);
        rejected += rows[i].rule || rows[i].code;
    }
    print_message("%s: %zu cases, %d rejected, %zu accepted\n", title, count, rejected,
                  count - (size_t)rejected);
    assert_int_equal(wrong, 0);
}

static void the_sanitisers_tests(void **unused)
{
    (void)unused;
    check("consan.def", consan, LEN(consan));
}

static void the_specified_rules(void **unused)
{
    (void)unused;
    check("spec.def", spec, LEN(spec));
}

/* ---- whole declarations ----------------------------------------------------------------------------------------- */

static bool is_as_declared(const declared_case *c)
{
    ww_kernel *k = ww_kernel_new("sample", &(ww_kernel_options){.arch = c->arch,
                                                                .cluster = c->cluster,
                                                                .body = "sample.cuh",
                                                                .params = "declared_params",
                                                                .params_bytes = sizeof(declared_params)});
    c->declare(k);
    const ww_diag *d = first_error(ww_kernel_check(k));
    if (!d && !c->code)
        d = ww_kernel_prove(k).refutation;
    bool right = c->code ? d && d->code == c->code && strstr(d->message, c->says) : !d;
    right &= (ww_kernel_emit(k) != NULL) == !c->code;
    if (!right) {
        print_error("  %s: should be %s\n", c->name, shown(c->code));
        ww_diag_print(stderr, d);
    }
    ww_kernel_free(k);
    return right;
}

static void check_declared(const char *title, const declared_case *cases)
{
    int wrong = 0, count = 0, rejected = 0;
    for (; cases[count].name; count++) {
        wrong += !is_as_declared(&cases[count]);
        rejected += cases[count].code != 0;
    }
    print_message("%s: %d cases, %d rejected, %d accepted\n", title, count, rejected, count - rejected);
    assert_int_equal(wrong, 0);
}

static void the_declared_rules(void **unused)
{
    (void)unused;
    check_declared("declared_schedules.c", declared_schedules);
    check_declared("declared_resources.c", declared_resources);
}

/* ---- verdicts do not depend on the order in which tasks are declared ---------------------------------------------- */

static int tasks_of(const mini_row *r)
{
    int n = 0;
    while (n < MOST_TASKS && r->tasks[n].warps)
        n++;
    return n;
}

/* The tasks of `of` in their permutation number `which`. */
static mini_row permuted(const mini_row *of, int which)
{
    mini_row r = *of;
    int n = tasks_of(of);
    for (int i = n; i > 1; which /= i, i--) {
        task_row last = r.tasks[i - 1];
        r.tasks[i - 1] = r.tasks[which % i];
        r.tasks[which % i] = last;
    }
    return r;
}

static int disagreeing_orders(const mini_row *of)
{
    int orders = 1, wrong = 0;
    for (int i = 2; i <= tasks_of(of); i++)
        orders *= i;
    for (int which = 0; which < orders; which++) {
        mini_row r = permuted(of, which);
        mini m = mini_row_declare(&r);
        mini_row_add_tasks(&m, &r);
        wrong += mini_prove(&m).proved != !of->code;
        mini_free(&m);
    }
    if (wrong)
        print_error("  %s: another verdict in %d orders of %d\n", of->name, wrong, orders);
    return wrong;
}

static void any_order_of_tasks(void **unused)
{
    (void)unused;
    int wrong = 0;
    for (size_t i = 0; i < LEN(spec); i++)
        wrong += disagreeing_orders(&spec[i]);
    for (size_t i = 0; i < LEN(consan); i++)
        wrong += disagreeing_orders(&consan[i]);
    assert_int_equal(wrong, 0);
}

/* A test of which a good and a bad form are here has both: a bad form alone may be refused for another reason. */
static void every_bad_form_has_a_good_one(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < LEN(consan); i++) {
        size_t test = strcspn(consan[i].name, ":");
        bool good = false;
        for (size_t j = 0; j < LEN(consan); j++)
            good |=
                !consan[j].rule && !consan[j].code && strncmp(consan[i].name, consan[j].name, test + 1) == 0;
        if (!good)
            fail_msg("%s: no good form", consan[i].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sanitisers_tests),
        cmocka_unit_test(the_specified_rules),
        cmocka_unit_test(the_declared_rules),
        cmocka_unit_test(any_order_of_tasks),
        cmocka_unit_test(every_bad_form_has_a_good_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
