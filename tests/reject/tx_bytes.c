/* 205: a stage announces the bytes that its copies bring. */
#include "reject.h"

#define RING(...)                                                                                            \
    (BLAME,                                                                                                  \
     ww_resource_new(k, "ring",                                                                              \
                     &(ww_resource_options){.pipeline = {.type = WW_TMA_ASYNC, .stages = 2, __VA_ARGS__},    \
                                            .buffers = {{"a", 1024, 0}, {"b", 512, 0}},                      \
                                            .work = work}))

static const ww_work work[] = {{.name = "fill", .side = WW_PRODUCER, .copies = {{"a", 1024}, {"b", 512}}},
                               {.name = "fill_a", .side = WW_PRODUCER, .copies = {{"a", 1024}}},
                               {.name = "fill_b", .side = WW_PRODUCER, .copies = {{"b", 512}}},
                               {.name = "store", .side = WW_PRODUCER},
                               {.name = "use", .side = WW_CONSUMER},
                               {.name = NULL}};

static void declare(ww_kernel *k, ww_resource *ring, int warps, ww_schedule_function *load)
{
    reject_task(k, "load", 0, warps, load, ring);
    reject_task(k, "store", 4, 1, reject_consumer, ring);
}

static void wrong_sum(ww_kernel *k)
{
    declare(k, RING(.tx_bytes = 999), 1, reject_producer);
}

static void right_sum(ww_kernel *k)
{
    declare(k, RING(.tx_bytes = 1536), 1, reject_producer);
}

static void fill_by_path(ww_schedule *s, void *ring)
{
    reject_loop(s)
    {
        ww_acquire(s, ring), BLAME;
        ww_produce(s, ring, "fill_a");
        ww_first_iter(s) {
            ww_produce(s, ring, "fill_b");
        }
        ww_commit(s, ring);
    }
}

static void one_path_brings_less(ww_kernel *k)
{
    declare(k, RING(), 1, fill_by_path);
}

static void fill_in_parts(ww_schedule *s, void *ring)
{
    reject_loop(s)
    {
        ww_acquire(s, ring);
        ww_produce(s, ring, "fill_a");
        ww_produce(s, ring, "fill_b");
        ww_commit(s, ring);
    }
}

static void two_works_one_stage(ww_kernel *k)
{
    declare(k, RING(), 1, fill_in_parts);
}

static void fill_by_threads(ww_schedule *s, void *ring)
{
    reject_loop(s)
    {
        ww_acquire(s, ring), BLAME;
        ww_produce(s, ring, "store");
        ww_commit(s, ring);
    }
}

static void no_copies(ww_kernel *k)
{
    declare(k, RING(), 1, fill_by_threads);
}

static void fill_b(ww_schedule *s, void *ring)
{
    reject_loop(s)
    {
        ww_acquire(s, ring);
        ww_produce(s, ring, "fill_b");
        ww_commit(s, ring);
    }
}

static void both_warps_copy_all(ww_kernel *k)
{
    declare(k, RING(.producer_signaling = WW_SIGNAL_WARP_LEADER), 2, fill_b);
}

/* ---- several producers, each with bytes of its own ---------------------------------------------------- */

static void fill_a(ww_schedule *s, void *ring)
{
    reject_loop(s)
    {
        ww_acquire(s, ring);
        ww_produce(s, ring, "fill_a");
        ww_commit(s, ring);
    }
}

static void declare_both(ww_kernel *k, ww_resource *ring)
{
    reject_task(k, "load_a", 0, 1, fill_a, ring);
    reject_task(k, "load_b", 1, 1, fill_b, ring);
    reject_task(k, "store", 4, 1, reject_consumer, ring);
}

static void one_of_two_producers(ww_kernel *k)
{
    declare_both(k, RING(.tx_bytes = 1024));
}

static void both_producers(ww_kernel *k)
{
    declare_both(k, RING(.tx_bytes = 1536));
}

/* ---- what one warp brings ------------------------------------------------------------------------------ */

static void wrong_warp(ww_kernel *k)
{
    declare(k, RING(.bytes_per_warp_per_cta = 1024), 1, reject_producer);
}

static void right_warp(ww_kernel *k)
{
    declare(k, RING(.bytes_per_warp_per_cta = 1536), 1, reject_producer);
}

/* ---- copies that nobody counts --------------------------------------------------------------------------- */

static void commit_only(ww_schedule *s, void *ring)
{
    reject_loop(s)
    {
        ww_produce(s, ring, "fill"), BLAME;
        ww_commit(s, ring);
    }
}

static void acquire_only(ww_schedule *s, void *ring)
{
    reject_loop(s)
    {
        ww_acquire(s, ring);
    }
}

static void copied_by_another(ww_kernel *k)
{
    ww_resource *ring = RING();
    reject_task(k, "announce", 0, 1, acquire_only, ring);
    reject_task(k, "fill", 1, 1, commit_only, ring);
    reject_task(k, "store", 4, 1, reject_consumer, ring);
}

static void fill_with_copies(ww_schedule *s, void *ring)
{
    reject_loop(s)
    {
        ww_acquire(s, ring);
        ww_produce(s, ring, "fill"), BLAME;
        ww_commit(s, ring);
    }
}

static void copies_into_a_ring_of_threads(ww_kernel *k)
{
    ww_resource *ring =
        ww_resource_new(k, "ring",
                        &(ww_resource_options){.pipeline = ww_pipeline_async_async(.stages = 2),
                                               .buffers = {{"a", 1024, 0}, {"b", 512, 0}},
                                               .work = work});
    declare(k, ring, 1, fill_with_copies);
}

/* ---- clusters: copies of other CTAs count --------------------------------------------------------------- */

static const ww_work multicast_work[] = {
    {.name = "fill", .side = WW_PRODUCER, .copies = {{"a", 512, WW_REACH_A}, {"b", 512}}},
    {.name = "use", .side = WW_CONSUMER},
    {.name = NULL}};

#define MULTICAST(...)                                                                                       \
    (BLAME,                                                                                                  \
     ww_resource_new(k, "ring",                                                                              \
                     &(ww_resource_options){.pipeline = {.type = WW_TMA_ASYNC, .stages = 2, __VA_ARGS__},    \
                                            .buffers = {{"a", 1024, 0}, {"b", 512, 0}},                      \
                                            .work = multicast_work}))

static void own_bytes_only(ww_kernel *k)
{
    declare(k, MULTICAST(.tx_bytes = 1024), 1, reject_producer);
}

static void bytes_of_both_ctas(ww_kernel *k)
{
    declare(k, MULTICAST(.tx_bytes = 1536, .bytes_per_warp_per_cta = 1024), 1, reject_producer);
}

static void multicast_from_one_cta(ww_kernel *k)
{
    ww_resource *ring = MULTICAST();
    reject_pinned(k, "load", 0, 1, 0, reject_producer, ring);
    reject_pinned(k, "store", 4, 1, 0, reject_consumer, ring);
}

const reject_case reject_tx_bytes[] = {
    {"tx_bytes: another sum than the copies", wrong_sum, WW_TX_BYTES,
     "each stage of ring expects 999 bytes, and its copies bring 1536", "1536 = 1024 (a) + 512 (b) by load",
     ".tx_bytes = 999"},
    {"tx_bytes: one path brings less", one_path_brings_less, WW_TX_BYTES,
     "task load: each stage of ring announces 1536 bytes, and its copies bring 1024",
     "1024 = 1024 (a), the copies between acquire and commit", "1536, as on another path"},
    {"tx_bytes: nothing is copied", no_copies, WW_TX_BYTES,
     "task load: a slot of ring is acquired and nothing is copied into it",
     "producer work with .copies between acquire and commit (pipeline type TmaAsync)",
     "no work with .copies of ring"},
    {"tx_bytes: two warps copy the whole buffer", both_warps_copy_all, WW_TX_BYTES,
     "the copies of one stage write past the end of buffer b of ring", "at most 512 bytes, the buffer's size",
     "1024, over all copies of all producer warps"},
    {"tx_bytes: one of two producers", one_of_two_producers, WW_TX_BYTES,
     "each stage of ring expects 1024 bytes, and its copies bring 1536",
     "1536 = 1024 (a) by load_a + 512 (b) by load_b", ".tx_bytes = 1024"},
    {"tx_bytes: another number than a warp brings", wrong_warp, WW_TX_BYTES,
     "one warp of task load brings another number of bytes to a stage of ring than declared",
     "1536, what its copies bring in one CTA", ".bytes_per_warp_per_cta = 1024"},
    {"tx_bytes: announced by one task, copied by another", copied_by_another, WW_TX_BYTES,
     "task fill: no barrier counts the copies of ring.fill",
     "acquire(ring) in the task that copies: it announces its own bytes", "no acquire in this task"},
    {"tx_bytes: copies into a ring of threads", copies_into_a_ring_of_threads, WW_TX_BYTES,
     "task load: no barrier counts the copies of ring.fill",
     "a pipeline type that carries bytes, such as TmaAsync", "AsyncAsync"},
    {"tx_bytes: its own bytes only, and the other CTA's come too",
     own_bytes_only,
     WW_TX_BYTES,
     "each stage of ring expects 1024 bytes, and its copies bring 1536",
     "1536 = 1024 (a) + 512 (b) by load",
     ".tx_bytes = 1024",
     {.cluster = {.n = 2}}},
    {"tx_bytes: multicast from one CTA",
     multicast_from_one_cta,
     WW_TX_BYTES,
     "in CTA 0, the copies into a stage of ring bring another number of bytes than are announced",
     "1024, what the copies of all CTAs bring there",
     "1536 announced",
     {.cluster = {.n = 2}}},
    {"tx_bytes: both producers' bytes", both_producers, 0, NULL, NULL, NULL},
    {"tx_bytes: what one warp brings", right_warp, 0, NULL, NULL, NULL},
    {"tx_bytes: the bytes of both CTAs", bytes_of_both_ctas, 0, NULL, NULL, NULL, {.cluster = {.n = 2}}},
    {"tx_bytes: the sum of the copies", right_sum, 0, NULL, NULL, NULL},
    {"tx_bytes: two works fill one stage", two_works_one_stage, 0, NULL, NULL, NULL},
    {0},
};
