/* queues: what is done for a tile: counted, and its row passed through a ring. */
#ifndef QUEUES_CUH
#define QUEUES_CUH

#include "ww/ww.cuh"
#include "queues_params.h"

using queues_info = ww::stage_info<queues_params>;

WW_WORK bool is_inside(const queues_info &info)
{
    const queues_params &p = info.params;
    return info.tile.m < p.tiles_m && info.tile.n < p.tiles_n && info.tile.l < p.tiles_l;
}

/* Rasters go beyond the edge, and clusters too: those tiles take a row past the others. */
WW_WORK uint32_t tile_number(const queues_info &info)
{
    const queues_params &p = info.params;
    const int inside = (info.tile.l * p.tiles_n + info.tile.n) * p.tiles_m + info.tile.m;
    return static_cast<uint32_t>(is_inside(info) ? inside : p.tiles_m * p.tiles_n * p.tiles_l);
}

WW_WORK bool skips_odd(const queues_info &info)
{
    return (info.tile.m + info.tile.n) % 2 != 0;
}

struct tally {
};

WW_WORK void tally_count(tally &, const queues_info &info)
{
    if (info.lane == 0)
        atomicAdd(&info.params.tally[tile_number(info)], 1u);
}

struct row {
};

WW_WORK void row_load(row &, const queues_info &info)
{
    if (ww::elect_one())
        ww::bulk_load(info.buffer[0], info.params.in + tile_number(info) * ROW_WORDS, ROW_BYTES,
                      info.barrier);
}

/* A tile dealt out twice shows: what is there already is added to. */
template <int warps> WW_WORK void row_add(row &, const queues_info &info)
{
    const uint32_t thread = static_cast<uint32_t>(info.warp * 32 + info.lane);
    uint32_t *to = info.params.out + tile_number(info) * ROW_WORDS;
    for (uint32_t w = thread; w < ROW_WORDS; w += 32 * warps) {
        uint32_t word;
        asm volatile("ld.shared.u32 %0, [%1];"
                     : "=r"(word)
                     : "r"(info.buffer[0] + 4 * (ROW_WORDS - 1 - w))
                     : "memory");
        atomicAdd(&to[w], word);
    }
}

#endif
