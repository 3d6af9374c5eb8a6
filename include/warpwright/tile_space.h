/* Tile spaces: what a work queue deals out, and the grid that a launch of it wants.
 *
 * Output tiles, one a CTA, lie in a box of tiles m x n x l. A cluster of cluster_m x cluster_n CTAs works on
 * that many neighbours at a time, hence the box is covered by clusters, and the clusters are numbered by a
 * raster: linear indexes 0, 1, ... run along m (or n) in bands `swizzle` clusters wide across the other side,
 * layer by layer. Sides are rounded up, to whole clusters and, across the bands, to whole bands; so some
 * indexes mean tiles that lie outside the box in part or altogether. They are dealt like all others, and work
 * bodies clip.
 *
 * Kernels compute the same from the same numbers (device/ww/tile_queue.cuh, dynamic_queue.cuh). */
#ifndef WARPWRIGHT_TILE_SPACE_H
#define WARPWRIGHT_TILE_SPACE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct ww_tile_space {
    int tiles[3];             /* CTA tiles along m, n, l; one of them 0: an empty space */
    int cluster_m, cluster_n; /* CTAs of a cluster along m and n; 0 means 1 */
    int swizzle;              /* width of the bands in clusters; 0 and 1: none */
    bool raster_along_n;      /* indexes run along n and bands lie across m; otherwise the other way round */
} ww_tile_space;

/* How many linear cluster indexes there are. 0 for an empty space, and for what is no space: a negative
 * number, more than 2^31 - 65536 indexes, or a rounded side that does not fit an int. */
uint32_t ww_tile_space_clusters(const ww_tile_space *space);

/* The tile, in CTA tiles, of the first CTA of the cluster that works on this index; CTA (x, y) of the cluster
 * has the tile (x, y, 0) further on. False, leaving tile alone, when there is no such index. */
bool ww_tile_space_decode(const ww_tile_space *space, uint32_t index, int tile[3]);

/* The grid, in CTAs, with clusters of (cluster_m, cluster_n, 1): for a static or a counter queue as many
 * clusters as max_ctas CTAs make (those that are resident at once: more gain nothing), but no more than there
 * is work for; for a queue by cluster launch control (dynamic_clc) one for each index, max_ctas being of no
 * meaning. An empty space gets one cluster, which finds nothing to do. False, leaving grid alone, when
 *   - space is none (see above),
 *   - max_ctas is smaller than a cluster,
 *   - there are more than 65535 indexes for cluster launch control, the most that CUDA launches along z. */
bool ww_tile_space_grid(const ww_tile_space *space, bool dynamic_clc, int max_ctas, uint32_t grid[3]);

#endif
