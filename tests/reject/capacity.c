/* 206: buffers and barriers fit into shared memory. */
#include "reject.h"

static const ww_work work[] = {
    {.name = "fill", .side = WW_PRODUCER}, {.name = "use", .side = WW_CONSUMER}, {.name = NULL}};

#define RING(depth)                                                                                          \
    (BLAME, ww_resource_new(k, "ring",                                                                       \
                            &(ww_resource_options){.pipeline = {.type = WW_ASYNC_ASYNC, .stages = (depth)},  \
                                                   .buffers = {{"data", 65536, 0}},                          \
                                                   .work = work}))

static void declare(ww_kernel *k, ww_resource *ring)
{
    reject_task(k, "load", 0, 1, reject_producer, ring);
    reject_task(k, "store", 1, 1, reject_consumer, ring);
}

static void four_stages(ww_kernel *k)
{
    declare(k, RING(4));
}

static void three_stages(ww_kernel *k)
{
    declare(k, RING(3));
}

static void as_many_as_fit(ww_kernel *k)
{
    declare(k, RING(WW_STAGES_MAX));
}

const reject_case reject_capacity[] = {
    {"capacity: four stages of 64 KiB", four_stages, WW_CAPACITY,
     "kernel sample needs more shared memory than a CTA may use", "at most 232448 bytes",
     "262208 = 262144 of buffers + 64 of barriers"},
    {"capacity: three stages of 64 KiB", three_stages, 0, NULL, NULL, NULL},
    {"capacity: as many as fit", as_many_as_fit, 0, NULL, NULL, NULL},
    {0},
};
