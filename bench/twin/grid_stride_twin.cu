/* grid_stride_twin: the grid-stride copy of examples/01_grid_stride_copy in plain CUDA. Grid and block are free. */
#include "grid_stride_params.h"

extern "C" __global__ void __launch_bounds__(256)
    grid_stride_twin(const __grid_constant__ grid_stride_params params)
{
    const int step = static_cast<int>(gridDim.x * blockDim.x);
    for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < params.count; i += step)
        params.to[i] = params.from[i];
}
