/* capture: the recorded schedule, a flat list of steps in which blocks are pairs of markers. */
#ifndef WW_CAPTURE_H
#define WW_CAPTURE_H

#include "model/model.h"
#include "warpwright/schedule.h"

typedef enum capture_kind {
    CAPTURE_VERB,
    CAPTURE_WORK,
    CAPTURE_NEXT_TILE,
    CAPTURE_FETCH_TILE,
    CAPTURE_TILE_LOOP,
    CAPTURE_DOMAIN_LOOP,
    CAPTURE_GUARD,
    CAPTURE_END, /* of the block whose opening step is `match` */
} capture_kind;

typedef struct capture_step {
    capture_kind kind;
    ww_place place;
    ww_resource *resource; /* verbs, work, queues; NULL for other blocks */
    ww_verb verb;
    const model_work *work; /* NULL when the method is unknown (already reported) */
    int in[WW_MAX_VALUES];  /* value numbers, from 1; 0: missing */
    int out[WW_MAX_VALUES];
    int constants[WW_MAX_CONSTANTS];
    ww_bound start, end, stride;
    int unroll;
    int guard;
    int period, first; /* WW_GUARD_EVERY */
    int condition;     /* WW_GUARD_WHEN_*: value number, from 1; 0: missing */
    const char *key;   /* likewise; NULL: related to no other */
    int match;         /* blocks: the other marker */
} capture_step;

typedef struct capture_value {
    int step;   /* that made it */
    int output; /* which of its outputs */
    int uses;
} capture_value;

struct ww_schedule {
    ww_kernel *kernel;
    ww_task *task;
    VEC(capture_step) steps;
    VEC(capture_value) values; /* value n is at[n - 1] */
    VEC(int) open;             /* opening steps of the blocks that are open, outermost first */
    bool tile_loop_seen;
};

/* Runs the task's schedule function and records it; diagnoses what can be seen while recording. */
void capture_task(ww_task *t);
/* Completes the declaration, once, after model_resolve: padding tasks, who takes turns, and look-ahead cursors where one
 * task waits and another releases (or acquires and commits). complete.c */
void capture_complete(ww_kernel *k);
/* Whether the schedule has such a step on r. */
bool capture_has_verb(const ww_schedule *s, const ww_resource *r, ww_verb verb);

/* "acquire", "try_wait", ... */
const char *capture_verb_name(ww_verb verb);
/* Which side of a pipeline a verb belongs to. */
ww_side capture_verb_side(ww_verb verb);
/* Short text of a step for messages: "acquire(smem_ab)", "smem_ab.tma_load()". */
void capture_step_text(const capture_step *step, text *out);

#endif
