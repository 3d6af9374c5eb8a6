/* 107: tile loops walk a work queue */
#include "explain.h"

typedef struct tiled {
    ww_resource *queue, *input;
} tiled;

static void move_wrong(ww_schedule *s, void *context)
{
    tiled *t = context;
    /* wrong: a static queue knows its tiles */
    ww_work_tile_loop(s, t->queue) {
        ww_consume(s, t->input, "get");
        ww_fetch_tile(s, t->queue);
        ww_advance_tile(s, t->queue);
    }
    /* end */
}

static void move_right(ww_schedule *s, void *context)
{
    tiled *t = context;
    /* right: nothing to fetch */
    ww_work_tile_loop(s, t->queue) {
        ww_consume(s, t->input, "get");
        ww_advance_tile(s, t->queue);
    }
    /* end */
}

static void wrong(ww_kernel *k)
{
    tiled t = {ww_queue_static(k, "tiles", &(ww_queue_options){.tiles = {ww_arg(tile_params, tiles, 0)}}),
               explain_plain(k, "input")};
    explain_task(k, "move", 0, 1, move_wrong, &t);
}

static void right(ww_kernel *k)
{
    tiled t = {ww_queue_static(k, "tiles", &(ww_queue_options){.tiles = {ww_arg(tile_params, tiles, 0)}}),
               explain_plain(k, "input")};
    explain_task(k, "move", 0, 1, move_right, &t);
}

EXPLAIN(107, .wrong = wrong, .right = right);
