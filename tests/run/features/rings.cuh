/* rings: threads hand rows to threads. */
#ifndef RINGS_CUH
#define RINGS_CUH

#include "words.cuh"

struct ring {
};

/* `ahead`: how far the loop's index is ahead of the row. */
template <int warps, int ahead> WW_WORK void ring_fill(ring &, const words_info &info)
{
    fill_row<warps>(info, info.buffer[0], info.loop_offset - ahead);
}

template <int warps, int ahead> WW_WORK void ring_copy(ring &, const words_info &info)
{
    copy_row<warps>(info, info.buffer[0], info.loop_offset - ahead);
}

template <int warps, int ahead> WW_WORK void ring_read(ring &, const words_info &info)
{
    read_row<warps>(info, info.buffer[0], info.loop_offset - ahead);
}

#endif
