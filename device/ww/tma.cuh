/* tma: the tensor memory accelerator. One thread issues a copy; an engine performs it later.
 *
 * A load completes by transaction bytes on an mbarrier; a store is awaited by groups: commit_group closes the
 * calling thread's group, wait_group_read<N> holds when all but the N newest have read their shared memory,
 * wait_group<N> when they have also written. Coordinates are in elements, innermost first; out-of-range
 * elements load as zero and store nothing. Shared tiles are 128-byte aligned, 1024 with the 128-byte swizzle.
 */
#ifndef WW_TMA_CUH
#define WW_TMA_CUH

#include "types.h"

namespace ww
{

/* Brings a tensor map into the descriptor cache ("prefetch, prefetchu"). */
WW_DEVICE void prefetch_tensor_map(const ww_tensor_map *map)
{
    asm volatile("prefetch.tensormap [%0];" : : "l"(map) : "memory");
}

/* An L2 policy for data that is soon read again, by this CTA or its neighbours ("createpolicy"). */
WW_DEVICE uint64_t policy_evict_last()
{
    uint64_t policy;
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    return policy;
}

/* An L2 policy for data that is read once ("createpolicy"). */
WW_DEVICE uint64_t policy_evict_first()
{
    uint64_t policy;
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    return policy;
}

/* One box of a 2-D tensor into our shared memory, its bytes counted on `barrier` ("cp.async.bulk.tensor"). */
WW_DEVICE void tensor_load_2d(uint32_t smem, const ww_tensor_map *map, uint32_t barrier, int c0, int c1)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%3, %4}], [%2];"
                 :
                 : "r"(smem), "l"(map), "r"(barrier), "r"(c0), "r"(c1)
                 : "memory");
}

/* The same with an L2 policy ("cp.async.bulk.tensor"). */
WW_DEVICE void tensor_load_2d_hint(uint32_t smem, const ww_tensor_map *map, uint32_t barrier, int c0, int c1,
                                   uint64_t policy)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 ".L2::cache_hint [%0], [%1, {%3, %4}], [%2], %5;"
                 :
                 : "r"(smem), "l"(map), "r"(barrier), "r"(c0), "r"(c1), "l"(policy)
                 : "memory");
}

/* The same box into every CTA of `mask` (bit = rank in the cluster), at our own offsets: each destination's
 * barrier counts the bytes that landed in its memory ("cp.async.bulk.tensor"). */
WW_DEVICE void tensor_load_2d_multicast(uint32_t smem, const ww_tensor_map *map, uint32_t barrier, int c0,
                                        int c1, uint16_t mask)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 ".multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;"
                 :
                 : "r"(smem), "l"(map), "r"(barrier), "r"(c0), "r"(c1), "h"(mask)
                 : "memory");
}

/* One box of shared memory into a 2-D tensor; await it with a group ("cp.async.bulk.tensor"). */
WW_DEVICE void tensor_store_2d(const ww_tensor_map *map, uint32_t smem, int c0, int c1)
{
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];"
                 :
                 : "l"(map), "r"(smem), "r"(c0), "r"(c1)
                 : "memory");
}

/* `bytes` (a multiple of 16) of contiguous global memory into our shared memory ("cp.async.bulk"). */
WW_DEVICE void bulk_load(uint32_t smem, const void *global, uint32_t bytes, uint32_t barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 :
                 : "r"(smem), "l"(__cvta_generic_to_global(global)), "r"(bytes), "r"(barrier)
                 : "memory");
}

/* `bytes` (a multiple of 16) of shared memory into contiguous global memory ("cp.async.bulk"). */
WW_DEVICE void bulk_store(void *global, uint32_t smem, uint32_t bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
                 :
                 : "l"(__cvta_generic_to_global(global)), "r"(smem), "r"(bytes)
                 : "memory");
}

/* Closes this thread's group of bulk stores ("cp.async.bulk.commit_group"). */
WW_DEVICE void bulk_commit_group()
{
    asm volatile("cp.async.bulk.commit_group;" : : : "memory");
}

/* Waits until all but the N newest groups have read their source ("cp.async.bulk.wait_group"). */
template <int N> WW_DEVICE void bulk_wait_group_read()
{
    asm volatile("cp.async.bulk.wait_group.read %0;" : : "n"(N) : "memory");
}

/* Waits until all but the N newest groups are complete, their writes visible ("cp.async.bulk.wait_group"). */
template <int N> WW_DEVICE void bulk_wait_group()
{
    asm volatile("cp.async.bulk.wait_group %0;" : : "n"(N) : "memory");
}

} // namespace ww

#endif
