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

/* What an operation means to a resource's bracket. Each recorded verb is exactly one of these. */
typedef enum rule_event { RULE_NOTHING, RULE_OPEN, RULE_CLOSE, RULE_WORK } rule_event;

/* The event that op is for resource r on that side. Work counts unless it is auxiliary; a work body whose
 * wgmma group reads r is consumer work on r. */
rule_event rule_event_of(const ir_program *p, const ir_op *op, int r, ww_side side);

/* Whether the task has such an event; the first of them, or -1. */
int rule_first_event(const ir_program *p, const ir_task *t, int r, ww_side side, rule_event event);

/* Whether the slots of that side may be opened ahead of being closed. */
bool rule_runs_ahead(const ww_resource *r, ww_side side);

/* Whether the schedule touches r on that side in any way, auxiliary work included; the operation, or -1. */
int rule_first_use(const ir_program *p, const ir_task *t, int r, ww_side side);

static inline bool *rule_broken(const rule_run *run, size_t task, size_t resource)
{
    return &run->broken[task * run->kernel->resources.len + resource];
}

static inline const ww_resource *rule_resource(const rule_run *run, int index)
{
    return run->kernel->resources.at[index];
}

/* "acquire"/"wait" and "commit"/"release"; "acquired" ... */
const char *rule_open_name(ww_side side);
const char *rule_close_name(ww_side side);

#endif
