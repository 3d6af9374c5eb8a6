/* Schedule forms that no example has, carried out on the emulator: AsyncAsync rings of one and more stages, look-ahead
 * on either side, probes, first and last guards, negative steps, steps that do not divide the domain, no trip at all.
 * Every lane reads what another one wrote, so that a missing order shows. */
#include "warpwright/warpwright.h"
#include "forms_params.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum { MOST_TRIPS = 64 };

typedef struct form {
    const char *name;
    ww_schedule_function *fill, *read;
    ww_pipeline pipeline;
    int step;
    bool unmarked; /* does not mark first and last trips; starts at 0 and has at least one */
} form;

typedef struct passing {
    ww_resource *ring, *sink;
    int step;
} passing;

static ww_bound start(void)
{
    return ww_arg(struct forms_params, start, 0);
}

static ww_bound end(void)
{
    return ww_arg(struct forms_params, end, -1);
}

static ww_bound end_of_some(void)
{
    return ww_arg(struct forms_params, end, 1);
}

/* ---- schedules ------------------------------------------------------------------------------------------------- */

static void fill(ww_schedule *s, void *context)
{
    passing *p = context;
    ww_domain_loop(s, start(), end(), ww_imm(p->step)) {
        ww_acquire(s, p->ring);
        ww_produce(s, p->ring, "fill");
        ww_commit(s, p->ring);
    }
}

static void read_one(ww_schedule *s, passing *p)
{
    ww_token value;
    ww_consume(s, p->ring, "read", .out = {&value});
    ww_produce(s, p->sink, "store", .in = {value});
}

static void read_guarded(ww_schedule *s, void *context)
{
    passing *p = context;
    ww_domain_loop(s, start(), end(), ww_imm(p->step)) {
        ww_first_iter(s) {
            ww_produce(s, p->sink, "mark_first");
        }
        ww_try_wait(s, p->ring);
        ww_wait(s, p->ring);
        read_one(s, p);
        ww_release(s, p->ring);
        ww_last_iter(s) {
            ww_produce(s, p->sink, "mark_last");
        }
    }
}

/* Look-ahead, over 0 .. end - 1 with end of at least 1: slot k is waited for before slot k - 1 is released. */
static void fill_ahead(ww_schedule *s, void *context)
{
    passing *p = context;
    ww_domain_loop(s, ww_imm(0), end_of_some(), ww_imm(1)) {
        ww_try_acquire(s, p->ring);
        ww_acquire(s, p->ring);
        ww_produce(s, p->ring, "fill");
        ww_commit(s, p->ring);
    }
}

static void read_ahead(ww_schedule *s, void *context)
{
    passing *p = context;
    ww_wait(s, p->ring);
    read_one(s, p);
    ww_domain_loop(s, ww_imm(1), end_of_some(), ww_imm(1)) {
        ww_try_wait(s, p->ring);
        ww_wait(s, p->ring);
        read_one(s, p);
        ww_release(s, p->ring);
    }
    ww_release(s, p->ring);
}

/* ---- kernel ------------------------------------------------------------------------------------------------------ */

static ww_kernel *declare(const form *f)
{
    static const ww_work ring_work[] = {{.name = "fill", .side = WW_PRODUCER},
                                        {.name = "read", .side = WW_CONSUMER, .out = {"int value"}},
                                        {0}};
    static const ww_work sink_work[] = {{.name = "store", .side = WW_PRODUCER, .in = {"int value"}},
                                        {.name = "mark_first", .side = WW_PRODUCER},
                                        {.name = "mark_last", .side = WW_PRODUCER},
                                        {0}};
    passing p = {.step = f->step};
    ww_kernel *k =
        ww_kernel_new("forms_test", &(ww_kernel_options){.body = "forms.cuh",
                                                         .body_folder = TEST_FOLDER,
                                                         .params = "forms_params",
                                                         .params_bytes = sizeof(struct forms_params)});
    p.ring =
        ww_resource_new(k, "ring",
                        &(ww_resource_options){
                            .pipeline = f->pipeline, .buffers = {{"numbers", 128, 128}}, .work = ring_work});
    p.sink = ww_resource_new(k, "sink", &(ww_resource_options){.work = sink_work});
    ww_task_new(k, "fill", &(ww_task_options){.warps = 1, .schedule = f->fill, .context = &p});
    ww_task_new(k, "read",
                &(ww_task_options){.first_warp = 1, .warps = 1, .schedule = f->read, .context = &p});
    return k;
}

static int trips_of(int from, int to, int step)
{
    int n = 0;
    for (int i = from; step > 0 ? i < to : i > to; i += step)
        n++;
    return n;
}

static void check_out(const form *f, const struct forms_params *p, const int *out, const int *marks)
{
    int trips = trips_of(p->start, p->end, f->step), written = 0;
    for (int i = 0; i < MOST_TRIPS * 32; i++)
        written += out[i] != -1;
    assert_int_equal(written, trips * 32);
    for (int t = 0; t < trips; t++)
        for (int lane = 0; lane < 32; lane++)
            assert_int_equal(out[(p->start + t * f->step) * 32 + lane],
                             (p->start + t * f->step) * 100 + (lane ^ 1));
    if (f->unmarked)
        return;
    assert_int_equal(marks[0], trips ? p->start + 1 : -1);
    assert_int_equal(marks[1], trips ? p->start + (trips - 1) * f->step + 1 : -1);
}

static void check_bounds(ww_kernel *k, const form *f, int from, int to)
{
    static int out[MOST_TRIPS * 32];
    int marks[2];
    ww_run *r = ww_run_open(k, &(ww_run_options){.device = WW_DEVICE_EMULATOR});
    uint64_t out_at = ww_run_alloc(r, sizeof out), marks_at = ww_run_alloc(r, sizeof marks);
    struct forms_params p = {(int *)out_at, (int *)marks_at, from, to};
    ww_run_launch(r, &(ww_launch){.params = &p, .grid = {1, 1, 1}});
    ww_run_wait(r);
    ww_run_download(r, out, out_at, sizeof out);
    ww_run_download(r, marks, marks_at, sizeof marks);
    if (ww_run_error(r))
        fail_msg("%s, %d to %d: %s", f->name, from, to, ww_run_error(r));
    check_out(f, &p, out, marks);
    ww_run_close(r);
}

static const form forms[] = {
    {"one stage", fill, read_guarded, {.type = WW_ASYNC_ASYNC, .stages = 1}, 1, false},
    {"three stages, step 3", fill, read_guarded, {.type = WW_ASYNC_ASYNC, .stages = 3}, 3, false},
    {"downwards", fill, read_guarded, {.type = WW_ASYNC_ASYNC, .stages = 2}, -2, false},
    {"two cursors a side",
     fill_ahead,
     read_ahead,
     {.type = WW_ASYNC_ASYNC, .stages = 3, .advance_on_wait = true, .advance_on_acquire = true},
     1,
     true},
};

static void test_forms(void **state)
{
    (void)state;
    static const int bounds[][2] = {{0, 0},  {0, 1},  {0, 2},   {0, 23}, {3, 24},
                                    {5, 64}, {20, 3}, {63, -1}, {2, 0}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        ww_kernel *k = declare(&forms[i]);
        ww_diag_print(stdout, ww_kernel_check(k));
        assert_int_equal(ww_diag_count(ww_kernel_check(k), WW_WARNING), 0);
        ww_diag_print(stdout, ww_kernel_prove(k).refutation);
        assert_true(ww_kernel_prove(k).proved);
        for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++)
            if (!forms[i].unmarked || (bounds[b][0] == 0 && bounds[b][1] > 0))
                check_bounds(k, &forms[i], bounds[b][0], bounds[b][1]);
        ww_kernel_free(k);
    }
}

/* ---- launches that are refused ------------------------------------------------------------------------------------ */

static void expect_refused(const ww_launch *launch, const char *why)
{
    ww_kernel *k = declare(&forms[3]);
    ww_run *r = ww_run_open(k, &(ww_run_options){.device = WW_DEVICE_EMULATOR});
    ww_run_launch(r, launch);
    const char *error = ww_run_error(r);
    if (!error || !strstr(error, why))
        fail_msg("%s, and not %s", error ? error : "launched", why);
    ww_run_close(r);
    ww_kernel_free(k);
}

static void test_refused_launches(void **state)
{
    (void)state;
    struct forms_params none = {.end = 0}, some = {.end = 1};
    expect_refused(&(ww_launch){.params = &none, .grid = {1, 1, 1}}, "below the minimum that was proved, 1");
    expect_refused(&(ww_launch){.params = &some, .grid = {0, 1, 1}}, "expected multiples of its cluster");
    expect_refused(&(ww_launch){.params = &some, .grid = {1, 1, 1}, .overlap_previous = true},
                   "is to overlap the launch before it and never waits for that");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_forms), cmocka_unit_test(test_refused_launches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
