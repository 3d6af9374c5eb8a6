/* 207: each warp belongs to one task at most. Gaps are no harm: their warps end at once. */
#include "reject.h"

static void declare(ww_kernel *k, int first_warp)
{
    ww_resource *ring = reject_ring(k, "ring", (ww_pipeline){.type = WW_ASYNC_ASYNC});
    ww_task_options load = {.warps = 4, .schedule = reject_producer, .context = ring};
    ww_task_options store = {
        .first_warp = first_warp, .warps = 4, .schedule = reject_consumer, .context = ring};
    (void)ww_task_new(k, "load", &load);
    (void)ww_task_new(k, "store", &store), BLAME;
}

static void overlap(ww_kernel *k)
{
    declare(k, 2);
}

static void side_by_side(ww_kernel *k)
{
    declare(k, 4);
}

static void with_a_gap(ww_kernel *k)
{
    declare(k, 7);
}

const reject_case reject_warps[] = {
    {"warps: two tasks share warps", overlap, WW_WARPS, "tasks load and store share warps",
     "warps that no other task has", "warps 0 to 3 of load, 2 to 5 of store"},
    {"warps: side by side", side_by_side, 0, NULL, NULL, NULL},
    {"warps: with a gap", with_a_gap, 0, NULL, NULL, NULL},
    {0},
};
