/* 403: the copies of a row */
#include "audited.cuh"

/* wrong: half of it; the full barrier waits for 1024 bytes */
WW_WORK void tile_copy_in(tile &, const info &info)
{
    if (ww::elect_one())
        ww::bulk_load(info.buffer[0], info.params.in, 512, info.barrier);
}
/* end */
