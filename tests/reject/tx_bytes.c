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
    declare(k, RING(), 2, fill_b);
}

const reject_case reject_tx_bytes[] = {
    {"tx_bytes: another sum than the copies", wrong_sum, WW_TX_BYTES,
     "task load: each stage of ring announces 999 bytes, and its copies bring 1536",
     "1536 = 1024 (a) + 512 (b), the copies between acquire and commit", ".tx_bytes = 999"},
    {"tx_bytes: one path brings less", one_path_brings_less, WW_TX_BYTES,
     "task load: each stage of ring announces 1536 bytes, and its copies bring 1024",
     "1024 = 1024 (a), the copies between acquire and commit", "1536, as on another path or in another task"},
    {"tx_bytes: nothing is copied", no_copies, WW_TX_BYTES,
     "task load: a slot of ring is acquired and nothing is copied into it",
     "producer work with .copies between acquire and commit (pipeline type TmaAsync)", NULL},
    {"tx_bytes: two warps copy the whole buffer", both_warps_copy_all, WW_TX_BYTES,
     "the copies of one stage write past the end of buffer b of ring", "at most 512 bytes, the buffer's size",
     "1024, over all copies of all producer warps"},
    {"tx_bytes: the sum of the copies", right_sum, 0, NULL, NULL, NULL},
    {"tx_bytes: two works fill one stage", two_works_one_stage, 0, NULL, NULL, NULL},
    {0},
};
