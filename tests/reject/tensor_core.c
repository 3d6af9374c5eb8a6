/* 218 (and 101 for alignment): work and pipeline type name the same engine, and the task is one that can issue its work. */
#include "reject.h"

typedef struct mma {
    ww_resource *operand, *sum;
} mma;

static const ww_work operand_work[] = {{.name = "fill", .side = WW_PRODUCER},
                                       {.name = "copy", .side = WW_PRODUCER, .copies = {{"data", 1024}}},
                                       {.name = "use", .side = WW_CONSUMER},
                                       {.name = "store", .side = WW_CONSUMER, .bulk_store = true},
                                       {.name = "stored", .side = WW_CONSUMER, .bulk_wait = WW_BULK_WAIT(0)},
                                       {.name = NULL}};
static const ww_work sum_work[] = {{.name = "multiply", .side = WW_PRODUCER, .umma_reads = {"operand"}},
                                   {.name = "clear", .side = WW_PRODUCER},
                                   {.name = "use", .side = WW_CONSUMER},
                                   {.name = NULL}};

static const ww_work registers_work[] = {
    {.name = "multiply", .side = WW_PRODUCER, .wgmma_reads = {"operand"}},
    {.name = "settle", .side = WW_PRODUCER, .wgmma_wait = WW_WGMMA_WAIT(0)},
    {.name = NULL}};

static ww_resource *operand(ww_kernel *k, ww_pipeline pipeline)
{
    return ww_resource_new(k, "operand",
                           &(ww_resource_options){.pipeline = pipeline,
                                                  .buffers = {{.name = "data", .bytes = 1024}},
                                                  .work = operand_work});
}

static ww_resource *sum(ww_kernel *k, ww_pipeline pipeline)
{
    return ww_resource_new(
        k, "sum", &(ww_resource_options){.pipeline = pipeline, .tmem = {{"acc", 32}}, .work = sum_work});
}

/* ---- tcgen05 --------------------------------------------------------------------------------------------------- */

static void load(ww_schedule *s, void *context)
{
    mma *m = context;
    reject_loop(s)
    {
        ww_acquire(s, m->operand);
        ww_produce(s, m->operand, "copy");
        ww_commit(s, m->operand);
    }
}

static void math(ww_schedule *s, void *context)
{
    mma *m = context;
    reject_loop(s)
    {
        ww_wait(s, m->operand);
        ww_acquire(s, m->sum);
        ww_produce(s, m->sum, "multiply"), BLAME;
        ww_release(s, m->operand);
        ww_commit(s, m->sum);
    }
}

/* The release of a TmaUmma ring is a tcgen05.commit, but one that comes before the MMA it should cover. */
static void math_released_early(ww_schedule *s, void *context)
{
    mma *m = context;
    reject_loop(s)
    {
        ww_wait(s, m->operand);
        ww_acquire(s, m->sum);
        ww_release(s, m->operand);
        ww_produce(s, m->sum, "multiply"), BLAME;
        ww_commit(s, m->sum);
    }
}

static void math_by_threads(ww_schedule *s, void *context)
{
    mma *m = context;
    reject_loop(s)
    {
        ww_wait(s, m->operand);
        ww_consume(s, m->operand, "use");
        ww_release(s, m->operand), BLAME;
    }
}

static void clear(ww_schedule *s, void *context)
{
    mma *m = context;
    reject_loop(s)
    {
        ww_wait(s, m->operand);
        ww_acquire(s, m->sum);
        ww_produce(s, m->sum, "clear"), BLAME;
        ww_release(s, m->operand);
        ww_commit(s, m->sum);
    }
}

static void store(ww_schedule *s, void *context)
{
    reject_consumer(s, ((mma *)context)->sum);
}

static void declare(ww_kernel *k, ww_pipeline in, ww_pipeline out, ww_schedule_function *multiply, int warps)
{
    mma m = {operand(k, in), sum(k, out)};
    reject_task(k, "load", 0, 1, load, &m);
    reject_task(k, "math", 1, warps, multiply, &m);
    reject_task(k, "store", 4, 4, store, &m);
}

static void two_warps_issue(ww_kernel *k)
{
    declare(k, ww_pipeline_tma_umma(.stages = 2), ww_pipeline_umma_async(.stages = 1), math, 2);
}

static void threads_commit(ww_kernel *k)
{
    declare(k, ww_pipeline_tma_umma(.stages = 2), ww_pipeline_async_async(.stages = 1), math, 1);
}

static void no_tensor_core_fills(ww_kernel *k)
{
    declare(k, ww_pipeline_tma_async(.stages = 2), ww_pipeline_umma_async(.stages = 1), clear, 1);
}

static void no_tensor_core_reads(ww_kernel *k)
{
    mma m = {operand(k, ww_pipeline_tma_umma(.stages = 2)), NULL};
    reject_task(k, "load", 0, 1, load, &m);
    reject_task(k, "math", 1, 1, math_by_threads, &m);
}

static void released_before_the_mma(ww_kernel *k)
{
    declare(k, ww_pipeline_tma_umma(.stages = 2), ww_pipeline_umma_async(.stages = 1), math_released_early,
            1);
}

static void one_warp_issues(ww_kernel *k)
{
    declare(k, ww_pipeline_tma_umma(.stages = 2), ww_pipeline_umma_async(.stages = 1), math, 1);
}

/* ---- wgmma ----------------------------------------------------------------------------------------------------- */

static void warpgroup_math(ww_schedule *s, void *context)
{
    mma *m = context;
    reject_loop(s)
    {
        ww_wait(s, m->operand);
        ww_produce(s, m->sum, "multiply"), BLAME;
        ww_produce(s, m->sum, "settle");
        ww_release(s, m->operand);
    }
}

static void declare_wgmma(ww_kernel *k, int first_warp, int warps, ww_schedule_function *multiply)
{
    mma m = {operand(k, ww_pipeline_tma_wgmma(.stages = 2)),
             ww_resource_new(k, "sum", &(ww_resource_options){.work = registers_work})};
    reject_task(k, "load", 0, 1, load, &m);
    reject_task(k, "math", first_warp, warps, multiply, &m);
}

static void half_a_warpgroup(ww_kernel *k)
{
    declare_wgmma(k, 4, 2, warpgroup_math);
}

static void off_the_boundary(ww_kernel *k)
{
    declare_wgmma(k, 1, 4, warpgroup_math);
}

static void no_wgmma_reads(ww_kernel *k)
{
    declare_wgmma(k, 4, 4, math_by_threads);
}

static void a_warpgroup(ww_kernel *k)
{
    declare_wgmma(k, 4, 4, warpgroup_math);
}

/* ---- engines that read what threads fill --------------------------------------------------------------- */

static void fill(ww_schedule *s, void *context)
{
    mma *m = context;
    reject_loop(s)
    {
        ww_acquire(s, m->operand);
        ww_produce(s, m->operand, "fill");
        ww_commit(s, m->operand);
    }
}

static void bulk_store(ww_schedule *s, void *context)
{
    mma *m = context;
    reject_loop(s)
    {
        ww_wait(s, m->operand);
        ww_consume(s, m->operand, "store"), BLAME;
        ww_consume(s, m->operand, "stored");
        ww_release(s, m->operand);
    }
}

static void filled_by_threads(ww_kernel *k, ww_pipeline pipeline, ww_schedule_function *reader, int warps)
{
    mma m = {operand(k, pipeline), ww_resource_new(k, "sum", &(ww_resource_options){.work = registers_work})};
    reject_task(k, "load", 0, 4, fill, &m);
    reject_task(k, "math", 4, warps, reader, &m);
}

static void wgmma_without_fence(ww_kernel *k)
{
    filled_by_threads(k, ww_pipeline_async_async(.stages = 2), warpgroup_math, 4);
}

static void wgmma_with_fence(ww_kernel *k)
{
    filled_by_threads(k, ww_pipeline_async_wgmma(.stages = 2), warpgroup_math, 4);
}

static void store_without_fence(ww_kernel *k)
{
    filled_by_threads(k, ww_pipeline_async_async(.stages = 2), bulk_store, 1);
}

static void store_with_fence(ww_kernel *k)
{
    filled_by_threads(k, ww_pipeline_async_tma(.stages = 2), bulk_store, 1);
}

/* Threads alone need no fence. */
static void threads_only(ww_kernel *k)
{
    filled_by_threads(k, ww_pipeline_async_async(.stages = 2), math_by_threads, 1);
}

/* ---- memory that engines touch ---------------------------------------------------------------------------- */

static void aligned(ww_kernel *k, ww_pipeline pipeline, uint32_t align, ww_schedule_function *writer,
                    ww_schedule_function *reader)
{
    const ww_resource_options options = {.pipeline = pipeline,
                                         .buffers = {{.name = "data", .bytes = 1032, .align = align}},
                                         .work = operand_work};
    mma m = {(BLAME, ww_resource_new(k, "operand", &options)), NULL};
    ww_place blamed = reject_blamed;
    reject_task(k, "load", 0, 1, writer, &m);
    reject_task(k, "math", 1, 1, reader, &m);
    reject_blamed = blamed;
}

static void target_at_8(ww_kernel *k)
{
    aligned(k, ww_pipeline_tma_async(.stages = 2), 8, load, math_by_threads);
}

static void target_at_16(ww_kernel *k)
{
    aligned(k, ww_pipeline_tma_async(.stages = 2), 16, load, math_by_threads);
}

static void source_at_8(ww_kernel *k)
{
    aligned(k, ww_pipeline_async_tma(.stages = 2), 8, fill, bulk_store);
}

static void threads_at_8(ww_kernel *k)
{
    aligned(k, ww_pipeline_async_async(.stages = 2), 8, fill, math_by_threads);
}

#define BLACKWELL                                                                                            \
    {                                                                                                        \
        .arch = "sm_100a"                                                                                    \
    }

const reject_case reject_tensor_core[] = {
    {"tensor_core: two warps issue tcgen05 work", two_warps_issue, WW_TENSOR_CORE,
     "task math: sum.multiply is tcgen05 work, and each warp of the task would issue it",
     "a task of one warp", "2 warps", BLACKWELL},
    {"tensor_core: threads commit what tcgen05 writes", threads_commit, WW_TENSOR_CORE,
     "task math: sum.multiply is tcgen05 work, and threads commit what it writes before it has finished",
     "a pipeline type whose producer is UMMA: its commit is a tcgen05.commit", "AsyncAsync", BLACKWELL},
    {"tensor_core: a slot of UmmaAsync that threads fill", no_tensor_core_fills, WW_TENSOR_CORE,
     "task math: sum.clear fills a slot that tcgen05 commits, and is no tcgen05 work",
     "umma_reads naming what its tcgen05 instructions read (pipeline type UmmaAsync)",
     "work without umma_reads", BLACKWELL},
    {"tensor_core: a slot of TmaUmma that threads read", no_tensor_core_reads, WW_TENSOR_CORE,
     "task math consumes operand, and none of its work lets tcgen05 read it",
     "work with umma_reads naming it (pipeline type TmaUmma)", "no such work in task math", BLACKWELL},
    {"tensor_core: a release before the MMA that reads the slot", released_before_the_mma, WW_BRACKET,
     "task math: sum.multiply works on a slot that is not open, in the first trip of its loop",
     "the work between wait(operand) and release(operand)", "the slot was given away by release(operand)",
     BLACKWELL},
    {"tensor_core: half a warpgroup", half_a_warpgroup, WW_TENSOR_CORE,
     "task math: sum.multiply is wgmma work, and the task is no whole number of warpgroups",
     "first_warp and warps that are multiples of 4", "first_warp = 4, warps = 2"},
    {"tensor_core: four warps from warp 1", off_the_boundary, WW_TENSOR_CORE,
     "task math: sum.multiply is wgmma work, and the task is no whole number of warpgroups",
     "first_warp and warps that are multiples of 4", "first_warp = 1, warps = 4"},
    {"tensor_core: a slot of TmaWgmma that threads read", no_wgmma_reads, WW_TENSOR_CORE,
     "task math consumes operand, and none of its work lets wgmma read it",
     "work with wgmma_reads naming it (pipeline type TmaWgmma)", "no such work in task math"},
    {"tensor_core: one warp issues and commits", one_warp_issues, 0, NULL, NULL, NULL, {.arch = "sm_100a"}},
    {"tensor_core: a whole warpgroup", a_warpgroup, 0, NULL, NULL, NULL},
    {"tensor_core: wgmma reads what threads fill, unfenced", wgmma_without_fence, WW_TENSOR_CORE,
     "task math: sum.multiply lets wgmma read operand, and nobody fences the async proxy after threads have "
     "filled it",
     "a type whose consumer is the engine: its commit fences", "AsyncAsync"},
    {"tensor_core: a bulk store reads what threads fill, unfenced", store_without_fence, WW_TENSOR_CORE,
     "task math: operand.store lets bulk stores read operand, and nobody fences the async proxy after "
     "threads have "
     "filled it",
     "a type whose consumer is the engine: its commit fences", "AsyncAsync"},
    {"tensor_core: AsyncWgmma fences", wgmma_with_fence, 0, NULL, NULL, NULL},
    {"tensor_core: AsyncTma fences", store_with_fence, 0, NULL, NULL, NULL},
    {"tensor_core: threads read what threads fill", threads_only, 0, NULL, NULL, NULL},
    {"tensor_core: a bulk copy to an odd multiple of 8", target_at_8, WW_BAD_VALUE,
     "alignment of buffer data of resource operand: a bulk copy fills it", "at least 16", "8"},
    {"tensor_core: a bulk store from an odd multiple of 8", source_at_8, WW_BAD_VALUE,
     "alignment of buffer data of resource operand: a bulk store reads it", "at least 16", "8"},
    {"tensor_core: a bulk copy to multiples of 16", target_at_16, 0, NULL, NULL, NULL},
    {"tensor_core: threads at an odd multiple of 8", threads_at_8, 0, NULL, NULL, NULL},
    {0},
};
