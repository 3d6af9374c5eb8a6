/* divergence.c: lanes of a warp that go different ways, and how they find together again.
 *
 * The live lanes of a warp are partitioned into groups; the lanes of a group share a pc. A branch that not all
 * lanes take splits its group in two. Both are then expected at a join, the branch's immediate post-dominator
 * (flow.c); lanes that reach it leave their group and wait in the join until all have come, and go on as one. Joins nest:
 * each knows its parent, the join that its lanes were heading for before.
 *
 * Joins are how a compiler makes a GPU converge, not a promise to the program: the ISA lets lanes that
 * have met a join early go on alone. So nobody waits at a join forever: when nothing else can run, or the others spin
 * in place, divergence_release lets them go (schedule.c). Until then, waiting is right, as .aligned instructions rely
 * on it.
 *
 * Of several groups that can run, the one with the smallest pc goes first, so that it catches up with the others;
 * groups that meet at the same pc on the way to the same join merge. A group that spins does not starve
 * the others: after a slice, the next one runs. */
#include "emu/core/core.h"

enum { SLICE = 4096 };

void divergence_start(warp *w)
{
    w->live = w->launched;
    w->group_count = 1;
    w->current = 0;
    w->groups[0] = (group){.lanes = w->launched, .pc = 0, .join = NO_JOIN};
    w->active = w->launched;
    w->pc = 0;
    w->stop_join = w->stop_merge = NO_PC;
}

/* ---- joins ------------------------------------------------------------------------------------------ */

static uint32_t join_new(warp *w, uint32_t pc, uint32_t lanes, uint32_t parent)
{
    for (uint32_t i = 0; i < JOINS_MAX; i++)
        if (!w->joins[i].expected) {
            w->joins[i] = (join){.pc = pc, .expected = lanes, .parent = parent};
            return i;
        }
    return parent; /* never seen: each join has fewer lanes than its parent */
}

/* The join that two groups share, going outwards from a. */
static uint32_t common_join(const warp *w, uint32_t a, uint32_t b)
{
    for (; a != NO_JOIN; a = w->joins[a].parent)
        for (uint32_t other = b; other != NO_JOIN; other = w->joins[other].parent)
            if (other == a)
                return a;
    return NO_JOIN;
}

static void group_add(warp *w, uint32_t lanes, uint32_t pc, uint32_t target)
{
    w->groups[w->group_count++] = (group){.lanes = lanes, .pc = pc, .join = target};
}

static void group_remove(warp *w, uint32_t index)
{
    w->groups[index] = w->groups[--w->group_count];
}

/* When all lanes of the join have come, they go on as one group. */
static void join_complete(warp *w, uint32_t index)
{
    join *j = &w->joins[index];
    if (!j->expected || j->arrived != j->expected)
        return;
    uint32_t lanes = j->arrived, pc = j->pc, parent = j->parent;
    j->expected = j->arrived = 0;
    group_add(w, lanes, pc, parent);
}

/* Lanes will not come to the joins from `from` outwards up to, not including, `end`. */
static void join_forget(warp *w, uint32_t from, uint32_t end, uint32_t lanes)
{
    while (from != end) {
        uint32_t parent = w->joins[from].parent;
        w->joins[from].expected &= ~lanes;
        w->joins[from].arrived &= ~lanes;
        join_complete(w, from);
        from = parent;
    }
}

/* Takes lanes of groups that stand at their join into it, as long as that makes others arrive. */
static void arrive_at_joins(warp *w)
{
    for (uint32_t i = 0; i < w->group_count;) {
        group g = w->groups[i];
        if (g.join == NO_JOIN || g.pc != w->joins[g.join].pc || g.wait.kind != WAIT_NOTHING) {
            i++;
            continue;
        }
        group_remove(w, i);
        w->joins[g.join].arrived |= g.lanes;
        join_complete(w, g.join);
        i = 0;
    }
}

bool divergence_lanes_wait(const warp *w)
{
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < JOINS_MAX; i++)
        lanes |= w->joins[i].arrived;
    return lanes != 0;
}

bool divergence_release(warp *w)
{
    for (uint32_t i = 0; i < JOINS_MAX; i++) {
        join *j = &w->joins[i];
        if (!j->arrived)
            continue;
        uint32_t lanes = j->arrived;
        group_add(w, lanes, j->pc, j->parent);
        j->expected &= ~lanes;
        j->arrived = 0;
        return true;
    }
    return false;
}

/* ---- groups ----------------------------------------------------------------------------------------- */

static void store_current(warp *w)
{
    if (!w->active)
        return;
    group *g = &w->groups[w->current];
    g->pc = w->pc;
    g->lanes = w->active;
}

static void load_current(warp *w, uint32_t index)
{
    group *g = &w->groups[index];
    w->current = index;
    w->pc = g->pc;
    w->active = g->lanes;
    w->stop_join = g->join == NO_JOIN ? NO_PC : w->joins[g->join].pc;
    w->stop_merge = NO_PC;
    for (uint32_t i = 0; i < w->group_count; i++) {
        const group *other = &w->groups[i];
        if (i != index && other->pc > g->pc && other->pc < w->stop_merge && other->wait.kind == WAIT_NOTHING)
            w->stop_merge = other->pc;
    }
}

static void merge_groups(warp *w)
{
    for (uint32_t a = 0; a < w->group_count; a++)
        for (uint32_t b = a + 1; b < w->group_count;) {
            group *g = &w->groups[a], *other = &w->groups[b];
            bool same = g->pc == other->pc && g->join == other->join && g->wait.kind == WAIT_NOTHING &&
                        other->wait.kind == WAIT_NOTHING;
            if (same) {
                g->lanes |= other->lanes;
                group_remove(w, b);
            } else {
                b++;
            }
        }
}

/* The runnable group with the smallest pc, or after a slice the one behind the group that ran. */
static uint32_t pick(warp *w)
{
    bool rotate = w->slice >= SLICE;
    uint32_t best = NO_PC;
    for (uint32_t n = 0; n < w->group_count; n++) {
        uint32_t i = rotate ? (w->current + 1 + n) % w->group_count : n;
        const group *g = &w->groups[i];
        if (!wait_over(w, g))
            continue;
        if (rotate) {
            w->slice = 0;
            return i;
        }
        if (best == NO_PC || g->pc < w->groups[best].pc)
            best = i;
    }
    return best;
}

bool divergence_select(warp *w)
{
    store_current(w);
    if (w->group_count > 1 || w->groups[0].join != NO_JOIN) {
        arrive_at_joins(w);
        merge_groups(w);
    }
    uint32_t next = w->group_count ? pick(w) : NO_PC;
    w->active = 0;
    if (next == NO_PC)
        return false;
    load_current(w, next);
    return true;
}

void divergence_split(warp *w, uint32_t lanes, uint32_t pc, uint32_t join_pc)
{
    group *g = &w->groups[w->current];
    uint32_t target = g->join;
    bool nested = join_pc != NO_PC && !(target != NO_JOIN && w->joins[target].pc == join_pc);
    if (nested)
        target = join_new(w, join_pc, w->active, g->join);
    g->join = target;
    w->active &= ~lanes;
    g->lanes = w->active;
    g->pc = w->pc;
    group_add(w, lanes, pc, target);
    w->leave = true;
}

void divergence_exit(warp *w, uint32_t lanes)
{
    group *g = &w->groups[w->current];
    uint32_t innermost = g->join;
    w->live &= ~lanes;
    w->active &= ~lanes;
    g->lanes = w->active;
    g->pc = w->pc;
    if (!w->active)
        group_remove(w, w->current);
    w->leave = true;
    join_forget(w, innermost, NO_JOIN, lanes);
}

/* ---- instructions of several lanes ------------------------------------------------------------------ */

/* Groups that wait at this instruction for the lanes that just came join the group that runs. */
static void gather_here(warp *w, uint32_t members)
{
    for (uint32_t i = 0; i < w->group_count;) {
        group *g = &w->groups[i], *mine = &w->groups[w->current];
        bool waits =
            i != w->current && g->wait.kind == WAIT_LANES && g->pc == mine->pc && (g->lanes & members);
        if (!waits) {
            i++;
            continue;
        }
        uint32_t lanes = g->lanes, theirs = g->join, shared = common_join(w, mine->join, theirs);
        uint32_t own = mine->join, own_lanes = mine->lanes;
        mine->lanes |= lanes;
        mine->join = shared;
        w->active = mine->lanes;
        if (w->current == w->group_count - 1)
            w->current = i;
        group_remove(w, i);
        join_forget(w, theirs, shared, lanes);
        join_forget(w, own, shared, own_lanes);
        i = 0;
    }
}

uint32_t divergence_waiting_at(const warp *w, uint32_t pc)
{
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < w->group_count; i++)
        if (w->groups[i].wait.kind == WAIT_LANES && w->groups[i].pc == pc)
            lanes |= w->groups[i].lanes;
    return lanes;
}

static bool gather(warp *w, uint32_t mask, uint32_t members, bool aligned)
{
    wait *waited = &w->groups[w->current].wait;
    if (waited->kind == WAIT_LANES)
        waited->kind = WAIT_NOTHING;
    if (!(members & ~mask))
        return true;
    if (members & ~mask & w->active)
        warp_fault(w, "lanes 0x%08x have to take part, but skip the instruction by its guard",
                   members & ~mask & w->active);
    uint32_t pc = w->pc - 1;
    if (members & ~(w->active | divergence_waiting_at(w, pc))) {
        warp_wait(w, (wait){.kind = WAIT_LANES, .members = members, .aligned = aligned});
        return false;
    }
    w->pc = w->groups[w->current].pc = pc;
    w->groups[w->current].lanes = w->active;
    gather_here(w, members);
    w->leave = true; /* executed again, by all of them */
    return false;
}

bool divergence_gather(warp *w, uint32_t mask, uint32_t members)
{
    members &= w->live;
    if (mask & ~members)
        warp_fault(w, "lanes 0x%08x execute this without being in its member mask 0x%08x", mask & ~members,
                   members);
    return gather(w, mask, members, false);
}

bool divergence_aligned(warp *w, uint32_t mask)
{
    return gather(w, mask, w->live, true);
}

/* Nothing else can run. When the lanes missing at an .aligned instruction wait at a join, they have gone past it. */
bool divergence_stuck_at_aligned(warp *w)
{
    const group *aligned = NULL;
    bool others = false;
    for (uint32_t i = 0; i < w->group_count; i++) {
        const group *g = &w->groups[i];
        if (g->wait.kind == WAIT_LANES && g->wait.aligned)
            aligned = g;
        else
            others = true;
    }
    if (aligned && !others && divergence_lanes_wait(w)) {
        w->pc = aligned->pc + 1;
        warp_fault(w, "an .aligned instruction is executed by lanes 0x%08x of 0x%08x only", aligned->lanes,
                   w->live);
    }
    return aligned != NULL;
}
