/* The smallest kernels that tests of declaring, recording and lowering need, and what they ask of
 * diagnostics. */
#ifndef WW_TESTS_CORE_KERNEL_H
#define WW_TESTS_CORE_KERNEL_H

#include "lower/lower.h"
#include "warpwright/warpwright.h"

struct core_params {
    int trips, tiles;
};

/* An empty kernel with parameters of core_params. */
ww_kernel *core_kernel(void);

/* A ring "ring" of `type`, 2 stages, one buffer "data" of 1024 bytes; work "fill" (producer, copies the
 * buffer for TMA types), "look" (consumer, makes "int x"), "use" (consumer, takes "int x"), "touch"
 * (auxiliary producer). */
ww_resource *core_ring(ww_kernel *k, ww_pipeline pipeline);

/* Adds a task of one warp at `first_warp` with that schedule. */
ww_task *core_task(ww_kernel *k, const char *name, int first_warp, ww_schedule_function *schedule,
                   void *context);

/* The kernel's first diagnostic with that code, without running the rules; NULL when there is none. */
const ww_diag *core_find(const ww_kernel *k, ww_code code);

/* Lowers without checking. */
ir_program *core_lower(ww_kernel *k);

#endif
