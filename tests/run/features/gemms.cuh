/* gemms: operand tiles by TMA or by threads, wgmma, and what is done with the sums. */
#ifndef GEMMS_CUH
#define GEMMS_CUH

#include "ww/ww.cuh"
#include "gemms_params.h"

using gemms_info = ww::stage_info<gemms_params>;

/* ---- operands: buffer 0 is A, buffer 1 is B ------------------------------------------------------------------ */

struct operands {
};

WW_WORK void operands_load(operands &, const gemms_info &info)
{
    if (ww::elect_one()) {
        ww::tensor_load_2d(info.buffer[0], &info.params.a_map, info.barrier, info.loop_offset * GEMM_K,
                           info.tile.m * GEMM_M);
        ww::tensor_load_2d(info.buffer[1], &info.params.b_map, info.barrier, info.loop_offset * GEMM_K, 0);
    }
}

/* A for us, and for each of two CTAs along m half of B. */
WW_WORK void operands_load_shared(operands &, const gemms_info &info)
{
    const uint32_t half = info.cta_rank * (GEMM_B_BYTES / 2);
    if (ww::elect_one()) {
        ww::tensor_load_2d(info.buffer[0], &info.params.a_map, info.barrier, info.loop_offset * GEMM_K,
                           info.tile.m * GEMM_M);
        ww::tensor_load_2d_multicast(info.buffer[1] + half, &info.params.b_half_map, info.barrier,
                                     info.loop_offset * GEMM_K,
                                     static_cast<int>(info.cta_rank) * (GEMM_N / 2), 3);
    }
}

/* Where 16-byte chunk `chunk` of a K-major tile lies, and where it comes from. */
WW_WORK uint32_t chunk_place(uint32_t chunk)
{
    return ww::swizzle_128(16 * chunk);
}

WW_WORK const uint32_t *chunk_source(const gemms_info &info, const uint32_t *matrix, int first_row,
                                     uint32_t chunk)
{
    const uint32_t row = static_cast<uint32_t>(first_row) + chunk / 8;
    const uint32_t pitch = static_cast<uint32_t>(info.params.k_tiles) * (GEMM_K / 2);
    return matrix + row * pitch + static_cast<uint32_t>(info.loop_offset) * (GEMM_K / 2) + chunk % 8 * 4;
}

/* By the threads of `warps` warps: through registers, or (`loads`) by cp.async. */
template <int warps, int loads>
WW_WORK void put_tile(const gemms_info &info, uint32_t smem, const uint32_t *matrix, int first_row,
                      uint32_t rows)
{
    const uint32_t thread = static_cast<uint32_t>(info.warp) * 32 + static_cast<uint32_t>(info.lane);
    for (uint32_t chunk = thread; chunk < rows * 8; chunk += 32 * warps) {
        const uint32_t *from = chunk_source(info, matrix, first_row, chunk);
        if (loads)
            ww::cp_async_16(smem + chunk_place(chunk), from);
        else
            ww::store_shared_128(smem + chunk_place(chunk), ww::load_global_128(from));
    }
}

template <int warps, int loads> WW_WORK void operands_put(operands &, const gemms_info &info)
{
    put_tile<warps, loads>(info, info.buffer[0], info.params.a, info.tile.m * GEMM_M, GEMM_M);
    put_tile<warps, loads>(info, info.buffer[1], info.params.b, 0, GEMM_N);
}

WW_WORK void operands_descriptors(operands &, const gemms_info &info, uint64_t &a, uint64_t &b)
{
    a = ww::descriptor_k_major_sw128(info.buffer[0]);
    b = ww::descriptor_k_major_sw128(info.buffer[1]);
}

/* ---- the same in two rings, one an operand ------------------------------------------------------------------- */

struct operand_a {
};

WW_WORK void operand_a_load(operand_a &, const gemms_info &info)
{
    if (ww::elect_one())
        ww::tensor_load_2d(info.buffer[0], &info.params.a_map, info.barrier, info.loop_offset * GEMM_K,
                           info.tile.m * GEMM_M);
}

WW_WORK void operand_a_descriptor(operand_a &, const gemms_info &info, uint64_t &a)
{
    a = ww::descriptor_k_major_sw128(info.buffer[0]);
}

struct operand_b {
};

WW_WORK void operand_b_load(operand_b &, const gemms_info &info)
{
    if (ww::elect_one())
        ww::tensor_load_2d(info.buffer[0], &info.params.b_map, info.barrier, info.loop_offset * GEMM_K, 0);
}

template <int warps, int loads> WW_WORK void operand_b_put(operand_b &, const gemms_info &info)
{
    put_tile<warps, loads>(info, info.buffer[0], info.params.b, 0, GEMM_N);
}

WW_WORK void operand_b_descriptor(operand_b &, const gemms_info &info, uint64_t &b)
{
    b = ww::descriptor_k_major_sw128(info.buffer[0]);
}

/* ---- the same for two tasks that take the K tiles in turn: tile 2 i + part -------------------------------------- */

struct turn_operands {
};

template <int part> WW_WORK void turn_operands_load(turn_operands &, const gemms_info &info)
{
    const int k = (2 * info.loop_offset + part) * GEMM_K;
    if (ww::elect_one()) {
        ww::tensor_load_2d(info.buffer[0], &info.params.a_map, info.barrier, k, info.tile.m * GEMM_M);
        ww::tensor_load_2d(info.buffer[1], &info.params.b_map, info.barrier, k, 0);
    }
}

WW_WORK void turn_operands_descriptors(turn_operands &, const gemms_info &info, uint64_t &a, uint64_t &b)
{
    a = ww::descriptor_k_major_sw128(info.buffer[0]);
    b = ww::descriptor_k_major_sw128(info.buffer[1]);
}

/* ---- tiles of A as a second consumer sees them ---------------------------------------------------------------- */

struct seen_a {
};

/* By one warp, in the order of the matrix: the swizzle is undone. */
WW_WORK void seen_a_copy(seen_a &, const gemms_info &info)
{
    const uint32_t tile = static_cast<uint32_t>(info.tile.m * info.params.k_tiles + info.loop_offset);
    uint32_t *to = info.params.copy + tile * (GEMM_A_BYTES / 4);
    for (uint32_t chunk = static_cast<uint32_t>(info.lane); chunk < GEMM_M * 8; chunk += 32)
        ww::store_global_128(to + 4 * chunk, ww::load_shared_128(info.buffer[0] + chunk_place(chunk)));
}

/* ---- sums: of a warpgroup, in registers ----------------------------------------------------------------------- */

struct sums {
    float d[GEMM_N / 2];
    int accumulate; /* 0: the next mma overwrites d */
};

struct gemms_sums {
    float d[GEMM_N / 2];
};

WW_WORK void sums_clear(sums &self, const gemms_info &)
{
    self.accumulate = 0;
}

/* One stage, as one group that is left in flight. */
WW_WORK void sums_mma(sums &self, const gemms_info &, uint64_t a, uint64_t b)
{
    ww::wgmma_fence();
#pragma unroll
    for (int step = 0; step < GEMM_K / 16; step++) {
        const uint64_t advance = static_cast<uint64_t>(step * 2);
        ww::wgmma_m64n16k16_bf16(self.d, a + advance, b + advance, step > 0 ? 1 : self.accumulate);
    }
    ww::wgmma_commit_group();
    self.accumulate = 1;
}

WW_WORK void sums_mma_even(sums &self, const gemms_info &info, uint64_t a, uint64_t b)
{
    sums_mma(self, info, a, b);
}

WW_WORK void sums_mma_odd(sums &self, const gemms_info &info, uint64_t a, uint64_t b)
{
    sums_mma(self, info, a, b);
}

WW_WORK void sums_settle_previous(sums &, const gemms_info &)
{
    ww::wgmma_wait_group<1>();
}

WW_WORK void sums_settle(sums &, const gemms_info &)
{
    ww::wgmma_wait_group<0>();
}

WW_WORK void sums_result(sums &self, const gemms_info &, gemms_sums &result)
{
    ww::wgmma_pin(self.d);
#pragma unroll
    for (int i = 0; i < GEMM_N / 2; i++)
        result.d[i] = self.d[i];
}

/* ---- results --------------------------------------------------------------------------------------------------- */

/* Where sum i of a thread belongs in a tile of GEMM_N a row (wgmma.cuh). */
WW_WORK uint32_t sum_place(const gemms_info &info, int i)
{
    const int row = info.warp * 16 + info.lane / 4 + (i & 2) * 4,
              column = i / 4 * 8 + info.lane % 4 * 2 + (i & 1);
    return static_cast<uint32_t>(row * GEMM_N + column);
}

struct result {
};

template <int part> WW_WORK void result_store(result &, const gemms_info &info, gemms_sums sums)
{
    const int block = part * static_cast<int>(gridDim.x) + info.tile.m;
    float *tile = info.params.d + block * (GEMM_M * GEMM_N);
#pragma unroll
    for (int i = 0; i < GEMM_N / 2; i++)
        tile[sum_place(info, i)] = sums.d[i];
}

/* By way of shared memory and TMA. */
struct staging {
};

WW_WORK void staging_put(staging &, const gemms_info &info, gemms_sums sums)
{
#pragma unroll
    for (int i = 0; i < GEMM_N / 2; i++)
        asm volatile("st.shared.f32 [%0], %1;"
                     :
                     : "r"(info.buffer[0] + 4 * sum_place(info, i)), "f"(sums.d[i])
                     : "memory");
}

WW_WORK void staging_store(staging &, const gemms_info &info)
{
    if (ww::elect_one()) {
        ww::tensor_store_2d(&info.params.d_map, info.buffer[0], 0, info.tile.m * GEMM_M);
        ww::bulk_commit_group();
    }
}

WW_WORK void staging_settle(staging &, const gemms_info &)
{
    if (ww::elect_one())
        ww::bulk_wait_group_read<0>();
}

#endif
