/* 204: a declared arrival count is what the schedules make. Four consumer warps arrive once each (or all 128 lanes). */
#include "reject.h"

static void declare(ww_kernel *k, ww_resource *ring)
{
    reject_task(k, "load", 0, 1, reject_producer, ring);
    reject_task(k, "store", 4, 4, reject_consumer, ring);
}

static const ww_work work[] = {{.name = "fill", .side = WW_PRODUCER, .copies = {{"data", 1024}}},
                               {.name = "use", .side = WW_CONSUMER},
                               {.name = NULL}};

#define OPTIONS(...)                                                                                         \
    &(ww_resource_options)                                                                                   \
    {                                                                                                        \
        .pipeline = {.type = WW_TMA_ASYNC, .stages = 2, __VA_ARGS__}, .buffers = {{"data", 1024, 0}},        \
        .work = work                                                                                         \
    }

static void too_few_releases(ww_kernel *k)
{
    declare(k, (BLAME, ww_resource_new(k, "ring", OPTIONS(.consumer_arrivals = 32))));
}

static void too_many_commits(ww_kernel *k)
{
    declare(k, (BLAME, ww_resource_new(k, "ring", OPTIONS(.producer_arrivals = 32))));
}

static void fewer_than_made(ww_kernel *k)
{
    declare(k, (BLAME, ww_resource_new(k, "ring", OPTIONS(.consumer_arrivals = 1))));
}

static void one_a_warp(ww_kernel *k)
{
    declare(k, ww_resource_new(k, "ring", OPTIONS(.producer_arrivals = 1, .consumer_arrivals = 4)));
}

static void all_lanes(ww_kernel *k)
{
    declare(k, ww_resource_new(k, "ring", OPTIONS(.consumer_arrivals = 128)));
}

const reject_case reject_arrivals[] = {
    {"arrivals: more releases expected than made", too_few_releases, WW_ARRIVALS,
     "the empty barrier of ring expects 32 arrivals a phase, and never receives so many",
     "4 = 4 warps of store, one lane each (or 128, all lanes)", ".consumer_arrivals = 32"},
    {"arrivals: more commits expected than made", too_many_commits, WW_ARRIVALS,
     "the full barrier of ring expects 32 arrivals a phase, and never receives so many",
     "1 = 1 warp of load, one lane each", ".producer_arrivals = 32"},
    {"arrivals: fewer releases expected than made", fewer_than_made, WW_ARRIVALS,
     "the empty barrier of ring expects 1 arrival a phase, and receives more",
     "4 = 4 warps of store, one lane each (or 128, all lanes)", ".consumer_arrivals = 1"},
    {"arrivals: one a warp", one_a_warp, 0, NULL, NULL, NULL},
    {"arrivals: all lanes", all_lanes, 0, NULL, NULL, NULL},
    {0},
};
