/* register_budget: which pairs of setmaxnreg a 384-thread CTA survives, on real hardware.
 *
 * Warpgroup 0 lowers its budget, 1 and 2 raise theirs. Prints and exits 0 if the kernel came back; a pair
 * that overdraws the CTA's pool spins for ever, so run each pair under a time limit:
 *
 *     nvcc -gencode=arch=compute_90a,code=sm_90a -std=c++17 -Idevice tests/device/register_budget.cu -o
 * budget timeout -s KILL 10 ./budget 24 240 */
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#include "ww/ww.cuh"

template <int LOW, int HIGH> __global__ void __launch_bounds__(384, 1) split(int *arrived)
{
    if (ww::warp_index() < 4)
        ww::setmaxnreg_dec<LOW>();
    else
        ww::setmaxnreg_inc<HIGH>();
    atomicAdd(arrived, 1);
}

struct pair {
    int low, high;
    void (*kernel)(int *);
};

static const pair pairs[] = {
    {24, 232, split<24, 232>}, {32, 232, split<32, 232>}, {40, 232, split<40, 232>},
    {24, 240, split<24, 240>}, {40, 240, split<40, 240>},
};

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    for (const pair &p : pairs) {
        if (p.low != std::atoi(argv[1]) || p.high != std::atoi(argv[2]))
            continue;
        int *arrived, count = 0;
        cudaMalloc(&arrived, sizeof(int));
        cudaMemset(arrived, 0, sizeof(int));
        p.kernel<<<264, 384>>>(arrived);
        const cudaError_t status = cudaMemcpy(&count, arrived, sizeof(int), cudaMemcpyDeviceToHost);
        std::printf("%d/%d: %s, %d of %d threads passed\n", p.low, p.high, cudaGetErrorString(status), count,
                    264 * 384);
        return status == cudaSuccess && count == 264 * 384 ? 0 : 1;
    }
    return 2;
}
