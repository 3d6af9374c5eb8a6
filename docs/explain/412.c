/* 412: barriers in bodies; 412_wrong.cuh and 412_right.cuh hold them */
#include "explain.h"

typedef struct shared {
    ww_resource *sums, *added;
} shared;

static const ww_work work[] = {{.name = "add", .side = WW_CONSUMER, .auxiliary = true},
                               {.name = "report", .side = WW_CONSUMER, .auxiliary = true},
                               {0}};

static void add_wrong(ww_schedule *s, void *context)
{
    const shared *c = context;
    ww_consume(s, c->sums, "add");
}

static void add_right(ww_schedule *s, void *context)
{
    const shared *c = context;
    /* right: a named barrier of the kernel (ww_named_barrier_new), and two bodies */
    ww_consume(s, c->sums, "add"); /* ends with atomicAdd */
    ww_sync(s, c->added);
    ww_consume(s, c->sums, "report"); /* reads the sum */
    /* end */
}

static void wrong(ww_kernel *k)
{
    shared c = {ww_resource_new(k, "sums", &(ww_resource_options){.work = work}), NULL};
    explain_task(k, "add", 0, 4, add_wrong, &c);
}

static void right(ww_kernel *k)
{
    shared c = {ww_resource_new(k, "sums", &(ww_resource_options){.work = work}),
                ww_named_barrier_new(k, "added", 0)};
    explain_task(k, "add", 0, 4, add_right, &c);
}

EXPLAIN(412, .wrong = wrong, .right = right, .audited = true, .body_wrong = "412_wrong.cuh",
        .body_right = "412_right.cuh");
