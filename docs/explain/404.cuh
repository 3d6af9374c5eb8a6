/* 404: bulk stores */
#include "audited.cuh"

/* given: the body */
WW_WORK void tile_copy_out(tile &, const info &info)
{
    if (ww::elect_one()) {
        ww::bulk_store(info.params.out, info.buffer[0], 1024);
        ww::bulk_commit_group();
        ww::bulk_wait_group_read<0>();
    }
}
/* end */
