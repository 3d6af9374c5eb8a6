/* mbarrier: the 8-byte barrier objects in shared memory that pipelines are made of.
 *
 * A phase completes when its pending arrivals and its pending transaction bytes are both zero; its parity
 * then flips. try_wait(addr, p) holds when the phase of parity p has completed, so that on a fresh barrier
 * parity 1 holds at once (a producer's first lap) and parity 0 waits for the first completion. */
#ifndef WW_MBARRIER_CUH
#define WW_MBARRIER_CUH

#include "arch.cuh"
#include "types.h"

namespace ww
{

/* Makes a barrier that expects `count` arrivals a phase; once per barrier ("mbarrier.init"). */
WW_DEVICE void mbarrier_init(uint32_t addr, uint32_t count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" : : "r"(addr), "r"(count) : "memory");
}

/* Ends a barrier's life, so that its bytes can serve for something else ("mbarrier.inval"). */
WW_DEVICE void mbarrier_inval(uint32_t addr)
{
    asm volatile("mbarrier.inval.shared::cta.b64 [%0];" : : "r"(addr) : "memory");
}

/* One arrival, releasing this thread's earlier accesses to the CTA ("mbarrier.arrive"). */
WW_DEVICE void mbarrier_arrive(uint32_t addr)
{
    asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" : : "r"(addr) : "memory");
}

/* One arrival, and `bytes` more transaction bytes for this phase ("mbarrier.arrive"). */
WW_DEVICE void mbarrier_arrive_expect_tx(uint32_t addr, uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;"
                 :
                 : "r"(addr), "r"(bytes)
                 : "memory");
}

/* `bytes` more transaction bytes for this phase, and no arrival ("mbarrier.expect_tx"). */
WW_DEVICE void mbarrier_expect_tx(uint32_t addr, uint32_t bytes)
{
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;"
                 :
                 : "r"(addr), "r"(bytes)
                 : "memory");
}

/* One arrival at the barrier at the same address in CTA `rank` of the cluster, itself included
 * ("mbarrier.arrive", "mapa"). CTA scope: enough to give back a stage that only asynchronous reads touched.
 * To hand over what this thread wrote, take the next one. */
WW_DEVICE void mbarrier_arrive_remote(uint32_t addr, uint32_t rank)
{
    asm volatile("{\n\t"
                 ".reg .b32 remote;\n\t"
                 "mapa.shared::cluster.u32 remote, %0, %1;\n\t"
                 "mbarrier.arrive.release.cta.shared::cluster.b64 _, [remote];\n\t"
                 "}"
                 :
                 : "r"(addr), "r"(rank)
                 : "memory");
}

/* The same, releasing this thread's earlier accesses to the cluster. Costs a fence of the whole GPU on sm_90
 * (MEMBAR.ALL.GPU): in a gemm's main loop a third of the speed. */
WW_DEVICE void mbarrier_arrive_remote_release(uint32_t addr, uint32_t rank)
{
    asm volatile("{\n\t"
                 ".reg .b32 remote;\n\t"
                 "mapa.shared::cluster.u32 remote, %0, %1;\n\t"
                 "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [remote];\n\t"
                 "}"
                 :
                 : "r"(addr), "r"(rank)
                 : "memory");
}

/* One arrival, and `bytes` more transaction bytes, at that barrier; CTA scope ("mbarrier.arrive", "mapa"). */
WW_DEVICE void mbarrier_arrive_expect_tx_remote(uint32_t addr, uint32_t bytes, uint32_t rank)
{
    asm volatile("{\n\t"
                 ".reg .b32 remote;\n\t"
                 "mapa.shared::cluster.u32 remote, %0, %2;\n\t"
                 "mbarrier.arrive.expect_tx.release.cta.shared::cluster.b64 _, [remote], %1;\n\t"
                 "}"
                 :
                 : "r"(addr), "r"(bytes), "r"(rank)
                 : "memory");
}

/* The shared::cluster address of our `addr` in the even CTA of our pair. The rank in the cluster stands in
 * the address from bit 24 up, and the two CTAs of an sm_100 pair (cta_group::2) have ranks 2i and 2i + 1. */
WW_HOST_DEVICE constexpr uint32_t pair_leader_address(uint32_t addr)
{
    return addr & 0xfeffffffu;
}

/* One arrival at the barrier at the same address in the even CTA of our pair, where the MMA of both is issued
 * ("mbarrier.arrive"). CTA scope: enough after reads of tensor memory. */
WW_DEVICE void mbarrier_arrive_pair_leader(uint32_t addr)
{
    asm volatile("mbarrier.arrive.release.cta.shared::cluster.b64 _, [%0];"
                 :
                 : "r"(pair_leader_address(addr))
                 : "memory");
}

/* The same, releasing this thread's earlier accesses to the cluster: for what it wrote. */
WW_DEVICE void mbarrier_arrive_pair_leader_release(uint32_t addr)
{
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];"
                 :
                 : "r"(pair_leader_address(addr))
                 : "memory");
}

/* Whether the phase of this parity has completed; returns at once ("mbarrier.test_wait, .try_wait"). */
WW_DEVICE bool mbarrier_test_wait(uint32_t addr, uint32_t parity)
{
    uint32_t done;
    asm volatile("{\n\t"
                 ".reg .pred p;\n\t"
                 "mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
                 "selp.u32 %0, 1, 0, p;\n\t"
                 "}"
                 : "=r"(done)
                 : "r"(addr), "r"(parity)
                 : "memory");
    return done != 0;
}

/* Whether the phase of this parity has completed; may suspend a while, which needs sm_90: before that it
 * returns at once ("mbarrier.test_wait, .try_wait"). */
WW_DEVICE bool mbarrier_try_wait(uint32_t addr, uint32_t parity)
{
#if WW_BEFORE_SM_90
    return mbarrier_test_wait(addr, parity);
#else
    uint32_t done;
    asm volatile("{\n\t"
                 ".reg .pred p;\n\t"
                 "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
                 "selp.u32 %0, 1, 0, p;\n\t"
                 "}"
                 : "=r"(done)
                 : "r"(addr), "r"(parity)
                 : "memory");
    return done != 0;
#endif
}

/* The same, acquiring what peers released at cluster scope; drops L1 ("mbarrier.test_wait, .try_wait"). */
WW_DEVICE bool mbarrier_try_wait_cluster(uint32_t addr, uint32_t parity)
{
    uint32_t done;
    asm volatile("{\n\t"
                 ".reg .pred p;\n\t"
                 "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n\t"
                 "selp.u32 %0, 1, 0, p;\n\t"
                 "}"
                 : "=r"(done)
                 : "r"(addr), "r"(parity)
                 : "memory");
    return done != 0;
}

/* Returns once the phase of this parity has completed. A first look by itself keeps the loop out of the way where the
 * ring has run ahead (6 % on a TMA copy, H200). */
WW_DEVICE void mbarrier_wait(uint32_t addr, uint32_t parity)
{
    if (mbarrier_try_wait(addr, parity))
        return;
    while (!mbarrier_try_wait(addr, parity)) {
    }
}

WW_DEVICE void mbarrier_wait_cluster(uint32_t addr, uint32_t parity)
{
    if (mbarrier_try_wait_cluster(addr, parity))
        return;
    while (!mbarrier_try_wait_cluster(addr, parity)) {
    }
}

} // namespace ww

#endif
