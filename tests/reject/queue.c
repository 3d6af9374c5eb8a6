/* 212: tasks that synchronise walk the same tiles, one advance a tile, as the last step. */
#include "reject.h"

typedef struct tiled {
    ww_resource *ring, *queue;
} tiled;

static void load(ww_schedule *s, void *context)
{
    tiled *t = context;
    ww_work_tile_loop(s, t->queue) {
        reject_producer(s, t->ring);
        ww_advance_tile(s, t->queue);
    }
}

static void store(ww_schedule *s, void *context)
{
    tiled *t = context;
    ww_work_tile_loop(s, t->queue) {
        reject_consumer(s, t->ring);
        ww_advance_tile(s, t->queue);
    }
}

static void store_without_tiles(ww_schedule *s, void *context)
{
    reject_consumer(s, ((tiled *)context)->ring);
}

static void store_for_ever(ww_schedule *s, void *context)
{
    tiled *t = context;
    ww_work_tile_loop(s, (BLAME, t->queue)) {
        reject_consumer(s, t->ring);
    }
}

static void store_and_advance_early(ww_schedule *s, void *context)
{
    tiled *t = context;
    ww_work_tile_loop(s, t->queue) {
        ww_advance_tile(s, t->queue), BLAME;
        reject_consumer(s, t->ring);
    }
}

static void declare(ww_kernel *k, ww_schedule_function *second)
{
    tiled t = {reject_ring(k, "ring", (ww_pipeline){.type = WW_ASYNC_ASYNC}),
               ww_queue_static(k, "tiles", &(ww_queue_options){.tiles = {ww_arg(reject_params, tiles, 0)}})};
    ww_task_options options = {.first_warp = 1, .warps = 1, .schedule = second, .context = &t};
    reject_task(k, "load", 0, 1, load, &t);
    const ww_place here = WW_HERE;
    (void)ww_task_new_at(here, k, "store", &options);
    if (!reject_blamed.file) /* the schedule blames a line of its own, or the task is to blame */
        reject_blamed = here;
}

static void one_task_without_tiles(ww_kernel *k)
{
    declare(k, store_without_tiles);
}

static void no_advance(ww_kernel *k)
{
    declare(k, store_for_ever);
}

static void advance_before_work(ww_kernel *k)
{
    declare(k, store_and_advance_early);
}

static void same_tiles(ww_kernel *k)
{
    declare(k, store);
}

const reject_case reject_queue[] = {
    {"queue: one task does not loop over tiles", one_task_without_tiles, WW_QUEUE,
     "tasks load and store synchronise on ring and do not loop over the same work queue",
     "a tile loop over tiles in task store", "none"},
    {"queue: no advance", no_advance, WW_QUEUE, "task store does not advance its work queue once a tile",
     "ww_advance_tile(s, tiles) once, as the last step of the tile loop",
     "no advance: the first tile would repeat for ever"},
    {"queue: advance before the work", advance_before_work, WW_QUEUE,
     "task store does not advance its work queue once a tile",
     "ww_advance_tile(s, tiles) once, as the last step of the tile loop",
     "an advance before other steps, or in an inner block"},
    {"queue: the same tiles", same_tiles, 0, NULL, NULL, NULL},
    {0},
};
