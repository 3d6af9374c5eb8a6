/* Stale values: descriptors are made by auxiliary work on a ring, of the slot that its cursor points to, and handed on as a
 * token to the work whose tensor core instructions read the ring. If the cursor moves between the two, the instructions read
 * another slot than the one that is declared and proved.
 *
 * The walk follows one value: whether it was made at the slot where the cursor still is. */
#include "verify/rules.h"

enum { MADE };

typedef struct stale_rule {
    const rule_run *run;
    const ww_resource *resource;
    int value;
    rule_event move; /* which verb moves the cursor that work sees */
} stale_rule;

/* See lower/work.c: where cursors run ahead, work sees the slot opened last, in tasks that open slots. */
static rule_event mover(const rule_run *run, const ir_task *t, const ww_resource *r)
{
    bool opens = rule_first_event(run->program, t, r->index, WW_CONSUMER, RULE_OPEN) >= 0;
    return opens && rule_runs_ahead(r, WW_CONSUMER) ? RULE_OPEN : RULE_CLOSE;
}

static bool takes(const ir_op *op, int value)
{
    for (int i = 0; i < op->work->in_count; i++)
        if (op->in[i] == value)
            return true;
    return false;
}

static bool reads_by_it(const stale_rule *rule, const ir_op *op)
{
    int r = rule->resource->index;
    return op->kind == IR_WORK && takes(op, rule->value) &&
           (rule_engine_reads(op, r, MODEL_WGMMA) || rule_engine_reads(op, r, MODEL_UMMA));
}

static void report(path_walk *w, int at)
{
    const stale_rule *rule = w->rule;
    diag_list *diags = rule->run->diags;
    const ir_op *op = &w->task->ops.at[at];
    const ir_value *value = &w->task->values.at[rule->value];
    const ir_op *made = &w->task->ops.at[value->producer];
    const char *verb = rule->move == RULE_OPEN ? rule_open_name(WW_CONSUMER) : rule_close_name(WW_CONSUMER);
    text reader = {0}, maker = {0};
    rule_step_text(w->task, op, &reader);
    rule_step_text(w->task, made, &maker);
    ww_diag *d = rule_finding(
        rule->run, WW_STALE_VALUE, op->place,
        ON({w->task}, {rule->resource, rule->resource->in_group, rule_resource(rule->run, op->resource),
                       rule_resource(rule->run, made->resource)}),
        "task %s: %s reads a slot of %s by %s, which was made at another slot, %s", w->task->name,
        text_str(&reader), rule->resource->name, value->name, path_where(w, at));
    diag_expected(diags, d, "%s after the last %s(%s) before it", text_str(&maker), verb,
                  rule_called_on(rule->resource, rule->move == RULE_OPEN ? WW_WAIT : WW_RELEASE)->name);
    diag_found(diags, d, "%s between the two, which moves the cursor", verb);
    diag_hint(diags, d, "make %s anew at each slot, right after ww_wait", value->name);
    diag_related(diags, d, made->place, "%s is made here", value->name);
    text_free(&reader);
    text_free(&maker);
    w->stop = true;
}

static bool value_step(path_walk *w, int at, path_state *s)
{
    const stale_rule *rule = w->rule;
    const ir_op *op = &w->task->ops.at[at];
    if (rule_event_of(w->program, op, rule->resource->index, WW_CONSUMER) == rule->move)
        s->word[MADE] = 0;
    if (reads_by_it(rule, op) && !s->word[MADE]) {
        report(w, at);
        return false;
    }
    if (at == w->task->values.at[rule->value].producer)
        s->word[MADE] = 1;
    return true;
}

/* The ring whose slot the value tells of, or NULL. */
static const ww_resource *ring_of(const rule_run *run, const ir_task *t, int value)
{
    const ir_op *made = &t->ops.at[t->values.at[value].producer];
    const ww_resource *r = rule_resource(run, made->resource);
    const ww_work *w = made->work->declared;
    return rule_is_ring(r) && w->side == WW_CONSUMER && w->auxiliary ? r : NULL;
}

void verify_stale_values(const rule_run *run)
{
    for (size_t i = 0; i < run->program->tasks.len; i++) {
        const ir_task *t = &run->program->tasks.at[i];
        for (size_t v = 0; v < t->values.len; v++) {
            const ww_resource *r = ring_of(run, t, (int)v);
            if (!r || *rule_broken(run, i, (size_t)r->index))
                continue;
            stale_rule rule = {run, r, (int)v, mover(run, t, r)};
            path_walk w = {.program = run->program, .task = t, .step = value_step, .rule = &rule};
            paths_walk(&w, (path_state){.word = {0}});
        }
    }
}
