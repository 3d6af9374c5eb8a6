/* What the rules share: the kernel under check and questions about a task's program. Private to this layer.
 */
#ifndef WW_RULES_H
#define WW_RULES_H

#include "capture/capture.h"
#include "verify/paths.h"
#include "verify/verify.h"

typedef struct rule_run {
    ww_kernel *kernel;
    const ir_program *program;
    diag_list *diags;
    bool *broken; /* [task][resource]: a bracket was refused; rules that build on brackets keep quiet */
} rule_run;

#define VERIFY_RULE(name) void verify_##name(const rule_run *run);
#include "verify/rules.def"
#undef VERIFY_RULE

/* What a finding rests on (doubts.c): all that its texts name. */
typedef struct rule_basis {
    const ir_task *tasks[2];
    const ww_resource *resources[4];
} rule_basis;

/* ON({t}, {r}), ON(.resources = {a, b}) */
#define ON(...) ((rule_basis){__VA_ARGS__})

/* Appends a finding, as diag_add does. All rules' findings are made by this. */
ww_diag *rule_finding(const rule_run *run, ww_code code, ww_place place, rule_basis on, const char *fmt, ...)
    PRINTF_LIKE(5, 6);
/* Where its texts list more. */
void rule_rests_on_task(const rule_run *run, ww_diag *d, const ir_task *t);
void rule_rests_on(const rule_run *run, ww_diag *d, const ww_resource *r);
void rule_rests_on_members(const rule_run *run, ww_diag *d, const ww_resource *group);

/* What an operation means to a resource's bracket. Each recorded verb is exactly one of these. */
typedef enum rule_event { RULE_NOTHING, RULE_OPEN, RULE_CLOSE, RULE_WORK } rule_event;

/* A ring that work fills and empties: memory with a pipeline. Queues and groups are not. */
bool rule_is_ring(const ww_resource *r);

/* Whether the engine reads r's memory on behalf of a work body: by wgmma_reads, umma_reads, or (TMA) bulk_store. */
bool rule_engine_reads(const ir_op *op, int r, model_agent engine);

/* The event that op is for resource r on that side. A verb on a group is one for each of its members. Work counts
 * unless it is auxiliary; a work body whose tensor core instructions read r is consumer work on r. */
rule_event rule_event_of(const ir_program *p, const ir_op *op, int r, ww_side side);

/* Whether the task has such an event; the first of them, or -1. */
int rule_first_event(const ir_program *p, const ir_task *t, int r, ww_side side, rule_event event);

/* Whether the slots of that side may be opened ahead of being closed. */
bool rule_runs_ahead(const ww_resource *r, ww_side side);

/* What a task does of a side: both ends of its brackets (or neither), or one end, with the other end in another
 * task. */
typedef enum rule_part { RULE_WHOLE, RULE_OPENS, RULE_CLOSES } rule_part;
rule_part rule_part_of(const ir_program *p, const ir_task *t, const ww_resource *r, ww_side side);

/* Whether the schedule touches r on that side in any way, auxiliary work included; the operation, or -1. Verbs on a
 * group do not count for its members. */
int rule_first_use(const ir_program *p, const ir_task *t, int r, ww_side side);
/* Likewise, on either side, queue operations included. */
bool rule_uses(const ir_program *p, const ir_task *t, int r);

/* The recorded step that op came from, as text: "acquire(ring)", "ring.fill". */
void rule_step_text(const ir_task *t, const ir_op *op, text *out);

static inline bool *rule_broken(const rule_run *run, size_t task, size_t resource)
{
    return &run->broken[task * run->kernel->resources.len + resource];
}

static inline const ww_resource *rule_resource(const rule_run *run, int index)
{
    return run->kernel->resources.at[index];
}

/* Whether a task waits on a barrier of r where it receives another number of arrivals than it expects. arrivals.c */
bool rule_is_starved(const rule_run *run, const ww_resource *r);
/* Whether a task of one CTA waits on r where other CTAs take part as well. signaling.c */
bool rule_pinned_misfit(const rule_run *run, const ww_resource *r);
/* Whether the warps of a task that announces bytes for r get in each other's way. signaling.c */
bool rule_announcers_misfit(const rule_run *run, const ww_resource *r);
/* Whether some task does not fit the interleave lanes of r. interleave.c */
bool rule_lanes_misfit(const rule_run *run, const ww_resource *r);
/* Whether the brackets of r have been refused in some task. */
bool rule_any_broken(const rule_run *run, size_t resource);

/* Whether a finding rests on something that declaring has found wrong. doubts.c */
bool doubts_about(const ww_kernel *k, const verify_doubts *doubts, const ww_diag *finding);

/* The operation by which the task announces the bytes of r's stages, or NULL. */
const ir_op *rule_announcement(const rule_run *run, const ir_task *t, const ww_resource *r);

/* What that verb is called on for r: r itself, or the group where its members share it. */
const ww_resource *rule_called_on(const ww_resource *r, ww_verb verb);

/* "acquire"/"wait" and "commit"/"release". */
const char *rule_open_name(ww_side side);
const char *rule_close_name(ww_side side);
ww_verb rule_open_verb(ww_side side);
ww_verb rule_close_verb(ww_side side);

#endif
