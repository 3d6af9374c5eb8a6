/* schedule: a task's schedule as a list of calls that can be edited before they are made. */
#ifndef MUTATE_SCHEDULE_H
#define MUTATE_SCHEDULE_H

#include "model/model.h"
#include "warpwright/warpwright.h"

typedef struct schedule_source {
    ww_schedule_function *schedule;
    void *context;
    ww_kernel *kernel;
    const char *task;
} schedule_source;

/* Runs the author's function against a list, edits the list, and makes the calls that are left. context: a
 * schedule_source. */
void schedule_replay(ww_schedule *s, void *context);

#endif
