/* 202: producer work between acquire and commit, consumer work between wait and release, on every path. */
#include "reject.h"

typedef struct rings {
    ww_resource *ring, *other;
} rings;

static void declare(ww_kernel *k, ww_pipeline pipeline, ww_schedule_function *load,
                    ww_schedule_function *store)
{
    ww_resource *ring = reject_ring(k, "ring", pipeline);
    reject_task(k, "load", 0, 1, load, ring);
    reject_task(k, "store", 1, 1, store, ring);
}

static const ww_pipeline plain = {.type = WW_ASYNC_ASYNC};
static const ww_pipeline ahead = {.type = WW_ASYNC_ASYNC, .advance_on_wait = true};

/* ---- work before acquire, work after commit ---------------------------------------------------------- */

static void fill_early(ww_schedule *s, void *ring)
{
    reject_loop(s)
    {
        ww_produce(s, ring, "fill"), BLAME;
        ww_acquire(s, ring);
        ww_commit(s, ring);
    }
}

static void work_before_acquire(ww_kernel *k)
{
    declare(k, plain, fill_early, reject_consumer);
}

static void fill_late(ww_schedule *s, void *ring)
{
    reject_loop(s)
    {
        ww_acquire(s, ring);
        ww_commit(s, ring);
        ww_produce(s, ring, "fill"), BLAME;
    }
}

static void work_after_commit(ww_kernel *k)
{
    declare(k, plain, fill_late, reject_consumer);
}

static void touch_early(ww_schedule *s, void *ring)
{
    reject_loop(s)
    {
        ww_produce(s, ring, "touch");
        ww_acquire(s, ring);
        ww_produce(s, ring, "fill");
        ww_commit(s, ring);
    }
}

static void auxiliary_work_anywhere(ww_kernel *k)
{
    declare(k, plain, touch_early, reject_consumer);
}

/* ---- commit before acquire, no commit ------------------------------------------------------------------ */

static void swapped(ww_schedule *s, void *ring)
{
    reject_loop(s)
    {
        ww_commit(s, ring), BLAME;
        ww_produce(s, ring, "fill");
        ww_acquire(s, ring);
    }
}

static void commit_and_acquire_swapped(ww_kernel *k)
{
    declare(k, plain, swapped, reject_consumer);
}

static void release_under_guard(ww_schedule *s, void *ring)
{
    reject_loop(s)
    {
        ww_first_iter(s) {
            ww_wait(s, ring), BLAME;
        }
        ww_consume(s, ring, "use");
    }
    ww_domain_loop(s, ww_imm(0), ww_imm(0), ww_imm(1)) {
        ww_release(s, ring);
    }
}

static void release_never_reached(ww_kernel *k)
{
    declare(k, plain, reject_producer, release_under_guard);
}

static void release_in_last_trip(ww_schedule *s, void *ring)
{
    reject_loop(s)
    {
        ww_first_iter(s) {
            ww_wait(s, ring);
        }
        ww_consume(s, ring, "use");
        ww_last_iter(s) {
            ww_release(s, ring);
        }
    }
}

static void fill_in_first_trip(ww_schedule *s, void *ring)
{
    reject_loop(s)
    {
        ww_first_iter(s) {
            ww_acquire(s, ring);
            ww_produce(s, ring, "fill");
            ww_commit(s, ring);
        }
    }
}

static void bracket_over_all_trips(ww_kernel *k)
{
    declare(k, plain, fill_in_first_trip, release_in_last_trip);
}

/* ---- the bracket of another resource ------------------------------------------------------------------- */

static void fill_both(ww_schedule *s, void *context)
{
    rings *r = context;
    reject_loop(s)
    {
        ww_acquire(s, r->ring);
        ww_produce(s, r->ring, "fill");
        ww_commit(s, r->ring);
        ww_acquire(s, r->other);
        ww_produce(s, r->other, "fill");
        ww_commit(s, r->other);
    }
}

static void use_other(ww_schedule *s, void *context)
{
    rings *r = context;
    reject_loop(s)
    {
        ww_wait(s, r->other);
        ww_consume(s, r->ring, "use"), BLAME;
        ww_release(s, r->other);
        ww_wait(s, r->ring);
        ww_release(s, r->ring);
    }
}

static void wait_on_the_wrong_resource(ww_kernel *k)
{
    rings r = {reject_ring(k, "ring", plain), reject_ring(k, "other", plain)};
    reject_task(k, "load", 0, 1, fill_both, &r);
    reject_task(k, "store", 1, 1, use_other, &r);
}

/* ---- look-ahead: wait for the next slot before the last one is released ------------------------------- */

static void look_ahead(ww_schedule *s, void *ring)
{
    ww_wait(s, ring);
    ww_consume(s, ring, "use");
    ww_domain_loop(s, ww_imm(1), ww_arg(reject_params, trips, 1), ww_imm(1)) {
        ww_wait(s, ring);
        ww_consume(s, ring, "use");
        ww_release(s, ring);
    }
    ww_release(s, ring);
}

static void fill_from_one(ww_schedule *s, void *ring)
{
    ww_domain_loop(s, ww_imm(0), ww_arg(reject_params, trips, 1), ww_imm(1)) {
        ww_acquire(s, ring);
        ww_produce(s, ring, "fill");
        ww_commit(s, ring);
    }
}

static void carried_through_the_loop(ww_kernel *k)
{
    declare(k, ahead, fill_from_one, look_ahead);
}

static void look_ahead_no_tail(ww_schedule *s, void *ring)
{
    ww_wait(s, ring);
    ww_consume(s, ring, "use");
    ww_domain_loop(s, ww_imm(1), ww_arg(reject_params, trips, 1), ww_imm(1)) {
        ww_wait(s, ring), BLAME;
        ww_consume(s, ring, "use");
        ww_release(s, ring);
    }
}

static void carried_and_never_released(ww_kernel *k)
{
    declare(k, ahead, fill_from_one, look_ahead_no_tail);
}

static void release_twice(ww_schedule *s, void *ring)
{
    reject_loop(s)
    {
        ww_wait(s, ring);
        ww_consume(s, ring, "use");
        ww_release(s, ring);
        ww_release(s, ring), BLAME;
    }
}

static void a_release_too_many(ww_kernel *k)
{
    declare(k, plain, reject_producer, release_twice);
}

const reject_case reject_bracket[] = {
    {"bracket: work before acquire", work_before_acquire, WW_BRACKET,
     "task load: ring.fill works on a slot that is not open, in the first trip of its loop",
     "the work between acquire(ring) and commit(ring)", "no acquire(ring) before it"},
    {"bracket: work after commit", work_after_commit, WW_BRACKET,
     "task load: ring.fill works on a slot that is not open, in the first trip of its loop",
     "the work between acquire(ring) and commit(ring)", "the slot was given away by commit(ring)"},
    {"bracket: commit and acquire swapped", commit_and_acquire_swapped, WW_BRACKET,
     "task load: commit(ring) closes a slot, and none is open, in the first trip of its loop",
     "acquire(ring) before it", "commit without acquire"},
    {"bracket: release never reached", release_never_reached, WW_BRACKET,
     "task store: wait(ring) opens a slot that is never closed, in its loop",
     "release(ring) after it, on every path", "the end of the task with 1 slot open"},
    {"bracket: wait on the wrong resource", wait_on_the_wrong_resource, WW_BRACKET,
     "task store: ring.use works on a slot that is not open, in the first trip of its loop",
     "the work between wait(ring) and release(ring)", "no wait(ring) before it"},
    {"bracket: carried look-ahead never released", carried_and_never_released, WW_BRACKET,
     "task store: wait(ring) opens a slot that is never closed, in its loop",
     "release(ring) after it, on every path", "the end of the task with 1 slot open"},
    {"bracket: a release too many", a_release_too_many, WW_BRACKET,
     "task store: release(ring) closes a slot, and none is open, in the first trip of its loop",
     "wait(ring) before it", "a second release for one wait"},
    {"bracket: auxiliary work stands anywhere", auxiliary_work_anywhere, 0, NULL, NULL, NULL},
    {"bracket: one bracket over all trips", bracket_over_all_trips, 0, NULL, NULL, NULL},
    {"bracket: look-ahead carried through the loop", carried_through_the_loop, 0, NULL, NULL, NULL},
    {0},
};
