/* The commands. Each declares the kernel afresh, does one thing and returns the exit status: 0 only on
 * success. */
#include "app/command.h"

#include <math.h>
#include <stdio.h>

/* ---- shared steps ----------------------------------------------------------------------------------- */

static FILE *open_output(const command_line *line)
{
    if (!line->output)
        return stdout;
    FILE *out = fopen(line->output, "wb");
    if (!out)
        perror(line->output);
    return out;
}

static int close_output(const command_line *line, FILE *out)
{
    bool bad = ferror(out) != 0;
    if (out == stdout)
        bad |= fflush(out) != 0;
    else
        bad |= fclose(out) != 0;
    if (bad)
        perror(line->output ? line->output : "stdout");
    return bad;
}

int command_write(const command_line *line, const void *bytes, size_t len)
{
    FILE *out = open_output(line);
    if (!out)
        return 1;
    (void)fwrite(bytes, 1, len, out);
    return close_output(line, out);
}

/* ---- table, graph, emit, ptx, cubin ----------------------------------------------------------------- */

static int print_report(const command_line *line, void (*print)(ww_kernel *, FILE *))
{
    ww_kernel *k = command_declare(line);
    int status = !command_report(line, k);
    FILE *out = open_output(line);
    if (out) {
        print(k, out);
        status |= close_output(line, out);
    }
    ww_kernel_free(k);
    return status | !out;
}

static int command_schedules(const command_line *line)
{
    return print_report(line, line->routes ? ww_kernel_routes : ww_kernel_table);
}

static int command_graph(const command_line *line)
{
    return print_report(line, ww_kernel_graph);
}

static bool emitted(const command_line *line, ww_kernel *k, const char **cuda)
{
    if (!command_report(line, k))
        return false;
    *cuda = ww_kernel_emit(k);
    if (!*cuda)
        ww_diag_print(stderr, ww_kernel_prove(k).refutation);
    return *cuda != NULL;
}

static int command_emit(const command_line *line)
{
    ww_kernel *k = command_declare(line);
    const char *cuda;
    int status = emitted(line, k, &cuda) ? command_write(line, cuda, strlen(cuda)) : 1;
    ww_kernel_free(k);
    return status;
}

/* Opens the run, with every message printed. NULL on failure. */
static ww_run *open_run(const command_line *line, ww_kernel *k)
{
    const char *cuda;
    if (!emitted(line, k, &cuda))
        return NULL;
    ww_run *r = ww_run_open(k, &line->run);
    if (!ww_run_error(r))
        return r;
    (void)fprintf(stderr, "%s\n", ww_run_error(r));
    ww_run_close(r);
    return NULL;
}

static int write_built(const command_line *line, bool cubin)
{
    command_line without_device = *line;
    without_device.run.device = WW_DEVICE_NONE;
    ww_kernel *k = command_declare(line);
    ww_run *r = open_run(&without_device, k);
    int status = 1;
    if (r) {
        size_t bytes = strlen(ww_run_ptx(r));
        const void *at = cubin ? ww_run_cubin(r, &bytes) : ww_run_ptx(r);
        status = command_write(line, at, bytes);
        ww_run_close(r);
    }
    ww_kernel_free(k);
    return status;
}

static int command_ptx(const command_line *line)
{
    return write_built(line, false);
}

static int command_cubin(const command_line *line)
{
    return write_built(line, true);
}

/* ---- run -------------------------------------------------------------------------------------------- */

static void print_comparison(const ww_comparison *c, bool pass)
{
    printf("output: hash %016llx\nresult: %s relative error %.3e (limit %.1e), max error %.3e, %llu elements "
           "compared (%s), "
           "%llu unwritten\n",
           (unsigned long long)c->output_hash, pass ? "PASS" : "FAIL", c->relative_error, c->limit,
           c->max_error, (unsigned long long)c->compared, c->method, (unsigned long long)c->unwritten);
}

/* A comparison of nothing, or one that meets a NaN, is no success. */
static bool passed(const ww_comparison *c)
{
    return c->compared > 0 && c->unwritten == 0 && isfinite(c->relative_error) &&
           c->relative_error <= c->limit;
}

static bool launch_and_compare(const command_line *line, ww_run *r, ww_comparison *c)
{
    const ww_app *app = line->app;
    ww_launch launch = {0};
    double start = clock_ms();
    if (!app->prepare(app->problem, r, &launch))
        return false;
    double prepared = clock_ms();
    ww_run_launch(r, &launch);
    ww_run_wait(r);
    double ran = clock_ms();
    if (ww_run_error(r))
        return false;
    bool compared = app->compare(app->problem, r, c);
    printf("time: prepare %.1f ms, kernel %.1f ms, compare %.1f ms\n", prepared - start, ran - prepared,
           clock_ms() - ran);
    return compared && !ww_run_error(r);
}

static void print_times(const ww_run *r, double declare_ms)
{
    const ww_run_times *t = ww_run_times_of(r);
    printf("time: declare %.3f ms, check %.3f ms, prove %.3f ms, emit %.3f ms, open device %.1f ms, "
           "compile %.1f ms%s, load %.1f ms\n",
           declare_ms, t->check, t->prove, t->emit, t->open, t->compile,
           t->compiled_before ? " (from the cache)" : "", t->load);
}

/* The diagnostics, the counterexample if there is one, and the run's own error. */
static void print_failure(const command_line *line, ww_kernel *k, const ww_run *r)
{
    if (command_report(line, k) && !ww_kernel_is_unchecked(k) && !ww_kernel_prove(k).proved)
        ww_diag_print(stderr, ww_kernel_prove(k).refutation);
    (void)fprintf(stderr, "%s\n", ww_run_error(r));
}

static int command_run(const command_line *line)
{
    if (line->replay)
        return command_replay(line);
    double start = clock_ms();
    ww_kernel *k = command_declare(line);
    double declare_ms = clock_ms() - start;
    if (line->werror && !command_report(line, k)) {
        ww_kernel_free(k);
        return 1;
    }
    ww_run *r = ww_run_open(k, &line->run);
    ww_comparison c = {.method = "none"};
    bool ok = !ww_run_error(r);
    if (ok) {
        (void)command_report(line, k); /* warnings */
        printf("device: %s, %d multiprocessors\n", ww_run_device_name(r), ww_run_multiprocessors(r));
        print_times(r, declare_ms);
        ok = launch_and_compare(line, r, &c);
    }
    if (ww_run_error(r))
        print_failure(line, k, r);
    ok = ok && passed(&c);
    print_comparison(&c, ok);
    ww_run_close(r);
    if (line->app->clean_up)
        line->app->clean_up(line->app->problem);
    ww_kernel_free(k);
    return !ok;
}

/* ---- bench ------------------------------------------------------------------------------------------ */

enum { MOST_SETS = 16, MOST_PARAM_BYTES = 4096 };

typedef struct bench_sets {
    unsigned count;
    ww_launch launches[MOST_SETS];
    unsigned char params[MOST_SETS][MOST_PARAM_BYTES];
    ww_gemm peers[MOST_SETS];
} bench_sets;

static bool prepare_sets(const command_line *line, ww_run *r, size_t param_bytes, bench_sets *s)
{
    const ww_app *app = line->app;
    for (unsigned i = 0; i < s->count; i++) {
        if (!app->prepare(app->problem, r, &s->launches[i]))
            return false;
        memcpy(s->params[i], s->launches[i].params, param_bytes);
        s->launches[i].params = s->params[i];
        if (app->peer)
            app->peer(app->problem, &s->peers[i]);
    }
    return !ww_run_error(r);
}

/* Nothing wrong is timed: the set prepared last is run once and compared, before the peer writes over its
 * output. */
static bool check_last(const command_line *line, ww_run *r, const ww_launch *launch)
{
    ww_comparison c = {.method = "none"};
    ww_run_launch(r, launch);
    ww_run_wait(r);
    if (ww_run_error(r) || !line->app->compare(line->app->problem, r, &c))
        return false;
    bool ok = passed(&c);
    print_comparison(&c, ok);
    return ok;
}

static void print_figures(const char *who, const ww_figures *f, const ww_cost *cost)
{
    printf("%-8s median %.4f ms, min %.4f ms, p90 %.4f ms", who, f->median_ms, f->min_ms, f->p90_ms);
    if (cost->flops > 0)
        printf(", %.1f TFLOP/s", cost->flops / f->median_ms * 1e-9);
    printf(", %.1f GB/s\n", cost->bytes / f->median_ms * 1e-6);
}

static void print_measurement(const command_line *line, const ww_run *r, const ww_measurement *m,
                              const ww_cost *cost)
{
    printf("device: %s; %u input sets in turn, %u repetitions\n", ww_run_device_name(r), m->sets,
           m->repetitions);
    print_figures(line->app->name, &m->ours, cost);
    if (m->why_no_peer) {
        printf("bench: no peer: %s\n", m->why_no_peer);
        return;
    }
    print_figures("cuBLAS", &m->theirs, cost);
    printf("bench: %.3f of cuBLAS's speed\n", m->theirs.median_ms / m->ours.median_ms);
}

static bool bench(const command_line *line, ww_run *r, size_t param_bytes)
{
    const ww_app *app = line->app;
    ww_cost cost = app->cost(app->problem);
    bench_sets *s = base_alloc(sizeof *s);
    s->count = ww_run_input_sets(r, cost.bytes);
    if (s->count > MOST_SETS)
        s->count = MOST_SETS;
    ww_measurement m = {.launches = s->launches,
                        .peers = app->peer ? s->peers : NULL,
                        .sets = s->count,
                        .warm_up = (unsigned)line->warm_up,
                        .repetitions = (unsigned)line->repetitions};
    bool ok = prepare_sets(line, r, param_bytes, s) && check_last(line, r, &s->launches[s->count - 1]);
    if (ok)
        ww_run_measure(r, &m);
    ok = ok && !ww_run_error(r);
    if (ok)
        print_measurement(line, r, &m, &cost);
    free(s);
    return ok;
}

static int command_bench(const command_line *line)
{
    ww_kernel *k = command_declare(line);
    ww_run *r = open_run(line, k);
    bool ok = false;
    if (r) {
        ok = bench(line, r, ww_kernel_params_bytes(k));
        if (ww_run_error(r))
            (void)fprintf(stderr, "%s\n", ww_run_error(r));
        ww_run_close(r);
    }
    if (line->app->clean_up)
        line->app->clean_up(line->app->problem);
    ww_kernel_free(k);
    return !ok;
}

const command command_table[] = {
    {"check", "apply every rule to the declaration", command_check},
    {"prove", "prove it free of deadlocks and races, or show a counterexample", command_prove},
    {"audit", "compare what the compiled work bodies do with their rows", command_audit},
    {"table", "print schedules side by side, memory, registers, arrivals and values", command_schedules},
    {"graph", "print the dataflow as a Graphviz graph", command_graph},
    {"emit", "print the generated CUDA", command_emit},
    {"ptx", "print the compiled PTX", command_ptx},
    {"cubin", "write the compiled CUBIN", command_cubin},
    {"run", "run it and compare the result with a reference", command_run},
    {"bench", "time it, beside cuBLAS where that computes the same", command_bench},
    {0},
};
