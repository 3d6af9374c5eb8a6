/* queue: one lane counts the tile it is given. */
#ifndef QUEUE_CUH
#define QUEUE_CUH

#include "ww/ww.cuh"
#include "queue_params.h"

struct tally {
};

WW_WORK void tally_count(tally &, const ww::stage_info<queue_params> &info)
{
    const queue_params &p = info.params;
    const bool inside = info.tile.m < p.tiles_m && info.tile.n < p.tiles_n && info.tile.l < p.tiles_l;
    const int tile = (info.tile.l * p.tiles_m + info.tile.m) * p.tiles_n + info.tile.n;
    if (info.lane == 0)
        atomicAdd(&p.counts[inside ? tile : p.tiles_m * p.tiles_n * p.tiles_l], 1);
}

#endif
