/* tile_space.c: work queues' tile spaces: numbering clusters, and sizing grids. */
#include "warpwright/tile_space.h"

#include <limits.h>

/* gridDim.z, which counts clusters, ends at 65535 (CUDA C++ Programming Guide, "Technical Specifications per
 * Compute Capability"). Kernels step by it in ints: the last index, plus one step, must fit. */
enum { MOST_ALONG_Z = 65535, MOST_CLUSTERS = INT_MAX - MOST_ALONG_Z };

/* A space with its defaults filled in, and its sides in clusters, rounded up. */
typedef struct raster {
    int64_t cluster_m, cluster_n, swizzle;
    int64_t m, n, l;
    int64_t count; /* linear indexes */
} raster;

static int64_t or_one(int value)
{
    return value == 0 ? 1 : value;
}

static int64_t divide_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* Whether a side can be rounded up, to clusters and to bands, in the kernel's ints. */
static bool side_fits(int tiles, int64_t cluster, int64_t swizzle)
{
    return tiles >= 0 && cluster > 0 && swizzle > 0 && tiles + cluster * swizzle <= INT_MAX;
}

/* False when space is none. */
static bool raster_of(const ww_tile_space *space, raster *r)
{
    *r = (raster){.cluster_m = or_one(space->cluster_m),
                  .cluster_n = or_one(space->cluster_n),
                  .swizzle = or_one(space->swizzle),
                  .l = space->tiles[2]};
    if (!side_fits(space->tiles[0], r->cluster_m, r->swizzle) ||
        !side_fits(space->tiles[1], r->cluster_n, r->swizzle) || r->l < 0)
        return false;
    r->m = divide_up(space->tiles[0], r->cluster_m);
    r->n = divide_up(space->tiles[1], r->cluster_n);
    int64_t *across = space->raster_along_n ? &r->m : &r->n;
    *across = divide_up(*across, r->swizzle) * r->swizzle;
    if (r->l > 0 && r->m * r->n > MOST_CLUSTERS / r->l)
        return false;
    r->count = r->m * r->n * r->l;
    return true;
}

uint32_t ww_tile_space_clusters(const ww_tile_space *space)
{
    raster r;
    return raster_of(space, &r) ? (uint32_t)r.count : 0;
}

/* A layer is a row of bands; a band is `along` rows of `swizzle` clusters, taken row by row. */
bool ww_tile_space_decode(const ww_tile_space *space, uint32_t index, int tile[3])
{
    raster r;
    if (!raster_of(space, &r) || index >= r.count)
        return false;
    int64_t in_layer = index % (r.m * r.n), band_size = r.swizzle * (space->raster_along_n ? r.n : r.m);
    int64_t along = in_layer % band_size / r.swizzle;
    int64_t across = in_layer / band_size * r.swizzle + in_layer % r.swizzle;
    tile[0] = (int)((space->raster_along_n ? across : along) * r.cluster_m);
    tile[1] = (int)((space->raster_along_n ? along : across) * r.cluster_n);
    tile[2] = (int)(index / (r.m * r.n));
    return true;
}

static int64_t lesser(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* How many clusters to launch; 0 when that cannot be done. */
static int64_t clusters_along_z(const raster *r, bool dynamic_clc, int max_ctas)
{
    int64_t work = r->count ? r->count : 1;
    if (dynamic_clc)
        return work <= MOST_ALONG_Z ? work : 0;
    int64_t resident = max_ctas > 0 ? max_ctas / (r->cluster_m * r->cluster_n) : 0;
    return lesser(work, lesser(resident, MOST_ALONG_Z));
}

bool ww_tile_space_grid(const ww_tile_space *space, bool dynamic_clc, int max_ctas, uint32_t grid[3])
{
    raster r;
    int64_t clusters = raster_of(space, &r) ? clusters_along_z(&r, dynamic_clc, max_ctas) : 0;
    if (clusters == 0)
        return false;
    grid[0] = (uint32_t)r.cluster_m;
    grid[1] = (uint32_t)r.cluster_n;
    grid[2] = (uint32_t)clusters;
    return true;
}
