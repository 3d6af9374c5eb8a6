/* shared_structs: the layout of the parameter structs, asserted by every compiler that includes this. Include
 * the parameter headers first. */
#ifndef SHARED_STRUCTS_H
#define SHARED_STRUCTS_H

#ifdef __cplusplus
#define SAME(what, bytes) static_assert((what) == (bytes), #what)
#else
#define SAME(what, bytes) _Static_assert((what) == (bytes), #what)
#endif

SAME(sizeof(ww_tensor_map), 128);
SAME(sizeof(ww_tile), 16);
SAME(sizeof(struct gemm_params), 3 * 128 + 64);
SAME(sizeof(struct grid_stride_params), 24);
SAME(sizeof(struct tma_copy_params), 192);
SAME(sizeof(struct persistent_copy_params), 32);
SAME(GEMM_STAGE_BYTES, 49152);
SAME(GEMM_STAGES *GEMM_STAGE_BYTES + 2 * GEMM_STAGING_BYTES, 229376);

#endif
