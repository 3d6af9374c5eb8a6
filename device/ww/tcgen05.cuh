/* tcgen05: sm_100's tensor cores and their tensor memory (TMEM). D (TMEM) += A (TMEM or shared) . B^T.
 *
 * TMEM has 128 lanes of 512 columns of 32 bits in each SM; addresses are made by tmem_address, descriptors by
 * umma_descriptor.cuh. G is 1 for a CTA alone and 2 for a pair of CTAs that work together ("cta_group"); a
 * kernel uses one of them throughout. Who executes what:
 *
 *     alloc, dealloc, relinquish    one whole warp; with G = 2 one warp in each CTA of the pair
 *     mma, cp, shift, commit        one thread, elected by the caller; with G = 2 in the even CTA of the pair
 *     ld, st, wait_ld, wait_st      every warp for itself; warp w of a warpgroup reaches lanes 32w..32w+31
 *     fences                        any thread
 *
 * All but alloc, dealloc and the waits are asynchronous. commit makes an mbarrier the end of the thread's
 * earlier mma, cp and shift; wait_ld and wait_st are the end of the warp's earlier ld and st. Around any
 * other synchronisation that hands TMEM from thread to thread there stands a fence: before_thread_sync on the
 * side that signals, after_thread_sync on the side that waited ("tcgen05 memory consistency model"). sm_100a,
 * sm_103a and sm_110a alone have these; other passes over this file assemble as long as they call none. */
#ifndef WW_TCGEN05_CUH
#define WW_TCGEN05_CUH

#include "operands.cuh"
#include "types.h"

namespace ww
{

/* ---- tensor memory ---------------------------------------------------------------------------------- */

/* Writes the address of `columns` (a power of two, 32..512) newly allocated columns to shared memory; waits
 * until there are as many ("tcgen05.alloc, tcgen05.dealloc, tcgen05.relinquish_alloc_permit"). */
template <int G> WW_DEVICE void tcgen05_alloc(uint32_t smem, uint32_t columns)
{
    static_assert(G == 1 || G == 2, "a group is one CTA or a pair");
    asm volatile("tcgen05.alloc.cta_group::%2.sync.aligned.shared::cta.b32 [%0], %1;"
                 :
                 : "r"(smem), "r"(columns), "n"(G)
                 : "memory");
}

/* Gives them back; everything must be, before the kernel ends (the same section). */
template <int G> WW_DEVICE void tcgen05_dealloc(uint32_t tmem, uint32_t columns)
{
    static_assert(G == 1 || G == 2, "a group is one CTA or a pair");
    asm volatile("tcgen05.dealloc.cta_group::%2.sync.aligned.b32 %0, %1;"
                 :
                 : "r"(tmem), "r"(columns), "n"(G)
                 : "memory");
}

/* Says that this CTA allocates no more, so that another on the same SM may (the same section). */
template <int G> WW_DEVICE void tcgen05_relinquish()
{
    static_assert(G == 1 || G == 2, "a group is one CTA or a pair");
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::%0.sync.aligned;" : : "n"(G) : "memory");
}

/* ---- completion and order --------------------------------------------------------------------------- */

/* One arrival on `barrier` once this thread's earlier mma, cp and shift are complete ("tcgen05.commit"). */
template <int G> WW_DEVICE void tcgen05_commit(uint32_t barrier)
{
    static_assert(G == 1 || G == 2, "a group is one CTA or a pair");
    asm volatile("tcgen05.commit.cta_group::%1.mbarrier::arrive::one.shared::cluster.b64 [%0];"
                 :
                 : "r"(barrier), "n"(G)
                 : "memory");
}

/* The same on the barrier at our offset in every CTA of `mask` (bit = rank in the cluster)
 * ("tcgen05.commit"). */
template <int G> WW_DEVICE void tcgen05_commit_multicast(uint32_t barrier, uint16_t mask)
{
    static_assert(G == 1 || G == 2, "a group is one CTA or a pair");
    asm volatile("tcgen05.commit.cta_group::%2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64"
                 " [%0], %1;"
                 :
                 : "r"(barrier), "h"(mask), "n"(G)
                 : "memory");
}

/* Waits for this warp's earlier loads: their registers hold values after it, see tcgen05_pin
 * ("tcgen05.wait"). */
WW_DEVICE void tcgen05_wait_ld()
{
    asm volatile("tcgen05.wait::ld.sync.aligned;" : : : "memory");
}

/* Waits for this warp's earlier stores ("tcgen05.wait"). */
WW_DEVICE void tcgen05_wait_st()
{
    asm volatile("tcgen05.wait::st.sync.aligned;" : : : "memory");
}

/* Keeps the compiler from moving uses of loaded registers before this point: it sees no dependence between
 * them and the wait that settles them. After the wait, before the first use; costs no instruction. */
template <int N> WW_DEVICE void tcgen05_pin(uint32_t (&r)[N])
{
#pragma unroll
    for (int i = 0; i < N; i++)
        asm volatile("" : "+r"(r[i])::"memory");
}

/* Orders this thread's earlier tcgen05 operations before the synchronisation to come ("tcgen05.fence"). */
WW_DEVICE void tcgen05_fence_before_thread_sync()
{
    asm volatile("tcgen05.fence::before_thread_sync;" : : : "memory");
}

/* Orders this thread's later tcgen05 operations after the synchronisation so far ("tcgen05.fence"). */
WW_DEVICE void tcgen05_fence_after_thread_sync()
{
    asm volatile("tcgen05.fence::after_thread_sync;" : : : "memory");
}

/* ---- multiplication --------------------------------------------------------------------------------- */

/* Defines, for one kind of operands, with `idesc` from umma_instruction and a, b descriptors of shared memory
 * ("tcgen05.mma"):
 *
 *     tcgen05_mma_KIND<G>(d, a, b, idesc, accumulate)                 D = A.B^T, plus the old D if accumulate
 *     tcgen05_mma_KIND_tmem_a<G>(d, a_tmem, b, idesc, accumulate)     the same with A in tensor memory
 *
 * A K step is 32 bytes: 16 elements for f16, 8 for tf32, 32 for f8f6f4 and i8. */
#define WW_DEFINE_TCGEN05_MMA(KIND)                                                                          \
    template <int G>                                                                                         \
    WW_DEVICE void tcgen05_mma_##KIND(uint32_t d_tmem, uint64_t a, uint64_t b, uint32_t idesc,               \
                                      bool accumulate)                                                       \
    {                                                                                                        \
        static_assert(G == 1 || G == 2, "a group is one CTA or a pair");                                     \
        asm volatile("{\n\t"                                                                                 \
                     ".reg .pred p;\n\t"                                                                     \
                     "setp.ne.b32 p, %4, 0;\n\t"                                                             \
                     "tcgen05.mma.cta_group::%5.kind::" #KIND " [%0], %1, %2, %3, p;\n\t"                    \
                     "}"                                                                                     \
                     :                                                                                       \
                     : "r"(d_tmem), "l"(a), "l"(b), "r"(idesc), "r"(static_cast<uint32_t>(accumulate)),      \
                       "n"(G)                                                                                \
                     : "memory");                                                                            \
    }                                                                                                        \
    template <int G>                                                                                         \
    WW_DEVICE void tcgen05_mma_##KIND##_tmem_a(uint32_t d_tmem, uint32_t a_tmem, uint64_t b, uint32_t idesc, \
                                               bool accumulate)                                              \
    {                                                                                                        \
        static_assert(G == 1 || G == 2, "a group is one CTA or a pair");                                     \
        asm volatile("{\n\t"                                                                                 \
                     ".reg .pred p;\n\t"                                                                     \
                     "setp.ne.b32 p, %4, 0;\n\t"                                                             \
                     "tcgen05.mma.cta_group::%5.kind::" #KIND " [%0], [%1], %2, %3, p;\n\t"                  \
                     "}"                                                                                     \
                     :                                                                                       \
                     : "r"(d_tmem), "r"(a_tmem), "l"(b), "r"(idesc), "r"(static_cast<uint32_t>(accumulate)), \
                       "n"(G)                                                                                \
                     : "memory");                                                                            \
    }

WW_DEFINE_TCGEN05_MMA(f16)
WW_DEFINE_TCGEN05_MMA(tf32)
WW_DEFINE_TCGEN05_MMA(f8f6f4)
WW_DEFINE_TCGEN05_MMA(i8) /* not on sm_103a */

#undef WW_DEFINE_TCGEN05_MMA

/* Before CUDA 12.9 the block of 16 elements that share a factor was said as four factors a step. */
#if defined(__CUDACC_VER_MAJOR__) && __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ < 1209
#define WW_BLOCK_16 ".scale_vec::4X"
#else
#define WW_BLOCK_16 ".block16"
#endif

/* Defines tcgen05_mma_KIND<G>(d, a, b, idesc, sfa, sfb, accumulate): each block of A and B along K is scaled
 * by its factor, found in tensor memory at sfa and sfb; `idesc` from umma_instruction_block_scaled. Blocks
 * are of 32 elements, of mxf4nvf4 16. A K step is 32 bytes: 64 elements for the 4-bit kinds, 32 for mxf8f6f4
 * ("tcgen05.mma"). */
#define WW_DEFINE_TCGEN05_MMA_SCALED(KIND, BLOCK)                                                            \
    template <int G>                                                                                         \
    WW_DEVICE void tcgen05_mma_##KIND(uint32_t d_tmem, uint64_t a, uint64_t b, uint32_t idesc,               \
                                      uint32_t sfa_tmem, uint32_t sfb_tmem, bool accumulate)                 \
    {                                                                                                        \
        static_assert(G == 1 || G == 2, "a group is one CTA or a pair");                                     \
        asm volatile("{\n\t"                                                                                 \
                     ".reg .pred p;\n\t"                                                                     \
                     "setp.ne.b32 p, %6, 0;\n\t"                                                             \
                     "tcgen05.mma.cta_group::%7.kind::" #KIND ".block_scale" BLOCK                           \
                     " [%0], %1, %2, %3, [%4], [%5], p;\n\t"                                                 \
                     "}"                                                                                     \
                     :                                                                                       \
                     : "r"(d_tmem), "l"(a), "l"(b), "r"(idesc), "r"(sfa_tmem), "r"(sfb_tmem),                \
                       "r"(static_cast<uint32_t>(accumulate)), "n"(G)                                        \
                     : "memory");                                                                            \
    }

WW_DEFINE_TCGEN05_MMA_SCALED(mxf4nvf4, WW_BLOCK_16)
WW_DEFINE_TCGEN05_MMA_SCALED(mxf4, "")
WW_DEFINE_TCGEN05_MMA_SCALED(mxf8f6f4, "")

#undef WW_DEFINE_TCGEN05_MMA_SCALED
#undef WW_BLOCK_16

/* ---- into and out of tensor memory ------------------------------------------------------------------ */

/* Defines tcgen05_cp_NAME<G>(tmem, descriptor): shared memory into tensor memory, LANES x BITS: with 128
 * lanes into all, with 4 into four; warpx4 repeats 32 lanes in all four quarters, warpx2 repeats 64 lanes,
 * the same ones in quarters 0 and 2, 1 and 3 (_02_13) or 0 and 1, 2 and 3 (_01_23). An mma that the same
 * thread issues later finds them there, with no wait between ("tcgen05.cp"). */
#define WW_DEFINE_TCGEN05_CP(NAME, SHAPE)                                                                    \
    template <int G> WW_DEVICE void tcgen05_cp_##NAME(uint32_t tmem, uint64_t descriptor)                    \
    {                                                                                                        \
        static_assert(G == 1 || G == 2, "a group is one CTA or a pair");                                     \
        asm volatile("tcgen05.cp.cta_group::%2." SHAPE " [%0], %1;"                                          \
                     :                                                                                       \
                     : "r"(tmem), "l"(descriptor), "n"(G)                                                    \
                     : "memory");                                                                            \
    }

WW_DEFINE_TCGEN05_CP(128x256b, "128x256b")
WW_DEFINE_TCGEN05_CP(128x128b, "128x128b")
WW_DEFINE_TCGEN05_CP(4x256b, "4x256b")
WW_DEFINE_TCGEN05_CP(64x128b_warpx2_02_13, "64x128b.warpx2::02_13")
WW_DEFINE_TCGEN05_CP(64x128b_warpx2_01_23, "64x128b.warpx2::01_23")
WW_DEFINE_TCGEN05_CP(32x128b_warpx4, "32x128b.warpx4")

#undef WW_DEFINE_TCGEN05_CP

/* Moves rows of 32 bytes of tensor memory, the lanes of A, one lane down ("tcgen05.shift"). */
template <int G> WW_DEVICE void tcgen05_shift_down(uint32_t tmem)
{
    static_assert(G == 1 || G == 2, "a group is one CTA or a pair");
    asm volatile("tcgen05.shift.cta_group::%1.down [%0];" : : "r"(tmem), "n"(G) : "memory");
}

/* Loads and stores of N registers a thread, N a power of two, the address that of the warp's first lane and
 * column:
 *
 *     32x32b    r[j] of thread t is lane t, column j; N = 1 .. 128
 *     16x256b   16 lanes; r[4j], r[4j+1] of thread t are lane t/4, columns 8j + 2(t%4), +1; r[4j+2], r[4j+3]
 *               are lane t/4 + 8, the same columns, as wgmma's accumulators lie; N = 4 .. 128
 *
 * ("tcgen05.ld", "tcgen05.st", "Data movement shape"). */
/* The case of R registers, which are COUNT times the shape. */
#define WW_TCGEN05_LD(SHAPE, COUNT, R)                                                                       \
    if constexpr (N == R) {                                                                                  \
        asm volatile("tcgen05.ld.sync.aligned." SHAPE ".x" #COUNT ".b32 {" WW_NAMES_##R "}, [%" #R "];"      \
                     : WW_VALUES_##R("=r", r)                                                                \
                     : "r"(tmem)                                                                             \
                     : "memory");                                                                            \
    }

#define WW_TCGEN05_ST(SHAPE, COUNT, R)                                                                       \
    if constexpr (N == R) {                                                                                  \
        asm volatile("tcgen05.st.sync.aligned." SHAPE ".x" #COUNT ".b32 [%" #R "], {" WW_NAMES_##R "};"      \
                     :                                                                                       \
                     : WW_VALUES_##R("r", r), "r"(tmem)                                                      \
                     : "memory");                                                                            \
    }

/* Repeats of 32x32b, and the registers of each. */
#define WW_TCGEN05_32X32B(X) \
    X("32x32b", 1, 1) X("32x32b", 2, 2) X("32x32b", 4, 4) X("32x32b", 8, 8) \
    X("32x32b", 16, 16) X("32x32b", 32, 32) X("32x32b", 64, 64) X("32x32b", 128, 128)

template <int N> WW_DEVICE void tcgen05_ld_32x32b(uint32_t tmem, uint32_t (&r)[N])
{
    static_assert(N >= 1 && N <= 128 && (N & (N - 1)) == 0, "N is a power of two from 1 to 128");
    WW_TCGEN05_32X32B(WW_TCGEN05_LD)
}

template <int N> WW_DEVICE void tcgen05_ld_16x256b(uint32_t tmem, uint32_t (&r)[N])
{
    static_assert(N >= 4 && N <= 128 && (N & (N - 1)) == 0, "N is a power of two from 4 to 128");
    WW_TCGEN05_LD("16x256b", 1, 4)
    WW_TCGEN05_LD("16x256b", 2, 8)
    WW_TCGEN05_LD("16x256b", 4, 16)
    WW_TCGEN05_LD("16x256b", 8, 32)
    WW_TCGEN05_LD("16x256b", 16, 64)
    WW_TCGEN05_LD("16x256b", 32, 128)
}

template <int N> WW_DEVICE void tcgen05_st_32x32b(uint32_t tmem, const uint32_t (&r)[N])
{
    static_assert(N >= 1 && N <= 128 && (N & (N - 1)) == 0, "N is a power of two from 1 to 128");
    WW_TCGEN05_32X32B(WW_TCGEN05_ST)
}

#undef WW_TCGEN05_32X32B
#undef WW_TCGEN05_LD
#undef WW_TCGEN05_ST

} // namespace ww

#endif
