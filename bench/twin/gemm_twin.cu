/* gemm_twin: the GEMM of examples/04_gemm as one writes it by hand for Hopper, in plain CUDA.
 *
 *     warp 0          load: fills a ring of A and B tiles by TMA
 *     warps 1 to 3    nothing; they give their registers away
 *     warps 4 to 11   math: two warpgroups, each 64 x 256 of the tile by wgmma, stored by TMA
 *
 * Persistent: the grid is (1, 1, CTAs), and CTA z works on tiles z, z + CTAs, ... What synchronises:
 *
 *     full[s]       1 arrival, of the load warp, which announces the stage's bytes; TMA counts them
 *     empty[s]      8 arrivals, one a math warp
 *     bar 1, bar 2  the four warps of a math warpgroup, around each chunk that they stage for the store
 *
 * The load warp may leave while tiles are still under way: a CTA's shared memory lives until its last thread
 * ends, and the math warps end only after they have waited for every stage. (Their last releases find nobody
 * waiting; the barriers are there all the same.) The staging of D is another matter: TMA reads it after the
 * math warps have nothing more to do, so that whoever issued the stores waits until they have been read.
 *
 * Everything is in this file but the parameter struct, which the host shares. Quoted names are section titles
 * of the PTX ISA. */
#include "gemm_params.h"

namespace
{

enum : uint32_t {
    STAGES = GEMM_STAGES,
    MATH_WARPS = 4 * GEMM_WARPGROUPS,
    THREADS = 128 + 32 * MATH_WARPS,
    BAND = 8, /* rows of tiles that CTAs work on side by side, so that their operands stay in L2 */
    /* shared memory: ring of A, ring of B, staging of D, full barriers, empty barriers */
    RING_A = 0,
    RING_B = RING_A + STAGES * GEMM_A_BYTES,
    STAGING = RING_B + STAGES * GEMM_B_BYTES,
    FULL = STAGING + 2 * GEMM_STAGING_BYTES,
    EMPTY = FULL + 8 * STAGES,
};

enum { SUMS = GEMM_TILE_N / 2 /* a thread */, LOAD_REGISTERS = 40, MATH_REGISTERS = 232 };

/* True in one lane of a converged warp, always the same one ("elect.sync"). */
__device__ __forceinline__ bool elect_one()
{
    uint32_t elected;
    asm volatile("{\n\t"
                 ".reg .pred p;\n\t"
                 "elect.sync _|p, 0xffffffff;\n\t"
                 "selp.u32 %0, 1, 0, p;\n\t"
                 "}"
                 : "=r"(elected)
                 :
                 : "memory");
    return elected != 0;
}

/* ---- mbarriers ("mbarrier.init", "mbarrier.arrive", "mbarrier.test_wait, .try_wait") ------------------- */

__device__ __forceinline__ void barrier_init(uint32_t barrier, uint32_t arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" : : "r"(barrier), "r"(arrivals) : "memory");
}

/* Initialised barriers become visible to TMA ("membar, fence"). */
__device__ __forceinline__ void barrier_init_fence()
{
    asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory");
}

__device__ __forceinline__ void barrier_arrive(uint32_t barrier)
{
    asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" : : "r"(barrier) : "memory");
}

__device__ __forceinline__ void barrier_expect_bytes(uint32_t barrier, uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;"
                 :
                 : "r"(barrier), "r"(bytes)
                 : "memory");
}

/* Whether the phase of this parity is over; suspends the thread for a while if it is not. */
__device__ __forceinline__ bool barrier_try(uint32_t barrier, uint32_t parity)
{
    uint32_t over;
    asm volatile("{\n\t"
                 ".reg .pred p;\n\t"
                 "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%1], %2;\n\t"
                 "selp.u32 %0, 1, 0, p;\n\t"
                 "}"
                 : "=r"(over)
                 : "r"(barrier), "r"(parity)
                 : "memory");
    return over != 0;
}

/* In a ring that runs ahead the first look nearly always succeeds; the loop stands aside. */
__device__ __forceinline__ void barrier_wait(uint32_t barrier, uint32_t parity)
{
    if (barrier_try(barrier, parity))
        return;
    while (!barrier_try(barrier, parity)) {
    }
}

/* ---- TMA ("prefetch, prefetchu", "cp.async.bulk.tensor", "cp.async.bulk.wait_group") ------------------- */

__device__ __forceinline__ void prefetch_map(const ww_tensor_map *map)
{
    asm volatile("prefetch.tensormap [%0];" : : "l"(map) : "memory");
}

/* The box at (x, y) into shared memory, its bytes counted on the barrier. */
__device__ __forceinline__ void load_box(uint32_t to, const ww_tensor_map *map, uint32_t barrier, int x,
                                         int y)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%3, %4}], [%2];"
                 :
                 : "r"(to), "l"(map), "r"(barrier), "r"(x), "r"(y)
                 : "memory");
}

/* The box at (x, y) from shared memory, a group of its own. */
__device__ __forceinline__ void store_box(const ww_tensor_map *map, uint32_t from, int x, int y)
{
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%1, {%2, %3}], [%0];\n\t"
                 "cp.async.bulk.commit_group;"
                 :
                 : "r"(from), "l"(map), "r"(x), "r"(y)
                 : "memory");
}

/* All but the N newest stores of this thread have read their source. */
template <int N> __device__ __forceinline__ void stores_read()
{
    asm volatile("cp.async.bulk.wait_group.read %0;" : : "n"(N) : "memory");
}

/* What this thread wrote to shared memory becomes visible to TMA ("membar, fence"). */
__device__ __forceinline__ void fence_for_tma()
{
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
}

/* ---- the warpgroup ----------------------------------------------------------------------------------- */

/* ("setmaxnreg") */
template <int N> __device__ __forceinline__ void registers_give()
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" : : "n"(N));
}

template <int N> __device__ __forceinline__ void registers_take()
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" : : "n"(N));
}

/* ("bar, barrier") */
__device__ __forceinline__ void warpgroup_sync(uint32_t warpgroup)
{
    asm volatile("bar.sync %0, 128;" : : "r"(1 + warpgroup) : "memory");
}

/* Four 8x8 matrices; lane 8i + r has the address of row r of matrix i ("stmatrix"). */
__device__ __forceinline__ void store_matrices(uint32_t to, const uint32_t (&r)[4])
{
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};"
                 :
                 : "r"(to), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
                 : "memory");
}

/* Two sums rounded to bf16, the first at the lower address ("cvt"). */
__device__ __forceinline__ uint32_t round_pair(float first, float second)
{
    uint32_t pair;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
    return pair;
}

/* ---- wgmma ("wgmma.fence", "wgmma.mma_async", "wgmma.commit_group", "wgmma.wait_group") ---------------- */

/* An operand with K innermost in rows of 128 bytes, swizzled: layout 1, eight rows every 1024 bytes ("Matrix
 * Descriptor Format"). */
__device__ __forceinline__ uint64_t operand(uint32_t address)
{
    return (1ull << 62) | (uint64_t{1024 >> 4} << 32) | (1ull << 16) | ((address & 0x3ffff) >> 4);
}

#define SUMS_8(i)                                                                                            \
    "+f"(d[i]), "+f"(d[(i) + 1]), "+f"(d[(i) + 2]), "+f"(d[(i) + 3]), "+f"(d[(i) + 4]), "+f"(d[(i) + 5]),    \
        "+f"(d[(i) + 6]), "+f"(d[(i) + 7])
#define SUMS_32(i) SUMS_8(i), SUMS_8((i) + 8), SUMS_8((i) + 16), SUMS_8((i) + 24)

/* d = a b^T, plus the old d where `add` is not 0: 64 x 256 over 16 of K. */
__device__ __forceinline__ void multiply(float (&d)[SUMS], uint64_t a, uint64_t b, int add)
{
    asm volatile(
        "{\n\t"
        ".reg .pred p;\n\t"
        "setp.ne.b32 p, %130, 0;\n\t"
        "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
        "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
        "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
        "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
        "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
        "}, %128, %129, p, 1, 1, 0, 0;\n\t"
        "}"
        : SUMS_32(0), SUMS_32(32), SUMS_32(64), SUMS_32(96)
        : "l"(a), "l"(b), "r"(add)
        : "memory");
}

#undef SUMS_8
#undef SUMS_32

__device__ __forceinline__ void multiply_begin()
{
    asm volatile("wgmma.fence.sync.aligned;" : : : "memory");
}

__device__ __forceinline__ void multiply_end()
{
    asm volatile("wgmma.commit_group.sync.aligned;\n\t"
                 "wgmma.wait_group.sync.aligned 0;"
                 :
                 :
                 : "memory");
}

/* Keeps the compiler from using the sums before they are there: it sees no tie between them and the wait. */
__device__ __forceinline__ void sums_are_ready(float (&d)[SUMS])
{
#pragma unroll
    for (int i = 0; i < SUMS; i++)
        asm volatile("" : "+f"(d[i]) : : "memory");
}

/* ---- where in the ring, where in D ------------------------------------------------------------------- */

/* A place in the ring and the parity of the phase to wait for there. */
struct place {
    uint32_t stage, parity;

    __device__ __forceinline__ void advance()
    {
        stage = stage == STAGES - 1 ? 0 : stage + 1;
        parity ^= stage == 0;
    }
};

struct corner {
    int m, n;
};

__device__ __forceinline__ uint32_t tiles(const gemm_params &p)
{
    return static_cast<uint32_t>(p.tiles_m * p.tiles_n);
}

/* The corner of a tile: bands of BAND rows of tiles, column by column in a band. The last band may be narrower. */
__device__ __forceinline__ corner corner_of(const gemm_params &p, uint32_t tile)
{
    const uint32_t whole_band = BAND * p.tiles_n;
    const uint32_t first = tile / whole_band * BAND, within = tile % whole_band;
    const uint32_t rows = min(BAND, p.tiles_m - first);
    return {static_cast<int>((first + within % rows) * GEMM_TILE_M),
            static_cast<int>(within / rows * GEMM_TILE_N)};
}

/* ---- the two roles ----------------------------------------------------------------------------------- */

/* Parity 1: of a fresh barrier the phase before the first counts as over, so that all stages are free. */
__device__ __forceinline__ void load(const gemm_params &p, uint32_t smem)
{
    place at = {0, 1};
    if (elect_one()) {
        prefetch_map(&p.a);
        prefetch_map(&p.b);
    }
#pragma unroll 1
    for (uint32_t tile = blockIdx.z; tile < tiles(p); tile += gridDim.z) {
        const corner c = corner_of(p, tile);
#pragma unroll 1
        for (int k = 0; k < p.k_tiles; k++) {
            const uint32_t full = smem + FULL + 8 * at.stage, empty = smem + EMPTY + 8 * at.stage;
            barrier_wait(empty, at.parity);
            if (elect_one()) {
                barrier_expect_bytes(full, GEMM_STAGE_BYTES);
                load_box(smem + RING_A + GEMM_A_BYTES * at.stage, &p.a, full, k * GEMM_TILE_K, c.m);
                load_box(smem + RING_B + GEMM_B_BYTES * at.stage, &p.b, full, k * GEMM_TILE_K, c.n);
            }
            at.advance();
        }
    }
}

/* One stage: four steps of 16 along K, 32 bytes from one to the next. While this warpgroup waits for its own,
 * the other one keeps the tensor core busy. */
__device__ __forceinline__ void multiply_stage(float (&d)[SUMS], uint64_t a, uint64_t b, bool add)
{
    multiply_begin();
#pragma unroll
    for (int step = 0; step < GEMM_TILE_K / 16; step++)
        multiply(d, a + 2 * step, b + 2 * step, step > 0 || add);
    multiply_end();
}

/* A warp's 16 rows of a chunk of 64 columns, swizzled as TMA reads them: matrix i of a stmatrix is rows
 * 8 (i % 2) and columns 8 (i / 2) onwards, so that lane l addresses row l % 16. No bank conflicts. */
__device__ __forceinline__ void stage_chunk(uint32_t to, const float *d)
{
    const uint32_t lane = threadIdx.x % 32, row = threadIdx.x % 128 / 32 * 16 + lane % 16, half = lane / 16;
#pragma unroll
    for (uint32_t j = 0; j < GEMM_CHUNK_N / 16; j++, d += 8) {
        const uint32_t pairs[4] = {round_pair(d[0], d[1]), round_pair(d[2], d[3]), round_pair(d[4], d[5]),
                                   round_pair(d[6], d[7])};
        store_matrices(to + row * 128 + (((2 * j + half) ^ (row & 7)) << 4), pairs);
    }
}

/* This warpgroup's 64 x 256 of D in chunks, through two buffers in turn. The first barrier of a chunk says that
 * its buffer may be overwritten, the second that it is full. */
__device__ __forceinline__ void store_tile(const gemm_params &p, uint32_t staging, const float (&d)[SUMS],
                                           uint32_t warpgroup, bool issuer, corner c)
{
#pragma unroll
    for (int chunk = 0; chunk < GEMM_TILE_N / GEMM_CHUNK_N; chunk++) {
        const uint32_t buffer = staging + chunk % 2 * GEMM_CHUNK_BYTES;
        if (issuer)
            stores_read<1>();
        warpgroup_sync(warpgroup);
        stage_chunk(buffer, &d[chunk * GEMM_CHUNK_N / 2]);
        fence_for_tma();
        warpgroup_sync(warpgroup);
        if (issuer)
            store_box(&p.d, buffer, c.n + chunk * GEMM_CHUNK_N, c.m + 64 * static_cast<int>(warpgroup));
    }
}

__device__ __forceinline__ void math(const gemm_params &p, uint32_t smem, uint32_t warp)
{
    const uint32_t warpgroup = warp / 4;
    const uint32_t staging = smem + STAGING + warpgroup * 2 * GEMM_CHUNK_BYTES;
    place at = {0, 0};
    float d[SUMS];
    bool issuer = false; /* of stores: the one that issues must wait for them */
#pragma unroll 1
    for (uint32_t tile = blockIdx.z; tile < tiles(p); tile += gridDim.z) {
#pragma unroll 1
        for (int k = 0; k < p.k_tiles; k++) {
            const uint32_t full = smem + FULL + 8 * at.stage, empty = smem + EMPTY + 8 * at.stage;
            const uint32_t rows = smem + RING_A + GEMM_A_BYTES * at.stage + warpgroup * (GEMM_A_BYTES / 2);
            barrier_wait(full, at.parity);
            multiply_stage(d, operand(rows), operand(smem + RING_B + GEMM_B_BYTES * at.stage), k > 0);
            if (elect_one())
                barrier_arrive(empty);
            at.advance();
        }
        issuer = warp % 4 == 0 && elect_one();
        sums_are_ready(d);
        store_tile(p, staging, d, warpgroup, issuer, corner_of(p, tile));
    }
    if (issuer)
        stores_read<0>();
}

} // namespace

extern "C" __global__ void __launch_bounds__(THREADS, 1) gemm_twin(const __grid_constant__ gemm_params params)
{
    extern __shared__ __align__(1024) unsigned char memory[];
    const uint32_t smem = static_cast<uint32_t>(__cvta_generic_to_shared(memory));
    const uint32_t warp = __shfl_sync(0xffffffff, threadIdx.x / 32, 0); /* uniform, as the compiler sees it */

    /* One lane for all: barriers are initialised through uniform registers, lane by lane would be one after the
     * other too, with a fence each. */
    if (warp == 0 && elect_one()) {
        for (uint32_t stage = 0; stage < STAGES; stage++) {
            barrier_init(smem + FULL + 8 * stage, 1);
            barrier_init(smem + EMPTY + 8 * stage, MATH_WARPS);
        }
        barrier_init_fence();
    }
    __syncthreads();

    if (warp < 4) {
        registers_give<LOAD_REGISTERS>();
        if (warp == 0)
            load(params, smem);
    } else {
        registers_take<MATH_REGISTERS>();
        math(params, smem, warp - 4);
    }
}
