/* tma_copy_twin: the TMA copy as a person writes it around the work bodies.
 *
 * Five warps: 0-3 store, 4 loads. Shared memory: the ring, then the full and the empty barriers. The store
 * warps read with ordinary loads, so that a warp must have converged before one lane releases the stage for
 * it. */
#include "tma_copy.cuh"

enum { TMA_COPY_STAGES = 8, TMA_COPY_SMEM_BYTES = TMA_COPY_STAGES * (TMA_COPY_ROW_BYTES + 16) };

/* What smem's bodies are told at a row. */
WW_DEVICE tma_copy_info ring_info(const tma_copy_params &params, uint32_t ring, int row, uint32_t slot,
                                  ww_tile tile, int warp, int lane)
{
    const uint32_t full = ring + TMA_COPY_STAGES * TMA_COPY_ROW_BYTES;
    return {params,
            row,
            0,
            params.rows,
            1,
            static_cast<int>(slot),
            full + 8 * slot,
            {ring + slot * TMA_COPY_ROW_BYTES},
            tile,
            warp,
            lane};
}

extern "C" __global__ void __launch_bounds__(160, 1)
    tma_copy_twin(const __grid_constant__ tma_copy_params params)
{
    extern __shared__ __align__(1024) unsigned char ww_smem[];
    const uint32_t ring = ww::shared_address(ww_smem);
    const uint32_t full = ring + TMA_COPY_STAGES * TMA_COPY_ROW_BYTES, empty = full + 8 * TMA_COPY_STAGES;
    const int warp = ww::warp_index(), lane = ww::lane_index();
    const ww_tile tile = {static_cast<int>(blockIdx.x), static_cast<int>(blockIdx.y),
                          static_cast<int>(blockIdx.z), 1};
    smem smem_self;
    uint32_t slot = 0;

    if (warp == 0 && ww::elect_one()) {
        for (uint32_t stage = 0; stage < TMA_COPY_STAGES; stage++) {
            ww::mbarrier_init(full + 8 * stage, 1);  /* the load warp */
            ww::mbarrier_init(empty + 8 * stage, 4); /* four store warps */
        }
        ww::fence_mbarrier_init();
    }
    __syncthreads();

    if (warp >= 4) { /* task load */
        input input_self;
        uint32_t parity = 1;
        smem_prefetch(smem_self, ring_info(params, ring, 0, 0, tile, warp - 4, lane));
        for (int i = 0; i < params.rows; i++) {
            const tma_copy_info info = ring_info(params, ring, i, slot, tile, warp - 4, lane);
            int x;
            input_coords(input_self, info, x);
            ww::mbarrier_wait(empty + 8 * slot, parity); /* acquire smem */
            if (ww::elect_one())
                ww::mbarrier_arrive_expect_tx(full + 8 * slot, TMA_COPY_ROW_BYTES);
            smem_tma_load(smem_self, info, x);
            slot = slot == TMA_COPY_STAGES - 1 ? 0 : slot + 1;
            parity ^= slot == 0;
        }
        for (int i = 0; i < TMA_COPY_STAGES; i++) { /* tail */
            ww::mbarrier_wait(empty + 8 * slot, parity);
            slot = slot == TMA_COPY_STAGES - 1 ? 0 : slot + 1;
            parity ^= slot == 0;
        }
    } else { /* task store */
        output output_self;
        uint32_t parity = 0;
        for (int i = 0; i < params.rows; i++) {
            const tma_copy_info info = ring_info(params, ring, i, slot, tile, warp, lane);
            uint16_t item;
            ww::mbarrier_wait(full + 8 * slot, parity); /* wait smem */
            smem_read(smem_self, info, item);
            ww::syncwarp();
            if (ww::elect_one())
                ww::mbarrier_arrive(empty + 8 * slot); /* release smem */
            output_store(output_self, info, item);
            slot = slot == TMA_COPY_STAGES - 1 ? 0 : slot + 1;
            parity ^= slot == 0;
        }
    }
}
