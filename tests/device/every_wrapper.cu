/* every_wrapper: each instruction wrapper once, so that ptxas assembles it for each target that has the
 * instruction.
 *
 * Nothing here runs, and no kernel makes sense: what wrappers do is in wrappers.cu, on a GPU. No host code
 * and no libraries, so that NVRTC takes this file too (nvrtc_headers):
 *
 *     nvcc -cubin -arch=sm_100a -std=c++17 -Idevice tests/device/every_wrapper.cu -o every_wrapper.cubin
 *
 * Targets: sm_80, sm_90a, sm_100a, sm_103a, sm_110a, sm_120a. */
#include "ww/ww.cuh"

#define SINCE_SM_90 (__CUDA_ARCH__ >= 900)
#define SINCE_SM_100 (__CUDA_ARCH__ >= 1000)
#define HAS_WGMMA (__CUDA_ARCH__ == 900)
#define HAS_TCGEN05 (__CUDA_ARCH__ >= 1000 && __CUDA_ARCH__ < 1200)

struct params {
    ww_tensor_map map;
    uint32_t *out;
    const void *global;
};

#define KERNEL(name)                                                                                         \
    extern "C" __global__ void __launch_bounds__(128, 1) name(const __grid_constant__ params p, uint32_t s)

/* ---- any target ------------------------------------------------------------------------------------- */

KERNEL(warps)
{
    const int warp = ww::warp_index(), lane = ww::lane_index();
    if (ww::elect_one())
        p.out[warp] = static_cast<uint32_t>(lane);
    ww::syncwarp();
    ww::named_barrier_arrive(1, 128);
    ww::named_barrier_sync(2, 128);
}

KERNEL(barriers)
{
    ww::mbarrier_init(s, 1);
    ww::fence_mbarrier_init();
    ww::fence_proxy_async_shared();
    ww::fence_proxy_async_global();
    ww::mbarrier_arrive(s);
    p.out[0] = ww::mbarrier_test_wait(s, 0);
    p.out[1] = ww::mbarrier_try_wait(s, 0);
    ww::mbarrier_wait(s, 0);
    ww::mbarrier_inval(s);
}

KERNEL(cp_async)
{
    ww::cp_async_16(s, p.global);
    ww::cp_async_8(s, p.global);
    ww::cp_async_4(s, p.global);
    ww::cp_async_16_zero_fill(s, p.global, s);
    ww::cp_async_8_zero_fill(s, p.global, s);
    ww::cp_async_4_zero_fill(s, p.global, s);
    ww::cp_async_commit_group();
    ww::cp_async_wait_group<2>();
    ww::cp_async_wait_all();
    ww::cp_async_mbarrier_arrive_noinc(s);
}

KERNEL(matrices)
{
    uint32_t a, b, c, d;
    ww::ldmatrix_x4(s, a, b, c, d);
#if SINCE_SM_90
    ww::stmatrix_x4(s, a, b, c, d);
#endif
    p.out[0] = a + b + c + d;
    ww::store_global_128(p.out, ww::load_shared_128(s));
    ww::store_shared_128(s, ww::load_global_128(p.global));
    p.out[4] = ww::load_shared_16(s);
    p.out[5] = ww::pack_bf16(static_cast<float>(a), static_cast<float>(b));
    p.out[6] = ww::pack_f16(static_cast<float>(a), static_cast<float>(b));
}

KERNEL(policies)
{
    p.out[0] = static_cast<uint32_t>(ww::policy_evict_first() + ww::policy_evict_last());
}

/* ---- sm_90 and later -------------------------------------------------------------------------------- */

#if SINCE_SM_90

KERNEL(budgets)
{
    ww::setmaxnreg_dec<40>();
    ww::setmaxnreg_inc<64>();
    ww::griddepcontrol_wait();
    ww::griddepcontrol_launch_dependents();
}

KERNEL(cluster)
{
    const uint32_t rank = ww::cluster_rank(), size = ww::cluster_size(), peer = ww::cluster_map(s, rank ^ 1);
    using layout = ww::cluster_layout<2, 2, 2, 1>;
    p.out[0] = size + layout::release_mask_mn(rank) + layout::tma_mask_a(rank) + layout::tma_mask_b(rank);
    ww::cluster_arrive();
    ww::cluster_wait();
    ww::cluster_arrive_relaxed();
    ww::cluster_wait();
    ww::bulk_copy_to_peer(peer, s, 16, peer + 16);
    ww::st_async_b32(peer, 1, peer + 16);
    ww::st_async_b64(peer, 2, peer + 16);
    ww::st_async_v4(peer, 3, 4, 5, 6, peer + 16);
}

KERNEL(cluster_barriers)
{
    ww::mbarrier_arrive_expect_tx(s, 16);
    ww::mbarrier_expect_tx(s, 16);
    ww::mbarrier_arrive_remote(s, 1);
    ww::mbarrier_arrive_remote_release(s, 1);
    ww::mbarrier_arrive_expect_tx_remote(s, 16, 1);
    ww::mbarrier_arrive_pair_leader(s);
    ww::mbarrier_arrive_pair_leader_release(s);
    p.out[0] = ww::mbarrier_try_wait_cluster(s, 0);
    ww::mbarrier_wait_cluster(s, 0);
}

/* Each form for tensors of D dimensions; the rest of the arguments is the corner. ptxas advises against
 * multicast on sm_120. */
#if __CUDA_ARCH__ < 1200
#define MULTICAST(...) __VA_ARGS__
#else
#define MULTICAST(...)
#endif
#define LOAD_FORMS(D, ...)                                                                                   \
    ww::tensor_load_##D##d(s, &p.map, s, __VA_ARGS__);                                                       \
    ww::tensor_load_##D##d_hint(s, &p.map, s, __VA_ARGS__, policy);                                          \
    MULTICAST(ww::tensor_load_##D##d_multicast(s, &p.map, s, __VA_ARGS__, mask))

KERNEL(tensor_loads)
{
    const uint64_t policy = ww::policy_evict_first();
    [[maybe_unused]] const uint16_t mask = static_cast<uint16_t>(s);
    ww::prefetch_tensor_map(&p.map);
    LOAD_FORMS(1, 1);
    LOAD_FORMS(2, 1, 2);
    LOAD_FORMS(3, 1, 2, 3);
    LOAD_FORMS(4, 1, 2, 3, 4);
    LOAD_FORMS(5, 1, 2, 3, 4, 5);
    ww::tensor_load_3d_im2col(s, &p.map, s, 1, 2, 3, 1);
    ww::tensor_load_4d_im2col(s, &p.map, s, 1, 2, 3, 4, 1, 2);
    ww::tensor_load_5d_im2col(s, &p.map, s, 1, 2, 3, 4, 5, 1, 2, 3);
    ww::bulk_load(s, p.global, 16, s);
}

#define STORE_FORMS(D, ...)                                                                                  \
    ww::tensor_store_##D##d(&p.map, s, __VA_ARGS__);                                                         \
    ww::tensor_reduce_add_##D##d(&p.map, s, __VA_ARGS__)

KERNEL(tensor_stores)
{
    STORE_FORMS(1, 1);
    STORE_FORMS(2, 1, 2);
    STORE_FORMS(3, 1, 2, 3);
    STORE_FORMS(4, 1, 2, 3, 4);
    STORE_FORMS(5, 1, 2, 3, 4, 5);
    ww::bulk_store(p.out, s, 16);
    ww::bulk_reduce_add_f32(p.out, s, 16);
    ww::bulk_reduce_add_f16(p.out, s, 16);
    ww::bulk_reduce_add_bf16(p.out, s, 16);
    ww::bulk_reduce_add_u32(p.out, s, 16);
    ww::bulk_commit_group();
    ww::bulk_wait_group_read<1>();
    ww::bulk_wait_group<0>();
}

#endif

/* ---- sm_90a alone ----------------------------------------------------------------------------------- */

#if HAS_WGMMA

/* One mma by itself, from operands that nobody wrote. */
#define MULTIPLY(NUMBER, N, SHAPE)                                                                           \
    {                                                                                                        \
        NUMBER d[N / 2];                                                                                     \
        ww::wgmma_fence();                                                                                   \
        ww::wgmma_m64n##N##SHAPE(d, a, a, 0);                                                                \
        ww::wgmma_commit_group();                                                                            \
        ww::wgmma_wait_group<0>();                                                                           \
        ww::wgmma_pin(d);                                                                                    \
        p.out[N] = static_cast<uint32_t>(d[N / 2 - 1]);                                                      \
    }

#define MULTIPLY_KERNEL(NUMBER, SHAPE)                                                                       \
    KERNEL(wgmma_##SHAPE)                                                                                    \
    {                                                                                                        \
        const uint64_t a = ww::descriptor_k_major_sw128(s);                                                  \
        MULTIPLY(NUMBER, 8, SHAPE)                                                                           \
        MULTIPLY(NUMBER, 16, SHAPE)                                                                          \
        MULTIPLY(NUMBER, 32, SHAPE)                                                                          \
        MULTIPLY(NUMBER, 64, SHAPE)                                                                          \
        MULTIPLY(NUMBER, 128, SHAPE)                                                                         \
        MULTIPLY(NUMBER, 256, SHAPE)                                                                         \
    }

MULTIPLY_KERNEL(float, k16_bf16)
MULTIPLY_KERNEL(float, k16_f16)
MULTIPLY_KERNEL(float, k8_tf32)
MULTIPLY_KERNEL(float, k32_e4m3)
MULTIPLY_KERNEL(float, k32_e5m2)
MULTIPLY_KERNEL(int, k32_s8)

KERNEL(wgmma_mn_major)
{
    const uint64_t a = ww::descriptor_k_major_sw128(s), b = ww::descriptor_mn_major_sw128(s, 8192, 1024);
    float d[4];
    ww::wgmma_fence();
    ww::wgmma_m64n8k16_bf16<1, 1>(d, b, b, 0);
    ww::wgmma_m64n8k16_f16<0, 1>(d, a, b, 1);
    ww::wgmma_commit_group();
    ww::wgmma_wait_group<0>();
    ww::wgmma_pin(d);
    p.out[0] = static_cast<uint32_t>(d[0]);
}

#endif

/* ---- sm_100 and later ------------------------------------------------------------------------------- */

#if SINCE_SM_100

KERNEL(clc)
{
    int x, y, z;
    ww::clc_try_cancel(s, s + 16);
    ww::clc_try_cancel_multicast(s, s + 16);
    p.out[0] = ww::clc_decode(s, x, y, z);
    p.out[1] = static_cast<uint32_t>(x + y + z);
}

#endif

/* ---- sm_100a, sm_103a, sm_110a ---------------------------------------------------------------------- */

#if HAS_TCGEN05

#define PAIR_FORMS(D, ...)                                                                                   \
    ww::tensor_load_##D##d_pair(s, &p.map, ww::pair_leader_address(s), __VA_ARGS__);                         \
    ww::tensor_load_##D##d_pair_multicast(s, &p.map, s, __VA_ARGS__, mask)

KERNEL(pair_loads)
{
    const uint16_t mask = static_cast<uint16_t>(s);
    PAIR_FORMS(1, 1);
    PAIR_FORMS(2, 1, 2);
    PAIR_FORMS(3, 1, 2, 3);
    PAIR_FORMS(4, 1, 2, 3, 4);
    PAIR_FORMS(5, 1, 2, 3, 4, 5);
}

template <int G> WW_DEVICE void multiply(const params &p, uint32_t s)
{
    const uint64_t a = ww::umma_descriptor_k_major_sw128(s), b = ww::umma_descriptor_k_major_sw64(s);
    const uint32_t plain = ww::umma_instruction(ww::umma_d_f32, ww::umma_f16, ww::umma_f16, 128, 64);
    const uint32_t scaled =
        ww::umma_instruction_block_scaled(ww::umma_mxf4_e2m1, ww::umma_mxf4_e2m1, ww::umma_ue4m3, 128, 64);
    const uint32_t d = ww::tmem_address(0, s);
    const bool accumulate = p.out[0] != 0;
    ww::tcgen05_mma_f16<G>(d, a, b, plain, accumulate);
    ww::tcgen05_mma_tf32<G>(d, a, b, plain, accumulate);
    ww::tcgen05_mma_f8f6f4<G>(d, a, b, plain, accumulate);
    ww::tcgen05_mma_f16_tmem_a<G>(d, d, b, plain, accumulate);
    ww::tcgen05_mma_tf32_tmem_a<G>(d, d, b, plain, accumulate);
    ww::tcgen05_mma_f8f6f4_tmem_a<G>(d, d, b, plain, accumulate);
#if __CUDA_ARCH__ != 1030
    ww::tcgen05_mma_i8<G>(d, a, b, plain, accumulate);
    ww::tcgen05_mma_i8_tmem_a<G>(d, d, b, plain, accumulate);
#endif
    ww::tcgen05_mma_mxf4nvf4<G>(d, a, b, scaled, d, d, accumulate);
    ww::tcgen05_mma_mxf4<G>(d, a, b, scaled, d, d, accumulate);
    ww::tcgen05_mma_mxf8f6f4<G>(d, a, b, scaled, d, d, accumulate);
}

template <int G> WW_DEVICE void tensor_memory(uint32_t s)
{
    const uint64_t from = ww::umma_descriptor_scale_factors(s);
    ww::tcgen05_alloc<G>(s, 64);
    ww::tcgen05_cp_128x256b<G>(s, from);
    ww::tcgen05_cp_128x128b<G>(s, from);
    ww::tcgen05_cp_4x256b<G>(s, from);
    ww::tcgen05_cp_64x128b_warpx2_02_13<G>(s, from);
    ww::tcgen05_cp_64x128b_warpx2_01_23<G>(s, from);
    ww::tcgen05_cp_32x128b_warpx4<G>(s, from);
    ww::tcgen05_shift_down<G>(s);
    ww::tcgen05_commit<G>(s);
    ww::tcgen05_commit_multicast<G>(s, 3);
    ww::tcgen05_relinquish<G>();
    ww::tcgen05_dealloc<G>(s, 64);
}

KERNEL(tcgen05_one)
{
    tensor_memory<1>(s);
    multiply<1>(p, s);
}

KERNEL(tcgen05_pair)
{
    tensor_memory<2>(s);
    multiply<2>(p, s);
}

template <int N> WW_DEVICE void by_lanes(const params &p, uint32_t tmem)
{
    uint32_t r[N];
    ww::tcgen05_ld_32x32b(tmem, r);
    ww::tcgen05_wait_ld();
    ww::tcgen05_pin(r);
    ww::tcgen05_st_32x32b(tmem, r);
    ww::tcgen05_wait_st();
    p.out[N] = r[N - 1];
}

template <int N> WW_DEVICE void by_fragments(const params &p, uint32_t tmem)
{
    uint32_t r[N];
    ww::tcgen05_ld_16x256b(tmem, r);
    ww::tcgen05_wait_ld();
    ww::tcgen05_pin(r);
    p.out[N] = r[N - 1];
}

KERNEL(tcgen05_registers)
{
    ww::tcgen05_fence_after_thread_sync();
    by_lanes<1>(p, s);
    by_lanes<2>(p, s);
    by_lanes<4>(p, s);
    by_lanes<8>(p, s);
    by_lanes<16>(p, s);
    by_lanes<32>(p, s);
    by_lanes<64>(p, s);
    by_lanes<128>(p, s);
    by_fragments<4>(p, s);
    by_fragments<8>(p, s);
    by_fragments<16>(p, s);
    by_fragments<32>(p, s);
    by_fragments<64>(p, s);
    by_fragments<128>(p, s);
    ww::tcgen05_fence_before_thread_sync();
}

#endif
