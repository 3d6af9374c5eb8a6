/* 223: where cursors run ahead, work goes to the slot opened last; a slot that is missed is handed on empty. */
#include "reject.h"

typedef struct missed {
    ww_resource *ring, *go;
} missed;

static void produce_ahead(ww_schedule *s, void *context)
{
    const missed *m = context;
    ww_acquire(s, m->ring);
    ww_produce(s, m->ring, "fill");
    ww_domain_loop(s, ww_imm(1), ww_arg(reject_params, trips, 1), ww_imm(1)) {
        ww_acquire(s, m->ring);
        ww_produce(s, m->ring, "fill");
        ww_commit(s, m->ring);
    }
    ww_commit(s, m->ring);
}

/* The first slot is filled twice, the last not at all. */
static void acquire_behind_the_work(ww_schedule *s, void *context)
{
    const missed *m = context;
    ww_acquire(s, m->ring);
    ww_produce(s, m->ring, "fill");
    ww_domain_loop(s, ww_imm(1), ww_arg(reject_params, trips, 1), ww_imm(1)) {
        ww_produce(s, m->ring, "fill");
        ww_acquire(s, m->ring);
        ww_commit(s, m->ring);
    }
    ww_commit(s, m->ring), BLAME;
}

/* Nothing is open beside it, but the first slot has had the work of two. */
static void acquire_behind_the_commit(ww_schedule *s, void *context)
{
    const missed *m = context;
    ww_acquire(s, m->ring);
    ww_produce(s, m->ring, "fill");
    ww_domain_loop(s, ww_imm(1), ww_arg(reject_params, trips, 1), ww_imm(1)) {
        ww_produce(s, m->ring, "fill");
        ww_commit(s, m->ring);
        ww_acquire(s, m->ring);
    }
    ww_commit(s, m->ring), BLAME;
}

static void two_at_once(ww_schedule *s, void *context)
{
    const missed *m = context;
    reject_loop(s)
    {
        ww_acquire(s, m->ring);
        ww_acquire(s, m->ring);
        ww_produce(s, m->ring, "fill");
        ww_commit(s, m->ring), BLAME;
        ww_commit(s, m->ring);
    }
}

static void consume(ww_schedule *s, void *context)
{
    reject_consumer(s, ((missed *)context)->ring);
}

static void consume_twice(ww_schedule *s, void *context)
{
    const missed *m = context;
    reject_loop(s)
    {
        for (int i = 0; i < 2; i++) {
            ww_wait(s, m->ring);
            ww_consume(s, m->ring, "use");
            ww_release(s, m->ring);
        }
    }
}

static void produce(ww_schedule *s, void *context)
{
    const missed *m = context;
    ww_domain_loop(s, ww_imm(0), ww_arg(reject_params, trips, 1), ww_imm(1)) {
        ww_acquire(s, m->ring);
        ww_produce(s, m->ring, "fill");
        ww_commit(s, m->ring);
    }
}

static void wait_behind_the_work(ww_schedule *s, void *context)
{
    const missed *m = context;
    ww_wait(s, m->ring);
    ww_consume(s, m->ring, "use");
    ww_domain_loop(s, ww_imm(1), ww_arg(reject_params, trips, 1), ww_imm(1)) {
        ww_consume(s, m->ring, "use");
        ww_wait(s, m->ring);
        ww_release(s, m->ring);
    }
    ww_release(s, m->ring), BLAME;
}

/* Meant: nobody needs the first result, and none is open beside it. */
static void pass_over_the_first(ww_schedule *s, void *context)
{
    const missed *m = context;
    ww_wait(s, m->ring);
    ww_release(s, m->ring);
    ww_domain_loop(s, ww_imm(1), ww_arg(reject_params, trips, 1), ww_imm(1)) {
        ww_wait(s, m->ring);
        ww_consume(s, m->ring, "use");
        ww_release(s, m->ring);
    }
}

/* Meant: a guard says when there is nothing to read. */
static void read_some(ww_schedule *s, void *context)
{
    const missed *m = context;
    ww_wait(s, m->ring);
    ww_consume(s, m->ring, "use");
    ww_domain_loop(s, ww_imm(1), ww_arg(reject_params, trips, 1), ww_imm(1)) {
        ww_wait(s, m->ring);
        ww_every(s, 2, 1) {
            ww_consume(s, m->ring, "use");
        }
        ww_release(s, m->ring);
    }
    ww_release(s, m->ring);
}

/* A split side: this task opens and reads, another releases. */
static void open_behind_the_work(ww_schedule *s, void *context)
{
    const missed *m = context;
    ww_wait(s, m->ring);
    ww_consume(s, m->ring, "use");
    ww_acquire(s, m->go);
    ww_commit(s, m->go);
    ww_domain_loop(s, ww_imm(1), ww_arg(reject_params, trips, 1), ww_imm(1)) {
        ww_consume(s, m->ring, "use");
        ww_wait(s, m->ring), BLAME;
        ww_acquire(s, m->go);
        ww_commit(s, m->go);
    }
}

static void open_and_read(ww_schedule *s, void *context)
{
    const missed *m = context;
    ww_domain_loop(s, ww_imm(0), ww_arg(reject_params, trips, 1), ww_imm(1)) {
        ww_wait(s, m->ring);
        ww_consume(s, m->ring, "use");
        ww_acquire(s, m->go);
        ww_commit(s, m->go);
    }
}

static void release_for_it(ww_schedule *s, void *context)
{
    const missed *m = context;
    ww_domain_loop(s, ww_imm(0), ww_arg(reject_params, trips, 1), ww_imm(1)) {
        ww_wait(s, m->go);
        ww_release(s, m->go);
        ww_release(s, m->ring);
    }
}

static const ww_pipeline ahead = {
    .type = WW_ASYNC_ASYNC, .advance_on_acquire = true, .advance_on_wait = true};

static void declare(ww_kernel *k, ww_schedule_function *load, ww_schedule_function *store)
{
    missed m = {reject_ring(k, "ring", ahead), NULL};
    reject_task(k, "load", 0, 1, load, &m);
    reject_task(k, "store", 1, 1, store, &m);
}

static void declare_split(ww_kernel *k, ww_schedule_function *store)
{
    missed m = {reject_ring(k, "ring", (ww_pipeline){.type = WW_ASYNC_ASYNC}), reject_tokens(k, "go")};
    reject_task(k, "load", 0, 1, produce, &m);
    reject_task(k, "store", 1, 1, store, &m);
    reject_task(k, "give_back", 2, 1, release_for_it, &m);
}

static void filled_ahead(ww_kernel *k)
{
    declare(k, produce_ahead, consume);
}

static void acquired_behind_work(ww_kernel *k)
{
    declare(k, acquire_behind_the_work, consume);
}

static void acquired_behind_commit(ww_kernel *k)
{
    declare(k, acquire_behind_the_commit, consume);
}

static void acquired_at_once(ww_kernel *k)
{
    declare(k, two_at_once, consume_twice);
}

static void waited_behind_work(ww_kernel *k)
{
    declare(k, produce, wait_behind_the_work);
}

static void passed_over(ww_kernel *k)
{
    declare(k, produce, pass_over_the_first);
}

static void read_now_and_then(ww_kernel *k)
{
    declare(k, produce, read_some);
}

static void split_behind_work(ww_kernel *k)
{
    declare_split(k, open_behind_the_work);
}

static void split_in_order(ww_kernel *k)
{
    declare_split(k, open_and_read);
}

const reject_case reject_empty_slot[] = {
    {"empty_slot: acquired behind the work", acquired_behind_work, WW_EMPTY_SLOT,
     "task load: commit(ring) hands on a slot of ring on which the task has not worked",
     "work on each slot, after the acquire that opens it and before the next",
     "work on a slot that was open beside it, and none on this one"},
    {"empty_slot: acquired behind the commit", acquired_behind_commit, WW_EMPTY_SLOT,
     "task load: commit(ring) hands on a slot of ring on which the task has not worked",
     "work on each slot, after the acquire that opens it and before the next",
     "the same work twice on one slot, and none on another"},
    {"empty_slot: two acquired, one filled", acquired_at_once, WW_EMPTY_SLOT,
     "task load: commit(ring) hands on a slot of ring on which the task has not worked",
     "work on each slot, after the acquire that opens it and before the next",
     "work on a slot that was open beside it, and none on this one"},
    {"empty_slot: waited behind the work", waited_behind_work, WW_EMPTY_SLOT,
     "task store: release(ring) hands on a slot of ring on which the task has not worked",
     "work on each slot, after the wait that opens it and before the next",
     "work on a slot that was open beside it, and none on this one"},
    {"empty_slot: a split side, waited behind the work", split_behind_work, WW_EMPTY_SLOT,
     "task store: wait(ring) opens a slot of ring on which the task has not worked",
     "work on each slot, after the wait that opens it and before the next",
     "the same work twice on one slot, and none on another"},
    {"empty_slot: each slot filled ahead", filled_ahead, 0, NULL, NULL, NULL},
    {"empty_slot: the first passed over", passed_over, 0, NULL, NULL, NULL},
    {"empty_slot: every second read", read_now_and_then, 0, NULL, NULL, NULL},
    {"empty_slot: a split side in order", split_in_order, 0, NULL, NULL, NULL},
    {0},
};
