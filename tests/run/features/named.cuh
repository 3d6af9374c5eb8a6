/* named: rows through shared memory without a pipeline, ordered by hardware barriers. */
#ifndef NAMED_CUH
#define NAMED_CUH

#include "words.cuh"

struct board {
};

template <int warps> WW_WORK void board_write(board &, const words_info &info)
{
    fill_row<warps>(info, info.buffer[0], info.loop_offset);
}

template <int warps> WW_WORK void board_read(board &, const words_info &info)
{
    read_row<warps>(info, info.buffer[0], info.loop_offset);
}

/* Two buffers, two tasks: each writes its own side, then reads the other's. Trip i has rows 2 i (left) and 2 i + 1. */
struct desk {
};

template <int warps> WW_WORK void desk_write_left(desk &, const words_info &info)
{
    fill_row<warps>(info, info.buffer[0], 2 * info.loop_offset);
}

template <int warps> WW_WORK void desk_write_right(desk &, const words_info &info)
{
    fill_row<warps>(info, info.buffer[1], 2 * info.loop_offset + 1);
}

template <int warps> WW_WORK void desk_read_left(desk &, const words_info &info)
{
    read_row<warps>(info, info.buffer[0], 2 * info.loop_offset);
}

template <int warps> WW_WORK void desk_read_right(desk &, const words_info &info)
{
    read_row<warps>(info, info.buffer[1], 2 * info.loop_offset + 1);
}

#endif
