/* umma_descriptor: the words that tell tcgen05 where operands are and what they are made of.
 *
 * An MMA is told of an operand in shared memory by a 64-bit descriptor, of shape and types by a 32-bit
 * instruction descriptor, of what lies in tensor memory by addresses. Everything is constexpr: with constant
 * arguments nothing is left of it but the address. */
#ifndef WW_UMMA_DESCRIPTOR_CUH
#define WW_UMMA_DESCRIPTOR_CUH

#include "types.h"

namespace ww
{

/* ---- operands in shared memory ---------------------------------------------------------------------- */

enum umma_layout : uint32_t {
    umma_plain = 0,
    umma_swizzle_128_by_32 = 1, /* 128-byte rows, chunks of 32 bytes */
    umma_swizzle_128 = 2,
    umma_swizzle_64 = 4,
    umma_swizzle_32 = 6,
};

/* The descriptor of an operand, or of the source of tcgen05.cp ("tcgen05 shared memory descriptor"):
 *
 *     63 62 61 | 60..53 | 52 | 51..49 | 48 | 47 46   | 45..32     | 31 30 | 29..16     | 15 14 | 13..0
 *     layout   |   0    |  0 | base   | 0  | version | stride     |   0   | leading    |   0   | address >> 4
 *                              offset        1         bytes >> 4           bytes >> 4
 *
 * Bit 52 would make the leading offset absolute. The base offset is 0 because swizzled tiles begin at a
 * multiple of their atom (1024, 512, 256 bytes). With cta_group::2 one descriptor means the same offset in
 * both CTAs. */
WW_HOST_DEVICE constexpr uint64_t umma_descriptor(uint32_t addr, umma_layout layout, uint32_t leading_bytes,
                                                  uint32_t stride_bytes)
{
    return (static_cast<uint64_t>(layout) << 61) | (uint64_t{1} << 46) |
           (static_cast<uint64_t>(stride_bytes >> 4) << 32) |
           (static_cast<uint64_t>(leading_bytes >> 4) << 16) | static_cast<uint64_t>((addr & 0x3ffffu) >> 4);
}

/* K-major (K innermost), rows as wide as the swizzle. The stride is from one 8-row atom to the next; the
 * leading offset plays no part. A K step of 32 bytes inside the row adds 2 to the descriptor. */
WW_HOST_DEVICE constexpr uint64_t umma_descriptor_k_major_sw128(uint32_t addr)
{
    return umma_descriptor(addr, umma_swizzle_128, 16, 1024);
}

WW_HOST_DEVICE constexpr uint64_t umma_descriptor_k_major_sw64(uint32_t addr)
{
    return umma_descriptor(addr, umma_swizzle_64, 16, 512);
}

WW_HOST_DEVICE constexpr uint64_t umma_descriptor_k_major_sw32(uint32_t addr)
{
    return umma_descriptor(addr, umma_swizzle_32, 16, 256);
}

/* K-major without swizzle: cores of 8 rows of 16 bytes, each 128 contiguous bytes; from one to the next along
 * K, and along M or N. */
WW_HOST_DEVICE constexpr uint64_t umma_descriptor_k_major_plain(uint32_t addr, uint32_t k_bytes,
                                                                uint32_t mn_bytes)
{
    return umma_descriptor(addr, umma_plain, k_bytes, mn_bytes);
}

/* MN-major (M or N innermost): lines of 128 bytes along M or N, 8 of K an atom of 1024; from one atom to the
 * next along M or N, and along K. */
WW_HOST_DEVICE constexpr uint64_t umma_descriptor_mn_major_sw128(uint32_t addr, uint32_t mn_bytes,
                                                                 uint32_t k_bytes)
{
    return umma_descriptor(addr, umma_swizzle_128, mn_bytes, k_bytes);
}

/* Scale factors as tcgen05_cp_32x128b_warpx4 reads them: 32 lines of 16 bytes, 8 lines an atom of 128,
 * contiguous. */
WW_HOST_DEVICE constexpr uint64_t umma_descriptor_scale_factors(uint32_t addr)
{
    return umma_descriptor(addr, umma_plain, 16, 128);
}

/* ---- instruction descriptors ------------------------------------------------------------------------ */

enum umma_accumulator : uint32_t { umma_d_f16 = 0, umma_d_f32 = 1, umma_d_s32 = 2 };

/* Codes are shared between kinds: f16 and tf32; f8f6f4 and mxf8f6f4; mxf4 and mxf4nvf4; i8. */
enum umma_operand : uint32_t {
    umma_f16 = 0,
    umma_bf16 = 1,
    umma_tf32 = 2,
    umma_e4m3 = 0,
    umma_e5m2 = 1,
    umma_e2m3 = 3,
    umma_e3m2 = 4,
    umma_e2m1 = 5,
    umma_mxf4_e2m1 = 1,
    umma_u8 = 0,
    umma_s8 = 1,
};

enum umma_major : uint32_t { umma_k_major = 0, umma_mn_major = 1 };

enum umma_scale : uint32_t { umma_ue4m3 = 0, umma_ue8m0 = 1 };

/* The descriptor of kinds f16, tf32, f8f6f4 and i8 ("Instruction descriptor"):
 *
 *     31 30 | 29 | 28..24 | 23 | 22..17 | 16 15   | 14 13  | 12..10 | 9 8 7 | 6 | 5 4 | 3        | 2..0
 *       0   | 0  | M >> 4 | 0  | N >> 3 | B A     | B A    | B      | A     | 0 | D   | saturate | 0
 *                                         MN-major  negate   type     type        type   (i8)
 *
 * Bits 0-2 are for sparse A, 30-31 for the weight-stationary form. M is of the whole group: 64 or 128 for one
 * CTA, 128 or 256 for a pair. */
WW_HOST_DEVICE constexpr uint32_t umma_instruction(umma_accumulator d, umma_operand a, umma_operand b, int m,
                                                   int n, umma_major a_major = umma_k_major,
                                                   umma_major b_major = umma_k_major)
{
    return (static_cast<uint32_t>(m) >> 4 << 24) | (static_cast<uint32_t>(n) >> 3 << 17) | (b_major << 16) |
           (a_major << 15) | (b << 10) | (a << 7) | (d << 4);
}

/* That of the block-scaled kinds mxf8f6f4, mxf4 and mxf4nvf4, accumulating in f32 ("Instruction descriptor"):
 *
 *     31   | 30 29 | 28..24 | 23    | 22..17 | 16 15   | 14 13  | 12..10 | 9 8 7 | 6 | 5 4   | 3..0
 *     K 96 | A     | M >> 4 | scale | N >> 3 | B A     | B A    | B      | A     | 0 | B     | 0
 *            scale            type             MN-major  negate   type     type        scale
 *            id                                                                        id
 *
 * A scale id says which of the four bytes of a column of scale factors counts first: bits 31 and 30 of the
 * address of the factors. Bit 31 takes 96 elements of K instead of 64, which sm_103a has for 4-bit types. */
WW_HOST_DEVICE constexpr uint32_t
umma_instruction_block_scaled(umma_operand a, umma_operand b, umma_scale scale, int m, int n,
                              uint32_t a_scale_id = 0, uint32_t b_scale_id = 0,
                              umma_major a_major = umma_k_major, umma_major b_major = umma_k_major)
{
    return (a_scale_id << 29) | (static_cast<uint32_t>(m) >> 4 << 24) | (scale << 23) |
           (static_cast<uint32_t>(n) >> 3 << 17) | (b_major << 16) | (a_major << 15) | (b << 10) | (a << 7) |
           (b_scale_id << 4);
}

/* ---- tensor memory ---------------------------------------------------------------------------------- */

/* An address in tensor memory, or the distance to add to one: lane (0..127) in bits 31-16, column (0..511) in
 * bits 15-0. Warp w of a warpgroup reaches lanes 32w..32w+31 ("Tensor memory addressing"). */
WW_HOST_DEVICE constexpr uint32_t tmem_address(uint32_t lane, uint32_t column)
{
    return (lane << 16) | column;
}

/* ---- scale factors ---------------------------------------------------------------------------------- */

/* Where the 1-byte factor of row `row` of A or B and of the k-th block along K lies in a block of 512 bytes,
 * which covers 128 rows and 4 blocks along K:
 *
 *     8 7 6 5 4 | 3 2      | 1 0        row % 32, row / 32, k
 *
 * so that tcgen05_cp_32x128b_warpx4 puts rows 32j..32j+31 into lanes 0..31 of column j, and again in each
 * quarter of the lanes. */
WW_HOST_DEVICE constexpr uint32_t scale_factor_in_block(uint32_t row, uint32_t k)
{
    return row % 32 * 16 + row / 32 % 4 * 4 + k % 4;
}

/* The same in a whole matrix of factors: blocks of 512 bytes, those along K first, `k_blocks` of them. */
WW_HOST_DEVICE constexpr uint32_t scale_factor_index(uint32_t row, uint32_t k, uint32_t k_blocks)
{
    return (row / 128 * k_blocks + k / 4) * 512 + scale_factor_in_block(row, k);
}

} // namespace ww

#endif
