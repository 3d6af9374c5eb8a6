/* Programmatic dependent launch: what depends on the predecessor grid is touched after griddepcontrol.wait, and the
 * successor is launched when some wait has been passed, on every path.
 *
 * A launch is after a wait if its task has waited, or has passed a barrier that somebody completes who had: a phase
 * needs every arrival, so one task of those that arrive is enough. Which barriers do that is found by going round the
 * tasks until no more are found. */
#include "verify/rules.h"

/* ---- dependents: state word 0: the wait has been passed ------------------------------------------------ */

typedef struct dependent {
    const rule_run *run;
    const ww_resource *resource, *wait;
} dependent;

/* A consumer of a ring hears of the wait through its producer. */
static bool touches(const path_walk *w, const ir_op *op, const ww_resource *r)
{
    return rule_event_of(w->program, op, r->index, WW_PRODUCER) == RULE_WORK ||
           (!rule_is_ring(r) && rule_event_of(w->program, op, r->index, WW_CONSUMER) == RULE_WORK);
}

static bool waits_at_all(const ir_task *t, const ww_resource *wait)
{
    for (size_t i = 0; i < t->ops.len; i++)
        if (t->ops.at[i].kind == IR_GRIDDEP_WAIT && t->ops.at[i].resource == wait->index)
            return true;
    return false;
}

static bool dependent_step(path_walk *w, int at, path_state *s)
{
    const dependent *d = w->rule;
    const ir_op *op = &w->task->ops.at[at];
    if (op->kind == IR_GRIDDEP_WAIT && op->resource == d->wait->index)
        s->word[0] = 1;
    if (s->word[0] || !touches(w, op, d->resource))
        return true;
    diag_list *diags = d->run->diags;
    text step = {0};
    rule_step_text(w->task, op, &step);
    ww_diag *diag = rule_finding(d->run, WW_PDL, op->place,
                                 ON({w->task}, {d->wait, d->resource, rule_resource(d->run, op->resource)}),
                                 "task %s: %s before griddep_wait(%s), %s", w->task->name, text_str(&step),
                                 d->wait->name, path_where(w, at));
    diag_expected(diags, diag, "griddep_wait(%s) before it on every path, because %s depends on it",
                  d->wait->name, d->resource->name);
    diag_found(diags, diag,
               waits_at_all(w->task, d->wait) ? "a path without it" : "no griddep_wait(%s) in this task",
               d->wait->name);
    diag_hint(diags, diag, "ww_griddep_wait(s, %s) before the loops of task %s", d->wait->name,
              w->task->name);
    text_free(&step);
    w->stop = true;
    return false;
}

/* Each pair once, however often the edge is given. */
static bool given_before(const ww_kernel *k, size_t edge)
{
    for (size_t i = 0; i < edge; i++)
        if (k->edges.at[i].downstream == k->edges.at[edge].downstream &&
            k->edges.at[i].upstream == k->edges.at[edge].upstream)
            return true;
    return false;
}

static void check_dependents(const rule_run *run)
{
    for (size_t i = 0; i < run->kernel->edges.len; i++) {
        const model_edge *e = &run->kernel->edges.at[i];
        if (e->upstream < 0 || rule_resource(run, e->upstream)->kind != MODEL_PDL_WAIT ||
            given_before(run->kernel, i))
            continue;
        dependent d = {run, rule_resource(run, e->downstream), rule_resource(run, e->upstream)};
        for (size_t t = 0; t < run->program->tasks.len; t++) {
            path_walk w = {.program = run->program,
                           .task = &run->program->tasks.at[t],
                           .step = dependent_step,
                           .rule = &d};
            paths_walk(&w, (path_state){.word = {0}});
        }
    }
}

/* ---- launches: state word 0: this task knows of a wait ------------------------------------------------- */

/* What a task does to a barrier's phases, and whether ever without knowing of a wait. */
typedef struct contribution {
    bool arrives, arrives_early, copies, copies_early;
} contribution;

typedef struct launches {
    const rule_run *run;
    bool *telling;         /* by barrier: who passes it knows of a wait */
    contribution *of_task; /* by barrier */
    bool report;
} launches;

static void note_contributions(launches *l, const ir_op *op, bool early)
{
    if (ir_is_arrival(op) && op->barrier >= 0) {
        l->of_task[op->barrier].arrives = true;
        l->of_task[op->barrier].arrives_early |= early;
    }
    for (int i = 0; op->kind == IR_WORK && i < op->effect_count; i++)
        if (op->effects[i].kind == IR_COPY_IN && op->effects[i].barrier >= 0) {
            l->of_task[op->effects[i].barrier].copies = true;
            l->of_task[op->effects[i].barrier].copies_early |= early;
        }
}

static void report_launch(const path_walk *w, const launches *l, int at)
{
    const ir_op *op = &w->task->ops.at[at];
    diag_list *diags = l->run->diags;
    ww_diag *d = rule_finding(l->run, WW_PDL, op->place, ON({w->task}, {rule_resource(l->run, op->resource)}),
                              "task %s: griddep_launch(%s) can run before any griddep_wait, %s",
                              w->task->name, rule_resource(l->run, op->resource)->name, path_where(w, at));
    diag_expected(diags, d,
                  "a griddep_wait before it in this task, or a wait for what a task that has waited commits");
    diag_found(diags, d, "neither on every path to it");
    diag_hint(diags, d,
              "ww_griddep_wait in task %s as well; .pdl_wait_done = true, if the kernel waits elsewhere",
              w->task->name);
}

static bool launch_step(path_walk *w, int at, path_state *s)
{
    launches *l = w->rule;
    const ir_op *op = &w->task->ops.at[at];
    bool passes = op->kind == IR_WAIT && op->barrier >= 0 && !op->drain && l->telling[op->barrier];
    if (op->kind == IR_GRIDDEP_WAIT || passes)
        s->word[0] = 1;
    note_contributions(l, op, !s->word[0]);
    if (op->kind != IR_GRIDDEP_LAUNCH || s->word[0] || !l->report)
        return true;
    report_launch(w, l, at);
    w->stop = true;
    return false;
}

static void walk_task(launches *l, const ir_task *t)
{
    path_walk w = {.program = l->run->program, .task = t, .step = launch_step, .rule = l};
    memset(l->of_task, 0, l->run->program->barriers.len * sizeof *l->of_task);
    paths_walk(&w, (path_state){.word = {0}});
}

/* Full barriers and hardware barriers; the first phase of others counts as completed from the start. With interleave
 * lanes a stage does not hear of every task. */
static bool can_tell(const rule_run *run, const ir_barrier *b)
{
    const ww_resource *r = rule_resource(run, b->resource);
    if (b->side == IR_NAMED)
        return true;
    return b->side == IR_FULL && model_stride(&r->pipeline, MODEL_END_ACQUIRE) == 1 &&
           model_stride(&r->pipeline, MODEL_END_COMMIT) == 1;
}

/* One round; true when a barrier was found to tell. */
static bool find_telling(launches *l)
{
    const ir_program *p = l->run->program;
    bool found = false;
    for (size_t t = 0; t < p->tasks.len; t++) {
        walk_task(l, &p->tasks.at[t]);
        for (size_t b = 0; b < p->barriers.len; b++) {
            const contribution *c = &l->of_task[b];
            bool knows = (c->arrives && !c->arrives_early) || (c->copies && !c->copies_early);
            if (!knows || l->telling[b] || !can_tell(l->run, &p->barriers.at[b]))
                continue;
            l->telling[b] = found = true;
        }
    }
    return found;
}

static bool has_launch(const ir_task *t)
{
    for (size_t i = 0; i < t->ops.len; i++)
        if (t->ops.at[i].kind == IR_GRIDDEP_LAUNCH)
            return true;
    return false;
}

static void check_launches(const rule_run *run)
{
    size_t barriers = run->program->barriers.len + 1;
    arena *a = &run->kernel->arena;
    launches l = {run, arena_array(a, bool, barriers), arena_array(a, contribution, barriers), false};
    while (find_telling(&l))
        ;
    l.report = true;
    for (size_t t = 0; t < run->program->tasks.len; t++)
        if (has_launch(&run->program->tasks.at[t]))
            walk_task(&l, &run->program->tasks.at[t]);
}

void verify_pdl(const rule_run *run)
{
    bool launched = false;
    for (size_t t = 0; t < run->program->tasks.len; t++)
        launched |= has_launch(&run->program->tasks.at[t]);
    if (run->kernel->options.pdl_wait_done)
        return;
    check_dependents(run);
    if (launched)
        check_launches(run);
}
