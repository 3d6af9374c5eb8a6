/* Signalling: which warps and which CTAs act for a side of a pipeline, against the tasks that do. */
#include "verify/rules.h"

/* ---- producers of bulk copies with several warps ---------------------------------------------------- */

static void report_warps(const rule_run *run, const ir_task *t, const ww_resource *r, bool both)
{
    text what = {0};
    if (both)
        text_printf(&what, "a stage of %s has one warp, and only the task's first warp announces bytes",
                    r->name);
    else
        text_printf(&what, "its %d warps all announce the bytes of a stage of %s", t->warps, r->name);
    ww_diag *d = rule_finding(run, WW_SIGNALING, rule_announcement(run, t, r)->place, ON({t}, {r}),
                              "task %s: %s", t->name, text_str(&what));
    diag_expected(
        run->diags, d,
        "one warp; or a stride of %d, a stage a warp; or WW_SIGNAL_WARP_LEADER, the first warp for all%s",
        t->warps, both ? "; not both" : "");
    diag_found(run->diags, d, both ? "%d warps, a stride and WW_SIGNAL_WARP_LEADER" : "%d warps, stride 1",
               t->warps);
    diag_hint(run->diags, d,
              both ? "leave out WW_SIGNAL_WARP_LEADER"
                   : ".producer_signaling = WW_SIGNAL_WARP_LEADER, if the warps share the copies of a stage");
    diag_related(run->diags, d, r->place, "%s is declared here", r->name);
    text_free(&what);
}

/* With several warps either a stride or a leader, not both. */
static bool warps_misfit(const rule_run *run, const ir_task *t, const ww_resource *r, bool *both)
{
    const ir_op *op = rule_announcement(run, t, r);
    if (!op || t->warps == 1 || model_protocol_of(r->pipeline.type)->producer != MODEL_TMA)
        return false;
    *both = op->lanes == MODEL_LANES_FIRST;
    return *both == (model_stride(&r->pipeline, MODEL_END_ACQUIRE) > 1);
}

bool rule_announcers_misfit(const rule_run *run, const ww_resource *r)
{
    bool both;
    for (size_t i = 0; rule_is_ring(r) && i < run->program->tasks.len; i++)
        if (warps_misfit(run, &run->program->tasks.at[i], r, &both))
            return true;
    return false;
}

static void check_warps(const rule_run *run, const ir_task *t, const ww_resource *r)
{
    bool both;
    if (warps_misfit(run, t, r, &both))
        report_warps(run, t, r, both);
}

/* ---- tasks of one CTA ------------------------------------------------------------------------------- */

static const ir_op *wait_of(const rule_run *run, const ir_task *t, const ww_resource *r)
{
    int wait = rule_first_event(run->program, t, r->index, WW_CONSUMER, RULE_OPEN);
    return wait < 0 ? NULL : &t->ops.at[wait];
}

/* Where only leaders wait, a task of the leader's CTA is at home; elsewhere its CTA may be the only one that takes part.
 * Whether that is so shows in the arrivals. */
static const ir_task *pinned_misfit(const rule_run *run, const ww_resource *r)
{
    bool leaders = model_signaling(&r->pipeline, MODEL_END_WAIT) & WW_SIGNAL_CTA_LEADER;
    if (leaders || run->program->cluster_size == 1 || !rule_is_starved(run, r))
        return NULL;
    for (size_t i = 0; i < run->program->tasks.len; i++) {
        const ir_task *t = &run->program->tasks.at[i];
        if (t->only_cta >= 0 && wait_of(run, t, r))
            return t;
    }
    return NULL;
}

bool rule_pinned_misfit(const rule_run *run, const ww_resource *r)
{
    return rule_is_ring(r) && pinned_misfit(run, r);
}

static void check_pinned(const rule_run *run, const ww_resource *r)
{
    const ir_task *t = pinned_misfit(run, r);
    if (!t)
        return;
    ww_diag *d = rule_finding(run, WW_SIGNALING, wait_of(run, t, r)->place, ON({t}, {r}),
                              "task %s runs in CTA %d only and waits on %s, in which other CTAs take part",
                              t->name, t->only_cta, r->name);
    diag_expected(run->diags, d, "WW_SIGNAL_CTA_LEADER on the waiting side of %s, or all its tasks in CTA %d",
                  r->name, t->only_cta);
    diag_found(run->diags, d, "WW_SIGNAL_ALL");
    diag_hint(run->diags, d, ".only_cta = WW_ONLY_CTA(%d) in all tasks that use %s, or in none", t->only_cta,
              r->name);
    diag_related(run->diags, d, t->task->place, "task %s", t->name);
}

/* ---- who waits apart from who releases -------------------------------------------------------------- */

static void check_wait_signaling(const rule_run *run, const ww_resource *r)
{
    if (!r->pipeline.wait_signaling || lower_split_consumer(run->kernel, r))
        return;
    ww_diag *d =
        rule_finding(run, WW_SIGNALING, r->place, ON(.resources = {r}),
                     "%s has a signalling of its own for wait, and whoever waits also releases", r->name);
    diag_expected(run->diags, d, "a task that waits on %s and leaves the release to another", r->name);
    diag_found(run->diags, d, ".wait_signaling with .consumer_signaling for the same tasks");
    diag_hint(run->diags, d, "leave out .wait_signaling");
}

/* ---- dynamic queues ------------------------------------------------------------------------------------ */

static void check_queue(const rule_run *run, const ww_resource *q)
{
    if (run->program->cluster_size == 1 || !(q->pipeline.consumer_signaling & WW_SIGNAL_CTA_LEADER))
        return;
    ww_diag *d = rule_finding(run, WW_SIGNALING, q->place, ON(.resources = {q}),
                              "only leaders would take the tiles of work queue %s", q->name);
    diag_expected(run->diags, d, "consumer_signaling WW_SIGNAL_ALL, or left out: every CTA walks the tiles");
    diag_found(run->diags, d, "WW_SIGNAL_CTA_LEADER");
    diag_hint(run->diags, d, "leave it out");
}

void verify_signaling(const rule_run *run)
{
    for (size_t i = 0; i < run->kernel->resources.len; i++) {
        const ww_resource *r = run->kernel->resources.at[i];
        if (model_is_dynamic_queue(r))
            check_queue(run, r);
        if (!rule_is_ring(r))
            continue;
        for (size_t t = 0; t < run->program->tasks.len; t++)
            check_warps(run, &run->program->tasks.at[t], r);
        check_pinned(run, r);
        check_wait_signaling(run, r);
    }
}
