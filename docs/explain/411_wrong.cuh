/* 411: calls where registers are split */
#include "audited.cuh"

/* wrong: printf takes more registers for granted than the task has kept */
WW_WORK void tile_copy_in(tile &, const info &info)
{
    if (ww::elect_one()) {
        printf("copying\n");
        ww::bulk_load(info.buffer[0], info.params.in, 1024, info.barrier);
    }
}
/* end */
