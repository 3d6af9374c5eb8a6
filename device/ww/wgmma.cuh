/* wgmma: the warpgroup's asynchronous matrix multiply. D (registers) += A (shared) . B (shared)^T.
 *
 * Four consecutive warps, the first a multiple of four, execute each of these together. The order is: fence
 * once the accumulators or shared operands were touched by ordinary code, any number of mma, commit, and wait
 * before the accumulators are read or the operands' memory is given back. All names end in the shape and
 * type; N/2 accumulators a thread: warp w of the warpgroup holds rows 16w..16w+15, and lane l in d[4j..4j+3]
 *
 *     d[4j+0], d[4j+1]   row 16w + l/4,       columns 8j + 2(l%4), +1
 *     d[4j+2], d[4j+3]   row 16w + l/4 + 8,   the same columns
 *
 * ("Register Fragments for wgmma.mma_async.m64nNk16"). */
#ifndef WW_WGMMA_CUH
#define WW_WGMMA_CUH

#include "operands.cuh"
#include "types.h"

namespace ww
{

/* Orders earlier accesses to registers and shared memory before the next mma ("wgmma.fence"). */
WW_DEVICE void wgmma_fence()
{
    asm volatile("wgmma.fence.sync.aligned;" : : : "memory");
}

/* Closes a group of mma ("wgmma.commit_group"). */
WW_DEVICE void wgmma_commit_group()
{
    asm volatile("wgmma.commit_group.sync.aligned;" : : : "memory");
}

/* Waits until at most the N newest groups are unfinished ("wgmma.wait_group"). */
template <int N> WW_DEVICE void wgmma_wait_group()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" : : "n"(N) : "memory");
}

/* Keeps the compiler from moving uses of the accumulators across this point. After the wait that settles them
 * and before their first use: the compiler sees no dependence between the two. Costs no instruction. */
template <int N> WW_DEVICE void wgmma_pin(float (&d)[N])
{
#pragma unroll
    for (int i = 0; i < N; i++)
        asm volatile("" : "+f"(d[i])::"memory");
}

template <int N> WW_DEVICE void wgmma_pin(int (&d)[N])
{
#pragma unroll
    for (int i = 0; i < N; i++)
        asm volatile("" : "+r"(d[i])::"memory");
}

/* The descriptor of an operand in shared memory ("Matrix Descriptor Format"):
 *
 *     63 62  | 61..52 | 51..49 | 48 47 46 | 45..32 | 31 30 | 29..16  | 15 14 | 13..0
 *     layout |   0    |  base  |     0    | stride |   0   | leading |   0   | address >> 4
 *                       offset             bytes >> 4       bytes >> 4
 *
 * layout: 0 no swizzle, 1 128 bytes, 2 64 bytes, 3 32 bytes. The base offset is 0 because swizzled tiles
 * begin at a multiple of their atom (1024, 512, 256 bytes). */
WW_HOST_DEVICE constexpr uint64_t wgmma_descriptor(uint32_t addr, uint32_t layout, uint32_t leading_bytes,
                                                   uint32_t stride_bytes)
{
    return (static_cast<uint64_t>(layout) << 62) | (static_cast<uint64_t>(stride_bytes >> 4) << 32) |
           (static_cast<uint64_t>(leading_bytes >> 4) << 16) | static_cast<uint64_t>((addr & 0x3ffffu) >> 4);
}

/* K-major (K innermost), rows as wide as the swizzle. The stride is from one 8-row atom to the next; the
 * leading offset plays no part. A K step of 32 bytes inside the row adds 2 to the descriptor. */
WW_HOST_DEVICE constexpr uint64_t descriptor_k_major_sw128(uint32_t addr)
{
    return wgmma_descriptor(addr, 1, 16, 1024);
}

WW_HOST_DEVICE constexpr uint64_t descriptor_k_major_sw64(uint32_t addr)
{
    return wgmma_descriptor(addr, 2, 16, 512);
}

WW_HOST_DEVICE constexpr uint64_t descriptor_k_major_sw32(uint32_t addr)
{
    return wgmma_descriptor(addr, 3, 16, 256);
}

/* K-major without swizzle: cores of 8 rows of 16 bytes, each 128 contiguous bytes; from one to the next along
 * K, and along M or N. */
WW_HOST_DEVICE constexpr uint64_t descriptor_k_major_plain(uint32_t addr, uint32_t k_bytes, uint32_t mn_bytes)
{
    return wgmma_descriptor(addr, 0, k_bytes, mn_bytes);
}

/* MN-major (M or N innermost), for 16-bit types: lines of 128 bytes along M or N, 8 of K an atom of 1024;
 * from one atom to the next along M or N, and along K. A K step of 16 is two atoms. */
WW_HOST_DEVICE constexpr uint64_t descriptor_mn_major_sw128(uint32_t addr, uint32_t mn_bytes,
                                                            uint32_t k_bytes)
{
    return wgmma_descriptor(addr, 1, mn_bytes, k_bytes);
}

/* Defines wgmma_m64n{N}k{K}_{TYPE}<A_MN, B_MN>(d, a, b, accumulate): d = A.B^T, plus the old d if accumulate
 * is not 0. Operands are not negated; they are K-major unless A_MN or B_MN is 1. D, NUMBER and C are the
 * accumulators' type in PTX, in C++ and as a constraint; R is N/2, their number; RA .. RT are the operand
 * numbers from R on; FLAGS is what the instruction has after the predicate ("wgmma.mma_async"). */
#define WW_DEFINE_WGMMA(N, K, TYPE, D, NUMBER, C, FLAGS, MAJORS, R, RA, RB, RP, RS, RT)                      \
    template <int A_MN = 0, int B_MN = 0>                                                                    \
    WW_DEVICE void wgmma_m64n##N##k##K##_##TYPE(NUMBER(&d)[R], uint64_t a, uint64_t b, int accumulate)       \
    {                                                                                                        \
        static_assert(MAJORS || (A_MN == 0 && B_MN == 0), "only operands of 16 bits can be MN-major");       \
        asm volatile("{\n\t"                                                                                 \
                     ".reg .pred p;\n\t"                                                                     \
                     "setp.ne.b32 p, %" #RP ", 0;\n\t"                                                       \
                     "wgmma.mma_async.sync.aligned.m64n" #N "k" #K "." #D "." #TYPE "." #TYPE                \
                     " {" WW_NAMES_##R "}, %" #RA ", %" #RB ", p" FLAGS(RS, RT) ";\n\t"                      \
                                                                                "}"                          \
                     : WW_VALUES_##R(C, d)                                                                   \
                     : "l"(a), "l"(b), "r"(accumulate), "n"(A_MN), "n"(B_MN)                                 \
                     : "memory");                                                                            \
    }

#define WW_WGMMA_SIGNS_MAJORS(RS, RT) ", 1, 1, %" #RS ", %" #RT
#define WW_WGMMA_SIGNS(RS, RT) ", 1, 1"
#define WW_WGMMA_NO_FLAGS(RS, RT) ""

#define WW_DEFINE_WGMMA_SHAPES(K, TYPE, D, NUMBER, C, FLAGS, MAJORS)                                         \
    WW_DEFINE_WGMMA(8, K, TYPE, D, NUMBER, C, FLAGS, MAJORS, 4, 4, 5, 6, 7, 8)                               \
    WW_DEFINE_WGMMA(16, K, TYPE, D, NUMBER, C, FLAGS, MAJORS, 8, 8, 9, 10, 11, 12)                           \
    WW_DEFINE_WGMMA(32, K, TYPE, D, NUMBER, C, FLAGS, MAJORS, 16, 16, 17, 18, 19, 20)                        \
    WW_DEFINE_WGMMA(64, K, TYPE, D, NUMBER, C, FLAGS, MAJORS, 32, 32, 33, 34, 35, 36)                        \
    WW_DEFINE_WGMMA(128, K, TYPE, D, NUMBER, C, FLAGS, MAJORS, 64, 64, 65, 66, 67, 68)                       \
    WW_DEFINE_WGMMA(256, K, TYPE, D, NUMBER, C, FLAGS, MAJORS, 128, 128, 129, 130, 131, 132)

WW_DEFINE_WGMMA_SHAPES(16, bf16, f32, float, "+f", WW_WGMMA_SIGNS_MAJORS, true)
WW_DEFINE_WGMMA_SHAPES(16, f16, f32, float, "+f", WW_WGMMA_SIGNS_MAJORS, true)
WW_DEFINE_WGMMA_SHAPES(8, tf32, f32, float, "+f", WW_WGMMA_SIGNS, false)
WW_DEFINE_WGMMA_SHAPES(32, e4m3, f32, float, "+f", WW_WGMMA_SIGNS, false)
WW_DEFINE_WGMMA_SHAPES(32, e5m2, f32, float, "+f", WW_WGMMA_SIGNS, false)
WW_DEFINE_WGMMA_SHAPES(32, s8, s32, int, "+r", WW_WGMMA_NO_FLAGS, false)

#undef WW_DEFINE_WGMMA_SHAPES
#undef WW_DEFINE_WGMMA
#undef WW_WGMMA_SIGNS_MAJORS
#undef WW_WGMMA_SIGNS
#undef WW_WGMMA_NO_FLAGS

} // namespace ww

#endif
