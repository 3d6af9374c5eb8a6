/* 307: what one proxy wrote and another reads, without a fence */
#include "explain.h"

typedef struct shared {
    ww_resource *staging, *written;
} shared;

static const ww_work work[] = {
    {.name = "put", .side = WW_PRODUCER},
    {.name = "store", .side = WW_CONSUMER, .bulk_store = true},
    {.name = "drain", .side = WW_CONSUMER, .auxiliary = true, .bulk_wait = WW_BULK_WAIT(0)},
    {0}};

static void put_wrong(ww_schedule *s, void *context)
{
    shared *c = context;
    /* wrong: generated code without the fence, as a fault of warpwright would leave it; no schedule asks for that */
    ww_produce(s, c->staging, "put");
    ww_sync(s, c->written); /* then another task: ww_sync, bulk store */
    /* end */
}

static void put_right(ww_schedule *s, void *context)
{
    shared *c = context;
    /* right: the same schedule, whose generated code has the fence */
    ww_produce(s, c->staging, "put");
    /* here warpwright places ww::fence_proxy_async_shared() */
    ww_sync(s, c->written); /* then another task: ww_sync, bulk store */
    /* end */
}

static void store(ww_schedule *s, void *context)
{
    shared *c = context;
    ww_sync(s, c->written);
    ww_consume(s, c->staging, "store");
    ww_consume(s, c->staging, "drain");
}

static void declare(ww_kernel *k, ww_schedule_function *put)
{
    const ww_resource_options options = {.buffers = {{.name = "data", .bytes = 1024}}, .work = work};
    shared c = {ww_resource_new(k, "staging", &options), ww_named_barrier_new(k, "written", 0)};
    explain_task(k, "fill", 0, 1, put, &c);
    explain_task(k, "store", 1, 1, store, &c);
}

static void wrong(ww_kernel *k)
{
    declare(k, put_wrong);
}

static void right(ww_kernel *k)
{
    declare(k, put_right);
}

EXPLAIN(307, .wrong = wrong, .right = right, .loses_a_fence = true);
