/* Early releases: wgmma reads shared memory after the issuing call has returned, so a slot is given back only
 * after a work body has waited for the group that reads it (PTX ISA, wgmma.wait_group: groups finish in
 * order).
 *
 * The walk remembers the slots that are open and the groups in flight, oldest first, each with the open slot
 * it reads (1: the one released next; 0: none). */
#include "verify/rules.h"

enum { OPEN, GROUPS, FIRST_GROUP, GROUP_BITS = 8, MOST_GROUPS = 4 * (PATH_WORDS - FIRST_GROUP) };

typedef struct release_rule {
    const rule_run *run;
    const ww_resource *resource;
} release_rule;

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
}

static bool reads(const path_walk *w, const ir_op *op)
{
    const release_rule *rule = w->rule;
    for (int i = 0; i < op->effect_count; i++)
        if (op->effects[i].kind == IR_WGMMA_READ &&
            w->program->buffers.at[op->effects[i].buffer].resource == rule->resource->index)
            return true;
    return false;
}

static void on_work(path_walk *w, const ir_op *op, path_state *s)
{
    const release_rule *rule = w->rule;
    if (op->wgmma_groups) {
        groups_finish(s, MOST_GROUPS - 1);
        uint32_t newest = rule_runs_ahead(rule->resource, WW_CONSUMER) ? s->word[OPEN] : 1;
        group_put(s, s->word[GROUPS]++, reads(w, op) ? newest : 0);
    }
    if (op->wgmma_wait >= 0)
        groups_finish(s, (uint32_t)op->wgmma_wait);
}

/* The work body that issued the reads, for the message: any one that reads the resource. */
static const ir_op *reader_of(const path_walk *w)
{
    for (size_t i = 0; i < w->task->ops.len; i++)
        if (w->task->ops.at[i].kind == IR_WORK && reads(w, &w->task->ops.at[i]))
            return &w->task->ops.at[i];
    return NULL;
}

static void report(path_walk *w, int at, uint32_t younger)
{
    const release_rule *rule = w->rule;
    const ir_op *reader = reader_of(w);
    const ww_resource *accumulator = rule_resource(rule->run, reader->resource);
    ww_diag *d = diag_add(rule->run->diags, WW_EARLY_RELEASE, w->task->ops.at[at].place,
                          "task %s: a slot of %s is released while wgmma may still read it, %s",
                          w->task->name, rule->resource->name, path_where(w, at));
    if (younger)
        diag_expected(rule->run->diags, d,
                      "before it, a work body that waits until at most %u group%s in flight", younger,
                      younger == 1 ? " is" : "s are");
    else
        diag_expected(rule->run->diags, d, "before it, a work body that waits until no group is in flight");
    diag_found(rule->run->diags, d, "the group of %s.%s in flight", accumulator->name,
               reader->work->declared->name);
    diag_hint(rule->run->diags, d, "before the release, work with .wgmma_wait = WW_WGMMA_WAIT(%u)", younger);
    diag_related(rule->run->diags, d, reader->place, "the group is committed here");
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
    if (op->kind == IR_WORK)
        on_work(w, op, s);
    else if (event == RULE_OPEN && s->word[OPEN] < (uint32_t)rule->resource->pipeline.stages)
        s->word[OPEN]++;
    else if (event == RULE_CLOSE)
        return on_release(w, at, s);
    return true;
}

void verify_early_releases(const rule_run *run)
{
    for (size_t i = 0; i < run->program->tasks.len; i++)
        for (size_t r = 0; r < run->kernel->resources.len; r++) {
            release_rule rule = {run, run->kernel->resources.at[r]};
            path_walk w = {.program = run->program,
                           .task = &run->program->tasks.at[i],
                           .step = release_step,
                           .rule = &rule};
            if (model_pipelined(rule.resource) && !*rule_broken(run, i, r) && reader_of(&w))
                paths_walk(&w, (path_state){{0}});
        }
}
