/* gemms_params: D = A . B^T, a tile of 64 x 16 a CTA, bf16 with sums in f32; all numbers are small integers, so that the
 * sums are exact whatever their order.
 *
 * Operand tiles are K-major rows of 128 bytes with the 128-byte swizzle. The tensor maps are 2-D, K innermost. */
#ifndef GEMMS_PARAMS_H
#define GEMMS_PARAMS_H

#include "ww/types.h"

enum {
    GEMM_M = 64,
    GEMM_N = 16,
    GEMM_K = 64, /* of a stage */
    GEMM_A_BYTES = GEMM_M * GEMM_K * 2,
    GEMM_B_BYTES = GEMM_N * GEMM_K * 2,
    GEMM_D_BYTES = GEMM_M * GEMM_N * 4
};

struct gemms_params {
    ww_tensor_map a_map, b_map; /* boxes of GEMM_M x GEMM_K and GEMM_N x GEMM_K */
    ww_tensor_map b_half_map;   /* box of GEMM_N / 2 x GEMM_K, for CTAs that load B for each other */
    ww_tensor_map d_map;        /* box of GEMM_M x GEMM_N, f32, no swizzle */
    const uint32_t *a, *b;      /* pairs of bf16, k_tiles * GEMM_K / 2 a row */
    float *d;             /* GEMM_N a row; for two tasks that share the work, one matrix after the other */
    uint32_t *copy;       /* the tiles of A as a second consumer has seen them */
    int k_tiles, k_pairs; /* pairs: half of them */
};

#endif
