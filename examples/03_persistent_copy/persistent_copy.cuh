/* persistent_copy: the work bodies of a copy over a static queue of tiles, some of which are skipped.
 *
 *     persistent_copy_skip   which tiles of the queue have no work
 *     copy    one row of the tile, one element a thread */
#ifndef PERSISTENT_COPY_CUH
#define PERSISTENT_COPY_CUH

#include "ww/ww.cuh"
#include "persistent_copy_params.h"

using persistent_copy_info = ww::stage_info<persistent_copy_params>;

/* Whether the skippable part of the loop is to be left out for this tile; the same in every thread. */
WW_WORK bool persistent_copy_skip(const persistent_copy_info &info)
{
    return info.tile.m >= info.params.logical_tiles;
}

struct copy {
};

/* Row `loop_offset` of the tile. */
WW_WORK void copy_row(copy &, const persistent_copy_info &info)
{
    const int column = info.tile.m * PERSISTENT_COPY_COLUMNS + info.warp * 32 + info.lane;
    if (column >= info.params.cols)
        return;
    const int64_t element = static_cast<int64_t>(info.loop_offset) * info.params.cols + column;
    info.params.to[element] = info.params.from[element];
}

#endif
