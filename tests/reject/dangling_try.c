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

const reject_case reject_dangling_try[] = {
    {"dangling_try: after the last acquire", after_the_last_acquire, WW_DANGLING_TRY,
     "task load: nothing uses the answer of try_acquire(ring)", "acquire(ring) after it, for the same slot",
     NULL},
    {"dangling_try: before the cursor moves on", before_the_cursor_moves, WW_DANGLING_TRY,
     "task load: nothing uses the answer of try_acquire(ring)", "acquire(ring) after it, for the same slot",
     NULL},
    {"dangling_try: for the next trip", for_the_next_trip, 0, NULL, NULL, NULL},
    {0},
};
