/* Timing: the figures, the number of input sets, and the order of runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "run/bench.h"

static void figures_are_median_least_and_ninth_decile(void **state)
{
    (void)state;
    double odd[] = {5, 1, 4, 2, 3};
    bench_figures f = bench_summarise(odd, 5);
    assert_true(f.median_ms == 3 && f.min_ms == 1 && f.p90_ms == 4);
    double even[] = {4, 1, 3, 2};
    f = bench_summarise(even, 4);
    assert_true(f.median_ms == 2.5 && f.min_ms == 1);
    double one[] = {7};
    f = bench_summarise(one, 1);
    assert_true(f.median_ms == 7 && f.min_ms == 7 && f.p90_ms == 7);
}

static void enough_sets_outgrow_the_cache(void **state)
{
    (void)state;
    const device_info gpu = {.l2_bytes = 60 << 20}, emulator = {.l2_bytes = 0};
    assert_int_equal(bench_input_sets(&gpu, (size_t)60 << 20), 3);
    assert_int_equal(bench_input_sets(&gpu, (size_t)59 << 20), 4);
    assert_int_equal(bench_input_sets(&gpu, (size_t)1 << 30), 1);
    assert_int_equal(bench_input_sets(&gpu, 1), 16);
    assert_int_equal(bench_input_sets(&emulator, 1), 1);
}

/* A log of which subject ran on which set. */
typedef struct run_log {
    char letters[64];
    size_t len, limit;
} run_log;

typedef struct logged_subject {
    run_log *log;
    char letter;
} logged_subject;

static bool log_run(void *context, uint32_t set)
{
    logged_subject *s = context;
    if (s->log->len == s->log->limit)
        return false;
    s->log->letters[s->log->len++] = s->letter;
    s->log->letters[s->log->len++] = (char)('0' + set);
    return true;
}

static device *open_emulator(void)
{
    text error = {0};
    device *d = device_open(&(device_options){.kind = DEVICE_EMU}, &error);
    assert_non_null(d);
    text_free(&error);
    return d;
}

static void subjects_take_turns_on_the_same_set(void **state)
{
    (void)state;
    device *d = open_emulator();
    run_log log = {.limit = 62};
    logged_subject ours = {&log, 'o'}, peer = {&log, 'p'};
    const bench_subject subjects[] = {{"ours", log_run, &ours}, {"peer", log_run, &peer}};
    const bench_options o = {.input_sets = 3, .warm_up = 1, .repetitions = 3};
    bench_figures figures[2] = {0};
    assert_true(bench_compare(d, subjects, 2, &o, figures));
    assert_string_equal(log.letters, "o0p0o1p1o2p2o0p0");
    assert_int_equal(figures[1].repetitions, 3);
    assert_true(figures[0].min_ms >= 0 && figures[0].median_ms >= figures[0].min_ms);
    device_close(d);
}

static void a_failed_run_stops_the_measurement(void **state)
{
    (void)state;
    device *d = open_emulator();
    run_log log = {.limit = 6};
    logged_subject ours = {&log, 'o'};
    const bench_subject subject = {"ours", log_run, &ours};
    bench_figures figures = {0};
    assert_false(bench_compare(d, &subject, 1, &(bench_options){.warm_up = 1, .repetitions = 5}, &figures));
    assert_int_equal(figures.repetitions, 0);
    device_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_median_least_and_ninth_decile),
        cmocka_unit_test(enough_sets_outgrow_the_cache),
        cmocka_unit_test(subjects_take_turns_on_the_same_set),
        cmocka_unit_test(a_failed_run_stops_the_measurement),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
