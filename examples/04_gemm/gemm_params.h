/* gemm_params: what the host tells the gemm kernel, and the tile both sides build on.
 *
 * D = A.B^T: A (M, K), B (N, K) and D (M, N) row-major bf16, accumulated in fp32. The tensor maps are 2-D, K
 * (or N) innermost, all with the 128-byte swizzle:
 *
 *     map   dimensions   box        row pitch
 *     a     K, M         64 x 128   any multiple of 16 bytes
 *     b     K, N         64 x 256   any multiple of 16 bytes
 *     d     N, M         64 x 64    2 N rounded up to 16 bytes, or more
 *
 * M, N, K need not be multiples of the tile: TMA fills with zeros and clips. It clips its stores by units of
 * 16 bytes, so that the padding of D's rows up to the next 16 bytes is written too (with zeros). */
#ifndef GEMM_PARAMS_H
#define GEMM_PARAMS_H

#include "ww/types.h"

enum {
    GEMM_TILE_M = 128,
    GEMM_TILE_N = 256,
    GEMM_TILE_K = 64,                               /* one 128-byte row of bf16 */
    GEMM_A_BYTES = GEMM_TILE_M * GEMM_TILE_K * 2,   /* a stage of A */
    GEMM_B_BYTES = GEMM_TILE_N * GEMM_TILE_K * 2,   /* a stage of B */
    GEMM_STAGE_BYTES = GEMM_A_BYTES + GEMM_B_BYTES, /* what TMA delivers a stage */
    GEMM_STAGES = 4,
    GEMM_WARPGROUPS = 2,                                    /* math warpgroups, 64 rows each */
    GEMM_CHUNK_N = 64,                                      /* columns a store moves: 128 bytes */
    GEMM_CHUNK_BYTES = 64 * GEMM_CHUNK_N * 2,               /* one warpgroup's rows of a chunk */
    GEMM_STAGING_BYTES = GEMM_WARPGROUPS * GEMM_CHUNK_BYTES /* a chunk of the whole tile */
};

struct gemm_params {
    ww_tensor_map a, b, d;
    int m, n, k;
    int k_tiles;          /* ceil(k / GEMM_TILE_K) */
    int tiles_m, tiles_n; /* ceil(m / GEMM_TILE_M), ceil(n / GEMM_TILE_N) */
    int swizzle;          /* see ww/tile_queue.cuh; 8 along n suits 132 multiprocessors */
    int raster_along_m;
};

#endif
