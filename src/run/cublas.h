/* cublas: the vendor's GEMM as a peer for measurements, loaded at run time. */
#ifndef WW_RUN_CUBLAS_H
#define WW_RUN_CUBLAS_H

#include "run/device.h"

typedef struct cublas cublas;

/* On the device's own stream, with a workspace of 32 MiB. NULL with the reason where there is no GPU or no
 * cuBLAS. */
cublas *cublas_open(device *d, text *why_not);
void cublas_close(cublas *c);

/* D (M x N) = A (M x K) . B^T (B is N x K), all row-major and dense, at device addresses; sums in f32. Inputs
 * and output are F16 or BF16, the output may be F32. Asynchronous, like a kernel. */
typedef struct cublas_gemm {
    size_t m, n, k;
    device_element input, output;
    uint64_t a, b, d;
} cublas_gemm;

bool cublas_run(cublas *c, const cublas_gemm *g, text *error);

#endif
