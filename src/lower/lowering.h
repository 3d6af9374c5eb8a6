/* The state of one lowering walk, shared by the files of this layer. Private to it. */
#ifndef WW_LOWERING_H
#define WW_LOWERING_H

#include "capture/capture.h"
#include "lower/lower.h"

typedef struct probed_side {
    const ww_resource *resource;
    ww_side side;
} probed_side;

typedef struct lowering {
    ww_kernel *kernel;
    ir_program *program;
    ir_task *task;
    const ww_schedule *schedule;
    const capture_step *step; /* being lowered */
    int step_index;
    int verb; /* of the operations being added; -1: none */
    ir_section section;
    int *opened;             /* operation that a block's opening step became */
    VEC(probed_side) probed; /* its index is the number of its status variable */
    VEC(const char *) keys;  /* of when-blocks; NULL: a block of its own */
} lowering;

/* lower.c */
ir_op *lower_add_op(lowering *l, ir_kind kind);

/* barriers.c: the arrays of barriers, and which one an operation means */
void lower_barriers(lowering *l);
int lower_barrier_of(const ir_program *p, int resource, ir_side side, int member);

/* verbs.c */
int lower_cursor_of(lowering *l, const ww_resource *r, ir_role role);
void lower_find_probes(lowering *l);
void lower_verb_step(lowering *l);
void lower_fetch_tile(lowering *l);
void lower_next_tile(lowering *l);
void lower_drains(lowering *l);
/* Interleave lane of a task on a ring of that stride. */
ir_lane lower_lane(const ww_task *t, int stride, int *first);

/* work.c */
void lower_work(lowering *l);

/* fences.c: in the finished program, which fences its memory needs besides those of the protocols */
void lower_fences(ir_program *p);

/* counts.c: one kind of arrival on a barrier: who makes it, by which verb of which resource */
typedef struct lower_arrival {
    const ww_resource *verb_on;  /* the resource or group whose verb it is */
    const ww_resource *pipeline; /* whose pipeline says how */
    ww_verb verb;
    model_by by;
    model_to to;
    model_gate gate;
    model_end end;
} lower_arrival;

/* The arrivals that the protocol puts on a barrier of an owner (model_full_owner, model_empty_owner). */
int lower_arrivals_on(const ww_resource *owner, ir_side side, lower_arrival arrivals[WW_MAX_MEMBERS]);
/* The member of a fork whose acquire announces the bytes; r itself elsewhere. NULL: none does. */
const ww_resource *lower_armer(const ww_resource *r);
/* Whether the task's schedule has that verb on r; of queues: fetches (acquire, commit), advances (wait, release). */
bool lower_task_does(const ww_task *t, const ww_resource *r, ww_verb verb);
model_gate lower_gate(const ww_task *t, const ww_pipeline *p, model_end end);

#endif
