/* Counterexamples that need other bounds, conditions or skipped tiles than the device computes: the replay answers in its place,
 * and the generated code goes to the fault. Without the answers it does not. And what a body hands on, and another one
 * touches memory by. */
#include "app/witness_file.h"
#include "warpwright/warpwright.h"
#include "words_params.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { WARPS = 1, BYTES = 128, LANES = 32 };

/* ---- kernels ------------------------------------------------------------------------------------------------------ */

/* How often rows go through the ring, and what is wrong with the reader. */
typedef enum form {
    BOUND,     /* a loop to one_row(); read after release */
    BOUNDS,    /* from first_of_none() to end_of_none(); likewise */
    OF_TILE,   /* the same once a tile */
    OF_TRIPS,  /* a launch argument; waits once more unless pick says it is done, in each trip */
    OF_TILES,  /* tiles; likewise, in each tile */
    HANDED_ON, /* a launch argument; its address made and read through before it is waited for */
    SKIPS,     /* tiles; filled only if never() does not skip them, and read always */
} form;

typedef struct task_context {
    form form;
    ww_resource *ring, *choice, *queue;
} task_context;

static void fill_a_row(ww_schedule *s, const task_context *t)
{
    ww_acquire(s, t->ring);
    ww_produce(s, t->ring, "fill");
    ww_commit(s, t->ring);
}

static void fill_once(ww_schedule *s, const task_context *t)
{
    if (t->form != SKIPS) {
        fill_a_row(s, t);
        return;
    }
    ww_skippable(s) {
        fill_a_row(s, t);
    }
}

static void read_and_perhaps_wait(ww_schedule *s, const task_context *t)
{
    ww_token done;
    ww_consume(s, t->choice, "pick", .out = {&done});
    ww_wait(s, t->ring);
    ww_consume(s, t->ring, "read");
    ww_release(s, t->ring);
    ww_when_false(s, done, "done") {
        ww_wait(s, t->ring);
    }
}

static void read_through_address(ww_schedule *s, const task_context *t)
{
    ww_token address, again;
    ww_consume(s, t->ring, "address", .out = {&address});
    ww_consume(s, t->ring, "address", .out = {&again});
    ww_consume(s, t->choice, "read_through", .in = {address});
    ww_wait(s, t->ring);
    ww_release(s, t->ring);
}

static void read_once(ww_schedule *s, const task_context *t)
{
    switch (t->form) {
    case OF_TRIPS:
    case OF_TILES: read_and_perhaps_wait(s, t); break;
    case SKIPS:
        ww_wait(s, t->ring);
        ww_consume(s, t->ring, "read");
        ww_release(s, t->ring);
        break;
    case HANDED_ON: read_through_address(s, t); break;
    default:
        ww_wait(s, t->ring);
        ww_release(s, t->ring);
        ww_consume(s, t->ring, "read");
    }
}

/* Rows, or the one of a tile. */
static void pass(ww_schedule *s, const task_context *t, void (*once)(ww_schedule *, const task_context *))
{
    ww_bound zero = ww_imm(0), one = ww_imm(1), from = t->form == BOUNDS ? ww_device("first_of_none") : zero,
             end = t->form == OF_TRIPS || t->form == HANDED_ON ? ww_arg(struct words_params, trips, 0)
                   : t->form == BOUNDS                         ? ww_device("end_of_none")
                                                               : ww_device("one_row");
    if (t->form == OF_TILES || t->form == SKIPS) {
        once(s, t);
        return;
    }
    ww_domain_loop(s, from, end, one) {
        once(s, t);
    }
}

static void run(ww_schedule *s, const task_context *t, void (*once)(ww_schedule *, const task_context *))
{
    if (!t->queue) {
        pass(s, t, once);
        return;
    }
    ww_work_tile_loop(s, t->queue) {
        pass(s, t, once);
        ww_advance_tile(s, t->queue);
    }
}

static void fill(ww_schedule *s, void *context)
{
    run(s, context, fill_once);
}

static void read_back(ww_schedule *s, void *context)
{
    run(s, context, read_once);
}

static const ww_work ring_work[] = {{.name = "fill", .side = WW_PRODUCER},
                                    {.name = "read", .side = WW_CONSUMER},
                                    {.name = "address", .side = WW_CONSUMER, .out = {"uint32_t address"}},
                                    {0}};
static const ww_work choice_work[] = {
    {.name = "pick", .side = WW_CONSUMER, .auxiliary = true, .out = {"bool done"}},
    {.name = "read_through", .side = WW_CONSUMER, .auxiliary = true, .in = {"uint32_t address"}},
    {0}};

static ww_kernel *declare(form f)
{
    task_context t = {.form = f};
    ww_kernel *k = ww_kernel_new("chosen", &(ww_kernel_options){.body = "replay_chosen.cuh",
                                                                .body_folder = REPLAY_FOLDER,
                                                                .params = "words_params",
                                                                .params_bytes = sizeof(struct words_params)});
    ww_queue_options tiles = {.tiles = {ww_arg(struct words_params, more, 0)},
                              .skip = f == SKIPS ? "never" : NULL};
    if (f == OF_TILE || f == OF_TILES || f == SKIPS)
        t.queue = ww_queue_static(k, "queue", &tiles);
    t.choice = ww_resource_new(k, "choice", &(ww_resource_options){.work = choice_work});
    t.ring = ww_resource_new(k, "ring",
                             &(ww_resource_options){.pipeline = {.type = WW_ASYNC_ASYNC, .stages = 1},
                                                    .buffers = {{"words", BYTES, 128}},
                                                    .work = ring_work});
    ww_task_new(k, "fill", &(ww_task_options){.warps = WARPS, .schedule = fill, .context = &t});
    ww_task_new(
        k, "read_back",
        &(ww_task_options){.first_warp = WARPS, .warps = WARPS, .schedule = read_back, .context = &t});
    ww_kernel_unchecked(k);
    return k;
}

/* ---- replays ------------------------------------------------------------------------------------------------------ */

static ww_replay replay(ww_kernel *k, const ww_witness *w)
{
    ww_replay seen = {.text = ""};
    ww_run *r = ww_run_open(k, &(ww_run_options){.device = WW_DEVICE_EMULATOR, .marks = true});
    struct words_params params = {.out = (uint32_t *)ww_run_alloc(r, BYTES), .trips = 1};
    ww_run_replay(r, &(ww_launch){.params = &params, .grid = {1, 1, 1}}, w, &seen);
    if (ww_run_error(r))
        fail_msg("%s", ww_run_error(r));
    ww_run_close(r);
    return seen;
}

static const ww_witness_value *find(const ww_witness *w, ww_value_kind kind)
{
    for (int i = 0; i < w->value_count; i++)
        if (w->values[i].kind == kind)
            return &w->values[i];
    return NULL;
}

/* The counterexample without its values of that kind. */
static ww_witness without(const ww_witness *w, ww_value_kind kind, ww_witness_value *room)
{
    ww_witness left = *w;
    left.values = room;
    left.value_count = 0;
    for (int i = 0; i < w->value_count; i++)
        if (w->values[i].kind != kind)
            room[left.value_count++] = w->values[i];
    return left;
}

typedef struct chosen {
    const char *name;
    form form;
    ww_fault_kind fault;
    ww_value_kind kind;
    int64_t value, tile, trip; /* of the first of that kind */
} chosen;

static const chosen cases[] = {
    {"a bound", BOUND, WW_FAULT_RACE, WW_VALUE_DEVICE, 2, -1, -1},
    {"two bounds", BOUNDS, WW_FAULT_RACE, WW_VALUE_DEVICE, 2, -1, -1},
    {"a bound of a tile", OF_TILE, WW_FAULT_RACE, WW_VALUE_DEVICE, 2, 0, -1},
    {"a condition of a trip", OF_TRIPS, WW_FAULT_DEADLOCK, WW_VALUE_CONDITION, 0, 0, 0},
    {"a condition of a tile", OF_TILES, WW_FAULT_DEADLOCK, WW_VALUE_CONDITION, 0, 0, -1},
    {"a tile that is skipped", SKIPS, WW_FAULT_DEADLOCK, WW_VALUE_SKIP, 1, 0, -1},
};

static void run_case(const chosen *c)
{
    ww_witness_value room[64];
    ww_kernel *k = declare(c->form);
    ww_verdict v = ww_kernel_prove(k);
    assert_false(v.proved);
    assert_non_null(v.witness);
    print_message("%s: %s\n", c->name, v.refutation->message);
    assert_int_equal(v.witness->fault, c->fault);
    const ww_witness_value *value = find(v.witness, c->kind);
    assert_non_null(value);
    print_message("  %s = %d, tile %d, trip %d, key %d\n", value->name, (int)value->value, (int)value->tile,
                  (int)value->trip, value->key);
    assert_int_equal(value->value, c->value);
    assert_int_equal(value->tile, c->tile);
    assert_int_equal(value->trip, c->trip);
    ww_replay seen = replay(k, v.witness);
    print_message("%s", seen.text);
    assert_true(seen.reproduced);
    assert_int_equal(seen.events, v.witness->event_count);
    assert_true(v.witness->value_count <= 64);
    ww_witness left = without(v.witness, c->kind, room);
    seen = replay(k, &left);
    assert_false(seen.reproduced);
    assert_non_null(strstr(seen.text, "not reproduced"));
    ww_kernel_free(k);
}

static void test_chosen(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        run_case(&cases[i]);
}

static void test_handed_on(void **state)
{
    (void)state;
    ww_kernel *k = declare(HANDED_ON);
    ww_verdict v = ww_kernel_prove(k);
    assert_false(v.proved);
    assert_int_equal(v.witness->fault, WW_FAULT_RACE);
    ww_replay seen = replay(k, v.witness);
    print_message("%s", seen.text);
    assert_true(seen.reproduced);
    assert_int_equal(seen.events, v.witness->event_count);
    assert_non_null(strstr(seen.text, "with what takes its values"));
    ww_kernel_free(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_chosen), cmocka_unit_test(test_handed_on)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
