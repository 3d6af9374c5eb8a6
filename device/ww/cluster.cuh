/* cluster: thread block clusters: who is who, barriers over them, a peer's shared memory. */
#ifndef WW_CLUSTER_CUH
#define WW_CLUSTER_CUH

#include "types.h"

namespace ww
{

/* Our CTA's rank in its cluster ("%cluster_ctarank"). */
WW_DEVICE uint32_t cluster_rank()
{
    uint32_t rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

/* How many CTAs our cluster has ("%cluster_nctarank"). */
WW_DEVICE uint32_t cluster_size()
{
    uint32_t size;
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
    return size;
}

/* Counts every thread in, releasing its accesses to the cluster ("barrier.cluster"). */
WW_DEVICE void cluster_arrive()
{
    asm volatile("barrier.cluster.arrive.release.aligned;" : : : "memory");
}

/* Counts in without releasing: enough after fence_mbarrier_init ("barrier.cluster"). */
WW_DEVICE void cluster_arrive_relaxed()
{
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" : : : "memory");
}

/* Waits for every thread of the cluster to have arrived ("barrier.cluster"). */
WW_DEVICE void cluster_wait()
{
    asm volatile("barrier.cluster.wait.acquire.aligned;" : : : "memory");
}

/* The shared::cluster address of our `addr` in CTA `rank` ("mapa"). */
WW_DEVICE uint32_t cluster_map(uint32_t addr, uint32_t rank)
{
    uint32_t remote;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(addr), "r"(rank));
    return remote;
}

/* `bytes` of our shared memory into a peer's, counted on the peer's barrier; both addresses are mapped by
 * cluster_map ("cp.async.bulk"). */
WW_DEVICE void bulk_copy_to_peer(uint32_t remote, uint32_t smem, uint32_t bytes, uint32_t remote_barrier)
{
    asm volatile(
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
        :
        : "r"(remote), "r"(smem), "r"(bytes), "r"(remote_barrier)
        : "memory");
}

/* Stores to a peer's shared memory, 4, 8 or 16 bytes, aligned so and counted on the peer's barrier as
 * transaction bytes; both addresses are mapped by cluster_map ("st.async"). */
WW_DEVICE void st_async_b32(uint32_t remote, uint32_t value, uint32_t remote_barrier)
{
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];"
                 :
                 : "r"(remote), "r"(value), "r"(remote_barrier)
                 : "memory");
}

WW_DEVICE void st_async_b64(uint32_t remote, uint64_t value, uint32_t remote_barrier)
{
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];"
                 :
                 : "r"(remote), "l"(value), "r"(remote_barrier)
                 : "memory");
}

WW_DEVICE void st_async_v4(uint32_t remote, uint32_t x, uint32_t y, uint32_t z, uint32_t w,
                           uint32_t remote_barrier)
{
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, [%5];"
                 :
                 : "r"(remote), "r"(x), "r"(y), "r"(z), "r"(w), "r"(remote_barrier)
                 : "memory");
}

} // namespace ww

#endif
