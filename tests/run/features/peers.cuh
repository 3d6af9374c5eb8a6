/* peers: rows that go from CTA to CTA of a cluster. */
#ifndef PEERS_CUH
#define PEERS_CUH

#include "words.cuh"

/* What a CTA has to send: its rows, put there by its threads. */
struct box {
};

/* The copy engine will read it. */
template <int warps> WW_WORK void box_fill(box &, const words_info &info)
{
    fill_row<warps>(info, info.buffer[0], info.loop_offset);
    ww::fence_proxy_async_shared();
}

WW_WORK void box_address(box &, const words_info &info, uint32_t &address)
{
    address = info.buffer[0];
}

/* What it receives. */
struct mail {
};

/* To the CTA `shift` ranks on, of `size`. */
template <int shift, int size> WW_WORK void mail_send(mail &, const words_info &info, uint32_t address)
{
    const uint32_t to = (info.cta_rank + shift) % size;
    if (ww::elect_one())
        ww::bulk_copy_to_peer(ww::cluster_map(info.buffer[0], to), address, ROW_BYTES,
                              ww::cluster_map(info.barrier, to));
}

template <int warps> WW_WORK void mail_read(mail &, const words_info &info)
{
    read_row<warps>(info, info.buffer[0], info.loop_offset);
}

#endif
