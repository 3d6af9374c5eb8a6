/* arithmetic: what the device headers compute without instructions, asserted while compiling. Every compiler
 * that includes this checks it; nvrtc_headers does where there is no other.
 *
 * Golden words are those that CUTLASS's descriptor types pack for the same fields. What has no golden word is
 * compared with a slow model that shares no formula with the header. */
#ifndef ARITHMETIC_CUH
#define ARITHMETIC_CUH

#include "ww/ww.cuh"

#define MODEL WW_HOST_DEVICE constexpr

namespace arithmetic
{

/* ---- descriptors ------------------------------------------------------------------------------------ */

static_assert(ww::umma_instruction(ww::umma_d_f32, ww::umma_f16, ww::umma_f16, 128, 256) == 0x08400010, "");
static_assert(ww::umma_instruction(ww::umma_d_f32, ww::umma_bf16, ww::umma_bf16, 128, 256) == 0x08400490, "");
static_assert(ww::umma_instruction(ww::umma_d_f32, ww::umma_f16, ww::umma_f16, 256, 256) == 0x10400010, "");
static_assert(ww::umma_instruction(ww::umma_d_f32, ww::umma_bf16, ww::umma_bf16, 256, 256) == 0x10400490, "");
static_assert(ww::umma_instruction(ww::umma_d_f32, ww::umma_f16, ww::umma_f16, 128, 16) == 0x08040010, "");
static_assert(ww::umma_instruction_block_scaled(ww::umma_mxf4_e2m1, ww::umma_mxf4_e2m1, ww::umma_ue4m3, 256,
                                                256) == 0x10400480,
              "");

/* One field at a time against the bit it begins at. */
static_assert(ww::umma_instruction(ww::umma_d_s32, ww::umma_u8, ww::umma_u8, 0, 0) == 2u << 4, "D");
static_assert(ww::umma_instruction(ww::umma_d_f16, ww::umma_e2m1, ww::umma_e4m3, 0, 0) == 5u << 7, "A");
static_assert(ww::umma_instruction(ww::umma_d_f16, ww::umma_e4m3, ww::umma_e3m2, 0, 0) == 4u << 10, "B");
static_assert(ww::umma_instruction(ww::umma_d_f16, ww::umma_f16, ww::umma_f16, 0, 0, ww::umma_mn_major) ==
                  1u << 15,
              "A MN-major");
static_assert(ww::umma_instruction(ww::umma_d_f16, ww::umma_f16, ww::umma_f16, 0, 0, ww::umma_k_major,
                                   ww::umma_mn_major) == 1u << 16,
              "B MN-major");
static_assert(ww::umma_instruction_block_scaled(ww::umma_e4m3, ww::umma_e4m3, ww::umma_ue8m0, 0, 0) ==
                  1u << 23,
              "scale type");
static_assert(ww::umma_instruction_block_scaled(ww::umma_e4m3, ww::umma_e4m3, ww::umma_ue4m3, 0, 0, 3) ==
                  3u << 29,
              "A scale id");
static_assert(ww::umma_instruction_block_scaled(ww::umma_e4m3, ww::umma_e4m3, ww::umma_ue4m3, 0, 0, 0, 3) ==
                  3u << 4,
              "B scale id");

static_assert(ww::umma_descriptor_k_major_sw128(0x400) == 0x4000404000010040, "");
static_assert(ww::umma_descriptor_scale_factors(0x400) == 0x0000400800010040, "");
static_assert(ww::umma_descriptor_k_major_sw64(0x400) == 0x8000402000010040, "");
static_assert(ww::umma_descriptor_k_major_sw32(0x400) == 0xc000401000010040, "");
static_assert(ww::umma_descriptor_k_major_plain(0x400, 2048, 128) == 0x0000400800800040, "");
static_assert(ww::umma_descriptor_mn_major_sw128(0x400, 8192, 1024) == 0x4000404002000040, "");
static_assert(ww::umma_descriptor_k_major_sw128(0x01000400) == 0x4000404000010040,
              "the CTA's rank plays no part");

static_assert(ww::descriptor_k_major_sw128(0x400) == 0x4000004000010040, "");
static_assert(ww::descriptor_k_major_sw128(0x400 + 8192) == 0x4000004000010240, "64 rows on is 512 units on");
static_assert(ww::descriptor_k_major_sw128(0x38000) == 0x4000004000013800, "high addresses fit the field");
static_assert(ww::descriptor_k_major_sw64(0x400) == 0x8000002000010040, "");
static_assert(ww::descriptor_k_major_sw32(0x400) == 0xc000001000010040, "");
static_assert(ww::descriptor_k_major_plain(0x400, 2048, 128) == 0x0000000800800040, "");
static_assert(ww::descriptor_mn_major_sw128(0x400, 8192, 1024) == 0x4000004002000040, "");

/* ---- addresses -------------------------------------------------------------------------------------- */

static_assert(ww::tmem_address(96, 511) == 0x006001ff, "");
static_assert(ww::pair_leader_address(0x03000400) == 0x02000400, "CTA 3's leader is CTA 2");
static_assert(ww::pair_leader_address(0x02000400) == 0x02000400, "a leader leads itself");

/* `swizzle` exchanges 16-byte chunks of one 128-byte line with each other, twice the same exchange being
 * none, by the line's number modulo `lines`, and leaves line 0 alone. */
template <class F> MODEL bool is_swizzle(F swizzle, uint32_t lines)
{
    for (uint32_t byte = 0; byte < 2048; byte++) {
        const uint32_t image = swizzle(byte), line = byte / 128 % lines;
        if (swizzle(image) != byte || image / 128 != byte / 128 || image % 16 != byte % 16)
            return false;
        if ((image / 16 % 8 ^ byte / 16 % 8) != line)
            return false;
    }
    return true;
}
static_assert(is_swizzle(ww::swizzle_128, 8), "");
static_assert(is_swizzle(ww::swizzle_64, 4), "");
static_assert(is_swizzle(ww::swizzle_32, 2), "");
static_assert(ww::swizzle_128(3 * 128 + 5 * 16) == 3 * 128 + 6 * 16, "row 3, chunk 5 lies in place 6");
static_assert(ww::swizzle_64(5 * 64 + 1 * 16) == 5 * 64 + 3 * 16,
              "row 5 is in line 2; chunk 1 lies in place 3");
static_assert(ww::swizzle_32(4 * 32 + 0 * 16) == 4 * 32 + 1 * 16,
              "row 4 begins line 1; chunk 0 lies in place 1");

/* The factors of 256 rows by 8 blocks, in the order that tcgen05.cp wants: walked as bytes, each is where its
 * coordinates say. */
MODEL bool scale_factors_in_order()
{
    uint32_t byte = 0;
    for (uint32_t row_block = 0; row_block < 2; row_block++)
        for (uint32_t k_block = 0; k_block < 2; k_block++)
            for (uint32_t lane = 0; lane < 32; lane++)
                for (uint32_t column = 0; column < 4; column++)
                    for (uint32_t k = 0; k < 4; k++)
                        if (ww::scale_factor_index(128 * row_block + 32 * column + lane, 4 * k_block + k,
                                                   2) != byte++)
                            return false;
    return byte == 2048;
}
static_assert(scale_factors_in_order(), "");
static_assert(ww::scale_factor_in_block(33, 2) == 16 + 4 + 2, "row 33: lane 1, column 1");

/* ---- clusters --------------------------------------------------------------------------------------- */

struct place {
    int v, m, n, k;
};

struct places {
    place of[16];
};

/* Ranks dealt in order, v fastest. */
MODEL places places_make(int V, int M, int N, int K)
{
    places p = {};
    int rank = 0;
    for (int k = 0; k < K; k++)
        for (int n = 0; n < N; n++)
            for (int m = 0; m < M; m++)
                for (int v = 0; v < V; v++)
                    p.of[rank++] = {v, m, n, k};
    return p;
}

MODEL bool same_group(place a, place b)
{
    return a.m == b.m && a.n == b.n && a.k == b.k;
}

MODEL bool same_a(place a, place b)
{
    return a.v == b.v && a.m == b.m && a.k == b.k;
}

MODEL bool same_b(place a, place b)
{
    return a.v == b.v && a.n == b.n && a.k == b.k;
}

/* Who must hear from `us`: whoever sends a tile to anyone of our group. */
MODEL bool hears(const places &p, int size, bool (*shares)(place, place), int us, int other)
{
    for (int i = 0; i < size; i++)
        if (same_group(p.of[i], p.of[us]) && shares(p.of[other], p.of[i]))
            return true;
    return false;
}

MODEL bool bit(uint16_t mask, int i)
{
    return (mask >> i & 1) != 0;
}

template <int V, int M, int N, int K> MODEL bool layout_holds()
{
    using layout = ww::cluster_layout<V, M, N, K>;
    const int size = V * M * N * K;
    const places p = places_make(V, M, N, K);
    for (int i = 0; i < size; i++) {
        const place us = p.of[i];
        if (layout::v(i) != us.v || layout::m(i) != us.m || layout::n(i) != us.n || layout::k(i) != us.k)
            return false;
        if (!same_group(p.of[layout::leader(i)], us) || p.of[layout::leader(i)].v != 0)
            return false;
        for (int j = 0; j < 16; j++) {
            const bool in = j < size;
            const place other = p.of[j];
            const bool m = in && hears(p, size, same_a, i, j), n = in && hears(p, size, same_b, i, j);
            if (bit(layout::pair_mask(i), j) != (in && same_group(us, other)) ||
                bit(layout::tma_mask_a(i), j) != (in && same_a(us, other)) ||
                bit(layout::tma_mask_b(i), j) != (in && same_b(us, other)) ||
                bit(layout::release_mask_m(i), j) != m || bit(layout::release_mask_n(i), j) != n ||
                bit(layout::release_mask_mn(i), j) != (m || n))
                return false;
        }
    }
    return layout::size == size;
}

/* How many shapes there are from this one on that fit into 16 CTAs; each is checked on the way. */
template <int V, int M, int N, int K> MODEL int shapes_along_k()
{
    if constexpr (V * M * N * K > 16) {
        return 0;
    } else {
        static_assert(layout_holds<V, M, N, K>(), "the layout differs from the model");
        return 1 + shapes_along_k<V, M, N, K + 1>();
    }
}

template <int V, int M, int N> MODEL int shapes_along_n()
{
    if constexpr (V * M * N > 16)
        return 0;
    else
        return shapes_along_k<V, M, N, 1>() + shapes_along_n<V, M, N + 1>();
}

template <int V, int M> MODEL int shapes_along_m()
{
    if constexpr (V * M > 16)
        return 0;
    else
        return shapes_along_n<V, M, 1>() + shapes_along_m<V, M + 1>();
}

static_assert(shapes_along_m<1, 1>() == 110 && shapes_along_m<2, 1>() == 38, "all shapes were checked");

} // namespace arithmetic

#undef MODEL

#endif
