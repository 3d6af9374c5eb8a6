/* gemm_twin: what the gemm twins share: the map of shared memory, the cursor and the work bodies'
 * information. */
#ifndef GEMM_TWIN_CUH
#define GEMM_TWIN_CUH

#include "gemm.cuh"

namespace twin
{

/* Offsets in dynamic shared memory: A ring, B ring, staging of D, full and empty barriers. */
enum : uint32_t {
    MAP_A = 0,
    MAP_B = MAP_A + GEMM_STAGES * GEMM_A_BYTES,
    MAP_STAGING = MAP_B + GEMM_STAGES * GEMM_B_BYTES,
    MAP_FULL = MAP_STAGING + GEMM_STAGING_BYTES,
    MAP_EMPTY = MAP_FULL + 8 * GEMM_STAGES,
    SMEM_BYTES = MAP_EMPTY + 8 * GEMM_STAGES
};

/* A place in the ring: producers start with parity 1, consumers with 0. */
struct cursor {
    uint32_t slot, parity;

    WW_DEVICE void advance()
    {
        slot = slot == GEMM_STAGES - 1 ? 0 : slot + 1;
        parity ^= slot == 0;
    }
};

/* What smem_ab's bodies are told at K step k. */
WW_DEVICE gemm_info ring_info(const gemm_params &params, uint32_t smem, int k, cursor c, ww_tile tile,
                              int warp, int lane)
{
    return {params,
            k,
            0,
            params.k_tiles,
            1,
            static_cast<int>(c.slot),
            smem + MAP_FULL + 8 * c.slot,
            {smem + MAP_A + c.slot * GEMM_A_BYTES, smem + MAP_B + c.slot * GEMM_B_BYTES},
            tile,
            warp,
            lane};
}

/* What gmem_d's bodies are told. */
WW_DEVICE gemm_info staging_info(const gemm_params &params, uint32_t smem, ww_tile tile, int warp, int lane)
{
    return {params, 0, 0, params.k_tiles, 1, 0, 0u, {smem + MAP_STAGING}, tile, warp, lane};
}

} // namespace twin

#endif
