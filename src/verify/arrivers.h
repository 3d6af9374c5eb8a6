/* arrivers: who arrives on a barrier of the task program, where and how often. A barrier array has one count for all its
 * stages in all CTAs, but arrivals may differ: by CTA (gates, pinned tasks, destinations) and by interleave lane. */
#ifndef WW_ARRIVERS_H
#define WW_ARRIVERS_H

#include "lower/lower.h"

enum { MOST_ARRIVERS = WW_MAX_TASKS * 2 };

/* One task's way of arriving: an operation that stands for all equal ones of the task. */
typedef struct arriver {
    const ir_task *task;
    const ir_op *op;
} arriver;

typedef struct arrivers {
    const ir_program *program;
    int barrier;
    arriver at[MOST_ARRIVERS];
    int count;
    int lanes; /* that tell stages apart: a common multiple of all strides */
} arrivers;

/* Finds them; once a barrier. */
arrivers arrivers_of(const ir_program *p, int barrier);

/* Arrivals in a phase of a stage of that lane in that CTA. */
uint32_t arrivers_count(const arrivers *a, int rank, int lane);
/* The CTA and lane that receive most. */
uint32_t arrivers_most(const arrivers *a, int *rank, int *lane);
/* The sum in words: "4 warps of store x 1 lane x 2 CTAs + ...". */
void arrivers_text(const arrivers *a, int rank, int lane, text *out);

/* Whether an operation of the task runs in that CTA, and with a cursor that visits that lane. */
bool arrivers_runs(const ir_program *p, const ir_task *t, const ir_op *op, int rank, int lane);

#endif
