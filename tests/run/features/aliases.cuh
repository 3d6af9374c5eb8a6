/* aliases: rows in memory that serves one purpose after the other. The GEMM of this family is gemms.cuh's. */
#ifndef ALIASES_CUH
#define ALIASES_CUH

#include "words.cuh"

/* Phase 0 has the even rows, phase 1 the odd ones, each rows 2 i + phase of i = 0 .. pairs - 1. */
struct phase_ring {
};

template <int warps, int phase> WW_WORK void phase_ring_fill(phase_ring &, const words_info &info)
{
    fill_row<warps>(info, info.buffer[0], 2 * info.loop_offset + phase);
}

template <int warps, int phase> WW_WORK void phase_ring_read(phase_ring &, const words_info &info)
{
    read_row<warps>(info, info.buffer[0], 2 * info.loop_offset + phase);
}

/* ---- one buffer, two resources: loaded, then changed in place -------------------------------------------------------- */

struct raw {
};

WW_WORK void raw_load(raw &, const words_info &info)
{
    if (ww::elect_one())
        ww::bulk_load(info.buffer[0], info.params.in + row_start(info, info.loop_offset), ROW_BYTES,
                      info.barrier);
}

struct cooked {
};

template <int warps> WW_WORK void cooked_change(cooked &, const words_info &info)
{
    for (uint32_t w = task_thread(info); w < ROW_WORDS; w += 32 * warps)
        store_word(info.buffer[0] + 4 * w, load_word(info.buffer[0] + 4 * w) * 3 + 1);
}

template <int warps> WW_WORK void cooked_read(cooked &, const words_info &info)
{
    read_row<warps>(info, info.buffer[0], info.loop_offset);
}

#endif
