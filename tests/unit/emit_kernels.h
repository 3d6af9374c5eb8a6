/* Small kernels that use one or two forms of the task program each, for the tests of emission and of reports. Most of
 * them are no use and would not be proved; they are freed by the caller. */
#ifndef WW_TESTS_EMIT_KERNELS_H
#define WW_TESTS_EMIT_KERNELS_H

#include "warpwright/warpwright.h"

ww_kernel *emit_local(void);      /* AsyncAsync, three stages, sm_80 */
ww_kernel *emit_loading(void);    /* AsyncAsync filled by cp.async, sm_89 */
ww_kernel *emit_meeting(void);    /* two tasks at a hardware barrier */
ww_kernel *emit_clustered(void);  /* TmaAsync multicast along n in a cluster of 2 x 2 */
ww_kernel *emit_peer(void);       /* PeerAsync, three ranks on, in a cluster of 4 */
ww_kernel *emit_first_warp(void); /* TmaAsync whose first warp announces for two */
ww_kernel *emit_lanes(void);      /* rings of two lanes and of as many as stages */
ww_kernel *emit_loop_lane(void);  /* a domain loop as a lane */
ww_kernel *emit_merge(void);
ww_kernel *emit_fused(void);
ww_kernel *emit_fork(void);
ww_kernel *emit_ahead(void);      /* waits run ahead of releases */
ww_kernel *emit_aliased(void);    /* two resources in two phases, a third shares a buffer */
ww_kernel *emit_turns(void);      /* two tasks in turn */
ww_kernel *emit_dependent(void);  /* waits for and launches grids */
ww_kernel *emit_counter(void);    /* a counter queue, swizzled */
ww_kernel *emit_blocks(void);     /* guards, unrolled loops, defaults, constants, a task in one CTA */
ww_kernel *emit_umma_1(void);     /* TmaUmma, UmmaAsync, tensor memory */
ww_kernel *emit_async_umma(void); /* AsyncUmma for a pair */
ww_kernel *emit_clc(void);        /* cluster launch control in a cluster of 2 x 2 */
ww_kernel *emit_umma_2(void);     /* umma_1 by pairs in a cluster of 4 */

/* All of them, ended by NULL. */
extern ww_kernel *(*const emit_kernels[])(void);

#endif
