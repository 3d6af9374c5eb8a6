/* gemm: the work bodies of D = A.B^T on Hopper, fused form: the math warpgroups keep the accumulator in
 * registers and store the tile themselves.
 *
 *     gmem_ab   coordinates of the next operand tiles          (load task)
 *     smem_ab   TMA ring of A and B tiles                      (load task -> math task)
 *     accum     64 x 256 fp32 a warpgroup, in registers        (math task)
 *     gmem_d    stages and stores the tile by TMA              (math task)
 *
 * Buffers: smem_ab[0] = A, GEMM_A_BYTES a stage; smem_ab[1] = B, GEMM_B_BYTES a stage; gmem_d[0] and [1] = staging of
 * even and odd chunks, GEMM_STAGING_BYTES each. All 1024-byte aligned. */
#ifndef GEMM_CUH
#define GEMM_CUH

#include "ww/ww.cuh"
#include "gemm_params.h"

using gemm_info = ww::stage_info<gemm_params>;

/* ---- gmem_ab: where the operands of this step lie ---------------------------------------------------- */

struct gmem_ab {
};

/* Element coordinates of the tiles that domain index `loop_offset` reads. */
WW_WORK void gmem_ab_coords(gmem_ab &, const gemm_info &info, int &k, int &m, int &n)
{
    k = info.loop_offset * GEMM_TILE_K;
    m = info.tile.m * GEMM_TILE_M;
    n = info.tile.n * GEMM_TILE_N;
}

/* ---- smem_ab: the operand ring ------------------------------------------------------------------------ */

struct smem_ab {
};

/* Once, before the loop: the tensor maps will be needed soon. */
WW_WORK void smem_ab_prefetch(smem_ab &, const gemm_info &info)
{
    if (ww::elect_one()) {
        ww::prefetch_tensor_map(&info.params.a);
        ww::prefetch_tensor_map(&info.params.b);
    }
}

/* Both tiles of a stage: GEMM_STAGE_BYTES on the full barrier, out-of-range parts as zeros. */
WW_WORK void smem_ab_tma_load(smem_ab &, const gemm_info &info, int k, int m, int n)
{
    if (ww::elect_one()) {
        ww::tensor_load_2d(info.buffer[0], &info.params.a, info.barrier, k, m);
        ww::tensor_load_2d(info.buffer[1], &info.params.b, info.barrier, k, n);
    }
}

/* Descriptors of this warpgroup's 64 rows of A and of all of B. */
WW_WORK void smem_ab_descriptors(smem_ab &, const gemm_info &info, uint64_t &a, uint64_t &b)
{
    const uint32_t rows = static_cast<uint32_t>(info.warp >> 2) * (64 * GEMM_TILE_K * 2);
    a = ww::descriptor_k_major_sw128(info.buffer[0] + rows);
    b = ww::descriptor_k_major_sw128(info.buffer[1]);
}

/* ---- accum: the accumulator --------------------------------------------------------------------------- */

struct accum {
    float d[GEMM_TILE_N / 2];
    int accumulate; /* 0: the next mma overwrites d */
};

/* 64 rows x 256 columns rounded to bf16, in the accumulator's order: pair j of d. */
struct gemm_fragment {
    uint32_t pair[GEMM_TILE_N / 4];
};

/* A new tile starts from zero. Nothing is written: the first mma overwrites. */
WW_WORK void accum_clear(accum &self, const gemm_info &)
{
    self.accumulate = 0;
}

/* Issues the four K steps of a stage as one group and leaves it in flight. */
WW_WORK void accum_mma(accum &self, const gemm_info &, uint64_t a, uint64_t b)
{
    ww::wgmma_fence();
#pragma unroll
    for (int step = 0; step < GEMM_TILE_K / 16; step++) {
        const uint64_t advance = static_cast<uint64_t>(step * 2); /* 32 bytes, in units of 16 */
        ww::wgmma_m64n256k16_bf16(self.d, a + advance, b + advance, step > 0 ? 1 : self.accumulate);
    }
    ww::wgmma_commit_group();
    self.accumulate = 1;
}

/* The previous stage's group has finished; this stage's may still run. The previous stage may be released. */
WW_WORK void accum_settle_previous(accum &, const gemm_info &)
{
    ww::wgmma_wait_group<1>();
}

/* All groups have finished: d may be read, every stage read so far may be released. */
WW_WORK void accum_settle(accum &, const gemm_info &)
{
    ww::wgmma_wait_group<0>();
}

/* The tile's result. Call it after accum_settle. */
WW_WORK void accum_result(accum &self, const gemm_info &, gemm_fragment &result)
{
    ww::wgmma_pin(self.d);
#pragma unroll
    for (int j = 0; j < GEMM_TILE_N / 4; j++)
        result.pair[j] = ww::pack_bf16(self.d[2 * j], self.d[2 * j + 1]);
}

/* ---- gmem_d: staging and the store --------------------------------------------------------------------- */

struct gmem_d {
    bool issuer; /* one thread a warpgroup, always the same, issues the stores and waits for them */
};

/* Once, before the first tile. */
WW_WORK void gmem_d_choose(gmem_d &self, const gemm_info &info)
{
    self.issuer = (info.warp & 3) == 0 && ww::elect_one();
}

/* This warpgroup's 64 rows x 64 columns of a staging buffer, swizzled as TMA reads them. */
WW_WORK uint32_t gmem_d_part(const gemm_info &info, int buffer)
{
    return info.buffer[buffer] + static_cast<uint32_t>((info.warp >> 2) * GEMM_CHUNK_BYTES);
}

/* Of two chunks in flight the older one has been read: its buffer may be written again. */
WW_WORK void gmem_d_reuse(gmem_d &self, const gemm_info &)
{
    if (self.issuer)
        ww::bulk_wait_group_read<1>();
}

/* Writes a warp's 16 rows of a chunk. Matrix i of a stmatrix is rows 8(i%2).. and columns 8(i/2).., so that
 * lane l addresses row l%16 and 16-byte column chunk l/16 of the pair: free of bank conflicts. */
template <int chunk> WW_WORK void gmem_d_stage(const gemm_info &info, const gemm_fragment &result)
{
    const uint32_t row = static_cast<uint32_t>((info.warp & 3) * 16 + (info.lane & 15));
    const uint32_t half = static_cast<uint32_t>(info.lane >> 4);
    const uint32_t smem = gmem_d_part(info, chunk & 1);
    const uint32_t *pair = &result.pair[chunk * GEMM_CHUNK_N / 4];
#pragma unroll
    for (uint32_t j = 0; j < GEMM_CHUNK_N / 16; j++)
        ww::stmatrix_x4(smem + row * 128 + (((2 * j + half) ^ (row & 7)) << 4), pair[4 * j], pair[4 * j + 1],
                        pair[4 * j + 2], pair[4 * j + 3]);
}

template <int chunk> WW_WORK void gmem_d_stage_even(gmem_d &, const gemm_info &info, gemm_fragment result)
{
    gmem_d_stage<chunk>(info, result);
}

template <int chunk> WW_WORK void gmem_d_stage_odd(gmem_d &, const gemm_info &info, gemm_fragment result)
{
    gmem_d_stage<chunk>(info, result);
}

/* Stores this warpgroup's 64 x 64 part of the tile by TMA, as one group. */
template <int chunk> WW_WORK void gmem_d_store(const gmem_d &self, const gemm_info &info)
{
    const int row = info.tile.m * GEMM_TILE_M + (info.warp >> 2) * 64;
    const int column = info.tile.n * GEMM_TILE_N + chunk * GEMM_CHUNK_N;
    if (self.issuer) {
        ww::tensor_store_2d(&info.params.d, gmem_d_part(info, chunk & 1), column, row);
        ww::bulk_commit_group();
    }
}

template <int chunk> WW_WORK void gmem_d_store_even(gmem_d &self, const gemm_info &info)
{
    gmem_d_store<chunk>(self, info);
}

template <int chunk> WW_WORK void gmem_d_store_odd(gmem_d &self, const gemm_info &info)
{
    gmem_d_store<chunk>(self, info);
}

/* Once, after the last tile: shared memory outlives the stores that read it (their writes need nobody). */
WW_WORK void gmem_d_drain(gmem_d &self, const gemm_info &)
{
    if (self.issuer)
        ww::bulk_wait_group_read<0>();
}

#endif
