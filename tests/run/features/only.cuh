/* only: rows that move in one CTA of a cluster, or from one CTA to another. */
#ifndef ONLY_CUH
#define ONLY_CUH

#include "words.cuh"

struct local_row {
};

/* The copy engine may read it. */
template <int warps> WW_WORK void local_row_fill(local_row &, const words_info &info)
{
    fill_row<warps>(info, info.buffer[0], info.loop_offset);
    ww::fence_proxy_async_shared();
}

template <int warps> WW_WORK void local_row_read(local_row &, const words_info &info)
{
    read_row<warps>(info, info.buffer[0], info.loop_offset);
}

WW_WORK void local_row_address(local_row &, const words_info &info, uint32_t &address)
{
    address = info.buffer[0];
}

struct mail {
};

/* To the other CTA of two. */
WW_WORK void mail_send(mail &, const words_info &info, uint32_t address)
{
    const uint32_t to = info.cta_rank ^ 1u;
    if (ww::elect_one())
        ww::bulk_copy_to_peer(ww::cluster_map(info.buffer[0], to), address, ROW_BYTES,
                              ww::cluster_map(info.barrier, to));
}

template <int warps> WW_WORK void mail_read(mail &, const words_info &info)
{
    read_row<warps>(info, info.buffer[0], info.loop_offset);
}

#endif
