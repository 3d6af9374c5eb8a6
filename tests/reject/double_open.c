/* 209: two calls of acquire without a commit address the same slot, unless the cursors may run ahead. */
#include "reject.h"

static void acquire_twice(ww_schedule *s, void *ring)
{
    reject_loop(s)
    {
        ww_acquire(s, ring);
        ww_acquire(s, ring), BLAME;
        ww_produce(s, ring, "fill");
        ww_commit(s, ring);
        ww_commit(s, ring);
    }
}

static void acquire_ahead(ww_schedule *s, void *ring)
{
    reject_loop(s)
    {
        ww_acquire(s, ring);
        ww_produce(s, ring, "fill");
        ww_acquire(s, ring);
        ww_produce(s, ring, "fill");
        ww_commit(s, ring);
        ww_commit(s, ring);
    }
}

static void consume_twice(ww_schedule *s, void *ring)
{
    reject_loop(s)
    {
        ww_wait(s, ring);
        ww_consume(s, ring, "use");
        ww_release(s, ring);
        ww_wait(s, ring);
        ww_consume(s, ring, "use");
        ww_release(s, ring);
    }
}

static void declare(ww_kernel *k, ww_pipeline pipeline, ww_schedule_function *load,
                    ww_schedule_function *store)
{
    ww_resource *ring = reject_ring(k, "ring", pipeline);
    reject_task(k, "load", 0, 1, load, ring);
    reject_task(k, "store", 1, 1, store, ring);
}

static void two_acquires(ww_kernel *k)
{
    declare(k, (ww_pipeline){.type = WW_ASYNC_ASYNC}, acquire_twice, consume_twice);
}

static void two_acquires_ahead(ww_kernel *k)
{
    declare(k, (ww_pipeline){.type = WW_ASYNC_ASYNC, .advance_on_acquire = true}, acquire_ahead,
            consume_twice);
}

static void wait_without_release(ww_schedule *s, void *ring)
{
    reject_loop(s)
    {
        ww_wait(s, ring), BLAME;
        ww_consume(s, ring, "use");
        ww_last_iter(s) {
            ww_release(s, ring);
        }
    }
}

static void one_release_for_all_waits(ww_kernel *k)
{
    declare(k, (ww_pipeline){.type = WW_ASYNC_ASYNC}, reject_producer, wait_without_release);
}

static void further_than_the_ring(ww_kernel *k)
{
    declare(k, (ww_pipeline){.type = WW_ASYNC_ASYNC, .advance_on_wait = true}, reject_producer,
            wait_without_release);
}

const reject_case reject_double_open[] = {
    {"double_open: two acquires, one slot", two_acquires, WW_DOUBLE_OPEN,
     "task load: acquire(ring) opens a slot while the last one is still open, in the first trip of its loop",
     "commit(ring) between two calls of acquire",
     "two calls of acquire without it: both address the same slot"},
    {"double_open: one release for all waits", one_release_for_all_waits, WW_DOUBLE_OPEN,
     "task store: wait(ring) opens a slot while the last one is still open, in a later trip of its loop",
     "release(ring) between two calls of wait", "two calls of wait without it: both address the same slot"},
    {"double_open: further than the ring is long", further_than_the_ring, WW_DOUBLE_OPEN,
     "task store: wait(ring) opens more slots than there are, in a later trip of its loop",
     "at most 2 slots open (stages)", "3 calls of wait ahead of release"},
    {"double_open: two acquires ahead, two slots", two_acquires_ahead, 0, NULL, NULL, NULL},
    {0},
};
