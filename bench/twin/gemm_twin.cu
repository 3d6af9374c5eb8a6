/* gemm_twin: the gemm kernel as a person writes it around the work bodies, in the style that the emitter
 * generates. The yardstick: generated code must run as fast as this.
 *
 * Included by twin.cu once for each variant, which is set by
 *     TWIN_KERNEL   the kernel's name
 *     TWIN_LAG      0: settle each step, release its stage at once; 1: keep one step in flight, release one later
 *
 * Shared memory: A ring, B ring, staging of D, then the full and the empty barriers. */
#include "gemm.cuh"

extern "C" __global__ void __launch_bounds__(384, 1) TWIN_KERNEL(const __grid_constant__ gemm_params params)
{
    extern __shared__ __align__(1024) unsigned char ww_smem[];
    const uint32_t smem = ww::shared_address(ww_smem);
    const uint32_t smem_a = smem;
    const uint32_t smem_b = smem + GEMM_STAGES * GEMM_A_BYTES;
    const uint32_t staging = smem + GEMM_STAGES * GEMM_STAGE_BYTES;
    const uint32_t full = staging + GEMM_STAGING_BYTES;
    const uint32_t empty = full + 8 * GEMM_STAGES;
    const int warp = ww::warp_index();
    const int lane = ww::lane_index();

    if (warp == 0 && ww::elect_one()) {
        for (int i = 0; i < GEMM_STAGES; i++) {
            ww::mbarrier_init(full + 8 * i, 1);  /* the load warp */
            ww::mbarrier_init(empty + 8 * i, 8); /* eight math warps */
        }
        ww::fence_mbarrier_init();
    }
    __syncthreads();

    if (warp < 4) { /* warpgroup 0: the load warp and three idle ones */
        ww::setmaxnreg_dec<40>();
        if (warp == 0) { /* task load */
            gmem_ab r_gmem_ab;
            smem_ab r_smem_ab;
            int index = 0;
            uint32_t parity = 1;
            ww::static_queue queue = ww::static_queue_make(params.tiles_m, params.tiles_n, 1, 1, 1,
                                                           params.swizzle, params.raster_along_m);
            {
                const gemm_info info = {params, 0, 0, params.k_tiles, 1, 0, 0, {}, {}, warp, lane};
                smem_ab_prefetch(r_smem_ab, info);
            }
            for (ww_tile tile = queue.first(); tile.valid; tile = queue.next()) {
                for (int k = 0; k < params.k_tiles; k++) {
                    const gemm_info info = {params, k, 0, params.k_tiles, 1, index, full + 8 * index,
                                            {smem_a + index * GEMM_A_BYTES, smem_b + index * GEMM_B_BYTES},
                                            tile, warp, lane};
                    int coord_k, coord_m, coord_n;
                    gmem_ab_coords(r_gmem_ab, info, coord_k, coord_m, coord_n);
                    ww::mbarrier_wait(empty + 8 * index, parity); /* acquire smem_ab */
                    if (ww::elect_one())
                        ww::mbarrier_arrive_expect_tx(full + 8 * index, GEMM_STAGE_BYTES);
                    smem_ab_tma_load(r_smem_ab, info, coord_k, coord_m, coord_n);
                    index = index + 1 == GEMM_STAGES ? 0 : index + 1;
                    parity ^= index == 0;
                }
            }
            for (int i = 0; i < GEMM_STAGES; i++) { /* tail: no arrival may reach an exited CTA */
                ww::mbarrier_wait(empty + 8 * index, parity);
                index = index + 1 == GEMM_STAGES ? 0 : index + 1;
                parity ^= index == 0;
            }
        }
    } else { /* warpgroups 1 and 2: task math */
        ww::setmaxnreg_inc<232>();
        const int task_warp = warp - 4;
        smem_ab r_smem_ab;
        accum r_accum;
        gmem_d r_gmem_d;
        int index = 0;
        uint32_t parity = 0;
#if TWIN_LAG
        int release = 0;
#endif
        ww::static_queue queue = ww::static_queue_make(params.tiles_m, params.tiles_n, 1, 1, 1, params.swizzle,
                                                       params.raster_along_m);
        for (ww_tile tile = queue.first(); tile.valid; tile = queue.next()) {
            const gemm_info tile_info = {params, 0, 0, params.k_tiles, 1, 0, 0, {staging}, tile, task_warp, lane};
            accum_clear(r_accum, tile_info);
            for (int k = 0; k < params.k_tiles; k++) {
                const gemm_info info = {params, k, 0, params.k_tiles, 1, index, full + 8 * index,
                                        {smem_a + index * GEMM_A_BYTES, smem_b + index * GEMM_B_BYTES},
                                        tile, task_warp, lane};
                uint64_t a, b;
                ww::mbarrier_wait(full + 8 * index, parity); /* wait smem_ab */
                smem_ab_descriptors(r_smem_ab, info, a, b);
                accum_mma(r_accum, info, a, b);
#if TWIN_LAG
                accum_settle_previous(r_accum, info);
                if (k > 0) { /* release smem_ab, one step late */
                    ww::syncwarp();
                    if (lane == 0)
                        ww::mbarrier_arrive(empty + 8 * release);
                    release = release + 1 == GEMM_STAGES ? 0 : release + 1;
                }
#else
                accum_settle(r_accum, info);
                ww::syncwarp();
                if (lane == 0) /* release smem_ab */
                    ww::mbarrier_arrive(empty + 8 * index);
#endif
                index = index + 1 == GEMM_STAGES ? 0 : index + 1;
                parity ^= index == 0;
            }
#if TWIN_LAG
            accum_settle(r_accum, tile_info);
            ww::syncwarp();
            if (lane == 0) /* release smem_ab, the last step */
                ww::mbarrier_arrive(empty + 8 * release);
            release = release + 1 == GEMM_STAGES ? 0 : release + 1;
#endif
            gemm_fragment result;
            accum_result(r_accum, tile_info, result);
            gmem_d_store(r_gmem_d, tile_info, result);
        }
        const gemm_info info = {params, 0, 0, params.k_tiles, 1, 0, 0, {staging}, {}, task_warp, lane};
        gmem_d_drain(r_gmem_d, info);
    }
}
