/* Kernels whose reports are kept in this folder. Each has a file of its own, because the reports show line
 * numbers. */
#ifndef WW_TESTS_GOLDEN_KERNELS_H
#define WW_TESTS_GOLDEN_KERNELS_H

#include "warpwright/warpwright.h"

/* Two tasks, one ring: warp 0 loads by TMA, four warps store. */
ww_kernel *golden_two_tasks(void);
/* The same, with a count of arrivals on the empty barrier (4 would be right; 0: derived). */
ww_kernel *golden_two_tasks_with_arrivals(uint32_t consumer_arrivals);

/* A persistent GEMM: load, math and epilogue, in a tile loop, with guards, probes, look-ahead and setmaxnreg.
 */
ww_kernel *golden_gemm(void);

#endif
