/* How long proofs take, and how the work grows with the kernel.
 *
 *     bench_prove [examples|sweeps|clusters|reference|all [REPETITIONS]]
 *     bench_prove limits
 *
 * Times are medians, on the processor, of cold proofs: in one process, but of a kernel that is declared anew for each. Exits with 1 when an
 * example takes more than 5 ms to check and prove; with `limits`, when the proof of one takes more operations than it should,
 * whatever the time. */
#include "bench_prove.h"
#include "lower/lower.h"
#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_REPETITIONS = 100 };

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *times, int n)
{
    qsort(times, (size_t)n, sizeof *times, by_value);
    return n % 2 ? times[n / 2] : (times[n / 2 - 1] + times[n / 2]) / 2;
}

static void count_parts(measured *m, const ir_program *p)
{
    for (size_t i = 0; i < p->tasks.len; i++)
        m->agents += p->tasks.at[i].warps * p->cluster_size;
    for (size_t i = 0; i < p->barriers.len; i++)
        m->stages += (size_t)p->barriers.at[i].stages * (size_t)p->cluster_size;
}

/* Time on the processor: who else is on the machine matters less than by the clock on the wall. */
static double processor_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

measured measure(declare_kernel *declare, release_kernel *release, void *context, int repetitions)
{
    measured m = {.agents = 0};
    double checks[MOST_REPETITIONS], proofs[MOST_REPETITIONS];
    for (int i = 0; i < repetitions; i++) {
        ww_kernel *k = declare(context);
        double start = processor_ms();
        (void)ww_kernel_check(k);
        double checked = processor_ms();
        m.verdict = ww_kernel_prove(k);
        checks[i] = checked - start;
        proofs[i] = processor_ms() - checked;
        if (i == 0 && k->program)
            count_parts(&m, k->program);
        release(context, k);
    }
    m.check = median(checks, repetitions);
    m.prove = median(proofs, repetitions);
    return m;
}

static int wants(const char *what, const char *part)
{
    return strcmp(what, part) == 0 || strcmp(what, "all") == 0;
}

int main(int argc, char **argv)
{
    static const double limit_ms = 5;
    const char *what = argc > 1 ? argv[1] : "all";
    int repetitions = argc > 2 ? atoi(argv[2]) : 20;
    double most = 0;
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    if (repetitions < 1 || repetitions > MOST_REPETITIONS) {
        (void)fprintf(stderr, "bench_prove: 1 to %d repetitions\n", MOST_REPETITIONS);
        return 2;
    }
    if (strcmp(what, "limits") == 0)
        return !bench_examples_in_limits();
    if (wants(what, "examples"))
        most = bench_examples(repetitions);
    if (wants(what, "sweeps"))
        bench_sweeps(repetitions);
    if (wants(what, "clusters"))
        bench_clusters(repetitions < 5 ? repetitions : 5);
    if (wants(what, "reference"))
        bench_reference(repetitions);
    if (most > limit_ms)
        (void)fprintf(stderr, "bench_prove: an example takes %.2f ms, more than %.0f\n", most, limit_ms);
    return most > limit_ms;
}
