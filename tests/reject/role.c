/* 201: a task that lists what it consumes and produces keeps to the list. */
#include "reject.h"

static void accepted(ww_kernel *k)
{
    ww_resource *ring = reject_ring(k, "ring", (ww_pipeline){.type = WW_ASYNC_ASYNC});
    reject_task(k, "load", 0, 1, reject_producer, ring);
    (void)ww_task_new(
        k, "store",
        &(ww_task_options){
            .first_warp = 1, .warps = 1, .schedule = reject_consumer, .context = ring, .consumes = {ring}});
}

typedef struct pair {
    ww_resource *ring, *total;
} pair;

static void use(ww_schedule *s, void *context)
{
    pair *both = context;
    reject_loop(s)
    {
        ww_wait(s, both->ring), BLAME;
        ww_consume(s, both->ring, "use");
        ww_release(s, both->ring);
        ww_produce(s, both->total, "put");
    }
}

static void refused(ww_kernel *k)
{
    ww_resource *ring = reject_ring(k, "ring", (ww_pipeline){.type = WW_ASYNC_ASYNC});
    ww_resource *total = reject_plain(k, "total");
    reject_task(k, "load", 0, 1, reject_producer, ring);
    pair both = {ring, total};
    (void)ww_task_new(
        k, "store",
        &(ww_task_options){
            .first_warp = 1, .warps = 1, .schedule = use, .context = &both, .produces = {total}});
}

const reject_case reject_role[] = {
    {"role: consumes what it does not list", refused, WW_ROLE,
     "task store: wait(ring), but the task does not declare that it consumes ring", "ring in .consumes",
     "a list of .consumes or .produces, and ring is not in .consumes"},
    {"role: lists what it consumes", accepted, 0, NULL, NULL, NULL},
    {0},
};
