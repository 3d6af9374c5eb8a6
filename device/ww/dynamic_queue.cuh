/* dynamic_queue: the dynamic schedulers: tiles go to whichever cluster asks next.
 *
 * Raster, linear cluster indexes and the grid's shape (cluster_m, cluster_n, G) are those of tile_queue.cuh,
 * and cluster z starts with index z here too. What comes next is asked for by a scheduler warp, once for each
 * tile that its cluster works on, and answered by a record of 16 bytes. The record lands in the slot
 * `response` (16-byte aligned) of every CTA of the cluster, and its 16 bytes complete on the mbarrier
 * `barrier` of every CTA, so that to a pipeline a slot is a stage filled by a bulk copy. Two sources fill it:
 *
 *     clc      sm_100 and later, G = all clusters of the queue. Asks the hardware to cancel a cluster that
 *              has not started, and takes its index over.
 *     counter  sm_90 and later, G = at most one wave. Indexes from G on are dealt by a counter in global
 *              memory.
 *
 * Tasks loop `tile = first(); while (tile.valid) { ...; tile = decode_...(response); }`: the record is read
 * by all lanes of all warps after a wait on the barrier, and the slot released after that. What is released
 * are reads by threads, also of other CTAs than the scheduler's: in a cluster of several, the arrival and the
 * scheduler's wait for it are ordered by the memory model only at cluster scope. */
#ifndef WW_DYNAMIC_QUEUE_CUH
#define WW_DYNAMIC_QUEUE_CUH

#include "types.h"
#include "clc.cuh"
#include "cluster.cuh"
#include "fence.cuh"
#include "tile_queue.cuh"
#include "warp.cuh"

namespace ww
{

struct dynamic_queue {
    static_queue raster; /* index and stride are of no meaning here */

    WW_DEVICE ww_tile first() const;
    WW_DEVICE ww_tile decode_clc(uint32_t response) const;
    WW_DEVICE ww_tile decode_counter(uint32_t response) const;
};

/* The queue over tiles_m x tiles_n x tiles_l CTA tiles. */
WW_HOST_DEVICE dynamic_queue dynamic_queue_make(int tiles_m, int tiles_n, int tiles_l, int cluster_m,
                                                int cluster_n, int swizzle, int raster_along_m)
{
    return {static_queue_over(tiles_m, tiles_n, tiles_l, cluster_m, cluster_n, swizzle, raster_along_m)};
}

/* The tile our cluster was launched for. */
WW_DEVICE ww_tile dynamic_queue::first() const
{
    return static_queue_cta_tile(raster, static_cast<int>(blockIdx.z));
}

/* This CTA's tile of an index that was read from a record, a negative one for the end of the queue. All lanes
 * have read the same; the shuffle is what tells the compiler, so that loops over tiles stay warp-uniform. */
WW_DEVICE ww_tile dynamic_queue_tile(const dynamic_queue &q, int index)
{
    index = __shfl_sync(0xffffffffu, index, 0);
    if (index < 0)
        return {0, 0, 0, 0};
    return static_queue_cta_tile(q.raster, index);
}

/* ---- clc ---------------------------------------------------------------------------------------------- */

/* Asks for the next tile. Called by one converged warp in each CTA of the cluster; that of rank 0 asks for
 * all. Never again after a tile that was not valid: asking on after a failure that one has seen is undefined
 * ("clusterlaunchcontrol.try_cancel"), and a loop that asks once a valid tile does not. */
template <int CLUSTER> WW_DEVICE void clc_fetch(uint32_t response, uint32_t barrier)
{
    if (CLUSTER > 1 && cluster_rank() != 0)
        return;
    if (!elect_one())
        return;
    if (CLUSTER > 1)
        clc_try_cancel_multicast(response, barrier);
    else
        clc_try_cancel(response, barrier);
}

/* The tile of a record that clc_fetch asked for. The grid is one cluster wide and high, so that the first CTA
 * of the cancelled cluster is (0, 0, its index). The next query writes the slot through the async proxy: the
 * fence orders our read before that write, once the slot has been released ("async proxy"). */
WW_DEVICE ww_tile dynamic_queue::decode_clc(uint32_t response) const
{
    int x, y, z;
    const bool cancelled = clc_decode(response, x, y, z);
    fence_proxy_async_shared();
    return dynamic_queue_tile(*this, cancelled ? z : -1);
}

/* ---- counter ------------------------------------------------------------------------------------------ */

/* The record: {linear index, 1 if there is such a tile, 0, 0}. To the slot of CTA `rank`, a peer's. */
WW_DEVICE void counter_send(uint32_t response, uint32_t barrier, uint32_t rank, uint32_t index,
                            uint32_t valid)
{
    st_async_v4(cluster_map(response, rank), index, valid, 0, 0, cluster_map(barrier, rank));
}

/* The same record to our own slot. Not by st.async, which is undefined in a cluster of one CTA ("st.async"),
 * and which an H200 then calls an illegal instruction. complete_tx by itself orders nothing; after a fence it
 * releases the store ("mbarrier.complete_tx", "release and acquire patterns"). */
WW_DEVICE void counter_keep(uint32_t response, uint32_t barrier, uint32_t index, uint32_t valid)
{
    asm volatile("st.shared::cta.v4.b32 [%0], {%2, %3, %4, %4};\n\t"
                 "fence.acq_rel.cta;\n\t"
                 "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%1], 16;"
                 :
                 : "r"(response), "r"(barrier), "r"(index), "r"(valid), "r"(0)
                 : "memory");
}

/* Asks for the next tile. Called by one converged warp in each CTA of the cluster, once for each valid tile
 * of its loop and no more; that of rank 0 asks for all. *counter is 0 before the first launch, and again
 * after each launch that ran to its end:
 *
 *     Let T be the number of indexes and G >= 1 the clusters launched. One fetch follows each valid tile.
 *     Fetch number f, counted from 0, is given index G + f, which is valid when f < T - G. Let S = min(G, T)
 *     be the clusters whose first tile is valid; the others fetch nothing. Each of the S ends with its first
 *     fetch that is not valid, so that S fetches are not valid; as they are numbered in the order in which
 *     they are made, all the valid ones, T - S of them, have come before. Together that makes T fetches,
 *     0 .. T - 1, and atom.inc with the bound T - 1 turns T - 1 into 0 with the last and only then.
 *
 * Launches that may overlap, on two streams or by programmatic dependent launch before griddepcontrol.wait,
 * must not share a counter. */
template <int CLUSTER>
WW_DEVICE void counter_fetch(const dynamic_queue &q, unsigned *counter, uint32_t response, uint32_t barrier)
{
    if (CLUSTER > 1 && cluster_rank() != 0)
        return;
    if (!elect_one())
        return;
    const uint32_t total = static_cast<uint32_t>(static_queue_total(q.raster));
    const uint32_t index = gridDim.z + atomicInc(counter, total - 1);
    const uint32_t valid = index < total;
#pragma unroll
    for (uint32_t rank = 1; rank < CLUSTER; rank++)
        counter_send(response, barrier, rank, index, valid);
    counter_keep(response, barrier, index, valid);
}

/* The tile of a record that counter_fetch asked for. st.async writes through the generic proxy, like our read
 * ("st.async"), so that no proxy fence is needed before the slot is written again: the arrival that releases
 * the slot orders the read before the scheduler's wait for it, and that before the write. */
WW_DEVICE ww_tile dynamic_queue::decode_counter(uint32_t response) const
{
    int index, valid;
    asm volatile("ld.shared::cta.v2.b32 {%0, %1}, [%2];"
                 : "=r"(index), "=r"(valid)
                 : "r"(response)
                 : "memory");
    return dynamic_queue_tile(*this, valid ? index : -1);
}

} // namespace ww

#endif
