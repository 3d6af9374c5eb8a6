/* bulk: the copy engine hands rows to threads. */
#ifndef BULK_CUH
#define BULK_CUH

#include "words.cuh"

/* ---- whole rows ------------------------------------------------------------------------------------------- */

struct row {
};

/* Which row this is: the loop's index, or of `lanes` warps that share the loop the warp's own. */
template <int lanes> WW_WORK int row_number(const words_info &info, int ahead)
{
    return lanes > 1 ? info.loop_offset * lanes + info.warp : info.loop_offset - ahead;
}

template <int lanes, int ahead> WW_WORK void row_load(row &, const words_info &info)
{
    if (ww::elect_one())
        ww::bulk_load(info.buffer[0], info.params.in + row_start(info, row_number<lanes>(info, ahead)),
                      ROW_BYTES, info.barrier);
}

/* Each of two warps loads half of it. */
WW_WORK void row_load_half(row &, const words_info &info)
{
    const uint32_t from = static_cast<uint32_t>(info.warp) * (ROW_WORDS / 2);
    if (ww::elect_one())
        ww::bulk_load(info.buffer[0] + 4 * from, info.params.in + row_start(info, info.loop_offset) + from,
                      ROW_BYTES / 2, info.barrier);
}

template <int warps, int ahead> WW_WORK void row_read(row &, const words_info &info)
{
    read_row<warps>(info, info.buffer[0], info.loop_offset - ahead);
}

/* By one warp of several that share the loop. */
template <int lanes> WW_WORK void row_read_own(row &, const words_info &info)
{
    const int row = row_number<lanes>(info, 0);
    uint32_t *to = info.params.out + row_start(info, row);
    for (uint32_t w = static_cast<uint32_t>(info.lane); w < ROW_WORDS; w += 32)
        to[w] = load_word(info.buffer[0] + 4 * (ROW_WORDS - 1 - w));
}

/* ---- rows in two pieces, each loaded by a task of its own --------------------------------------------------- */

struct pieces {
};

WW_WORK void pieces_load_low(pieces &, const words_info &info)
{
    if (ww::elect_one())
        ww::bulk_load(info.buffer[0], info.params.in + row_start(info, info.loop_offset), LOW_BYTES,
                      info.barrier);
}

WW_WORK void pieces_load_high(pieces &, const words_info &info)
{
    if (ww::elect_one())
        ww::bulk_load(info.buffer[1], info.params.in + row_start(info, info.loop_offset) + LOW_BYTES / 4,
                      HIGH_BYTES, info.barrier);
}

template <int warps> WW_WORK void pieces_read(pieces &, const words_info &info)
{
    uint32_t *to = info.params.out + row_start(info, info.loop_offset);
    for (uint32_t w = task_thread(info); w < ROW_WORDS; w += 32 * warps) {
        const uint32_t from = 4 * (ROW_WORDS - 1 - w);
        to[w] = load_word(from < LOW_BYTES ? info.buffer[0] + from : info.buffer[1] + (from - LOW_BYTES));
    }
}

#endif
