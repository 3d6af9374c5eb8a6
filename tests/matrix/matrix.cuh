/* matrix: the work bodies that all kernels of the matrix share, each a small but real use of its engine.
 *
 *     tile_ring   shared memory, two tiles a stage. Filled by threads, cp.async, TMA or a peer's bulk copy; read by
 *                 threads, bulk stores, tcgen05 or wgmma
 *     tmem_ring   tensor memory. Filled by tcgen05.mma or .cp; read by threads or as an operand
 *     operands    shared memory without a pipeline: operands of the mma that fill a tmem_ring
 *     staging     shared memory without a pipeline: what goes to a peer
 *     accum       a tcgen05 accumulator
 *     fragment    a wgmma accumulator, in registers
 *     sink        global memory
 *
 * Tiles are K-major without swizzle. Where an instruction is for one thread, one lane of each warp is
 * elected; with pairs of CTAs warpwright calls tcgen05 bodies in leaders only. */
#ifndef MATRIX_CUH
#define MATRIX_CUH

#include "ww/ww.cuh"
#include "matrix_params.h"

using matrix_info = ww::stage_info<matrix_params>;

/* ---- tile_ring: filling ---------------------------------------------------------------------------- */

struct tile_ring {
};

/* 16 bytes a lane into each tile. */
WW_WORK void tile_ring_fill(tile_ring &, const matrix_info &info)
{
    const uint32_t at = static_cast<uint32_t>(info.warp * 32 + info.lane) * 16;
    const uint32_t value = static_cast<uint32_t>(info.loop_offset);
    ww::store_shared_128(info.buffer[0] + at, {value, value, value, value});
    ww::store_shared_128(info.buffer[1] + at, {value, value, value, value});
}

/* The same, landing later. */
WW_WORK void tile_ring_fill_async(tile_ring &, const matrix_info &info)
{
    const uint32_t at = static_cast<uint32_t>(info.warp * 32 + info.lane) * 16;
    ww::cp_async_16(info.buffer[0] + at, info.params.from + at);
    ww::cp_async_16(info.buffer[1] + at, info.params.from + MATRIX_TILE_BYTES + at);
}

/* Where this warp's slice of a tile begins, which WARPS warps of SHARES CTAs bring together. */
template <int WARPS, int SHARES> WW_DEVICE uint32_t matrix_slice(const matrix_info &info, uint32_t share)
{
    const uint32_t warp = WARPS > 1 ? static_cast<uint32_t>(info.warp) : 0;
    return (share * WARPS + warp) * (MATRIX_TILE_BYTES / (WARPS * SHARES));
}

template <bool PAIR>
WW_DEVICE void matrix_load_own(uint32_t smem, const ww_tensor_map *map, uint32_t barrier, int x, int y)
{
    if (PAIR)
        ww::tensor_load_2d_pair(smem, map, barrier, x, y);
    else
        ww::tensor_load_2d(smem, map, barrier, x, y);
}

template <bool PAIR>
WW_DEVICE void matrix_load_shared(uint32_t smem, const ww_tensor_map *map, uint32_t barrier, int x, int y,
                                  uint16_t mask)
{
    if (PAIR)
        ww::tensor_load_2d_pair_multicast(smem, map, barrier, x, y, mask);
    else
        ww::tensor_load_2d_multicast(smem, map, barrier, x, y, mask);
}

/* A slice of each tile. A tile that several CTAs need is brought in as many slices, each multicast to all
 * of them: A along n, B along m. */
template <bool PAIR, bool SHARE_A, bool SHARE_B, int WARPS, int V, int M, int N>
WW_DEVICE void matrix_load(const matrix_info &info)
{
    using cluster = ww::cluster_layout<V, M, N, 1>;
    const uint32_t rank = info.cta_rank;
    const uint32_t a = info.buffer[0] + matrix_slice < WARPS,
                   SHARE_A ? N : 1 > (info, SHARE_A ? cluster::n(rank) : 0);
    const uint32_t b = info.buffer[1] + matrix_slice < WARPS,
                   SHARE_B ? M : 1 > (info, SHARE_B ? cluster::m(rank) : 0);
    if (!ww::elect_one())
        return;
    if (SHARE_A)
        matrix_load_shared<PAIR>(a, &info.params.a, info.barrier, info.loop_offset, info.tile.m,
                                 cluster::tma_mask_a(rank));
    else
        matrix_load_own<PAIR>(a, &info.params.a, info.barrier, info.loop_offset, info.tile.m);
    if (SHARE_B)
        matrix_load_shared<PAIR>(b, &info.params.b, info.barrier, info.loop_offset, info.tile.n,
                                 cluster::tma_mask_b(rank));
    else
        matrix_load_own<PAIR>(b, &info.params.b, info.barrier, info.loop_offset, info.tile.n);
}

#define MATRIX_LOAD(NAME, PAIR, SHARE_A, SHARE_B)                                                            \
    template <int WARPS, int V, int M, int N>                                                                \
    WW_WORK void tile_ring_##NAME(tile_ring &, const matrix_info &info)                                      \
    {                                                                                                        \
        matrix_load<PAIR, SHARE_A, SHARE_B, WARPS, V, M, N>(info);                                           \
    }

MATRIX_LOAD(load, false, false, false)
MATRIX_LOAD(load_a, false, true, false)
MATRIX_LOAD(load_b, false, false, true)
MATRIX_LOAD(load_ab, false, true, true)
MATRIX_LOAD(load_pair, true, false, false)
MATRIX_LOAD(load_pair_a, true, true, false)
MATRIX_LOAD(load_pair_b, true, false, true)
MATRIX_LOAD(load_pair_ab, true, true, true)

#undef MATRIX_LOAD

/* Both tiles into the same stage of the next CTA, counted on its barrier. */
WW_WORK void tile_ring_send(tile_ring &, const matrix_info &info, uint32_t source)
{
    const uint32_t next = (info.cta_rank + 1) % ww::cluster_size();
    const uint32_t barrier = ww::cluster_map(info.barrier, next);
    if (!ww::elect_one())
        return;
    ww::bulk_copy_to_peer(ww::cluster_map(info.buffer[0], next), source, MATRIX_TILE_BYTES, barrier);
    ww::bulk_copy_to_peer(ww::cluster_map(info.buffer[1], next), source, MATRIX_TILE_BYTES, barrier);
}

/* ---- tile_ring: reading ---------------------------------------------------------------------------- */

WW_WORK void tile_ring_read(tile_ring &, const matrix_info &info, int &value)
{
    const uint32_t at = static_cast<uint32_t>(info.warp * 32 + info.lane) * 16;
    const ww::vector_128 a = ww::load_shared_128(info.buffer[0] + at),
                         b = ww::load_shared_128(info.buffer[1] + at);
    value = static_cast<int>(a.x ^ b.w);
}

/* A bulk store of each warp's part of tile a, and a wait for this one, or for the one before. */
WW_WORK void tile_ring_store(tile_ring &, const matrix_info &info)
{
    const uint32_t at = static_cast<uint32_t>(info.warp) * 512;
    if (ww::elect_one()) {
        ww::bulk_store(info.params.out + at / 4, info.buffer[0] + at, 512);
        ww::bulk_commit_group();
    }
}

WW_WORK void tile_ring_settle(tile_ring &, const matrix_info &)
{
    if (ww::elect_one())
        ww::bulk_wait_group_read<0>();
}

WW_WORK void tile_ring_settle_previous(tile_ring &, const matrix_info &)
{
    if (ww::elect_one())
        ww::bulk_wait_group_read<1>();
}

WW_WORK void tile_ring_umma_descriptors(tile_ring &, const matrix_info &info, uint64_t &a, uint64_t &b)
{
    a = ww::umma_descriptor_k_major_plain(info.buffer[0], 2048, 128);
    b = ww::umma_descriptor_k_major_plain(info.buffer[1], 2048, 128);
}

WW_WORK void tile_ring_wgmma_descriptors(tile_ring &, const matrix_info &info, uint64_t &a, uint64_t &b)
{
    a = ww::descriptor_k_major_plain(info.buffer[0], 2048, 128);
    b = ww::descriptor_k_major_plain(info.buffer[1], 2048, 128);
}

/* ---- operands, staging ----------------------------------------------------------------------------- */

struct operands {
};

WW_WORK void operands_descriptors(operands &, const matrix_info &info, uint64_t &a, uint64_t &b)
{
    a = ww::umma_descriptor_k_major_plain(info.buffer[0], 2048, 128);
    b = ww::umma_descriptor_k_major_plain(info.buffer[1], 2048, 128);
}

struct staging {
};

WW_WORK void staging_address(staging &, const matrix_info &info, uint32_t &source)
{
    source = info.buffer[0];
}

/* ---- tensor memory: 128 rows a CTA, 32 columns of f32, or 16 elements of 16 bits as an operand ----- */

template <int GROUP> WW_DEVICE constexpr uint32_t matrix_umma()
{
    return ww::umma_instruction(ww::umma_d_f32, ww::umma_bf16, ww::umma_bf16, 128 * GROUP, 32);
}

struct tmem_ring {
};

template <int GROUP> WW_WORK void tmem_ring_mma(tmem_ring &, const matrix_info &info, uint64_t a, uint64_t b)
{
    if (ww::elect_one())
        ww::tcgen05_mma_f16<GROUP>(info.tmem[0], a, b, matrix_umma<GROUP>(), false);
}

template <int GROUP> WW_WORK void tmem_ring_copy(tmem_ring &, const matrix_info &info, uint64_t a, uint64_t)
{
    if (ww::elect_one())
        ww::tcgen05_cp_128x256b<GROUP>(info.tmem[0], a);
}

/* This warp's quarter of the lanes. */
WW_WORK void tmem_ring_read(tmem_ring &, const matrix_info &info, int &value)
{
    uint32_t r[32];
    ww::tcgen05_ld_32x32b(
        info.tmem[0] + ww::tmem_address(static_cast<uint32_t>(ww::warp_index() & 3) * 32, 0), r);
    ww::tcgen05_wait_ld();
    ww::tcgen05_pin(r);
    value = 0;
#pragma unroll
    for (int i = 0; i < 32; i++)
        value ^= static_cast<int>(r[i]);
}

WW_WORK void tmem_ring_address(tmem_ring &, const matrix_info &info, uint32_t &tmem)
{
    tmem = info.tmem[0];
}

struct accum {
};

template <int GROUP> WW_WORK void accum_mma(accum &, const matrix_info &info, uint64_t a, uint64_t b)
{
    if (ww::elect_one())
        ww::tcgen05_mma_f16<GROUP>(info.tmem[0], a, b, matrix_umma<GROUP>(), true);
}

template <int GROUP> WW_WORK void accum_mma_tmem(accum &, const matrix_info &info, uint32_t a, uint64_t b)
{
    if (ww::elect_one())
        ww::tcgen05_mma_f16_tmem_a<GROUP>(info.tmem[0], a, b, matrix_umma<GROUP>(), true);
}

/* ---- wgmma ----------------------------------------------------------------------------------------- */

struct fragment {
    float d[8];
};

WW_WORK void fragment_mma(fragment &self, const matrix_info &, uint64_t a, uint64_t b)
{
    ww::wgmma_fence();
    ww::wgmma_m64n16k16_bf16(self.d, a, b, 1);
    ww::wgmma_commit_group();
}

WW_WORK void fragment_settle(fragment &, const matrix_info &)
{
    ww::wgmma_wait_group<0>();
}

WW_WORK void fragment_settle_previous(fragment &, const matrix_info &)
{
    ww::wgmma_wait_group<1>();
}

/* Once, after the last settle. */
WW_WORK void fragment_result(fragment &self, const matrix_info &, int &value)
{
    ww::wgmma_pin(self.d);
    value = 0;
#pragma unroll
    for (int i = 0; i < 8; i++)
        value += static_cast<int>(self.d[i]);
}

/* ---- queues: tiles whose work is left out ---------------------------------------------------------- */

WW_WORK bool matrix_skip(const matrix_info &info)
{
    return info.tile.l == 1;
}

/* ---- sink ------------------------------------------------------------------------------------------ */

struct sink {
};

WW_WORK void sink_store(sink &, const matrix_info &info, int value)
{
    info.params.out[(info.tile.m * 32 + info.warp) * 32 + info.lane] = value;
}

WW_WORK void sink_mark(sink &, const matrix_info &info)
{
    info.params.out[(info.tile.m * 32 + info.warp) * 32 + info.lane] = info.tile.n;
}

#endif
