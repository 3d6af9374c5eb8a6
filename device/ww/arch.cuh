/* arch: which GPU this pass compiles for, where a wrapper has two forms. The host's pass takes the newer one.
 * */
#ifndef WW_ARCH_CUH
#define WW_ARCH_CUH

/* No clusters, no TMA, no elect and no suspending waits. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#define WW_BEFORE_SM_90 1
#else
#define WW_BEFORE_SM_90 0
#endif

#endif
