/* 224: a ring with memory that no task fills, or that none reads; 226: a slot that is not filled, where others are. Warnings: it
 * may be meant. */
#include "reject.h"

static void hand_on(ww_schedule *s, void *ring)
{
    reject_loop(s)
    {
        ww_acquire(s, ring);
        ww_commit(s, ring), BLAME;
    }
}

static void give_back(ww_schedule *s, void *ring)
{
    reject_loop(s)
    {
        ww_wait(s, ring);
        ww_release(s, ring), BLAME;
    }
}

static void hand_on_tokens(ww_schedule *s, void *ring)
{
    reject_loop(s)
    {
        ww_acquire(s, ring);
        ww_commit(s, ring);
    }
}

static void take_tokens(ww_schedule *s, void *ring)
{
    reject_loop(s)
    {
        ww_wait(s, ring);
        ww_release(s, ring);
    }
}

/* Filling is the producer's choice, reading that of one consumer of two. */
static void fill_sometimes(ww_schedule *s, void *ring)
{
    reject_loop(s)
    {
        ww_acquire(s, ring);
        ww_last_iter(s) {
            ww_produce(s, ring, "fill");
        }
        ww_commit(s, ring);
    }
}

static void one_more(ww_schedule *s, void *ring)
{
    reject_producer(s, ring);
    ww_acquire(s, ring);
    ww_commit(s, ring), BLAME;
}

static void use_one_more(ww_schedule *s, void *ring)
{
    reject_consumer(s, ring);
    ww_wait(s, ring);
    ww_consume(s, ring, "use");
    ww_release(s, ring);
}

/* The last one is unread, which may be meant, as it is filled. */
static void pass_one_more(ww_schedule *s, void *ring)
{
    reject_consumer(s, ring);
    ww_wait(s, ring);
    ww_release(s, ring);
}

static void fill_one_more(ww_schedule *s, void *ring)
{
    reject_producer(s, ring);
    ww_acquire(s, ring);
    ww_produce(s, ring, "fill");
    ww_commit(s, ring);
}

static void never_filled(ww_kernel *k)
{
    ww_resource *ring = reject_ring(k, "ring", ww_pipeline_async_async());
    reject_task(k, "load", 0, 1, hand_on, ring);
    reject_task(k, "store", 1, 1, reject_consumer, ring);
}

static void never_read(ww_kernel *k)
{
    ww_resource *ring = reject_ring(k, "ring", ww_pipeline_async_async());
    reject_task(k, "load", 0, 1, reject_producer, ring);
    reject_task(k, "store", 1, 1, give_back, ring);
}

static void bytes_never_read(ww_kernel *k)
{
    ww_resource *ring = reject_ring(k, "ring", ww_pipeline_tma_async());
    reject_task(k, "load", 0, 1, reject_producer, ring);
    reject_task(k, "store", 1, 1, give_back, ring);
}

static void tokens(ww_kernel *k)
{
    ww_resource *ring = reject_tokens(k, "ring");
    reject_task(k, "load", 0, 1, hand_on_tokens, ring);
    reject_task(k, "store", 1, 1, take_tokens, ring);
}

static void read_by_one_of_two(ww_kernel *k)
{
    ww_resource *ring = reject_ring(k, "ring", ww_pipeline_async_async());
    reject_task(k, "load", 0, 1, fill_sometimes, ring);
    reject_task(k, "store", 1, 1, reject_consumer, ring);
    reject_task(k, "watch", 2, 1, take_tokens, ring);
}

static void last_not_filled(ww_kernel *k)
{
    ww_resource *ring = reject_ring(k, "ring", ww_pipeline_async_async());
    reject_task(k, "load", 0, 1, one_more, ring);
    reject_task(k, "store", 1, 1, use_one_more, ring);
}

static void last_not_read(ww_kernel *k)
{
    ww_resource *ring = reject_ring(k, "ring", ww_pipeline_async_async());
    reject_task(k, "load", 0, 1, fill_one_more, ring);
    reject_task(k, "store", 1, 1, pass_one_more, ring);
}

/* Whoever means it says so. */
static void known(ww_kernel *k)
{
    never_filled(k);
    ww_kernel_suppress(k, WW_IDLE_WORK, "the memory is scratch of the consumer");
}

const reject_case reject_idle_work[] = {
    {"idle_work: never filled", never_filled, WW_IDLE_WORK,
     "task load: slots of ring are committed, and no task fills them",
     "ring.fill, or other work like it, in some task", "no call of it"},
    {"idle_work: never read", never_read, WW_IDLE_WORK,
     "task store: slots of ring are released, and no task reads them",
     "ring.use, or other work like it, in some task", "no call of it"},
    {"idle_work: copied and never read", bytes_never_read, WW_IDLE_WORK,
     "task store: slots of ring are released, and no task reads them",
     "ring.use, or other work like it, in some task", "no call of it"},
    {"empty_commit: the last not filled", last_not_filled, WW_EMPTY_COMMIT,
     "task load: commit(ring) hands on a slot of ring that is not filled",
     "work on each slot, as on the others", "none, on a path without a guard that says so"},
    {"empty_commit: the last not read", last_not_read, 0, NULL, NULL, NULL},
    {"idle_work: tokens alone", tokens, 0, NULL, NULL, NULL},
    {"idle_work: filled at times, read by one of two", read_by_one_of_two, 0, NULL, NULL, NULL},
    {"idle_work: suppressed", known, 0, NULL, NULL, NULL},
    {0},
};
