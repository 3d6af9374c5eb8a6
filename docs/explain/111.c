/* 111: architectures */
#include "explain.h"

static ww_kernel *wrong(void)
{
    /* wrong: an architecture without mbarriers */
    ww_kernel *k = ww_kernel_new("gemm", &(ww_kernel_options){.arch = "sm_70",
                                                              .body = "gemm.cuh",
                                                              .params = "tile_params",
                                                              .params_bytes = sizeof(tile_params)});
    /* end */
    return k;
}

static ww_kernel *right(void)
{
    /* right: one of those that `ww pipelines --markdown` lists */
    ww_kernel *k = ww_kernel_new("gemm", &(ww_kernel_options){.arch = "sm_90a",
                                                              .body = "gemm.cuh",
                                                              .params = "tile_params",
                                                              .params_bytes = sizeof(tile_params)});
    /* end */
    return k;
}

EXPLAIN(111, .new_wrong = wrong, .new_right = right);
