/* audited: what the examples of the audit share. A ring "tile" has one buffer "data" of 1024 bytes. */
#ifndef AUDITED_CUH
#define AUDITED_CUH

#include "ww/ww.cuh"
#include "tile_params.h"

using info = ww::stage_info<tile_params>;

struct tile {
    float d[4]; /* an accumulator of 64 x 8 */
};

/* The lane's word of the buffer. */
WW_WORK unsigned get_word(const info &info)
{
    unsigned word;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(info.buffer[0] + 4 * info.lane) : "memory");
    return word;
}

WW_WORK void set_word(const info &info, unsigned word)
{
    asm volatile("st.shared.u32 [%0], %1;" : : "r"(info.buffer[0] + 4 * info.lane), "r"(word) : "memory");
}

/* Bodies around those that the examples show. */
WW_WORK void tile_load(tile &, const info &info)
{
    if (ww::elect_one())
        ww::bulk_load(info.buffer[0], info.params.in, 1024, info.barrier);
}

WW_WORK void tile_read(tile &, const info &info)
{
    info.params.out[info.lane] = get_word(info);
}

WW_WORK void tile_store(tile &, const info &info)
{
    if (ww::elect_one()) {
        ww::bulk_store(info.params.out, info.buffer[0], 1024);
        ww::bulk_commit_group();
        ww::bulk_wait_group_read<0>();
    }
}

#endif
