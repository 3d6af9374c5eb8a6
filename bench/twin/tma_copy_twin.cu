/* tma_copy_twin: the TMA copy of examples/02_tma_copy as one writes it by hand, in plain CUDA.
 *
 *     warps 0 to 3   store: each thread takes its element of a row from shared memory and writes it
 *     warp 4         load:  fills the ring of rows by TMA
 *
 * What synchronises them, and nothing else does:
 *
 *     full[s]    1 arrival, of the load warp, which announces the row's bytes; TMA counts them
 *     empty[s]   4 arrivals, one a store warp
 *
 * The load warp may leave while rows are still under way: a CTA's shared memory lives until its last thread
 * ends, and the store warps end only after they have waited for every row. (Their last releases find nobody
 * waiting; the barriers are there all the same.)
 *
 * Everything is in this file but the parameter struct, which the host shares. Quoted names are section titles
 * of the PTX ISA. */
#include "tma_copy_params.h"

namespace
{

enum : uint32_t {
    STAGES = 4,
    STORE_WARPS = TMA_COPY_COLUMNS / 32,
    THREADS = 32 * (STORE_WARPS + 1),
    FULL = STAGES * TMA_COPY_ROW_BYTES, /* shared memory: ring, full barriers, empty barriers */
    EMPTY = FULL + 8 * STAGES,
};

/* True in one lane of a converged warp ("elect.sync"). */
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

/* ---- copies ------------------------------------------------------------------------------------------ */

/* ("prefetch, prefetchu") */
__device__ __forceinline__ void prefetch_map(const ww_tensor_map *map)
{
    asm volatile("prefetch.tensormap [%0];" : : "l"(map) : "memory");
}

/* The box at (x, y) into shared memory, its bytes counted on the barrier ("cp.async.bulk.tensor"). */
__device__ __forceinline__ void load_box(uint32_t to, const ww_tensor_map *map, uint32_t barrier, int x,
                                         int y)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%3, %4}], [%2];"
                 :
                 : "r"(to), "l"(map), "r"(barrier), "r"(x), "r"(y)
                 : "memory");
}

__device__ __forceinline__ uint16_t load_shared(uint32_t from)
{
    uint16_t element;
    asm volatile("ld.shared.b16 %0, [%1];" : "=h"(element) : "r"(from) : "memory");
    return element;
}

/* ---- the ring ---------------------------------------------------------------------------------------- */

/* A place in the ring and the parity of the phase to wait for there. */
struct place {
    uint32_t stage, parity;

    __device__ __forceinline__ void advance()
    {
        stage = stage == STAGES - 1 ? 0 : stage + 1;
        parity ^= stage == 0;
    }
};

/* ---- the two roles ----------------------------------------------------------------------------------- */

/* Parity 1: of a fresh barrier the phase before the first counts as over, so that all stages are free. */
__device__ __forceinline__ void load(const tma_copy_params &p, uint32_t smem)
{
    const int column = static_cast<int>(blockIdx.x) * TMA_COPY_COLUMNS;
    place at = {0, 1};
    if (elect_one())
        prefetch_map(&p.from);
#pragma unroll 1
    for (int row = 0; row < p.rows; row++) {
        const uint32_t full = smem + FULL + 8 * at.stage, empty = smem + EMPTY + 8 * at.stage;
        barrier_wait(empty, at.parity);
        if (elect_one()) {
            barrier_expect_bytes(full, TMA_COPY_ROW_BYTES);
            load_box(smem + TMA_COPY_ROW_BYTES * at.stage, &p.from, full, column, row);
        }
        at.advance();
    }
}

/* The stage goes back before the element is stored: by then it is in a register. __syncwarp orders the reads
 * of all lanes before the arrival that one of them makes for the warp. */
__device__ __forceinline__ void store(const tma_copy_params &p, uint32_t smem)
{
    const int column = static_cast<int>(blockIdx.x) * TMA_COPY_COLUMNS + static_cast<int>(threadIdx.x);
    place at = {0, 0};
#pragma unroll 1
    for (int row = 0; row < p.rows; row++) {
        const uint32_t full = smem + FULL + 8 * at.stage, empty = smem + EMPTY + 8 * at.stage;
        barrier_wait(full, at.parity);
        const uint16_t element = load_shared(smem + TMA_COPY_ROW_BYTES * at.stage + 2 * threadIdx.x);
        __syncwarp();
        if (elect_one())
            barrier_arrive(empty);
        if (column < p.cols)
            p.to[static_cast<int64_t>(row) * p.pitch + column] = element;
        at.advance();
    }
}

} // namespace

extern "C" __global__ void __launch_bounds__(THREADS)
    tma_copy_twin(const __grid_constant__ tma_copy_params params)
{
    extern __shared__ __align__(128) unsigned char memory[];
    const uint32_t smem = static_cast<uint32_t>(__cvta_generic_to_shared(memory));
    const uint32_t warp = __shfl_sync(0xffffffff, threadIdx.x / 32, 0); /* uniform, as the compiler sees it */

    /* One lane for all: barriers are initialised through uniform registers, lane by lane would be one after the
     * other too, with a fence each. */
    if (warp == 0 && elect_one()) {
        for (uint32_t stage = 0; stage < STAGES; stage++) {
            barrier_init(smem + FULL + 8 * stage, 1);
            barrier_init(smem + EMPTY + 8 * stage, STORE_WARPS);
        }
        barrier_init_fence();
    }
    __syncthreads();

    if (warp < STORE_WARPS)
        store(params, smem);
    if (warp == STORE_WARPS)
        load(params, smem);
}
