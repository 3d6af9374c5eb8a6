/* tile_queue: the static persistent scheduler: which tiles this CTA works on, in which order.
 *
 * The grid is (cluster_m, cluster_n, clusters launched), as ww_tile_space_grid computes it on the host.
 * Cluster z starts with linear index z and steps by gridDim.z; an index is turned into coordinates by
 * rasterising the grid of clusters along m or n, in bands of `swizzle` clusters across. A band keeps the
 * operands of the tiles in flight few, so that they stay in L2. With a swizzle the band side is rounded up, so
 * that some coordinates may lie outside the problem: they are valid work, and bodies clip. Every warp computes
 * this alone, from registers. */
#ifndef WW_TILE_QUEUE_CUH
#define WW_TILE_QUEUE_CUH

#include "types.h"

namespace ww
{

struct static_queue {
    int clusters_m, clusters_n, layers; /* the grid of clusters, its band side rounded up to the swizzle */
    int cluster_m, cluster_n;           /* CTAs in a cluster */
    int swizzle;                        /* band width in clusters, at least 1 */
    int raster_along_m;                 /* m runs fastest (within a band) if not 0, else n */
    int index, stride;                  /* linear index of our cluster's tile, clusters in the grid */

    WW_DEVICE ww_tile first();
    WW_DEVICE ww_tile next();
};

WW_HOST_DEVICE int ceil_div(int a, int b)
{
    return (a + b - 1) / b;
}

/* The queue over tiles_m x tiles_n x tiles_l CTA tiles, with index and stride not yet set. */
WW_HOST_DEVICE static_queue static_queue_over(int tiles_m, int tiles_n, int tiles_l, int cluster_m,
                                              int cluster_n, int swizzle, int raster_along_m)
{
    int m = ceil_div(tiles_m, cluster_m), n = ceil_div(tiles_n, cluster_n);
    if (raster_along_m)
        n = ceil_div(n, swizzle) * swizzle;
    else
        m = ceil_div(m, swizzle) * swizzle;
    return {m, n, tiles_l, cluster_m, cluster_n, swizzle, raster_along_m, 0, 1};
}

/* How many linear indexes there are: the number of clusters of work. */
WW_HOST_DEVICE int static_queue_total(const static_queue &q)
{
    return q.clusters_m * q.clusters_n * q.layers;
}

/* Linear cluster index to cluster coordinates; a bijection on the (rounded) grid of clusters. With s the
 * swizzle, M, N the grid, `fast` the side that runs along and `band` the side cut into bands of s:
 *     fast = (i / s) % FAST     band = i % s + s * ((i / (s * FAST)) % (BAND / s))     l = i / (M * N) */
WW_HOST_DEVICE ww_tile static_queue_decode(const static_queue &q, int index)
{
    const unsigned i = static_cast<unsigned>(index), s = static_cast<unsigned>(q.swizzle);
    const unsigned fast_extent = static_cast<unsigned>(q.raster_along_m ? q.clusters_m : q.clusters_n);
    const unsigned band_extent = static_cast<unsigned>(q.raster_along_m ? q.clusters_n : q.clusters_m);
    const unsigned along = i / s, across = i % s;
    const int fast = static_cast<int>(along % fast_extent);
    const int band = static_cast<int>(across + s * ((along / fast_extent) % (band_extent / s)));
    ww_tile tile;
    tile.m = q.raster_along_m ? fast : band;
    tile.n = q.raster_along_m ? band : fast;
    tile.l = static_cast<int>(i / (fast_extent * band_extent));
    tile.valid = index < static_queue_total(q);
    return tile;
}

/* The queue of this CTA. */
WW_DEVICE static_queue static_queue_make(int tiles_m, int tiles_n, int tiles_l, int cluster_m, int cluster_n,
                                         int swizzle, int raster_along_m)
{
    static_queue q =
        static_queue_over(tiles_m, tiles_n, tiles_l, cluster_m, cluster_n, swizzle, raster_along_m);
    q.index = static_cast<int>(blockIdx.z);
    q.stride = static_cast<int>(gridDim.z);
    return q;
}

/* The tile at a linear cluster index, for this CTA of the cluster. */
WW_DEVICE ww_tile static_queue_cta_tile(const static_queue &q, int index)
{
    ww_tile tile = static_queue_decode(q, index);
    tile.m = tile.m * q.cluster_m + static_cast<int>(blockIdx.x) % q.cluster_m;
    tile.n = tile.n * q.cluster_n + static_cast<int>(blockIdx.y) % q.cluster_n;
    return tile;
}

/* The tile of the current index. */
WW_DEVICE ww_tile static_queue::first()
{
    return static_queue_cta_tile(*this, index);
}

/* Steps to this CTA's next tile. */
WW_DEVICE ww_tile static_queue::next()
{
    index += stride;
    return first();
}

} // namespace ww

#endif
