/* capture: the recorded schedule, a flat list of steps in which blocks are pairs of markers. */
#ifndef WW_CAPTURE_H
#define WW_CAPTURE_H

#include "model/model.h"
#include "warpwright/schedule.h"

typedef enum capture_kind {
    CAPTURE_VERB,
    CAPTURE_WORK,
    CAPTURE_NEXT_TILE,
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
    ww_bound start, end, stride;
    int guard;
    int match; /* blocks: the other marker */
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

/* "acquire", "try_wait", ... */
const char *capture_verb_name(ww_verb verb);
/* Which side of a pipeline a verb belongs to. */
ww_side capture_verb_side(ww_verb verb);
/* Short text of a step for messages: "acquire(smem_ab)", "smem_ab.tma_load()". */
void capture_step_text(const capture_step *step, text *out);

#endif
