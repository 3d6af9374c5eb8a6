/* 203: both sides of a pipeline, what a task lists, and every resource in the graph. */
#include "reject.h"

static void use_only(ww_schedule *s, void *ring)
{
    reject_loop(s)
    {
        ww_wait(s, ring), BLAME;
        ww_consume(s, ring, "use");
    }
}

static void nobody_releases(ww_kernel *k)
{
    ww_resource *ring = reject_ring(k, "ring", (ww_pipeline){.type = WW_ASYNC_ASYNC});
    reject_task(k, "load", 0, 1, reject_producer, ring);
    reject_task(k, "store", 1, 1, use_only, ring);
}

static const ww_work both_works[] = {
    {.name = "fill", .side = WW_PRODUCER}, {.name = "use", .side = WW_CONSUMER}, {.name = NULL}};

static const ww_resource_options ring_options = {.pipeline = {.type = WW_ASYNC_ASYNC, .stages = 2},
                                                 .work = both_works};

static void nobody_consumes(ww_kernel *k)
{
    ww_resource *ring = (BLAME, ww_resource_new(k, "ring", &ring_options));
    reject_task(k, "load", 0, 1, reject_producer, ring);
}

static void listed_and_unused(ww_kernel *k)
{
    ww_resource *ring = reject_ring(k, "ring", (ww_pipeline){.type = WW_ASYNC_ASYNC});
    ww_resource *total = reject_plain(k, "total");
    ww_task_options load = {
        .warps = 1, .schedule = reject_producer, .context = ring, .produces = {ring, total}};
    reject_task(k, "store", 1, 1, reject_consumer, ring);
    (void)ww_task_new(k, "load", &load), BLAME;
}

static void not_in_the_graph(ww_kernel *k)
{
    ww_resource *ring = reject_ring(k, "ring", (ww_pipeline){.type = WW_ASYNC_ASYNC});
    ww_resource *other = (BLAME, ww_resource_new(k, "other", &ring_options));
    reject_task(k, "load", 0, 1, reject_producer, ring);
    reject_task(k, "store", 1, 1, reject_consumer, ring);
    reject_task(k, "load_other", 2, 1, reject_producer, other);
    reject_task(k, "store_other", 3, 1, reject_consumer, other);
    ww_depends(k, ring, NULL);
}

static void both_sides(ww_kernel *k)
{
    ww_resource *ring = reject_ring(k, "ring", (ww_pipeline){.type = WW_ASYNC_ASYNC});
    reject_task(k, "load", 0, 1, reject_producer, ring);
    reject_task(k, "store", 1, 1, reject_consumer, ring);
    ww_depends(k, ring, NULL);
}

const reject_case reject_coverage[] = {
    {"coverage: nobody releases", nobody_releases, WW_COVERAGE,
     "no task releases the slots of pipeline ring; opened by task store",
     "release(ring) after the work on each slot", "wait(ring) alone"},
    {"coverage: nobody consumes", nobody_consumes, WW_COVERAGE, "no task releases the slots of pipeline ring",
     "release(ring) after the work on each slot", "neither wait(ring) nor release(ring)"},
    {"coverage: listed and unused", listed_and_unused, WW_COVERAGE,
     "task load declares that it produces total, and its schedule never does",
     "a verb or work on total that produces it", "none in task load"},
    {"coverage: not in the graph", not_in_the_graph, WW_COVERAGE,
     "resource other is missing in the dependency graph",
     "ww_depends for every resource with memory or work, since there is one for some", "no edge at other"},
    {"coverage: both sides", both_sides, 0, NULL, NULL, NULL},
    {0},
};
