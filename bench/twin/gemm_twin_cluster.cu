/* gemm_twin_cluster: gemm_twin over clusters of two CTAs that share B.
 *
 * The pair works on two tiles below one another. Each CTA loads its own A and one half of B, which it multicasts
 * to both, so that B crosses L2 once a pair. A stage is free once the math warps of *both* CTAs have read it:
 * 16 arrivals, half of them from the peer. They are of CTA scope: nobody wrote anything, and cluster scope costs a
 * third of the speed. The map of B has a box of 64 x 128. The rest is as in gemm_twin.cu. */
#include "gemm.cuh"

static const uint32_t cluster_ctas = 2;

/* A of this CTA, and its half of B for both: GEMM_STAGE_BYTES arrive on each CTA's full barrier. */
WW_WORK void smem_ab_tma_load_multicast(smem_ab &, const gemm_info &info, int k, int m, int n, uint32_t rank)
{
    const int half = GEMM_TILE_N / static_cast<int>(cluster_ctas);
    if (ww::elect_one()) {
        ww::tensor_load_2d(info.buffer[0], &info.params.a, info.barrier, k, m);
        ww::tensor_load_2d_multicast(info.buffer[1] + rank * (GEMM_B_BYTES / cluster_ctas), &info.params.b,
                                     info.barrier, k, n + static_cast<int>(rank) * half,
                                     static_cast<uint16_t>((1u << cluster_ctas) - 1));
    }
}

extern "C" __global__ void __launch_bounds__(384, 1) __cluster_dims__(2, 1, 1)
    TWIN_KERNEL(const __grid_constant__ gemm_params params)
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
            ww::mbarrier_init(full + 8 * i, 1);
            ww::mbarrier_init(empty + 8 * i, 8 * cluster_ctas);
        }
        ww::fence_mbarrier_init();
    }
    ww::cluster_arrive_relaxed();
    ww::cluster_wait();

    if (warp < 4) {
        ww::setmaxnreg_dec<40>();
        if (warp == 0) { /* task load */
            const uint32_t rank = ww::cluster_rank();
            gmem_ab r_gmem_ab;
            smem_ab r_smem_ab;
            int index = 0;
            uint32_t parity = 1;
            ww::static_queue queue = ww::static_queue_make(params.tiles_m, params.tiles_n, 1, 2, 1,
                                                           params.swizzle, params.raster_along_m);
            for (ww_tile tile = queue.first(); tile.valid; tile = queue.next()) {
                for (int k = 0; k < params.k_tiles; k++) {
                    const gemm_info info = {params, k, 0, params.k_tiles, 1, index, full + 8 * index,
                                            {smem_a + index * GEMM_A_BYTES, smem_b + index * GEMM_B_BYTES},
                                            tile, warp, lane};
                    int coord_k, coord_m, coord_n;
                    gmem_ab_coords(r_gmem_ab, info, coord_k, coord_m, coord_n);
                    ww::mbarrier_wait(empty + 8 * index, parity); /* acquire smem_ab, of both CTAs */
                    if (ww::elect_one())
                        ww::mbarrier_arrive_expect_tx(full + 8 * index, GEMM_STAGE_BYTES);
                    smem_ab_tma_load_multicast(r_smem_ab, info, coord_k, coord_m, coord_n, rank);
                    index = index + 1 == GEMM_STAGES ? 0 : index + 1;
                    parity ^= index == 0;
                }
            }
            for (int i = 0; i < GEMM_STAGES; i++) { /* tail: the peer's arrivals too must find us here */
                ww::mbarrier_wait(empty + 8 * index, parity);
                index = index + 1 == GEMM_STAGES ? 0 : index + 1;
                parity ^= index == 0;
            }
        }
    } else { /* task math */
        ww::setmaxnreg_inc<232>();
        const int task_warp = warp - 4;
        smem_ab r_smem_ab;
        accum r_accum;
        gmem_d r_gmem_d;
        int index = 0, release = 0;
        uint32_t parity = 0;
        ww::static_queue queue = ww::static_queue_make(params.tiles_m, params.tiles_n, 1, 2, 1, params.swizzle,
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
                accum_settle_previous(r_accum, info);
                if (k > 0) { /* release smem_ab to both CTAs, one step late */
                    ww::syncwarp();
                    if (lane < 2)
                        ww::mbarrier_arrive_remote(empty + 8 * release, static_cast<uint32_t>(lane));
                    release = release + 1 == GEMM_STAGES ? 0 : release + 1;
                }
                index = index + 1 == GEMM_STAGES ? 0 : index + 1;
                parity ^= index == 0;
            }
            accum_settle(r_accum, tile_info);
            ww::syncwarp();
            if (lane < 2)
                ww::mbarrier_arrive_remote(empty + 8 * release, static_cast<uint32_t>(lane));
            release = release + 1 == GEMM_STAGES ? 0 : release + 1;
            gemm_fragment result;
            accum_result(r_accum, tile_info, result);
            gmem_d_store(r_gmem_d, tile_info, result);
        }
        const gemm_info info = {params, 0, 0, params.k_tiles, 1, 0, 0, {staging}, {}, task_warp, lane};
        gmem_d_drain(r_gmem_d, info);
    }
}
