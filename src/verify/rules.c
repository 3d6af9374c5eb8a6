/* Questions that several rules ask about a task's program. */
#include "verify/rules.h"

/* ---- findings ------------------------------------------------------------------------------------------ */

void rule_rests_on_task(const rule_run *run, ww_diag *d, const ir_task *t)
{
    diag_rests_on(run->diags, d, DIAG_TASK, t->task->index);
}

void rule_rests_on(const rule_run *run, ww_diag *d, const ww_resource *r)
{
    diag_rests_on(run->diags, d, DIAG_RESOURCE, r->index);
}

void rule_rests_on_members(const rule_run *run, ww_diag *d, const ww_resource *group)
{
    for (int i = 0; i < group->member_count; i++)
        rule_rests_on(run, d, group->members[i]);
}

ww_diag *rule_finding(const rule_run *run, ww_code code, ww_place place, rule_basis on, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    ww_diag *d = diag_add_v(run->diags, code, place, fmt, args);
    va_end(args);
    for (size_t i = 0; i < ARRAY_LEN(on.tasks); i++)
        if (on.tasks[i])
            rule_rests_on_task(run, d, on.tasks[i]);
    for (size_t i = 0; i < ARRAY_LEN(on.resources); i++)
        if (on.resources[i])
            rule_rests_on(run, d, on.resources[i]);
    return d;
}

/* ---- operations ---------------------------------------------------------------------------------------- */

bool rule_is_ring(const ww_resource *r)
{
    return r->kind == MODEL_MEMORY && model_pipelined(r);
}

static bool names(const int *list, int count, int r)
{
    for (int i = 0; i < count; i++)
        if (list[i] == r)
            return true;
    return false;
}

bool rule_engine_reads(const ir_op *op, int r, model_agent engine)
{
    const model_work *w = op->work;
    switch (engine) {
    case MODEL_WGMMA: return names(w->wgmma_reads, w->wgmma_read_count, r);
    case MODEL_UMMA: return names(w->umma_reads, w->umma_read_count, r);
    case MODEL_TMA: return op->resource == r && w->declared->bulk_store;
    default: return false;
    }
}

static bool tensor_core_reads(const ir_op *op, int r)
{
    return rule_engine_reads(op, r, MODEL_WGMMA) || rule_engine_reads(op, r, MODEL_UMMA);
}

/* The verb acts on r: called on it, or on the group that it is a member of. */
static bool concerns(const ir_program *p, const ir_op *op, int r)
{
    if (op->resource < 0 || op->verb < 0)
        return false;
    return op->resource == r || p->kernel->resources.at[r]->in_group == p->kernel->resources.at[op->resource];
}

rule_event rule_event_of(const ir_program *p, const ir_op *op, int r, ww_side side)
{
    bool producer = side == WW_PRODUCER;
    if (op->kind == IR_WORK) {
        bool own = op->resource == r && op->work->declared->side == side && !op->work->declared->auxiliary;
        return own || (!producer && tensor_core_reads(op, r)) ? RULE_WORK : RULE_NOTHING;
    }
    if (!concerns(p, op, r))
        return RULE_NOTHING;
    if (op->kind == IR_WAIT && op->verb == (int)rule_open_verb(side))
        return RULE_OPEN;
    if (op->kind == IR_ADVANCE && op->verb == (int)rule_close_verb(side))
        return RULE_CLOSE;
    return RULE_NOTHING;
}

int rule_first_event(const ir_program *p, const ir_task *t, int r, ww_side side, rule_event event)
{
    for (size_t i = 0; i < t->ops.len; i++)
        if (rule_event_of(p, &t->ops.at[i], r, side) == event)
            return (int)i;
    return -1;
}

bool rule_runs_ahead(const ww_resource *r, ww_side side)
{
    return side == WW_PRODUCER ? r->pipeline.advance_on_acquire : r->pipeline.advance_on_wait;
}

/* One end alone: 1 opens, -1 closes, 0 both or neither. */
static int lone_end(const ir_program *p, const ir_task *t, int r, ww_side side)
{
    bool opens = rule_first_event(p, t, r, side, RULE_OPEN) >= 0;
    bool closes = rule_first_event(p, t, r, side, RULE_CLOSE) >= 0;
    return opens - closes;
}

/* A lone end is part of a split bracket only if some other task has the other end, alone too. */
rule_part rule_part_of(const ir_program *p, const ir_task *t, const ww_resource *r, ww_side side)
{
    int end = lone_end(p, t, r->index, side);
    for (size_t i = 0; end && i < p->tasks.len; i++)
        if (lone_end(p, &p->tasks.at[i], r->index, side) == -end)
            return end > 0 ? RULE_OPENS : RULE_CLOSES;
    return RULE_WHOLE;
}

int rule_first_use(const ir_program *p, const ir_task *t, int r, ww_side side)
{
    (void)p;
    for (size_t i = 0; i < t->ops.len; i++) {
        const ir_op *op = &t->ops.at[i];
        bool verb = op->verb >= 0 && op->resource == r && capture_verb_side((ww_verb)op->verb) == side;
        bool work = op->kind == IR_WORK && op->resource == r && op->work->declared->side == side;
        if (verb || work || (op->kind == IR_WORK && side == WW_CONSUMER && tensor_core_reads(op, r)))
            return (int)i;
    }
    return -1;
}

bool rule_uses(const ir_program *p, const ir_task *t, int r)
{
    const ww_resource *resource = p->kernel->resources.at[r];
    if (model_is_queue(resource))
        return t->queue == r;
    return rule_first_use(p, t, r, WW_CONSUMER) >= 0 || rule_first_use(p, t, r, WW_PRODUCER) >= 0;
}

bool rule_any_broken(const rule_run *run, size_t resource)
{
    for (size_t i = 0; i < run->program->tasks.len; i++)
        if (*rule_broken(run, i, resource))
            return true;
    return false;
}

void rule_step_text(const ir_task *t, const ir_op *op, text *out)
{
    capture_step_text(&t->task->schedule->steps.at[op->step], out);
}

const ir_op *rule_announcement(const rule_run *run, const ir_task *t, const ww_resource *r)
{
    for (size_t i = 0; i < t->ops.len; i++) {
        const ir_op *op = &t->ops.at[i];
        if (op->kind == IR_EXPECT && op->resource == r->index &&
            run->program->barriers.at[op->barrier].side == IR_FULL)
            return op;
    }
    return NULL;
}

const ww_resource *rule_called_on(const ww_resource *r, ww_verb verb)
{
    static const unsigned shared[] = {[WW_MERGE] = 1u << WW_RELEASE,
                                      [WW_FORK] = 1u << WW_COMMIT,
                                      [WW_FUSED_MERGE] =
                                          1u << WW_TRY_WAIT | 1u << WW_WAIT | 1u << WW_RELEASE};
    return r->in_group && shared[r->in_group->mode] >> verb & 1 ? r->in_group : r;
}

ww_verb rule_open_verb(ww_side side)
{
    return side == WW_PRODUCER ? WW_ACQUIRE : WW_WAIT;
}

ww_verb rule_close_verb(ww_side side)
{
    return side == WW_PRODUCER ? WW_COMMIT : WW_RELEASE;
}

const char *rule_open_name(ww_side side)
{
    return capture_verb_name(rule_open_verb(side));
}

const char *rule_close_name(ww_side side)
{
    return capture_verb_name(rule_close_verb(side));
}
