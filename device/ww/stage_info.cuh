/* stage_info: what a work body is told besides its inputs.
 *
 * A generated kernel builds one for every call; everything is inlined, so that a member nobody reads costs
 * nothing. Addresses are 32-bit shared::cta addresses; who needs a peer's maps them by cta_rank. */
#ifndef WW_STAGE_INFO_CUH
#define WW_STAGE_INFO_CUH

#include "types.h"

namespace ww
{

template <class P> struct stage_info {
    const P &params; /* the kernel's parameter */
    int loop_offset; /* the domain loop's index: the first one before the loop, the last one visited after it */
    int loop_start, loop_end, loop_step;
    int stage; /* slot in the resource's ring, 0 without a pipeline */
    /* Full barrier of this stage (the group's, where a group shares one), 0 without a pipeline. Of a TmaUmma pipeline
     * with pairs of CTAs, the leader's, as pair_leader_address gives it: what copies with cta_group::2 complete on. */
    uint32_t barrier;
    uint32_t empty_barrier; /* likewise, of this CTA: what acquires wait for; 0 without a pipeline */
    uint32_t buffer[4];     /* the resource's buffers at this stage, in declaration order */
    uint32_t tmem[4];       /* its tensor memory at this stage, in declaration order: addresses of lane 0 */
    ww_tile tile;           /* the tile being worked on; blockIdx when there is no work queue */
    uint32_t cta_rank; /* of this CTA in its cluster, 0 without one; cluster_layout.cuh knows who that is */
    int warp, lane;    /* the warp within its task, the lane within the warp */
};

/* A value that a work body is given: to be read, not to be written. */
template <class T> WW_DEVICE const T &input(const T &value)
{
    return value;
}

} // namespace ww

#endif
