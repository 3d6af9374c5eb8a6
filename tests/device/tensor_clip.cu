/* tensor_clip: what TMA does at the edge of a tensor whose rows do not end on 16 bytes, on real hardware.
 *
 * A row of 5 bf16 in a pitch of 16, two rows; the box is 16 x 2. Memory holds 1, 2, 3 .. in every element,
 * inside the tensor or not. The load is printed as it lands in shared memory; then shared memory is set to
 * 101, 102 .. and stored over the same tensor, and all of its memory is printed. */
#include <cstdint>
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>

#include "ww/ww.cuh"

struct clip_params {
    ww_tensor_map map;
    uint16_t *loaded;
    int store;
};

__global__ void clip(const __grid_constant__ clip_params params)
{
    __shared__ __align__(128) uint16_t box[64];
    __shared__ __align__(8) uint64_t barrier;
    const uint32_t smem = ww::shared_address(box), bar = ww::shared_address(&barrier);
    for (int i = 0; i < 2; i++)
        box[threadIdx.x * 2 + i] = static_cast<uint16_t>(101 + threadIdx.x * 2 + i);
    ww::fence_proxy_async_shared();
    ww::mbarrier_init(bar, 32);
    ww::fence_mbarrier_init();
    __syncthreads();
    if (params.store) {
        if (ww::elect_one()) {
            ww::tensor_store_2d(&params.map, smem, 0, 0);
            ww::bulk_commit_group();
            ww::bulk_wait_group<0>();
        }
        return;
    }
    if (ww::elect_one()) {
        ww::mbarrier_expect_tx(bar, 64);
        ww::tensor_load_2d(smem, &params.map, bar, 0, 0);
    }
    ww::mbarrier_arrive(bar);
    ww::mbarrier_wait(bar, 0);
    params.loaded[threadIdx.x] = box[threadIdx.x];
}

static void print(const char *what, const uint16_t *device)
{
    uint16_t host[32];
    cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost);
    std::printf("%s:", what);
    for (int i = 0; i < 32; i++)
        std::printf("%s%3d", i == 16 ? " |" : " ", host[i]);
    std::printf("\n");
}

int main()
{
    decltype(&cuTensorMapEncodeTiled) encode;
    cudaDriverEntryPointQueryResult found;
    if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", reinterpret_cast<void **>(&encode), 12000,
                                         cudaEnableDefault, &found))
        return 1;
    for (int inner = 1; inner <= 13; inner += 4) {
        uint16_t host[32], *memory;
        for (int i = 0; i < 32; i++)
            host[i] = static_cast<uint16_t>(i + 1);
        clip_params p = {};
        cudaMalloc(&memory, sizeof(host));
        cudaMalloc(&p.loaded, sizeof(host));
        cudaMemcpy(memory, host, sizeof(host), cudaMemcpyHostToDevice);
        const cuuint64_t extent[2] = {static_cast<cuuint64_t>(inner), 2}, stride[1] = {32};
        const cuuint32_t box[2] = {16, 2}, step[2] = {1, 1};
        if (encode(reinterpret_cast<CUtensorMap *>(&p.map), CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, memory,
                   extent, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                   CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
            return 1;
        std::printf("rows of %d elements\n", inner);
        clip<<<1, 32>>>(p);
        print("  loaded", p.loaded);
        p.store = 1;
        clip<<<1, 32>>>(p);
        print("  stored", memory);
        if (cudaDeviceSynchronize())
            return 1;
    }
    return 0;
}
