/* 220: a named barrier's threads are those of the tasks that sync or arrive. */
#include "reject.h"

static void sync(ww_schedule *s, void *barrier)
{
    reject_loop(s)
    {
        ww_sync(s, barrier);
    }
}

static void arrive(ww_schedule *s, void *barrier)
{
    reject_loop(s)
    {
        ww_sync_arrive(s, barrier), BLAME;
    }
}

#define BARRIER(threads) (BLAME, ww_named_barrier_new(k, "ready", threads))

static void too_many_threads(ww_kernel *k)
{
    ww_resource *ready = BARRIER(128);
    reject_task(k, "load", 0, 1, sync, ready);
    reject_task(k, "store", 1, 2, sync, ready);
}

static void too_few_threads(ww_kernel *k)
{
    ww_resource *ready = BARRIER(32);
    reject_task(k, "load", 0, 1, sync, ready);
    reject_task(k, "store", 1, 2, sync, ready);
}

static void all_threads(ww_kernel *k)
{
    ww_resource *ready = BARRIER(96);
    reject_task(k, "load", 0, 1, sync, ready);
    reject_task(k, "store", 1, 2, sync, ready);
}

static void arrive_once(ww_schedule *s, void *barrier)
{
    ww_sync_arrive(s, barrier);
}

static void sync_once(ww_schedule *s, void *barrier)
{
    ww_sync(s, barrier);
}

static void nobody_waits(ww_kernel *k)
{
    reject_task(k, "load", 0, 1, arrive, ww_named_barrier_new(k, "ready", 0));
}

static void one_waits(ww_kernel *k)
{
    ww_resource *ready = ww_named_barrier_new(k, "ready", 0);
    reject_task(k, "load", 0, 1, arrive_once, ready);
    reject_task(k, "store", 1, 2, sync_once, ready);
}

static void declare_in_two_ctas(ww_kernel *k, int second)
{
    ww_resource *ready = ww_named_barrier_new(k, "ready", 0);
    reject_pinned(k, "load", 0, 1, 0, sync, ready);
    const ww_place here = WW_HERE;
    (void)ww_task_new_at(here, k, "store",
                         &(ww_task_options){.first_warp = 1,
                                            .warps = 2,
                                            .only_cta = WW_ONLY_CTA(second),
                                            .schedule = sync,
                                            .context = ready});
    reject_blamed = here;
}

static void in_different_ctas(ww_kernel *k)
{
    declare_in_two_ctas(k, 1);
}

static void in_the_same_cta(ww_kernel *k)
{
    declare_in_two_ctas(k, 0);
}

/* ---- a barrier for each warpgroup of a task ------------------------------------------------------------------- */

static void declare_warpgroups(ww_kernel *k, int warps, bool second)
{
    ww_resource *groups = ww_warpgroup_barrier_new(k, "groups");
    if (second)
        reject_task(k, "load", 0, 4, sync, groups);
    const ww_place here = WW_HERE;
    (void)ww_task_new_at(
        here, k, "math",
        &(ww_task_options){.first_warp = 4, .warps = warps, .schedule = sync, .context = groups});
    reject_blamed = here;
}

static void half_a_warpgroup(ww_kernel *k)
{
    declare_warpgroups(k, 6, false);
}

static void two_tasks(ww_kernel *k)
{
    declare_warpgroups(k, 4, true);
}

static void two_warpgroups(ww_kernel *k)
{
    declare_warpgroups(k, 8, false);
}

const reject_case reject_named_barrier[] = {
    {"named_barrier: more threads than come", too_many_threads, WW_NAMED_BARRIER,
     "named barrier ready waits for 128 threads, and so many never come",
     "96 = 32 x (1 warp of load + 2 warps of store)", "128"},
    {"named_barrier: fewer threads than come", too_few_threads, WW_NAMED_BARRIER,
     "named barrier ready waits for 32 threads, and more come",
     "96 = 32 x (1 warp of load + 2 warps of store)", "32"},
    {"named_barrier: nobody waits", nobody_waits, WW_NAMED_BARRIER,
     "task load arrives on named barrier ready, and no task waits on it", "a task with sync(ready)",
     "sync_arrive(ready) alone"},
    {"named_barrier: tasks of different CTAs",
     in_different_ctas,
     WW_NAMED_BARRIER,
     "tasks load and store meet at ready and do not run in the same CTAs",
     "the same .only_cta in both, or none",
     "load in CTA 0 alone, store in CTA 1 alone",
     {.cluster = {.m = 2}}},
    {"named_barrier: half a warpgroup", half_a_warpgroup, WW_NAMED_BARRIER,
     "warpgroup barrier groups is used by a task that is not made of whole warpgroups: math",
     "one task, of a multiple of 4 warps that begins at one", "warps 4 to 9 of math"},
    {"named_barrier: warpgroups of two tasks", two_tasks, WW_NAMED_BARRIER,
     "warpgroup barrier groups is used by a second task: math",
     "one task, of a multiple of 4 warps that begins at one", "warps 4 to 7 of math"},
    {"named_barrier: two warpgroups of one task", two_warpgroups, 0, NULL, NULL, NULL},
    {"named_barrier: as many threads as come", all_threads, 0, NULL, NULL, NULL},
    {"named_barrier: one arrives, one waits", one_waits, 0, NULL, NULL, NULL},
    {"named_barrier: tasks of the same CTA", in_the_same_cta, 0, NULL, NULL, NULL, {.cluster = {.m = 2}}},
    {0},
};
