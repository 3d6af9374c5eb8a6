/* twin: checks and times the hand-written gemm twins against cuBLAS on one GPU.
 *
 * Every shape is first checked on integers, where fp32 accumulation is exact and every element of D must
 * equal cuBLAS's, and on normal data, against cuBLAS and against rows accumulated in fp64 on the host. Then
 * all settings and cuBLAS run in turns on normal data, each launch between its own pair of events; medians
 * are printed: of each variant's fastest setting, or with the argument `all` of every one.
 *
 *     nvcc -gencode=arch=compute_90a,code=sm_90a -std=c++17 -O3 -Idevice -Iexamples/04_gemm
 *         bench/twin/twin.cu -lcublas -o twin */
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include <cublas_v2.h>
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#define TWIN_KERNEL gemm_same_iteration
#define TWIN_LAG 0
#include "gemm_twin.cu"
#undef TWIN_KERNEL
#undef TWIN_LAG
#define TWIN_KERNEL gemm_lag_one
#define TWIN_LAG 1
#include "gemm_twin.cu"
#undef TWIN_KERNEL
#define TWIN_KERNEL gemm_cluster_lag_one
#include "gemm_twin_cluster.cu"
#undef TWIN_LAG

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        const int status_ = static_cast<int>(call);                                                          \
        if (status_ != 0) {                                                                                  \
            std::fprintf(stderr, "%s:%d: %s = %d (%s)\n", __FILE__, __LINE__, #call, status_,                \
                         cudaGetErrorString(cudaGetLastError()));                                            \
            std::exit(1);                                                                                    \
        }                                                                                                    \
    } while (0)

struct shape {
    int m, n, k;
    int pitch; /* elements between rows of D */
};

struct variant {
    const char *name;
    void (*kernel)(gemm_params);
    int cluster; /* CTAs in a cluster, along m */
};

struct setting {
    const variant *v;
    int swizzle, raster_along_m;
    CUtensorMapL2promotion promotion;
};

static const variant variants[] = {
    {"same-iteration", gemm_same_iteration, 1},
    {"lag-one", gemm_lag_one, 1},
    {"cluster 2x1, lag-one", gemm_cluster_lag_one, 2},
};

/* ---- data ------------------------------------------------------------------------------------------- */

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
    __nv_bfloat16 *a, *b, *d, *reference;
    size_t d_count;
};

static problem problem_new(shape s)
{
    problem p = {s, nullptr, nullptr, nullptr, nullptr, static_cast<size_t>(s.m) * s.pitch};
    CHECK(cudaMalloc(&p.a, sizeof(*p.a) * s.m * s.k));
    CHECK(cudaMalloc(&p.b, sizeof(*p.b) * s.n * s.k));
    CHECK(cudaMalloc(&p.d, sizeof(*p.d) * p.d_count));
    CHECK(cudaMalloc(&p.reference, sizeof(*p.d) * p.d_count));
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
    CHECK(cudaFree(p.reference));
}

/* ---- launching ---------------------------------------------------------------------------------------- */

static ww_tensor_map tensor_map(void *base, int inner, int outer, int pitch, int box_inner, int box_outer,
                                CUtensorMapL2promotion promotion)
{
    static decltype(&cuTensorMapEncodeTiled) encode;
    if (!encode) {
        cudaDriverEntryPointQueryResult found;
        CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", reinterpret_cast<void **>(&encode),
                                               12000, cudaEnableDefault, &found));
        CHECK(found != cudaDriverEntryPointSuccess);
    }
    const cuuint64_t extent[2] = {static_cast<cuuint64_t>(inner), static_cast<cuuint64_t>(outer)};
    const cuuint64_t stride[1] = {static_cast<cuuint64_t>(pitch) * 2};
    const cuuint32_t box[2] = {static_cast<cuuint32_t>(box_inner), static_cast<cuuint32_t>(box_outer)};
    const cuuint32_t step[2] = {1, 1};
    ww_tensor_map map;
    static_assert(sizeof(map) == sizeof(CUtensorMap), "a tensor map is 128 bytes");
    CHECK(encode(reinterpret_cast<CUtensorMap *>(&map), CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, base, extent,
                 stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, promotion,
                 CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
    return map;
}

struct launch {
    void (*kernel)(gemm_params);
    dim3 grid;
    gemm_params params;
};

static int multiprocessors()
{
    int count;
    CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
    return count;
}

static launch launch_prepare(const problem &p, const setting &t)
{
    const shape &s = p.s;
    launch l = {t.v->kernel, {}, {}};
    l.params.a = tensor_map(p.a, s.k, s.m, s.k, GEMM_TILE_K, GEMM_TILE_M, t.promotion);
    l.params.b = tensor_map(p.b, s.k, s.n, s.k, GEMM_TILE_K, GEMM_TILE_N / t.v->cluster, t.promotion);
    l.params.d = tensor_map(p.d, s.n, s.m, s.pitch, GEMM_CHUNK_N, 64, t.promotion);
    l.params.m = s.m, l.params.n = s.n, l.params.k = s.k;
    l.params.k_tiles = ww::ceil_div(s.k, GEMM_TILE_K);
    l.params.tiles_m = ww::ceil_div(s.m, GEMM_TILE_M);
    l.params.tiles_n = ww::ceil_div(s.n, GEMM_TILE_N);
    l.params.swizzle = t.swizzle;
    l.params.raster_along_m = t.raster_along_m;
    const int total = ww::static_queue_total(ww::static_queue_over(
        l.params.tiles_m, l.params.tiles_n, 1, t.v->cluster, 1, t.swizzle, t.raster_along_m));
    l.grid = dim3(t.v->cluster, 1, std::min(total, multiprocessors() / t.v->cluster));
    CHECK(cudaFuncSetAttribute(l.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, twin::SMEM_BYTES));
    return l;
}

static void launch_run(const launch &l)
{
    l.kernel<<<l.grid, 384, twin::SMEM_BYTES>>>(l.params);
}

static void cublas_run(cublasHandle_t handle, const problem &p)
{
    const float one = 1.0f, zero = 0.0f;
    CHECK(cublasGemmEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, p.s.n, p.s.m, p.s.k, &one, p.b, CUDA_R_16BF, p.s.k,
                       p.a, CUDA_R_16BF, p.s.k, &zero, p.reference, CUDA_R_16BF, p.s.pitch,
                       CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
}

/* ---- checking ---------------------------------------------------------------------------------------- */

static std::vector<__nv_bfloat16> to_host(const __nv_bfloat16 *from, size_t count)
{
    std::vector<__nv_bfloat16> host(count);
    CHECK(cudaMemcpy(host.data(), from, count * sizeof(*from), cudaMemcpyDeviceToHost));
    return host;
}

/* The largest |D - exact| over some rows, in units of the error allowed: bf16 rounding plus fp32
 * accumulation. */
static double error_of_rows(const problem &p, const std::vector<__nv_bfloat16> &d)
{
    const shape &s = p.s;
    const int rows[] = {0, s.m / 2 + 5 < s.m ? s.m / 2 + 5 : 0, s.m - 1};
    const std::vector<__nv_bfloat16> b = to_host(p.b, static_cast<size_t>(s.n) * s.k);
    std::vector<float> bf(b.size());
    for (size_t i = 0; i < b.size(); i++)
        bf[i] = __bfloat162float(b[i]);
    double worst = 0;
    for (int row : rows) {
        const std::vector<__nv_bfloat16> a = to_host(p.a + static_cast<size_t>(row) * s.k, s.k);
        std::vector<float> af(s.k);
        for (int i = 0; i < s.k; i++)
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

/* Runs one setting on one kind of data; true if D is right and the padding of its rows untouched. (TMA clips
 * its stores by units of 16 bytes: elements that share the last unit with the end of a row are written too.)
 */
static bool check(cublasHandle_t handle, const problem &p, const setting &t, bool integers)
{
    problem_fill(p, integers);
    CHECK(cudaMemset(p.d, 0xff, p.d_count * sizeof(*p.d))); /* NaN: every element must be written */
    CHECK(cudaMemset(p.reference, 0xff, p.d_count * sizeof(*p.d)));
    launch_run(launch_prepare(p, t));
    cublas_run(handle, p);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    const std::vector<__nv_bfloat16> d = to_host(p.d, p.d_count), r = to_host(p.reference, p.d_count);
    size_t unequal = 0, touched = 0;
    double difference = 0, norm = 0;
    for (size_t i = 0; i < p.d_count; i++) {
        const bool inside = static_cast<int>(i % p.s.pitch) < p.s.n;
        uint16_t bits[2];
        std::memcpy(&bits[0], &d[i], 2);
        std::memcpy(&bits[1], &r[i], 2);
        touched += static_cast<int>(i % p.s.pitch) >= (p.s.n + 7) / 8 * 8 && bits[0] != 0xffff;
        if (!inside)
            continue;
        unequal += bits[0] != bits[1] && ((bits[0] | bits[1]) & 0x7fff) != 0; /* -0 = 0 */
        const double x = __bfloat162float(d[i]), y = __bfloat162float(r[i]);
        difference += (x - y) * (x - y);
        norm += y * y;
    }
    const double relative = std::sqrt(difference / (norm + 1e-30)), worst = error_of_rows(p, d);
    const bool right = touched == 0 && worst <= 1.0 && (integers ? unequal == 0 : relative < 4e-3);
    std::printf("%s %5d x %5d x %5d  %-22s swizzle %2d along %c  %-8s unequal to cuBLAS %zu, relative %.2e, "
                "fp64 rows %.3f of the tolerance, padding touched %zu\n",
                right ? "ok  " : "FAIL", p.s.m, p.s.n, p.s.k, t.v->name, t.swizzle,
                t.raster_along_m ? 'm' : 'n', integers ? "integers" : "normal", unequal, relative, worst,
                touched);
    return right;
}

/* ---- timing ------------------------------------------------------------------------------------------- */

struct timing {
    std::vector<double> twin_ms; /* one a setting */
    double cublas_ms;
};

static double median(std::vector<float> &v)
{
    std::nth_element(v.begin(), v.begin() + static_cast<long>(v.size() / 2), v.end());
    return v[v.size() / 2];
}

/* Keeps the GPU busy while the host prepares the launch that is timed, so that no host time is counted. */
__global__ void hold(uint64_t nanoseconds)
{
    uint64_t begin, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (now - begin < nanoseconds);
}

/* The time of one launch, after a pause: back to back, big products heat the chip into its power limit. */
template <class F> static float time_once(cudaEvent_t begin, cudaEvent_t end, int pause_ms, F run)
{
    float ms;
    std::this_thread::sleep_for(std::chrono::milliseconds(pause_ms));
    hold<<<1, 1>>>(300000);
    CHECK(cudaEventRecord(begin));
    run();
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    return ms;
}

/* All settings and cuBLAS in turns, so that all meet the same clock; medians. */
static timing time_settings(cublasHandle_t handle, const problem &p, const std::vector<setting> &settings,
                            int rounds, int pause_ms)
{
    std::vector<launch> launches;
    for (const setting &t : settings)
        launches.push_back(launch_prepare(p, t));
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    const size_t turns = settings.size() + 1; /* the last is cuBLAS */
    std::vector<std::vector<float>> times(turns);
    for (int round = -2; round < rounds; round++)
        for (size_t i = 0; i < turns; i++) {
            const size_t turn = (i + static_cast<size_t>(round + 2)) % turns;
            const float ms = time_once(begin, end, pause_ms, [&] {
                turn < settings.size() ? launch_run(launches[turn]) : cublas_run(handle, p);
            });
            if (round >= 0)
                times[turn].push_back(ms);
        }
    CHECK(cudaGetLastError());
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    timing result;
    for (size_t i = 0; i < settings.size(); i++)
        result.twin_ms.push_back(median(times[i]));
    result.cublas_ms = median(times.back());
    return result;
}

static void print_setting(const problem &p, const setting &t, double ms, double cublas_ms)
{
    static const char *const promotions[] = {"none", "64", "128", "256"};
    std::printf("    %-20s swizzle %2d along %c promotion %-4s %9.4f ms %6.1f TFLOP/s  ratio %.3f\n",
                t.v->name, t.swizzle, t.raster_along_m ? 'm' : 'n', promotions[t.promotion], ms,
                2e-9 * p.s.m * p.s.n * p.s.k / ms, cublas_ms / ms);
}

/* The fastest setting of each variant, or all settings. */
static void print_timing(const problem &p, const std::vector<setting> &settings, const timing &t,
                         const char *how, bool all)
{
    std::printf("%d x %d x %d, %s: cuBLAS %.4f ms, %.1f TFLOP/s\n", p.s.m, p.s.n, p.s.k, how, t.cublas_ms,
                2e-9 * p.s.m * p.s.n * p.s.k / t.cublas_ms);
    for (const variant &v : variants) {
        size_t best = settings.size();
        for (size_t i = 0; i < settings.size(); i++) {
            if (settings[i].v != &v)
                continue;
            if (best == settings.size() || t.twin_ms[i] < t.twin_ms[best])
                best = i;
            if (all)
                print_setting(p, settings[i], t.twin_ms[i], t.cublas_ms);
        }
        if (!all)
            print_setting(p, settings[best], t.twin_ms[best], t.cublas_ms);
    }
}

/* Every tile order of every variant, and the promotions of one order. */
static std::vector<setting> sweep_settings()
{
    std::vector<setting> settings;
    for (const variant &v : variants) {
        for (int raster_along_m : {1, 0})
            for (int swizzle : {1, 4, 8, 16})
                settings.push_back({&v, swizzle, raster_along_m, CU_TENSOR_MAP_L2_PROMOTION_L2_128B});
        settings.push_back({&v, 8, 1, CU_TENSOR_MAP_L2_PROMOTION_NONE});
        settings.push_back({&v, 8, 1, CU_TENSOR_MAP_L2_PROMOTION_L2_256B});
    }
    return settings;
}

int main(int argc, char **argv)
{
    const bool all = argc > 1 && std::strcmp(argv[1], "all") == 0;
    const shape shapes[] = {{4096, 4096, 4096, 4096},
                            {8192, 8192, 8192, 8192},
                            {8192, 8192, 1024, 8192},
                            {3001, 2531, 1096, 2544}};
    cublasHandle_t handle;
    CHECK(cublasCreate(&handle));
    bool right = true;
    for (shape s : {shape{1, 1, 8, 16}, shape{129, 257, 72, 272}, shape{3001, 2531, 1096, 2544},
                    shape{4096, 4096, 4096, 4096}}) {
        const problem p = problem_new(s);
        for (const variant &v : variants)
            for (bool integers : {true, false})
                right &= check(handle, p, {&v, 8, 1, CU_TENSOR_MAP_L2_PROMOTION_L2_128B}, integers);
        right &= check(handle, p, {&variants[0], 4, 0, CU_TENSOR_MAP_L2_PROMOTION_L2_128B}, true);
        problem_free(p);
    }
    if (!right)
        return 1;
    for (shape s : shapes) {
        const problem p = problem_new(s);
        const std::vector<setting> settings = sweep_settings();
        problem_fill(p, false);
        print_timing(p, settings, time_settings(handle, p, settings, 21, 0), "back to back", all);
        print_timing(p, settings, time_settings(handle, p, settings, 11, 5), "5 ms apart", all);
        problem_free(p);
    }
    CHECK(cublasDestroy(handle));
    return 0;
}
