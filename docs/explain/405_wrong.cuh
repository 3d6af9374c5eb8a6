/* 405: waits that a row promises */
#include "audited.cuh"

/* wrong: the store of this call may still be reading the stage when it is released */
WW_WORK void tile_copy_out(tile &, const info &info)
{
    if (ww::elect_one()) {
        ww::bulk_store(info.params.out, info.buffer[0], 1024);
        ww::bulk_commit_group();
        ww::bulk_wait_group_read<1>();
    }
}
/* end */
