/* persistent_copy_twin: the persistent copy of examples/03_persistent_copy in plain CUDA: CTA z takes tiles z,
 * z + CTAs, ... and leaves out those that are there in excess. The grid is (1, 1, CTAs). */
#include "persistent_copy_params.h"

extern "C" __global__ void __launch_bounds__(PERSISTENT_COPY_COLUMNS)
    persistent_copy_twin(const __grid_constant__ persistent_copy_params params)
{
    for (int tile = static_cast<int>(blockIdx.z); tile < params.tiles; tile += static_cast<int>(gridDim.z)) {
        const int column = tile * PERSISTENT_COPY_COLUMNS + static_cast<int>(threadIdx.x);
        if (tile >= params.logical_tiles || column >= params.cols)
            continue;
        for (int row = 0; row < params.rows; row++) {
            const int64_t element = static_cast<int64_t>(row) * params.cols + column;
            params.to[element] = params.from[element];
        }
    }
}
