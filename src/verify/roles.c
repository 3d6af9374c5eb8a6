/* Rules on who does what: declared roles, unused resources, one-sided pipelines, the dependency graph. */
#include "verify/rules.h"

static bool lists(ww_resource *const *list, const ww_resource *r)
{
    for (int i = 0; i <= WW_MAX_VALUES && list[i]; i++)
        if (list[i] == r)
            return true;
    return false;
}

static const char *role_name(ww_side side)
{
    return side == WW_PRODUCER ? "produces" : "consumes";
}

static ww_resource *const *role_list(const ww_task *t, ww_side side)
{
    return side == WW_PRODUCER ? t->options.produces : t->options.consumes;
}

/* ---- declared roles --------------------------------------------------------------------------------- */

/* An author who lists anything has listed all. */
static bool has_roles(const ww_task *t)
{
    return t->options.consumes[0] || t->options.produces[0];
}

static void check_role(const rule_run *run, const ir_task *t, int index, ww_side side)
{
    const ww_resource *r = rule_resource(run, index);
    int use = rule_first_use(run->program, t, index, side);
    if (use < 0 || lists(role_list(t->task, side), r))
        return;
    const ir_op *op = &t->ops.at[use];
    text step = {0};
    rule_step_text(t, op, &step);
    ww_diag *d = rule_finding(run, WW_ROLE, op->place, ON({t}, {r, rule_resource(run, op->resource)}),
                              "task %s: %s, but the task does not declare that it %s %s", t->name,
                              text_str(&step), role_name(side), r->name);
    diag_expected(run->diags, d, "%s in .%s", r->name, role_name(side));
    diag_found(run->diags, d, "a list of .consumes or .produces, and %s is not in .%s", r->name,
               role_name(side));
    diag_hint(run->diags, d, "add %s to .%s, or list nothing to have both derived", r->name, role_name(side));
    diag_related(run->diags, d, t->task->place, "task %s", t->name);
    text_free(&step);
}

void verify_roles(const rule_run *run)
{
    for (size_t i = 0; i < run->program->tasks.len; i++)
        for (size_t r = 0; r < run->kernel->resources.len && has_roles(run->program->tasks.at[i].task); r++) {
            if (rule_resource(run, (int)r)->kind != MODEL_MEMORY)
                continue; /* queues and barriers need not be listed */
            check_role(run, &run->program->tasks.at[i], (int)r, WW_CONSUMER);
            check_role(run, &run->program->tasks.at[i], (int)r, WW_PRODUCER);
        }
}

/* ---- coverage --------------------------------------------------------------------------------------- */

static void check_listed(const rule_run *run, const ir_task *t, ww_side side)
{
    ww_resource *const *list = role_list(t->task, side);
    for (int i = 0; i <= WW_MAX_VALUES && list[i]; i++) {
        bool memory = list[i]->kind == MODEL_MEMORY;
        if (memory ? rule_first_use(run->program, t, list[i]->index, side) >= 0
                   : rule_uses(run->program, t, list[i]->index))
            continue;
        ww_diag *d = rule_finding(run, WW_COVERAGE, t->task->place, ON({t}, {list[i]}),
                                  "task %s declares that it %s %s, and its schedule never does", t->name,
                                  role_name(side), list[i]->name);
        diag_expected(run->diags, d, "a verb or work on %s that %s it", list[i]->name, role_name(side));
        diag_found(run->diags, d, "none in task %s", t->name);
        diag_hint(run->diags, d, "remove %s from .%s", list[i]->name, role_name(side));
        diag_related(run->diags, d, list[i]->place, "%s is declared here", list[i]->name);
    }
}

/* A task that has the event on r, or NULL; *op is the operation. */
static const ir_task *task_with(const rule_run *run, int r, ww_side side, rule_event event, int *op)
{
    for (size_t i = 0; i < run->program->tasks.len; i++) {
        const ir_task *t = &run->program->tasks.at[i];
        *op = rule_first_event(run->program, t, r, side, event);
        if (*op >= 0)
            return t;
    }
    return NULL;
}

/* No task closes slots of that side, though the other side is in use (or nobody uses the pipeline at all). */
static void report_open_side(const rule_run *run, const ww_resource *r, ww_side side)
{
    int op = -1;
    const ir_task *t = task_with(run, r->index, side, RULE_OPEN, &op);
    ww_place place = t ? t->ops.at[op].place : r->place;
    ww_diag *d = rule_finding(run, WW_COVERAGE, place, ON({t}, {r, r->in_group}),
                              "no task %ss the slots of pipeline %s%s%s", rule_close_name(side), r->name,
                              t ? "; opened by task " : "", t ? t->name : "");
    const char *opened = rule_called_on(r, rule_open_verb(side))->name;
    const char *closed = rule_called_on(r, rule_close_verb(side))->name;
    diag_expected(run->diags, d, "%s(%s) after the work on each slot", rule_close_name(side), closed);
    diag_found(run->diags, d, t ? "%s(%s) alone" : "neither %s(%s) nor %s(%s)", rule_open_name(side), opened,
               rule_close_name(side), closed);
    if (!t) {
        diag_hint(run->diags, d, "a task that calls ww_%s and ww_%s on %s", rule_open_name(side),
                  rule_close_name(side), closed);
        return;
    }
    diag_hint(run->diags, d, "add ww_%s(s, %s) to task %s", rule_close_name(side), closed, t->name);
    diag_related(run->diags, d, r->place, "%s is declared here", r->name);
}

static void check_sides(const rule_run *run, const ww_resource *r)
{
    int op;
    for (int side = WW_CONSUMER; side <= WW_PRODUCER; side++)
        if (!task_with(run, r->index, (ww_side)side, RULE_CLOSE, &op))
            report_open_side(run, r, (ww_side)side);
}

static bool is_used(const rule_run *run, int r)
{
    for (size_t i = 0; i < run->program->tasks.len; i++)
        if (rule_uses(run->program, &run->program->tasks.at[i], r))
            return true;
    return false;
}

/* What the graph is about: memory, and the wait for what the predecessor grid has written. */
static bool belongs_into_graph(const rule_run *run, const ww_resource *r)
{
    return (r->kind == MODEL_MEMORY || r->kind == MODEL_PDL_WAIT) && run->kernel->edges.len &&
           is_used(run, r->index);
}

static bool in_graph(const ww_kernel *k, int r)
{
    for (size_t i = 0; i < k->edges.len; i++)
        if (k->edges.at[i].downstream == r || k->edges.at[i].upstream == r)
            return true;
    return false;
}

void verify_coverage(const rule_run *run)
{
    for (size_t i = 0; i < run->program->tasks.len; i++) {
        check_listed(run, &run->program->tasks.at[i], WW_CONSUMER);
        check_listed(run, &run->program->tasks.at[i], WW_PRODUCER);
    }
    for (size_t i = 0; i < run->kernel->resources.len; i++) {
        const ww_resource *r = run->kernel->resources.at[i];
        if (rule_is_ring(r) && !rule_any_broken(run, i))
            check_sides(run, r);
        if (!belongs_into_graph(run, r) || in_graph(run->kernel, (int)i))
            continue;
        ww_diag *d = rule_finding(run, WW_COVERAGE, r->place, ON(.resources = {r}),
                                  "resource %s is missing in the dependency graph", r->name);
        diag_expected(run->diags, d,
                      "ww_depends for every resource with memory or work, since there is one for some");
        diag_found(run->diags, d, "no edge at %s", r->name);
        diag_hint(run->diags, d, "ww_depends(k, %s, NULL), if it is computed from nothing inside the kernel",
                  r->name);
    }
}

/* ---- the dependency graph --------------------------------------------------------------------------- */

/* Values of a resource without a pipeline may flow through the task's registers, so either side will do. */
static bool takes_from(const rule_run *run, const ir_task *t, const ww_resource *r)
{
    if (!rule_is_ring(r))
        return rule_uses(run->program, t, r->index);
    return rule_first_use(run->program, t, r->index, WW_CONSUMER) >= 0;
}

static bool puts_into(const rule_run *run, const ir_task *t, const ww_resource *r)
{
    if (!rule_is_ring(r))
        return rule_uses(run->program, t, r->index);
    return rule_first_use(run->program, t, r->index, WW_PRODUCER) >= 0;
}

/* An edge at a barrier only means order: a task that has both will do. */
static bool mentions_both(const rule_run *run, const ww_resource *a, const ww_resource *b)
{
    for (size_t i = 0; i < run->program->tasks.len; i++)
        if (rule_uses(run->program, &run->program->tasks.at[i], a->index) &&
            rule_uses(run->program, &run->program->tasks.at[i], b->index))
            return true;
    return false;
}

static bool edge_is_backed(const rule_run *run, const ww_resource *upstream, const ww_resource *downstream)
{
    bool taken = false, put = false;
    if (upstream->kind == MODEL_PDL_WAIT)
        return is_used(run, downstream->index); /* who waits, and when, is a rule of its own (pdl.c) */
    if (model_is_barrier(upstream) || model_is_barrier(downstream))
        return mentions_both(run, upstream, downstream);
    for (size_t i = 0; i < run->program->tasks.len; i++) {
        const ir_task *t = &run->program->tasks.at[i];
        bool takes = takes_from(run, t, upstream), puts = puts_into(run, t, downstream);
        if (takes && puts)
            return true;
        taken |= takes;
        put |= puts;
    }
    return upstream == downstream && taken && put; /* handed to and fro: one task each is enough */
}

/* To and fro: the slots must have barriers, and threads that take turns, not an engine that only reads. */
static bool is_fit_for_turns(const ww_resource *r)
{
    return model_is_queue(r) ||
           (rule_is_ring(r) && model_protocol_of(r->pipeline.type)->consumer != MODEL_UMMA);
}

static void report_turns(const rule_run *run, const model_edge *e, const ww_resource *r)
{
    ww_diag *d = rule_finding(run, WW_GRAPH, e->place, ON(.resources = {r}), "%s is said to depend on itself",
                              r->name);
    diag_expected(run->diags, d,
                  "a pipeline whose consumer is no tensor core, so that its slots go to and fro");
    diag_found(run->diags, d, "%s",
               rule_is_ring(r) ? model_protocol_of(r->pipeline.type)->label : "no pipeline");
    diag_hint(run->diags, d, "remove the edge; ww_ordered_sequence_new lets tasks take turns");
}

static void report_unbacked(const rule_run *run, const model_edge *e, const ww_resource *up,
                            const ww_resource *down)
{
    bool group = up->kind == MODEL_GROUP || down->kind == MODEL_GROUP;
    ww_diag *d = rule_finding(run, WW_GRAPH, e->place, ON(.resources = {up, down}),
                              "%s is said to depend on %s, and no task makes it so", down->name, up->name);
    diag_expected(run->diags, d, "a task that consumes %s and produces %s", up->name, down->name);
    diag_found(run->diags, d, "no task that does both");
    if (group)
        diag_hint(run->diags, d, "name the members of the group, not the group");
    else
        diag_hint(run->diags, d, "remove the edge, or name the resource that %s is computed from",
                  down->name);
}

void verify_graph(const rule_run *run)
{
    for (size_t i = 0; i < run->kernel->edges.len; i++) {
        const model_edge *e = &run->kernel->edges.at[i];
        if (e->upstream < 0)
            continue;
        const ww_resource *up = rule_resource(run, e->upstream), *down = rule_resource(run, e->downstream);
        if (up == down && !is_fit_for_turns(up))
            report_turns(run, e, up);
        else if (!edge_is_backed(run, up, down))
            report_unbacked(run, e, up, down);
    }
}
