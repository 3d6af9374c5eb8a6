/* copies: checks the three copy twins bit for bit and times them beside cudaMemcpyAsync on one GPU.
 *
 *     nvcc -gencode=arch=compute_90a,code=sm_90a -std=c++17 -O3 -Idevice -Iexamples/01_grid_stride_copy
 *         -Iexamples/02_tma_copy -Iexamples/03_persistent_copy bench/twin/copies.cu
 *         bench/twin/grid_stride_twin.cu bench/twin/tma_copy_twin.cu bench/twin/persistent_copy_twin.cu
 *         -o copies */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda.h>
#include <cuda_runtime.h>

#include "grid_stride_params.h"
#include "persistent_copy_params.h"
#include "tma_copy_params.h"

extern "C" __global__ void grid_stride_twin(grid_stride_params);
extern "C" __global__ void tma_copy_twin(tma_copy_params);
extern "C" __global__ void persistent_copy_twin(persistent_copy_params);

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        const int status_ = static_cast<int>(call);                                                          \
        if (status_ != 0) {                                                                                  \
            std::fprintf(stderr, "%s:%d: %s = %d\n", __FILE__, __LINE__, #call, status_);                    \
            std::exit(1);                                                                                    \
        }                                                                                                    \
    } while (0)

struct matrix {
    int rows, cols;
    uint16_t *from, *to;
};

static size_t matrix_bytes(const matrix &m)
{
    return static_cast<size_t>(m.rows) * m.cols * sizeof(uint16_t);
}

/* A matrix of all 65536 bit patterns in turn, and a poisoned copy. */
static matrix matrix_new(int rows, int cols)
{
    matrix m = {rows, cols, nullptr, nullptr};
    std::vector<uint16_t> host(static_cast<size_t>(rows) * cols);
    for (size_t i = 0; i < host.size(); i++)
        host[i] = static_cast<uint16_t>(i * 40503u + (i >> 16));
    CHECK(cudaMalloc(&m.from, matrix_bytes(m)));
    CHECK(cudaMalloc(&m.to, matrix_bytes(m)));
    CHECK(cudaMemcpy(m.from, host.data(), matrix_bytes(m), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(m.to, 0xa5, matrix_bytes(m)));
    return m;
}

static bool matrix_equal(const matrix &m)
{
    std::vector<uint16_t> a(matrix_bytes(m) / 2), b(a.size());
    CHECK(cudaMemcpy(a.data(), m.from, matrix_bytes(m), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(b.data(), m.to, matrix_bytes(m), cudaMemcpyDeviceToHost));
    return a == b;
}

static ww_tensor_map row_map(const matrix &m)
{
    decltype(&cuTensorMapEncodeTiled) encode;
    cudaDriverEntryPointQueryResult found;
    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", reinterpret_cast<void **>(&encode),
                                           12000, cudaEnableDefault, &found));
    const cuuint64_t extent[2] = {static_cast<cuuint64_t>(m.cols), static_cast<cuuint64_t>(m.rows)};
    const cuuint64_t stride[1] = {static_cast<cuuint64_t>(m.cols) * 2};
    const cuuint32_t box[2] = {TMA_COPY_COLUMNS, 1}, step[2] = {1, 1};
    ww_tensor_map map;
    CHECK(encode(reinterpret_cast<CUtensorMap *>(&map), CU_TENSOR_MAP_DATA_TYPE_UINT16, 2, m.from, extent,
                 stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                 CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
    return map;
}

static void grid_stride(const matrix &m)
{
    const grid_stride_params p = {reinterpret_cast<int16_t *>(m.from), reinterpret_cast<int16_t *>(m.to),
                                  m.rows * m.cols};
    grid_stride_twin<<<1056, 256>>>(p);
}

static void tma_copy(const matrix &m)
{
    const tma_copy_params p = {row_map(m), m.to, m.rows, m.cols, m.cols};
    const int strips = (m.cols + TMA_COPY_COLUMNS - 1) / TMA_COPY_COLUMNS;
    tma_copy_twin<<<strips, 160, 8 * (TMA_COPY_ROW_BYTES + 16)>>>(p);
}

static void persistent_copy(const matrix &m)
{
    const int strips = (m.cols + PERSISTENT_COPY_COLUMNS - 1) / PERSISTENT_COPY_COLUMNS;
    const persistent_copy_params p = {m.from, m.to, m.rows, m.cols, strips + 4, strips};
    persistent_copy_twin<<<dim3(1, 1, std::min(strips + 4, 1056)), 128>>>(p);
}

static void memcpy_async(const matrix &m)
{
    CHECK(cudaMemcpyAsync(m.to, m.from, matrix_bytes(m), cudaMemcpyDeviceToDevice));
}

struct copier {
    const char *name;
    void (*run)(const matrix &);
};

static const copier copiers[] = {{"grid stride", grid_stride},
                                 {"TMA", tma_copy},
                                 {"persistent, skipping", persistent_copy},
                                 {"cudaMemcpyAsync", memcpy_async}};

static float median_ms(const copier &c, const matrix &m)
{
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    std::vector<float> times;
    for (int i = 0; i < 15; i++) {
        float ms;
        CHECK(cudaEventRecord(begin));
        c.run(m);
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        times.push_back(ms);
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

int main()
{
    bool right = true;
    const int sizes[][2] = {{1, 128}, {3, 128}, {256, 512}, {77, 1000}, {2048, 132 * 1024}};
    for (const auto &size : sizes)
        for (const copier &c : copiers) {
            const matrix m = matrix_new(size[0], size[1]);
            c.run(m);
            CHECK(cudaDeviceSynchronize());
            const bool equal = matrix_equal(m);
            right &= equal;
            std::printf("%s %5d x %6d  %-22s", equal ? "ok  " : "FAIL", m.rows, m.cols, c.name);
            if (matrix_bytes(m) > 100000000) {
                const float ms = median_ms(c, m);
                std::printf(" %.3f ms, %.0f GB/s read and written", static_cast<double>(ms),
                            2e-6 * static_cast<double>(matrix_bytes(m)) / static_cast<double>(ms));
            }
            std::printf("\n");
            CHECK(cudaFree(m.from));
            CHECK(cudaFree(m.to));
        }
    return right ? 0 : 1;
}
