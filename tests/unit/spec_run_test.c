/* What work bodies are told, and what they must not do: carried out on the emulator, compiled by NVRTC. By the numbers of
 * docs/coverage.md: S32, S36, S71, D1, D6, D18, Q5, Q9. */
#include "warpwright/warpwright.h"
#include "spec_run_params.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define TRIPS ww_arg(struct spec_run_params, trips, 0)

enum { CTAS = 2, MOST_ROWS = 12 };

typedef struct parts {
    ww_resource *book, *ring, *queue;
} parts;

static const ww_work book_work[] = {{.name = "note", .side = WW_PRODUCER, .constants = {"int place"}},
                                    {.name = "scribble", .side = WW_PRODUCER},
                                    {.name = "make", .side = WW_CONSUMER, .out = {"int x = 5"}},
                                    {.name = "change", .side = WW_PRODUCER, .in = {"int x"}},
                                    {.name = "take", .side = WW_PRODUCER, .in = {"int x"}},
                                    {.name = "follow", .side = WW_PRODUCER, .in = {"int x"}},
                                    {.name = "make_float", .side = WW_CONSUMER, .out = {"float x"}},
                                    {0}};
static const ww_work ring_work[] = {
    {.name = "fill", .side = WW_PRODUCER}, {.name = "read", .side = WW_CONSUMER}, {0}};

static ww_kernel *declare(parts *p)
{
    ww_kernel *k =
        ww_kernel_new("spec_run", &(ww_kernel_options){.body = "spec_run_bodies.cuh",
                                                       .body_folder = WW_REPOSITORY "/tests/unit",
                                                       .params = "spec_run_params",
                                                       .params_bytes = sizeof(struct spec_run_params)});
    p->book = ww_resource_new(k, "book", &(ww_resource_options){.work = book_work});
    p->queue =
        ww_queue_static(k, "queue", &(ww_queue_options){.tiles = {ww_arg(struct spec_run_params, tiles, 0)}});
    return k;
}

static ww_kernel *declare_one(ww_schedule_function *schedule)
{
    parts p;
    ww_kernel *k = declare(&p);
    ww_task_new(k, "only", &(ww_task_options){.warps = 1, .schedule = schedule, .context = &p});
    return k;
}

static void note(ww_schedule *s, const parts *p, int place)
{
    ww_produce(s, p->book, "note", .constants = {place});
}

/* Runs, and fetches notes and output, which were all ones. */
static void run(ww_kernel *k, int trips, int tiles, struct spec_note *notes, int *out)
{
    ww_run *r = ww_run_open(k, &(ww_run_options){.device = WW_DEVICE_EMULATOR});
    size_t note_bytes = CTAS * SPEC_PLACES * sizeof *notes, out_bytes = MOST_ROWS * 32 * sizeof *out;
    uint64_t notes_at = ww_run_alloc(r, note_bytes), out_at = ww_run_alloc(r, out_bytes);
    struct spec_run_params p = {trips, tiles, (struct spec_note *)notes_at, (int *)out_at};
    ww_run_launch(r, &(ww_launch){.params = &p, .grid = {1, 1, CTAS}});
    ww_run_wait(r);
    ww_run_download(r, notes, notes_at, note_bytes);
    ww_run_download(r, out, out_at, out_bytes);
    if (ww_run_error(r))
        fail_msg("%s", ww_run_error(r));
    ww_run_close(r);
}

/* ---- D6: the index before, in and after a loop -------------------------------------------------------------------- */

enum { BEFORE, IN, BETWEEN, DOWN, AFTER };

static void note_around_loops(ww_schedule *s, void *context)
{
    const parts *p = context;
    note(s, p, BEFORE);
    ww_domain_loop(s, ww_imm(3), TRIPS, ww_imm(2)) {
        note(s, p, IN);
    }
    note(s, p, BETWEEN);
    ww_domain_loop(s, TRIPS, ww_imm(0), ww_imm(-3)) {
        note(s, p, DOWN);
    }
    note(s, p, AFTER);
}

static void expect_note(const struct spec_note *n, int calls, int offset, int start, int end, int step)
{
    const struct spec_note all_ones = {-1, -1, -1, -1, -1, -1, -1, -1};
    if (!calls) {
        assert_memory_equal(n, &all_ones, sizeof all_ones);
        return;
    }
    assert_int_equal(n->calls, calls);
    assert_int_equal(n->offset, offset);
    assert_int_equal(n->start, start);
    assert_int_equal(n->end, end);
    assert_int_equal(n->step, step);
}

/* Before a loop its first index, after it the last one visited, and where nothing was visited the first one again. */
static void work_is_told_the_index_around_loops(void **state)
{
    (void)state;
    static struct spec_note notes[CTAS * SPEC_PLACES];
    static int out[MOST_ROWS * 32];
    ww_kernel *k = declare_one(note_around_loops);
    assert_true(ww_kernel_prove(k).proved);
    static const struct {
        int trips, up, last_up, down, last_down;
    } cases[] = {{0, 0, 3, 0, 0}, {3, 0, 3, 1, 3}, {4, 1, 3, 2, 1}, {8, 3, 7, 3, 2}, {9, 3, 7, 3, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int trips = cases[i].trips;
        run(k, trips, 1, notes, out);
        expect_note(&notes[BEFORE], 1, 3, 3, trips, 2);
        expect_note(&notes[IN], cases[i].up, cases[i].last_up, 3, trips, 2);
        expect_note(&notes[BETWEEN], 1, cases[i].last_up, 3, trips, 2);
        expect_note(&notes[DOWN], cases[i].down, cases[i].last_down, trips, 0, -3);
        expect_note(&notes[AFTER], 1, cases[i].last_down, trips, 0, -3);
    }
    ww_kernel_free(k);
}

/* ---- D18: outside the tile loop ------------------------------------------------------------------------------------- */

static void note_around_tiles(ww_schedule *s, void *context)
{
    const parts *p = context;
    note(s, p, BEFORE);
    ww_work_tile_loop(s, p->queue) {
        ww_domain_loop(s, ww_imm(2), TRIPS, ww_imm(1)) {
            note(s, p, IN);
        }
        note(s, p, BETWEEN);
        ww_advance_tile(s, p->queue);
    }
    note(s, p, AFTER);
}

/* Loops belong to a tile, so that there is none before the tiles and after them. Before them the tile is the first one,
 * after them one that is not valid. */
static void work_outside_the_tiles_is_told_no_loop(void **state)
{
    (void)state;
    static struct spec_note notes[CTAS * SPEC_PLACES];
    static int out[MOST_ROWS * 32];
    ww_kernel *k = declare_one(note_around_tiles);
    assert_true(ww_kernel_prove(k).proved);
    run(k, 6, 5, notes, out);
    for (int cta = 0; cta < CTAS; cta++) { /* tiles 0, 2, 4 and tiles 1, 3 */
        const struct spec_note *n = &notes[cta * SPEC_PLACES];
        expect_note(&n[BEFORE], 1, 0, 0, 0, 1);
        expect_note(&n[IN], cta ? 8 : 12, 5, 2, 6, 1);
        expect_note(&n[BETWEEN], cta ? 2 : 3, 5, 2, 6, 1);
        expect_note(&n[AFTER], 1, 0, 0, 0, 1);
        assert_int_equal(n[BETWEEN].tile_m, cta ? 3 : 4);
        assert_int_equal(n[AFTER].valid, 0);
        assert_int_equal(n[BEFORE].tile_m, cta);
        assert_int_equal(n[BEFORE].valid, 1);
    }
    ww_kernel_free(k);
}

/* ---- D1, Q5: probes, with a slow producer ---------------------------------------------------------------------------- */

static void fill(ww_schedule *s, void *context)
{
    const parts *p = context;
    ww_domain_loop(s, ww_imm(0), ww_imm(MOST_ROWS), ww_imm(1)) {
        ww_first_iter(s) {
            ww_try_acquire(s, p->ring);
        }
        ww_acquire(s, p->ring);
        ww_produce(s, p->ring, "fill");
        ww_commit(s, p->ring);
    }
}

static void probe_once_and_read(ww_schedule *s, void *context)
{
    const parts *p = context;
    ww_domain_loop(s, ww_imm(0), ww_imm(MOST_ROWS), ww_imm(1)) {
        ww_every(s, 4, 3) {
            ww_try_wait(s, p->ring);
        }
        note(s, p, IN);
        ww_wait(s, p->ring);
        ww_consume(s, p->ring, "read");
        ww_release(s, p->ring);
    }
}

/* Every wait without a probe of its own is carried out: nothing is read before it has been written. */
static void a_probe_does_not_stand_for_later_waits(void **state)
{
    (void)state;
    static struct spec_note notes[CTAS * SPEC_PLACES];
    static int out[MOST_ROWS * 32];
    parts p;
    ww_kernel *k = declare(&p);
    p.ring = ww_resource_new(k, "ring",
                             &(ww_resource_options){.pipeline = ww_pipeline_async_async(.stages = 2),
                                                    .buffers = {{.name = "words", .bytes = 128}},
                                                    .work = ring_work});
    ww_task_new(k, "fill", &(ww_task_options){.warps = 1, .schedule = fill, .context = &p});
    ww_task_new(
        k, "read",
        &(ww_task_options){.first_warp = 1, .warps = 1, .schedule = probe_once_and_read, .context = &p});
    assert_true(ww_kernel_prove(k).proved);
    run(k, 0, 0, notes, out);
    for (int i = 0; i < MOST_ROWS * 32; i++)
        assert_int_equal(out[i], i / 32 * 100 + (i % 32 ^ 1));
    ww_kernel_free(k);
}

/* ---- S32, Q9: what a body must not do -------------------------------------------------------------------------------------- */

static bool compiles(ww_schedule_function *schedule)
{
    ww_kernel *k = declare_one(schedule);
    ww_run *r = ww_run_open(k, &(ww_run_options){.device = WW_DEVICE_NONE});
    bool ok = ww_run_error(r) == NULL;
    if (!ok && !strstr(ww_run_error(r), "spec_run"))
        fail_msg("%s", ww_run_error(r));
    ww_run_close(r);
    ww_kernel_free(k);
    return ok;
}

static void note_once(ww_schedule *s, void *context)
{
    note(s, context, BEFORE);
}

static void scribble(ww_schedule *s, void *context)
{
    const parts *p = context;
    ww_produce(s, p->book, "scribble");
}

/* It may look at what it is told, not write on it. */
static void stage_info_is_read_only(void **state)
{
    (void)state;
    assert_true(compiles(note_once));
    assert_false(compiles(scribble));
}

static void take(ww_schedule *s, void *context)
{
    const parts *p = context;
    ww_token x;
    ww_consume(s, p->book, "make", .out = {&x});
    ww_produce(s, p->book, "take", .in = {x});
}

static void change(ww_schedule *s, void *context)
{
    const parts *p = context;
    ww_token x;
    ww_consume(s, p->book, "make", .out = {&x});
    ww_produce(s, p->book, "change", .in = {x});
    ww_produce(s, p->book, "take", .in = {x});
}

/* Its outputs are what it declares; an input is another call's value, and stays what it was. */
static void inputs_cannot_be_written(void **state)
{
    (void)state;
    assert_true(compiles(take));
    assert_false(compiles(change));
}

static void take_a_pointer(ww_schedule *s, void *context)
{
    const parts *p = context;
    ww_token x;
    ww_consume(s, p->book, "make", .out = {&x});
    ww_produce(s, p->book, "follow", .in = {x});
}

static void make_a_float(ww_schedule *s, void *context)
{
    const parts *p = context;
    ww_token x;
    ww_consume(s, p->book, "make_float", .out = {&x});
    ww_produce(s, p->book, "take", .in = {x});
}

/* S71: values, inputs and outputs have types; the compiler holds bodies and rows together. */
static void types_are_checked_by_the_compiler(void **state)
{
    (void)state;
    assert_false(compiles(take_a_pointer));
    assert_false(compiles(make_a_float));
}

static void take_from_the_first_trip(ww_schedule *s, void *context)
{
    const parts *p = context;
    ww_token x = {0};
    ww_domain_loop(s, ww_imm(0), TRIPS, ww_imm(1)) {
        ww_first_iter(s) {
            ww_consume(s, p->book, "make", .out = {&x});
        }
    }
    ww_produce(s, p->book, "take", .in = {x});
}

/* S36: a value is its default until the call that makes it has run. */
static void a_value_is_its_default_at_first(void **state)
{
    (void)state;
    static struct spec_note notes[CTAS * SPEC_PLACES];
    static int out[MOST_ROWS * 32];
    ww_kernel *k = declare_one(take_from_the_first_trip);
    for (int trips = 0; trips < 3; trips++) {
        run(k, trips, 0, notes, out);
        for (int lane = 0; lane < 32; lane++)
            assert_int_equal(out[lane], trips ? lane : 5);
    }
    ww_kernel_free(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_is_told_the_index_around_loops),
        cmocka_unit_test(work_outside_the_tiles_is_told_no_loop),
        cmocka_unit_test(a_probe_does_not_stand_for_later_waits),
        cmocka_unit_test(stage_info_is_read_only),
        cmocka_unit_test(inputs_cannot_be_written),
        cmocka_unit_test(types_are_checked_by_the_compiler),
        cmocka_unit_test(a_value_is_its_default_at_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
