/* 222: conditions of one key are one value, so they are made at the same place. */
#include "reject.h"

typedef struct masked {
    ww_resource *ring, *mask;
} masked;

static const ww_work mask_work[] = {{.name = "test", .side = WW_CONSUMER, .out = {"bool masked"}},
                                    {.name = NULL}};

static void load_where_masked(ww_schedule *s, void *context)
{
    masked *m = context;
    reject_loop(s)
    {
        ww_token test;
        ww_consume(s, m->mask, "test", .out = {&test});
        ww_when_true(s, test, "masked") {
            ww_acquire(s, m->ring);
            ww_produce(s, m->ring, "fill");
            ww_commit(s, m->ring);
        }
    }
}

static void store_where_masked(ww_schedule *s, void *context)
{
    masked *m = context;
    reject_loop(s)
    {
        ww_token test;
        ww_consume(s, m->mask, "test", .out = {&test});
        ww_when_true(s, test, "masked") {
            ww_wait(s, m->ring);
            ww_consume(s, m->ring, "use");
            ww_release(s, m->ring);
        }
    }
}

static void store_if_masked(ww_schedule *s, void *context)
{
    masked *m = context;
    ww_token test;
    ww_consume(s, m->mask, "test", .out = {&test});
    reject_loop(s)
    {
        ww_when_true(s, (BLAME, test), "masked") {
            ww_wait(s, m->ring);
            ww_consume(s, m->ring, "use");
            ww_release(s, m->ring);
        }
    }
}

static void declare(ww_kernel *k, ww_schedule_function *store)
{
    masked m = {reject_ring(k, "ring", ww_pipeline_async_async()),
                ww_resource_new(k, "mask", &(ww_resource_options){.work = mask_work})};
    reject_task(k, "load", 0, 1, load_where_masked, &m);
    reject_task(k, "store", 1, 1, store, &m);
}

static void once_and_once_a_trip(ww_kernel *k)
{
    declare(k, store_if_masked);
}

static void both_once_a_trip(ww_kernel *k)
{
    declare(k, store_where_masked);
}

/* ---- brackets under conditions ------------------------------------------------------------------------------- */

/* The same key decides both blocks alike. */
static void store_in_two_blocks(ww_schedule *s, void *context)
{
    masked *m = context;
    reject_loop(s)
    {
        ww_token test;
        ww_consume(s, m->mask, "test", .out = {&test});
        ww_when_true(s, test, "masked") {
            ww_wait(s, m->ring);
            ww_consume(s, m->ring, "use");
        }
        ww_when_true(s, test, "masked") {
            ww_release(s, m->ring);
        }
    }
}

static void store_in_opposite_blocks(ww_schedule *s, void *context)
{
    masked *m = context;
    reject_loop(s)
    {
        ww_token test;
        ww_consume(s, m->mask, "test", .out = {&test});
        ww_when_true(s, test, "masked") {
            ww_wait(s, m->ring);
            ww_consume(s, m->ring, "use");
        }
        ww_when_false(s, test, "masked") {
            ww_release(s, m->ring), BLAME;
        }
    }
}

static void bracket_in_two_blocks(ww_kernel *k)
{
    declare(k, store_in_two_blocks);
}

static void bracket_in_opposite_blocks(ww_kernel *k)
{
    declare(k, store_in_opposite_blocks);
}

/* Without a key a block is related to no other task's, but the value is one. */
static void take_turns_without_key(ww_schedule *s, void *context)
{
    masked *m = context;
    reject_loop(s)
    {
        ww_token test;
        ww_consume(s, m->mask, "test", .out = {&test});
        ww_when_true(s, test, NULL) {
            ww_acquire(s, m->ring);
        }
        ww_when_true(s, test, NULL) {
            ww_commit(s, m->ring);
        }
    }
}

static void bracket_in_two_blocks_without_key(ww_kernel *k)
{
    masked m = {ww_ordered_sequence_new(k, "turns"),
                ww_resource_new(k, "mask", &(ww_resource_options){.work = mask_work})};
    reject_task(k, "ping", 0, 1, take_turns_without_key, &m);
}

/* Made anew in between, the value may be another one. */
static void store_by_two_tests(ww_schedule *s, void *context)
{
    masked *m = context;
    reject_loop(s)
    {
        ww_token first, second;
        ww_consume(s, m->mask, "test", .out = {&first});
        ww_consume(s, m->mask, "test", .out = {&second});
        ww_when_true(s, first, NULL) {
            ww_wait(s, m->ring);
            ww_consume(s, m->ring, "use");
        }
        ww_when_true(s, second, NULL) {
            ww_release(s, m->ring), BLAME;
        }
    }
}

static void bracket_by_two_tests(ww_kernel *k)
{
    declare(k, store_by_two_tests);
}

/* ---- one value for the whole task -------------------------------------------------------------------------- */

static void load_if_masked(ww_schedule *s, void *context)
{
    masked *m = context;
    ww_token test;
    ww_consume(s, m->mask, "test", .out = {&test});
    ww_when_true(s, test, "masked") {
        reject_producer(s, m->ring);
    }
}

static void both_once(ww_kernel *k)
{
    masked m = {reject_ring(k, "ring", ww_pipeline_async_async()),
                ww_resource_new(k, "mask", &(ww_resource_options){.work = mask_work})};
    reject_task(k, "load", 0, 1, load_if_masked, &m);
    reject_task(k, "store", 1, 1, store_if_masked, &m);
}

const reject_case reject_condition[] = {
    {"condition: made once, and once a trip", once_and_once_a_trip, WW_CONDITION,
     "task store: a condition of key \"masked\" is made at another place than in task load",
     "a value that is made once a trip of a domain loop", "one that is made once"},
    {"condition: opened where it holds, closed where it does not", bracket_in_opposite_blocks, WW_BRACKET,
     "task store: release(ring) closes a slot, and none is open, in the first trip of its loop",
     "wait(ring) before it", "release without wait"},
    {"condition: opened by one value, closed by another", bracket_by_two_tests, WW_BRACKET,
     "task store: release(ring) closes a slot, and none is open, in the first trip of its loop",
     "wait(ring) before it", "release without wait"},
    {"condition: both made once", both_once, 0, NULL, NULL, NULL},
    {"condition: a bracket in two blocks of one value",
     bracket_in_two_blocks_without_key,
     0,
     NULL,
     NULL,
     NULL,
     {.unmodelled = true}},
    {"condition: both made once a trip", both_once_a_trip, 0, NULL, NULL, NULL, {.unmodelled = true}},
    {"condition: a bracket in two blocks of one key",
     bracket_in_two_blocks,
     0,
     NULL,
     NULL,
     NULL,
     {.unmodelled = true}},
    {0},
};
