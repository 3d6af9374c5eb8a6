/* Groups: the side that members share is driven on the group, all else on the members.
 *
 * Verbs that belong elsewhere are looked for in what was recorded, because they lower to nothing. */
#include "verify/rules.h"

static const char *const mode_names[] = {
    [WW_MERGE] = "merge", [WW_FORK] = "fork", [WW_FUSED_MERGE] = "fused merge"};
static const char *const verb_lists[] = {
    [WW_MERGE] = "release", [WW_FORK] = "commit", [WW_FUSED_MERGE] = "try_wait, wait and release"};

static ww_side closing_side(const ww_resource *g)
{
    return g->mode == WW_FORK ? WW_PRODUCER : WW_CONSUMER;
}

/* Rules that build on brackets keep quiet about what this rule refuses. */
static void mark_broken(const rule_run *run, const ir_task *t, const ww_resource *g)
{
    for (int i = 0; i < g->member_count; i++)
        *rule_broken(run, (size_t)t->task->index, (size_t)g->members[i]->index) = true;
}

static void list_members(const ww_resource *g, text *out)
{
    for (int i = 0; i < g->member_count; i++)
        text_printf(out, "%s%s", i ? ", " : "", g->members[i]->name);
}

/* ---- each verb where it belongs ----------------------------------------------------------------------- */

static void report_on_member(const rule_run *run, const ir_task *t, const capture_step *s)
{
    const ww_resource *g = s->resource->in_group;
    const char *verb = capture_verb_name(s->verb);
    ww_diag *d =
        diag_add(run->diags, WW_GROUP_USE, s->place, "task %s: %s(%s), and all members of %s %s share one",
                 t->name, verb, s->resource->name, mode_names[g->mode], g->name);
    diag_expected(run->diags, d, "%s(%s), once for all members", verb, g->name);
    diag_hint(run->diags, d, "ww_%s(s, %s)", verb, g->name);
    diag_related(run->diags, d, g->place, "the group is declared here");
    mark_broken(run, t, g);
}

static void report_on_group(const rule_run *run, const ir_task *t, const capture_step *s)
{
    const ww_resource *g = s->resource;
    const char *verb = capture_verb_name(s->verb);
    text members = {0};
    list_members(g, &members);
    ww_diag *d = diag_add(run->diags, WW_GROUP_USE, s->place,
                          "task %s: %s(%s), and members of a %s have each their own", t->name, verb, g->name,
                          mode_names[g->mode]);
    diag_expected(run->diags, d, "%s on the members: %s", verb, text_str(&members));
    diag_hint(run->diags, d, "on a %s, only %s", mode_names[g->mode], verb_lists[g->mode]);
    diag_related(run->diags, d, g->place, "the group is declared here");
    mark_broken(run, t, g);
    text_free(&members);
}

static bool is_misplaced(const capture_step *s)
{
    if (s->kind != CAPTURE_VERB)
        return false;
    if (s->resource->kind == MODEL_GROUP)
        return !s->resource->member_count || rule_called_on(s->resource->members[0], s->verb) != s->resource;
    return rule_called_on(s->resource, s->verb) != s->resource;
}

/* The first of a task and a group. */
static bool check_verbs(const rule_run *run, const ir_task *t, const ww_resource *g)
{
    const ww_schedule *schedule = t->task->schedule;
    for (size_t i = 0; i < schedule->steps.len; i++) {
        const capture_step *s = &schedule->steps.at[i];
        if (!is_misplaced(s) || (s->resource != g && s->resource->in_group != g))
            continue;
        if (s->resource == g)
            report_on_group(run, t, s);
        else
            report_on_member(run, t, s);
        return false;
    }
    return true;
}

/* ---- closing what was opened ------------------------------------------------------------------------- */

static const ir_op *closing_of(const rule_run *run, const ir_task *t, const ww_resource *g)
{
    ww_side side = closing_side(g);
    int op = rule_first_event(run->program, t, g->members[0]->index, side, RULE_CLOSE);
    return op >= 0 && t->ops.at[op].resource == g->index ? &t->ops.at[op] : NULL;
}

static bool opens(const rule_run *run, const ir_task *t, const ww_resource *member)
{
    return rule_first_event(run->program, t, member->index, closing_side(member->in_group), RULE_OPEN) >= 0;
}

static void report_alone(const rule_run *run, const ir_task *t, const ww_resource *g, const ir_op *op)
{
    text members = {0};
    list_members(g, &members);
    const char *verb = rule_close_name(closing_side(g));
    ww_diag *d = diag_add(run->diags, WW_GROUP_USE, op->place,
                          "task %s: %s(%s), and the task uses no member of it", t->name, verb, g->name);
    diag_expected(run->diags, d, "verbs or work on the members: %s", text_str(&members));
    diag_hint(run->diags, d, "remove ww_%s(s, %s) from task %s", verb, g->name, t->name);
    mark_broken(run, t, g);
    text_free(&members);
}

static void report_unopened(const rule_run *run, const ir_task *t, const ww_resource *g,
                            const ww_resource *member, const ir_op *op)
{
    const char *close = rule_close_name(closing_side(g)), *open = rule_open_name(closing_side(g));
    ww_diag *d = diag_add(run->diags, WW_GROUP_USE, op->place,
                          "task %s: %s(%s) gives away the slot of %s as well, which the task has not opened",
                          t->name, close, g->name, member->name);
    diag_expected(run->diags, d, "%s on every member of %s before it", open, g->name);
    diag_found(run->diags, d, "no %s(%s) in task %s", open, member->name, t->name);
    diag_hint(run->diags, d, "ww_%s(s, %s)", open, member->name);
    mark_broken(run, t, g);
}

static void check_closing(const rule_run *run, const ir_task *t, const ww_resource *g)
{
    const ir_op *op = closing_of(run, t, g);
    const ww_resource *unopened = NULL;
    bool used = false, opened = false;
    for (int i = 0; op && i < g->member_count; i++) {
        const ww_resource *member = g->members[i];
        used |= rule_uses(run->program, t, member->index);
        opened |= opens(run, t, member);
        unopened = opens(run, t, member) ? unopened : member;
    }
    if (op && !used)
        report_alone(run, t, g, op);
    else if (op && opened && unopened)
        report_unopened(run, t, g, unopened, op);
}

void verify_groups(const rule_run *run)
{
    for (size_t i = 0; i < run->kernel->resources.len; i++) {
        const ww_resource *g = run->kernel->resources.at[i];
        for (size_t t = 0; g->kind == MODEL_GROUP && g->member_count && t < run->program->tasks.len; t++)
            if (check_verbs(run, &run->program->tasks.at[t], g))
                check_closing(run, &run->program->tasks.at[t], g);
    }
}
