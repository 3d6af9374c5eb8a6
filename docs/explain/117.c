/* 117: clusters */
#include "explain.h"

static ww_kernel *wrong(void)
{
    /* wrong: 32 CTAs, and a cluster has 16 at most */
    ww_kernel *k = ww_kernel_new("gemm", &(ww_kernel_options){.cluster = {.m = 8, .n = 4},
                                                              .body = "gemm.cuh",
                                                              .params = "tile_params",
                                                              .params_bytes = sizeof(tile_params)});
    /* end */
    return k;
}

static ww_kernel *right(void)
{
    /* right: 8 are portable */
    ww_kernel *k = ww_kernel_new("gemm", &(ww_kernel_options){.cluster = {.m = 4, .n = 2},
                                                              .body = "gemm.cuh",
                                                              .params = "tile_params",
                                                              .params_bytes = sizeof(tile_params)});
    /* end */
    return k;
}

EXPLAIN(117, .new_wrong = wrong, .new_right = right);
