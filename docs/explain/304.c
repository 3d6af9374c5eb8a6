/* 304: accesses that nothing orders */
#include "explain.h"

typedef struct shared {
    ww_resource *scratch, *written;
} shared;

static const ww_work work[] = {
    {.name = "put", .side = WW_PRODUCER}, {.name = "get", .side = WW_CONSUMER}, {0}};

static void load(ww_schedule *s, void *context)
{
    shared *c = context;
    ww_produce(s, c->scratch, "put");
    ww_sync(s, c->written);
}

static shared declare(ww_kernel *k)
{
    const ww_resource_options options = {.buffers = {{.name = "data", .bytes = 1024}}, .work = work};
    return (shared){ww_resource_new(k, "scratch", &options), ww_named_barrier_new(k, "written", 0)};
}

static void store_wrong(ww_schedule *s, void *context)
{
    shared *c = context;
    /* wrong: load writes scratch at the same time */
    ww_consume(s, c->scratch, "get");
    ww_sync(s, c->written); /* load: put, then ww_sync */
    /* end */
}

static void store_right(ww_schedule *s, void *context)
{
    shared *c = context;
    /* right: after the barrier the write is done */
    ww_sync(s, c->written); /* load: put, then ww_sync */
    ww_consume(s, c->scratch, "get");
    /* end */
}

static void wrong(ww_kernel *k)
{
    shared c = declare(k);
    explain_task(k, "load", 0, 1, load, &c);
    explain_task(k, "store", 1, 1, store_wrong, &c);
}

static void right(ww_kernel *k)
{
    shared c = declare(k);
    explain_task(k, "load", 0, 1, load, &c);
    explain_task(k, "store", 1, 1, store_right, &c);
}

EXPLAIN(304, .wrong = wrong, .right = right);
