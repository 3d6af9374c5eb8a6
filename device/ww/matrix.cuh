/* matrix: registers to and from memory in matrix-shaped or 128-bit pieces, and rounding to 16-bit pairs.
 *
 * An 8x8 matrix of 16-bit elements is spread over a warp: lane l holds the elements 2(l%4) and 2(l%4)+1 of
 * row l/4 in one register, which is also how a wgmma accumulator lies once rounded to 16 bits. */
#ifndef WW_MATRIX_CUH
#define WW_MATRIX_CUH

#include "types.h"

namespace ww
{

/* Stores four 8x8 matrices; lane 8i + r gives the address of row r of matrix i, and register i of every lane
 * is its part of matrix i ("stmatrix"). */
WW_DEVICE void stmatrix_x4(uint32_t addr, uint32_t r0, uint32_t r1, uint32_t r2, uint32_t r3)
{
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};"
                 :
                 : "r"(addr), "r"(r0), "r"(r1), "r"(r2), "r"(r3)
                 : "memory");
}

/* Loads four 8x8 matrices; the mirror of stmatrix_x4 ("ldmatrix"). */
WW_DEVICE void ldmatrix_x4(uint32_t addr, uint32_t &r0, uint32_t &r1, uint32_t &r2, uint32_t &r3)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)
                 : "r"(addr)
                 : "memory");
}

/* 16 bytes, 16-byte aligned ("ld", "st"). */
struct vector_128 {
    uint32_t x, y, z, w;
};

WW_DEVICE vector_128 load_global_128(const void *from)
{
    vector_128 v;
    asm volatile("ld.global.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(__cvta_generic_to_global(from))
                 : "memory");
    return v;
}

WW_DEVICE void store_global_128(void *to, vector_128 v)
{
    asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};"
                 :
                 : "l"(__cvta_generic_to_global(to)), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
                 : "memory");
}

WW_DEVICE vector_128 load_shared_128(uint32_t addr)
{
    vector_128 v;
    asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "r"(addr)
                 : "memory");
    return v;
}

WW_DEVICE void store_shared_128(uint32_t addr, vector_128 v)
{
    asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};"
                 :
                 : "r"(addr), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
                 : "memory");
}

/* One 16-bit element of shared memory ("ld"). */
WW_DEVICE uint16_t load_shared_16(uint32_t addr)
{
    uint16_t v;
    asm volatile("ld.shared.b16 %0, [%1];" : "=h"(v) : "r"(addr) : "memory");
    return v;
}

/* Two floats rounded to nearest even; `low` in bits 0-15, at the lower address in memory ("cvt"). */
WW_DEVICE uint32_t pack_bf16(float low, float high)
{
    uint32_t pair;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
    return pair;
}

WW_DEVICE uint32_t pack_f16(float low, float high)
{
    uint32_t pair;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
    return pair;
}

} // namespace ww

#endif
