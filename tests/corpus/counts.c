/* Arrivals: how many a barrier expects, and how many come. */
#include "corpus.h"

static void declare(ww_kernel *k, ww_pipeline pipeline, int producers, int consumers)
{
    ww_resource *ring = corpus_ring(k, "ring", pipeline);
    corpus_task(k, "load", 0, producers, corpus_producer, ring);
    corpus_task(k, "math", 4, consumers, corpus_consumer, ring);
}

/* ---- 1: one thread issues the copies, whole warps give the slots back ------------------------------------------ */

static void a_warp_expected_of_one_thread(ww_kernel *k)
{
    declare(k, ww_pipeline_tma_async(.stages = 3, .producer_arrivals = 32), 1, 4);
}

static void one_release_expected_of_four_warps(ww_kernel *k)
{
    declare(k, ww_pipeline_tma_async(.stages = 3, .consumer_arrivals = 1), 1, 4);
}

static void one_thread_and_all_consumers(ww_kernel *k)
{
    declare(k, ww_pipeline_tma_async(.stages = 3, .producer_arrivals = 1, .consumer_arrivals = 128), 1, 4);
}

/* ---- 2: 32 consumer threads are a quarter of a warpgroup, and not none -------------------------------------------- */

static void one_consumer_warp(ww_kernel *k)
{
    declare(k, ww_pipeline_async_async(.stages = 2), 2, 1);
}

/* ---- 3: one lane speaks for its warp, when all lanes have read -------------------------------------------------------- */

static void one_release_a_warp(ww_kernel *k)
{
    declare(k, ww_pipeline_tma_async(.stages = 2), 1, 4);
}

/* ---- 4: threads that hand tiles to the tensor core ------------------------------------------------------------------------ */

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

static void declare_mma(ww_kernel *k, uint32_t commits)
{
    mma m = {corpus_ring(k, "operand", ww_pipeline_async_umma(.stages = 2, .producer_arrivals = commits)),
             ww_resource_new(k, "sum",
                             &(ww_resource_options){.pipeline = ww_pipeline_umma_async(.stages = 1),
                                                    .tmem = {{"acc", 32}},
                                                    .work = sum_work})};
    corpus_task(k, "softmax", 0, 4, corpus_producer, m.operand);
    corpus_task(k, "math", 4, 1, multiply, &m);
    corpus_task(k, "store", 8, 4, corpus_consumer, m.sum);
}

static void one_a_warp_where_all_threads_arrive(ww_kernel *k)
{
    declare_mma(k, 4);
}

static void all_threads(ww_kernel *k)
{
    declare_mma(k, 128);
}

/* ---- 5: an arrival too many, too few, and one that nobody expects ------------------------------------------------------------ */

static void two_arrive_on_a_count_of_one(ww_kernel *k)
{
    declare(k, ww_pipeline_async_async(.stages = 2, .producer_arrivals = 32), 2, 1);
}

static void one_arrives_on_a_count_of_two(ww_kernel *k)
{
    declare(k, ww_pipeline_async_async(.stages = 2, .producer_arrivals = 64), 1, 1);
}

static void two_arrive_on_a_count_of_two(ww_kernel *k)
{
    declare(k, ww_pipeline_async_async(.stages = 2, .producer_arrivals = 64), 2, 1);
}

static void fill_and_commit_again(ww_schedule *s, void *ring)
{
    corpus_producer(s, ring);
    ww_commit(s, ring);
}

static void a_commit_of_nothing(ww_kernel *k)
{
    ww_resource *ring = corpus_ring(k, "ring", ww_pipeline_async_async());
    corpus_task(k, "load", 0, 1, fill_and_commit_again, ring);
    corpus_task(k, "math", 4, 1, corpus_consumer, ring);
}

static void a_commit_for_each_fill(ww_kernel *k)
{
    declare(k, ww_pipeline_async_async(.stages = 2), 1, 1);
}

/* ---- 7: a tile without work only arrives, and arrives again before the others have passed ---------------------------------------- */

typedef struct meeting {
    ww_resource *barrier, *tile;
} meeting;

static void meet_or_arrive(ww_schedule *s, void *context)
{
    meeting *m = context;
    corpus_loop(s)
    {
        ww_token work;
        ww_consume(s, m->tile, "test", .out = {&work});
        ww_when_true(s, work, "has_work") {
            ww_sync(s, m->barrier);
        }
        ww_when_false(s, work, "has_work") {
            ww_sync_arrive(s, m->barrier);
        }
    }
}

static void meet(ww_schedule *s, void *context)
{
    meeting *m = context;
    corpus_loop(s)
    {
        ww_sync(s, m->barrier);
    }
}

static void declare_meeting(ww_kernel *k, ww_schedule_function *first)
{
    meeting m = {ww_named_barrier_new(k, "ready", 0), corpus_plain(k, "tile")};
    corpus_task(k, "math", 0, 4, first, &m);
    corpus_task(k, "correct", 4, 4, meet, &m);
}

static void an_arrival_where_work_is_missing(ww_kernel *k)
{
    declare_meeting(k, meet_or_arrive);
}

static void meet_in_both_cases(ww_schedule *s, void *context)
{
    meeting *m = context;
    corpus_loop(s)
    {
        ww_token work;
        ww_consume(s, m->tile, "test", .out = {&work});
        ww_when_true(s, work, "has_work") {
            ww_sync(s, m->barrier);
        }
        ww_when_false(s, work, "has_work") {
            ww_sync(s, m->barrier);
        }
    }
}

static void a_meeting_either_way(ww_kernel *k)
{
    declare_meeting(k, meet_in_both_cases);
}

/* ---- 9: a barrier for all 384 threads in a branch that 128 of them enter ---------------------------------------------------------- */

static void declare_barrier(ww_kernel *k, int threads)
{
    meeting m = {ww_named_barrier_new(k, "ready", threads), NULL};
    ww_resource *ring = corpus_ring(k, "ring", ww_pipeline_async_async());
    corpus_task(k, "reduce", 0, 4, meet, &m);
    corpus_task(k, "load", 4, 1, corpus_producer, ring);
    corpus_task(k, "math", 8, 4, corpus_consumer, ring);
}

static void all_threads_of_the_cta(ww_kernel *k)
{
    declare_barrier(k, 384);
}

static void all_threads_of_the_branch(ww_kernel *k)
{
    declare_barrier(k, 128);
}

const corpus_case corpus_counts[] = {
    {"1", "the full barrier expects a warp, one thread arrives", a_warp_expected_of_one_thread, WW_ARRIVALS,
     "the full barrier of ring expects 32 arrivals a phase, and never receives so many",
     one_thread_and_all_consumers},
    {"1", "the empty barrier expects one arrival, four warps make more", one_release_expected_of_four_warps,
     WW_ARRIVALS, "the empty barrier of ring expects 1 arrival a phase, and receives more",
     one_thread_and_all_consumers},
    {"2", "a single consumer warp makes a count of 32", NULL, 0, NULL, one_consumer_warp,
     .emits = {"ww_barriers + 8 * i, 32);"}},
    {"3", "all lanes have read before one of them releases", NULL, 0, NULL, one_release_a_warp,
     .emits = {"// task math", "ring_use(", "ww::syncwarp();", "ww::mbarrier_arrive("}},
    {"4", "one arrival a warp expected, all threads arrive", one_a_warp_where_all_threads_arrive, WW_ARRIVALS,
     "the full barrier of operand expects 4 arrivals a phase, and receives more", all_threads, "sm_100a"},
    {"5", "two arrivals on a count of one", two_arrive_on_a_count_of_one, WW_ARRIVALS,
     "the full barrier of ring expects 32 arrivals a phase, and receives more", two_arrive_on_a_count_of_two},
    {"5", "one arrival on a count of two", one_arrives_on_a_count_of_two, WW_ARRIVALS,
     "the full barrier of ring expects 64 arrivals a phase, and never receives so many",
     two_arrive_on_a_count_of_two},
    {"5", "an arrival past the last phase", a_commit_of_nothing, WW_BRACKET,
     "task load: commit(ring) closes a slot, and none is open, after its loop", a_commit_for_each_fill},
    {"7", "the branch without work only arrives", an_arrival_where_work_is_missing, WW_OVER_ARRIVAL,
     "with trips = 2, has_work false in trip 0, has_work false in trip 1, task math: sync_arrive(ready) in "
     "trip 1 of its loop may arrive while an earlier phase is open on ready",
     a_meeting_either_way},
    {"9", "more threads than enter the branch", all_threads_of_the_cta, WW_NAMED_BARRIER,
     "named barrier ready waits for 384 threads, and so many never come", all_threads_of_the_branch},
    {"10", "the CTA meets between the first barrier's birth and its first use", NULL, 0, NULL,
     one_release_a_warp,
     .emits = {"ww::mbarrier_init(", "ww::fence_mbarrier_init();", "__syncthreads();", "ww::mbarrier_wait("}},
    {0},
};
