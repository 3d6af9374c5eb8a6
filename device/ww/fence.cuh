/* fence: orderings that no barrier gives by itself.
 *
 * Ordinary loads and stores use the generic proxy; TMA, bulk copies and wgmma's shared operands use the async
 * proxy. What one proxy wrote, the other sees only after a proxy fence in the writing thread, before the
 * barrier that tells the reader ("membar, fence"; "async proxy"). */
#ifndef WW_FENCE_CUH
#define WW_FENCE_CUH

#include "types.h"

namespace ww
{

/* Makes earlier mbarrier_init visible to the cluster and to the async proxy. Still needs a CTA (or cluster)
 * barrier after it ("membar, fence"). */
WW_DEVICE void fence_mbarrier_init()
{
    asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory");
}

/* Orders this thread's generic accesses to shared memory against later async ones ("membar, fence"). */
WW_DEVICE void fence_proxy_async_shared()
{
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
}

/* The same for global memory: ordinary stores that a later TMA load reads ("membar, fence"). */
WW_DEVICE void fence_proxy_async_global()
{
    asm volatile("fence.proxy.async.global;" : : : "memory");
}

} // namespace ww

#endif
