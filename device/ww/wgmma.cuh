/* wgmma: the warpgroup's asynchronous matrix multiply. D (registers, fp32) += A (shared) . B (shared)^T.
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

/* The descriptor of a shared operand, K-major (K innermost), 128-byte swizzle ("Matrix Descriptor Format"):
 *
 *     63 62 | 61..52 | 51..49 | 48..46 | 45..32 | 31 30 | 29..16 | 15 14 | 13..0
 *       1   |   0    |   0    |   0    |   64   |   0   |   1    |   0   | address >> 4
 *     128 B |        |  base  |        | stride |       | leading|       |
 *    swizzle|        | offset |        | 1024 B |       | 16 B   |       |
 *
 * The stride is from one 8-row atom of 1024 bytes to the next; the leading offset plays no part in a swizzled
 * K-major layout; the base offset is 0 because tiles are 1024-byte aligned. A K step of 16 elements of two
 * bytes inside the 128-byte row adds 32 bytes, 2 units, to the address. */
WW_HOST_DEVICE uint64_t descriptor_k_major_sw128(uint32_t addr)
{
    return (uint64_t{1} << 62) | (uint64_t{1024 >> 4} << 32) | (uint64_t{1} << 16) |
           static_cast<uint64_t>((addr & 0x3ffffu) >> 4);
}

/* The operand lists of the instruction: 4, 8 .. 128 registers, by doubling. */
#define WW_NAMES_4 "%0, %1, %2, %3"
#define WW_NAMES_8 WW_NAMES_4 ", %4, %5, %6, %7"
#define WW_NAMES_16 WW_NAMES_8 ", %8, %9, %10, %11, %12, %13, %14, %15"
#define WW_NAMES_32                                                                                          \
    WW_NAMES_16 ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define WW_NAMES_64                                                                                          \
    WW_NAMES_32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47"           \
                ", %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define WW_NAMES_128                                                                                         \
    WW_NAMES_64 ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79"           \
                ", %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"           \
                ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110"     \
                ", %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125" \
                ", %126, %127"

#define WW_VALUES_4(d, i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define WW_VALUES_8(d, i) WW_VALUES_4(d, i), WW_VALUES_4(d, i + 4)
#define WW_VALUES_16(d, i) WW_VALUES_8(d, i), WW_VALUES_8(d, i + 8)
#define WW_VALUES_32(d, i) WW_VALUES_16(d, i), WW_VALUES_16(d, i + 16)
#define WW_VALUES_64(d, i) WW_VALUES_32(d, i), WW_VALUES_32(d, i + 32)
#define WW_VALUES_128(d, i) WW_VALUES_64(d, i), WW_VALUES_64(d, i + 64)

/* Defines wgmma_m64n{N}k16_{TYPE}(d, a, b, accumulate): d = A.B^T, plus the old d if accumulate is not 0. R
 * is N/2, the number of accumulators; RA, RB, RP are the operand numbers R, R+1, R+2. Both operands K-major,
 * not negated ("wgmma.mma_async"). */
#define WW_DEFINE_WGMMA(N, TYPE, R, RA, RB, RP)                                                              \
    WW_DEVICE void wgmma_m64n##N##k16_##TYPE(float(&d)[R], uint64_t a, uint64_t b, int accumulate)           \
    {                                                                                                        \
        asm volatile("{\n\t"                                                                                 \
                     ".reg .pred p;\n\t"                                                                     \
                     "setp.ne.b32 p, %" #RP ", 0;\n\t"                                                       \
                     "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32." #TYPE "." #TYPE " {" WW_NAMES_##R     \
                     "}, %" #RA ", %" #RB ", p, 1, 1, 0, 0;\n\t"                                             \
                     "}"                                                                                     \
                     : WW_VALUES_##R(d, 0)                                                                   \
                     : "l"(a), "l"(b), "r"(accumulate)                                                       \
                     : "memory");                                                                            \
    }

#define WW_DEFINE_WGMMA_SHAPES(TYPE)                                                                         \
    WW_DEFINE_WGMMA(8, TYPE, 4, 4, 5, 6)                                                                     \
    WW_DEFINE_WGMMA(16, TYPE, 8, 8, 9, 10)                                                                   \
    WW_DEFINE_WGMMA(32, TYPE, 16, 16, 17, 18)                                                                \
    WW_DEFINE_WGMMA(64, TYPE, 32, 32, 33, 34)                                                                \
    WW_DEFINE_WGMMA(128, TYPE, 64, 64, 65, 66)                                                               \
    WW_DEFINE_WGMMA(256, TYPE, 128, 128, 129, 130)

WW_DEFINE_WGMMA_SHAPES(bf16)
WW_DEFINE_WGMMA_SHAPES(f16)

#undef WW_DEFINE_WGMMA_SHAPES
#undef WW_DEFINE_WGMMA

} // namespace ww

#endif
