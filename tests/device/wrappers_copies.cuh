/* wrappers_copies: cp.async, TMA in each number of dimensions, reductions into global memory, stores and
 * arrivals that go to a peer. */
#ifndef WRAPPERS_COPIES_CUH
#define WRAPPERS_COPIES_CUH

#include "wrapper_test.cuh"

enum { TENSOR_WORDS = 512, BOX_WORDS = 128 };

/* ---- cp.async --------------------------------------------------------------------------------------- */

/* Words 0..511: pieces of 16 bytes, awaited by an mbarrier; 512..767 and 768..895: of 8 and of 4, in two
 * groups; then the first thread's t bytes of 16, 8 and 4, zeros after them, four words a thread. */
KERNEL(cp_async_kernel)
{
    const uint32_t barrier = barrier_new(128), t = threadIdx.x;
    const uint32_t full = barrier + 1024, eights = full + 2048, fours = eights + 1024, edges = fours + 512;
    const char *global = reinterpret_cast<const char *>(p.global);
    store_word(edges + t * 16 + 12, 0xeeeeeeeeu);
    ww::cp_async_16(full + t * 16, global + t * 16);
    ww::cp_async_mbarrier_arrive_noinc(barrier);
    while (!ww::mbarrier_test_wait(barrier, 0)) {
    }
    for (uint32_t i = t; i < 512; i += 128)
        p.out[i] = load_word(full + i * 4);
    ww::cp_async_8(eights + t * 8, global + t * 8);
    ww::cp_async_commit_group();
    ww::cp_async_4(fours + t * 4, global + t * 4);
    ww::cp_async_commit_group();
    ww::cp_async_wait_group<1>();
    p.out[512 + t * 2] = load_word(eights + t * 8);
    p.out[512 + t * 2 + 1] = load_word(eights + t * 8 + 4);
    ww::cp_async_wait_group<0>();
    p.out[768 + t] = load_word(fours + t * 4);
    if (t < 32)
        ww::cp_async_16_zero_fill(edges + t * 16, global, t % 17);
    else if (t < 64)
        ww::cp_async_8_zero_fill(edges + t * 16 + 8, global, t % 9);
    else
        ww::cp_async_4_zero_fill(edges + t * 16 + 12, global, t % 5);
    ww::cp_async_wait_all();
    p.out[896 + t] = load_word(edges + t * 16 + 12);
}

/* The first `bytes` bytes of word i of `global`. */
static uint32_t word_edge(int i, int bytes)
{
    if (bytes <= 0)
        return 0;
    return bytes >= 4 ? pair_expected(i) : pair_expected(i) & ((1u << (8 * bytes)) - 1);
}

static uint32_t cp_async_expected(int i)
{
    if (i < 896)
        return pair_expected(i < 512 ? i : i < 768 ? i - 512 : i - 768);
    const int t = i - 896;
    if (t < 32)
        return word_edge(3, t % 17 - 12);
    return t < 64 ? word_edge(1, t % 9 - 4) : word_edge(0, t % 5);
}

/* ---- tensors of 1 .. 5 dimensions ------------------------------------------------------------------- */

/* The same 512 words, contiguous, innermost first, and a box of 128 of them that begins at `corner`. */
struct shape {
    int extent[5], box[5], corner[5];
};

static const shape shapes[5] = {
    {{512, 1, 1, 1, 1}, {128, 1, 1, 1, 1}, {256, 0, 0, 0, 0}},
    {{32, 16, 1, 1, 1}, {16, 8, 1, 1, 1}, {16, 5, 0, 0, 0}},
    {{8, 8, 8, 1, 1}, {8, 4, 4, 1, 1}, {0, 3, 2, 0, 0}},
    {{8, 4, 4, 4, 1}, {8, 4, 2, 2, 1}, {0, 0, 1, 2, 0}},
    {{4, 4, 4, 2, 4}, {4, 4, 2, 2, 2}, {0, 0, 2, 0, 1}},
};

/* Word i of the box of D dimensions as a word of the tensor. */
static int box_word(int dimensions, int i)
{
    const shape &s = shapes[dimensions - 1];
    int word = 0, stride = 1;
    for (int d = 0; d < 5; d++) {
        word += (s.corner[d] + i % s.box[d]) * stride;
        i /= s.box[d];
        stride *= s.extent[d];
    }
    return word;
}

template <int D> __device__ static void load_box(const test_params &p, uint32_t box, uint32_t barrier)
{
    const ww_tensor_map *map = &p.boxes[D - 1];
    if constexpr (D == 1)
        ww::tensor_load_1d(box, map, barrier, 256);
    else if constexpr (D == 2)
        ww::tensor_load_2d(box, map, barrier, 16, 5);
    else if constexpr (D == 3)
        ww::tensor_load_3d(box, map, barrier, 0, 3, 2);
    else if constexpr (D == 4)
        ww::tensor_load_4d(box, map, barrier, 0, 0, 1, 2);
    else
        ww::tensor_load_5d(box, map, barrier, 0, 0, 2, 0, 1);
}

template <int D> __device__ static void load_box_hint(const test_params &p, uint32_t box, uint32_t barrier)
{
    const ww_tensor_map *map = &p.boxes[D - 1];
    const uint64_t policy = ww::policy_evict_last();
    if constexpr (D == 1)
        ww::tensor_load_1d_hint(box, map, barrier, 256, policy);
    else if constexpr (D == 2)
        ww::tensor_load_2d_hint(box, map, barrier, 16, 5, policy);
    else if constexpr (D == 3)
        ww::tensor_load_3d_hint(box, map, barrier, 0, 3, 2, policy);
    else if constexpr (D == 4)
        ww::tensor_load_4d_hint(box, map, barrier, 0, 0, 1, 2, policy);
    else
        ww::tensor_load_5d_hint(box, map, barrier, 0, 0, 2, 0, 1, policy);
}

template <int D>
__device__ static void load_box_multicast(const test_params &p, uint32_t box, uint32_t barrier)
{
    const ww_tensor_map *map = &p.boxes[D - 1];
    if constexpr (D == 1)
        ww::tensor_load_1d_multicast(box, map, barrier, 256, 3);
    else if constexpr (D == 2)
        ww::tensor_load_2d_multicast(box, map, barrier, 16, 5, 3);
    else if constexpr (D == 3)
        ww::tensor_load_3d_multicast(box, map, barrier, 0, 3, 2, 3);
    else if constexpr (D == 4)
        ww::tensor_load_4d_multicast(box, map, barrier, 0, 0, 1, 2, 3);
    else
        ww::tensor_load_5d_multicast(box, map, barrier, 0, 0, 2, 0, 1, 3);
}

template <int D> __device__ static void store_box(const test_params &p, uint32_t box)
{
    const ww_tensor_map *map = &p.copied_boxes[D - 1];
    if constexpr (D == 1)
        ww::tensor_store_1d(map, box, 256);
    else if constexpr (D == 2)
        ww::tensor_store_2d(map, box, 16, 5);
    else if constexpr (D == 3)
        ww::tensor_store_3d(map, box, 0, 3, 2);
    else if constexpr (D == 4)
        ww::tensor_store_4d(map, box, 0, 0, 1, 2);
    else
        ww::tensor_store_5d(map, box, 0, 0, 2, 0, 1);
}

template <int D> __device__ static void add_box(const test_params &p, uint32_t box)
{
    const ww_tensor_map *map = &p.copied_boxes[D - 1];
    if constexpr (D == 1)
        ww::tensor_reduce_add_1d(map, box, 256);
    else if constexpr (D == 2)
        ww::tensor_reduce_add_2d(map, box, 16, 5);
    else if constexpr (D == 3)
        ww::tensor_reduce_add_3d(map, box, 0, 3, 2);
    else if constexpr (D == 4)
        ww::tensor_reduce_add_4d(map, box, 0, 0, 1, 2);
    else
        ww::tensor_reduce_add_5d(map, box, 0, 0, 2, 0, 1);
}

/* Words 0..127: the box; 128..255: again, with a policy. Two CTAs, 256..383: again, as CTA 0 sends it to
 * both; each CTA writes 512 words. */
template <int D>
__global__ void __launch_bounds__(128, 1) __cluster_dims__(2, 1, 1)
    box_load_kernel(const __grid_constant__ test_params p)
{
    const uint32_t barrier = barrier_new(1), box = barrier + 1024, rank = ww::cluster_rank(), t = threadIdx.x;
    if (t == 0)
        ww::mbarrier_arrive_expect_tx(barrier, 3 * BOX_WORDS * 4);
    ww::cluster_arrive();
    ww::cluster_wait();
    if (t == 0) {
        load_box<D>(p, box, barrier);
        load_box_hint<D>(p, box + 512, barrier);
        if (rank == 0)
            load_box_multicast<D>(p, box + 1024, barrier);
    }
    ww::mbarrier_wait(barrier, 0);
    for (uint32_t i = 0; i < 3; i++)
        p.out[rank * 512 + i * 128 + t] = load_word(box + i * 512 + t * 4);
    p.out[rank * 512 + 384 + t] = 0;
    ww::cluster_arrive();
    ww::cluster_wait();
}

template <int D> static uint32_t box_load_expected(int i)
{
    return i % 512 < 384 ? pair_expected(box_word(D, i % 128)) : 0;
}

/* All zeros in global memory before; the box is stored, then added to itself. */
__device__ static void copied_clear(const test_params &p)
{
    uint32_t *words = reinterpret_cast<uint32_t *>(p.copied);
    for (uint32_t i = threadIdx.x; i < TENSOR_WORDS; i += 128)
        words[i] = 0;
    __threadfence();
    ww::fence_proxy_async_global();
    ww::fence_proxy_async_shared();
    __syncthreads();
}

__device__ static void copied_read(const test_params &p)
{
    if (threadIdx.x == 0) {
        ww::bulk_wait_group<0>();
        ww::fence_proxy_async_global();
        __threadfence();
    }
    __syncthreads();
    const volatile uint32_t *words = reinterpret_cast<const volatile uint32_t *>(p.copied);
    for (uint32_t i = threadIdx.x; i < TENSOR_WORDS; i += 128)
        p.out[i] = words[i];
}

template <int D> KERNEL(box_store_kernel)
{
    const uint32_t box = dynamic_smem();
    store_word(box + threadIdx.x * 4, threadIdx.x * 7 + 1);
    copied_clear(p);
    if (threadIdx.x == 0) {
        store_box<D>(p, box);
        ww::bulk_commit_group();
        ww::bulk_wait_group<0>();
        add_box<D>(p, box);
        ww::bulk_commit_group();
    }
    copied_read(p);
}

template <int D> static uint32_t box_store_expected(int word)
{
    for (int i = 0; i < BOX_WORDS; i++)
        if (box_word(D, i) == word)
            return static_cast<uint32_t>(2 * (i * 7 + 1));
    return 0;
}

/* ---- reductions of plain memory --------------------------------------------------------------------- */

/* Twice the same 128 words added to zeros: as u32, f32, two f16, two bf16, 128 words each. */
KERNEL(bulk_reduce_kernel)
{
    const uint32_t t = threadIdx.x, smem = dynamic_smem();
    const float f = static_cast<float>(t);
    store_word(smem + t * 4, t * 9);
    store_word(smem + 512 + t * 4, __float_as_uint(f));
    store_word(smem + 1024 + t * 4, ww::pack_f16(f, -f));
    store_word(smem + 1536 + t * 4, ww::pack_bf16(f, -f));
    copied_clear(p);
    for (int i = 0; i < 2 && t == 0; i++) {
        ww::bulk_reduce_add_u32(p.copied, smem, 512);
        ww::bulk_reduce_add_f32(p.copied + 256, smem + 512, 512);
        ww::bulk_reduce_add_f16(p.copied + 512, smem + 1024, 512);
        ww::bulk_reduce_add_bf16(p.copied + 768, smem + 1536, 512);
        ww::bulk_commit_group();
    }
    copied_read(p);
}

/* The bits of 2t in a float with `mantissa` bits and an exponent biased by `bias`; exact for t below 128. */
static uint32_t doubled_bits(int t, int mantissa, int bias)
{
    int exponent = 0;
    if (t == 0)
        return 0;
    while (2 * t >> (exponent + 1))
        exponent++;
    const uint32_t fraction = static_cast<uint32_t>(2 * t) << mantissa >> exponent; /* with the leading 1 */
    return (static_cast<uint32_t>(exponent + bias - 1) << mantissa) + fraction;
}

static uint32_t bulk_reduce_expected(int i)
{
    const int t = i % 128;
    if (i < 128)
        return static_cast<uint32_t>(2 * t * 9);
    if (i < 256)
        return doubled_bits(t, 23, 127);
    const uint32_t half = i < 384 ? doubled_bits(t, 10, 15) : doubled_bits(t, 7, 127);
    return half | (t ? half | 0x8000u : 0u) << 16;
}

/* ---- to a peer -------------------------------------------------------------------------------------- */

/* Two CTAs. Each arms its peer's barrier and stores 28 bytes there: words 0..6 of the output. */
__global__ void __launch_bounds__(128, 1) __cluster_dims__(2, 1, 1)
    st_async_kernel(const __grid_constant__ test_params p)
{
    const uint32_t barrier = barrier_new(1), rank = ww::cluster_rank(), peer = rank ^ 1, base = rank * 100;
    const uint32_t inbox = barrier + 1024;
    ww::cluster_arrive();
    ww::cluster_wait();
    if (threadIdx.x == 0) {
        const uint32_t remote = ww::cluster_map(inbox, peer), remote_barrier = ww::cluster_map(barrier, peer);
        ww::mbarrier_arrive_expect_tx_remote(barrier, 28, peer);
        ww::st_async_v4(remote, base, base + 1, base + 2, base + 3, remote_barrier);
        ww::st_async_b64(remote + 16, base + 4 + (static_cast<uint64_t>(base + 5) << 32), remote_barrier);
        ww::st_async_b32(remote + 24, base + 6, remote_barrier);
    }
    ww::mbarrier_wait_cluster(barrier, 0);
    if (threadIdx.x < 7)
        p.out[rank * 7 + threadIdx.x] = load_word(inbox + threadIdx.x * 4);
    ww::cluster_arrive();
    ww::cluster_wait();
}

static uint32_t st_async_expected(int i)
{
    return static_cast<uint32_t>((i / 7 ^ 1) * 100 + i % 7);
}

/* Four CTAs, two pairs: all arrive twice at their leaders. Word `rank`: whether its own barrier completed. */
__global__ void __launch_bounds__(128, 1) __cluster_dims__(4, 1, 1)
    pair_kernel(const __grid_constant__ test_params p)
{
    const uint32_t barrier = barrier_new(4), rank = ww::cluster_rank();
    ww::cluster_arrive();
    ww::cluster_wait();
    if (threadIdx.x == 0) {
        ww::mbarrier_arrive_pair_leader(barrier);
        ww::mbarrier_arrive_pair_leader_release(barrier);
    }
    ww::cluster_arrive();
    ww::cluster_wait();
    if (threadIdx.x == 0)
        p.out[rank] = ww::mbarrier_test_wait(barrier, 0);
}

static uint32_t pair_kernel_expected(int rank)
{
    return rank % 2 == 0;
}

#define BOX_TESTS(D)                                                                                         \
    {"tensor load " #D "d, hint, multicast", box_load_kernel<D>, box_load_expected<D>, 1024, 2},             \
    {                                                                                                        \
        "tensor store, add " #D "d", box_store_kernel<D>, box_store_expected<D>, TENSOR_WORDS, 1             \
    }

static const test copy_tests[] = {
    {"cp.async", cp_async_kernel, cp_async_expected, 1024, 1},
    BOX_TESTS(1),
    BOX_TESTS(2),
    BOX_TESTS(3),
    BOX_TESTS(4),
    BOX_TESTS(5),
    {"bulk reduce", bulk_reduce_kernel, bulk_reduce_expected, TENSOR_WORDS, 1},
    {"st.async, expect at a peer", st_async_kernel, st_async_expected, 14, 2},
    {"arrive at the pair's leader", pair_kernel, pair_kernel_expected, 4, 4},
};

#endif
