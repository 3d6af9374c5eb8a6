/* blackwell: operand tiles by TMA or by threads, tcgen05, and what is done with the sums. V is the number of CTAs that
 * share an MMA; with pairs warpwright calls what issues tcgen05 in leaders only. */
#ifndef BLACKWELL_CUH
#define BLACKWELL_CUH

#include "ww/ww.cuh"
#include "blackwell_params.h"

using blackwell_info = ww::stage_info<blackwell_params>;

WW_WORK bool is_inside(const blackwell_info &info)
{
    return info.tile.m < info.params.tiles_m && info.tile.n < info.params.tiles_n;
}

/* The same for all CTAs of a cluster. */
WW_WORK bool skips_odd(const blackwell_info &info)
{
    return (info.tile.m / 2 + info.tile.n / 2) % 2 != 0;
}

/* First rows of this CTA's part of A and of B. */
WW_WORK int first_a(const blackwell_info &info)
{
    return info.tile.m * UMMA_M;
}

template <int V> WW_WORK int first_b(const blackwell_info &info)
{
    return (info.tile.n * V + static_cast<int>(info.cta_rank % V)) * UMMA_N;
}

/* ---- loads by TMA -------------------------------------------------------------------------------------------- */

/* A box, for us or for the CTAs of `mask`; of a pair the bytes complete on the leader's barrier. */
template <int V, bool SHARED>
WW_WORK void load_box(const blackwell_info &info, uint32_t smem, const ww_tensor_map *map, int row,
                      uint16_t mask)
{
    const int k = info.loop_offset * UMMA_K;
    if (SHARED && V == 2)
        ww::tensor_load_2d_pair_multicast(smem, map, info.barrier, k, row, mask);
    else if (SHARED)
        ww::tensor_load_2d_multicast(smem, map, info.barrier, k, row, mask);
    else if (V == 2)
        ww::tensor_load_2d_pair(smem, map, info.barrier, k, row);
    else
        ww::tensor_load_2d(smem, map, info.barrier, k, row);
}

/* CTAs along n bring an equal share of A each, to all of them; those along m, of B. */
template <int V, int M, int N> WW_WORK void load_a(const blackwell_info &info, uint32_t smem)
{
    using cluster = ww::cluster_layout<V, M, N, 1>;
    const uint32_t share = cluster::n(info.cta_rank);
    if (ww::elect_one())
        load_box<V, (N > 1)>(info, smem + share * (UMMA_A_BYTES / N), &info.params.a_map,
                             first_a(info) + static_cast<int>(share) * (UMMA_M / N),
                             cluster::tma_mask_a(info.cta_rank));
}

template <int V, int M, int N> WW_WORK void load_b(const blackwell_info &info, uint32_t smem)
{
    using cluster = ww::cluster_layout<V, M, N, 1>;
    const uint32_t share = cluster::m(info.cta_rank);
    if (ww::elect_one())
        load_box<V, (M > 1)>(info, smem + share * (UMMA_B_BYTES / M), &info.params.b_map,
                             first_b<V>(info) + static_cast<int>(share) * (UMMA_N / M),
                             cluster::tma_mask_b(info.cta_rank));
}

/* ---- by threads ------------------------------------------------------------------------------------------------ */

/* `rows` rows of 8 chunks of 16 bytes, by one warp: through registers, or (loads) by cp.async. Beyond the edge of the
 * matrix its last row is taken instead. */
template <int loads>
WW_WORK void put_tile(const blackwell_info &info, uint32_t smem, const uint32_t *matrix, int rows_of_matrix,
                      int first_row, uint32_t rows)
{
    const int pitch = info.params.k_tiles * (UMMA_K / 2);
    for (uint32_t chunk = static_cast<uint32_t>(info.lane); chunk < rows * 8; chunk += 32) {
        const int row = min(first_row + static_cast<int>(chunk / 8), rows_of_matrix - 1);
        const uint32_t *from = matrix + row * pitch + info.loop_offset * (UMMA_K / 2) + chunk % 8 * 4;
        const uint32_t to = smem + ww::swizzle_128(16 * chunk);
        if (loads)
            ww::cp_async_16(to, from);
        else
            ww::store_shared_128(to, ww::load_global_128(from));
    }
}

template <int loads> WW_WORK void put_a(const blackwell_info &info, uint32_t smem)
{
    put_tile<loads>(info, smem, info.params.a, info.params.tiles_m * UMMA_M, first_a(info), UMMA_M);
}

template <int V, int loads> WW_WORK void put_b(const blackwell_info &info, uint32_t smem)
{
    put_tile<loads>(info, smem, info.params.b, info.params.tiles_n * UMMA_N * V, first_b<V>(info), UMMA_N);
}

/* ---- rings of operands ------------------------------------------------------------------------------------------ */

/* Both operands: buffer 0 is A, buffer 1 is B. */
struct operands_ab {
};

template <int V, int M, int N> WW_WORK void operands_ab_load(operands_ab &, const blackwell_info &info)
{
    load_a<V, M, N>(info, info.buffer[0]);
    load_b<V, M, N>(info, info.buffer[1]);
}

template <int V, int loads> WW_WORK void operands_ab_put(operands_ab &, const blackwell_info &info)
{
    put_a<loads>(info, info.buffer[0]);
    put_b<V, loads>(info, info.buffer[1]);
}

WW_WORK void operands_ab_descriptors(operands_ab &, const blackwell_info &info, uint64_t &a, uint64_t &b)
{
    a = ww::umma_descriptor_k_major_sw128(info.buffer[0]);
    b = ww::umma_descriptor_k_major_sw128(info.buffer[1]);
}

/* One operand a ring. */
struct operand_a {
};

template <int V> WW_WORK void operand_a_load(operand_a &, const blackwell_info &info)
{
    load_a<V, 1, 1>(info, info.buffer[0]);
}

WW_WORK void operand_a_descriptor(operand_a &, const blackwell_info &info, uint64_t &a)
{
    a = ww::umma_descriptor_k_major_sw128(info.buffer[0]);
}

struct operand_b {
};

template <int V> WW_WORK void operand_b_load(operand_b &, const blackwell_info &info)
{
    load_b<V, 1, 1>(info, info.buffer[0]);
}

template <int V> WW_WORK void operand_b_put(operand_b &, const blackwell_info &info)
{
    put_b<V, 0>(info, info.buffer[0]);
}

WW_WORK void operand_b_descriptor(operand_b &, const blackwell_info &info, uint64_t &b)
{
    b = ww::umma_descriptor_k_major_sw128(info.buffer[0]);
}

/* Both in 4 bits, with their factors: A's for our rows, B's for all of N, which each CTA of a pair needs. */
struct operands_scaled {
};

template <int V>
WW_WORK void load_factors(const blackwell_info &info, uint32_t smem, const ww_tensor_map *map, int tile)
{
    const int row = (tile * info.params.k_tiles + info.loop_offset) * UMMA_FACTOR_BLOCKS;
    if (!ww::elect_one())
        return;
    if (V == 2)
        ww::tensor_load_2d_pair(smem, map, info.barrier, 0, row);
    else
        ww::tensor_load_2d(smem, map, info.barrier, 0, row);
}

template <int V> WW_WORK void operands_scaled_load(operands_scaled &, const blackwell_info &info)
{
    load_a<V, 1, 1>(info, info.buffer[0]);
    load_b<V, 1, 1>(info, info.buffer[1]);
    load_factors<V>(info, info.buffer[2], &info.params.a_factors, info.tile.m);
    load_factors<V>(info, info.buffer[3], &info.params.b_factors, info.tile.n);
}

WW_WORK void operands_scaled_descriptors(operands_scaled &, const blackwell_info &info, uint64_t &a,
                                         uint64_t &b, uint64_t &a_factors, uint64_t &b_factors)
{
    a = ww::umma_descriptor_k_major_sw128(info.buffer[0]);
    b = ww::umma_descriptor_k_major_sw128(info.buffer[1]);
    a_factors = ww::umma_descriptor_scale_factors(info.buffer[2]);
    b_factors = ww::umma_descriptor_scale_factors(info.buffer[3]);
}

/* Factors in tensor memory: 4 columns a block. */
struct factors {
};

template <int V>
WW_WORK void factors_copy(factors &, const blackwell_info &info, uint64_t a_factors, uint64_t b_factors)
{
    if (!ww::elect_one())
        return;
#pragma unroll
    for (uint32_t block = 0; block < UMMA_FACTOR_BLOCKS; block++) {
        ww::tcgen05_cp_32x128b_warpx4<V>(info.tmem[0] + 4 * block, a_factors + 32 * block);
        ww::tcgen05_cp_32x128b_warpx4<V>(info.tmem[1] + 4 * block, b_factors + 32 * block);
    }
}

WW_WORK void factors_address(factors &, const blackwell_info &info, uint32_t &a, uint32_t &b)
{
    a = info.tmem[0];
    b = info.tmem[1];
}

/* A as a second consumer sees it: by one warp, in the order of the matrix. */
struct seen_a {
};

WW_WORK void seen_a_copy(seen_a &, const blackwell_info &info)
{
    const uint32_t tile = static_cast<uint32_t>(info.tile.m * info.params.k_tiles + info.loop_offset);
    uint32_t *to = info.params.copy + tile * (UMMA_A_BYTES / 4);
    for (uint32_t chunk = static_cast<uint32_t>(info.lane); chunk < UMMA_M * 8; chunk += 32)
        ww::store_global_128(to + 4 * chunk,
                             ww::load_shared_128(info.buffer[0] + ww::swizzle_128(16 * chunk)));
}

/* ---- A in tensor memory: 32 columns a stage, 8 a K step ------------------------------------------------------------ */

struct tmem_a {
};

template <int V> WW_WORK void tmem_a_copy(tmem_a &, const blackwell_info &info, uint64_t a)
{
    if (!ww::elect_one())
        return;
#pragma unroll
    for (uint32_t step = 0; step < UMMA_K / 16; step++)
        ww::tcgen05_cp_128x256b<V>(info.tmem[0] + 8 * step, a + 2 * step);
}

WW_WORK void tmem_a_address(tmem_a &, const blackwell_info &info, uint32_t &a)
{
    a = info.tmem[0];
}

/* ---- sums: in tensor memory ------------------------------------------------------------------------------------- */

template <int V> WW_WORK constexpr uint32_t instruction()
{
    return ww::umma_instruction(ww::umma_d_f32, ww::umma_bf16, ww::umma_bf16, UMMA_M * V, UMMA_N * V);
}

struct sums {
};

struct sums_part {
    uint32_t d[UMMA_PART];
};

template <int V> WW_WORK void sums_mma(sums &, const blackwell_info &info, uint64_t a, uint64_t b)
{
    if (!ww::elect_one())
        return;
#pragma unroll
    for (uint32_t step = 0; step < UMMA_K / 16; step++)
        ww::tcgen05_mma_f16<V>(info.tmem[0], a + 2 * step, b + 2 * step, instruction<V>(),
                               info.loop_offset > 0 || step > 0);
}

template <int V> WW_WORK void sums_mma_tmem(sums &, const blackwell_info &info, uint32_t a, uint64_t b)
{
    if (!ww::elect_one())
        return;
#pragma unroll
    for (uint32_t step = 0; step < UMMA_K / 16; step++)
        ww::tcgen05_mma_f16_tmem_a<V>(info.tmem[0], a + 8 * step, b + 2 * step, instruction<V>(),
                                      info.loop_offset > 0 || step > 0);
}

template <int V>
WW_WORK void sums_mma_scaled(sums &, const blackwell_info &info, uint64_t a, uint64_t b, uint32_t a_factors,
                             uint32_t b_factors)
{
    constexpr uint32_t scaled = ww::umma_instruction_block_scaled(ww::umma_mxf4_e2m1, ww::umma_mxf4_e2m1,
                                                                  ww::umma_ue4m3, UMMA_M * V, UMMA_N * V);
    if (!ww::elect_one())
        return;
#pragma unroll
    for (uint32_t step = 0; step < UMMA_FACTOR_BLOCKS; step++)
        ww::tcgen05_mma_mxf4nvf4<V>(info.tmem[0], a + 2 * step, b + 2 * step, scaled, a_factors + 4 * step,
                                    b_factors + 4 * step, info.loop_offset > 0 || step > 0);
}

/* Columns UMMA_PART * part and on of this thread's row. */
template <int part> WW_WORK void sums_read(sums &, const blackwell_info &info, sums_part &row)
{
    const uint32_t quarter = static_cast<uint32_t>(ww::warp_index() & 3) * 32;
    ww::tcgen05_ld_32x32b(info.tmem[0] + ww::tmem_address(quarter, UMMA_PART * part), row.d);
    ww::tcgen05_wait_ld();
    ww::tcgen05_pin(row.d);
}

/* ---- results ---------------------------------------------------------------------------------------------------- */

struct result {
};

template <int V, int part> WW_WORK void result_store(result &, const blackwell_info &info, sums_part row)
{
    const int pitch = info.params.tiles_n * (UMMA_N * V),
              column = info.tile.n * (UMMA_N * V) + UMMA_PART * part;
    const int r = first_a(info) + (ww::warp_index() & 3) * 32 + info.lane;
    if (!is_inside(info))
        return;
#pragma unroll
    for (int i = 0; i < UMMA_PART; i++)
        info.params.d[r * pitch + column + i] = __uint_as_float(row.d[i]);
}

struct tally {
};

WW_WORK void tally_count(tally &, const blackwell_info &info)
{
    if (is_inside(info) && info.lane == 0)
        atomicAdd(&info.params.tally[info.tile.n * info.params.tiles_m + info.tile.m], 1u);
}

#endif
