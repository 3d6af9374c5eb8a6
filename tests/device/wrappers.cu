/* wrappers: every instruction wrapper does on the GPU what its comment says.
 *
 * Each test is a small kernel that fills an array of words, and a function that says what word i must be.
 * Inputs are small integers, so that every expected value is exact. Prints a line a test; exit 0 if all hold.
 *
 *     nvcc -gencode=arch=compute_90a,code=sm_90a -std=c++17 -Idevice tests/device/wrappers.cu -o wrappers */
#include "wrapper_test.cuh"
#include "wrappers_copies.cuh"
#include "wrappers_mma.cuh"

/* ---- warp ------------------------------------------------------------------------------------------- */

/* Word t: lane, warp, and 1 << 16 in the one elected lane. Warps 2 and 3 wait for what 0 and 1 wrote. */
KERNEL(warp_kernel)
{
    const uint32_t smem = dynamic_smem();
    const int warp = ww::warp_index(), lane = ww::lane_index();
    p.out[threadIdx.x] = static_cast<uint32_t>(lane | warp << 8 | (ww::elect_one() ? 1 << 16 : 0));
    if (warp < 2) {
        store_word(smem + threadIdx.x * 4, threadIdx.x + 1000);
        ww::named_barrier_arrive(3, 128);
    } else {
        ww::named_barrier_sync(3, 128);
        p.out[128 + threadIdx.x - 64] = load_word(smem + (threadIdx.x - 64) * 4);
    }
    ww::syncwarp();
}

static uint32_t warp_expected(int i)
{
    if (i >= 128)
        return static_cast<uint32_t>(1000 + i - 128);
    return static_cast<uint32_t>(i % 32 | i / 32 << 8 | (i % 32 == 0 ? 1 << 16 : 0));
}

/* ---- mbarrier --------------------------------------------------------------------------------------- */

/* Parities of a fresh barrier, after 128 arrivals, and after a second phase of bytes alone. */
KERNEL(mbarrier_kernel)
{
    const uint32_t barrier = barrier_new(128);
    if (threadIdx.x == 0) {
        p.out[0] = ww::mbarrier_try_wait(barrier, 1);
        p.out[1] = ww::mbarrier_try_wait(barrier, 0);
    }
    __syncthreads();
    ww::mbarrier_arrive(barrier);
    ww::mbarrier_wait(barrier, 0);
    if (threadIdx.x == 0) {
        p.out[2] = ww::mbarrier_try_wait(barrier, 0);
        p.out[3] = ww::mbarrier_try_wait_cluster(barrier, 1);
        ww::mbarrier_expect_tx(barrier, 256);
        ww::bulk_load(barrier + 1024, p.global, 256, barrier);
    }
    ww::mbarrier_arrive(barrier);
    ww::mbarrier_wait_cluster(barrier, 1);
    if (threadIdx.x < 64)
        p.out[4 + threadIdx.x] = load_word(barrier + 1024 + threadIdx.x * 4);
    __syncthreads();
    if (threadIdx.x == 0)
        ww::mbarrier_inval(barrier);
}

static uint32_t mbarrier_expected(int i)
{
    static const uint32_t parities[] = {1, 0, 1, 0};
    return i < 4 ? parities[i] : static_cast<uint32_t>((i - 4) * 2 | ((i - 4) * 2 + 1) << 16);
}

/* ---- tma -------------------------------------------------------------------------------------------- */

/* Two boxes of 8 rows by TMA, with and without a policy; word i of the tensor found through swizzle_128. */
KERNEL(tensor_load_kernel)
{
    const uint32_t barrier = barrier_new(1), box = barrier + 1024;
    if (threadIdx.x < 32 && ww::elect_one()) {
        ww::prefetch_tensor_map(&p.rows);
        ww::mbarrier_arrive_expect_tx(barrier, 2048);
        ww::tensor_load_2d(box, &p.rows, barrier, 0, 0);
        ww::tensor_load_2d_hint(box + 1024, &p.rows, barrier, 0, 8, ww::policy_evict_first());
    }
    ww::mbarrier_wait(barrier, 0);
    for (uint32_t i = threadIdx.x; i < 512; i += 128)
        p.out[i] = load_word(box + ww::swizzle_128(i * 4));
}

/* Shared memory written by threads, stored by TMA and by a bulk copy, read back from global memory. */
KERNEL(store_kernel)
{
    const uint32_t box = dynamic_smem();
    for (uint32_t i = threadIdx.x; i < 256; i += 128) {
        store_word(box + ww::swizzle_128(i * 4), i * 3);
        store_word(box + 1024 + i * 4, i * 5);
    }
    ww::fence_proxy_async_shared();
    __syncthreads();
    if (threadIdx.x < 32 && ww::elect_one()) {
        ww::tensor_store_2d(&p.copied_rows, box, 0, 0);
        ww::bulk_commit_group();
        ww::bulk_wait_group_read<0>();
        ww::bulk_store(p.copied + 512, box + 1024, 1024);
        ww::bulk_commit_group();
        ww::bulk_wait_group<0>();
        ww::fence_proxy_async_global();
        __threadfence();
    }
    __syncthreads();
    const volatile uint32_t *words = reinterpret_cast<const volatile uint32_t *>(p.copied);
    for (uint32_t i = threadIdx.x; i < 512; i += 128)
        p.out[i] = words[i];
}

static uint32_t store_expected(int i)
{
    return static_cast<uint32_t>(i < 256 ? i * 3 : (i - 256) * 5);
}

/* ---- matrix ----------------------------------------------------------------------------------------- */

/* Four 8x8 matrices: register i of lane l holds 100 i + l; words 0..127 are the shared image, 128..255 what
 * ldmatrix returns, then 128-bit accesses and the two roundings. */
KERNEL(matrix_kernel)
{
    const uint32_t smem = dynamic_smem(), lane = threadIdx.x;
    if (lane >= 32)
        return;
    uint32_t r[4];
    ww::stmatrix_x4(smem + lane * 16, lane, 100 + lane, 200 + lane, 300 + lane);
    ww::syncwarp();
    for (uint32_t i = 0; i < 4; i++)
        p.out[i * 32 + lane] = load_word(smem + (i * 32 + lane) * 4);
    ww::ldmatrix_x4(smem + lane * 16, r[0], r[1], r[2], r[3]);
    for (uint32_t i = 0; i < 4; i++)
        p.out[128 + i * 32 + lane] = r[i];
    const ww::vector_128 v = ww::load_shared_128(smem + lane * 16);
    ww::store_global_128(p.out + 256 + lane * 4, v);
    const ww::vector_128 g = ww::load_global_128(p.global + lane * 8);
    ww::store_shared_128(smem + 2048 + lane * 16, g);
    p.out[384 + lane] = load_word(smem + 2048 + lane * 16);
    p.out[416 + lane] = ww::load_shared_16(smem + 2048 + lane * 16 + 2);
    p.out[448 + lane] = ww::pack_bf16(static_cast<float>(lane), 1.0f);
    p.out[480 + lane] = ww::pack_f16(static_cast<float>(lane), 1.0f);
}

/* The top 16 bits of a small integer's float, and its half. */
static uint32_t bits_bf16(int x)
{
    const float f = static_cast<float>(x);
    uint32_t bits;
    __builtin_memcpy(&bits, &f, 4);
    return bits >> 16;
}

static uint32_t bits_f16(int x)
{
    const uint32_t magnitude = static_cast<uint32_t>(x < 0 ? -x : x), sign = x < 0 ? 0x8000u : 0u;
    uint32_t exponent = 0;
    if (magnitude == 0)
        return 0;
    while (magnitude >> (exponent + 1))
        exponent++;
    return sign | (exponent + 15) << 10 | ((magnitude << (10 - exponent)) & 0x3ffu);
}

static uint32_t matrix_expected(int i)
{
    const uint32_t u = static_cast<uint32_t>(i), image = u % 128 / 32 * 100 + u % 32;
    if (i < 384)
        return image;
    if (i < 416)
        return pair_expected((i - 384) * 4);
    if (i < 448)
        return (u - 416) * 8 + 1;
    return i < 480 ? bits_bf16(i - 448) | 0x3f800000u : bits_f16(i - 480) | 0x3c000000u;
}

/* ---- cluster ---------------------------------------------------------------------------------------- */

/* Two CTAs. Each sends its peer 256 bytes and two arrivals, and half of a multicast tensor box to both. */
__global__ void __launch_bounds__(128, 1) __cluster_dims__(2, 1, 1)
    cluster_kernel(const __grid_constant__ test_params p)
{
    const uint32_t barrier = barrier_new(3), rank = ww::cluster_rank(), peer = rank ^ 1;
    const uint32_t outbox = barrier + 1024, inbox = barrier + 2048, box = barrier + 3072;
    uint32_t *out = p.out + rank * 512;
    if (threadIdx.x < 64)
        store_word(outbox + threadIdx.x * 4, rank * 1000 + threadIdx.x);
    ww::fence_proxy_async_shared();
    ww::cluster_arrive();
    ww::cluster_wait();
    if (threadIdx.x == 0) {
        ww::mbarrier_arrive_expect_tx(barrier, 256 + 2048);
        ww::bulk_copy_to_peer(ww::cluster_map(inbox, peer), outbox, 256, ww::cluster_map(barrier, peer));
        ww::tensor_load_2d_multicast(box + rank * 1024, &p.rows, barrier, 0, static_cast<int>(rank) * 8, 3);
        ww::mbarrier_arrive_remote(barrier, peer);
        ww::mbarrier_arrive_remote_release(barrier, peer);
        out[0] = rank;
        out[1] = ww::cluster_size();
    }
    ww::mbarrier_wait_cluster(barrier, 0);
    if (threadIdx.x < 64)
        out[2 + threadIdx.x] = load_word(inbox + threadIdx.x * 4);
    for (uint32_t i = threadIdx.x; i < 256; i += 128)
        out[66 + i] = load_word(box + ww::swizzle_128(i * 8)); /* every second word of both halves */
    for (uint32_t i = 322 + threadIdx.x; i < 512; i += 128)
        out[i] = 0;
    ww::cluster_arrive_relaxed();
    ww::cluster_wait();
}

static uint32_t cluster_expected(int i)
{
    const int rank = i / 512, word = i % 512;
    if (word < 2)
        return static_cast<uint32_t>(word == 0 ? rank : 2);
    if (word < 66)
        return static_cast<uint32_t>((rank ^ 1) * 1000 + word - 2);
    return word < 322 ? pair_expected((word - 66) * 2) : 0;
}

/* ---- the rest --------------------------------------------------------------------------------------- */

/* Launched without dependence, both are no-ops; setmaxnreg keeps values; the queue steps through its tiles.
 */
KERNEL(rest_kernel)
{
    ww::griddepcontrol_wait();
    uint32_t value = threadIdx.x * 3;
    asm volatile("" : "+r"(value));
    ww::setmaxnreg_dec<40>();
    ww::setmaxnreg_inc<64>();
    p.out[threadIdx.x] = value;
    ww::griddepcontrol_launch_dependents();
    if (threadIdx.x == 0) {
        uint32_t i = 0;
        ww::static_queue q = ww::static_queue_make(5, 3, 1, 1, 1, 1, 1);
        for (ww_tile tile = q.first(); tile.valid; tile = q.next())
            p.out[128 + i++] = static_cast<uint32_t>(tile.m + 100 * tile.n);
        p.out[128 + i] = i;
    }
}

static uint32_t rest_expected(int i)
{
    if (i < 128)
        return static_cast<uint32_t>(i * 3);
    return i - 128 < 15 ? static_cast<uint32_t>((i - 128) % 5 + 100 * ((i - 128) / 5)) : 15;
}

/* ---- running ---------------------------------------------------------------------------------------- */

static const test tests[] = {
    {"warp", warp_kernel, warp_expected, 192, 1},
    {"mbarrier", mbarrier_kernel, mbarrier_expected, 68, 1},
    {"tensor load", tensor_load_kernel, pair_expected, 512, 1},
    {"tensor and bulk store", store_kernel, store_expected, 512, 1},
    {"matrix", matrix_kernel, matrix_expected, 512, 1},
    {"cluster", cluster_kernel, cluster_expected, 1024, 2},
    {"pdl, setmaxnreg, queue", rest_kernel, rest_expected, 144, 1},
};

/* The driver's cuTensorMapEncodeTiled, without linking to it. */
static decltype(&cuTensorMapEncodeTiled) encoder()
{
    decltype(&cuTensorMapEncodeTiled) encode = nullptr;
    cudaDriverEntryPointQueryResult found;
    if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", reinterpret_cast<void **>(&encode), 12000,
                                         cudaEnableDefault, &found) != cudaSuccess)
        return nullptr;
    return encode;
}

/* 16 rows of 64 elements, swizzled. */
static bool map_rows(ww_tensor_map *map, uint16_t *base)
{
    const cuuint64_t extent[2] = {64, 16}, stride[1] = {128};
    const cuuint32_t box[2] = {64, 8}, step[2] = {1, 1};
    return encoder()(reinterpret_cast<CUtensorMap *>(map), CU_TENSOR_MAP_DATA_TYPE_UINT16, 2, base, extent,
                     stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                     CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

/* 512 words in the shape for so many dimensions. */
static bool map_words(ww_tensor_map *map, uint16_t *base, int dimensions)
{
    const shape &s = shapes[dimensions - 1];
    cuuint64_t extent[5], stride[5], bytes = 4;
    cuuint32_t box[5], step[5];
    for (int i = 0; i < dimensions; i++) {
        extent[i] = static_cast<cuuint64_t>(s.extent[i]);
        box[i] = static_cast<cuuint32_t>(s.box[i]);
        step[i] = 1;
        stride[i] = bytes *= extent[i];
    }
    return encoder()(reinterpret_cast<CUtensorMap *>(map), CU_TENSOR_MAP_DATA_TYPE_UINT32,
                     static_cast<cuuint32_t>(dimensions), base, extent, stride, box, step,
                     CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                     CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

static bool maps_make(test_params *p)
{
    bool made = encoder() && map_rows(&p->rows, p->global) && map_rows(&p->copied_rows, p->copied);
    for (int i = 1; i <= 5 && made; i++)
        made = map_words(&p->boxes[i - 1], p->global, i) && map_words(&p->copied_boxes[i - 1], p->copied, i);
    return made;
}

static bool test_run(const test &t, const test_params &p)
{
    const int smem = 48 * 1024;
    cudaMemset(p.out, 0xee, WORDS * sizeof(uint32_t));
    t.kernel<<<t.ctas, 128, smem>>>(p);
    std::vector<uint32_t> out(WORDS);
    const cudaError_t status =
        cudaMemcpy(out.data(), p.out, WORDS * sizeof(uint32_t), cudaMemcpyDeviceToHost);
    if (status != cudaSuccess) {
        std::printf("FAIL %s: %s\n", t.name, cudaGetErrorString(status));
        return false;
    }
    for (int i = 0; i < t.words; i++)
        if (out[static_cast<size_t>(i)] != t.expected(i)) {
            std::printf("FAIL %s: word %d is %#x, not %#x\n", t.name, i, out[static_cast<size_t>(i)],
                        t.expected(i));
            return false;
        }
    std::printf("ok   %s\n", t.name);
    return true;
}

int main()
{
    test_params p = {};
    std::vector<uint16_t> elements(16 * 64);
    for (size_t i = 0; i < elements.size(); i++)
        elements[i] = static_cast<uint16_t>(i);
    const size_t bytes = elements.size() * sizeof(uint16_t);
    if (cudaMalloc(&p.out, WORDS * sizeof(uint32_t)) || cudaMalloc(&p.global, bytes) ||
        cudaMalloc(&p.copied, bytes)) {
        std::printf("skipped: no GPU\n");
        return 77;
    }
    cudaMemcpy(p.global, elements.data(), bytes, cudaMemcpyHostToDevice);
    if (!maps_make(&p))
        return 1;
    bool right = true;
    for (const test &t : tests)
        right &= test_run(t, p);
    for (const test &t : copy_tests)
        right &= test_run(t, p);
    for (const test &t : mma_tests)
        right &= test_run(t, p);
    return right ? 0 : 1;
}
