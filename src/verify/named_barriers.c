/* Barriers without data: named barriers and ordered sequences, against the tasks that use them. */
#include "verify/rules.h"

enum { WARP_LANES = 32, GROUP_WARPS = 4 };

static bool takes_part(const ir_task *t, const ww_resource *r)
{
    for (size_t i = 0; i < t->ops.len; i++)
        if (t->ops.at[i].resource == r->index && t->ops.at[i].verb >= 0)
            return true;
    return false;
}

static const ir_op *op_with(const ir_task *t, const ww_resource *r, ww_verb verb)
{
    for (size_t i = 0; i < t->ops.len; i++)
        if (t->ops.at[i].resource == r->index && t->ops.at[i].verb == (int)verb)
            return &t->ops.at[i];
    return NULL;
}

/* ---- threads ------------------------------------------------------------------------------------------- */

static void check_threads(const rule_run *run, const ww_resource *r)
{
    int warps = 0;
    text formula = {0};
    for (size_t i = 0; i < run->program->tasks.len; i++) {
        const ir_task *t = &run->program->tasks.at[i];
        if (!takes_part(t, r))
            continue;
        text_printf(&formula, "%s%d warp%s of %s", warps ? " + " : "", t->warps, t->warps > 1 ? "s" : "",
                    t->name);
        warps += t->warps;
    }
    if (r->threads && warps && r->threads != warps * WARP_LANES) {
        ww_diag *d = rule_finding(run, WW_NAMED_BARRIER, r->place, ON(.resources = {r}),
                                  "named barrier %s waits for %d threads, and %s", r->name, r->threads,
                                  r->threads > warps * WARP_LANES ? "so many never come" : "more come");
        for (size_t i = 0; i < run->program->tasks.len; i++)
            if (takes_part(&run->program->tasks.at[i], r))
                rule_rests_on_task(run, d, &run->program->tasks.at[i]);
        diag_expected(run->diags, d, "%d = 32 x (%s)", warps * WARP_LANES, text_str(&formula));
        diag_found(run->diags, d, "%d", r->threads);
        diag_hint(run->diags, d, "0, to have them counted");
    }
    text_free(&formula);
}

/* A barrier for each warpgroup of one task, whole warpgroups from a warp that begins one. */
static void check_warpgroups(const rule_run *run, const ww_resource *r)
{
    const ir_task *first = NULL;
    for (size_t i = 0; i < run->program->tasks.len; i++) {
        const ir_task *t = &run->program->tasks.at[i];
        if (!takes_part(t, r))
            continue;
        const char *wrong = first ? "is used by a second task" : NULL;
        if (t->warps % GROUP_WARPS || t->first_warp % GROUP_WARPS)
            wrong = "is used by a task that is not made of whole warpgroups";
        if (wrong) {
            ww_diag *d = rule_finding(run, WW_NAMED_BARRIER, t->task->place, ON({t, first}, {r}),
                                      "warpgroup barrier %s %s: %s", r->name, wrong, t->name);
            diag_expected(run->diags, d, "one task, of a multiple of 4 warps that begins at one");
            diag_found(run->diags, d, "warps %d to %d of %s", t->first_warp, t->first_warp + t->warps - 1,
                       t->name);
            diag_hint(run->diags, d,
                      "a barrier of its own for each task, ww_named_barrier_new for other shapes");
            return;
        }
        first = t;
    }
}

/* ---- somebody waits ------------------------------------------------------------------------------------ */

static void check_sync(const rule_run *run, const ww_resource *r)
{
    const ir_op *arrive = NULL;
    const ir_task *task = NULL;
    for (size_t i = 0; i < run->program->tasks.len; i++) {
        const ir_task *t = &run->program->tasks.at[i];
        if (op_with(t, r, WW_SYNC))
            return;
        if (!arrive && (arrive = op_with(t, r, WW_SYNC_ARRIVE)))
            task = t;
    }
    if (!arrive)
        return;
    ww_diag *d =
        rule_finding(run, WW_NAMED_BARRIER, arrive->place, ON({task}, {r}),
                     "task %s arrives on named barrier %s, and no task waits on it", task->name, r->name);
    diag_expected(run->diags, d, "a task with sync(%s)", r->name);
    diag_found(run->diags, d, "sync_arrive(%s) alone", r->name);
    diag_hint(run->diags, d, "ww_sync(s, %s) where the arrivals are waited for", r->name);
}

/* ---- one CTA ------------------------------------------------------------------------------------------- */

static const char *ctas_text(const rule_run *run, const ir_task *t)
{
    return t->only_cta < 0 ? "all CTAs" : arena_printf(run->diags->arena, "CTA %d alone", t->only_cta);
}

/* A CTA has barriers of its own: who meets at one must run in the same CTAs. */
static void check_ctas(const rule_run *run, const ww_resource *r)
{
    const ir_task *first = NULL;
    for (size_t i = 0; i < run->program->tasks.len; i++) {
        const ir_task *t = &run->program->tasks.at[i];
        if (!takes_part(t, r))
            continue;
        if (first && first->only_cta != t->only_cta) {
            ww_diag *d = rule_finding(run, WW_NAMED_BARRIER, t->task->place, ON({first, t}, {r}),
                                      "tasks %s and %s meet at %s and do not run in the same CTAs",
                                      first->name, t->name, r->name);
            diag_expected(run->diags, d, "the same .only_cta in both, or none");
            diag_found(run->diags, d, "%s in %s, %s in %s", first->name, ctas_text(run, first), t->name,
                       ctas_text(run, t));
            diag_hint(run->diags, d, ".only_cta of task %s as of task %s", t->name, first->name);
            diag_related(run->diags, d, first->task->place, "task %s", first->name);
            return;
        }
        first = t;
    }
}

void verify_named_barriers(const rule_run *run)
{
    for (size_t i = 0; i < run->kernel->resources.len; i++) {
        const ww_resource *r = run->kernel->resources.at[i];
        if (r->kind != MODEL_NAMED_BARRIER && r->kind != MODEL_ORDERED)
            continue;
        if (r->kind == MODEL_NAMED_BARRIER) {
            if (r->by_warpgroup)
                check_warpgroups(run, r);
            else
                check_threads(run, r);
            check_sync(run, r);
        }
        if (run->program->cluster_size > 1)
            check_ctas(run, r);
    }
}
