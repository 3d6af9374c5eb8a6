/* words: rows of words on their way through shared memory. Readers read backwards, so that each lane takes what another
 * lane, of another warp where there are several, has written. */
#ifndef WORDS_CUH
#define WORDS_CUH

#include "ww/ww.cuh"
#include "words_params.h"

using words_info = ww::stage_info<words_params>;

WW_WORK uint32_t load_word(uint32_t address)
{
    uint32_t value;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
    return value;
}

WW_WORK void store_word(uint32_t address, uint32_t value)
{
    asm volatile("st.shared.u32 [%0], %1;" : : "r"(address), "r"(value) : "memory");
}

/* Our CTA among all of the grid. */
WW_WORK uint32_t cta_number()
{
    return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
}

/* The first word of a row of our CTA. */
WW_WORK uint32_t row_start(const words_info &info, int row)
{
    return (cta_number() * static_cast<uint32_t>(info.params.trips) + static_cast<uint32_t>(row)) * ROW_WORDS;
}

/* The thread's number in its task. */
WW_WORK uint32_t task_thread(const words_info &info)
{
    return static_cast<uint32_t>(info.warp) * 32 + static_cast<uint32_t>(info.lane);
}

/* A row into shared memory, by the threads of `warps` warps. */
template <int warps> WW_WORK void fill_row(const words_info &info, uint32_t smem, int row)
{
    const uint32_t *from = info.params.in + row_start(info, row);
    for (uint32_t w = task_thread(info); w < ROW_WORDS; w += 32 * warps)
        store_word(smem + 4 * w, from[w]);
}

/* The same by cp.async, 16 bytes a thread. */
template <int warps> WW_WORK void copy_row(const words_info &info, uint32_t smem, int row)
{
    const uint32_t *from = info.params.in + row_start(info, row);
    for (uint32_t w = 4 * task_thread(info); w < ROW_WORDS; w += 4 * 32 * warps)
        ww::cp_async_16(smem + 4 * w, from + w);
}

/* A row out of shared memory, backwards. */
template <int warps> WW_WORK void read_row(const words_info &info, uint32_t smem, int row)
{
    uint32_t *to = info.params.out + row_start(info, row);
    for (uint32_t w = task_thread(info); w < ROW_WORDS; w += 32 * warps)
        to[w] = load_word(smem + 4 * (ROW_WORDS - 1 - w));
}

#endif
