/* The kernels that spec_*_test.c declare, and what they ask of what comes of them. */
#ifndef WW_TESTS_SPEC_KERNEL_H
#define WW_TESTS_SPEC_KERNEL_H

#include "core_kernel.h"

#define SPEC_TRIPS ww_arg(struct core_params, trips, 0)
#define SPEC_LOOP(s) ww_domain_loop(s, ww_imm(0), SPEC_TRIPS, ww_imm(1))
#define SPEC_ONE_CTA ((ww_cluster){0})

/* What schedules that work on more than one resource are given. */
typedef struct spec_parts {
    ww_resource *a, *b, *c, *group, *queue;
} spec_parts;

/* Parameters of core_params. arch NULL: sm_90a. */
ww_kernel *spec_kernel(const char *arch, ww_cluster cluster);
/* A ring with one buffer "data" of 1024 bytes a stage; work "fill" (which copies it, of types that count bytes) and
 * "use". */
ww_resource *spec_ring(ww_kernel *k, const char *name, ww_pipeline pipeline);
/* A resource with that work alone. */
ww_resource *spec_plain(ww_kernel *k, const char *name, const ww_work *work);
/* A resource in tensor memory, without a pipeline, whose work "mma" lets tcgen05 read `operand`. */
ww_resource *spec_sums(ww_kernel *k, const char *name, const char *operand);
/* A static queue over core_params.tiles. */
ww_resource *spec_queue(ww_kernel *k);
void spec_task(ww_kernel *k, const char *name, int first_warp, int warps, ww_schedule_function *schedule,
               void *context);

/* Schedules of one ring: for each of the trips acquire, fill, commit; wait, use, release. */
void spec_fill(ww_schedule *s, void *ring);
void spec_use(ww_schedule *s, void *ring);

/* Fails, and prints why, unless nothing is wrong with k. What the prover does not model may stay unproved. */
void spec_accept(ww_kernel *k);
/* The first diagnostic of that code, after all the rules; fails where there is none. */
const ww_diag *spec_refuse(ww_kernel *k, ww_code code);
/* The CUDA, whatever the rules say. */
const char *spec_emit(ww_kernel *k);
/* Fails unless these texts (ended by NULL) follow each other in the CUDA, with whatever between. */
void spec_in_order(const char *cuda, const char *const *texts);
#define SPEC_IN_ORDER(cuda, ...) spec_in_order(cuda, (const char *const[]){__VA_ARGS__, NULL})
/* How often the text occurs in one task's part of the CUDA. */
int spec_count(const char *cuda, const char *task, const char *wanted);

/* In the lowered program: a task by its name, its n-th operation of a kind (from 0), a resource's barriers. */
const ir_task *spec_ir_task(const ww_kernel *k, const char *name);
const ir_op *spec_op(const ir_task *t, ir_kind kind, int n);
int spec_ops(const ir_task *t, ir_kind kind);
const ir_barrier *spec_barrier(const ww_kernel *k, const ww_resource *r, ir_side side);

#endif
