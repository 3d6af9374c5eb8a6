/* 212: tasks of one queue walk the same tiles */
#include "explain.h"

typedef struct tiled {
    ww_resource *tile, *queue;
} tiled;

static void load(ww_schedule *s, void *context)
{
    tiled *t = context;
    ww_work_tile_loop(s, t->queue) {
        explain_load(s, t->tile);
        ww_advance_tile(s, t->queue);
    }
}

static void trips_of(ww_schedule *s, ww_resource *tile)
{
    explain_store(s, tile);
}

static void store_wrong(ww_schedule *s, void *context)
{
    tiled *t = context;
    /* wrong: the tile never changes */
    ww_work_tile_loop(s, t->queue) {
        trips_of(s, t->tile); /* the loop over the tile's trips */
    }
    /* end */
}

static void store_right(ww_schedule *s, void *context)
{
    tiled *t = context;
    /* right: one advance a tile, as the last step */
    ww_work_tile_loop(s, t->queue) {
        trips_of(s, t->tile); /* the loop over the tile's trips */
        ww_advance_tile(s, t->queue);
    }
    /* end */
}

static void wrong(ww_kernel *k)
{
    tiled t = {explain_ring(k, "tile", ww_pipeline_async_async(.stages = 2)),
               ww_queue_static(k, "queue", &(ww_queue_options){.tiles = {ww_arg(tile_params, tiles, 0)}})};
    explain_task(k, "load", 0, 1, load, &t);
    explain_task(k, "store", 1, 1, store_wrong, &t);
}

static void right(ww_kernel *k)
{
    tiled t = {explain_ring(k, "tile", ww_pipeline_async_async(.stages = 2)),
               ww_queue_static(k, "queue", &(ww_queue_options){.tiles = {ww_arg(tile_params, tiles, 0)}})};
    explain_task(k, "load", 0, 1, load, &t);
    explain_task(k, "store", 1, 1, store_right, &t);
}

EXPLAIN(212, .wrong = wrong, .right = right);
