/* 407: memory that a row has */
#include "audited.cuh"

/* right: out of the ring: to registers, global memory, or a resource that it produces */
WW_WORK void tile_scale(tile &, const info &info)
{
    info.params.out[info.lane] = 2 * get_word(info);
}
/* end */
