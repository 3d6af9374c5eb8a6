/* 217: what depends on the predecessor grid comes after griddepcontrol.wait, a launch after some wait. */
#include "reject.h"

typedef struct chain {
    ww_resource *input, *ring, *wait, *launch;
} chain;

static void fill(ww_schedule *s, chain *c)
{
    ww_consume(s, c->input, "get");
    ww_acquire(s, c->ring);
    ww_produce(s, c->ring, "fill");
    ww_commit(s, c->ring);
}

static void load_without_waiting(ww_schedule *s, void *context)
{
    chain *c = context;
    reject_loop(s)
    {
        ww_consume(s, c->input, "get"), BLAME;
        ww_acquire(s, c->ring);
        ww_produce(s, c->ring, "fill");
        ww_commit(s, c->ring);
    }
}

static void load_and_wait_last(ww_schedule *s, void *context)
{
    chain *c = context;
    reject_loop(s)
    {
        ww_last_iter(s) {
            ww_griddep_wait(s, c->wait);
        }
        ww_consume(s, c->input, "get"), BLAME;
        ww_acquire(s, c->ring);
        ww_produce(s, c->ring, "fill");
        ww_commit(s, c->ring);
    }
}

static void load_in_first_trip(ww_schedule *s, void *context)
{
    chain *c = context;
    reject_loop(s)
    {
        ww_first_iter(s) {
            ww_griddep_wait(s, c->wait);
        }
        fill(s, c);
    }
}

static void load(ww_schedule *s, void *context)
{
    chain *c = context;
    ww_griddep_wait(s, c->wait);
    reject_loop(s)
    {
        fill(s, c);
    }
}

static void store(ww_schedule *s, void *context)
{
    reject_consumer(s, ((chain *)context)->ring);
}

/* The loop may run no trip: then nobody has passed a wait on the ring. */
static void store_and_launch(ww_schedule *s, void *context)
{
    chain *c = context;
    reject_consumer(s, c->ring);
    ww_griddep_launch(s, c->launch), BLAME;
}

static void launch_in_the_loop(ww_schedule *s, void *context)
{
    chain *c = context;
    reject_loop(s)
    {
        ww_wait(s, c->ring);
        ww_consume(s, c->ring, "use");
        ww_release(s, c->ring);
        ww_first_iter(s) {
            ww_griddep_launch(s, c->launch);
        }
    }
}

static void wait_and_launch(ww_schedule *s, void *context)
{
    chain *c = context;
    reject_consumer(s, c->ring);
    ww_griddep_wait(s, c->wait);
    ww_griddep_launch(s, c->launch);
}

static void declare(ww_kernel *k, ww_schedule_function *first, ww_schedule_function *second)
{
    chain c = {reject_plain(k, "input"), reject_ring(k, "ring", ww_pipeline_async_async()),
               ww_pdl_wait_new(k, "previous"), ww_pdl_launch_new(k, "next")};
    ww_depends(k, c.input, c.wait);
    ww_depends(k, c.ring, c.input);
    reject_task(k, "load", 0, 1, first, &c);
    reject_task(k, "store", 1, 1, second, &c);
}

static void no_wait(ww_kernel *k)
{
    declare(k, load_without_waiting, store);
}

/* What is copied in depends on the wait; who reads the ring hears of it through the ring. */
static void declare_ring(ww_kernel *k, ww_schedule_function *first)
{
    chain c = {reject_plain(k, "input"), reject_ring(k, "ring", ww_pipeline_async_async()),
               ww_pdl_wait_new(k, "previous"), NULL};
    ww_depends(k, c.ring, c.wait);
    ww_depends(k, c.ring, c.input);
    reject_task(k, "load", 0, 1, first, &c);
    reject_task(k, "store", 1, 1, store, &c);
}

static void load_before_waiting(ww_schedule *s, void *context)
{
    chain *c = context;
    reject_loop(s)
    {
        ww_consume(s, c->input, "get");
        ww_acquire(s, c->ring);
        ww_produce(s, c->ring, "fill"), BLAME;
        ww_commit(s, c->ring);
    }
    ww_griddep_wait(s, c->wait);
}

static void a_ring_filled_before_the_wait(ww_kernel *k)
{
    declare_ring(k, load_before_waiting);
}

static void a_ring_filled_after_the_wait(ww_kernel *k)
{
    declare_ring(k, load);
}

static void wait_in_the_last_trip(ww_kernel *k)
{
    declare(k, load_and_wait_last, store);
}

static void wait_in_the_first_trip(ww_kernel *k)
{
    declare(k, load_in_first_trip, store);
}

static void launch_before_any_wait(ww_kernel *k)
{
    declare(k, load, store_and_launch);
}

static void launch_after_what_a_waiter_committed(ww_kernel *k)
{
    declare(k, load, launch_in_the_loop);
}

static void launch_after_a_wait(ww_kernel *k)
{
    declare(k, load, wait_and_launch);
}

const reject_case reject_pdl[] = {
    {"pdl: no wait", no_wait, WW_PDL,
     "task load: input.get before griddep_wait(previous), in the first trip of its loop",
     "griddep_wait(previous) before it on every path, because input depends on it",
     "no griddep_wait(previous) in this task"},
    {"pdl: a wait in the last trip only", wait_in_the_last_trip, WW_PDL,
     "task load: input.get before griddep_wait(previous), in the first trip of its loop",
     "griddep_wait(previous) before it on every path, because input depends on it", "a path without it"},
    {"pdl: a launch before any wait", launch_before_any_wait, WW_PDL,
     "task store: griddep_launch(next) can run before any griddep_wait, after its loop",
     "a griddep_wait before it in this task, or a wait for what a task that has waited commits",
     "neither on every path to it"},
    {"pdl: a ring filled before the wait", a_ring_filled_before_the_wait, WW_PDL,
     "task load: ring.fill before griddep_wait(previous), in the first trip of its loop",
     "griddep_wait(previous) before it on every path, because ring depends on it", "a path without it"},
    {"pdl: a ring filled after the wait", a_ring_filled_after_the_wait, 0, NULL, NULL, NULL},
    {"pdl: a wait in the first trip", wait_in_the_first_trip, 0, NULL, NULL, NULL},
    {"pdl: a launch after what a waiter has committed", launch_after_what_a_waiter_committed, 0, NULL, NULL,
     NULL},
    {"pdl: a launch after a wait", launch_after_a_wait, 0, NULL, NULL, NULL},
    {"pdl: the kernel waits elsewhere", no_wait, 0, NULL, NULL, NULL, {.pdl_wait_done = true}},
    {0},
};
