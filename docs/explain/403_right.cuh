/* 403: the copies of a row */
#include "audited.cuh"

/* right: all of it, by one lane */
WW_WORK void tile_copy_in(tile &, const info &info)
{
    if (ww::elect_one())
        ww::bulk_load(info.buffer[0], info.params.in, 1024, info.barrier);
}
/* end */
