/* gemm_twin_cluster: gemm_twin over clusters of two CTAs that share B.
 *
 * The pair works on two tiles below one another. Each CTA loads its own A and one half of B, which it
 * multicasts to both, so that B crosses L2 once a pair. A stage is free once the math warps of *both* CTAs
 * have read it: 16 arrivals, half of them from the peer. They are of CTA scope: nobody wrote anything, and
 * cluster scope costs a third of the speed. The map of B has a box of 64 x 128. TWIN_KERNEL and TWIN_LAG as
 * in gemm_twin.cu. */
#include "gemm_twin.cuh"

/* A of this CTA, and its half of B for both: GEMM_STAGE_BYTES arrive on each CTA's full barrier. */
WW_WORK void smem_ab_tma_load_multicast(smem_ab &, const gemm_info &info, int k, int m, int n, uint32_t rank)
{
    if (ww::elect_one()) {
        ww::tensor_load_2d(info.buffer[0], &info.params.a, info.barrier, k, m);
        ww::tensor_load_2d_multicast(info.buffer[1] + rank * (GEMM_B_BYTES / 2), &info.params.b, info.barrier,
                                     k, n + static_cast<int>(rank) * (GEMM_TILE_N / 2), 3);
    }
}

/* Gives a stage back to both CTAs. */
WW_DEVICE void release_to_both(uint32_t empty, int lane)
{
    ww::syncwarp();
    if (lane < 2)
        ww::mbarrier_arrive_remote(empty, static_cast<uint32_t>(lane));
}

extern "C" __global__ void __launch_bounds__(384, 1) __cluster_dims__(2, 1, 1)
    TWIN_KERNEL(const __grid_constant__ gemm_params params)
{
    extern __shared__ __align__(1024) unsigned char ww_smem[];
    const uint32_t smem = ww::shared_address(ww_smem);
    const uint32_t full = smem + twin::MAP_FULL, empty = smem + twin::MAP_EMPTY;
    const int warp = ww::warp_index(), lane = ww::lane_index();

    if (warp == 0 && ww::elect_one()) {
        for (uint32_t stage = 0; stage < GEMM_STAGES; stage++) {
            ww::mbarrier_init(full + 8 * stage, 1);   /* the load warp */
            ww::mbarrier_init(empty + 8 * stage, 16); /* the math warps of both CTAs */
        }
        ww::fence_mbarrier_init();
    }
    ww::cluster_arrive_relaxed();
    ww::cluster_wait();

    ww::static_queue queue =
        ww::static_queue_make(params.tiles_m, params.tiles_n, 1, 2, 1, params.swizzle, params.raster_along_m);
    if (warp < 4) {
        ww::setmaxnreg_dec<40>();
        if (warp == 0) { /* task load */
            const uint32_t rank = ww::cluster_rank();
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
                    ww::mbarrier_wait(empty + 8 * produce.slot, produce.parity); /* acquire, of both CTAs */
                    if (ww::elect_one())
                        ww::mbarrier_arrive_expect_tx(full + 8 * produce.slot, GEMM_STAGE_BYTES);
                    smem_ab_tma_load_multicast(smem_ab_self, info, k, m, n, rank);
                    produce.advance();
                }
            }
            for (int i = 0; i < GEMM_STAGES; i++) { /* tail: the peer's arrivals too must find us here */
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
                    release_to_both(empty + 8 * release.slot, lane);
                    release.advance();
                }
#else
                accum_settle(accum_self, info);
                release_to_both(empty + 8 * consume.slot, lane);
#endif
                consume.advance();
            }
#if TWIN_LAG
            accum_settle(accum_self, tile_info);
            release_to_both(empty + 8 * release.slot, lane);
            release.advance();
#endif
            gemm_fragment result;
            accum_result(accum_self, tile_info, result);
            gmem_d_store(gmem_d_self, tile_info, result);
        }
        gmem_d_drain(gmem_d_self, twin::staging_info(params, smem, {}, task_warp, lane));
    }
}
