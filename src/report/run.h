/* run: what each task executes in a short run, so that reports can tell one visit of a slot from the next. Loops whose bounds
 * are known at launch run long enough to go round every ring. */
#ifndef WW_REPORT_RUN_H
#define WW_REPORT_RUN_H

#include "lower/lower.h"

/* A cursor's slot, how often it has gone round, and both before its last step. */
typedef struct run_place {
    int slot, lap, held_slot, held_lap;
} run_place;

typedef struct run_event {
    int op;
    int slot;   /* WAIT and arrivals: of the barrier */
    int number; /* WAIT: of the completion that it waits for, from 1; arrivals: of the one that it is part of */
    size_t places; /* of the task's cursors, in run.places */
} run_event;

typedef struct run_task {
    VEC(run_event) events;
} run_task;

typedef struct run {
    const ir_program *p;
    run_task *tasks;
    VEC(run_place) places;
    bool cut; /* some task would do more than is kept of it */
} run;

/* `condition`: what when_true and when_false see. */
run *run_new(const ir_program *p, int tiles, bool condition);
void run_free(run *r);

/* Whether an operation arrives on a barrier. */
bool run_arrives(const ir_op *op);
/* Where an effect of an event falls: the slot of its buffer, and how often its cursor has gone round. */
run_place run_effect_place(const run *r, const run_event *e, const ir_effect *effect);

#endif
