/* blackwell_params: D = A . B^T on sm_100a, in bf16 with sums in f32; all numbers are small integers, so that the sums are
 * exact whatever their order.
 *
 * A CTA has a tile of 128 rows of D; its N is 64 a CTA of the group that shares an MMA: 64, or 128 for a pair. Each CTA
 * holds 128 rows of A and 64 of B a stage, K-major rows of 128 bytes with the 128-byte swizzle. The tensor maps are 2-D, K
 * innermost; boxes are a tile, or a share of it where CTAs load for each other.
 *
 * In 4 bits a row of 128 bytes has 256 elements of K, each 16 with a factor (UE4M3). A block of 512 bytes has the factors of
 * 128 rows, one tile of A or (of however few rows) of B, for 64 elements: a row of their tensor maps. */
#ifndef BLACKWELL_PARAMS_H
#define BLACKWELL_PARAMS_H

#include "ww/types.h"

enum {
    UMMA_M = 128,
    UMMA_N = 64, /* a CTA of the group */
    UMMA_K = 64, /* of a stage */
    UMMA_A_BYTES = UMMA_M * UMMA_K * 2,
    UMMA_B_BYTES = UMMA_N * UMMA_K * 2,
    UMMA_FACTOR_BLOCKS = 4,                       /* of a stage: 4 factors of 128 rows each */
    UMMA_FACTOR_BYTES = UMMA_FACTOR_BLOCKS * 512, /* of A or B */
    UMMA_PART = 32                                /* columns of D that are read at a time */
};

struct blackwell_params {
    ww_tensor_map a_map, b_map;
    ww_tensor_map a_factors, b_factors;
    const uint32_t *a, *b; /* pairs of bf16, k_tiles * UMMA_K / 2 a row */
    float *d;              /* tiles_n tiles a row */
    uint32_t *copy;        /* the tiles of A as a second consumer has seen them, by m, then K */
    uint32_t *tally;       /* a tile, m fastest: how often it was dealt out */
    int tiles_m, tiles_n, k_tiles;
};

#endif
