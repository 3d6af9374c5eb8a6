/* groups: rows whose pipelines share barriers. */
#ifndef GROUPS_CUH
#define GROUPS_CUH

#include "words.cuh"

/* ---- merges: two rings side by side, each with half of a row ------------------------------------------------------ */

enum { HALF_WORDS = ROW_WORDS / 2, HALF_BYTES = ROW_BYTES / 2 };

struct half {
};

/* `part`: which half. */
template <int part, int warps> WW_WORK void half_fill(half &, const words_info &info)
{
    const uint32_t *from = info.params.in + row_start(info, info.loop_offset) + part * HALF_WORDS;
    for (uint32_t w = task_thread(info); w < HALF_WORDS; w += 32 * warps)
        store_word(info.buffer[0] + 4 * w, from[w]);
}

template <int part> WW_WORK void half_load(half &, const words_info &info)
{
    if (ww::elect_one())
        ww::bulk_load(info.buffer[0], info.params.in + row_start(info, info.loop_offset) + part * HALF_WORDS,
                      HALF_BYTES, info.barrier);
}

WW_WORK void half_address(half &, const words_info &info, uint32_t &address)
{
    address = info.buffer[0];
}

/* Both halves, backwards. */
struct joined {
};

template <int warps> WW_WORK void joined_store(joined &, const words_info &info, uint32_t low, uint32_t high)
{
    uint32_t *to = info.params.out + row_start(info, info.loop_offset);
    for (uint32_t w = task_thread(info); w < ROW_WORDS; w += 32 * warps) {
        const uint32_t from = ROW_WORDS - 1 - w;
        to[w] = load_word(from < HALF_WORDS ? low + 4 * from : high + 4 * (from - HALF_WORDS));
    }
}

/* ---- forks: one row, two readers, each of one half of the output --------------------------------------------------- */

struct shared_row {
};

template <int warps> WW_WORK void shared_row_fill(shared_row &, const words_info &info)
{
    fill_row<warps>(info, info.buffer[0], info.loop_offset);
}

WW_WORK void shared_row_load(shared_row &, const words_info &info)
{
    if (ww::elect_one())
        ww::bulk_load(info.buffer[0], info.params.in + row_start(info, info.loop_offset), ROW_BYTES,
                      info.barrier);
}

/* The words of half `part` of the output. */
template <int part, int warps> WW_WORK void shared_row_read(shared_row &, const words_info &info)
{
    uint32_t *to = info.params.out + row_start(info, info.loop_offset);
    for (uint32_t w = part * HALF_WORDS + task_thread(info); w < (part + 1) * HALF_WORDS; w += 32 * warps)
        to[w] = load_word(info.buffer[0] + 4 * (ROW_WORDS - 1 - w));
}

#endif
