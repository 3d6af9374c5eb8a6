/* Clusters and tensor memory: who may leave, who must be told, what is given back when. */
#include "corpus.h"

/* ---- 49, 50: CTAs that copy into each other ------------------------------------------------------------------------- */

static void declare_peers(ww_kernel *k, ww_pipeline pipeline)
{
    ww_resource *ring = corpus_ring(k, "ring", pipeline);
    corpus_task(k, "send", 0, 1, corpus_producer, ring);
    corpus_task(k, "receive", 4, 4, corpus_consumer, ring);
}

static void peers(ww_kernel *k)
{
    declare_peers(k, ww_pipeline_peer_async());
}

static void send_one_more(ww_schedule *s, void *ring)
{
    corpus_producer(s, ring);
    corpus_fill(s, ring);
}

/* The last copy lands in a CTA that may have left. */
static void a_copy_nobody_waits_for(ww_kernel *k)
{
    ww_resource *ring = corpus_ring(k, "ring", ww_pipeline_peer_async());
    corpus_task(k, "send", 0, 1, send_one_more, ring);
    corpus_task(k, "receive", 4, 4, corpus_consumer, ring);
}

/* ---- multicast whose releases stay at home ------------------------------------------------------------------------------ */

static const ww_work shared_work[] = {
    {.name = "fill", .side = WW_PRODUCER, .copies = {{"data", 512, WW_REACH_A}}},
    {.name = "use", .side = WW_CONSUMER},
    {.name = NULL}};

static void declare_multicast(ww_kernel *k, uint32_t releases)
{
    ww_resource *ring = ww_resource_new(
        k, "ring",
        &(ww_resource_options){.pipeline = ww_pipeline_tma_async(.stages = 2, .consumer_arrivals = releases),
                               .buffers = {{"data", 1024}},
                               .work = shared_work});
    corpus_task(k, "load", 0, 1, corpus_producer, ring);
    corpus_task(k, "math", 4, 4, corpus_consumer, ring);
}

static void releases_of_one_cta(ww_kernel *k)
{
    declare_multicast(k, 4);
}

static void releases_of_both_ctas(ww_kernel *k)
{
    declare_multicast(k, 8);
}

/* ---- 45, 58, 59, 60: tensor memory ------------------------------------------------------------------------------------------ */

typedef struct mma {
    ww_resource *operand, *sum;
} mma;

static const ww_work sum_work[] = {{.name = "multiply", .side = WW_PRODUCER, .umma_reads = {"operand"}},
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

static void accumulators(ww_kernel *k)
{
    mma m = {corpus_ring(k, "operand", ww_pipeline_tma_umma(.stages = 2)),
             ww_resource_new(k, "sum",
                             &(ww_resource_options){.pipeline = ww_pipeline_umma_async(.stages = 2),
                                                    .tmem = {{"acc", 32}},
                                                    .work = sum_work})};
    corpus_task(k, "load", 0, 1, corpus_producer, m.operand);
    corpus_task(k, "math", 1, 1, multiply, &m);
    corpus_task(k, "store", 4, 4, corpus_consumer, m.sum);
}

const corpus_case corpus_clusters[] = {
    {"49", "a copy into a peer that does not wait for it", a_copy_nobody_waits_for, WW_LEFTOVER,
     "with trips = 0, ring.full[0] of CTA 0 is filled and nobody waits for it", peers, .cluster = {.m = 2},
     .emits = {"// task receive", "ww::cluster_arrive();", "ww::cluster_wait();"}},
    {"49", "a multicast that counts the releases at home alone", releases_of_one_cta, WW_ARRIVALS,
     "the empty barrier of ring expects 4 arrivals a phase, and receives more", releases_of_both_ctas,
     .cluster = {.n = 2}},
    {"50", "the cluster meets before anyone arrives at a peer", NULL, 0, NULL, peers, .cluster = {.m = 2},
     .emits = {"ww::fence_mbarrier_init();", "ww::cluster_arrive_relaxed();", "ww::cluster_wait();",
               "// task send"}},
    {"58", "all are done with tensor memory before it goes back", NULL, 0, NULL, accumulators, "sm_100a",
     .emits = {"// task store", "ww::tcgen05_fence_before_thread_sync();", "__syncthreads();",
               "ww::tcgen05_dealloc<1>("}},
    {"59", "the warps that read tensor memory last meet with the one that frees it", NULL, 0, NULL,
     accumulators, "sm_100a",
     .emits = {"sum_use(", "ww::mbarrier_arrive(", "__syncthreads();", "ww::tcgen05_dealloc<1>("}},
    {"60",
     "memory of a pair is allocated and freed between meetings of the cluster",
     NULL,
     0,
     NULL,
     accumulators,
     "sm_100a",
     {.v = 2},
     {"ww::tcgen05_alloc<2>(", "ww::cluster_wait();", "ww::cluster_wait();", "ww::tcgen05_dealloc<2>("}},
    {0},
};
