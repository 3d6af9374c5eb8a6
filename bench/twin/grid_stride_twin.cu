/* grid_stride_twin: the grid-stride copy as a person writes it around the work bodies. Grid and block are
 * free. */
#include "grid_stride.cuh"

extern "C" __global__ void __launch_bounds__(256)
    grid_stride_twin(const __grid_constant__ grid_stride_params params)
{
    const int warp = ww::warp_index(), lane = ww::lane_index();
    input input_self;
    output output_self;
    const int start = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const int step = static_cast<int>(gridDim.x * blockDim.x);
    const ww_tile tile = {static_cast<int>(blockIdx.x), 0, 0, 1};
    for (int i = start; i < params.count; i += step) {
        const grid_stride_info info = {params, i, start, params.count, step, 0, 0u, {}, tile, warp, lane};
        int16_t item;
        input_get(input_self, info, item);
        output_set(output_self, info, item);
    }
}
