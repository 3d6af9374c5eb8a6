/* copies: checks the copy twins bit for bit and times them beside cudaMemcpyAsync, and the generated TMA copy
 * beside its twin.
 *
 *     copies [CUBIN THREADS SHARED_BYTES]      the generated tma_copy; run.sh finds these and builds this
 *
 *     nvcc -gencode=arch=compute_90a,code=sm_90a -std=c++17 -O3 -Idevice -Iexamples/01_grid_stride_copy
 *         -Iexamples/02_tma_copy -Iexamples/03_persistent_copy bench/twin/copies.cu
 *         bench/twin/grid_stride_twin.cu bench/twin/tma_copy_twin.cu bench/twin/persistent_copy_twin.cu
 *         -lcuda -o copies */
#include "harness.cuh"

#include "grid_stride_params.h"
#include "persistent_copy_params.h"
#include "tma_copy_params.h"

extern "C" __global__ void grid_stride_twin(grid_stride_params);
extern "C" __global__ void tma_copy_twin(tma_copy_params);
extern "C" __global__ void persistent_copy_twin(persistent_copy_params);

using harness::kernel;
using harness::launch;
using harness::turn;

enum : unsigned {
    GRID_STRIDE_THREADS = 256,
    TMA_COPY_THREADS = 160,
    TMA_COPY_STAGES = 4,
    TMA_COPY_SHARED_BYTES = TMA_COPY_STAGES * (TMA_COPY_ROW_BYTES + 16),
    MANY_CTAS = 1056, /* 8 a multiprocessor of an H200 */
};

/* ---- data ---------------------------------------------------------------------------------------------- */

struct matrix {
    int rows, cols;
    uint16_t *from, *to;
};

static size_t matrix_bytes(const matrix &m)
{
    return static_cast<size_t>(m.rows) * m.cols * sizeof(uint16_t);
}

/* A matrix of all 65536 bit patterns in turn. */
static matrix matrix_new(int rows, int cols)
{
    matrix m = {rows, cols, nullptr, nullptr};
    std::vector<uint16_t> host(static_cast<size_t>(rows) * cols);
    for (size_t i = 0; i < host.size(); i++)
        host[i] = static_cast<uint16_t>(i * 40503u + (i >> 16));
    CHECK(cudaMalloc(&m.from, matrix_bytes(m)));
    CHECK(cudaMalloc(&m.to, matrix_bytes(m)));
    CHECK(cudaMemcpy(m.from, host.data(), matrix_bytes(m), cudaMemcpyHostToDevice));
    return m;
}

static void matrix_free(const matrix &m)
{
    CHECK(cudaFree(m.from));
    CHECK(cudaFree(m.to));
}

/* ---- copiers ------------------------------------------------------------------------------------------- */

static int strips_of(const matrix &m, int columns)
{
    return (m.cols + columns - 1) / columns;
}

static std::function<void()> grid_stride(const kernel &k, const matrix &m)
{
    const grid_stride_params p = {reinterpret_cast<int16_t *>(m.from), reinterpret_cast<int16_t *>(m.to),
                                  m.rows * m.cols};
    return [=] { launch(k, MANY_CTAS, p); };
}

static std::function<void()> tma_copy(const kernel &k, const matrix &m)
{
    const tma_copy_params p = {harness::tensor_map(CU_TENSOR_MAP_DATA_TYPE_UINT16, m.from, m.cols, m.rows,
                                                   m.cols, TMA_COPY_COLUMNS, 1, CU_TENSOR_MAP_SWIZZLE_NONE),
                               m.to, m.rows, m.cols, m.cols};
    const unsigned strips = static_cast<unsigned>(strips_of(m, TMA_COPY_COLUMNS));
    return [=] { launch(k, strips, p); };
}

static std::function<void()> persistent_copy(const kernel &k, const matrix &m)
{
    const int strips = strips_of(m, PERSISTENT_COPY_COLUMNS);
    const persistent_copy_params p = {m.from, m.to, m.rows, m.cols, strips + 4, strips};
    const unsigned ctas = std::min(static_cast<unsigned>(strips) + 4, unsigned{MANY_CTAS});
    return [=] { launch(k, dim3(1, 1, ctas), p); };
}

static std::vector<turn> turns_of(const std::vector<kernel> &tma_copies, const matrix &m)
{
    static const kernel strides = harness::kernel_here(
        "twin of grid_stride_copy", reinterpret_cast<const void *>(grid_stride_twin), GRID_STRIDE_THREADS, 0);
    static const kernel persistent =
        harness::kernel_here("twin of persistent_copy", reinterpret_cast<const void *>(persistent_copy_twin),
                             PERSISTENT_COPY_COLUMNS, 0);
    std::vector<turn> turns;
    for (const kernel &k : tma_copies)
        turns.push_back({k.name, tma_copy(k, m), {}});
    turns.push_back({strides.name, grid_stride(strides, m), {}});
    turns.push_back({persistent.name, persistent_copy(persistent, m), {}});
    turns.push_back({"cudaMemcpyAsync",
                     [=] { CHECK(cudaMemcpyAsync(m.to, m.from, matrix_bytes(m), cudaMemcpyDeviceToDevice)); },
                     {}});
    return turns;
}

/* ---- checking, timing ---------------------------------------------------------------------------------- */

static bool check(const turn &t, const matrix &m)
{
    std::vector<uint16_t> from(matrix_bytes(m) / 2), to(from.size());
    CHECK(cudaMemset(m.to, 0xa5, matrix_bytes(m)));
    t.run();
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(from.data(), m.from, matrix_bytes(m), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(to.data(), m.to, matrix_bytes(m), cudaMemcpyDeviceToHost));
    std::printf("%s %5d x %6d  %s\n", from == to ? "ok  " : "FAIL", m.rows, m.cols, t.name.c_str());
    return from == to;
}

static void time_all(std::vector<turn> &turns, const matrix &m)
{
    char what[64];
    (void)std::snprintf(what, sizeof what, "tma_copy %d x %d", m.rows, m.cols);
    harness::time_in_turns(turns, 101);
    for (const turn &t : turns)
        std::printf("     %5d x %6d  %-26s %.4f ms, %.0f GB/s read and written\n", m.rows, m.cols,
                    t.name.c_str(), harness::median(t.ms),
                    2e-6 * static_cast<double>(matrix_bytes(m)) / harness::median(t.ms));
    harness::print_ratio(what, turns);
}

int main(int argc, char **argv)
{
    std::vector<kernel> tma_copies = {harness::kernel_here(
        "twin", reinterpret_cast<const void *>(tma_copy_twin), TMA_COPY_THREADS, TMA_COPY_SHARED_BYTES)};
    harness::kernel_of_arguments(tma_copies, argc, argv, "tma_copy");
    bool right = true;
    const int sizes[][2] = {{1, 128}, {3, 128}, {256, 512}, {77, 1000}, {4096, 65536}, {2048, 132 * 1024}};
    for (const auto &size : sizes) {
        const matrix m = matrix_new(size[0], size[1]);
        std::vector<turn> turns = turns_of(tma_copies, m);
        for (const turn &t : turns)
            right &= check(t, m);
        if (right && matrix_bytes(m) > 100000000)
            time_all(turns, m);
        matrix_free(m);
    }
    return right ? 0 : 1;
}
