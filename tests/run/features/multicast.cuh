/* multicast: each CTA of a cluster loads a part of the tiles and sends it to all that need them. */
#ifndef MULTICAST_CUH
#define MULTICAST_CUH

#include "ww/ww.cuh"
#include "multicast_params.h"

using multicast_info = ww::stage_info<multicast_params>;

struct tiles {
};

/* Of A, our n-th part of `n` goes to all n of our m; of B, our m-th part of `m` to all m of our n. */
template <int m, int n> WW_WORK void tiles_load_a(tiles &, const multicast_info &info)
{
    using cluster = ww::cluster_layout<1, m, n, 1>;
    const int rows = MULTI_ROWS / n, part = static_cast<int>(cluster::n(info.cta_rank));
    const int tile = info.tile.m * info.params.trips + info.loop_offset;
    const uint32_t smem = info.buffer[0] + static_cast<uint32_t>(part * rows * MULTI_COLS * 4);
    if (!ww::elect_one())
        return;
    if (n > 1)
        ww::tensor_load_2d_multicast(smem, &info.params.a_part, info.barrier, 0,
                                     tile * MULTI_ROWS + part * rows, cluster::tma_mask_a(info.cta_rank));
    else
        ww::tensor_load_2d(smem, &info.params.a_part, info.barrier, 0, tile * MULTI_ROWS);
}

template <int m, int n> WW_WORK void tiles_load_b(tiles &, const multicast_info &info)
{
    using cluster = ww::cluster_layout<1, m, n, 1>;
    const int rows = MULTI_ROWS / m, part = static_cast<int>(cluster::m(info.cta_rank));
    const int tile = info.tile.n * info.params.trips + info.loop_offset;
    const uint32_t smem = info.buffer[1] + static_cast<uint32_t>(part * rows * MULTI_COLS * 4);
    if (!ww::elect_one())
        return;
    if (m > 1)
        ww::tensor_load_2d_multicast(smem, &info.params.b_part, info.barrier, 0,
                                     tile * MULTI_ROWS + part * rows, cluster::tma_mask_b(info.cta_rank));
    else
        ww::tensor_load_2d(smem, &info.params.b_part, info.barrier, 0, tile * MULTI_ROWS);
}

template <int warps> WW_WORK void tiles_read(tiles &, const multicast_info &info)
{
    const uint32_t cta = blockIdx.x + gridDim.x * blockIdx.y,
                   thread = static_cast<uint32_t>(info.warp * 32 + info.lane);
    const uint32_t item =
        cta * static_cast<uint32_t>(info.params.trips) + static_cast<uint32_t>(info.loop_offset);
    uint32_t *to = info.params.out + item * (2 * MULTI_WORDS);
    for (uint32_t w = thread; w < 2 * MULTI_WORDS; w += 32 * warps) {
        const uint32_t from = (w < MULTI_WORDS ? info.buffer[0] : info.buffer[1]) + 4 * (w % MULTI_WORDS);
        uint32_t word;
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(from) : "memory");
        to[w] = word;
    }
}

#endif
