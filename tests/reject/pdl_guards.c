/* 217: the wait for the predecessor grid must lie on every path to each read, whatever guards and loops stand around the two, in
 * each task that reads. */
#include "reject.h"

typedef struct guarded {
    ww_resource *input, *mask, *wait, *queue;
} guarded;

static void read(ww_schedule *s, const guarded *g)
{
    ww_consume(s, g->input, "get");
}

static ww_token test(ww_schedule *s, const guarded *g)
{
    ww_token on = {0};
    ww_consume(s, g->mask, "test", .out = {&on});
    return on;
}

/* ---- conditions ---------------------------------------------------------------------------------------------- */

static void waits_if_true(ww_schedule *s, void *context)
{
    const guarded *g = context;
    ww_token on = test(s, g);
    ww_when_true(s, on, "on") {
        ww_griddep_wait(s, g->wait);
    }
    ww_consume(s, g->input, "get"), BLAME;
}

static void waits_and_reads_if_true(ww_schedule *s, void *context)
{
    const guarded *g = context;
    ww_token on = test(s, g);
    ww_when_true(s, on, "on") {
        ww_griddep_wait(s, g->wait);
    }
    ww_when_true(s, on, "on") {
        read(s, g);
    }
}

static void waits_if_true_reads_if_false(ww_schedule *s, void *context)
{
    const guarded *g = context;
    ww_token on = test(s, g);
    ww_when_true(s, on, "on") {
        ww_griddep_wait(s, g->wait);
    }
    ww_when_false(s, on, "on") {
        ww_consume(s, g->input, "get"), BLAME;
    }
}

static void waits_either_way(ww_schedule *s, void *context)
{
    const guarded *g = context;
    ww_token on = test(s, g);
    ww_when_true(s, on, "on") {
        ww_griddep_wait(s, g->wait);
    }
    ww_when_false(s, on, "on") {
        ww_griddep_wait(s, g->wait);
    }
    read(s, g);
}

/* ---- loops ----------------------------------------------------------------------------------------------------- */

static void wait_in_loop(ww_schedule *s, const guarded *g, int least)
{
    ww_domain_loop(s, ww_imm(0), ww_arg(reject_params, trips, least), ww_imm(1)) {
        ww_griddep_wait(s, g->wait);
    }
    ww_consume(s, g->input, "get"), BLAME;
}

static void waits_in_any_trips(ww_schedule *s, void *context)
{
    wait_in_loop(s, context, 0);
}

static void waits_in_a_trip(ww_schedule *s, void *context)
{
    wait_in_loop(s, context, 1);
}

static void waits_now_and_then(ww_schedule *s, void *context)
{
    const guarded *g = context;
    reject_loop(s)
    {
        ww_every(s, 2, 1) {
            ww_griddep_wait(s, g->wait);
        }
        ww_consume(s, g->input, "get"), BLAME;
    }
}

static void waits_in_the_last_trip(ww_schedule *s, void *context)
{
    const guarded *g = context;
    ww_domain_loop(s, ww_imm(0), ww_arg(reject_params, trips, 1), ww_imm(1)) {
        ww_last_iter(s) {
            ww_griddep_wait(s, g->wait);
        }
    }
    read(s, g);
}

static void waits_behind(ww_schedule *s, void *context)
{
    const guarded *g = context;
    reject_loop(s)
    {
        ww_consume(s, g->input, "get"), BLAME;
        ww_griddep_wait(s, g->wait);
    }
}

/* ---- tiles ----------------------------------------------------------------------------------------------------- */

/* The first tile may be one that is skipped. */
static void waits_unless_skipped(ww_schedule *s, void *context)
{
    const guarded *g = context;
    ww_work_tile_loop(s, g->queue) {
        ww_skippable(s) {
            ww_griddep_wait(s, g->wait);
            reject_loop(s)
            {
                ww_consume(s, g->mask, "test");
            }
        }
        ww_consume(s, g->input, "get"), BLAME;
        ww_advance_tile(s, g->queue);
    }
}

static void waits_and_reads_unless_skipped(ww_schedule *s, void *context)
{
    const guarded *g = context;
    ww_work_tile_loop(s, g->queue) {
        ww_skippable(s) {
            ww_griddep_wait(s, g->wait);
            reject_loop(s)
            {
                read(s, g);
            }
        }
        ww_advance_tile(s, g->queue);
    }
}

/* ---- several readers -------------------------------------------------------------------------------------------- */

static void waits(ww_schedule *s, void *context)
{
    const guarded *g = context;
    ww_griddep_wait(s, g->wait);
    read(s, g);
}

static void reads_alone(ww_schedule *s, void *context)
{
    const guarded *g = context;
    ww_consume(s, g->input, "get"), BLAME;
}

/* ---- kernels ---------------------------------------------------------------------------------------------------- */

static void declare(ww_kernel *k, ww_schedule_function *first, ww_schedule_function *second, bool tiles)
{
    static const ww_work mask_work[] = {{.name = "test", .side = WW_CONSUMER, .out = {"bool on"}}, {0}};
    guarded g = {reject_plain(k, "input"),
                 ww_resource_new(k, "mask", &(ww_resource_options){.work = mask_work}),
                 ww_pdl_wait_new(k, "previous"), NULL};
    if (tiles)
        g.queue = ww_queue_static(
            k, "queue", &(ww_queue_options){.tiles = {ww_arg(reject_params, tiles, 0)}, .skip = "skips"});
    ww_depends(k, g.input, g.wait);
    ww_depends(k, g.mask, NULL);
    reject_task(k, "reader", 0, 1, first, &g);
    if (second)
        reject_task(k, "other", 1, 1, second, &g);
}

#define KERNEL(name, first, second, tiles)                                                                   \
    static void name(ww_kernel *k)                                                                           \
    {                                                                                                        \
        declare(k, first, second, tiles);                                                                    \
    }

KERNEL(if_true, waits_if_true, NULL, false)
KERNEL(if_true_both, waits_and_reads_if_true, NULL, false)
KERNEL(if_true_if_false, waits_if_true_reads_if_false, NULL, false)
KERNEL(either_way, waits_either_way, NULL, false)
KERNEL(any_trips, waits_in_any_trips, NULL, false)
KERNEL(some_trip, waits_in_a_trip, NULL, false)
KERNEL(now_and_then, waits_now_and_then, NULL, false)
KERNEL(last_trip, waits_in_the_last_trip, NULL, false)
KERNEL(behind, waits_behind, NULL, false)
KERNEL(unless_skipped, waits_unless_skipped, NULL, true)
KERNEL(unless_skipped_both, waits_and_reads_unless_skipped, NULL, true)
KERNEL(one_of_two, waits, reads_alone, false)
KERNEL(each_of_two, waits, waits, false)

#define BEFORE(task, where) "task " task ": input.get before griddep_wait(previous), " where
#define ON_EVERY_PATH "griddep_wait(previous) before it on every path, because input depends on it"

const reject_case reject_pdl_guards[] = {
    {"pdl_guards: if a condition holds", if_true, WW_PDL, BEFORE("reader", "on its only path"), ON_EVERY_PATH,
     "a path without it"},
    {"pdl_guards: if it holds, and read if not", if_true_if_false, WW_PDL,
     BEFORE("reader", "on its only path"), ON_EVERY_PATH, "a path without it"},
    {"pdl_guards: in a loop that may run no trip", any_trips, WW_PDL, BEFORE("reader", "after its loop"),
     ON_EVERY_PATH, "a path without it"},
    {"pdl_guards: in every second trip", now_and_then, WW_PDL,
     BEFORE("reader", "in the first trip of its loop"), ON_EVERY_PATH, "a path without it"},
    {"pdl_guards: behind the read, for the next trip", behind, WW_PDL,
     BEFORE("reader", "in the first trip of its loop"), ON_EVERY_PATH, "a path without it"},
    {"pdl_guards: in tiles that are not skipped", unless_skipped, WW_PDL, BEFORE("reader", "after its loop"),
     ON_EVERY_PATH, "a path without it"},
    {"pdl_guards: in one of two readers", one_of_two, WW_PDL, BEFORE("other", "on its only path"),
     ON_EVERY_PATH, "no griddep_wait(previous) in this task"},
    {"pdl_guards: wait and read if one condition holds", if_true_both, 0, NULL, NULL, NULL},
    {"pdl_guards: either way", either_way, 0, NULL, NULL, NULL},
    {"pdl_guards: in a loop of one trip or more", some_trip, 0, NULL, NULL, NULL},
    {"pdl_guards: in the last trip of a loop before", last_trip, 0, NULL, NULL, NULL},
    {"pdl_guards: wait and read in tiles that are not skipped", unless_skipped_both, 0, NULL, NULL, NULL},
    {"pdl_guards: in each of two readers", each_of_two, 0, NULL, NULL, NULL},
    {0},
};
