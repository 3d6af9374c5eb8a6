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

/* ---- clusters and groups ---------------------------------------------------------------------------------- */

static const ww_work halves[] = {{.name = "fill", .side = WW_PRODUCER, .copies = {{"data", 512, WW_REACH_A}}},
                                 {.name = "use", .side = WW_CONSUMER},
                                 {.name = NULL}};

static void declare_multicast(ww_kernel *k, uint32_t arrivals)
{
    const ww_resource_options options = {
        .pipeline = ww_pipeline_tma_async(.stages = 2, .consumer_arrivals = arrivals),
        .buffers = {{.name = "data", .bytes = 1024}},
        .work = halves};
    declare(k, (BLAME, ww_resource_new(k, "ring", &options)));
}

static void releases_of_one_cta(ww_kernel *k)
{
    declare_multicast(k, 4);
}

static void releases_of_both_ctas(ww_kernel *k)
{
    declare_multicast(k, 8);
}

static void store_and_blame(ww_schedule *s, void *ring)
{
    reject_loop(s)
    {
        ww_wait(s, ring), BLAME;
        ww_consume(s, ring, "use");
        ww_release(s, ring);
    }
}

static void declare_pair(ww_kernel *k, ww_signaling producers)
{
    ww_resource *ring = reject_ring(k, "ring", ww_pipeline_async_async(.producer_signaling = producers));
    reject_task(k, "load", 0, 1, reject_producer, ring);
    reject_task(k, "store", 1, 1, store_and_blame, ring);
}

static void leaders_commit_all_wait(ww_kernel *k)
{
    declare_pair(k, WW_SIGNAL_CTA_LEADER);
}

static void all_commit_all_wait(ww_kernel *k)
{
    declare_pair(k, WW_SIGNAL_ALL);
}

/* The producer's empty barrier is for the releases of the next CTA. */
static void declare_peers(ww_kernel *k, uint32_t arrivals)
{
    const ww_resource_options options = {
        .pipeline = ww_pipeline_peer_async(.stages = 2, .consumer_arrivals = arrivals),
        .buffers = {{.name = "data", .bytes = 1024}},
        .work = work};
    declare(k, (BLAME, ww_resource_new(k, "ring", &options)));
}

static void all_lanes_at_home(ww_kernel *k)
{
    declare_peers(k, 128);
}

static void one_a_warp_of_the_peer(ww_kernel *k)
{
    declare_peers(k, 4);
}

typedef struct merge {
    ww_resource *a, *b, *both;
} merge;

static void store_both(ww_schedule *s, void *context)
{
    merge *m = context;
    reject_loop(s)
    {
        ww_wait(s, m->a);
        ww_wait(s, m->b);
        ww_consume(s, m->a, "use");
        ww_consume(s, m->b, "use");
        ww_release(s, m->both);
    }
}

static void declare_merge(ww_kernel *k, uint32_t of_group, uint32_t of_member)
{
    static const ww_work threads_work[] = {
        {.name = "fill", .side = WW_PRODUCER}, {.name = "use", .side = WW_CONSUMER}, {.name = NULL}};
    const ww_resource_options a = {.pipeline =
                                       ww_pipeline_async_async(.stages = 2, .consumer_arrivals = of_member),
                                   .work = threads_work};
    merge m = {(BLAME, ww_resource_new(k, "a", &a)), reject_ring(k, "b", ww_pipeline_async_async()), NULL};
    const ww_group_options options = {.members = {m.a, m.b}, .pipeline = {.consumer_arrivals = of_group}};
    const ww_place here = WW_HERE;
    m.both = ww_group_new_at(here, k, "both", &options);
    if (of_group)
        reject_blamed = here;
    reject_task(k, "load_a", 0, 1, reject_producer, m.a);
    reject_task(k, "load_b", 1, 1, reject_producer, m.b);
    reject_task(k, "store", 4, 4, store_both, &m);
}

static void seven_releases_of_a_group(ww_kernel *k)
{
    declare_merge(k, 7, 0);
}

static void seven_releases_of_a_member(ww_kernel *k)
{
    declare_merge(k, 0, 7);
}

static void all_releases_of_a_group(ww_kernel *k)
{
    declare_merge(k, 128, 128);
}

const reject_case reject_arrivals[] = {
    {"arrivals: more releases expected than made", too_few_releases, WW_ARRIVALS,
     "the empty barrier of ring expects 32 arrivals a phase, and never receives so many",
     "4 = 4 warps of store x 1 lane (or 128, all lanes)", ".consumer_arrivals = 32"},
    {"arrivals: more commits expected than made", too_many_commits, WW_ARRIVALS,
     "the full barrier of ring expects 32 arrivals a phase, and never receives so many",
     "1 = 1 warp of load x 1 lane", ".producer_arrivals = 32"},
    {"arrivals: fewer releases expected than made", fewer_than_made, WW_ARRIVALS,
     "the empty barrier of ring expects 1 arrival a phase, and receives more",
     "4 = 4 warps of store x 1 lane (or 128, all lanes)", ".consumer_arrivals = 1"},
    {"arrivals: the releases of one CTA of two",
     releases_of_one_cta,
     WW_ARRIVALS,
     "the empty barrier of ring expects 4 arrivals a phase, and receives more",
     "8 = 4 warps of store x 1 lane x 2 CTAs (or 128, all lanes, each in its own CTA)",
     ".consumer_arrivals = 4",
     {.cluster = {.n = 2}}},
    {"arrivals: leaders commit, and all CTAs wait",
     leaders_commit_all_wait,
     WW_ARRIVALS,
     "task store waits in CTA 1 for the full barrier of ring, which receives another number of arrivals "
     "there",
     "32 = 1 warp of load x 32 lanes, as in CTA 0",
     "0",
     {.arch = "sm_100a", .cluster = {.v = 2}}},
    {"arrivals: seven releases of a group", seven_releases_of_a_group, WW_ARRIVALS,
     "the empty barrier of both expects 7 arrivals a phase, and receives more",
     "128 = 4 warps of store x 32 lanes", ".consumer_arrivals = 7"},
    {"arrivals: seven releases of a member", seven_releases_of_a_member, WW_ARRIVALS,
     "the empty barrier of a expects 7 arrivals a phase, and receives more",
     "128 = 4 warps of store x 32 lanes", ".consumer_arrivals = 7"},
    {"arrivals: all lanes at home, and a peer waits",
     all_lanes_at_home,
     WW_ARRIVALS,
     "the empty barrier of ring expects 128 arrivals a phase, and never receives so many",
     "4 = 4 warps of store x 1 lane",
     ".consumer_arrivals = 128",
     {.cluster = {.n = 2}}},
    {"arrivals: one a warp of the peer", one_a_warp_of_the_peer, 0, NULL, NULL, NULL, {.cluster = {.n = 2}}},
    {"arrivals: the releases of both CTAs",
     releases_of_both_ctas,
     0,
     NULL,
     NULL,
     NULL,
     {.cluster = {.n = 2}}},
    {"arrivals: all CTAs commit, and all wait",
     all_commit_all_wait,
     0,
     NULL,
     NULL,
     NULL,
     {.arch = "sm_100a", .cluster = {.v = 2}}},
    {"arrivals: all releases of a group", all_releases_of_a_group, 0, NULL, NULL, NULL},
    {"arrivals: one a warp", one_a_warp, 0, NULL, NULL, NULL},
    {"arrivals: all lanes", all_lanes, 0, NULL, NULL, NULL},
    {0},
};
