/* stage_info: what a work body is told besides its inputs.
 *
 * A generated kernel builds one for every call; everything is inlined, so that a member nobody reads costs
 * nothing. */
#ifndef WW_STAGE_INFO_CUH
#define WW_STAGE_INFO_CUH

#include "types.h"

namespace ww
{

template <class P> struct stage_info {
    const P &params; /* the kernel's parameter */
    int loop_offset; /* the domain loop's index: 0 before the loop, the last one visited after it */
    int loop_start, loop_end, loop_step;
    int stage;          /* slot in the resource's ring, 0 without a pipeline */
    uint32_t barrier;   /* shared address of the full barrier of this stage, 0 without a pipeline */
    uint32_t buffer[4]; /* shared addresses of the resource's buffers at this stage, in declaration order */
    ww_tile tile;       /* the tile being worked on; blockIdx when there is no work queue */
    int warp, lane;     /* the warp within its task, the lane within the warp */
};

} // namespace ww

#endif
