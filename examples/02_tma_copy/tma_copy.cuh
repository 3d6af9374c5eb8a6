/* tma_copy: the work bodies of a copy through shared memory, the smallest producer and consumer.
 *
 *     input    the strip's first column                        (load task)
 *     smem     ring of rows, filled by TMA                     (load task, 1 warp -> store task, 4 warps)
 *     output   one element a thread to global memory           (store task)
 *
 * Buffers: smem[0] = one row of the strip, TMA_COPY_ROW_BYTES a stage, 128-byte aligned. */
#ifndef TMA_COPY_CUH
#define TMA_COPY_CUH

#include "ww/ww.cuh"
#include "tma_copy_params.h"

using tma_copy_info = ww::stage_info<tma_copy_params>;

struct input {
};

WW_WORK void input_coords(input &, const tma_copy_info &info, int &x)
{
    x = info.tile.m * TMA_COPY_COLUMNS;
}

struct smem {
};

/* Once, before the loop. */
WW_WORK void smem_prefetch(smem &, const tma_copy_info &info)
{
    if (ww::elect_one())
        ww::prefetch_tensor_map(&info.params.from);
}

/* One row of the strip: TMA_COPY_ROW_BYTES on the full barrier. */
WW_WORK void smem_tma_load(smem &, const tma_copy_info &info, int x)
{
    if (ww::elect_one())
        ww::tensor_load_2d(info.buffer[0], &info.params.from, info.barrier, x, info.loop_offset);
}

/* This thread's element. Once every lane of the warp has it, the stage may be released. */
WW_WORK void smem_read(smem &, const tma_copy_info &info, uint16_t &item)
{
    item = ww::load_shared_16(info.buffer[0] + static_cast<uint32_t>(info.warp * 32 + info.lane) * 2);
}

struct output {
};

WW_WORK void output_store(output &, const tma_copy_info &info, uint16_t item)
{
    const int column = info.tile.m * TMA_COPY_COLUMNS + info.warp * 32 + info.lane;
    if (column < info.params.cols)
        info.params.to[static_cast<int64_t>(info.loop_offset) * info.params.pitch + column] = item;
}

#endif
