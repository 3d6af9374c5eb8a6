/* warp: who am I, who acts for the warp, who waits for whom inside the CTA, how many registers I own.
 *
 * Here and in its neighbours, a quoted name is the title of a section of the PTX ISA (8.0 or later): titles
 * last, section numbers move. Shared memory addresses are 32-bit shared::cta addresses everywhere. */
#ifndef WW_WARP_CUH
#define WW_WARP_CUH

#include "arch.cuh"
#include "types.h"

namespace ww
{

/* The 32-bit shared::cta address of an object in shared memory ("cvta"). */
WW_DEVICE uint32_t shared_address(const void *object)
{
    return static_cast<uint32_t>(__cvta_generic_to_shared(object));
}

WW_DEVICE int lane_index()
{
    return static_cast<int>(threadIdx.x & 31u);
}

/* The warp's index in its CTA. Read from lane 0, so that every branch on it is known to be warp-uniform. */
WW_DEVICE int warp_index()
{
    return __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x >> 5), 0);
}

/* True in exactly one lane, always the same one: lane 0 before sm_90. The warp must be converged
 * ("elect.sync"). */
WW_DEVICE bool elect_one()
{
#if WW_BEFORE_SM_90
    return lane_index() == 0;
#else
    uint32_t elected;
    asm volatile("{\n\t"
                 ".reg .pred p;\n\t"
                 "elect.sync _|p, 0xffffffff;\n\t"
                 "selp.u32 %0, 1, 0, p;\n\t"
                 "}"
                 : "=r"(elected)
                 :
                 : "memory");
    return elected != 0;
#endif
}

WW_DEVICE void syncwarp()
{
    __syncwarp();
}

/* Barrier `id` (0..15; 0 is __syncthreads) for `threads` threads, a multiple of 32 ("bar, barrier"). */
WW_DEVICE void named_barrier_sync(int id, int threads)
{
    asm volatile("bar.sync %0, %1;" : : "r"(id), "r"(threads) : "memory");
}

/* Counts in without waiting; another group of threads syncs ("bar, barrier"). */
WW_DEVICE void named_barrier_arrive(int id, int threads)
{
    asm volatile("bar.arrive %0, %1;" : : "r"(id), "r"(threads) : "memory");
}

/* Raises this warpgroup's register budget to N (24..256, a multiple of 8); waits until the CTA's pool has
 * them. All four warps of a warpgroup execute the same one ("setmaxnreg"). */
template <int N> WW_DEVICE void setmaxnreg_inc()
{
    static_assert(N >= 24 && N <= 256 && N % 8 == 0, "setmaxnreg takes a multiple of 8 from 24 to 256");
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" : : "n"(N));
}

/* Lowers this warpgroup's register budget to N and returns the rest to the CTA's pool ("setmaxnreg"). */
template <int N> WW_DEVICE void setmaxnreg_dec()
{
    static_assert(N >= 24 && N <= 256 && N % 8 == 0, "setmaxnreg takes a multiple of 8 from 24 to 256");
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" : : "n"(N));
}

} // namespace ww

#endif
