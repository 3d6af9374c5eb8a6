/* twin: checks the hand-written GEMM and times it beside cuBLAS, and the generated GEMM beside both.
 *
 *     twin [CUBIN THREADS SHARED_BYTES]      the generated gemm; run.sh finds these and builds this
 *
 * Every shape is first checked on integers, where fp32 accumulation is exact and every element of D must equal
 * cuBLAS's, and on normal data, against cuBLAS and against rows accumulated in fp64 on the host. Twin and
 * generated kernel must agree in every bit: they add in the same order. Then all run in turns on normal data,
 * each launch between its own pair of events; medians are printed.
 *
 *     nvcc -gencode=arch=compute_90a,code=sm_90a -std=c++17 -O3 -Idevice -Iexamples/04_gemm
 *         bench/twin/twin.cu bench/twin/gemm_twin.cu -lcublas -lcuda -o twin */
#include "harness.cuh"

#include <cmath>
#include <cstring>

#include <cublas_v2.h>
#include <cuda_bf16.h>

#include "gemm_params.h"

extern "C" __global__ void gemm_twin(gemm_params);

using harness::kernel;
using harness::turn;

enum : unsigned {
    TWIN_THREADS = 384,
    TWIN_SHARED_BYTES = GEMM_STAGES * (GEMM_STAGE_BYTES + 16) + 2 * GEMM_STAGING_BYTES,
};

struct shape {
    int m, n, k;
    int pitch; /* elements between rows of D */
};

/* ---- data ---------------------------------------------------------------------------------------------- */

__device__ static uint32_t hash32(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ (x >> 16);
}

/* Standard normal numbers, or integers from -2 to 1. */
__global__ void fill(__nv_bfloat16 *to, size_t count, uint32_t seed, bool integers)
{
    for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < count;
         i += size_t{gridDim.x} * blockDim.x) {
        const uint32_t h = hash32(static_cast<uint32_t>(i) * 2 + seed), g = hash32(h ^ 0x9e3779b9u);
        if (integers) {
            to[i] = __float2bfloat16(static_cast<float>(h >> 30) - 2.0f);
            continue;
        }
        const float u = (static_cast<float>(h >> 8) + 1.0f) * 0x1p-24f,
                    v = static_cast<float>(g >> 8) * 0x1p-24f;
        to[i] = __float2bfloat16(sqrtf(-2.0f * logf(u)) * cospif(2.0f * v));
    }
}

struct problem {
    shape s;
    __nv_bfloat16 *a, *b, *d;
    size_t d_count;
};

static problem problem_new(shape s)
{
    problem p = {s, nullptr, nullptr, nullptr, static_cast<size_t>(s.m) * s.pitch};
    CHECK(cudaMalloc(&p.a, sizeof(*p.a) * s.m * s.k));
    CHECK(cudaMalloc(&p.b, sizeof(*p.b) * s.n * s.k));
    CHECK(cudaMalloc(&p.d, sizeof(*p.d) * p.d_count));
    return p;
}

static void problem_fill(const problem &p, bool integers)
{
    fill<<<1024, 256>>>(p.a, static_cast<size_t>(p.s.m) * p.s.k, 1, integers);
    fill<<<1024, 256>>>(p.b, static_cast<size_t>(p.s.n) * p.s.k, 77777, integers);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}

static void problem_free(const problem &p)
{
    CHECK(cudaFree(p.a));
    CHECK(cudaFree(p.b));
    CHECK(cudaFree(p.d));
}

/* ---- launching ----------------------------------------------------------------------------------------- */

static ww_tensor_map map_of(void *base, int columns, int rows, int pitch, int box_rows)
{
    return harness::tensor_map(CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, base, columns, rows, pitch, GEMM_TILE_K,
                               box_rows, CU_TENSOR_MAP_SWIZZLE_128B);
}

static int tiles_of(int extent, int tile)
{
    return (extent + tile - 1) / tile;
}

static gemm_params params_of(const problem &p)
{
    const shape &s = p.s;
    gemm_params to = {};
    to.a = map_of(p.a, s.k, s.m, s.k, GEMM_TILE_M);
    to.b = map_of(p.b, s.k, s.n, s.k, GEMM_TILE_N);
    to.d = map_of(p.d, s.n, s.m, s.pitch, 64);
    to.m = s.m, to.n = s.n, to.k = s.k;
    to.k_tiles = tiles_of(s.k, GEMM_TILE_K);
    to.tiles_m = tiles_of(s.m, GEMM_TILE_M);
    to.tiles_n = tiles_of(s.n, GEMM_TILE_N);
    return to;
}

static int multiprocessors()
{
    int count;
    CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
    return count;
}

static std::function<void()> gemm(const kernel &k, const problem &p)
{
    const gemm_params params = params_of(p);
    const int ctas = std::min(params.tiles_m * params.tiles_n, multiprocessors());
    return [=] { harness::launch(k, dim3(1, 1, static_cast<unsigned>(ctas)), params); };
}

static std::function<void()> cublas(cublasHandle_t handle, const problem &p)
{
    return [=] {
        const float one = 1.0f, zero = 0.0f;
        CHECK(cublasGemmEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, p.s.n, p.s.m, p.s.k, &one, p.b, CUDA_R_16BF,
                           p.s.k, p.a, CUDA_R_16BF, p.s.k, &zero, p.d, CUDA_R_16BF, p.s.pitch,
                           CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
    };
}

/* The kernels, then cuBLAS. */
static std::vector<turn> turns_of(const std::vector<kernel> &kernels, cublasHandle_t handle, const problem &p)
{
    std::vector<turn> turns;
    for (const kernel &k : kernels)
        turns.push_back({k.name, gemm(k, p), {}});
    turns.push_back({"cuBLAS", cublas(handle, p), {}});
    return turns;
}

/* ---- checking ------------------------------------------------------------------------------------------ */

using elements = std::vector<__nv_bfloat16>;

static elements to_host(const __nv_bfloat16 *from, size_t count)
{
    elements host(count);
    CHECK(cudaMemcpy(host.data(), from, count * sizeof(*from), cudaMemcpyDeviceToHost));
    return host;
}

/* D as this one leaves it, NaN at first: every element must be written. */
static elements result_of(const turn &t, const problem &p)
{
    CHECK(cudaMemset(p.d, 0xff, p.d_count * sizeof(*p.d)));
    t.run();
    CHECK(cudaDeviceSynchronize());
    return to_host(p.d, p.d_count);
}

static uint16_t bits(__nv_bfloat16 x)
{
    uint16_t b;
    std::memcpy(&b, &x, 2);
    return b;
}

/* The largest |D - exact| over some rows, in units of the error allowed: bf16 rounding plus fp32
 * accumulation. */
static double error_of_rows(const problem &p, const elements &d)
{
    const shape &s = p.s;
    const int rows[] = {0, s.m / 2 + 5 < s.m ? s.m / 2 + 5 : 0, s.m - 1};
    const elements b = to_host(p.b, static_cast<size_t>(s.n) * s.k);
    std::vector<float> bf(b.size());
    for (size_t i = 0; i < b.size(); i++)
        bf[i] = __bfloat162float(b[i]);
    double worst = 0;
    for (int row : rows) {
        const elements a = to_host(p.a + static_cast<size_t>(row) * s.k, static_cast<size_t>(s.k));
        std::vector<float> af(a.size());
        for (size_t i = 0; i < a.size(); i++)
            af[i] = __bfloat162float(a[i]);
        for (int col = 0; col < s.n; col++) {
            double sum = 0;
            for (int i = 0; i < s.k; i++)
                sum += static_cast<double>(af[i]) * bf[static_cast<size_t>(col) * s.k + i];
            const double got = __bfloat162float(d[static_cast<size_t>(row) * s.pitch + col]);
            const double error = std::fabs(got - sum) / (std::fabs(sum) * 0x1p-8 + std::sqrt(s.k) * 1e-4);
            worst = error <= worst ? worst : error; /* a NaN sticks */
        }
    }
    return worst;
}

struct difference {
    size_t unequal, touched; /* elements of D, elements of its rows' padding */
    double relative;
};

/* TMA clips its stores by units of 16 bytes: the padding that shares the last unit of a row is written too. */
static difference compare(const shape &s, const elements &d, const elements &reference)
{
    difference found = {0, 0, 0};
    double sum = 0, norm = 0;
    for (size_t i = 0; i < d.size(); i++) {
        const int col = static_cast<int>(i % static_cast<size_t>(s.pitch));
        if (col >= s.n) {
            found.touched += col >= (s.n + 7) / 8 * 8 && bits(d[i]) != 0xffff;
            continue;
        }
        const uint16_t x = bits(d[i]), y = bits(reference[i]);
        found.unequal += x != y && ((x | y) & 0x7fff) != 0; /* -0 = 0 */
        const double a = __bfloat162float(d[i]), b = __bfloat162float(reference[i]);
        sum += (a - b) * (a - b);
        norm += b * b;
    }
    found.relative = std::sqrt(sum / (norm + 1e-30));
    return found;
}

/* All kernels on one kind of data, against cuBLAS, the last turn, and against the first. */
static bool check(const std::vector<turn> &turns, const problem &p, bool integers)
{
    problem_fill(p, integers);
    bool all_right = true;
    elements first;
    const elements reference = result_of(turns.back(), p);
    for (size_t i = 0; i + 1 < turns.size(); i++) {
        const elements d = result_of(turns[i], p);
        const difference found = compare(p.s, d, reference);
        const double worst = error_of_rows(p, d);
        if (i == 0)
            first = d;
        const bool same = std::memcmp(first.data(), d.data(), d.size() * sizeof d[0]) == 0;
        const bool right = same && found.touched == 0 && worst <= 1.0 &&
                           (integers ? found.unequal == 0 : found.relative < 4e-3);
        all_right &= right;
        std::printf("%s %4d x %4d x %4d  %-10s %-8s unequal to cuBLAS %zu, relative %.2e, fp64 rows %.3f of "
                    "the tolerance, padding touched %zu%s\n",
                    right ? "ok  " : "FAIL", p.s.m, p.s.n, p.s.k, turns[i].name.c_str(),
                    integers ? "integers" : "normal", found.unequal, found.relative, worst, found.touched,
                    same ? "" : ", unequal to the twin");
    }
    return all_right;
}

/* ---- timing -------------------------------------------------------------------------------------------- */

static void time_all(std::vector<turn> &turns, const problem &p)
{
    const shape &s = p.s;
    char what[64];
    (void)std::snprintf(what, sizeof what, "gemm %d x %d x %d", s.m, s.n, s.k);
    problem_fill(p, false);
    harness::time_in_turns(turns, 101);
    for (const turn &t : turns)
        std::printf("     %4d x %4d x %4d  %-10s %.4f ms, %.1f TFLOP/s, %.3f of cuBLAS's speed\n", s.m, s.n,
                    s.k, t.name.c_str(), harness::median(t.ms),
                    2e-9 * s.m * s.n * s.k / harness::median(t.ms),
                    1 / harness::median_ratio(t, turns.back()));
    harness::print_ratio(what, turns);
}

int main(int argc, char **argv)
{
    std::vector<kernel> kernels = {harness::kernel_here("twin", reinterpret_cast<const void *>(gemm_twin),
                                                        TWIN_THREADS, TWIN_SHARED_BYTES)};
    harness::kernel_of_arguments(kernels, argc, argv, "gemm");
    cublasHandle_t handle;
    CHECK(cublasCreate(&handle));
    bool right = true;
    for (shape s : {shape{1, 1, 8, 16}, shape{129, 257, 72, 272}, shape{1797, 1300, 328, 1304},
                    shape{3001, 2531, 1096, 2544}, shape{4096, 4096, 4096, 4096}}) {
        const problem p = problem_new(s);
        for (bool integers : {true, false})
            right &= check(turns_of(kernels, handle, p), p, integers);
        problem_free(p);
    }
    if (!right)
        return 1;
    for (shape s : {shape{4096, 4096, 4096, 4096}, shape{8192, 8192, 1024, 8192},
                    shape{8192, 8192, 8192, 8192}, shape{3001, 2531, 1096, 2544}}) {
        const problem p = problem_new(s);
        std::vector<turn> turns = turns_of(kernels, handle, p);
        time_all(turns, p);
        problem_free(p);
    }
    CHECK(cublasDestroy(handle));
    return 0;
}
