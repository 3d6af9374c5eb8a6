/* Timing competitors fairly on one device.
 *
 * Rounds are queued a batch at a time before anything is waited for, so that the GPU goes from one run to the
 * next without an idle gap, in which the cost of a launch would be counted as the kernel's. */
#include "run/bench.h"

#include <assert.h>

enum { CACHE_FACTOR = 3, SET_MAX = 16, BATCH_ROUNDS = 32, DEFAULT_WARM_UP = 10, DEFAULT_REPETITIONS = 100 };

static_assert(BATCH_ROUNDS * BENCH_SUBJECT_MAX * 2 <= DEVICE_LAP_MAX - 2, "a batch has enough laps");

typedef struct bench_state {
    device *device;
    const bench_subject *subjects;
    size_t count;
    uint32_t input_sets, next_set;
    double *ms[BENCH_SUBJECT_MAX];
} bench_state;

uint32_t bench_input_sets(const device_info *info, size_t bytes_per_set)
{
    size_t wanted = (size_t)info->l2_bytes * CACHE_FACTOR;
    size_t sets = bytes_per_set ? (wanted + bytes_per_set - 1) / bytes_per_set : 1;
    return sets < 1 ? 1 : sets > SET_MAX ? SET_MAX : (uint32_t)sets;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

bench_figures bench_summarise(double *ms, uint32_t count)
{
    assert(count > 0);
    qsort(ms, count, sizeof *ms, compare_doubles);
    uint32_t middle = count / 2;
    return (bench_figures){.median_ms = count % 2 ? ms[middle] : (ms[middle - 1] + ms[middle]) / 2,
                           .min_ms = ms[0],
                           .p90_ms = ms[(size_t)(count - 1) * 9 / 10],
                           .repetitions = count};
}

/* All subjects see the same set in a round. */
static bool run_round(bench_state *s, uint32_t first_lap, bool timed)
{
    for (size_t i = 0; i < s->count; i++) {
        uint32_t lap = first_lap + 2 * (uint32_t)i;
        if ((timed && !device_lap(s->device, lap)) ||
            !s->subjects[i].run(s->subjects[i].context, s->next_set) ||
            (timed && !device_lap(s->device, lap + 1)))
            return false;
    }
    s->next_set = (s->next_set + 1) % s->input_sets;
    return true;
}

static bool read_round(bench_state *s, uint32_t first_lap, uint32_t repetition)
{
    for (size_t i = 0; i < s->count; i++) {
        uint32_t lap = first_lap + 2 * (uint32_t)i;
        if (!device_lap_ms(s->device, lap, lap + 1, &s->ms[i][repetition]))
            return false;
    }
    return true;
}

static bool run_batch(bench_state *s, uint32_t done, uint32_t rounds)
{
    uint32_t stride = 2 * (uint32_t)s->count;
    for (uint32_t i = 0; i < rounds; i++)
        if (!run_round(s, i * stride, true))
            return false;
    for (uint32_t i = 0; i < rounds; i++)
        if (!read_round(s, i * stride, done + i))
            return false;
    return true;
}

static bool run_all(bench_state *s, uint32_t warm_up, uint32_t repetitions)
{
    for (uint32_t i = 0; i < warm_up; i++)
        if (!run_round(s, 0, false))
            return false;
    if (!device_sync(s->device))
        return false;
    for (uint32_t done = 0; done < repetitions;) {
        uint32_t rounds = repetitions - done < BATCH_ROUNDS ? repetitions - done : BATCH_ROUNDS;
        if (!run_batch(s, done, rounds))
            return false;
        done += rounds;
    }
    return true;
}

bool bench_compare(device *d, const bench_subject *subjects, size_t count, const bench_options *o,
                   bench_figures *figures)
{
    assert(count <= BENCH_SUBJECT_MAX && o->repetitions <= BENCH_REPETITION_MAX);
    uint32_t repetitions = o->repetitions ? o->repetitions : DEFAULT_REPETITIONS;
    bench_state s = {
        .device = d, .subjects = subjects, .count = count, .input_sets = o->input_sets ? o->input_sets : 1};
    for (size_t i = 0; i < count; i++)
        s.ms[i] = base_alloc(repetitions * sizeof(double));
    bool ok = run_all(&s, o->warm_up ? o->warm_up : DEFAULT_WARM_UP, repetitions);
    for (size_t i = 0; i < count; i++) {
        if (ok)
            figures[i] = bench_summarise(s.ms[i], repetitions);
        free(s.ms[i]);
    }
    return ok;
}
