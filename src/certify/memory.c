/* Accesses to shared and tensor memory: each must know that all earlier ones to the same bytes are over.
 *
 * Two exceptions, which docs/prover.md (section 5) takes for granted: producers of one lap of a ring share the slot, unless a
 * copy covers it; warps of one task touch parts of a buffer that no cursor chooses. */
#include "certify/state.h"

typedef struct access {
    int warp;  /* that issues it: what it knows counts */
    int agent; /* that makes it: the warp or a pipe of its */
    ir_effect_kind kind;
    int slot;
    int64_t lap;
    bool whole; /* a copy that covers the slot */
} access;

/* ---- what must be over --------------------------------------------------------------------------------- */

static bool race(state *s, const access *a)
{
    return state_wrong(s, a->warp, "an access races with another");
}

static bool same_lap(const state *s, const access *a, int slot, int64_t lap)
{
    return slot == a->slot && s->world->slots[slot].pipelined && ir_effects[a->kind].writes && lap == a->lap;
}

/* Other warps of the task have other bytes of a buffer that no cursor chooses, unless their parts say otherwise. */
static bool keeps_apart(const state *s, const access *a, int slot, int other, ir_effect_kind kind)
{
    const world *w = s->world;
    return slot == a->slot && !w->slots[slot].pipelined &&
           w->agents[a->agent].crew == w->agents[other].crew &&
           !world_parts_meet(w, w->slots[slot].buffer, a->agent, a->kind, other, kind);
}

/* What an agent does to memory by itself. */
static ir_effect_kind kind_of(const state *s, int agent, bool write)
{
    const world_agent *a = &s->world->agents[agent];
    if (!a->is_pipe)
        return write ? IR_WRITE : IR_READ;
    return a->pipe == PIPE_COPY ? IR_LOAD_IN : write ? IR_UMMA_WRITE : IR_UMMA_READ;
}

/* An agent's own accesses are in order, but for those of cp.async. */
static bool in_order(const state *s, const access *a, int other)
{
    const world_agent *y = &s->world->agents[other];
    return other == a->agent && (!y->is_pipe || y->pipe == PIPE_TENSOR);
}

static bool knows_access(const state *s, const access *a, int slot, about_slot kind, int other)
{
    return state_knows(s, a->warp, access_fact(s->world, slot, kind, other));
}

static bool reads_on(const state *s, int agent, group_kind kind, int slot)
{
    for (int g = 0; g <= s->agents[agent].groups[kind] && g < MOST_OPEN_GROUPS; g++)
        if (bits_has(state_group(s, agent, kind, g), slot))
            return true;
    return false;
}

static bool groups_are_over(const state *s, const access *a, int slot, int other)
{
    static const ir_effect_kind kinds[] = {[GROUPS_WGMMA] = IR_WGMMA_READ, [GROUPS_BULK] = IR_BULK_READ};
    for (int kind = 0; kind < GROUP_KINDS; kind++) {
        bool over = other == a->agent || knows_access(s, a, slot, (about_slot)(ABOUT_WGMMA + kind), other);
        if ((reads_on(s, other, (group_kind)kind, slot) || !over) &&
            !keeps_apart(s, a, slot, other, kinds[kind]))
            return false;
    }
    return true;
}

/* After another agent's last access of that kind? */
static bool is_after(state *s, const access *a, int slot, about_slot kind, int other)
{
    bool over = in_order(s, a, other) || knows_access(s, a, slot, kind, other);
    if (over && state_is_fenced(s, a->warp, ir_effects[a->kind].async, slot, kind, other))
        return true;
    return keeps_apart(s, a, slot, other, kind_of(s, other, kind != ABOUT_READ)) ||
           (over ? state_wrong(s, a->warp, "no fence stands between two accesses") : race(s, a));
}

static bool after_agent(state *s, const access *a, int slot, int other)
{
    bool shared_lap = same_lap(s, a, slot, *state_lap(s, slot, other)) && !a->whole;
    if (!is_after(s, a, slot, shared_lap ? ABOUT_WRITE_BEFORE : ABOUT_WRITE, other))
        return false;
    if (!ir_effects[a->kind].writes)
        return true;
    return is_after(s, a, slot, ABOUT_READ, other) && (groups_are_over(s, a, slot, other) || race(s, a));
}

static bool after_copies(state *s, const access *a, int slot)
{
    const state_copy *c = &s->copies[slot];
    bool shared = same_lap(s, a, slot, c->lap) && !c->whole && !a->whole;
    return state_knows(s, a->warp, copy_fact(s->world, slot, shared ? ABOUT_COPY_BEFORE : ABOUT_COPY)) ||
           race(s, a);
}

static bool all_is_over(state *s, const access *a)
{
    const world_slot *of = &s->world->slots[a->slot];
    for (int i = 0; i < of->overlap_count; i++) {
        int slot = of->overlaps[i];
        const world_slot *at = &s->world->slots[slot];
        for (int n = 0; n < at->agents; n++)
            if (!after_agent(s, a, slot, at->first_agent + n))
                return false;
        if (!after_copies(s, a, slot))
            return false;
    }
    return true;
}

/* A read must find what was written through the same memory, not what another buffer has put there. */
static bool holds_its_own(state *s, const access *a)
{
    const world_slot *of = &s->world->slots[a->slot];
    if (!ir_effects[a->kind].writes)
        return !s->gone[a->slot] || state_wrong(s, a->warp, "a read of what has been overwritten");
    for (int i = 0; i < of->overlap_count; i++) {
        bool gone = s->world->slots[of->overlaps[i]].owner != of->owner;
        if (gone || !state_op(s, a->warp)->optional) /* a write that may be left out restores nothing */
            s->gone[of->overlaps[i]] = gone;
    }
    return true;
}

/* ---- what it leaves ------------------------------------------------------------------------------------ */

static void record(state *s, const access *a, bool write)
{
    const world *w = s->world;
    int64_t *lap = state_lap(s, a->slot, a->agent);
    if (!write) {
        state_happens(s, access_fact(w, a->slot, ABOUT_READ, a->agent), a->agent);
        state_unfence(s, a->slot, ABOUT_READ, a->agent);
        return;
    }
    if (w->slots[a->slot].pipelined && *lap != a->lap) {
        state_move_fact(s, access_fact(w, a->slot, ABOUT_WRITE, a->agent),
                        access_fact(w, a->slot, ABOUT_WRITE_BEFORE, a->agent));
        state_unfence_before(s, a->slot, a->agent);
    }
    state_happens(s, access_fact(w, a->slot, ABOUT_WRITE, a->agent), a->agent);
    state_unfence(s, a->slot, ABOUT_WRITE, a->agent);
    *lap = a->lap;
}

static void record_copy(state *s, const access *a)
{
    const world *w = s->world;
    state_copy *c = &s->copies[a->slot];
    if (c->lap != a->lap) {
        state_move_fact(s, copy_fact(w, a->slot, ABOUT_COPY), copy_fact(w, a->slot, ABOUT_COPY_BEFORE));
        c->age[ABOUT_COPY_BEFORE] = c->age[ABOUT_COPY];
        c->whole = false;
    }
    state_happens(s, copy_fact(w, a->slot, ABOUT_COPY), -1);
    c->age[ABOUT_COPY] = 0;
    c->lap = a->lap;
    c->whole |= a->whole;
}

/* ---- groups -------------------------------------------------------------------------------------------- */

static void end_oldest(state *s, int agent, group_kind kind, bool over)
{
    int *count = &s->agents[agent].groups[kind];
    size_t bytes = s->slot_words * sizeof(uint64_t);
    uint64_t *oldest = state_group(s, agent, kind, 0);
    for (int slot = 0; over && slot < s->world->slot_count; slot++)
        if (bits_has(oldest, slot))
            state_happens(s, access_fact(s->world, slot, (about_slot)(ABOUT_WGMMA + kind), agent), agent);
    memmove(oldest, oldest + s->slot_words, (size_t)(*count - 1) * bytes);
    --*count;
    memset(state_group(s, agent, kind, *count), 0, bytes);
}

/* Where the next group goes. If there are too many, the two oldest are taken for one that ends when the younger does. */
static void make_room(state *s, int agent, group_kind kind)
{
    uint64_t *oldest = state_group(s, agent, kind, 0), *next = state_group(s, agent, kind, 1);
    if (s->agents[agent].groups[kind] < MOST_OPEN_GROUPS)
        return;
    for (size_t i = 0; i < s->slot_words; i++)
        next[i] |= oldest[i];
    end_oldest(s, agent, kind, false);
}

static bool join_group(state *s, const access *a, group_kind kind, bool committed)
{
    uint64_t *group = state_group(s, a->agent, kind, s->agents[a->agent].groups[kind]);
    if (!committed)
        return state_wrong(s, a->warp, "a work body starts reads that nothing ends");
    bits_add(group, a->slot);
    return true;
}

/* ---- one operation ------------------------------------------------------------------------------------- */

/* Where the effect is in its ring; false if that is outside. */
static bool place_of(state *s, int warp, const ir_effect *e, state_cursor *at)
{
    *at = (state_cursor){.slot = 0};
    if (e->cursor >= 0) {
        const state_cursor *c = state_cursor_of(s, warp, e->cursor);
        *at = (state_cursor){.slot = e->held ? c->held : c->slot, .lap = e->held ? c->held_lap : c->lap};
    }
    bool in_buffer = at->slot < s->world->program->buffers.at[e->buffer].stages;
    bool in_barrier = e->barrier < 0 || at->slot < s->world->program->barriers.at[e->barrier].stages;
    return (in_buffer && in_barrier) || state_wrong(s, warp, "a cursor points outside its ring");
}

static bool copy_in(state *s, const access *a, const ir_effect *e)
{
    if (!state_copy_issued(s, a->warp, s->world->slots[a->slot].completes, e->bytes))
        return false;
    record_copy(s, a);
    return true;
}

static bool apply(state *s, int warp, const world_op *o, const ir_effect *e, int rank)
{
    state_cursor at;
    if (!place_of(s, warp, e, &at))
        return false;
    world_pipe pipe = world_pipe_of(e->kind);
    access a = {.warp = warp,
                .agent = pipe == PIPES ? warp : s->world->agents[warp].pipes[pipe],
                .kind = e->kind,
                .slot = world_slot_at(s->world, e->buffer, rank) + at.slot,
                .lap = at.lap};
    a.whole = e->kind == IR_COPY_IN && e->bytes >= s->world->slots[a.slot].bytes;
    if (!all_is_over(s, &a) || !holds_its_own(s, &a))
        return false;
    if (a.agent != warp)
        state_happens(s, s->world->agents[a.agent].last_fact, a.agent);
    switch (e->kind) {
    case IR_COPY_IN: return copy_in(s, &a, e);
    case IR_WGMMA_READ: return join_group(s, &a, GROUPS_WGMMA, o->op->wgmma_groups);
    case IR_BULK_READ: return join_group(s, &a, GROUPS_BULK, o->op->bulk_groups);
    default: record(s, &a, ir_effects[e->kind].writes); return true;
    }
}

static bool apply_all(state *s, int warp, const world_op *o)
{
    size_t ranks = (size_t)s->world->ranks, own = (size_t)s->world->agents[warp].rank;
    for (int i = 0; i < o->op->effect_count; i++) {
        for (int rank = 0; rank < s->world->ranks; rank++)
            if (o->reach[(size_t)i * ranks + own] >> rank & 1 && !apply(s, warp, o, &o->op->effects[i], rank))
                return false;
        if (o->op->effects[i].kind == IR_COPY_IN)
            state_has_told(s, warp);
    }
    return true;
}

static void wait_for_groups(state *s, int warp, group_kind kind, int keep)
{
    while (keep >= 0 && s->agents[warp].groups[kind] > keep)
        end_oldest(s, warp, kind, true);
}

bool state_work(state *s, int agent, const world_op *o)
{
    const ir_op *op = o->op;
    int commits[GROUP_KINDS] = {[GROUPS_WGMMA] = op->wgmma_groups, [GROUPS_BULK] = op->bulk_groups};
    for (int kind = 0; kind < GROUP_KINDS; kind++)
        if (commits[kind])
            make_room(s, agent, (group_kind)kind);
    if (!apply_all(s, agent, o))
        return false;
    for (int kind = 0; kind < GROUP_KINDS; kind++)
        s->agents[agent].groups[kind] += commits[kind] != 0;
    if (op->kind != IR_WORK)
        return true;
    wait_for_groups(s, agent, GROUPS_WGMMA, op->wgmma_wait);
    wait_for_groups(s, agent, GROUPS_BULK, op->bulk_wait);
    return true;
}
