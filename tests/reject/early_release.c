/* 213: wgmma reads a slot after the call has returned; the slot is released when its group has finished. */
#include "reject.h"

typedef struct mma {
    ww_resource *ring, *sum;
} mma;

static const ww_work sum_work[] = {
    {.name = "multiply", .side = WW_PRODUCER, .wgmma_reads = {"ring"}},
    {.name = "settle", .side = WW_CONSUMER, .wgmma_wait = WW_WGMMA_WAIT(0)},
    {.name = "settle_last", .side = WW_CONSUMER, .wgmma_wait = WW_WGMMA_WAIT(1)},
    {.name = NULL}};

static void load(ww_schedule *s, void *context)
{
    mma *m = context;
    ww_domain_loop(s, ww_imm(0), ww_arg(reject_params, trips, 1), ww_imm(1)) {
        ww_acquire(s, m->ring);
        ww_produce(s, m->ring, "fill");
        ww_commit(s, m->ring);
    }
}

static void declare(ww_kernel *k, bool ahead, ww_schedule_function *math)
{
    mma m = {reject_ring(k, "ring", (ww_pipeline){.type = WW_TMA_ASYNC, .advance_on_wait = ahead}),
             ww_resource_new(k, "sum", &(ww_resource_options){.work = sum_work})};
    reject_task(k, "load", 0, 1, load, &m);
    reject_task(k, "math", 4, 4, math, &m);
}

static void multiply_and_release(ww_schedule *s, void *context)
{
    mma *m = context;
    ww_domain_loop(s, ww_imm(0), ww_arg(reject_params, trips, 1), ww_imm(1)) {
        ww_wait(s, m->ring);
        ww_produce(s, m->sum, "multiply");
        ww_release(s, m->ring), BLAME;
    }
    ww_consume(s, m->sum, "settle");
}

static void at_once(ww_kernel *k)
{
    declare(k, false, multiply_and_release);
}

static void multiply_settle_last(ww_schedule *s, void *context)
{
    mma *m = context;
    ww_domain_loop(s, ww_imm(0), ww_arg(reject_params, trips, 1), ww_imm(1)) {
        ww_wait(s, m->ring);
        ww_produce(s, m->sum, "multiply");
        ww_consume(s, m->sum, "settle_last");
        ww_release(s, m->ring), BLAME;
    }
    ww_consume(s, m->sum, "settle");
}

static void while_its_own_group_runs(ww_kernel *k)
{
    declare(k, false, multiply_settle_last);
}

static void multiply_and_settle(ww_schedule *s, void *context)
{
    mma *m = context;
    ww_domain_loop(s, ww_imm(0), ww_arg(reject_params, trips, 1), ww_imm(1)) {
        ww_wait(s, m->ring);
        ww_produce(s, m->sum, "multiply");
        ww_consume(s, m->sum, "settle");
        ww_release(s, m->ring);
    }
}

static void when_the_group_has_finished(ww_kernel *k)
{
    declare(k, false, multiply_and_settle);
}

/* The group of the last trip has finished when at most the newest is in flight: its slot goes. */
static void release_one_late(ww_schedule *s, void *context)
{
    mma *m = context;
    ww_wait(s, m->ring);
    ww_produce(s, m->sum, "multiply");
    ww_domain_loop(s, ww_imm(1), ww_arg(reject_params, trips, 1), ww_imm(1)) {
        ww_wait(s, m->ring);
        ww_produce(s, m->sum, "multiply");
        ww_consume(s, m->sum, "settle_last");
        ww_release(s, m->ring);
    }
    ww_consume(s, m->sum, "settle");
    ww_release(s, m->ring);
}

static void one_trip_late(ww_kernel *k)
{
    declare(k, true, release_one_late);
}

/* ---- bulk stores ---------------------------------------------------------------------------------------------- */

static const ww_work stored_work[] = {{.name = "fill", .side = WW_PRODUCER},
                                      {.name = "store", .side = WW_CONSUMER, .bulk_store = true},
                                      {.name = "settle", .side = WW_CONSUMER, .bulk_wait = WW_BULK_WAIT(0)},
                                      {.name = NULL}};

static void store_and_release(ww_schedule *s, void *ring)
{
    reject_loop(s)
    {
        ww_wait(s, ring);
        ww_consume(s, ring, "store");
        ww_release(s, ring), BLAME;
    }
}

static void store_settle_release(ww_schedule *s, void *ring)
{
    reject_loop(s)
    {
        ww_wait(s, ring);
        ww_consume(s, ring, "store");
        ww_consume(s, ring, "settle");
        ww_release(s, ring);
    }
}

static void declare_store(ww_kernel *k, ww_schedule_function *store)
{
    const ww_resource_options options = {.pipeline = ww_pipeline_async_tma(.stages = 2),
                                         .buffers = {{.name = "data", .bytes = 1024}},
                                         .work = stored_work};
    ww_resource *ring = ww_resource_new(k, "ring", &options);
    reject_task(k, "math", 0, 4, reject_producer, ring);
    reject_task(k, "store", 4, 1, store, ring);
}

static void while_a_bulk_store_reads(ww_kernel *k)
{
    declare_store(k, store_and_release);
}

static void when_the_bulk_store_has_read(ww_kernel *k)
{
    declare_store(k, store_settle_release);
}

/* ---- tcgen05, released by threads -------------------------------------------------------------------------------- */

static const ww_work tensor_work[] = {{.name = "multiply", .side = WW_PRODUCER, .umma_reads = {"ring"}},
                                      {.name = "use", .side = WW_CONSUMER},
                                      {.name = NULL}};

static void multiply_by_tcgen05(ww_schedule *s, void *context)
{
    mma *m = context;
    reject_loop(s)
    {
        ww_wait(s, m->ring);
        ww_acquire(s, m->sum);
        ww_produce(s, m->sum, "multiply");
        ww_release(s, m->ring), BLAME;
        ww_commit(s, m->sum);
    }
}

static void declare_tcgen05(ww_kernel *k, ww_pipeline pipeline)
{
    mma m = {reject_ring(k, "ring", pipeline),
             ww_resource_new(k, "sum",
                             &(ww_resource_options){.pipeline = ww_pipeline_umma_async(.stages = 2),
                                                    .tmem = {{"acc", 32}},
                                                    .work = tensor_work})};
    reject_task(k, "load", 0, 1, reject_producer, m.ring);
    reject_task(k, "math", 1, 1, multiply_by_tcgen05, &m);
    reject_task(k, "store", 4, 4, reject_consumer, m.sum);
}

static void by_threads_while_tcgen05_reads(ww_kernel *k)
{
    declare_tcgen05(k, ww_pipeline_tma_async());
}

static void by_tcgen05_itself(ww_kernel *k)
{
    declare_tcgen05(k, ww_pipeline_tma_umma());
}

const reject_case reject_early_release[] = {
    {"early_release: at once", at_once, WW_EARLY_RELEASE,
     "task math: a slot of ring is released while wgmma may still read it, in the first trip of its loop",
     "before it, a work body that waits until no group is in flight", "the group of sum.multiply in flight"},
    {"early_release: while its own group runs", while_its_own_group_runs, WW_EARLY_RELEASE,
     "task math: a slot of ring is released while wgmma may still read it, in the first trip of its loop",
     "before it, a work body that waits until no group is in flight", "the group of sum.multiply in flight"},
    {"early_release: while a bulk store reads", while_a_bulk_store_reads, WW_EARLY_RELEASE,
     "task store: a slot of ring is released while a bulk store may still read it, in the first trip of its "
     "loop",
     "before it, a work body that waits until no group is in flight", "the group of ring.store in flight"},
    {"early_release: by threads, while tcgen05 reads",
     by_threads_while_tcgen05_reads,
     WW_EARLY_RELEASE,
     "task math: a slot of ring is released while tcgen05 may still read it, in the first trip of its loop",
     "a pipeline type whose consumer is UMMA: its release is a tcgen05.commit",
     "sum.multiply under way",
     {.arch = "sm_100a"}},
    {"early_release: when the bulk store has read", when_the_bulk_store_has_read, 0, NULL, NULL, NULL},
    {"early_release: by tcgen05 itself", by_tcgen05_itself, 0, NULL, NULL, NULL, {.arch = "sm_100a"}},
    {"early_release: when the group has finished", when_the_group_has_finished, 0, NULL, NULL, NULL},
    {"early_release: one trip late", one_trip_late, 0, NULL, NULL, NULL},
    {0},
};
