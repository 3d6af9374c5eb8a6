/* Early releases: engines read a slot after the call that set them going has returned, so a slot is given back only
 * when they have finished.
 *
 * wgmma and bulk stores work in groups that finish in order (PTX ISA, wgmma.wait_group, cp.async.bulk.wait_group): a
 * work body waits until at most n are in flight. tcgen05 tells its end to an mbarrier (tcgen05.commit): a release of a
 * pipeline type with an UMMA consumer is such a commit and may follow the issue at once; a release by threads may not,
 * before the task has waited on a barrier that it committed to.
 *
 * The walk remembers the slots that are open and the groups in flight, oldest first, each with the open slot
 * it reads (1: the one released next; 0: none). An issue of tcgen05 work is a group too. */
#include "verify/rules.h"

enum { OPEN, GROUPS, COMMITTED, FIRST_GROUP, GROUP_BITS = 8, MOST_GROUPS = 4 * (PATH_WORDS - FIRST_GROUP) };

typedef struct engine {
    model_agent agent;
    const char *name;
    const char *wait;               /* how a work body declares that it waits; NULL: it cannot */
    int (*groups)(const ir_op *op); /* it puts in flight */
    int (*left)(const ir_op *op);   /* groups in flight when it returns, at most; -1: as many as before */
} engine;

typedef struct release_rule {
    const rule_run *run;
    const ww_resource *resource;
    const engine *engine;
} release_rule;

/* ---- engines ---------------------------------------------------------------------------------------- */

static int wgmma_groups(const ir_op *op)
{
    return op->wgmma_groups;
}

static int wgmma_left(const ir_op *op)
{
    return op->wgmma_wait;
}

static int bulk_groups(const ir_op *op)
{
    return op->bulk_groups;
}

static int bulk_left(const ir_op *op)
{
    return op->bulk_wait;
}

static int umma_groups(const ir_op *op)
{
    return op->umma;
}

static int umma_left(const ir_op *op)
{
    (void)op;
    return -1;
}

static const engine engines[] = {
    {MODEL_WGMMA, "wgmma", ".wgmma_wait = WW_WGMMA_WAIT", wgmma_groups, wgmma_left},
    {MODEL_TMA, "a bulk store", ".bulk_wait = WW_BULK_WAIT", bulk_groups, bulk_left},
    {MODEL_UMMA, "tcgen05", NULL, umma_groups, umma_left},
};

/* ---- groups in flight ------------------------------------------------------------------------------- */

static uint32_t group_at(const path_state *s, uint32_t i)
{
    return s->word[FIRST_GROUP + i / 4] >> (i % 4 * GROUP_BITS) & 0xff;
}

static void group_put(path_state *s, uint32_t i, uint32_t slot)
{
    uint32_t *word = &s->word[FIRST_GROUP + i / 4], shift = i % 4 * GROUP_BITS;
    *word = (*word & ~(0xffu << shift)) | slot << shift;
}

/* Forgets the oldest groups until `keep` are left. */
static void groups_finish(path_state *s, uint32_t keep)
{
    uint32_t gone = s->word[GROUPS] > keep ? s->word[GROUPS] - keep : 0;
    for (uint32_t i = 0; gone && i < s->word[GROUPS]; i++)
        group_put(s, i, i + gone < s->word[GROUPS] ? group_at(s, i + gone) : 0);
    s->word[GROUPS] -= gone;
    s->word[COMMITTED] -= s->word[COMMITTED] > gone ? gone : s->word[COMMITTED];
}

static void on_work(const release_rule *rule, const ir_op *op, path_state *s)
{
    if (rule->engine->groups(op)) {
        groups_finish(s, MOST_GROUPS - 1);
        uint32_t newest =
            s->word[OPEN] ? s->word[OPEN] : 1; /* a task that only releases works on what goes next */
        group_put(s, s->word[GROUPS]++,
                  rule_engine_reads(op, rule->resource->index, rule->engine->agent) ? newest : 0);
    }
    if (rule->engine->left(op) >= 0)
        groups_finish(s, (uint32_t)rule->engine->left(op));
}

static bool commits_to(const ir_task *t, int barrier)
{
    for (size_t i = 0; i < t->ops.len; i++)
        if (t->ops.at[i].kind == IR_UMMA_COMMIT && t->ops.at[i].barrier == barrier)
            return true;
    return false;
}

/* tcgen05: a commit covers all that was issued before it; a wait on a barrier of this task's commits has seen it. */
static void on_commit_or_wait(const path_walk *w, const ir_op *op, path_state *s)
{
    const release_rule *rule = w->rule;
    if (rule->engine->wait)
        return;
    if (op->kind == IR_UMMA_COMMIT)
        s->word[COMMITTED] = s->word[GROUPS];
    else if (op->kind == IR_WAIT && s->word[COMMITTED] && commits_to(w->task, op->barrier))
        groups_finish(s, s->word[GROUPS] - s->word[COMMITTED]);
}

/* ---- releases --------------------------------------------------------------------------------------- */

/* The work body that issued the reads, for the message: any one that reads the resource. */
static const ir_op *reader_of(const path_walk *w)
{
    const release_rule *rule = w->rule;
    for (size_t i = 0; i < w->task->ops.len; i++)
        if (w->task->ops.at[i].kind == IR_WORK &&
            rule_engine_reads(&w->task->ops.at[i], rule->resource->index, rule->engine->agent))
            return &w->task->ops.at[i];
    return NULL;
}

static void tell_what_to_wait_for(const release_rule *rule, ww_diag *d, uint32_t younger)
{
    diag_list *diags = rule->run->diags;
    if (!rule->engine->wait) {
        diag_expected(diags, d, "a pipeline type whose consumer is UMMA: its release is a tcgen05.commit");
        diag_hint(diags, d, "TmaUmma, AsyncUmma or UmmaUmma as the type of %s", rule->resource->name);
        return;
    }
    if (younger)
        diag_expected(diags, d, "before it, a work body that waits until at most %u group%s in flight",
                      younger, younger == 1 ? " is" : "s are");
    else
        diag_expected(diags, d, "before it, a work body that waits until no group is in flight");
    diag_hint(diags, d, "before the release, work with %s(%u)", rule->engine->wait, younger);
}

static void report(path_walk *w, int at, uint32_t younger)
{
    const release_rule *rule = w->rule;
    const ir_op *reader = reader_of(w);
    ww_diag *d = rule_finding(rule->run, WW_EARLY_RELEASE, w->task->ops.at[at].place,
                              ON({w->task}, {rule->resource, rule_resource(rule->run, reader->resource)}),
                              "task %s: a slot of %s is released while %s may still read it, %s",
                              w->task->name, rule->resource->name, rule->engine->name, path_where(w, at));
    tell_what_to_wait_for(rule, d, younger);
    diag_found(rule->run->diags, d, rule->engine->wait ? "the group of %s.%s in flight" : "%s.%s under way",
               rule_resource(rule->run, reader->resource)->name, reader->work->declared->name);
    diag_related(rule->run->diags, d, reader->place,
                 rule->engine->wait ? "the group is committed here" : "the reads are issued here");
    w->stop = true;
}

/* The oldest open slot goes; what reads it must have finished. */
static bool on_release(path_walk *w, int at, path_state *s)
{
    for (uint32_t i = 0; i < s->word[GROUPS]; i++) {
        if (group_at(s, i) != 1)
            continue;
        uint32_t last = i;
        for (uint32_t j = i; j < s->word[GROUPS]; j++)
            last = group_at(s, j) == 1 ? j : last;
        report(w, at, s->word[GROUPS] - 1 - last);
        return false;
    }
    for (uint32_t i = 0; i < s->word[GROUPS]; i++)
        if (group_at(s, i))
            group_put(s, i, group_at(s, i) - 1);
    if (s->word[OPEN])
        s->word[OPEN]--;
    return true;
}

static bool release_step(path_walk *w, int at, path_state *s)
{
    const release_rule *rule = w->rule;
    const ir_op *op = &w->task->ops.at[at];
    rule_event event = rule_event_of(w->program, op, rule->resource->index, WW_CONSUMER);
    on_commit_or_wait(w, op, s);
    if (op->kind == IR_WORK)
        on_work(rule, op, s);
    else if (event == RULE_OPEN && s->word[OPEN] < (uint32_t)rule->resource->pipeline.stages)
        s->word[OPEN]++;
    else if (event == RULE_CLOSE)
        return on_release(w, at, s);
    return true;
}

/* Where tcgen05.commit releases, the release itself waits for the tensor core. */
static bool waits_by_itself(const ww_resource *r, const engine *e)
{
    return !e->wait && model_protocol_of(r->pipeline.type)->empty_by == MODEL_BY_UMMA;
}

static void check_task(const rule_run *run, const ir_task *t, const ww_resource *r, const engine *e)
{
    release_rule rule = {run, r, e};
    path_walk w = {.program = run->program, .task = t, .step = release_step, .rule = &rule};
    if (reader_of(&w))
        paths_walk(&w, (path_state){.word = {0}});
}

void verify_early_releases(const rule_run *run)
{
    for (size_t i = 0; i < run->program->tasks.len; i++)
        for (size_t j = 0; j < run->kernel->resources.len; j++) {
            const ww_resource *r = run->kernel->resources.at[j];
            for (size_t e = 0; e < ARRAY_LEN(engines); e++)
                if (rule_is_ring(r) && !*rule_broken(run, i, j) && !waits_by_itself(r, &engines[e]))
                    check_task(run, &run->program->tasks.at[i], r, &engines[e]);
        }
}
