/* 221: copies that reach other CTAs need such CTAs, and their releases must reach back. */
#include "reject.h"

static const ww_work work[] = {{.name = "fill", .side = WW_PRODUCER, .copies = {{"data", 512, WW_REACH_A}}},
                               {.name = "use", .side = WW_CONSUMER},
                               {.name = NULL}};

static void load(ww_schedule *s, void *ring)
{
    reject_loop(s)
    {
        ww_acquire(s, ring);
        ww_produce(s, ring, "fill"), BLAME;
        ww_commit(s, ring);
    }
}

static void declare(ww_kernel *k, ww_pipeline pipeline)
{
    ww_resource *ring = ww_resource_new(k, "ring",
                                        &(ww_resource_options){.pipeline = pipeline,
                                                               .buffers = {{.name = "data", .bytes = 1024}},
                                                               .work = work});
    reject_task(k, "load", 0, 1, load, ring);
    reject_task(k, "store", 1, 1, reject_consumer, ring);
}

static void as_derived(ww_kernel *k)
{
    declare(k, ww_pipeline_tma_async(.stages = 2));
}

static void told_along_the_other_side(ww_kernel *k)
{
    declare(k, ww_pipeline_tma_async(.stages = 2, .multicast = WW_MULTICAST_N));
}

static void told_at_home(ww_kernel *k)
{
    declare(k, ww_pipeline_tma_async(.stages = 2, .consumer_arrivals = 32));
}

const reject_case reject_cluster[] = {
    {"cluster: one CTA, and a multicast", as_derived, WW_CLUSTER,
     "task load: a copy of ring.fill has WW_REACH_A, and there is nobody to reach",
     "a cluster with several CTAs along n", "(v, m, n, k) = (1, 1, 1, 1)"},
    {"cluster: several CTAs, but along the other side",
     as_derived,
     WW_CLUSTER,
     "task load: a copy of ring.fill has WW_REACH_A, and there is nobody to reach",
     "a cluster with several CTAs along n",
     "(v, m, n, k) = (1, 2, 1, 1)",
     {.cluster = {.m = 2}}},
    {"cluster: releases told along the other side",
     told_along_the_other_side,
     WW_CLUSTER,
     "task load: the copies of ring.fill reach CTAs whose releases do not reach back: a race",
     "releases of ring told along the side of WW_REACH_A",
     "CTA 0 writes into CTA 2, and does not hear of its releases",
     {.cluster = {.m = 2, .n = 2}}},
    {"cluster: releases told at home only",
     told_at_home,
     WW_CLUSTER,
     "task load: the copies of ring.fill reach CTAs whose releases do not reach back: a race",
     "releases of ring told along the side of WW_REACH_A",
     "CTA 0 writes into CTA 1, and does not hear of its releases",
     {.cluster = {.n = 2}}},
    {"cluster: releases told where the copies come from",
     as_derived,
     0,
     NULL,
     NULL,
     NULL,
     {.cluster = {.m = 2, .n = 2}}},
    {0},
};
