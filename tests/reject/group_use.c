/* 216: the side that a group's members share is driven on the group, all else on the members. */
#include "reject.h"

typedef struct pair {
    ww_resource *a, *b, *both;
} pair;

static pair declare_group(ww_kernel *k, ww_group_mode mode)
{
    pair p = {reject_ring(k, "a", ww_pipeline_async_async()), reject_ring(k, "b", ww_pipeline_async_async()),
              NULL};
    p.both = ww_group_new(k, "both", &(ww_group_options){.mode = mode, .members = {p.a, p.b}});
    return p;
}

/* ---- merge: two producers, one consumer that releases the group ---------------------------------------------- */

static void declare_merge(ww_kernel *k, ww_schedule_function *store)
{
    pair p = declare_group(k, WW_MERGE);
    reject_task(k, "load_a", 0, 1, reject_producer, p.a);
    reject_task(k, "load_b", 1, 1, reject_producer, p.b);
    reject_task(k, "store", 2, 1, store, &p);
}

static void use_both(ww_schedule *s, pair *p)
{
    ww_wait(s, p->a);
    ww_consume(s, p->a, "use");
    ww_wait(s, p->b);
    ww_consume(s, p->b, "use");
}

static void release_members(ww_schedule *s, void *context)
{
    pair *p = context;
    reject_loop(s)
    {
        use_both(s, p);
        ww_release(s, p->a), BLAME;
        ww_release(s, p->b);
    }
}

static void wait_on_the_group(ww_schedule *s, void *context)
{
    pair *p = context;
    reject_loop(s)
    {
        ww_wait(s, p->both), BLAME;
        ww_consume(s, p->a, "use");
        ww_consume(s, p->b, "use");
        ww_release(s, p->both);
    }
}

static void wait_on_one(ww_schedule *s, void *context)
{
    pair *p = context;
    reject_loop(s)
    {
        ww_wait(s, p->a);
        ww_consume(s, p->a, "use");
        ww_release(s, p->both), BLAME;
    }
}

static void release_the_group(ww_schedule *s, void *context)
{
    pair *p = context;
    reject_loop(s)
    {
        use_both(s, p);
        ww_release(s, p->both);
    }
}

static void release_only(ww_schedule *s, void *context)
{
    pair *p = context;
    reject_loop(s)
    {
        ww_release(s, p->both), BLAME;
    }
}

static void merge_released_by_members(ww_kernel *k)
{
    declare_merge(k, release_members);
}

static void merge_waited_for(ww_kernel *k)
{
    declare_merge(k, wait_on_the_group);
}

static void merge_opened_in_part(ww_kernel *k)
{
    declare_merge(k, wait_on_one);
}

static void merge_released_by_a_stranger(ww_kernel *k)
{
    pair p = declare_group(k, WW_MERGE);
    reject_task(k, "load_a", 0, 1, reject_producer, p.a);
    reject_task(k, "load_b", 1, 1, reject_producer, p.b);
    reject_task(k, "store", 2, 1, release_the_group, &p);
    reject_task(k, "stranger", 3, 1, release_only, &p);
}

static void merge_released_once(ww_kernel *k)
{
    declare_merge(k, release_the_group);
}

/* Work after the group's release is work on slots that are gone, whichever member it names. */
static void use_late(ww_schedule *s, void *context)
{
    pair *p = context;
    reject_loop(s)
    {
        ww_wait(s, p->a);
        ww_wait(s, p->b);
        ww_consume(s, p->a, "use");
        ww_release(s, p->both);
        ww_consume(s, p->b, "use"), BLAME;
    }
}

static void merge_used_late(ww_kernel *k)
{
    declare_merge(k, use_late);
}

/* Members share a cursor, and one task moves it. */
static void wait_on_both(ww_schedule *s, void *context)
{
    pair *p = context;
    reject_loop(s)
    {
        ww_wait(s, p->a), BLAME;
        ww_wait(s, p->b);
    }
}

static void use_and_release(ww_schedule *s, void *context)
{
    pair *p = context;
    reject_loop(s)
    {
        ww_consume(s, p->a, "use");
        ww_consume(s, p->b, "use");
        ww_release(s, p->both);
    }
}

static void merge_split(ww_kernel *k)
{
    pair p = declare_group(k, WW_MERGE);
    reject_task(k, "load_a", 0, 1, reject_producer, p.a);
    reject_task(k, "load_b", 1, 1, reject_producer, p.b);
    reject_task(k, "store", 2, 1, use_and_release, &p);
    reject_task(k, "watch", 3, 1, wait_on_both, &p);
}

/* ---- fork: one producer that commits the group, two consumers -------------------------------------------------- */

static void fill_both(ww_schedule *s, pair *p)
{
    ww_acquire(s, p->a);
    ww_acquire(s, p->b);
    ww_produce(s, p->a, "fill");
    ww_produce(s, p->b, "fill");
}

static void commit_members(ww_schedule *s, void *context)
{
    pair *p = context;
    reject_loop(s)
    {
        fill_both(s, p);
        ww_commit(s, p->a), BLAME;
        ww_commit(s, p->b);
    }
}

static void acquire_the_group(ww_schedule *s, void *context)
{
    pair *p = context;
    reject_loop(s)
    {
        ww_acquire(s, p->both), BLAME;
        ww_produce(s, p->a, "fill");
        ww_commit(s, p->both);
    }
}

static void commit_the_group(ww_schedule *s, void *context)
{
    pair *p = context;
    reject_loop(s)
    {
        fill_both(s, p);
        ww_commit(s, p->both);
    }
}

static void declare_fork(ww_kernel *k, ww_schedule_function *load)
{
    pair p = declare_group(k, WW_FORK);
    reject_task(k, "load", 0, 1, load, &p);
    reject_task(k, "store_a", 1, 1, reject_consumer, p.a);
    reject_task(k, "store_b", 2, 1, reject_consumer, p.b);
}

static void fork_committed_by_members(ww_kernel *k)
{
    declare_fork(k, commit_members);
}

static void fork_acquired(ww_kernel *k)
{
    declare_fork(k, acquire_the_group);
}

static void fork_committed_once(ww_kernel *k)
{
    declare_fork(k, commit_the_group);
}

/* ---- fused merge: wait and release on the group ------------------------------------------------------------------ */

static void wait_on_members(ww_schedule *s, void *context)
{
    pair *p = context;
    reject_loop(s)
    {
        ww_wait(s, p->a), BLAME;
        ww_consume(s, p->a, "use");
        ww_wait(s, p->b);
        ww_consume(s, p->b, "use");
        ww_release(s, p->both);
    }
}

static void wait_on_all(ww_schedule *s, void *context)
{
    pair *p = context;
    reject_loop(s)
    {
        ww_try_wait(s, p->both);
        ww_wait(s, p->both);
        ww_consume(s, p->a, "use");
        ww_consume(s, p->b, "use");
        ww_release(s, p->both);
    }
}

static void declare_fused(ww_kernel *k, ww_schedule_function *store)
{
    pair p = declare_group(k, WW_FUSED_MERGE);
    reject_task(k, "load_a", 0, 1, reject_producer, p.a);
    reject_task(k, "load_b", 1, 1, reject_producer, p.b);
    reject_task(k, "store", 2, 1, store, &p);
}

static void fused_waited_for_by_members(ww_kernel *k)
{
    declare_fused(k, wait_on_members);
}

static void fused_waited_for_once(ww_kernel *k)
{
    declare_fused(k, wait_on_all);
}

const reject_case reject_group_use[] = {
    {"group_use: a merge released member by member", merge_released_by_members, WW_GROUP_USE,
     "task store: release(a), and all members of merge both share one", "release(both), once for all members",
     "release(a), on one member"},
    {"group_use: a wait on a merge", merge_waited_for, WW_GROUP_USE,
     "task store: wait(both), and members of a merge have each their own", "wait on the members: a, b",
     "wait(both), on the group"},
    {"group_use: a merge of which one member was opened", merge_opened_in_part, WW_GROUP_USE,
     "task store: release(both) gives away the slot of b as well, which the task has not opened",
     "wait on every member of both before it", "no wait(b) in task store"},
    {"group_use: a release by a task that uses no member", merge_released_by_a_stranger, WW_GROUP_USE,
     "task stranger: release(both), and the task uses no member of it", "verbs or work on the members: a, b",
     "release(both) alone"},
    {"group_use: a fork committed member by member", fork_committed_by_members, WW_GROUP_USE,
     "task load: commit(a), and all members of fork both share one", "commit(both), once for all members",
     "commit(a), on one member"},
    {"group_use: an acquire of a fork", fork_acquired, WW_GROUP_USE,
     "task load: acquire(both), and members of a fork have each their own", "acquire on the members: a, b",
     "acquire(both), on the group"},
    {"group_use: a wait on a member of a fused merge", fused_waited_for_by_members, WW_GROUP_USE,
     "task store: wait(a), and all members of fused merge both share one", "wait(both), once for all members",
     "wait(a), on one member"},
    {"group_use: one task waits on a merge, another releases it", merge_split, WW_BRACKET,
     "task watch: wait(a) opens a slot that another task closes, with one cursor for both, in the first trip "
     "of its loop",
     "wait and release of a group in one task",
     "a cursor that only release moves, and no release in this task"},
    {"group_use: work on a member after the group's release", merge_used_late, WW_BRACKET,
     "task store: b.use works on a slot that is not open, in the first trip of its loop",
     "the work between wait(b) and release(both)", "the slot was given away by release(both)"},
    {"group_use: a merge released once", merge_released_once, 0, NULL, NULL, NULL},
    {"group_use: a fork committed once", fork_committed_once, 0, NULL, NULL, NULL},
    {"group_use: a fused merge waited for once", fused_waited_for_once, 0, NULL, NULL, NULL},
    {0},
};
