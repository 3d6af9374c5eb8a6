/* 410: fences in bodies */
#include "audited.cuh"

/* right: none: warpwright places the fence of shared memory, from what the rows say */
WW_WORK void tile_fill(tile &, const info &info)
{
    set_word(info, info.params.in[info.lane]);
}
/* end */
