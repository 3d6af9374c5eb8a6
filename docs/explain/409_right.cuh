/* 409: copies that nothing waits for */
#include "audited.cuh"

/* right: they have; or the pipeline has .producer_op = WW_ASYNC_LOAD, and arrives when they have */
WW_WORK void tile_fill(tile &, const info &info)
{
    for (int part = info.lane; part < 64; part += 32)
        ww::cp_async_16(info.buffer[0] + 16 * part, info.params.in + 4 * part);
    ww::cp_async_wait_all();
}
/* end */
