/* Engines: tensor cores and bulk stores read what threads have written, and the fences between them. */
#include "corpus.h"

typedef struct mma {
    ww_resource *operand, *sum;
} mma;

struct met {
    ww_resource *board, *filled;
};

/* ---- 33, 38, 39: shared memory that threads write and a bulk store reads ------------------------------------------------ */

static const ww_work stored_work[] = {{.name = "fill", .side = WW_PRODUCER},
                                      {.name = "store", .side = WW_CONSUMER, .bulk_store = true},
                                      {.name = "settle", .side = WW_CONSUMER, .bulk_wait = WW_BULK_WAIT(0)},
                                      {.name = NULL}};

static void store_settled(ww_schedule *s, void *ring)
{
    corpus_loop(s)
    {
        ww_wait(s, ring);
        ww_consume(s, ring, "store");
        ww_consume(s, ring, "settle");
        ww_release(s, ring);
    }
}

static void stored_from(ww_kernel *k, ww_pipeline pipeline)
{
    ww_resource *ring = ww_resource_new(
        k, "ring",
        &(ww_resource_options){.pipeline = pipeline, .buffers = {{"data", 1024}}, .work = stored_work});
    corpus_task(k, "math", 0, 4, corpus_producer, ring);
    corpus_task(k, "store", 4, 1, store_settled, ring);
}

static void stored_from_a_ring_of_threads(ww_kernel *k)
{
    stored_from(k, ww_pipeline_async_async(.stages = 2));
}

static void stored_from_a_ring_for_stores(ww_kernel *k)
{
    stored_from(k, ww_pipeline_async_tma(.stages = 2));
}

/* Memory without a pipeline: the stores come behind a loop, which may have no trip, and a barrier. */
static void fill_and_meet(ww_schedule *s, void *context)
{
    struct met *m = context;
    corpus_loop(s)
    {
        ww_produce(s, m->board, "fill");
    }
    ww_sync(s, m->filled);
}

static void meet_and_store(ww_schedule *s, void *context)
{
    struct met *m = context;
    ww_sync(s, m->filled);
    ww_consume(s, m->board, "store");
    ww_consume(s, m->board, "settle");
}

static void stored_behind_a_barrier(ww_kernel *k)
{
    struct met m = {
        ww_resource_new(k, "board", &(ww_resource_options){.buffers = {{"data", 1024}}, .work = stored_work}),
        ww_named_barrier_new(k, "filled", 0)};
    corpus_task(k, "math", 0, 4, fill_and_meet, &m);
    corpus_task(k, "store", 4, 1, meet_and_store, &m);
}

/* ---- 35: and tcgen05 -------------------------------------------------------------------------------------------------- */

static const ww_work umma_work[] = {{.name = "multiply", .side = WW_PRODUCER, .umma_reads = {"operand"}},
                                    {.name = "use", .side = WW_CONSUMER},
                                    {.name = NULL}};

static void multiply(ww_schedule *s, void *context)
{
    mma *m = context;
    corpus_loop(s)
    {
        ww_wait(s, m->operand);
        ww_acquire(s, m->sum);
        ww_produce(s, m->sum, "multiply");
        ww_release(s, m->operand);
        ww_commit(s, m->sum);
    }
}

static void declare_umma(ww_kernel *k, ww_pipeline pipeline, int fillers)
{
    mma m = {corpus_ring(k, "operand", pipeline),
             ww_resource_new(k, "sum",
                             &(ww_resource_options){.pipeline = ww_pipeline_umma_async(.stages = 1),
                                                    .tmem = {{"acc", 32}},
                                                    .work = umma_work})};
    corpus_task(k, "fill", 0, fillers, corpus_producer, m.operand);
    corpus_task(k, "math", 4, 1, multiply, &m);
    corpus_task(k, "store", 8, 4, corpus_consumer, m.sum);
}

static void tcgen05_on_a_ring_of_threads(ww_kernel *k)
{
    declare_umma(k, ww_pipeline_async_async(.stages = 2), 4);
}

static void tcgen05_on_its_own_ring(ww_kernel *k)
{
    declare_umma(k, ww_pipeline_async_umma(.stages = 2), 4);
}

/* ---- 36, 40: and wgmma ------------------------------------------------------------------------------------------------------ */

static const ww_work wgmma_work[] = {{.name = "multiply", .side = WW_PRODUCER, .wgmma_reads = {"operand"}},
                                     {.name = "settle", .side = WW_PRODUCER, .wgmma_wait = WW_WGMMA_WAIT(0)},
                                     {.name = NULL}};

static void multiply_settled(ww_schedule *s, void *context)
{
    mma *m = context;
    corpus_loop(s)
    {
        ww_wait(s, m->operand);
        ww_produce(s, m->sum, "multiply");
        ww_produce(s, m->sum, "settle");
        ww_release(s, m->operand);
    }
}

static void declare_wgmma(ww_kernel *k, ww_pipeline pipeline)
{
    mma m = {corpus_ring(k, "operand", pipeline),
             ww_resource_new(k, "sum", &(ww_resource_options){.work = wgmma_work})};
    corpus_task(k, "fill", 0, 4, corpus_producer, m.operand);
    corpus_task(k, "math", 4, 4, multiply_settled, &m);
}

static void wgmma_on_a_ring_of_threads(ww_kernel *k)
{
    declare_wgmma(k, ww_pipeline_async_async(.stages = 2));
}

static void wgmma_on_its_own_ring(ww_kernel *k)
{
    declare_wgmma(k, ww_pipeline_async_wgmma(.stages = 2));
}

/* ---- 54: one MMA, two opinions about the CTAs that share it ----------------------------------------------------------------- */

static void a_ring_of_single_ctas(ww_kernel *k)
{
    declare_umma(k, ww_pipeline_tma_umma(.stages = 2, .cluster = {.v = 1, .m = 2}), 1);
}

static void a_ring_of_pairs(ww_kernel *k)
{
    declare_umma(k, ww_pipeline_tma_umma(.stages = 2, .cluster = {.v = 2}), 1);
}

const corpus_case corpus_engines[] = {
    {"33", "a bulk store of what threads have written", stored_from_a_ring_of_threads, WW_TENSOR_CORE,
     "task store: ring.store lets bulk stores read ring, and nobody fences the async proxy",
     stored_from_a_ring_for_stores, .emits = {"ring_fill(", "ww::fence_proxy_async_shared();"}},
    {"33", "a barrier between: the fence stands in the loop that writes", NULL, 0, NULL,
     stored_behind_a_barrier,
     .emits = {"board_fill(", "ww::fence_proxy_async_shared();", "ww::named_barrier_sync(", "board_store("}},
    {"36", "wgmma reads a ring of threads", wgmma_on_a_ring_of_threads, WW_TENSOR_CORE,
     "task math: sum.multiply lets wgmma read operand, and nobody fences the async proxy",
     wgmma_on_its_own_ring, .emits = {"operand_fill(", "ww::fence_proxy_async_shared();"}},
    {"38", "the fence stands before the arrival, and so before the store", NULL, 0, NULL,
     stored_from_a_ring_for_stores,
     .emits = {"ring_fill(", "ww::fence_proxy_async_shared();", "ww::mbarrier_arrive(", "ring_store("}},
    {"39", "the fence is for shared memory alone", NULL, 0, NULL, stored_from_a_ring_for_stores,
     .emits = {"ww::fence_proxy_async_shared();"}},
    {"35", "tcgen05 reads a ring of threads", tcgen05_on_a_ring_of_threads, WW_TENSOR_CORE,
     "task math: sum.multiply lets tcgen05 read operand, and nobody fences the async proxy",
     tcgen05_on_its_own_ring, "sm_100a", .emits = {"operand_fill(", "ww::fence_proxy_async_shared();"}},
    {"54",
     "a ring of CTAs for themselves in a kernel of pairs",
     a_ring_of_single_ctas,
     WW_BAD_CLUSTER,
     "resource operand: its pipeline has another cluster than the kernel",
     a_ring_of_pairs,
     "sm_100a",
     {.v = 2},
     {"sum_multiply(", "ww::tcgen05_commit_multicast<2>("}},
    {"40", "barriers are published with a fence", NULL, 0, NULL, wgmma_on_its_own_ring,
     .emits = {"ww::fence_mbarrier_init();", "__syncthreads();", "operand_fill(",
               "ww::fence_proxy_async_shared();"}},
    {0},
};
