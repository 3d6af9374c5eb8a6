/* 211: an edge of the dependency graph has a task that consumes the one and produces the other. */
#include "reject.h"

typedef struct chain {
    ww_resource *ring, *total;
} chain;

static void add_up(ww_schedule *s, void *context)
{
    chain *c = context;
    reject_loop(s)
    {
        ww_wait(s, c->ring);
        ww_consume(s, c->ring, "use");
        ww_produce(s, c->total, "put");
        ww_release(s, c->ring);
    }
}

static chain declare(ww_kernel *k)
{
    chain c = {reject_ring(k, "ring", (ww_pipeline){.type = WW_ASYNC_ASYNC}), reject_plain(k, "total")};
    reject_task(k, "load", 0, 1, reject_producer, c.ring);
    reject_task(k, "add_up", 1, 1, add_up, &c);
    return c;
}

static void backwards(ww_kernel *k)
{
    chain c = declare(k);
    ww_depends(k, c.ring, c.total), BLAME;
}

static void forwards(ww_kernel *k)
{
    chain c = declare(k);
    ww_depends(k, c.ring, NULL);
    ww_depends(k, c.total, c.ring);
}

/* ---- to and fro --------------------------------------------------------------------------------------------------- */

static void unpipelined_to_and_fro(ww_kernel *k)
{
    chain c = declare(k);
    ww_depends(k, c.ring, NULL);
    ww_depends(k, c.total, c.total), BLAME;
}

static void ring_to_and_fro(ww_kernel *k)
{
    chain c = declare(k);
    ww_depends(k, c.ring, c.ring);
    ww_depends(k, c.total, c.ring);
}

const reject_case reject_graph[] = {
    {"graph: an edge the wrong way round", backwards, WW_GRAPH,
     "ring is said to depend on total, and no task makes it so",
     "a task that consumes total and produces ring", "no task that does both"},
    {"graph: to and fro without a pipeline", unpipelined_to_and_fro, WW_GRAPH,
     "total is said to depend on itself",
     "a pipeline whose consumer is no tensor core, so that its slots go to and fro", "no pipeline"},
    {"graph: a ring to and fro", ring_to_and_fro, 0, NULL, NULL, NULL},
    {"graph: an edge with a task behind it", forwards, 0, NULL, NULL, NULL},
    {0},
};
