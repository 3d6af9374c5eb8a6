/* replay_peers: each CTA of a pair sends rows to the other one. What they hold does not matter: it is never written. */
#ifndef REPLAY_PEERS_CUH
#define REPLAY_PEERS_CUH

#include "../run/features/words.cuh"

struct mail {
};

template <int warps, int ahead> WW_WORK void mail_send(mail &, const words_info &info)
{
    const uint32_t to = (info.cta_rank + 1) % 2;
    if (ww::elect_one())
        ww::bulk_copy_to_peer(ww::cluster_map(info.buffer[0], to), info.buffer[1], ROW_BYTES,
                              ww::cluster_map(info.barrier, to));
}

template <int warps, int ahead> WW_WORK void mail_read(mail &, const words_info &info)
{
    read_row<warps>(info, info.buffer[0], info.loop_offset - ahead);
}

#endif
