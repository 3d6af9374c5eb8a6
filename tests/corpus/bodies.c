/* Bodies: what rules and prover cannot see, because the declaration is right. The audit compares the compiled body with its
 * row; bodies.cuh has both forms of each. */
#include "corpus.h"

/* ---- 9, 24, 65: a ring that is filled by a copy ------------------------------------------------------------------ */

static const ww_work copied_work[] = {{.name = "copy", .side = WW_PRODUCER, .copies = {{"data", 1024}}},
                                      {.name = "use", .side = WW_CONSUMER},
                                      {.name = NULL}};

static void copy(ww_schedule *s, void *ring)
{
    corpus_loop(s)
    {
        ww_acquire(s, ring);
        ww_produce(s, ring, "copy");
        ww_commit(s, ring);
    }
}

/* Who copies has 40 registers a thread. */
static void declare_copied(ww_kernel *k, const char *type)
{
    ww_resource *ring = ww_resource_new(k, "ring",
                                        &(ww_resource_options){.type = type,
                                                               .pipeline = ww_pipeline_tma_async(.stages = 2),
                                                               .buffers = {{"data", 1024}},
                                                               .work = copied_work});
    (void)ww_task_new(k, "load",
                      &(ww_task_options){.warps = 1, .registers = 40, .schedule = copy, .context = ring});
    (void)ww_task_new(k, "idle", &(ww_task_options){.first_warp = 1, .warps = 3, .registers = 40});
    (void)ww_task_new(
        k, "use",
        &(ww_task_options){
            .first_warp = 4, .warps = 4, .registers = 232, .schedule = corpus_consumer, .context = ring});
}

static void copied(ww_kernel *k)
{
    declare_copied(k, "right");
}

static void met_by_all(ww_kernel *k)
{
    declare_copied(k, "bug9");
}

static void copied_by_half(ww_kernel *k)
{
    declare_copied(k, "bug24");
}

static void printed(ww_kernel *k)
{
    declare_copied(k, "bug65");
}

/* ---- 39: memory without a pipeline, between named barriers, and a bulk store ----------------------------------- */

typedef struct staging {
    ww_resource *memory, *full, *empty;
} staging;

static const ww_work staged_work[] = {{.name = "stage", .side = WW_PRODUCER},
                                      {.name = "store", .side = WW_CONSUMER, .bulk_store = true},
                                      {.name = "settle", .side = WW_CONSUMER, .bulk_wait = WW_BULK_WAIT(0)},
                                      {.name = NULL}};

static void stage(ww_schedule *s, void *context)
{
    const staging *g = context;
    corpus_loop(s)
    {
        ww_produce(s, g->memory, "stage");
        ww_sync(s, g->full);
        ww_sync(s, g->empty);
    }
}

static void store(ww_schedule *s, void *context)
{
    const staging *g = context;
    corpus_loop(s)
    {
        ww_sync(s, g->full);
        ww_consume(s, g->memory, "store");
        ww_consume(s, g->memory, "settle");
        ww_sync(s, g->empty);
    }
}

static void declare_staged(ww_kernel *k, const char *type)
{
    staging g = {ww_resource_new(
                     k, "staging",
                     &(ww_resource_options){.type = type, .buffers = {{"data", 1024}}, .work = staged_work}),
                 ww_named_barrier_new(k, "full", 0), ww_named_barrier_new(k, "empty", 0)};
    corpus_task(k, "math", 0, 4, stage, &g);
    corpus_task(k, "store", 4, 1, store, &g);
}

static void staged(ww_kernel *k)
{
    declare_staged(k, "right");
}

static void staged_with_a_wide_fence(ww_kernel *k)
{
    declare_staged(k, "bug39");
}

/* ---- 43: tensor memory that threads write --------------------------------------------------------------------------- */

static const ww_work tensor_work[] = {
    {.name = "put", .side = WW_PRODUCER}, {.name = "take", .side = WW_CONSUMER}, {.name = NULL}};

static void put(ww_schedule *s, void *ring)
{
    corpus_loop(s)
    {
        ww_acquire(s, ring);
        ww_produce(s, ring, "put");
        ww_commit(s, ring);
    }
}

static void take(ww_schedule *s, void *ring)
{
    corpus_loop(s)
    {
        ww_wait(s, ring);
        ww_consume(s, ring, "take");
        ww_release(s, ring);
    }
}

static void declare_tensor(ww_kernel *k, const char *type)
{
    ww_resource *ring =
        ww_resource_new(k, "ring",
                        &(ww_resource_options){.type = type,
                                               .pipeline = ww_pipeline_async_async(.stages = 2),
                                               .tmem = {{"sums", 32}},
                                               .work = tensor_work});
    corpus_task(k, "math", 0, 4, put, ring);
    corpus_task(k, "store", 4, 4, take, ring);
}

static void put_and_awaited(ww_kernel *k)
{
    declare_tensor(k, "right");
}

static void put_and_announced(ww_kernel *k)
{
    declare_tensor(k, "bug43");
}

const corpus_case corpus_bodies[] = {
    {"9", "a body that waits for the whole CTA", met_by_all, WW_BODY_SYNC,
     "work ring.use waits at the barrier of the whole CTA, in a task of 4 of its 8 warps", copied,
     .audited = true},
    {"24", "a body that copies half of what its row says", copied_by_half, WW_BODY_COPIES,
     "work ring.copy copies 512 bytes into buffer data, and its row says 1024", copied, .audited = true},
    {"39", "a body that fences all memory", staged_with_a_wide_fence, WW_BODY_FENCE,
     "work staging.stage fences more than shared memory", staged, .audited = true},
    {"43", "a body that stores to tensor memory and does not wait", put_and_announced, WW_BODY_PENDING,
     "work ring.put returns while a tcgen05.st of it may be under way", put_and_awaited, "sm_100a",
     .audited = true},
    {"65", "a body that prints in a task of 40 registers", printed, WW_BODY_CALL,
     "work ring.copy calls a function in task load, which has given registers back: it has 40 of 255", copied,
     .audited = true},
    {0},
};
