/* stores: threads fill rows, one thread hands them to the copy engine. */
#ifndef STORES_CUH
#define STORES_CUH

#include "ww/ww.cuh"
#include "stores_params.h"

using stores_info = ww::stage_info<stores_params>;

WW_WORK uint32_t row_of(const stores_info &info)
{
    return blockIdx.x * static_cast<uint32_t>(info.params.trips) + static_cast<uint32_t>(info.loop_offset);
}

struct row {
};

/* Backwards, so that each lane writes what another would have. */
template <int warps> WW_WORK void row_fill(row &, const stores_info &info)
{
    const uint32_t *from = info.params.in + row_of(info) * ROW_WORDS;
    const uint32_t thread = static_cast<uint32_t>(info.warp) * 32 + static_cast<uint32_t>(info.lane);
    for (uint32_t w = thread; w < ROW_WORDS; w += 32 * warps)
        asm volatile("st.shared.u32 [%0], %1;"
                     :
                     : "r"(info.buffer[0] + 4 * (ROW_WORDS - 1 - w)), "r"(from[w])
                     : "memory");
}

WW_WORK void row_store(row &, const stores_info &info)
{
    if (ww::elect_one()) {
        ww::tensor_store_2d(&info.params.to, info.buffer[0], 0,
                            static_cast<int>(row_of(info)) * STORE_BOX_ROWS);
        ww::bulk_commit_group();
    }
}

WW_WORK void row_add(row &, const stores_info &info)
{
    if (ww::elect_one()) {
        ww::tensor_reduce_add_2d(&info.params.to, info.buffer[0], 0,
                                 static_cast<int>(row_of(info)) * STORE_BOX_ROWS);
        ww::bulk_commit_group();
    }
}

/* Each of two warps sees to its half. */
WW_WORK uint32_t half_of(const stores_info &info)
{
    return static_cast<uint32_t>(info.warp) * (ROW_WORDS / 2);
}

WW_WORK void row_store_half(row &, const stores_info &info)
{
    if (ww::elect_one()) {
        ww::bulk_store(info.params.out + row_of(info) * ROW_WORDS + half_of(info),
                       info.buffer[0] + 4 * half_of(info), ROW_BYTES / 2);
        ww::bulk_commit_group();
    }
}

WW_WORK void row_add_half(row &, const stores_info &info)
{
    if (ww::elect_one()) {
        ww::bulk_reduce_add_u32(info.params.out + row_of(info) * ROW_WORDS + half_of(info),
                                info.buffer[0] + 4 * half_of(info), ROW_BYTES / 2);
        ww::bulk_commit_group();
    }
}

WW_WORK void row_settle(row &, const stores_info &)
{
    if (ww::elect_one())
        ww::bulk_wait_group_read<0>();
}

WW_WORK void row_settle_previous(row &, const stores_info &)
{
    if (ww::elect_one())
        ww::bulk_wait_group_read<1>();
}

#endif
