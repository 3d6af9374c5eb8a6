/* 116: members of a group share a barrier, and where two CTAs share an MMA (V = 2) the types of the tensor core keep it at
 * another place than those of threads. */
#include "reject.h"

typedef struct pairs {
    ww_resource *seen, *operand, *both, *sum;
} pairs;

static const ww_work ring_work[] = {{.name = "fill", .side = WW_PRODUCER},
                                    {.name = "copy", .side = WW_PRODUCER, .copies = {{"data", 1024}}},
                                    {.name = "use", .side = WW_CONSUMER},
                                    {0}};

static ww_resource *ring(ww_kernel *k, const char *name, ww_pipeline_type type, ww_resource *shares)
{
    return ww_resource_new(
        k, name,
        &(ww_resource_options){.pipeline = {.type = type, .stages = 2},
                               .buffers = {{.name = "data", .bytes = 1024, .shares = shares}},
                               .work = ring_work});
}

static ww_resource *sum_of(ww_kernel *k, const char *operand, const char *other)
{
    const ww_work work[] = {{.name = "multiply", .side = WW_PRODUCER, .umma_reads = {operand, other}},
                            {.name = "read", .side = WW_CONSUMER},
                            {0}};
    return ww_resource_new(k, "sum",
                           &(ww_resource_options){.pipeline = {.type = WW_UMMA_ASYNC, .stages = 1},
                                                  .tmem = {{"sum", 32}},
                                                  .work = work});
}

/* ---- a fork: threads and the tensor core read what is filled once ------------------------------------------- */

static void fill_both(ww_schedule *s, void *context)
{
    const pairs *p = context;
    reject_loop(s)
    {
        ww_acquire(s, p->operand);
        ww_acquire(s, p->seen);
        ww_produce(s, p->operand, "fill");
        ww_commit(s, p->both);
    }
}

static void copy_both(ww_schedule *s, void *context)
{
    const pairs *p = context;
    reject_loop(s)
    {
        ww_acquire(s, p->operand);
        ww_acquire(s, p->seen);
        ww_produce(s, p->operand, "copy");
        ww_commit(s, p->both);
    }
}

static void multiply(ww_schedule *s, void *context)
{
    const pairs *p = context;
    ww_acquire(s, p->sum);
    reject_loop(s)
    {
        ww_wait(s, p->operand);
        ww_produce(s, p->sum, "multiply");
        ww_release(s, p->operand);
    }
    ww_commit(s, p->sum);
}

static void watch(ww_schedule *s, void *context)
{
    reject_consumer(s, ((const pairs *)context)->seen);
}

static void read_sum(ww_schedule *s, void *context)
{
    const pairs *p = context;
    ww_wait(s, p->sum);
    ww_consume(s, p->sum, "read");
    ww_release(s, p->sum);
}

static void fork(ww_kernel *k, ww_pipeline_type tensor_core, ww_pipeline_type threads,
                 ww_schedule_function *fill)
{
    pairs p = {0};
    p.operand = ring(k, "operand", tensor_core, NULL);
    p.seen = ring(k, "seen", threads, p.operand);
    ww_group_options group = {.mode = WW_FORK, .members = {p.operand, p.seen}};
    p.both = ww_group_new(k, "both", &group), BLAME;
    p.sum = sum_of(k, "operand", NULL);
    reject_task(k, "load", 0, 1, fill, &p);
    reject_task(k, "math", 1, 1, multiply, &p);
    reject_task(k, "watch", 2, 1, watch, &p);
    reject_task(k, "store", 4, 4, read_sum, &p);
}

static void fork_of_copies(ww_kernel *k)
{
    fork(k, WW_TMA_UMMA, WW_TMA_ASYNC, copy_both);
}

static void fork_of_threads(ww_kernel *k)
{
    fork(k, WW_ASYNC_UMMA, WW_ASYNC_ASYNC, fill_both);
}

/* ---- a merge: two producers, one consumer ---------------------------------------------------------------- */

static void fill_seen(ww_schedule *s, void *context)
{
    const pairs *p = context;
    ww_acquire(s, p->seen);
    ww_produce(s, p->seen, "fill");
    ww_commit(s, p->seen);
}

static void copy_operand(ww_schedule *s, void *context)
{
    const pairs *p = context;
    reject_loop(s)
    {
        ww_acquire(s, p->operand);
        ww_produce(s, p->operand, "copy");
        ww_commit(s, p->operand);
    }
}

static void read_merged(ww_schedule *s, void *context)
{
    const pairs *p = context;
    ww_wait(s, p->sum);
    ww_consume(s, p->sum, "read");
    ww_wait(s, p->seen);
    ww_consume(s, p->seen, "use");
    ww_release(s, p->both);
}

static void merge_of_threads_and_mma(ww_kernel *k)
{
    pairs p = {0};
    p.operand = ring(k, "operand", WW_TMA_UMMA, NULL);
    p.sum = sum_of(k, "operand", NULL);
    p.seen = ww_resource_new(k, "bias",
                             &(ww_resource_options){.pipeline = {.type = WW_ASYNC_ASYNC, .stages = 1},
                                                    .buffers = {{.name = "data", .bytes = 1024}},
                                                    .work = ring_work});
    ww_group_options group = {.mode = WW_MERGE, .members = {p.sum, p.seen}};
    p.both = ww_group_new(k, "both", &group), BLAME;
    reject_task(k, "load", 0, 1, copy_operand, &p);
    reject_task(k, "math", 1, 1, multiply, &p);
    reject_task(k, "bias", 2, 1, fill_seen, &p);
    reject_task(k, "store", 4, 4, read_merged, &p);
}

/* Both members are read by the tensor core: their releases tell both CTAs. */
static void fill_operand(ww_schedule *s, void *context)
{
    reject_producer(s, ((const pairs *)context)->seen);
}

static void multiply_both(ww_schedule *s, void *context)
{
    const pairs *p = context;
    ww_acquire(s, p->sum);
    reject_loop(s)
    {
        ww_wait(s, p->operand);
        ww_wait(s, p->seen);
        ww_produce(s, p->sum, "multiply");
        ww_release(s, p->both);
    }
    ww_commit(s, p->sum);
}

static void merge_of_operands(ww_kernel *k)
{
    pairs p = {0};
    p.operand = ring(k, "operand", WW_TMA_UMMA, NULL);
    p.seen = ring(k, "factors", WW_ASYNC_UMMA, NULL);
    p.both = ww_group_new(k, "both", &(ww_group_options){.mode = WW_MERGE, .members = {p.operand, p.seen}});
    p.sum = sum_of(k, "operand", "factors");
    reject_task(k, "load", 0, 1, copy_operand, &p);
    reject_task(k, "scale", 2, 1, fill_operand, &p);
    reject_task(k, "math", 1, 1, multiply_both, &p);
    reject_task(k, "store", 4, 4, read_sum, &p);
}

#define SINGLE                                                                                               \
    {                                                                                                        \
        .arch = "sm_100a"                                                                                    \
    }
#define PAIR                                                                                                 \
    {                                                                                                        \
        .arch = "sm_100a", .cluster = {.v = 2 }                                                              \
    }

const reject_case reject_group_pairs[] = {
    {"group_pairs: a fork of bulk copies to threads and tensor core", fork_of_copies, WW_GROUP,
     "group both: with V = 2, one commit cannot speak for both operand and seen",
     "members whose commit arrives at the same barriers in every CTA",
     "in CTA 1 of the cluster, operand (TmaUmma) at the leader's barrier, seen (TmaAsync) at its own barrier",
     PAIR},
    {"group_pairs: a fork of threads to threads and tensor core", fork_of_threads, WW_GROUP,
     "group both: with V = 2, one commit cannot speak for both operand and seen",
     "members whose commit arrives at the same barriers in every CTA",
     "in CTA 1 of the cluster, operand (AsyncUmma) at the leader's barrier, seen (AsyncAsync) at its own "
     "barrier",
     PAIR},
    {"group_pairs: a merge of tensor core and threads", merge_of_threads_and_mma, WW_GROUP,
     "group both: with V = 2, one release cannot speak for both sum and bias",
     "members whose release arrives at the same barriers in every CTA",
     "in CTA 1 of the cluster, sum (UmmaAsync) at the leader's barrier, bias (AsyncAsync) at its own barrier",
     PAIR},
    {"group_pairs: that fork of bulk copies in single CTAs", fork_of_copies, 0, NULL, NULL, NULL, SINGLE},
    {"group_pairs: that fork of threads in single CTAs", fork_of_threads, 0, NULL, NULL, NULL, SINGLE},
    {"group_pairs: that merge in single CTAs", merge_of_threads_and_mma, 0, NULL, NULL, NULL, SINGLE},
    {"group_pairs: a merge of operands, in pairs", merge_of_operands, 0, NULL, NULL, NULL, PAIR},
    {0},
};
