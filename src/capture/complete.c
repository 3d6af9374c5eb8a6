/* What a declaration leaves to be derived from all its schedules together, before memory is laid out.
 *
 * Padding tasks: setmaxnreg acts on whole warpgroups, so warps that no task has follow their neighbours. Participants of
 * ordered sequences. Ids of hardware barriers. Split sides: where one task waits and another releases, each needs a
 * cursor of its own. */
#include "capture/capture.h"

enum { GROUP_WARPS = 4, GROUPS = WW_MAX_WARPS / GROUP_WARPS };

static const ww_task *owner_of(const ww_kernel *k, int warp)
{
    for (size_t i = 0; i < k->tasks.len; i++) {
        const ww_task_options *o = &k->tasks.at[i]->options;
        if (warp >= o->first_warp && warp < o->first_warp + o->warps)
            return k->tasks.at[i];
    }
    return NULL;
}

/* The first task of the warpgroup that sets registers; NULL: none does. */
static const ww_task *setter_of(const ww_kernel *k, int first)
{
    for (int warp = first; warp < first + GROUP_WARPS; warp++) {
        const ww_task *t = owner_of(k, warp);
        if (t && t->options.registers)
            return t;
    }
    return NULL;
}

static void pad_warps(ww_kernel *k, const ww_task *setter, int first, int warps)
{
    const ww_task_options options = {
        .first_warp = first, .warps = warps, .registers = setter->options.registers};
    capture_task(model_task_new(setter->place, k, arena_printf(&k->arena, "padding_%d", first), &options));
}

static void pad_tasks(ww_kernel *k)
{
    for (int group = 0; group < GROUPS; group++) {
        const ww_task *setter = setter_of(k, group * GROUP_WARPS);
        for (int warp = group * GROUP_WARPS; setter && warp < (group + 1) * GROUP_WARPS; warp++) {
            int first = warp;
            while (warp < (group + 1) * GROUP_WARPS && !owner_of(k, warp))
                warp++;
            if (warp > first)
                pad_warps(k, setter, first, warp - first);
        }
    }
}

static bool syncs(const ww_task *t, const ww_resource *r)
{
    return capture_has_verb(t->schedule, r, WW_SYNC) || capture_has_verb(t->schedule, r, WW_SYNC_ARRIVE);
}

/* Ids in the order of declaration, from 1: 0 is the CTA's own (PTX ISA, "bar, barrier"). */
static int deal_ids(ww_kernel *k, ww_resource *r, int first)
{
    r->barrier_id = first;
    r->barrier_ids = 1;
    for (size_t i = 0; r->by_warpgroup && i < k->tasks.len; i++) {
        int warpgroups = (k->tasks.at[i]->options.warps + GROUP_WARPS - 1) / GROUP_WARPS;
        if (syncs(k->tasks.at[i], r) && warpgroups > r->barrier_ids)
            r->barrier_ids = warpgroups;
    }
    int next = first + r->barrier_ids;
    if (next - 1 <= WW_NAMED_BARRIERS)
        return next;
    ww_diag *d = diag_add(&k->diags, WW_TOO_MANY, r->place, "named barrier %s has no id left", r->name);
    diag_expected(&k->diags, d, "at most %d named barriers: ids 1 to %d (0 is the CTA's own)",
                  WW_NAMED_BARRIERS, WW_NAMED_BARRIERS);
    diag_found(&k->diags, d, "%d", next - 1);
    diag_hint(&k->diags, d, "use one barrier at several places that the same tasks pass in the same order");
    return next;
}

static int tasks_with(const ww_kernel *k, const ww_resource *r, ww_verb verb)
{
    int n = 0;
    for (size_t i = 0; i < k->tasks.len; i++)
        n += capture_has_verb(k->tasks.at[i]->schedule, r, verb);
    return n;
}

/* Whether a task opens slots and leaves them to another to close. */
static bool is_split(const ww_kernel *k, const ww_resource *r, ww_verb open, ww_verb close)
{
    if (!tasks_with(k, r, close))
        return false; /* nobody closes: the rules say so */
    for (size_t i = 0; i < k->tasks.len; i++)
        if (capture_has_verb(k->tasks.at[i]->schedule, r, open) !=
            capture_has_verb(k->tasks.at[i]->schedule, r, close))
            return true;
    return false;
}

static void find_splits(ww_kernel *k, ww_resource *r)
{
    if (r->kind != MODEL_MEMORY || !model_pipelined(r))
        return;
    if (model_consume_owner(r) == r && is_split(k, r, WW_WAIT, WW_RELEASE))
        r->pipeline.advance_on_wait = true;
    if (model_produce_owner(r) == r && is_split(k, r, WW_ACQUIRE, WW_COMMIT))
        r->pipeline.advance_on_acquire = true;
}

void capture_complete(ww_kernel *k)
{
    int id = 1;
    pad_tasks(k);
    for (size_t i = 0; i < k->resources.len; i++) {
        ww_resource *r = k->resources.at[i];
        if (r->kind == MODEL_ORDERED)
            r->turns = tasks_with(k, r, WW_ACQUIRE);
        if (r->kind == MODEL_NAMED_BARRIER)
            id = deal_ids(k, r, id);
        find_splits(k, r);
    }
}
