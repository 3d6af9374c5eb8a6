/* gemm_twin: the gemm kernel as a person writes it around the work bodies, in the style that the emitter
 * generates. The yardstick: generated code must run as fast as this.
 *
 * Included by twin.cu once for each variant, which is set by
 *     TWIN_KERNEL   the kernel's name
 *     TWIN_LAG      0: settle each step and release its stage at once
 *                   1: keep one step in flight and release its stage one step later */
#include "gemm_twin.cuh"

extern "C" __global__ void __launch_bounds__(384, 1) TWIN_KERNEL(const __grid_constant__ gemm_params params)
{
    extern __shared__ __align__(1024) unsigned char ww_smem[];
    const uint32_t smem = ww::shared_address(ww_smem);
    const uint32_t full = smem + twin::MAP_FULL, empty = smem + twin::MAP_EMPTY;
    const int warp = ww::warp_index(), lane = ww::lane_index();

    if (warp == 0 && ww::elect_one()) {
        for (uint32_t stage = 0; stage < GEMM_STAGES; stage++) {
            ww::mbarrier_init(full + 8 * stage, 1);  /* the load warp */
            ww::mbarrier_init(empty + 8 * stage, 8); /* eight math warps */
        }
        ww::fence_mbarrier_init();
    }
    __syncthreads();

    ww::static_queue queue =
        ww::static_queue_make(params.tiles_m, params.tiles_n, 1, 1, 1, params.swizzle, params.raster_along_m);
    if (warp < 4) { /* the load warp and three idle ones */
        ww::setmaxnreg_dec<40>();
        if (warp == 0) { /* task load */
            gmem_ab gmem_ab_self;
            smem_ab smem_ab_self;
            twin::cursor produce = {0, 1};
            smem_ab_prefetch(smem_ab_self, twin::staging_info(params, smem, {}, warp, lane));
            for (ww_tile tile = queue.first(); tile.valid; tile = queue.next()) {
#pragma unroll 1
                for (int i = 0; i < params.k_tiles; i++) {
                    const gemm_info info = twin::ring_info(params, smem, i, produce, tile, warp, lane);
                    int k, m, n;
                    gmem_ab_coords(gmem_ab_self, info, k, m, n);
                    ww::mbarrier_wait(empty + 8 * produce.slot, produce.parity); /* acquire smem_ab */
                    if (ww::elect_one())
                        ww::mbarrier_arrive_expect_tx(full + 8 * produce.slot, GEMM_STAGE_BYTES);
                    smem_ab_tma_load(smem_ab_self, info, k, m, n);
                    produce.advance();
                }
            }
            for (int i = 0; i < GEMM_STAGES; i++) { /* tail: nobody arrives at an exited CTA */
                ww::mbarrier_wait(empty + 8 * produce.slot, produce.parity);
                produce.advance();
            }
        }
    } else { /* task math, two warpgroups */
        ww::setmaxnreg_inc<232>();
        const int task_warp = warp - 4;
        smem_ab smem_ab_self;
        accum accum_self;
        gmem_d gmem_d_self;
        twin::cursor consume = {0, 0};
#if TWIN_LAG
        twin::cursor release = {0, 0};
#endif
        for (ww_tile tile = queue.first(); tile.valid; tile = queue.next()) {
            const gemm_info tile_info = twin::staging_info(params, smem, tile, task_warp, lane);
            accum_clear(accum_self, tile_info);
#pragma unroll 1
            for (int i = 0; i < params.k_tiles; i++) {
                const gemm_info info = twin::ring_info(params, smem, i, consume, tile, task_warp, lane);
                uint64_t a, b;
                ww::mbarrier_wait(full + 8 * consume.slot, consume.parity); /* wait smem_ab */
                smem_ab_descriptors(smem_ab_self, info, a, b);
                accum_mma(accum_self, info, a, b);
#if TWIN_LAG
                accum_settle_previous(accum_self, info);
                if (i > 0) {
                    ww::syncwarp();
                    if (ww::elect_one())
                        ww::mbarrier_arrive(empty + 8 * release.slot); /* release smem_ab, one step late */
                    release.advance();
                }
#else
                accum_settle(accum_self, info);
                ww::syncwarp();
                if (ww::elect_one())
                    ww::mbarrier_arrive(empty + 8 * consume.slot); /* release smem_ab */
#endif
                consume.advance();
            }
#if TWIN_LAG
            accum_settle(accum_self, tile_info);
            ww::syncwarp();
            if (ww::elect_one())
                ww::mbarrier_arrive(empty + 8 * release.slot); /* release smem_ab, the last step */
            release.advance();
#endif
            gemm_fragment result;
            accum_result(accum_self, tile_info, result);
            gmem_d_store(gmem_d_self, tile_info, result);
        }
        gmem_d_drain(gmem_d_self, twin::staging_info(params, smem, {}, task_warp, lane));
    }
}
