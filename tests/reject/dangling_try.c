/* 210: a probe is for the acquire or wait that follows it. */
#include "reject.h"

static void probe_last(ww_schedule *s, void *ring)
{
    reject_loop(s)
    {
        ww_acquire(s, ring);
        ww_produce(s, ring, "fill");
        ww_commit(s, ring);
    }
    ww_try_acquire(s, ring), BLAME;
}

static void probe_next(ww_schedule *s, void *ring)
{
    ww_try_acquire(s, ring);
    reject_loop(s)
    {
        ww_acquire(s, ring);
        ww_produce(s, ring, "fill");
        ww_commit(s, ring);
        ww_try_acquire(s, ring);
    }
}

static void probe_too_early(ww_schedule *s, void *ring)
{
    reject_loop(s)
    {
        ww_acquire(s, ring);
        ww_try_acquire(s, ring), BLAME;
        ww_produce(s, ring, "fill");
        ww_commit(s, ring);
    }
}

/* The second answer stands for the first. */
static void probe_twice(ww_schedule *s, void *ring)
{
    reject_loop(s)
    {
        ww_try_acquire(s, ring);
        ww_try_acquire(s, ring);
        ww_acquire(s, ring);
        ww_produce(s, ring, "fill");
        ww_commit(s, ring);
    }
}

/* Nobody uses the last answer, so nobody uses the first. */
static void probe_for_nothing(ww_schedule *s, void *ring)
{
    reject_loop(s)
    {
        ww_acquire(s, ring);
        ww_produce(s, ring, "fill");
        ww_commit(s, ring);
    }
    ww_try_acquire(s, ring);
    ww_try_acquire(s, ring), BLAME;
}

static void declare(ww_kernel *k, ww_schedule_function *load)
{
    ww_resource *ring = reject_ring(k, "ring", (ww_pipeline){.type = WW_ASYNC_ASYNC});
    reject_task(k, "load", 0, 1, load, ring);
    reject_task(k, "store", 1, 1, reject_consumer, ring);
}

static void after_the_last_acquire(ww_kernel *k)
{
    declare(k, probe_last);
}

static void before_the_cursor_moves(ww_kernel *k)
{
    declare(k, probe_too_early);
}

static void for_the_next_trip(ww_kernel *k)
{
    declare(k, probe_next);
}

static void twice_before_the_acquire(ww_kernel *k)
{
    declare(k, probe_twice);
}

static void twice_for_nothing(ww_kernel *k)
{
    declare(k, probe_for_nothing);
}

const reject_case reject_dangling_try[] = {
    {"dangling_try: after the last acquire", after_the_last_acquire, WW_DANGLING_TRY,
     "task load: nothing uses the answer of try_acquire(ring)", "acquire(ring) after it, for the same slot",
     "no acquire(ring) that this probe comes before"},
    {"dangling_try: before the cursor moves on", before_the_cursor_moves, WW_DANGLING_TRY,
     "task load: nothing uses the answer of try_acquire(ring)", "acquire(ring) after it, for the same slot",
     "no acquire(ring) that this probe comes before"},
    {"dangling_try: twice, for nothing", twice_for_nothing, WW_DANGLING_TRY,
     "task load: nothing uses the answer of try_acquire(ring)", "acquire(ring) after it, for the same slot",
     "no acquire(ring) that this probe comes before"},
    {"dangling_try: twice before the acquire", twice_before_the_acquire, 0, NULL, NULL, NULL},
    {"dangling_try: for the next trip", for_the_next_trip, 0, NULL, NULL, NULL},
    {0},
};
