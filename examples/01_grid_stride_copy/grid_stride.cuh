/* grid_stride: the work bodies of a copy in which every thread walks the vector with the grid's stride.
 *
 *     input    reads one element     -> item
 *     output   writes it
 *
 * The domain loop differs from thread to thread: it starts at the thread's index in the grid, ends at `count`
 * and steps by the threads of the grid, so that `loop_offset` is the element. No pipeline, no shared memory.
 */
#ifndef GRID_STRIDE_CUH
#define GRID_STRIDE_CUH

#include "ww/ww.cuh"
#include "grid_stride_params.h"

using grid_stride_info = ww::stage_info<grid_stride_params>;

/* The domain of a thread: its index in the grid, and the threads of the grid. */
WW_WORK int grid_stride_first(const grid_stride_info &)
{
    return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}

WW_WORK int grid_stride_step(const grid_stride_info &)
{
    return static_cast<int>(gridDim.x * blockDim.x);
}

struct input {
};

WW_WORK void input_get(input &, const grid_stride_info &info, int16_t &item)
{
    item = info.loop_offset < info.params.count ? info.params.from[info.loop_offset] : int16_t{0};
}

struct output {
};

WW_WORK void output_set(output &, const grid_stride_info &info, int16_t item)
{
    if (info.loop_offset < info.params.count)
        info.params.to[info.loop_offset] = item;
}

#endif
