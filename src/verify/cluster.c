/* Clusters: copies that reach other CTAs' buffers need such CTAs, and whoever writes there must hear when they are
 * free: the releases of every CTA that a copy reaches arrive at the CTA that issues it. */
#include "verify/arrivers.h"
#include "verify/rules.h"

static const char *reach_name(ww_reach reach)
{
    static const char *const names[] = {
        [WW_REACH_OWN] = "WW_REACH_OWN", [WW_REACH_A] = "WW_REACH_A", [WW_REACH_B] = "WW_REACH_B"};
    return names[reach];
}

/* ---- is there anybody to reach ------------------------------------------------------------------------ */

static void report_alone(const rule_run *run, const ir_task *t, const ir_op *op, ww_reach reach)
{
    const ww_cluster *c = &run->program->cluster;
    const ww_resource *r = rule_resource(run, op->resource);
    ww_diag *d = rule_finding(run, WW_CLUSTER, op->place, ON({t}, {r}),
                              "task %s: a copy of %s.%s has %s, and there is nobody to reach", t->name,
                              r->name, op->work->declared->name, reach_name(reach));
    diag_expected(run->diags, d, "a cluster with several CTAs along %s", reach == WW_REACH_A ? "n" : "m");
    diag_found(run->diags, d, "(v, m, n, k) = (%d, %d, %d, %d)", c->v, c->m, c->n, c->k);
    diag_hint(run->diags, d, "leave .reach out, or declare .cluster in the kernel's options");
}

/* ---- does the release come back ----------------------------------------------------------------------- */

/* The CTA whose tasks consume what lies in this CTA's buffers: with a tensor core of two CTAs, its leader. */
static int consumer_of(const ir_program *p, const ww_resource *r, int rank)
{
    bool leader = model_gate_of(&r->pipeline, MODEL_END_RELEASE) == MODEL_LEADERS;
    return leader ? rank / p->cluster.v * p->cluster.v : rank;
}

static bool is_told(const arrivers *releases, const ww_resource *r, int consumer, int producer)
{
    const ir_program *p = releases->program;
    for (int i = 0; i < releases->count; i++) {
        const arriver *who = &releases->at[i];
        if (arrivers_runs(p, who->task, who->op, consumer, 0) &&
            !(model_targets(&p->cluster, who->op->to, &r->pipeline, consumer) >> producer & 1))
            return false;
    }
    return true;
}

/* A CTA that a copy from `from` reaches and whose release does not come to `from`; -1: none. */
static int deaf_to(const ir_program *p, const arrivers *releases, const ww_resource *r, ww_reach reach,
                   int from)
{
    for (int at = 0; at < p->cluster_size; at++)
        if ((model_reach(&p->cluster, reach, from) >> at & 1) &&
            !is_told(releases, r, consumer_of(p, r, at), from))
            return at;
    return -1;
}

static void report_untold(const rule_run *run, const ir_task *t, const ir_op *op, ww_reach reach, int from,
                          int at)
{
    const ww_resource *r = rule_resource(run, op->resource);
    ww_diag *d =
        rule_finding(run, WW_CLUSTER, op->place, ON({t}, {r}),
                     "task %s: the copies of %s.%s reach CTAs whose releases do not reach back: a race",
                     t->name, r->name, op->work->declared->name);
    diag_expected(run->diags, d, "releases of %s told along the side of %s", r->name, reach_name(reach));
    diag_found(run->diags, d, "CTA %d writes into CTA %d, and does not hear of its releases", from, at);
    diag_hint(run->diags, d, "leave .multicast and .consumer_arrivals of %s out, to have both derived",
              r->name);
    diag_related(run->diags, d, r->place, "%s is declared here", r->name);
}

static bool runs_in(const ir_task *t, int rank)
{
    return t->only_cta < 0 || t->only_cta == rank;
}

/* Whether the releases on other's empty barriers free what is copied into r: in a fork, those of every member. */
static bool frees(const ww_resource *other, const ww_resource *r)
{
    const ww_resource *g = r->in_group;
    return other == model_empty_owner(r) || (g && g->mode == WW_FORK && other->in_group == g);
}

static bool check_told(const rule_run *run, const ir_task *t, const ir_op *op, ww_reach reach, int empty)
{
    const ir_program *p = run->program;
    const ww_resource *owner = rule_resource(run, p->barriers.at[empty].resource);
    arrivers releases = arrivers_of(p, empty);
    for (int from = 0; from < p->cluster_size; from++) {
        int at = runs_in(t, from) ? deaf_to(p, &releases, owner, reach, from) : -1;
        if (at < 0)
            continue;
        report_untold(run, t, op, reach, from, at);
        return false;
    }
    return true;
}

static bool check_reach(const rule_run *run, const ir_task *t, const ir_op *op, ww_reach reach)
{
    const ir_program *p = run->program;
    const ww_resource *r = rule_resource(run, op->resource);
    uint32_t mine = model_reach(&p->cluster, reach, 0);
    if (!(mine & (mine - 1))) {
        report_alone(run, t, op, reach);
        return false;
    }
    for (size_t b = 0; b < p->barriers.len; b++)
        if (p->barriers.at[b].side == IR_EMPTY && frees(rule_resource(run, p->barriers.at[b].resource), r) &&
            !check_told(run, t, op, reach, (int)b))
            return false;
    return true;
}

/* The first mistake of a task with a resource. */
static void check_task(const rule_run *run, const ir_task *t)
{
    for (size_t i = 0; i < t->ops.len; i++) {
        const ir_op *op = &t->ops.at[i];
        for (int c = 0; op->kind == IR_WORK && c < op->work->copy_count; c++) {
            ww_reach reach = op->work->declared->copies[c].reach;
            if (reach != WW_REACH_OWN && !check_reach(run, t, op, reach))
                return;
        }
    }
}

void verify_cluster(const rule_run *run)
{
    for (size_t i = 0; i < run->program->tasks.len; i++)
        check_task(run, &run->program->tasks.at[i]);
}
