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
    ww_diag *d = rule_finding(run, WW_GROUP_USE, s->place, ON({t}, {s->resource, g}),
                              "task %s: %s(%s), and all members of %s %s share one", t->name, verb,
                              s->resource->name, mode_names[g->mode], g->name);
    diag_expected(run->diags, d, "%s(%s), once for all members", verb, g->name);
    diag_found(run->diags, d, "%s(%s), on one member", verb, s->resource->name);
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
    ww_diag *d = rule_finding(run, WW_GROUP_USE, s->place, ON({t}, {g}),
                              "task %s: %s(%s), and members of a %s have each their own", t->name, verb,
                              g->name, mode_names[g->mode]);
    rule_rests_on_members(run, d, g);
    diag_expected(run->diags, d, "%s on the members: %s", verb, text_str(&members));
    diag_found(run->diags, d, "%s(%s), on the group", verb, g->name);
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
    ww_diag *d = rule_finding(run, WW_GROUP_USE, op->place, ON({t}, {g}),
                              "task %s: %s(%s), and the task uses no member of it", t->name, verb, g->name);
    rule_rests_on_members(run, d, g);
    diag_expected(run->diags, d, "verbs or work on the members: %s", text_str(&members));
    diag_found(run->diags, d, "%s(%s) alone", verb, g->name);
    diag_hint(run->diags, d, "remove ww_%s(s, %s) from task %s", verb, g->name, t->name);
    mark_broken(run, t, g);
    text_free(&members);
}

static void report_unopened(const rule_run *run, const ir_task *t, const ww_resource *g,
                            const ww_resource *member, const ir_op *op)
{
    const char *close = rule_close_name(closing_side(g)), *open = rule_open_name(closing_side(g));
    ww_diag *d =
        rule_finding(run, WW_GROUP_USE, op->place, ON({t}, {g, member}),
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

/* ---- pairs of CTAs ------------------------------------------------------------------------------------- */

/* Where the shared side of a member arrives when done in that CTA. Multicast only adds CTAs that copy into it. */
static uint32_t told(const ww_cluster *c, const ww_resource *member, int rank)
{
    const model_protocol *p = model_protocol_of(member->pipeline.type);
    ww_pipeline alone = member->pipeline;
    alone.multicast = WW_MULTICAST_NONE;
    return model_targets(c, member->in_group->mode == WW_FORK ? p->full_to : p->empty_to, &alone, rank);
}

static bool runs_in(const ir_task *t, int rank)
{
    return t->only_cta < 0 || t->only_cta == rank;
}

/* A CTA in which a task closes slots of the group, and for which the two members mean different barriers; or -1. */
static int differ_in(const rule_run *run, const ww_resource *g, const ww_resource *a, const ww_resource *b)
{
    const ww_cluster *c = &run->program->cluster;
    for (size_t t = 0; t < run->program->tasks.len; t++)
        for (int rank = 0; rank < run->program->cluster_size; rank++) {
            const ir_task *task = &run->program->tasks.at[t];
            if (runs_in(task, rank) && told(c, a, rank) != told(c, b, rank) &&
                rule_first_event(run->program, task, a->index, closing_side(g), RULE_CLOSE) >= 0)
                return rank;
        }
    return -1;
}

static const char *places(uint32_t ranks, int rank)
{
    return ranks == 1u << rank   ? "its own barrier"
           : ranks & (ranks - 1) ? "the barriers of both CTAs"
                                 : "the leader's barrier";
}

static bool report_pair(const rule_run *run, const ww_resource *g, const ww_resource *a, const ww_resource *b,
                        int rank)
{
    const ww_cluster *c = &run->program->cluster;
    const char *verb = rule_close_name(closing_side(g));
    ww_diag *d = rule_finding(run, WW_GROUP, g->place, ON(.resources = {g, a, b}),
                              "group %s: with V = 2, one %s cannot speak for both %s and %s", g->name, verb,
                              a->name, b->name);
    diag_expected(run->diags, d, "members whose %s arrives at the same barriers in every CTA", verb);
    diag_found(run->diags, d, "in CTA %d of the cluster, %s (%s) at %s, %s (%s) at %s", rank, a->name,
               model_protocol_of(a->pipeline.type)->label, places(told(c, a, rank), rank), b->name,
               model_protocol_of(b->pipeline.type)->label, places(told(c, b, rank), rank));
    diag_hint(run->diags, d,
              "leave %s out of the group: it then has barriers of its own, and copies, if it counts bytes",
              b->name);
    diag_related(run->diags, d, b->place, "%s is declared here", b->name);
    for (size_t t = 0; t < run->program->tasks.len; t++)
        mark_broken(run, &run->program->tasks.at[t], g);
    return false;
}

/* Types of the tensor core count at the leader's barrier, or at both, for what either CTA of a pair does; others at each CTA's
 * own. A barrier that they share cannot be both. */
static bool check_pairs(const rule_run *run, const ww_resource *g)
{
    for (int i = 1; run->program->cluster.v > 1 && i < g->member_count; i++) {
        int rank = differ_in(run, g, g->members[0], g->members[i]);
        if (rank >= 0)
            return report_pair(run, g, g->members[0], g->members[i], rank);
    }
    return true;
}

void verify_groups(const rule_run *run)
{
    for (size_t i = 0; i < run->kernel->resources.len; i++) {
        const ww_resource *g = run->kernel->resources.at[i];
        if (g->kind != MODEL_GROUP || !g->member_count || !check_pairs(run, g))
            continue;
        for (size_t t = 0; t < run->program->tasks.len; t++)
            if (check_verbs(run, &run->program->tasks.at[t], g))
                check_closing(run, &run->program->tasks.at[t], g);
    }
}
