/* 208: warpgroups agree on their registers, and the sum is what the kernel starts with. */
#include "reject.h"

static void declare(ww_kernel *k, ww_task_options load, ww_task_options padding, ww_task_options store)
{
    ww_resource *ring = reject_ring(k, "ring", (ww_pipeline){.type = WW_ASYNC_ASYNC});
    load.schedule = reject_producer;
    store.schedule = reject_consumer;
    load.context = store.context = ring;
    (void)ww_task_new(k, "load", &load), BLAME;
    if (padding.warps)
        (void)ww_task_new(k, "padding", &padding);
    (void)ww_task_new(k, "store", &store);
}

#define TASK(first, count, regs)                                                                             \
    ((ww_task_options){.first_warp = (first), .warps = (count), .registers = (regs)})

static void half_a_warpgroup_each(ww_kernel *k)
{
    ww_resource *ring = reject_ring(k, "ring", (ww_pipeline){.type = WW_ASYNC_ASYNC});
    ww_task_options load = TASK(0, 2, 40), store = TASK(2, 2, 48);
    load.schedule = reject_producer;
    store.schedule = reject_consumer;
    load.context = store.context = ring;
    (void)ww_task_new(k, "load", &load);
    (void)ww_task_new(k, "store", &store), BLAME;
}

static void three_warps_without(ww_kernel *k)
{
    declare(k, TASK(0, 1, 40), TASK(1, 3, 0), TASK(4, 4, 0));
}

static void warps_of_no_task(ww_kernel *k)
{
    declare(k, TASK(0, 1, 40), TASK(0, 0, 0), TASK(4, 4, 0));
}

static void more_than_there_are(ww_kernel *k)
{
    ww_resource *ring = reject_ring(k, "ring", (ww_pipeline){.type = WW_ASYNC_ASYNC});
    ww_task_options load = TASK(0, 4, 40), store = TASK(4, 8, 240);
    load.schedule = reject_producer;
    store.schedule = reject_consumer;
    load.context = store.context = ring;
    (void)ww_task_new(k, "load", &load);
    (void)ww_task_new(k, "store", &store), BLAME;
}

static void padded(ww_kernel *k)
{
    declare(k, TASK(0, 1, 24), TASK(1, 3, 24), TASK(4, 8, 240));
}

/* Of two warpgroups each thread owns 256 at entry, though it can name only 255 (docs/registers.md). */
static void all_of_two_warpgroups(ww_kernel *k)
{
    declare(k, TASK(0, 4, 256), TASK(0, 0, 0), TASK(4, 4, 256));
}

const reject_case reject_registers[] = {
    {"registers: half a warpgroup each", half_a_warpgroup_each, WW_REGISTERS,
     "tasks load and store share warpgroup 0 (warps 0 to 3) and ask for different registers",
     "40 registers, as task load", "48"},
    {"registers: three warps without", three_warps_without, WW_REGISTERS,
     "task load sets registers of warpgroup 0, of which warp 1 sets none",
     "registers = 40 on all warps 0 to 3 (setmaxnreg acts on whole warpgroups)", "warp 1 without"},
    {"registers: more than there are", more_than_there_are, WW_REGISTERS,
     "the register split asks for more than the kernel starts with",
     "at most 504 registers a thread, summed over the warpgroups: 3 x 168 at launch", "520 = 40 + 240 + 240"},
    {"registers: warps of no task follow their neighbours", warps_of_no_task, 0, NULL, NULL, NULL},
    {"registers: 24 + 240 + 240 = 3 x 168", padded, 0, NULL, NULL, NULL},
    {"registers: 256 + 256 = 2 x 256", all_of_two_warpgroups, 0, NULL, NULL, NULL},
    {0},
};
