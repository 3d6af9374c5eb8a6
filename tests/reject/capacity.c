/* 206: buffers, barriers and tensor memory fit into what a CTA has. */
#include "reject.h"

#include "model/model.h"

static const ww_work work[] = {
    {.name = "fill", .side = WW_PRODUCER}, {.name = "use", .side = WW_CONSUMER}, {.name = NULL}};

#define RING(depth)                                                                                          \
    (BLAME, ww_resource_new(k, "ring",                                                                       \
                            &(ww_resource_options){.pipeline = {.type = WW_ASYNC_ASYNC, .stages = (depth)},  \
                                                   .buffers = {{.name = "data", .bytes = 65536}},            \
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

static ww_resource *table(ww_kernel *k, const char *name, uint32_t bytes)
{
    return ww_resource_new(
        k, name,
        &(ww_resource_options){.buffers = {{.name = "data", .bytes = bytes, .align = 8}}, .work = work});
}

/* The ring's barriers take 48 bytes of the 232448. */
static void eight_bytes(ww_kernel *k, uint32_t last)
{
    declare(k, RING(3));
    (void)table(k, "rows", 30000);
    (void)table(k, "bias", 5000);
    (void)table(k, "scale", 776);
    (void)table(k, "flags", last);
}

static void eight_bytes_too_many(ww_kernel *k)
{
    eight_bytes(k, 24);
}

static void to_the_last_byte(ww_kernel *k)
{
    eight_bytes(k, 16);
}

/* Without the group it would be 60000 more. */
static void too_many_with_aliases(ww_kernel *k)
{
    declare(k, RING(3));
    ww_resource *early = table(k, "early", 60000), *late = table(k, "late", 80000);
    ww_alias(k, {{early}}, {{late}});
}

static void aliases_that_fit(ww_kernel *k)
{
    declare(k, RING(2));
    ww_resource *early = table(k, "early", 60000), *late = table(k, "late", 80000);
    ww_alias(k, {{early}}, {{late}});
}

/* No case is declared with a capacity of its own, hence the look inside. */
static void barriers_alone(ww_kernel *k)
{
    k->options.smem_capacity = 100;
    reject_blamed = k->place;
    ww_resource *ring = ww_resource_new(
        k, "ring", &(ww_resource_options){.pipeline = ww_pipeline_async_async(.stages = 7), .work = work});
    declare(k, ring);
}

/* ---- tensor memory ------------------------------------------------------------------------------------ */

static void fill_and_use(ww_schedule *s, void *memory)
{
    reject_loop(s)
    {
        ww_produce(s, memory, "fill");
        ww_consume(s, memory, "use");
    }
}

/* Without a pipeline: one task alone writes and reads it. The last one declared is blamed. */
#define MEMORY(name, ...) (BLAME, ww_resource_new(k, name, &(ww_resource_options){.work = work, __VA_ARGS__}))

static void too_many_columns(ww_kernel *k)
{
    (void)MEMORY("small", .tmem = {{"acc", 8}});
    (void)MEMORY("medium", .tmem = {{"acc", 128}});
    reject_task(k, "all", 0, 4, fill_and_use, MEMORY("large", .tmem = {{"acc", 384}}));
}

static void all_columns(ww_kernel *k)
{
    (void)MEMORY("medium", .tmem = {{"acc", 128}});
    reject_task(k, "all", 0, 4, fill_and_use, MEMORY("large", .tmem = {{"acc", 384}}));
}

static void address(ww_kernel *k, uint32_t bytes)
{
    reject_task(
        k, "all", 0, 4, fill_and_use,
        MEMORY("both", .tmem = {{"acc", 384}}, .buffers = {{.name = "data", .bytes = bytes, .align = 8}}));
}

static void no_room_for_the_address(ww_kernel *k)
{
    address(k, 232448);
}

static void room_for_the_address(ww_kernel *k)
{
    address(k, 232440);
}

#define BLACKWELL                                                                                            \
    {                                                                                                        \
        .arch = "sm_100a"                                                                                    \
    }
#define TOO_MUCH_SHARED "kernel sample needs more shared memory than a CTA may use"

const reject_case reject_capacity[] = {
    {"capacity: four stages of 64 KiB", four_stages, WW_CAPACITY, TOO_MUCH_SHARED, "at most 232448 bytes",
     "262208 = 262144 of buffers (ring 262144 in 4 stages) + 64 of barriers"},
    {"capacity: three stages of 64 KiB", three_stages, 0, NULL, NULL, NULL},
    {"capacity: as many as fit", as_many_as_fit, 0, NULL, NULL, NULL},
    {"capacity: eight bytes too many", eight_bytes_too_many, WW_CAPACITY, TOO_MUCH_SHARED,
     "at most 232448 bytes",
     "232456 = 232408 of buffers (ring 196608 in 3 stages, rows 30000, bias 5000 and 2 more) + 48 of "
     "barriers"},
    {"capacity: to the last byte", to_the_last_byte, 0, NULL, NULL, NULL},
    {"capacity: too much although phases lie over each other", too_many_with_aliases, WW_CAPACITY,
     TOO_MUCH_SHARED, "at most 232448 bytes",
     "276656 = 276608 of buffers (ring 196608 in 3 stages, late 80000, early 60000; aliases save 60000) + 48 "
     "of "
     "barriers"},
    {"capacity: phases that lie over each other and fit", aliases_that_fit, 0, NULL, NULL, NULL},
    {"capacity: barriers alone", barriers_alone, WW_CAPACITY, TOO_MUCH_SHARED, "at most 100 bytes",
     "112 = 0 of buffers + 112 of barriers"},
    {"capacity: 520 columns", too_many_columns, WW_CAPACITY,
     "kernel sample needs more tensor memory than there is", "at most 512 columns",
     "520 columns (large 384, medium 128, small 8)", BLACKWELL},
    {"capacity: all 512 columns", all_columns, 0, NULL, NULL, NULL, BLACKWELL},
    {"capacity: no room for the address of tensor memory", no_room_for_the_address, WW_CAPACITY,
     TOO_MUCH_SHARED, "at most 232448 bytes",
     "232452 = 232448 of buffers (both 232448) + 0 of barriers + 4 for the address of tensor memory",
     BLACKWELL},
    {"capacity: room for the address of tensor memory", room_for_the_address, 0, NULL, NULL, NULL, BLACKWELL},
    {0},
};
