/* Doubts: what a kernel's errors of declaring leave for the rules to judge.
 *
 * A resource is ill if declaring found an error at its place, a task if one was found in its options or its schedule. A
 * rule's finding is kept if it rests on neither: not on an ill task or resource, nor on a resource that an ill task names,
 * for that task's calls are not all recorded. What a finding rests on it carries with it, by number (rule_finding): all tasks and
 * resources that its texts name, which every test checks (tests/complete.c), and what a rule adds. */
#include "verify/rules.h"

struct verify_doubts {
    uint32_t tasks;  /* bits: ill */
    bool *resources; /* by index: ill, or named by an ill task */
    bool any_resource, graph;
};

static bool same_place(ww_place a, ww_place b)
{
    return a.file && b.file && a.line == b.line && strcmp(a.file, b.file) == 0;
}

/* ---- what is ill -------------------------------------------------------------------------------------- */

/* After these nothing is as it was meant: memories, units, numbers of tasks. */
static bool is_fatal(const ww_kernel *k, const ww_diag *d)
{
    return d->code == WW_UNKNOWN_ARCH || d->code == WW_TOO_MANY || d->code == WW_GROUP ||
           d->code == WW_CLOSED ||
           ((d->code == WW_BAD_CLUSTER || d->code == WW_NEEDS_ARCH) && same_place(d->place, k->place));
}

static void note_finding(const ww_kernel *k, verify_doubts *doubts, const ww_diag *d)
{
    for (size_t i = 0; i < k->resources.len; i++)
        if (same_place(d->place, k->resources.at[i]->place))
            doubts->resources[i] = doubts->any_resource = true;
    doubts->graph |= d->code == WW_GRAPH;
}

/* What an ill task names, and what its tensor core instructions read. */
static void note_task(const ww_kernel *k, verify_doubts *doubts, const ww_task *t)
{
    doubts->tasks |= 1u << t->index;
    for (size_t i = 0; i < k->resources.len; i++) {
        doubts->resources[i] |= k->resources.at[i]->named_by >> t->index & 1;
    }
    for (size_t i = 0; i < t->schedule->steps.len; i++) {
        const model_work *w = t->schedule->steps.at[i].work;
        for (int r = 0; w && r < w->wgmma_read_count; r++)
            doubts->resources[w->wgmma_reads[r]] = true;
        for (int r = 0; w && r < w->umma_read_count; r++)
            doubts->resources[w->umma_reads[r]] = true;
    }
    for (int i = 0; i < WW_MAX_VALUES; i++) {
        const ww_resource *lists[] = {t->options.consumes[i], t->options.produces[i]};
        for (size_t l = 0; l < ARRAY_LEN(lists); l++)
            if (lists[l] && lists[l]->kernel == k)
                doubts->resources[lists[l]->index] = true;
    }
}

/* Members of a group share barriers: a doubt about one is one about all. */
static void spread_in_groups(const ww_kernel *k, verify_doubts *doubts)
{
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < k->resources.len; i++) {
            const ww_resource *group = k->resources.at[i]->in_group;
            if (group)
                doubts->resources[i] = doubts->resources[group->index] |= doubts->resources[i];
        }
}

static void forget_steps(ww_schedule *s)
{
    s->steps.len = s->values.len = 0;
}

const verify_doubts *verify_set_aside(ww_kernel *k)
{
    verify_doubts *doubts = arena_new(&k->arena, verify_doubts);
    doubts->resources = arena_array(&k->arena, bool, k->resources.len + 1);
    for (const ww_diag *d = k->diags.first; d; d = d->next) {
        if (d->severity == WW_ERROR && is_fatal(k, d))
            return NULL;
        if (d->severity == WW_ERROR)
            note_finding(k, doubts, d);
    }
    for (size_t i = 0; i < k->tasks.len; i++)
        if (k->tasks.at[i]->ill)
            note_task(k, doubts, k->tasks.at[i]);
    spread_in_groups(k, doubts);
    for (size_t i = 0; i < k->tasks.len; i++)
        if (k->tasks.at[i]->ill)
            forget_steps(k->tasks.at[i]->schedule);
    return doubts;
}

/* ---- what a finding rests on -------------------------------------------------------------------------- */

/* Rules that weigh all tasks, or all resources, against each other. */
static const struct {
    ww_code code;
    bool all_tasks, all_resources, graph;
} wide[] = {
    {WW_WARPS, .all_tasks = true},
    {WW_REGISTERS, .all_tasks = true},
    {WW_QUEUE, .all_tasks = true},
    {WW_PDL, .all_tasks = true},
    {WW_CAPACITY, .all_resources = true},
    {WW_TENSOR_CORE, .all_resources = true},
    {WW_GRAPH, .all_tasks = true, .all_resources = true, .graph = true},
    {WW_EARLY_RELEASE, .all_resources = true},
};

static bool is_wide_doubt(const verify_doubts *doubts, ww_code code)
{
    for (size_t i = 0; i < ARRAY_LEN(wide); i++)
        if (wide[i].code == code)
            return (wide[i].all_tasks && doubts->tasks) || (wide[i].all_resources && doubts->any_resource) ||
                   (wide[i].graph && doubts->graph);
    return false;
}

static bool rests_on_a_doubt(const ww_kernel *k, const verify_doubts *doubts, const ww_diag *d)
{
    for (size_t i = 0; i < k->resources.len; i++)
        if (doubts->resources[i] && diag_does_rest_on(d, DIAG_RESOURCE, (int)i))
            return true;
    for (size_t i = 0; i < k->tasks.len; i++)
        if (k->tasks.at[i]->ill && diag_does_rest_on(d, DIAG_TASK, (int)i))
            return true;
    return false;
}

/* That a resource is missing in the graph is said at its place. */
static bool graph_is_doubtful(const ww_kernel *k, const verify_doubts *doubts, const ww_diag *d)
{
    for (size_t i = 0; doubts->graph && d->code == WW_COVERAGE && i < k->resources.len; i++)
        if (same_place(k->resources.at[i]->place, d->place))
            return true;
    return false;
}

bool doubts_about(const ww_kernel *k, const verify_doubts *doubts, const ww_diag *finding)
{
    return is_wide_doubt(doubts, finding->code) || graph_is_doubtful(k, doubts, finding) ||
           rests_on_a_doubt(k, doubts, finding);
}
