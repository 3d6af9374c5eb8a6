/* 408: synchronisation in bodies */
#include "audited.cuh"

/* right: a task of one warp meets by itself; more warps, at a named barrier of the schedule (ww_sync) */
WW_WORK void tile_turn(tile &, const info &info)
{
    info.params.out[info.lane] = get_word(info);
    ww::syncwarp();
    info.params.out[32 + info.lane] = info.params.out[31 - info.lane];
}
/* end */
