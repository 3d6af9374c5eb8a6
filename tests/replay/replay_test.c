/* Each broken declaration is refuted; its counterexample ends at the predicted operation; and on the emulator the generated
 * code follows it to the fault: the hang, the two accesses, or the arrival or wait of the wrong phase. */
#include "kernels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static bool print_all;

/* ---- the counterexample ----------------------------------------------------------------------------------------- */

static bool is_at(const ww_witness *w, int event, const broken *b)
{
    const ww_event *e = &w->events[event];
    return strcmp(w->tasks[e->task].name, b->task) == 0 && strcmp(e->text, b->step) == 0;
}

static bool is_predicted(const ww_witness *w, const broken *b)
{
    bool found = !b->task || (w->fault != WW_FAULT_DEADLOCK && is_at(w, w->second, b));
    for (int i = 0; i < w->waiter_count; i++)
        found |= b->task && is_at(w, w->waiters[i].event, b);
    return found;
}

/* ---- replaying ---------------------------------------------------------------------------------------------------- */

static const char *replay(const broken *b, ww_kernel *k, const ww_witness *w, ww_replay *out)
{
    ww_launch launch = {0};
    ww_run *r = ww_run_open(k, &(ww_run_options){.device = WW_DEVICE_EMULATOR, .marks = true});
    static char error[4096];
    *error = '\0';
    if (!ww_run_error(r) && broken_prepare(b, r, &launch))
        ww_run_replay(r, &launch, w, out);
    if (ww_run_error(r))
        (void)snprintf(error, sizeof error, "%s", ww_run_error(r));
    ww_run_close(r);
    return error;
}

static void run_case(const broken *b)
{
    ww_kernel *k = broken_declare(b);
    ww_kernel_unchecked(k);
    ww_verdict v = ww_kernel_prove(k);
    print_message("%s: %s\n", b->name, v.proved ? "PROVED" : v.refutation->message);
    if (!v.witness || print_all)
        ww_diag_print(stdout, v.refutation ? v.refutation : ww_kernel_check(k));
    assert_false(v.proved);
    assert_non_null(v.witness);
    if (print_all)
        ww_witness_print(v.witness, stdout, 0);
    ww_replay out = {0};
    const char *error = replay(b, k, v.witness, &out);
    print_message("%s%s\n", error, out.text ? out.text : "");
    if (!print_all) {
        assert_int_equal(v.witness->fault, b->fault);
        assert_int_equal(v.witness->code, b->code);
        assert_true(is_predicted(v.witness, b));
        assert_string_equal(error, "");
        assert_true(out.reproduced);
    }
    ww_kernel_free(k);
}

static void test_broken(void **state)
{
    (void)state;
    for (const broken *b = broken_kernels; b->name; b++)
        run_case(b);
}

int main(int count, char **arguments)
{
    if (count > 1) {
        print_all = true;
        for (const broken *b = broken_kernels; b->name; b++)
            if (strcmp(arguments[1], "all") == 0 || strcmp(b->name, arguments[1]) == 0)
                run_case(b);
        return 0;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_broken)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
