/* 411: calls where registers are split */
#include "audited.cuh"

/* right: noted in memory; or printed by a task that has its registers */
WW_WORK void tile_copy_in(tile &, const info &info)
{
    if (ww::elect_one()) {
        info.params.counter[0]++;
        ww::bulk_load(info.buffer[0], info.params.in, 1024, info.barrier);
    }
}
/* end */
