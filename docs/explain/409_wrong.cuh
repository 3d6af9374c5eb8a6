/* 409: copies that nothing waits for */
#include "audited.cuh"

/* wrong: the commit behind it says that the copies have landed */
WW_WORK void tile_fill(tile &, const info &info)
{
    for (int part = info.lane; part < 64; part += 32)
        ww::cp_async_16(info.buffer[0] + 16 * part, info.params.in + 4 * part);
}
/* end */
