/* The examples, declared by their own main functions: those are renamed, and what they hand to ww_app_main comes here. */
#include "bench_prove.h"
#include "warpwright/app.h"

#include <stdio.h>

int grid_stride_copy_main(int argc, char **argv);
int tma_copy_main(int argc, char **argv);
int persistent_copy_main(int argc, char **argv);
int gemm_main(int argc, char **argv);

int bench_app_main(const ww_app *app, int argc, char **argv);

/* What they hand over lives on the stack of their main, so it is measured before that returns. */
static int repetitions_wanted;
static measured last_measured;

static ww_kernel *declare(void *context)
{
    const ww_app *app = context;
    return app->declare(app->problem);
}

static void release(void *context, ww_kernel *k)
{
    (void)context;
    ww_kernel_free(k);
}

int bench_app_main(const ww_app *app, int argc, char **argv)
{
    ww_app copy = *app;
    (void)argc;
    (void)argv;
    last_measured = measure(declare, release, &copy, repetitions_wanted);
    return 0;
}

static const struct {
    const char *name;
    int (*program)(int argc, char **argv);
    unsigned most_events;
} examples[] = {{"grid_stride_copy", grid_stride_copy_main, 200},
                {"tma_copy", tma_copy_main, 500},
                {"persistent_copy", persistent_copy_main, 500},
                {"gemm", gemm_main, 15000}};

static measured measure_example(size_t i, int repetitions)
{
    char name[] = "example", *arguments[] = {name, NULL};
    repetitions_wanted = repetitions;
    (void)examples[i].program(1, arguments);
    return last_measured;
}

double bench_examples(int repetitions)
{
    double most = 0;
    printf("\nexamples, cold, median of %d\n\n", repetitions);
    printf("| example | warps | events | configurations | period | check, ms | prove, ms |\n"
           "|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < ARRAY_LEN(examples); i++) {
        measured m = measure_example(i, repetitions);
        printf("| %s | %d | %llu | %u | %u | %.3f | %.3f |%s\n", examples[i].name, m.agents,
               (unsigned long long)m.verdict.events, m.verdict.configurations, m.verdict.period, m.check,
               m.prove, m.verdict.proved ? "" : " NOT PROVED");
        most = m.check + m.prove > most ? m.check + m.prove : most;
    }
    return most;
}

bool bench_examples_in_limits(void)
{
    bool all = true;
    for (size_t i = 0; i < ARRAY_LEN(examples); i++) {
        ww_verdict v = measure_example(i, 1).verdict;
        bool within = v.proved && v.events <= examples[i].most_events;
        printf("%s: %llu events of %u%s\n", examples[i].name, (unsigned long long)v.events,
               examples[i].most_events,
               within     ? ""
               : v.proved ? ", too many"
                          : ", not proved");
        all &= within;
    }
    return all;
}
