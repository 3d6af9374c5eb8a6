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

/* ---- dynamic queues ---------------------------------------------------------------------------------------------- */

static void fetch(ww_schedule *s, void *context)
{
    tiled *t = context;
    ww_work_tile_loop(s, t->queue) {
        ww_fetch_tile(s, t->queue);
        ww_advance_tile(s, t->queue);
    }
}

static void fetch_again(ww_schedule *s, void *context)
{
    tiled *t = context;
    ww_work_tile_loop(s, t->queue) {
        ww_fetch_tile(s, t->queue), BLAME;
        ww_advance_tile(s, t->queue);
    }
}

static void fetch_early(ww_schedule *s, void *context)
{
    tiled *t = context;
    ww_work_tile_loop(s, t->queue) {
        ww_fetch_tile(s, t->queue), BLAME;
        ww_domain_loop(s, ww_imm(0), ww_imm(1), ww_imm(1)) {
        }
        ww_advance_tile(s, t->queue);
    }
}

static void fetch_twice(ww_schedule *s, void *context)
{
    tiled *t = context;
    ww_work_tile_loop(s, t->queue) {
        ww_fetch_tile(s, t->queue);
        ww_fetch_tile(s, t->queue), BLAME;
        ww_advance_tile(s, t->queue);
    }
}

static void load_and_fetch(ww_schedule *s, void *context)
{
    tiled *t = context;
    ww_work_tile_loop(s, t->queue) {
        reject_loop(s)
        {
            ww_acquire(s, t->ring), BLAME;
            ww_produce(s, t->ring, "fill");
            ww_commit(s, t->ring);
        }
        ww_fetch_tile(s, t->queue);
        ww_advance_tile(s, t->queue);
    }
}

static tiled declare_dynamic(ww_kernel *k)
{
    const ww_queue_options options = {.tiles = {ww_arg(reject_params, tiles, 0)}, .counter = "counter"};
    return (tiled){reject_ring(k, "ring", ww_pipeline_async_async()),
                   (BLAME, ww_queue_counter(k, "tiles", &options))};
}

static void declare_with(ww_kernel *k, ww_schedule_function *scheduler, int warps)
{
    tiled t = declare_dynamic(k);
    reject_task(k, "load", 0, 1, load, &t);
    reject_task(k, "store", 1, 1, store, &t);
    if (scheduler)
        reject_task(k, "schedule", 2, warps, scheduler, &t);
}

static void nobody_fetches(ww_kernel *k)
{
    declare_with(k, NULL, 0);
}

static void two_schedulers(ww_kernel *k)
{
    tiled t = declare_dynamic(k);
    reject_task(k, "load", 0, 1, load, &t);
    reject_task(k, "store", 1, 1, store, &t);
    reject_task(k, "schedule", 2, 1, fetch, &t);
    reject_task(k, "schedule_too", 3, 1, fetch_again, &t);
}

static void fetched_before_other_steps(ww_kernel *k)
{
    declare_with(k, fetch_early, 1);
}

static void fetched_twice(ww_kernel *k)
{
    declare_with(k, fetch_twice, 1);
}

static void scheduler_of_two_warps(ww_kernel *k)
{
    declare_with(k, fetch_again, 2);
}

static void scheduler_that_produces(ww_kernel *k)
{
    tiled t = declare_dynamic(k);
    reject_task(k, "store", 1, 1, store, &t);
    reject_task(k, "load", 0, 1, load_and_fetch, &t);
}

static void nothing(ww_schedule *s, void *context)
{
    ww_produce(s, context, "put");
}

static void a_task_without_tiles(ww_kernel *k)
{
    declare_with(k, fetch, 1);
    ww_resource *total = reject_plain(k, "total");
    const ww_place here = WW_HERE;
    (void)ww_task_new_at(
        here, k, "once",
        &(ww_task_options){.first_warp = 4, .warps = 1, .schedule = nothing, .context = total});
    reject_blamed = here;
}

static void slots_given_back(ww_kernel *k, uint32_t threads)
{
    const ww_queue_options options = {.tiles = {ww_arg(reject_params, tiles, 0)},
                                      .counter = "counter",
                                      .pipeline = {.consumer_arrivals = threads}};
    tiled t = {reject_ring(k, "ring", ww_pipeline_async_async()),
               (BLAME, ww_queue_counter(k, "tiles", &options))};
    reject_task(k, "load", 0, 1, load, &t);
    reject_task(k, "store", 4, 4, store, &t);
    reject_task(k, "schedule", 1, 1, fetch, &t);
}

static void given_back_by_all_but_the_scheduler(ww_kernel *k)
{
    slots_given_back(k, 5);
}

static void given_back_by_all(ww_kernel *k)
{
    slots_given_back(k, 6);
}

static void one_scheduler(ww_kernel *k)
{
    declare_with(k, fetch, 1);
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
    {"queue: nobody fetches", nobody_fetches, WW_QUEUE, "no task fetches the tiles of tiles",
     "one scheduler task with ww_fetch_tile(s, tiles) before its ww_advance_tile",
     "no ww_fetch_tile(s, tiles)"},
    {"queue: two schedulers", two_schedulers, WW_QUEUE,
     "tasks schedule and schedule_too both fetch the tiles of tiles", "one scheduler task",
     "schedule and schedule_too"},
    {"queue: fetched before other steps", fetched_before_other_steps, WW_QUEUE,
     "task schedule does not fetch the tiles of tiles once a tile, right before it advances",
     "ww_fetch_tile(s, tiles) once, as the step before ww_advance_tile",
     "a fetch that other steps, or the end of a block, part from the advance"},
    {"queue: fetched twice a tile", fetched_twice, WW_QUEUE,
     "task schedule does not fetch the tiles of tiles once a tile, right before it advances",
     "ww_fetch_tile(s, tiles) once, as the step before ww_advance_tile", "a second fetch"},
    {"queue: a scheduler of two warps", scheduler_of_two_warps, WW_QUEUE,
     "task schedule: each of its 2 warps fetches a tile of tiles", "a scheduler task of one warp", "2 warps"},
    {"queue: a scheduler that produces", scheduler_that_produces, WW_QUEUE,
     "task load fetches the tiles of tiles and produces ring as well",
     "a scheduler task that produces nothing else", "producer verbs or work on ring"},
    {"queue: a task without tiles", a_task_without_tiles, WW_QUEUE,
     "task once does not loop over the tiles of tiles, a dynamic queue",
     "a tile loop over tiles in every task that has a schedule", "none"},
    {"queue: slots given back by all but the scheduler", given_back_by_all_but_the_scheduler, WW_ARRIVALS,
     "the empty barrier of tiles expects 5 arrivals a phase, and receives more",
     "6 = 1 warp of load x 1 lane + 4 warps of store x 1 lane + 1 warp of schedule x 1 lane (or 192, all "
     "lanes)",
     ".consumer_arrivals = 5"},
    {"queue: slots given back by all", given_back_by_all, 0, NULL, NULL, NULL},
    {"queue: one scheduler", one_scheduler, 0, NULL, NULL, NULL},
    {"queue: the same tiles", same_tiles, 0, NULL, NULL, NULL},
    {0},
};
