/* Idle work: a ring whose work table says how it is filled (read), and that no task fills (reads). It hands its slots
 * round with nothing in them: a warning, as it may be meant.
 *
 * This comes last and only where nothing is refused: a call that went to another resource by mistake leaves its own ring
 * idle, too. */
#include "verify/rules.h"

static bool names_it(const int *list, int count, const ww_resource *r)
{
    for (int i = 0; i < count; i++)
        if (list[i] == r->index)
            return true;
    return false;
}

/* Work of that resource that fills or reads r's memory. */
static bool would_work(const model_work *w, const ww_resource *owner, const ww_resource *r, ww_side side)
{
    if (owner == r && w->declared->side == side && !w->declared->auxiliary)
        return true;
    return side == WW_CONSUMER && (names_it(w->wgmma_reads, w->wgmma_read_count, r) ||
                                   names_it(w->umma_reads, w->umma_read_count, r));
}

static const model_work *declared_work(const rule_run *run, const ww_resource *r, ww_side side,
                                       const ww_resource **owner)
{
    for (size_t i = 0; i < run->kernel->resources.len; i++) {
        *owner = rule_resource(run, (int)i);
        for (size_t j = 0; j < (*owner)->work.len; j++)
            if (would_work(&(*owner)->work.at[j], *owner, r, side))
                return &(*owner)->work.at[j];
    }
    return NULL;
}

static const ir_op *first_event(const rule_run *run, const ww_resource *r, ww_side side, rule_event event,
                                const ir_task **task)
{
    for (size_t i = 0; i < run->program->tasks.len; i++) {
        *task = &run->program->tasks.at[i];
        int op = rule_first_event(run->program, *task, r->index, side, event);
        if (op >= 0)
            return &(*task)->ops.at[op];
    }
    return NULL;
}

/* Whether a body may reach r's memory through that other resource: a member of the same group, or one that shares buffers. */
static bool is_beside(const ww_resource *r, const ww_resource *other)
{
    bool beside = r == other || (r->in_group && r->in_group == other->in_group);
    for (int i = 0; i < r->buffer_count; i++)
        beside |= r->buffers[i].shares == other;
    for (int i = 0; i < other->buffer_count; i++)
        beside |= other->buffers[i].shares == r;
    return beside;
}

static bool is_worked_on(const rule_run *run, const ww_resource *r, ww_side side)
{
    const ir_task *task;
    for (size_t i = 0; i < run->kernel->resources.len; i++)
        if (is_beside(r, rule_resource(run, (int)i)) &&
            first_event(run, rule_resource(run, (int)i), side, RULE_WORK, &task))
            return true;
    return false;
}

static void report(const rule_run *run, const ww_resource *r, ww_side side, const ww_resource *owner,
                   const model_work *work)
{
    bool producer = side == WW_PRODUCER;
    const ir_task *task;
    const ir_op *op = first_event(run, r, side, RULE_CLOSE, &task);
    if (!op)
        return; /* coverage */
    ww_diag *d = rule_finding(run, WW_IDLE_WORK, op->place, ON({task}, {r, owner}),
                              "task %s: slots of %s are %s, and no task %s them", task->name, r->name,
                              producer ? "committed" : "released", producer ? "fills" : "reads");
    diag_expected(run->diags, d, "%s.%s, or other work like it, in some task", owner->name,
                  work->declared->name);
    diag_found(run->diags, d, "no call of it");
    diag_hint(
        run->diags, d,
        "ww_%s(s, %s, \"%s\") between ww_%s and ww_%s; a pipeline that only hands tokens on needs no buffers",
        work->declared->side == WW_PRODUCER ? "produce" : "consume", owner->name, work->declared->name,
        rule_open_name(side), rule_close_name(side));
    diag_related(run->diags, d, r->place, "%s is declared here", r->name);
}

/* Slots with bytes to count do not complete unless they are filled; that is an error (bytes.c). */
static void check_side(const rule_run *run, const ww_resource *r, ww_side side)
{
    const ww_resource *owner;
    bool counted = side == WW_PRODUCER && model_protocol_of(r->pipeline.type)->full_by == MODEL_BY_EXPECT;
    if (counted || is_worked_on(run, r, side))
        return;
    const model_work *work = declared_work(run, r, side, &owner);
    if (work)
        report(run, r, side, owner, work);
}

void verify_idle_work(const rule_run *run)
{
    if (ww_diag_count(run->diags->first, WW_ERROR))
        return;
    for (size_t i = 0; i < run->kernel->resources.len; i++) {
        const ww_resource *r = rule_resource(run, (int)i);
        bool memory = r->buffer_count || r->tmem_count;
        for (int side = WW_CONSUMER; rule_is_ring(r) && memory && side <= WW_PRODUCER; side++)
            check_side(run, r, (ww_side)side);
    }
}
