/* Rules whose cases want a declaration of several lines. */
#ifndef WW_TESTS_DECLARED_H
#define WW_TESTS_DECLARED_H

#include "warpwright/diag.h"
#include "warpwright/kernel.h"
#include "warpwright/schedule.h"

typedef struct declared_case {
    const char *name; /* NULL ends */
    void (*declare)(ww_kernel *k);
    ww_code code;     /* of the first error of the rules; 0: accepted, and proved */
    const char *says; /* part of its message */
    const char *arch;
    ww_cluster cluster;
} declared_case;

typedef struct declared_params {
    int trips, tiles;
} declared_params;

typedef struct parts {
    ww_resource *ring, *queue, *wait, *launch, *input;
} parts;

/* An MMA's operands, alone or in a group, and its sum. */
typedef struct operands {
    ww_resource *a, *b, *group, *sum;
} operands;

#define LOOP(s) ww_domain_loop(s, ww_imm(0), ww_arg(declared_params, trips, 0), ww_imm(1))

/* A ring of 2 stages, if not told otherwise, with work "fill" and "use"; one that threads fill and read; a static queue; a
 * kernel that is right, to add to. */
ww_resource *declared_ring(ww_kernel *k, const char *name, ww_pipeline pipeline);
ww_resource *declared_ring_of_threads(ww_kernel *k);
ww_resource *declared_queue(ww_kernel *k, const char *skip);
void declared_task(ww_kernel *k, const char *name, int first_warp, int warps, ww_schedule_function *schedule,
                   void *context);
void declared_fill(ww_schedule *s, ww_resource *ring);
void declared_use(ww_schedule *s, ww_resource *ring);
void declared_fill_all(ww_schedule *s, void *ring);
void declared_use_all(ww_schedule *s, void *ring);
void declared_right(ww_kernel *k);
void declared_fill_a(ww_schedule *s, void *of_operands);
void declared_fill_b(ww_schedule *s, void *of_operands);
void declared_use_sum(ww_schedule *s, void *of_operands);

extern const declared_case declared_schedules[], declared_resources[];

#endif
