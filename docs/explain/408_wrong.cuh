/* 408: synchronisation in bodies */
#include "audited.cuh"

/* wrong: warps of other tasks never come */
WW_WORK void tile_turn(tile &, const info &info)
{
    info.params.out[info.lane] = get_word(info);
    __syncthreads();
    info.params.out[32 + info.lane] = info.params.out[31 - info.lane];
}
/* end */
