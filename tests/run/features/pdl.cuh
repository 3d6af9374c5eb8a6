/* pdl: a kernel that reads what the launch before it has written. */
#ifndef PDL_CUH
#define PDL_CUH

#include "words.cuh"

struct row {
};

WW_WORK void row_load(row &, const words_info &info)
{
    if (ww::elect_one())
        ww::bulk_load(info.buffer[0], info.params.in + row_start(info, info.loop_offset), ROW_BYTES,
                      info.barrier);
}

/* Backwards, and each word moved on. */
template <int warps> WW_WORK void row_pass(row &, const words_info &info)
{
    uint32_t *to = info.params.out + row_start(info, info.loop_offset);
    for (uint32_t w = task_thread(info); w < ROW_WORDS; w += 32 * warps)
        to[w] = load_word(info.buffer[0] + 4 * (ROW_WORDS - 1 - w)) * 3 + 1;
}

#endif
