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

/* The coordinates of a box as parameters, as operands, and as their places in the instruction, from %3 on. */
#define WW_COORDINATES_1 int c0
#define WW_COORDINATES_2 WW_COORDINATES_1, int c1
#define WW_COORDINATES_3 WW_COORDINATES_2, int c2
#define WW_COORDINATES_4 WW_COORDINATES_3, int c3
#define WW_COORDINATES_5 WW_COORDINATES_4, int c4
#define WW_CORNER_1 "r"(c0)
#define WW_CORNER_2 WW_CORNER_1, "r"(c1)
#define WW_CORNER_3 WW_CORNER_2, "r"(c2)
#define WW_CORNER_4 WW_CORNER_3, "r"(c3)
#define WW_CORNER_5 WW_CORNER_4, "r"(c4)
#define WW_PLACES_1 "%3"
#define WW_PLACES_2 WW_PLACES_1 ", %4"
#define WW_PLACES_3 WW_PLACES_2 ", %5"
#define WW_PLACES_4 WW_PLACES_3 ", %6"
#define WW_PLACES_5 WW_PLACES_4 ", %7"

/* For tensors of D = 1 .. 5 dimensions; X is D + 3, the place of the operand after the corner.
 *
 *     tensor_load_Dd          one box into our shared memory, its bytes counted on `barrier`
 *     ..._hint                the same with an L2 policy
 *     ..._multicast           the same box into every CTA of `mask` (bit = rank in the cluster), at our own
 *                             offsets: each destination's barrier counts the bytes that landed there
 *     ..._pair                for sm_100's CTA pairs (cta_group::2): `barrier` may be that of either CTA of
 *                             the destination's pair, usually the even one's (pair_leader_address)
 *     ..._pair_multicast      both: whether the CTA of `barrier` is even or odd says which one of each
 *                             destination's pair counts
 *
 * ("cp.async.bulk.tensor"). */
#define WW_DEFINE_TENSOR_LOAD(D, X)                                                                          \
    WW_DEVICE void tensor_load_##D##d(uint32_t smem, const ww_tensor_map *map, uint32_t barrier,             \
                                      WW_COORDINATES_##D)                                                    \
    {                                                                                                        \
        asm volatile(WW_TENSOR_LOAD(D) " [%0], [%1, {" WW_PLACES_##D "}], [%2];"                             \
                     :                                                                                       \
                     : "r"(smem), "l"(map), "r"(barrier), WW_CORNER_##D                                      \
                     : "memory");                                                                            \
    }                                                                                                        \
    WW_DEVICE void tensor_load_##D##d_hint(uint32_t smem, const ww_tensor_map *map, uint32_t barrier,        \
                                           WW_COORDINATES_##D, uint64_t policy)                              \
    {                                                                                                        \
        asm volatile(WW_TENSOR_LOAD(D) ".L2::cache_hint [%0], [%1, {" WW_PLACES_##D "}], [%2], %" #X ";"     \
                     :                                                                                       \
                     : "r"(smem), "l"(map), "r"(barrier), WW_CORNER_##D, "l"(policy)                         \
                     : "memory");                                                                            \
    }                                                                                                        \
    WW_DEVICE void tensor_load_##D##d_multicast(uint32_t smem, const ww_tensor_map *map, uint32_t barrier,   \
                                                WW_COORDINATES_##D, uint16_t mask)                           \
    {                                                                                                        \
        asm volatile(WW_TENSOR_LOAD(D) ".multicast::cluster [%0], [%1, {" WW_PLACES_##D "}], [%2], %" #X ";" \
                     :                                                                                       \
                     : "r"(smem), "l"(map), "r"(barrier), WW_CORNER_##D, "h"(mask)                           \
                     : "memory");                                                                            \
    }                                                                                                        \
    WW_DEVICE void tensor_load_##D##d_pair(uint32_t smem, const ww_tensor_map *map, uint32_t barrier,        \
                                           WW_COORDINATES_##D)                                               \
    {                                                                                                        \
        asm volatile(WW_TENSOR_LOAD(D) ".cta_group::2 [%0], [%1, {" WW_PLACES_##D "}], [%2];"                \
                     :                                                                                       \
                     : "r"(smem), "l"(map), "r"(barrier), WW_CORNER_##D                                      \
                     : "memory");                                                                            \
    }                                                                                                        \
    WW_DEVICE void tensor_load_##D##d_pair_multicast(uint32_t smem, const ww_tensor_map *map,                \
                                                     uint32_t barrier, WW_COORDINATES_##D, uint16_t mask)    \
    {                                                                                                        \
        asm volatile(WW_TENSOR_LOAD(D) ".multicast::cluster.cta_group::2 [%0], [%1, {" WW_PLACES_##D         \
                     "}], [%2], %" #X ";"                                                                    \
                     :                                                                                       \
                     : "r"(smem), "l"(map), "r"(barrier), WW_CORNER_##D, "h"(mask)                           \
                     : "memory");                                                                            \
    }

#define WW_TENSOR_LOAD(D)                                                                                    \
    "cp.async.bulk.tensor." #D "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"

WW_DEFINE_TENSOR_LOAD(1, 4)
WW_DEFINE_TENSOR_LOAD(2, 5)
WW_DEFINE_TENSOR_LOAD(3, 6)
WW_DEFINE_TENSOR_LOAD(4, 7)
WW_DEFINE_TENSOR_LOAD(5, 8)

#undef WW_DEFINE_TENSOR_LOAD
#undef WW_TENSOR_LOAD

/* Boxes of an im2col tensor map, whose corners (channel, x, y .. image) are the filter's place on the image,
 * less the offsets in the filter ("cp.async.bulk.tensor", "Im2col mode"). */
WW_DEVICE void tensor_load_3d_im2col(uint32_t smem, const ww_tensor_map *map, uint32_t barrier,
                                     WW_COORDINATES_3, uint16_t offset_x)
{
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {" WW_PLACES_3 "}], [%2], {%6};"
                 :
                 : "r"(smem), "l"(map), "r"(barrier), WW_CORNER_3, "h"(offset_x)
                 : "memory");
}

WW_DEVICE void tensor_load_4d_im2col(uint32_t smem, const ww_tensor_map *map, uint32_t barrier,
                                     WW_COORDINATES_4, uint16_t offset_x, uint16_t offset_y)
{
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {" WW_PLACES_4 "}], [%2], {%7, %8};"
                 :
                 : "r"(smem), "l"(map), "r"(barrier), WW_CORNER_4, "h"(offset_x), "h"(offset_y)
                 : "memory");
}

WW_DEVICE void tensor_load_5d_im2col(uint32_t smem, const ww_tensor_map *map, uint32_t barrier,
                                     WW_COORDINATES_5, uint16_t offset_x, uint16_t offset_y,
                                     uint16_t offset_z)
{
    asm volatile("cp.async.bulk.tensor.5d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {" WW_PLACES_5 "}], [%2], {%8, %9, %10};"
                 :
                 : "r"(smem), "l"(map), "r"(barrier), WW_CORNER_5, "h"(offset_x), "h"(offset_y), "h"(offset_z)
                 : "memory");
}

/* tensor_store_Dd: one box of shared memory into a tensor; tensor_reduce_add_Dd: added to what is there,
 * element by element, in the tensor map's type. Await both with a group ("cp.async.bulk.tensor",
 * "cp.reduce.async.bulk.tensor"). The 0 takes up %2, so that corners begin at %3 as they do in loads. */
#define WW_DEFINE_TENSOR_STORE(D)                                                                            \
    WW_DEVICE void tensor_store_##D##d(const ww_tensor_map *map, uint32_t smem, WW_COORDINATES_##D)          \
    {                                                                                                        \
        asm volatile("cp.async.bulk.tensor." #D "d.global.shared::cta.tile.bulk_group"                       \
                     " [%1, {" WW_PLACES_##D "}], [%0];"                                                     \
                     :                                                                                       \
                     : "r"(smem), "l"(map), "n"(0), WW_CORNER_##D                                            \
                     : "memory");                                                                            \
    }                                                                                                        \
    WW_DEVICE void tensor_reduce_add_##D##d(const ww_tensor_map *map, uint32_t smem, WW_COORDINATES_##D)     \
    {                                                                                                        \
        asm volatile("cp.reduce.async.bulk.tensor." #D "d.global.shared::cta.add.tile.bulk_group"            \
                     " [%1, {" WW_PLACES_##D "}], [%0];"                                                     \
                     :                                                                                       \
                     : "r"(smem), "l"(map), "n"(0), WW_CORNER_##D                                            \
                     : "memory");                                                                            \
    }

WW_DEFINE_TENSOR_STORE(1)
WW_DEFINE_TENSOR_STORE(2)
WW_DEFINE_TENSOR_STORE(3)
WW_DEFINE_TENSOR_STORE(4)
WW_DEFINE_TENSOR_STORE(5)

#undef WW_DEFINE_TENSOR_STORE

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

/* Adds `bytes` (a multiple of 16) of shared memory to contiguous global memory, element by element, each
 * addition atomic; await it with a group. f16 and bf16 keep subnormals ("cp.reduce.async.bulk"). */
#define WW_DEFINE_BULK_REDUCE_ADD(NAME, TYPE)                                                                \
    WW_DEVICE void bulk_reduce_add_##NAME(void *global, uint32_t smem, uint32_t bytes)                       \
    {                                                                                                        \
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add." TYPE " [%0], [%1], %2;"       \
                     :                                                                                       \
                     : "l"(__cvta_generic_to_global(global)), "r"(smem), "r"(bytes)                          \
                     : "memory");                                                                            \
    }

WW_DEFINE_BULK_REDUCE_ADD(f32, "f32")
WW_DEFINE_BULK_REDUCE_ADD(f16, "noftz.f16")
WW_DEFINE_BULK_REDUCE_ADD(bf16, "noftz.bf16")
WW_DEFINE_BULK_REDUCE_ADD(u32, "u32")

#undef WW_DEFINE_BULK_REDUCE_ADD

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
