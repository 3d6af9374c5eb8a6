/* 301: deadlocks */
#include "explain.h"

typedef struct pair {
    ww_resource *a, *b;
} pair;

static void ping(ww_schedule *s, void *context)
{
    pair *p = context;
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        ww_wait(s, p->b);
        ww_consume(s, p->b, "use");
        ww_release(s, p->b);
        ww_acquire(s, p->a);
        ww_produce(s, p->a, "fill");
        ww_commit(s, p->a);
    }
}

static void pong_wrong(ww_schedule *s, void *context)
{
    pair *p = context;
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        /* wrong: ping waits for b before it fills a, and pong for a before it fills b */
        ww_wait(s, p->a);
        ww_consume(s, p->a, "use");
        ww_release(s, p->a);
        ww_acquire(s, p->b);
        ww_produce(s, p->b, "fill");
        ww_commit(s, p->b);
        /* end */
    }
}

static void pong_right(ww_schedule *s, void *context)
{
    pair *p = context;
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        /* right: somebody begins */
        ww_acquire(s, p->b);
        ww_produce(s, p->b, "fill");
        ww_commit(s, p->b);
        ww_wait(s, p->a);
        ww_consume(s, p->a, "use");
        ww_release(s, p->a);
        /* end */
    }
}

static void wrong(ww_kernel *k)
{
    pair p = {explain_ring(k, "a", ww_pipeline_async_async(.stages = 2)),
              explain_ring(k, "b", ww_pipeline_async_async(.stages = 2))};
    explain_task(k, "ping", 0, 1, ping, &p);
    explain_task(k, "pong", 1, 1, pong_wrong, &p);
}

static void right(ww_kernel *k)
{
    pair p = {explain_ring(k, "a", ww_pipeline_async_async(.stages = 2)),
              explain_ring(k, "b", ww_pipeline_async_async(.stages = 2))};
    explain_task(k, "ping", 0, 1, ping, &p);
    explain_task(k, "pong", 1, 1, pong_right, &p);
}

EXPLAIN(301, .wrong = wrong, .right = right);
