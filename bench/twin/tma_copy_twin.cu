/* tma_copy_twin: the TMA copy as a person writes it around the work bodies.
 *
 * Five warps: 0-3 store, 4 loads. Shared memory: the ring, then the full and the empty barriers. The store warps
 * read with ordinary loads, so that a warp must have converged before one lane releases the stage for it. */
#include "tma_copy.cuh"

enum { TMA_COPY_STAGES = 8, TMA_COPY_SMEM_BYTES = TMA_COPY_STAGES * (TMA_COPY_ROW_BYTES + 16) };

extern "C" __global__ void __launch_bounds__(160, 1)
    tma_copy_twin(const __grid_constant__ tma_copy_params params)
{
    extern __shared__ __align__(1024) unsigned char ww_smem[];
    const uint32_t ring = ww::shared_address(ww_smem);
    const uint32_t full = ring + TMA_COPY_STAGES * TMA_COPY_ROW_BYTES;
    const uint32_t empty = full + 8 * TMA_COPY_STAGES;
    const int warp = ww::warp_index();
    const int lane = ww::lane_index();
    const ww_tile tile = {static_cast<int>(blockIdx.x), static_cast<int>(blockIdx.y),
                          static_cast<int>(blockIdx.z), 1};

    if (warp == 0 && ww::elect_one()) {
        for (int i = 0; i < TMA_COPY_STAGES; i++) {
            ww::mbarrier_init(full + 8 * i, 1);  /* the load warp */
            ww::mbarrier_init(empty + 8 * i, 4); /* four store warps */
        }
        ww::fence_mbarrier_init();
    }
    __syncthreads();

    if (warp >= 4) { /* task load */
        input r_input;
        smem r_smem;
        int index = 0;
        uint32_t parity = 1;
        {
            const tma_copy_info info = {params, 0, 0, params.rows, 1, 0, 0, {}, tile, warp - 4, lane};
            smem_prefetch(r_smem, info);
        }
        for (int row = 0; row < params.rows; row++) {
            const tma_copy_info info = {params, row, 0, params.rows, 1, index, full + 8 * index,
                                        {ring + index * TMA_COPY_ROW_BYTES}, tile, warp - 4, lane};
            int x;
            input_coords(r_input, info, x);
            ww::mbarrier_wait(empty + 8 * index, parity); /* acquire smem */
            if (ww::elect_one())
                ww::mbarrier_arrive_expect_tx(full + 8 * index, TMA_COPY_ROW_BYTES);
            smem_tma_load(r_smem, info, x);
            index = index + 1 == TMA_COPY_STAGES ? 0 : index + 1;
            parity ^= index == 0;
        }
        for (int i = 0; i < TMA_COPY_STAGES; i++) { /* tail */
            ww::mbarrier_wait(empty + 8 * index, parity);
            index = index + 1 == TMA_COPY_STAGES ? 0 : index + 1;
            parity ^= index == 0;
        }
    } else { /* task store */
        smem r_smem;
        output r_output;
        int index = 0;
        uint32_t parity = 0;
        for (int row = 0; row < params.rows; row++) {
            const tma_copy_info info = {params, row, 0, params.rows, 1, index, full + 8 * index,
                                        {ring + index * TMA_COPY_ROW_BYTES}, tile, warp, lane};
            uint16_t item;
            ww::mbarrier_wait(full + 8 * index, parity); /* wait smem */
            smem_read(r_smem, info, item);
            ww::syncwarp();
            if (lane == 0) /* release smem */
                ww::mbarrier_arrive(empty + 8 * index);
            output_store(r_output, info, item);
            index = index + 1 == TMA_COPY_STAGES ? 0 : index + 1;
            parity ^= index == 0;
        }
    }
}
