/* bench: timing competitors fairly on one device.
 *
 * All run in one process on one stream, turn by turn, so that clocks and temperature are the same for each.
 * Every run takes the next of several sets of inputs, so that the L2 cache does not hold them already. Each
 * run is timed by itself; the figure is the median. */
#ifndef WW_RUN_BENCH_H
#define WW_RUN_BENCH_H

#include "run/device.h"

/* Starts one run on input set number set; false stops the measurement. */
typedef bool (*bench_run)(void *context, uint32_t set);

typedef struct bench_subject {
    const char *name;
    bench_run run;
    void *context;
} bench_subject;

typedef struct bench_options {
    uint32_t input_sets;  /* 0: 1 */
    uint32_t warm_up;     /* runs of each before; 0: 10 */
    uint32_t repetitions; /* timed runs of each, at most BENCH_REPETITION_MAX; 0: 100 */
} bench_options;

enum { BENCH_SUBJECT_MAX = 8, BENCH_REPETITION_MAX = 10000 };

typedef struct bench_figures {
    double median_ms, min_ms, p90_ms;
    uint32_t repetitions;
} bench_figures;

/* How many sets make every run miss the cache: together at least three times its size, at least 1, at
 * most 16. */
uint32_t bench_input_sets(const device_info *info, size_t bytes_per_set);

/* Measures count subjects; figures has one entry each. */
bool bench_compare(device *d, const bench_subject *subjects, size_t count, const bench_options *o,
                   bench_figures *figures);

/* Of unsorted times; sorts them. count must not be 0. */
bench_figures bench_summarise(double *ms, uint32_t count);

#endif
