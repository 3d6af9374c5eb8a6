/* clc: cluster launch control, sm_100's way to take over the work of a cluster that has not started yet.
 *
 * A request writes an opaque 16-byte response into shared memory, by the async proxy, and counts 16 bytes on
 * a barrier. Whoever reads the response does so by the generic proxy: before the next request into the same
 * 16 bytes, readers fence (fence_proxy_async_shared) and tell the requester. */
#ifndef WW_CLC_CUH
#define WW_CLC_CUH

#include "types.h"

namespace ww
{

/* Asks for the work of another cluster; `response` is a multiple of 16. One thread of the cluster
 * ("clusterlaunchcontrol.try_cancel"). */
WW_DEVICE void clc_try_cancel(uint32_t response, uint32_t barrier)
{
    asm volatile(
        "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%0], [%1];"
        :
        : "r"(response), "r"(barrier)
        : "memory");
}

/* The same with the response at our offset in every CTA of the cluster, counted on each one's barrier
 * ("clusterlaunchcontrol.try_cancel"). */
WW_DEVICE void clc_try_cancel_multicast(uint32_t response, uint32_t barrier)
{
    asm volatile("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes"
                 ".multicast::cluster::all.b128 [%0], [%1];"
                 :
                 : "r"(response), "r"(barrier)
                 : "memory");
}

/* Whether the request got a cluster; then x, y, z are the indexes in the grid of its first CTA, else zeros:
 * of a refused request they are undefined and are not asked for ("clusterlaunchcontrol.query_cancel"). */
WW_DEVICE bool clc_decode(uint32_t response, int &x, int &y, int &z)
{
    uint32_t granted;
    asm volatile(
        "{\n\t"
        ".reg .pred p;\n\t"
        ".reg .b128 record;\n\t"
        "ld.shared.b128 record, [%4];\n\t"
        "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, record;\n\t"
        "selp.u32 %0, 1, 0, p;\n\t"
        "mov.b32 %1, 0;\n\t"
        "mov.b32 %2, 0;\n\t"
        "mov.b32 %3, 0;\n\t"
        "@p clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%1, %2, %3, _}, record;\n\t"
        "}"
        : "=r"(granted), "=r"(x), "=r"(y), "=r"(z)
        : "r"(response)
        : "memory");
    return granted != 0;
}

} // namespace ww

#endif
