/* fence: orderings that no barrier gives by itself.
 *
 * Ordinary loads and stores use the generic proxy; TMA, bulk copies and wgmma's shared operands use the async
 * proxy. What one proxy wrote, the other sees only after a proxy fence in the writing thread, before the
 * barrier that tells the reader ("membar, fence"; "async proxy"). Before sm_90 there is neither an async
 * proxy nor a cluster, so that the CTA barrier does it all and these say nothing but to the compiler. */
#ifndef WW_FENCE_CUH
#define WW_FENCE_CUH

#include "arch.cuh"
#include "types.h"

namespace ww
{

#if WW_BEFORE_SM_90
#define WW_FENCE_SM_90(instruction) asm volatile("" : : : "memory")
#else
#define WW_FENCE_SM_90(instruction) asm volatile(instruction : : : "memory")
#endif

/* Makes earlier mbarrier_init visible to the cluster and to the async proxy. Still needs a CTA (or cluster)
 * barrier after it ("membar, fence"). */
WW_DEVICE void fence_mbarrier_init()
{
    WW_FENCE_SM_90("fence.mbarrier_init.release.cluster;");
}

/* Orders this thread's generic accesses to shared memory against later async ones ("membar, fence"). */
WW_DEVICE void fence_proxy_async_shared()
{
    WW_FENCE_SM_90("fence.proxy.async.shared::cta;");
}

/* The same for global memory: ordinary stores that a later TMA load reads ("membar, fence"). */
WW_DEVICE void fence_proxy_async_global()
{
    WW_FENCE_SM_90("fence.proxy.async.global;");
}

#undef WW_FENCE_SM_90

} // namespace ww

#endif
