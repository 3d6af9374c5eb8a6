/* What the prover says of small kernels: verdict, and the exact work it took. A change in the counts is a change in
 * the search and wants a reason. Rows marked U, F and S are those of the reference's weaknesses: bad kernels it
 * accepts, good kernels it refuses, and its own examples. */
#include "mini_row.h"

#include "model/model.h"
#include "prove/explore.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Most rows leave the later members out. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
static const mini_row rows[] = {
#include "verdicts.def"
#include "types.def"
};
#pragma GCC diagnostic pop

static bool as_told(const mini_row *r, const ww_verdict *v)
{
    ww_code code = v->proved ? WW_NO_CODE : v->refutation->code;
    return code == r->code && v->events == r->events && v->runs == r->runs && v->period == r->period;
}

static void verdicts(void **unused)
{
    (void)unused;
    int wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        mini m = mini_row_declare(&rows[i]);
        mini_row_add_tasks(&m, &rows[i]);
        ww_verdict v = mini_prove(&m);
        if (!as_told(&rows[i], &v)) {
            wrong++;
            print_message("%s: %s, %llu, %u, %u\n", rows[i].name,
                          v.proved ? "proved" : ww_code_name(v.refutation->code),
                          (unsigned long long)v.events, v.runs, v.period);
            if (!v.proved)
                ww_diag_print(stderr, v.refutation);
        }
        mini_free(&m);
    }
    assert_int_equal(wrong, 0);
}

/* ---- exact counts, of the explorer, too -------------------------------------------------------------------- */

/* Of a row above: different configurations; states of one instance, with reduction and without. */
typedef struct count_row {
    const char *name;
    unsigned configurations;
    int trips, tiles;
    unsigned reduced, all;
    bool faulty; /* in that instance */
} count_row;

static const count_row count_rows[] = {
#include "counts.def"
};

static const mini_row *row_named(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}

static bool counts_are(const count_row *c)
{
    const explore_values values = {.argument = c->trips, .device = c->trips, .tiles = c->tiles};
    const mini_row *r = row_named(c->name);
    assert_non_null(r);
    mini m = mini_row_declare(r);
    mini_row_add_tasks(&m, r);
    ww_verdict v = mini_prove(&m);
    explore_result found[2];
    for (int whole = 0; whole < 2; whole++)
        found[whole] =
            explore_program(m.kernel, m.kernel->program, values, (explore_options){1000000, !whole});
    bool right = v.configurations == c->configurations && found[0].states == c->reduced &&
                 found[1].states == c->all && explore_clean(&found[0]) != c->faulty &&
                 explore_clean(&found[1]) != c->faulty;
    if (!right)
        print_message("{\"%s\", %u, %d, %d, %u, %u%s},\n", c->name, v.configurations, c->trips, c->tiles,
                      (unsigned)found[0].states, (unsigned)found[1].states,
                      explore_clean(&found[1]) ? "" : ", true");
    mini_free(&m);
    return right;
}

static void counts(void **unused)
{
    (void)unused;
    int wrong = 0;
    for (size_t i = 0; i < sizeof count_rows / sizeof *count_rows; i++)
        wrong += !counts_are(&count_rows[i]);
    assert_int_equal(wrong, 0);
}

/* ---- the order of tasks does not matter --------------------------------------------------------------- */

static void order_of_tasks(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].code == WW_UNPROVABLE)
            continue;
        mini_row reversed = rows[i];
        int n = 0;
        while (n < MOST_TASKS && rows[i].tasks[n].warps)
            n++;
        for (int j = 0; j < n; j++)
            reversed.tasks[j] = rows[i].tasks[n - 1 - j];
        mini m = mini_row_declare(&reversed);
        mini_row_add_tasks(&m, &reversed);
        ww_verdict v = mini_prove(&m);
        if (v.proved != !rows[i].code)
            print_message("%s, tasks reversed\n", rows[i].name);
        assert_int_equal(v.proved, !rows[i].code);
        mini_free(&m);
    }
}

/* ---- texts ----------------------------------------------------------------------------------------------- */

static void covered(void **unused)
{
    (void)unused;
    mini m = mini_new(true);
    mini_ring(&m, "s", (ww_pipeline)TMA(4));
    mini_add(&m, "P", 1, "tiles{ skip{ (A s W s C s)*k1 } }");
    mini_add(&m, "Q", 4, "tiles{ skip{ (w s R s L s)*k1 } }");
    ww_verdict v = mini_prove(&m);
    assert_true(v.proved);
    assert_null(v.refutation);
    assert_string_equal(v.covered, "k >= 1, any number of tiles, every skip pattern; period 1");
    mini_free(&m);
}

static void who_waits_for_whom(void **unused)
{
    (void)unused;
    mini m = mini_new(false);
    mini_ring(&m, "a", (ww_pipeline)ASYNC(1));
    mini_ring(&m, "b", (ww_pipeline)ASYNC(1));
    mini_add(&m, "P", 1, "w b R b L b A a W a C a");
    mini_add(&m, "Q", 2, "w a R a L a A b W b C b");
    ww_verdict v = mini_prove(&m);
    const ww_diag *d = v.refutation;
    assert_false(v.proved);
    assert_int_equal(d->code, WW_DEADLOCK);
    assert_string_equal(d->message, "in every execution, task P waits for ever at wait(b)");
    assert_string_equal(d->expected, "phase 1 of b.full[0] to complete (parity 0)");
    assert_string_equal(d->found, "64 of 64 arrivals missing; task Q waits at wait(a) for a.full[0]");
    d = d->next; /* the two warps of Q say it once */
    assert_int_equal(d->severity, WW_NOTE);
    assert_string_equal(d->message, "task Q waits for ever at wait(a)");
    assert_string_equal(d->found, "32 of 32 arrivals missing; task P waits at wait(b) for b.full[0]");
    assert_null(d->next);
    mini_free(&m);
}

static void smallest_values(void **unused)
{
    (void)unused;
    mini m = mini_new(false);
    mini_ring(&m, "s", (ww_pipeline)TMA_AHEAD(4));
    mini_add(&m, "P", 1, "tiles{ (A s W s C s)*k1 }");
    mini_add(&m, "Q", 4, "tiles{ w s M s (w s M s L s)*1k wait0 L s }");
    ww_verdict v = mini_prove(&m);
    assert_false(v.proved);
    assert_string_equal(
        v.refutation->message,
        "with 3 tiles, k = 2, task P: s.put in trip 0 of its loop, tile 2 copies into s.b[0], "
        "and nothing orders it after task Q");
    mini_free(&m);
}

/* Whatever the depth of the ring, and so however the chain of trips is shortened: after as many trips as it has stages, what
 * is written into its next slot has been read, by somebody who has not been heard of. */
static void fault_after(int stages, const char *producer, const char *consumer, const char *when)
{
    char expected[128];
    mini m = mini_new(false);
    mini_ring(&m, "s", (ww_pipeline)ASYNC(stages));
    mini_add(&m, "P", 1, producer);
    mini_add(&m, "Q", 2, consumer);
    ww_verdict v = mini_prove(&m);
    assert_false(v.proved);
    assert_int_equal(v.refutation->code, WW_RACE);
    (void)snprintf(expected, sizeof expected, when, stages);
    assert_memory_equal(v.refutation->message, expected, strlen(expected));
    mini_free(&m);
}

static void faults_after_many_trips(void **unused)
{
    (void)unused;
    for (int stages = 1; stages <= 35; stages += stages < 18 ? 1 : 17) {
        fault_after(stages, "(A s W s C s)*k W s", "(w s R s L s)*k", "with k = %d, ");
        fault_after(stages, "tiles{ A s W s C s } W s", "tiles{ w s R s L s }",
                    stages == 1 ? "with %d tile, " : "with %d tiles, ");
        fault_after(stages, "tiles{ (A s W s C s)*k1 } W s", "tiles{ (w s R s L s)*k1 }", "with ");
    }
}

/* ---- long loops ------------------------------------------------------------------------------------------- */

/* Sanitisers and a busy machine are slow: the fastest of a few runs counts. */
#if defined(__SANITIZE_ADDRESS__)
#define MOST_MILLISECONDS 500
#else
#define MOST_MILLISECONDS 50
#endif

static ww_verdict prove_a_thousand_trips(void)
{
    mini m = mini_new(false);
    mini_ring(&m, "s", (ww_pipeline)TMA(4));
    mini_add(&m, "P", 1, "tiles{ (A s W s C s)*1024 }");
    mini_add(&m, "Q", 8, "tiles{ (w s M s wait0 L s)*1024 }");
    ww_verdict v = mini_prove(&m);
    mini_free(&m);
    return v;
}

static void a_thousand_trips(void **unused)
{
    (void)unused;
    double least = MOST_MILLISECONDS;
    for (int run = 0; run < 5; run++) {
        ww_verdict v = prove_a_thousand_trips();
        assert_true(v.proved);
        least = v.milliseconds < least ? v.milliseconds : least;
    }
    print_message("1024 trips a tile: %.1f ms\n", least);
    assert_true(least < MOST_MILLISECONDS);
}

/* The least time of a few, so that others on the machine do not matter; without optimisation nothing is promised. */
static void persistent_gemm_in_time(void **unused)
{
    (void)unused;
    double least = 1e9;
    for (int i = 0; i < 10; i++) {
        mini m = mini_new_with((mini_options){.arch = "sm_100a"});
        mini_ring(&m, "a", (ww_pipeline){.type = WW_TMA_UMMA, .stages = 3});
        mini_ring(&m, "b", (ww_pipeline){.type = WW_TMA_UMMA, .stages = 3});
        mini_ring_with(&m, "t",
                       (mini_ring_options){.pipeline = {.type = WW_UMMA_ASYNC, .stages = 2}, .tensor = true});
        mini_add(&m, "LA", 1, "tiles{ (A a W a C a)*1024 }");
        mini_add(&m, "LB", 1, "tiles{ (A b W b C b)*1024 }");
        mini_add(&m, "M", 1, "tiles{ A t (w a w b U t:ab L a L b)*1024 C t }");
        mini_add(&m, "E", 4, "tiles{ w t R t L t }");
        ww_verdict v = mini_prove(&m);
        assert_true(v.proved);
        assert_true(v.events < 80000);
        least = v.milliseconds < least ? v.milliseconds : least;
        mini_free(&m);
    }
#ifdef NDEBUG
    assert_true(least < 50);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts),
        cmocka_unit_test(order_of_tasks),
        cmocka_unit_test(covered),
        cmocka_unit_test(who_waits_for_whom),
        cmocka_unit_test(smallest_values),
        cmocka_unit_test(faults_after_many_trips),
        cmocka_unit_test(a_thousand_trips),
        cmocka_unit_test(counts),
        cmocka_unit_test(persistent_gemm_in_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
