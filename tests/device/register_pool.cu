/* register_pool: what setmaxnreg admits, on real hardware.
 *
 *     register_pool                     lists the cases
 *     register_pool CASE                runs one; prints how many threads came through
 *
 * A split that overdraws the pool makes its warps wait for ever, so run each case under a time limit, in a process of
 * its own (scripts/register_pool.sh does, and prints a table).
 *
 * A case: WARPGROUPS of 128 threads; LAUNCH registers a thread at entry (0: as many as one CTA a multiprocessor leaves);
 * the first warpgroup sets LOW, the others HIGH; HALF: the first half sets LOW. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

#include "ww/ww.cuh"

template <int FROM, int TO> __device__ __forceinline__ void set()
{
    if (TO > FROM)
        ww::setmaxnreg_inc<TO>();
    else
        ww::setmaxnreg_dec<TO>();
}

__host__ __device__ constexpr int at_entry(int warpgroups)
{
    const int share = 65536 / (warpgroups * 128) / 8 * 8;
    return share > 255 ? 248 : share;
}

template <int WARPGROUPS, int LOW, int HIGH, int LOWS>
__global__ void __launch_bounds__(WARPGROUPS * 128, 1) split(int *arrived)
{
    if (ww::warp_index() < 4 * LOWS)
        set<at_entry(WARPGROUPS), LOW>();
    else
        set<at_entry(WARPGROUPS), HIGH>();
    atomicAdd(arrived, 1);
}

template <int WARPGROUPS, int LAUNCH, int LOW, int HIGH>
__global__ void __launch_bounds__(WARPGROUPS * 128) __maxnreg__(LAUNCH) capped(int *arrived)
{
    if (ww::warp_index() < 4)
        set<LAUNCH, LOW>();
    else
        set<LAUNCH, HIGH>();
    atomicAdd(arrived, 1);
}

template <int WARPGROUPS, int BLOCKS, int LOW, int HIGH>
__global__ void __launch_bounds__(WARPGROUPS * 128, BLOCKS) several(int *arrived)
{
    if (ww::warp_index() < 4)
        set<at_entry(WARPGROUPS * BLOCKS), LOW>();
    else
        set<at_entry(WARPGROUPS * BLOCKS), HIGH>();
    atomicAdd(arrived, 1);
}

struct test {
    const char *name;
    int warpgroups;
    void (*kernel)(int *);
};

#define SPLIT(w, low, high) {"split " #w " " #low " " #high, w, split<w, low, high, 1>}
#define LOWS(w, low, high, lows) {"lows " #w " " #low " " #high " " #lows, w, split<w, low, high, lows>}
#define CAPPED(w, launch, low, high) {"capped " #w " " #launch " " #low " " #high, w, capped<w, launch, low, high>}
#define SEVERAL(w, blocks, low, high) {"several " #w " " #blocks " " #low " " #high, w, several<w, blocks, low, high>}

static const test tests[] = {
    /* two warpgroups, 248 at entry (255 rounded down) */
    SPLIT(2, 24, 248), SPLIT(2, 24, 256), SPLIT(2, 240, 248), SPLIT(2, 248, 256), SPLIT(2, 240, 256),
    /* three, 168 at entry: 504 */
    SPLIT(3, 24, 232), SPLIT(3, 24, 240), SPLIT(3, 24, 248), SPLIT(3, 32, 232), SPLIT(3, 32, 240), SPLIT(3, 40, 224),
    SPLIT(3, 40, 232), SPLIT(3, 40, 240), SPLIT(3, 56, 224), SPLIT(3, 64, 224), SPLIT(3, 152, 176), SPLIT(3, 160, 176),
    LOWS(3, 24, 256, 2), LOWS(3, 128, 248, 2), LOWS(3, 136, 240, 2), LOWS(3, 136, 232, 2),
    /* four, 128: 512 */
    SPLIT(4, 32, 160), SPLIT(4, 24, 160), SPLIT(4, 40, 160), SPLIT(4, 56, 152), SPLIT(4, 64, 152), LOWS(4, 24, 232, 2),
    LOWS(4, 24, 240, 2), LOWS(4, 32, 224, 2), LOWS(4, 40, 216, 2), LOWS(4, 48, 216, 2),
    /* five, 96 (of 102.4): 480 */
    SPLIT(5, 24, 112), SPLIT(5, 24, 120), SPLIT(5, 32, 112), SPLIT(5, 40, 112), SPLIT(5, 56, 104), SPLIT(5, 64, 112),
    SPLIT(5, 96, 104),
    /* six, 80 (of 85.3): 480 */
    SPLIT(6, 24, 88), SPLIT(6, 24, 96), SPLIT(6, 40, 88), SPLIT(6, 48, 88), SPLIT(6, 72, 88),
    /* eight, 64: 512 */
    SPLIT(8, 24, 64), SPLIT(8, 24, 72), SPLIT(8, 64, 72), LOWS(8, 24, 104, 4), LOWS(8, 24, 112, 4),
    /* a cap below what a CTA alone could have: is the pool what the CTA was launched with? */
    CAPPED(3, 128, 24, 176), CAPPED(3, 128, 24, 184), CAPPED(3, 128, 24, 232), CAPPED(3, 96, 24, 128),
    CAPPED(3, 96, 24, 136), CAPPED(3, 96, 40, 232), CAPPED(2, 128, 24, 232), CAPPED(2, 128, 24, 240),
    /* two CTAs a multiprocessor promised */
    SEVERAL(3, 2, 24, 104), SEVERAL(3, 2, 24, 112), SEVERAL(3, 2, 24, 232), SEVERAL(2, 2, 24, 232),
};

static int run(const test *t)
{
    const int ctas = 264, threads = 128 * t->warpgroups;
    cudaFuncAttributes attributes;
    int *arrived, count = 0, resident = 0;
    cudaMalloc(&arrived, sizeof(int));
    cudaMemset(arrived, 0, sizeof(int));
    cudaFuncGetAttributes(&attributes, t->kernel);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, t->kernel, threads, 0);
    t->kernel<<<ctas, threads>>>(arrived);
    const cudaError_t status = cudaMemcpy(&count, arrived, sizeof(int), cudaMemcpyDeviceToHost);
    std::printf("%s: %s, %d registers at entry, %d CTAs resident\n", t->name,
                status == cudaSuccess && count == ctas * threads ? "runs" : cudaGetErrorString(status),
                attributes.numRegs, resident);
    return status == cudaSuccess && count == ctas * threads ? 0 : 1;
}

int main(int argc, char **argv)
{
    for (const test &t : tests) {
        if (argc < 2)
            std::printf("%s\n", t.name);
        else if (std::strcmp(argv[1], t.name) == 0)
            return run(&t);
    }
    return argc < 2 ? 0 : 2;
}
