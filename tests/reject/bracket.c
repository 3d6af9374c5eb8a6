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

/* ---- one task opens, another closes ------------------------------------------------------------------------------ */

typedef struct split {
    ww_resource *ring, *go;
} split;

static void wait_and_tell(ww_schedule *s, void *context)
{
    split *p = context;
    reject_loop(s)
    {
        ww_wait(s, p->ring);
        ww_acquire(s, p->go);
        ww_commit(s, p->go);
    }
}

static void use_what_is_told(ww_schedule *s, void *context)
{
    split *p = context;
    reject_loop(s)
    {
        ww_wait(s, p->go);
        ww_consume(s, p->ring, "use");
        ww_release(s, p->ring);
        ww_release(s, p->go);
    }
}

/* The slot is no longer its own when it works on it for the last time. */
static void use_once_more(ww_schedule *s, void *context)
{
    split *p = context;
    reject_loop(s)
    {
        ww_wait(s, p->go);
        ww_consume(s, p->ring, "use");
        ww_release(s, p->ring);
        ww_release(s, p->go);
    }
    ww_consume(s, p->ring, "use"), BLAME;
}

static void declare_split(ww_kernel *k, ww_schedule_function *store)
{
    split p = {reject_ring(k, "ring", plain), reject_tokens(k, "go")};
    reject_task(k, "load", 0, 1, reject_producer, p.ring);
    reject_task(k, "watch", 1, 1, wait_and_tell, &p);
    reject_task(k, "store", 2, 1, store, &p);
}

static void split_consumer(ww_kernel *k)
{
    declare_split(k, use_what_is_told);
}

static void split_consumer_works_late(ww_kernel *k)
{
    declare_split(k, use_once_more);
}

static void acquire_and_tell(ww_schedule *s, void *context)
{
    split *p = context;
    reject_loop(s)
    {
        ww_acquire(s, p->ring);
        ww_acquire(s, p->go);
        ww_commit(s, p->go);
    }
}

static void fill_what_is_told(ww_schedule *s, void *context)
{
    split *p = context;
    reject_loop(s)
    {
        ww_wait(s, p->go);
        ww_produce(s, p->ring, "fill");
        ww_commit(s, p->ring);
        ww_release(s, p->go);
    }
}

static void split_producer(ww_kernel *k)
{
    split p = {reject_ring(k, "ring", plain), reject_tokens(k, "go")};
    reject_task(k, "reserve", 0, 1, acquire_and_tell, &p);
    reject_task(k, "load", 1, 1, fill_what_is_told, &p);
    reject_task(k, "store", 2, 1, reject_consumer, p.ring);
}

/* Another consumer's waits are its own: they open nothing here. */
static void use_and_release(ww_schedule *s, void *ring)
{
    reject_loop(s)
    {
        ww_consume(s, ring, "use"), BLAME;
        ww_release(s, ring);
    }
}

static void other_consumers_wait(ww_kernel *k)
{
    ww_resource *ring = reject_ring(k, "ring", plain);
    reject_task(k, "load", 0, 1, reject_producer, ring);
    reject_task(k, "store", 1, 1, reject_consumer, ring);
    reject_task(k, "check", 2, 1, use_and_release, ring);
}

/* ---- every n-th trip ------------------------------------------------------------------------------------------------- */

static void use_every_pair(ww_schedule *s, ww_resource *ring, int trips)
{
    ww_domain_loop(s, ww_imm(0), ww_imm(trips), ww_imm(1)) {
        ww_every(s, 2, 0) {
            ww_wait(s, ring), BLAME;
        }
        ww_consume(s, ring, "use");
        ww_every(s, 2, 1) {
            ww_release(s, ring);
        }
    }
}

static void use_four(ww_schedule *s, void *ring)
{
    use_every_pair(s, ring, 4);
}

static void use_five(ww_schedule *s, void *ring)
{
    use_every_pair(s, ring, 5);
}

static void fill_every_other(ww_schedule *s, void *ring)
{
    ww_domain_loop(s, ww_imm(0), ww_imm(4), ww_imm(2)) {
        ww_acquire(s, ring);
        ww_produce(s, ring, "fill");
        ww_commit(s, ring);
    }
}

static void pairs_of_four(ww_kernel *k)
{
    declare(k, plain, fill_every_other, use_four);
}

static void pairs_of_five(ww_kernel *k)
{
    declare(k, plain, fill_every_other, use_five);
}

static void use_every_third(ww_schedule *s, void *ring)
{
    reject_loop(s)
    {
        ww_every(s, 3, 0) {
            ww_wait(s, ring), BLAME;
        }
        ww_consume(s, ring, "use");
        ww_every(s, 3, 2) {
            ww_release(s, ring);
        }
    }
}

static void use_odd_trips(ww_schedule *s, void *ring)
{
    reject_loop(s)
    {
        ww_every(s, 2, 1) {
            ww_wait(s, ring);
        }
        ww_every(s, 2, 1) {
            ww_consume(s, ring, "use");
            ww_release(s, ring);
        }
    }
}

static void fill_odd_trips(ww_schedule *s, void *ring)
{
    reject_loop(s)
    {
        ww_every(s, 2, 1) {
            ww_acquire(s, ring);
            ww_produce(s, ring, "fill");
            ww_commit(s, ring);
        }
    }
}

static void any_number_of_trips(ww_kernel *k)
{
    declare(k, plain, reject_producer, use_every_third);
}

static void odd_trips(ww_kernel *k)
{
    declare(k, plain, fill_odd_trips, use_odd_trips);
}

/* ---- taking turns ---------------------------------------------------------------------------------------------------- */

static void take_turns(ww_schedule *s, void *turns)
{
    reject_loop(s)
    {
        ww_acquire(s, turns);
        ww_commit(s, turns);
    }
}

static void pass_on_first(ww_schedule *s, void *turns)
{
    reject_loop(s)
    {
        ww_commit(s, turns), BLAME;
        ww_acquire(s, turns);
    }
}

static void declare_turns(ww_kernel *k, ww_schedule_function *second)
{
    ww_resource *turns = ww_ordered_sequence_new(k, "turns");
    reject_task(k, "ping", 0, 4, take_turns, turns);
    reject_task(k, "pong", 4, 4, second, turns);
}

static void turns(ww_kernel *k)
{
    declare_turns(k, take_turns);
}

static void a_turn_passed_on_before_it_came(ww_kernel *k)
{
    declare_turns(k, pass_on_first);
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
    {"bracket: work after the last release of a split consumer", split_consumer_works_late, WW_BRACKET,
     "task store: ring.use works on a slot that the task does not close, after its loop",
     "release(ring) after it, on every path", "the last release(ring) before it"},
    {"bracket: only other consumers wait", other_consumers_wait, WW_BRACKET,
     "task check: ring.use works on a slot that is not open, in the first trip of its loop",
     "the work between wait(ring) and release(ring)", "no wait(ring) before it"},
    {"bracket: pairs of five trips", pairs_of_five, WW_BRACKET,
     "task store: wait(ring) opens a slot that is never closed, in its loop",
     "release(ring) after it, on every path", "the end of the task with 1 slot open"},
    {"bracket: threes of any number of trips", any_number_of_trips, WW_BRACKET,
     "task store: wait(ring) opens a slot that is never closed, in its loop",
     "release(ring) after it, on every path", "the end of the task with 1 slot open"},
    {"bracket: odd trips", odd_trips, 0, NULL, NULL, NULL},
    {"bracket: a turn passed on before it came", a_turn_passed_on_before_it_came, WW_BRACKET,
     "task pong: commit(turns) closes a slot, and none is open, in the first trip of its loop",
     "acquire(turns) before it", "commit without acquire"},
    {"bracket: one task waits, another releases", split_consumer, 0, NULL, NULL, NULL},
    {"bracket: one task acquires, another commits", split_producer, 0, NULL, NULL, NULL},
    {"bracket: pairs of four trips", pairs_of_four, 0, NULL, NULL, NULL},
    {"bracket: taking turns", turns, 0, NULL, NULL, NULL},
    {"bracket: auxiliary work stands anywhere", auxiliary_work_anywhere, 0, NULL, NULL, NULL},
    {"bracket: one bracket over all trips", bracket_over_all_trips, 0, NULL, NULL, NULL},
    {"bracket: look-ahead carried through the loop", carried_through_the_loop, 0, NULL, NULL, NULL},
    {0},
};
