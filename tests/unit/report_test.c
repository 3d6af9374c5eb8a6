/* Reports: whole tables and graphs against golden files, and the properties a golden file cannot show. */
#include "emit_kernels.h"
#include "golden/kernels.h"
#include "report_golden.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

typedef void report_function(ww_kernel *k, FILE *out);

/* What a report prints on a kernel without errors; frees the kernel. */
static text report_of(ww_kernel *k, report_function *report)
{
    char *bytes = NULL;
    size_t len = 0;
    ww_diag_print(stdout, ww_kernel_check(k));
    assert_int_equal(ww_diag_count(ww_kernel_check(k), WW_ERROR), 0);
    FILE *out = open_memstream(&bytes, &len);
    assert_non_null(out);
    report(k, out);
    assert_int_equal(fclose(out), 0);
    text t = {0};
    text_add_n(&t, bytes, len);
    free(bytes);
    ww_kernel_free(k);
    return t;
}

static void check_report(ww_kernel *k, report_function *report, const char *path)
{
    text actual = report_of(k, report);
    golden_check(path, &actual);
    text_free(&actual);
}

static void test_table_of_two_tasks(void **state)
{
    (void)state;
    check_report(golden_two_tasks(), ww_kernel_table, "tests/golden/two_tasks.table");
}

static void test_table_of_gemm(void **state)
{
    (void)state;
    check_report(golden_gemm(), ww_kernel_table, "tests/golden/gemm.table");
}

static void test_graph_of_two_tasks(void **state)
{
    (void)state;
    check_report(golden_two_tasks(), ww_kernel_graph, "tests/golden/two_tasks.dot");
}

static void test_graph_of_gemm(void **state)
{
    (void)state;
    check_report(golden_gemm(), ww_kernel_graph, "tests/golden/gemm.dot");
}

/* ---- wide kernels ----------------------------------------------------------------------------------- */

enum { PAGE_WIDTH = 160, MANY_TASKS = 6 };

static const ww_work ring_work[] = {{.name = "fill_the_whole_slot", .side = WW_PRODUCER},
                                    {.name = "drain_the_whole_slot", .side = WW_CONSUMER},
                                    {0}};

typedef struct relay {
    ww_resource *rings[MANY_TASKS + 1];
    int task;
} relay;

/* Task n takes from ring n and fills ring n + 1; the first and the last have one side only. */
static void pass_on(ww_schedule *s, void *context)
{
    relay *r = context;
    if (r->task > 0) {
        ww_wait(s, r->rings[r->task]);
        ww_consume(s, r->rings[r->task], "drain_the_whole_slot");
        ww_release(s, r->rings[r->task]);
    }
    if (r->task < MANY_TASKS - 1) {
        ww_acquire(s, r->rings[r->task + 1]);
        ww_produce(s, r->rings[r->task + 1], "fill_the_whole_slot");
        ww_commit(s, r->rings[r->task + 1]);
    }
}

static ww_kernel *relay_kernel(void)
{
    ww_kernel *k = ww_kernel_new(
        "relay", &(ww_kernel_options){.body = "relay.cuh", .params = "relay_params", .params_bytes = 4});
    relay r = {0};
    char name[32];
    for (int i = 1; i < MANY_TASKS; i++) {
        (void)snprintf(name, sizeof name, "a_ring_with_a_long_name_%d", i);
        r.rings[i] = ww_resource_new(k, name,
                                     &(ww_resource_options){.pipeline = {.type = WW_ASYNC_ASYNC, .stages = 2},
                                                            .buffers = {{"bytes", 256, 0}},
                                                            .work = ring_work});
        ww_depends(k, r.rings[i], i > 1 ? r.rings[i - 1] : NULL);
    }
    for (r.task = 0; r.task < MANY_TASKS; r.task++) {
        (void)snprintf(name, sizeof name, "task_%d", r.task);
        (void)ww_task_new(
            k, name,
            &(ww_task_options){.first_warp = r.task, .warps = 1, .schedule = pass_on, .context = &r});
    }
    return k;
}

static size_t longest_line(const text *t)
{
    size_t longest = 0, len;
    for (const char *s = text_str(t); *s; s += len + (s[len] == '\n')) {
        len = strcspn(s, "\n");
        longest = len > longest ? len : longest;
    }
    return longest;
}

/* More columns than a page holds go on in a second band, and none is lost. */
static void test_table_stays_on_the_page(void **state)
{
    (void)state;
    text actual = report_of(relay_kernel(), ww_kernel_table);
    assert_in_range(longest_line(&actual), 100, PAGE_WIDTH);
    for (int i = 0; i < MANY_TASKS; i++) {
        char head[32];
        (void)snprintf(head, sizeof head, "| task_%d [%d:%d)", i, i, i + 1);
        assert_non_null(strstr(text_str(&actual), head));
    }
    text_free(&actual);
}

/* A declared count that the schedules do not make is marked, where the rules were told to be silent. */
static void test_mismatch_is_marked(void **state)
{
    (void)state;
    ww_kernel *k = golden_two_tasks_with_arrivals(5);
    ww_kernel_unchecked(k);
    text actual = report_of(k, ww_kernel_table);
    assert_non_null(strstr(text_str(&actual), "store by release: 4 warps x 1 lane  MISMATCH: 4 arrive"));
    text_free(&actual);
}

/* A kernel with errors has no program, and a report of it is empty. */
static void test_nothing_is_reported_of_a_refused_kernel(void **state)
{
    (void)state;
    char *bytes = NULL;
    size_t len = 0;
    ww_kernel *k = ww_kernel_new("not a name", NULL);
    FILE *out = open_memstream(&bytes, &len);
    assert_non_null(out);
    ww_kernel_table(k, out);
    ww_kernel_routes(k, out);
    ww_kernel_graph(k, out);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(len, 0);
    free(bytes);
    ww_kernel_free(k);
}

/* ---- steps that the golden kernels do not have ------------------------------------------------------ */

typedef struct oddities {
    ww_resource *ring, *signal, *queue, *end;
} oddities;

static const ww_work odd_ring_work[] = {
    {.name = "fill", .side = WW_PRODUCER}, {.name = "peek", .side = WW_CONSUMER}, {0}};
static const ww_work odd_end_work[] = {{.name = "finish", .side = WW_PRODUCER}, {0}};

/* Two loops, one downwards and one whose end the kernel computes; work after the tile loop. */
static void odd_producer(ww_schedule *s, void *context)
{
    oddities *o = context;
    ww_work_tile_loop(s, o->queue) {
        ww_domain_loop(s, ww_imm(8), ww_imm(0), ww_imm(-2)) {
            ww_acquire(s, o->ring);
            ww_produce(s, o->ring, "fill");
            ww_commit(s, o->ring);
        }
        ww_domain_loop(s, ww_imm(0), ww_device("trips"), ww_imm(1)) {
            ww_last_iter(s) {
                ww_acquire(s, o->signal);
                ww_commit(s, o->signal);
            }
        }
        ww_advance_tile(s, o->queue);
    }
    ww_produce(s, o->end, "finish");
}

/* Waits run ahead of releases; the signal is waited for without any work. */
static void odd_consumer(ww_schedule *s, void *context)
{
    oddities *o = context;
    ww_work_tile_loop(s, o->queue) {
        ww_domain_loop(s, ww_imm(8), ww_imm(0), ww_imm(-2)) {
            ww_wait(s, o->ring);
            ww_consume(s, o->ring, "peek");
            ww_release(s, o->ring);
        }
        ww_wait(s, o->signal);
        ww_release(s, o->signal);
        ww_advance_tile(s, o->queue);
    }
}

static ww_kernel *odd_kernel(void)
{
    ww_kernel *k = ww_kernel_new(
        "odd", &(ww_kernel_options){.body = "odd.cuh", .params = "odd_params", .params_bytes = 4});
    ww_pipeline pipeline = {.type = WW_ASYNC_ASYNC, .stages = 3};
    oddities o = {0};
    o.queue = ww_queue_static(k, "queue", &(ww_queue_options){.tiles = {ww_imm(7)}});
    o.signal = ww_resource_new(k, "signal", &(ww_resource_options){.pipeline = pipeline});
    pipeline.advance_on_wait = true;
    o.ring = ww_resource_new(
        k, "ring",
        &(ww_resource_options){.pipeline = pipeline, .buffers = {{"x", 64, 0}}, .work = odd_ring_work});
    o.end = ww_resource_new(k, "end", &(ww_resource_options){.work = odd_end_work});
    (void)ww_task_new(k, "one", &(ww_task_options){.warps = 1, .schedule = odd_producer, .context = &o});
    (void)ww_task_new(
        k, "two", &(ww_task_options){.first_warp = 1, .warps = 2, .schedule = odd_consumer, .context = &o});
    ww_kernel_unchecked(k); /* what is drawn matters here, not whether it is sound */
    return k;
}

static void assert_has(const text *report, const char *wanted)
{
    if (!strstr(text_str(report), wanted))
        fail_msg("no \"%s\" in\n%s", wanted, text_str(report));
}

static void test_table_of_odd_steps(void **state)
{
    (void)state;
    text table = report_of(odd_kernel(), ww_kernel_table);
    assert_has(&table, "for 8 .. 0 by -2 {");
    assert_has(&table, "for 0 .. trips() {");
    assert_has(&table, "last trip {");
    assert_has(&table, "peek       ring   held slot");
    assert_has(&table, "\nafter ");
    assert_has(&table, "registers: as compiled, at most 255 a thread (96 threads share 65536)\n");
    assert_has(&table, "signal.empty       3        64  two by release: 2 warps x 32 lanes\n");
    text_free(&table);
}

/* A side of a pipeline without work has a node of its own; a pipeline without memory is a hexagon. */
static void test_graph_of_odd_steps(void **state)
{
    (void)state;
    text graph = report_of(odd_kernel(), ww_kernel_graph);
    assert_has(&graph, "r1 [shape=hexagon");
    assert_has(&graph, "<b>signal</b><br/>AsyncAsync, 3 stages<br/>full 32, empty 64>");
    assert_has(&graph, "[shape=plaintext, style=\"\", label=\"acquire, commit\"]");
    assert_has(&graph, "[shape=plaintext, style=\"\", label=\"wait, release\"]");
    text_free(&graph);
}

/* ---- clusters, tensor memory, groups, barriers without data ----------------------------------------------- */

/* The kernels of emit_kernels.h would not pass every rule. */
static text unchecked_report(ww_kernel *k, report_function *report)
{
    ww_kernel_unchecked(k);
    return report_of(k, report);
}

/* The texts are ended by NULL. */
static void check_report_has(ww_kernel *k, report_function *report, const char *const *wanted)
{
    text actual = unchecked_report(k, report);
    for (; *wanted; wanted++)
        assert_has(&actual, *wanted);
    text_free(&actual);
}

#define REPORT_HAS(kernel, report, ...)                                                                      \
    check_report_has(kernel, report, (const char *const[]){__VA_ARGS__, NULL})

static void test_table_of_a_cluster(void **state)
{
    (void)state;
    REPORT_HAS(
        emit_umma_2(), ww_kernel_table,
        "kernel umma_2: 3 tasks, 6 warps, clusters of 4 CTAs (v 2, m 1, n 2, k 1)\n",
        "acquire <- ring 1 + 4096 B, leaders only", "other + umma, leaders only",
        "    4192       4    1 x 4          address of tensor memory\n",
        "tensor memory, of each CTA\n  column columns  stages           what\n"
        "       0     256    2 x 128        other.sum\n"
        "  total      256 of 512 columns, 256 allocated\n",
        "arrivals a phase, at the barrier of the first CTA that has any\n",
        "fill by acquire: 1 warp x 1 lane in CTA 0; 4096 bytes of data 1024 x 4 copies; one in CTAs 0, 2\n",
        "multiply by release: 1 warp x 1 commit x 2 CTAs (0, 2)",
        "use by release: 4 warps x 32 lanes x 2 CTAs (0, 1)", "drain     <- ring 4");
}

static void test_table_of_tiles_fetched(void **state)
{
    (void)state;
    REPORT_HAS(emit_clc(), ww_kernel_table, "fetch_tile   -> queue 1 + 16 B at every CTA, rank 0 only",
               "advance_tile    queue 1 at rank 0",
               "schedule by advance_tile: 1 warp x 1 lane x all 4 CTAs; take by advance_tile: 4 warps x 1 "
               "lane x all 4 CTAs; one in CTA 0\n");
}

static void test_table_of_lanes(void **state)
{
    (void)state;
    REPORT_HAS(emit_lanes(), ww_kernel_table, "fill by commit: 1 of 2 warps x 32 lanes\n");
    REPORT_HAS(emit_loop_lane(), ww_kernel_table, "use by release: 4 warps x 32 lanes in lane 1 of 2\n");
}

static void test_table_of_groups_and_aliases(void **state)
{
    (void)state;
    REPORT_HAS(emit_merge(), ww_kernel_table, "release  both  32",
               "  both.empty       2        32  use by release");
    REPORT_HAS(emit_fused(), ww_kernel_table,
               "  both.full        2        64  fill by commit: 1 warp x 32 lanes; filler by commit: 1 warp "
               "x 32 lanes\n");
    REPORT_HAS(emit_aliased(), ww_kernel_table, "other.data*  phase 1 of alias 0\n",
               "scratch.data*  shares other's\n", "  aliases save 1024 bytes\n");
}

static void test_table_of_barriers_without_data(void **state)
{
    (void)state;
    REPORT_HAS(emit_meeting(), ww_kernel_table, "<> sync meeting 64", "sync_arrive -> meeting 32",
               "<> sync     arrives, and blocks until all others have\n",
               "  meeting (id 1)       1        96  meet by sync: 2 warps x 32 lanes; pass_by by "
               "sync_arrive: 1 warp x");
    REPORT_HAS(emit_turns(), ww_kernel_table,
               "  order.turn 0       1         4  pong by commit: 4 warps x 1 lane\n",
               "  order.turn 1       1         4  ping by commit: 4 warps x 1 lane\n");
    REPORT_HAS(emit_dependent(), ww_kernel_table, "griddep_wait   before", "griddep_launch after");
}

static void test_table_of_blocks(void **state)
{
    (void)state;
    REPORT_HAS(emit_blocks(), ww_kernel_table, "for 4 .. trips by 2, unrolled 4 {", "every 3 trips from 2 {",
               "if x {", "if not x {", "tuned scratch <7, 1>", "1 warp, rank 1 only");
}

/* Routes alone are what stands at the end of the table. */
static void test_routes(void **state)
{
    (void)state;
    text routes = unchecked_report(emit_blocks(), ww_kernel_routes);
    text table = unchecked_report(emit_blocks(), ww_kernel_table);
    assert_ptr_equal(strstr(text_str(&routes), "values between work calls\n  guarded: int x = "),
                     text_str(&routes));
    assert_has(&routes, " -> when false (line ");
    assert_has(&routes, ", outlives its block, at first -1\n");
    assert_has(&table, text_str(&routes));
    text_free(&routes);
    text_free(&table);
    REPORT_HAS(emit_local(), ww_kernel_routes, "no values between work calls\n");
}

static void test_graph_of_new_kinds(void **state)
{
    (void)state;
    REPORT_HAS(emit_umma_2(), ww_kernel_graph,
               "<b>other</b><br/>UmmaAsync, 2 stages x 128 columns<br/>full 1, empty 256>",
               "[style=solid, label=\"TMA multicast, 1024 B\"]", "[label=\"umma\"]",
               "256 columns of tensor memory, clusters of 4>");
    REPORT_HAS(emit_fork(), ww_kernel_graph, "<b>both</b><br/>fork of ring, other<br/>full 32>",
               "  r0 -> r2 [style=dotted, arrowhead=none]\n", "label=\"commit\"]");
    REPORT_HAS(emit_clc(), ww_kernel_graph,
               "<br/>cluster launch control<br/>ClcFetchAsync, 2 stages x 16 B<br/>",
               "label=\"fetch_tile\"]");
    REPORT_HAS(emit_meeting(), ww_kernel_graph, "[shape=octagon", "<br/>id 1, 96 threads>", "[dir=both]");
    REPORT_HAS(emit_turns(), ww_kernel_graph, "[shape=doubleoctagon", "<br/>turn 0: 4, turn 1: 4>");
    REPORT_HAS(emit_dependent(), ww_kernel_graph, "[shape=larrow", "<br/>successor>",
               "label=\"griddep_wait\"]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_of_two_tasks),
        cmocka_unit_test(test_table_of_gemm),
        cmocka_unit_test(test_graph_of_two_tasks),
        cmocka_unit_test(test_graph_of_gemm),
        cmocka_unit_test(test_table_stays_on_the_page),
        cmocka_unit_test(test_mismatch_is_marked),
        cmocka_unit_test(test_table_of_odd_steps),
        cmocka_unit_test(test_graph_of_odd_steps),
        cmocka_unit_test(test_table_of_a_cluster),
        cmocka_unit_test(test_table_of_tiles_fetched),
        cmocka_unit_test(test_table_of_lanes),
        cmocka_unit_test(test_table_of_groups_and_aliases),
        cmocka_unit_test(test_table_of_barriers_without_data),
        cmocka_unit_test(test_table_of_blocks),
        cmocka_unit_test(test_routes),
        cmocka_unit_test(test_graph_of_new_kinds),
        cmocka_unit_test(test_nothing_is_reported_of_a_refused_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
