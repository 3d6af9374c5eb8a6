/* cp_async: copies of 4, 8 or 16 bytes from global to shared memory that bypass registers, sm_80's way.
 *
 * Each thread copies its own pieces. They are awaited in groups, like bulk stores: commit_group closes the
 * calling thread's group, wait_group<N> holds when all but the N newest are complete. Or an mbarrier awaits
 * them: cp_async_mbarrier_arrive_noinc makes their completion this thread's arrival, so that no thread needs
 * to wait. Either way a thread sees only its own copies; others see them after the barrier. The copies belong
 * to the generic proxy: before wgmma or a TMA store reads what they wrote, there must be a proxy fence
 * ("cp.async"). */
#ifndef WW_CP_ASYNC_CUH
#define WW_CP_ASYNC_CUH

#include "types.h"

namespace ww
{

/* 16 bytes past L1; both addresses are multiples of 16 ("cp.async"). */
WW_DEVICE void cp_async_16(uint32_t smem, const void *global)
{
    asm volatile("cp.async.cg.shared::cta.global [%0], [%1], 16;"
                 :
                 : "r"(smem), "l"(__cvta_generic_to_global(global))
                 : "memory");
}

/* The first `bytes` of 16 (0..16), and zeros for the rest: for the edge of a matrix ("cp.async"). */
WW_DEVICE void cp_async_16_zero_fill(uint32_t smem, const void *global, uint32_t bytes)
{
    asm volatile("cp.async.cg.shared::cta.global [%0], [%1], 16, %2;"
                 :
                 : "r"(smem), "l"(__cvta_generic_to_global(global)), "r"(bytes)
                 : "memory");
}

/* 8 and 4 bytes, through L1; both addresses are multiples of as many ("cp.async"). */
WW_DEVICE void cp_async_8(uint32_t smem, const void *global)
{
    asm volatile("cp.async.ca.shared::cta.global [%0], [%1], 8;"
                 :
                 : "r"(smem), "l"(__cvta_generic_to_global(global))
                 : "memory");
}

WW_DEVICE void cp_async_8_zero_fill(uint32_t smem, const void *global, uint32_t bytes)
{
    asm volatile("cp.async.ca.shared::cta.global [%0], [%1], 8, %2;"
                 :
                 : "r"(smem), "l"(__cvta_generic_to_global(global)), "r"(bytes)
                 : "memory");
}

WW_DEVICE void cp_async_4(uint32_t smem, const void *global)
{
    asm volatile("cp.async.ca.shared::cta.global [%0], [%1], 4;"
                 :
                 : "r"(smem), "l"(__cvta_generic_to_global(global))
                 : "memory");
}

WW_DEVICE void cp_async_4_zero_fill(uint32_t smem, const void *global, uint32_t bytes)
{
    asm volatile("cp.async.ca.shared::cta.global [%0], [%1], 4, %2;"
                 :
                 : "r"(smem), "l"(__cvta_generic_to_global(global)), "r"(bytes)
                 : "memory");
}

/* Closes this thread's group of copies ("cp.async.commit_group"). */
WW_DEVICE void cp_async_commit_group()
{
    asm volatile("cp.async.commit_group;" : : : "memory");
}

/* Waits until all but the N newest groups are complete ("cp.async.wait_group, cp.async.wait_all"). */
template <int N> WW_DEVICE void cp_async_wait_group()
{
    asm volatile("cp.async.wait_group %0;" : : "n"(N) : "memory");
}

/* Waits for all copies of this thread, committed or not ("cp.async.wait_group, cp.async.wait_all"). */
WW_DEVICE void cp_async_wait_all()
{
    asm volatile("cp.async.wait_all;" : : : "memory");
}

/* One arrival on the barrier at `addr` once this thread's earlier copies are complete. The barrier's count
 * includes it: `noinc` adds no expected arrival of its own ("cp.async.mbarrier.arrive"). */
WW_DEVICE void cp_async_mbarrier_arrive_noinc(uint32_t addr)
{
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" : : "r"(addr) : "memory");
}

} // namespace ww

#endif
