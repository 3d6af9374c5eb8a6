/* harness: what twin.cu and copies.cu share: kernels, whether of this program or of a CUBIN that warpwright made,
 * launched in one and the same way, and timing in turns. */
#ifndef HARNESS_CUH
#define HARNESS_CUH

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <cuda.h>
#include <cuda_runtime.h>

#include "ww/types.h"

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        const int status_ = static_cast<int>(call);                                                          \
        if (status_ != 0) {                                                                                  \
            std::fprintf(stderr, "%s:%d: %s = %d\n", __FILE__, __LINE__, #call, status_);                    \
            std::exit(1);                                                                                    \
        }                                                                                                    \
    } while (0)

namespace harness
{

/* ---- kernels ------------------------------------------------------------------------------------------- */

struct kernel {
    std::string name;
    CUfunction function;
    unsigned threads, shared_bytes; /* a block has */
};

inline kernel kernel_new(const char *name, CUfunction function, unsigned threads, unsigned shared_bytes)
{
    CHECK(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                             static_cast<int>(shared_bytes)));
    return {name, function, threads, shared_bytes};
}

/* A kernel of this program. */
inline kernel kernel_here(const char *name, const void *symbol, unsigned threads, unsigned shared_bytes)
{
    cudaFunction_t function;
    CHECK(cudaFree(nullptr)); /* there is a context */
    CHECK(cudaGetFuncBySymbol(&function, symbol));
    return kernel_new(name, function, threads, shared_bytes);
}

/* The kernel `symbol` of a file. */
inline kernel kernel_of_file(const char *name, const char *path, const char *symbol, unsigned threads,
                             unsigned shared_bytes)
{
    CUmodule module;
    CUfunction function;
    CHECK(cudaFree(nullptr)); /* likewise */
    CHECK(cuModuleLoad(&module, path));
    CHECK(cuModuleGetFunction(&function, module, symbol));
    return kernel_new(name, function, threads, shared_bytes);
}

/* The generated kernel, if the command line names it: CUBIN THREADS SHARED_BYTES. */
inline void kernel_of_arguments(std::vector<kernel> &kernels, int argc, char **argv, const char *symbol)
{
    if (argc == 1)
        return;
    if (argc != 4) {
        std::fprintf(stderr, "usage: %s [CUBIN THREADS SHARED_BYTES]\n", argv[0]);
        std::exit(2);
    }
    kernels.push_back(kernel_of_file("generated", argv[1], symbol,
                                     static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10)),
                                     static_cast<unsigned>(std::strtoul(argv[3], nullptr, 10))));
}

template <class P> void launch(const kernel &k, dim3 grid, const P &params)
{
    void *arguments[] = {const_cast<P *>(&params)};
    CHECK(cuLaunchKernel(k.function, grid.x, grid.y, grid.z, k.threads, 1, 1, k.shared_bytes, nullptr,
                         arguments, nullptr));
}

/* ---- tensor maps --------------------------------------------------------------------------------------- */

/* Of a row-major matrix of 16-bit elements; `pitch` elements from row to row. */
inline ww_tensor_map tensor_map(CUtensorMapDataType type, void *base, int columns, int rows, int pitch,
                                int box_columns, int box_rows, CUtensorMapSwizzle swizzle)
{
    const cuuint64_t extent[2] = {static_cast<cuuint64_t>(columns), static_cast<cuuint64_t>(rows)};
    const cuuint64_t stride[1] = {static_cast<cuuint64_t>(pitch) * 2};
    const cuuint32_t box[2] = {static_cast<cuuint32_t>(box_columns), static_cast<cuuint32_t>(box_rows)};
    const cuuint32_t step[2] = {1, 1};
    ww_tensor_map map;
    static_assert(sizeof(map) == sizeof(CUtensorMap), "a tensor map is 128 bytes");
    CHECK(cuTensorMapEncodeTiled(reinterpret_cast<CUtensorMap *>(&map), type, 2, base, extent, stride, box,
                                 step, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                                 CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
    return map;
}

/* ---- timing -------------------------------------------------------------------------------------------- */

struct turn {
    std::string name;
    std::function<void()> run;
    std::vector<double> ms; /* a round each */
};

inline double median(std::vector<double> v)
{
    std::nth_element(v.begin(), v.begin() + static_cast<long>(v.size() / 2), v.end());
    return v[v.size() / 2];
}

/* The median over the rounds of a's time by b's in the same round: a drifting clock meets both. */
inline double median_ratio(const turn &a, const turn &b)
{
    std::vector<double> ratios;
    for (size_t i = 0; i < a.ms.size(); i++)
        ratios.push_back(a.ms[i] / b.ms[i]);
    return median(ratios);
}

/* Keeps the GPU busy while the host prepares the launch that is timed, so that no host time is counted. */
static __global__ void hold(uint64_t nanoseconds)
{
    uint64_t begin, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (now - begin < nanoseconds);
}

/* The time of one launch, after a pause: back to back, big products heat the chip into its power limit. */
inline double time_once(cudaEvent_t begin, cudaEvent_t end, const std::function<void()> &run)
{
    float ms;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    hold<<<1, 1>>>(300000);
    CHECK(cudaEventRecord(begin));
    run();
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    return static_cast<double>(ms);
}

/* All in turns, each round beginning with the next one, so that all meet the same clock and the same caches. */
inline void time_in_turns(std::vector<turn> &turns, int rounds)
{
    const int warm_up = 3;
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    for (int round = 0; round < warm_up + rounds; round++)
        for (size_t i = 0; i < turns.size(); i++) {
            turn &t = turns[(i + static_cast<size_t>(round)) % turns.size()];
            const double ms = time_once(begin, end, t.run);
            if (round >= warm_up)
                t.ms.push_back(ms);
        }
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
}

inline const turn *turn_find(const std::vector<turn> &turns, const char *name)
{
    for (const turn &t : turns)
        if (t.name == name)
            return &t;
    return nullptr;
}

/* The figure that counts: how long the generated kernel takes, the twin taking 1. */
inline void print_ratio(const char *what, const std::vector<turn> &turns)
{
    const turn *generated = turn_find(turns, "generated"), *twin = turn_find(turns, "twin");
    if (generated && twin)
        std::printf("RATIO %-28s generated / twin = %.4f (of medians %.4f)\n", what,
                    median_ratio(*generated, *twin), median(generated->ms) / median(twin->ms));
}

} // namespace harness

#endif
