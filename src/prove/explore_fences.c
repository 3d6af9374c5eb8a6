/* Fences, as the explorer sees them: no clocks, but what each state remembers. Where no fence lies on the way from one
 * access to another, some interleaving has none between them in time; so it is enough to ask whether a fence has been
 * executed in between.
 *
 *   shared memory  what a thread has written is dirty until somebody executes a proxy fence; what cp.async wrote, until one
 *                  is executed after it has landed. An engine must not come upon it
 *   tensor memory  an access is raw until its thread has executed the fence before a synchronisation (or the commit after it
 *                  has arrived); an agent has seen it once it has executed the fence after one since
 *
 * What producers of the same lap do to a slot that they share is not held against them. */
#include "prove/explore_events.h"

enum { MODES = 2 }; /* reads, writes */

/* [slot]: agents (bits). [slot][owner]: who has seen its last access. Slots of shared and of tensor memory apart, by
 * explorer.places. */
typedef struct memory {
    uint64_t *dirty, *dirty_loads;
    uint64_t *had[MODES], *raw[MODES], *seen[MODES];
} memory;

static memory memory_at(const explorer *x, char *bytes)
{
    size_t shared = (size_t)x->shared_places, tensor = (size_t)x->tensor_places;
    uint64_t *at = (uint64_t *)(void *)bytes;
    memory m = {.dirty = at, .dirty_loads = at + shared};
    at += 2 * shared;
    for (int mode = 0; mode < MODES; mode++, at += tensor * (2 + (size_t)x->plan->agent_count)) {
        m.had[mode] = at;
        m.raw[mode] = at + tensor;
        m.seen[mode] = at + 2 * tensor;
    }
    return m;
}

bool explore_is_tensor_memory(const explorer *x, int slot)
{
    return plan_buffer_of(x->plan, slot)->space == IR_TENSOR;
}

/* Some agent's writes there take a proxy fence. */
static bool is_written_for_engines(const plan *p, int slot)
{
    bool engines = false, fences = false;
    for (int crew = 0; crew < p->crew_count; crew++)
        engines |= plan_touches(p, crew, slot, PLAN_ENGINES);
    for (int i = 0; i < p->agent_count; i++)
        fences |= p->proxy_fence[i] >= 0;
    return engines && fences;
}

void explore_find_places(explorer *x)
{
    x->places = base_alloc(((size_t)x->plan->slot_count + 1) * sizeof *x->places);
    for (int slot = 0; slot < x->plan->slot_count; slot++) {
        if (explore_is_tensor_memory(x, slot))
            x->places[slot] = x->tensor_places++;
        else
            x->places[slot] = is_written_for_engines(x->plan, slot) ? x->shared_places++ : -1;
    }
}

size_t explore_fence_bytes(const explorer *x)
{
    size_t shared = (size_t)x->shared_places, tensor = (size_t)x->tensor_places;
    return (2 * shared + MODES * tensor * (2 + (size_t)x->plan->agent_count)) * sizeof(uint64_t);
}

static uint64_t bit(int agent)
{
    return UINT64_C(1) << agent;
}

static int owner_of(const explorer *x, int agent, ir_effect_kind kind)
{
    return plan_maker(x->plan, agent, kind);
}

/* The warp that a pipe belongs to; the agent itself. */
static int warp_of(const explorer *x, int agent)
{
    const plan_agent *a = &x->plan->agents[agent];
    for (int i = 0; i < x->plan->agent_count; i++)
        if (x->plan->agents[i].warp_itself && x->plan->agents[i].crew == a->crew &&
            x->plan->agents[i].warp == a->warp)
            return i;
    return agent;
}

/* ---- what a pipe has done is finished ------------------------------------------------------------------ */

/* The last past event in which the warp's pipe does such a thing to the slot; -1: none. */
static int last_event(const explorer *x, const fence_view *v, int owner, int slot, bool write,
                      const touch **found)
{
    int warp = warp_of(x, owner);
    for (int i = (int)v->at[warp] - 1; i >= 0; i--) {
        const event *e = &x->actors[warp].events.at[i];
        for (int j = 0; j < e->touches; j++) {
            const touch *t = &x->touches.at[e->first_touch + j];
            if (t->slot != slot || ir_effects[t->kind].writes != write || owner_of(x, warp, t->kind) != owner)
                continue;
            *found = t;
            return i;
        }
    }
    return -1;
}

static bool is_finished(const explorer *x, const fence_view *v, int owner, int slot, bool write)
{
    const touch *t;
    const plan_agent *a = &x->plan->agents[owner];
    flight_kind kind = a->kind == PLAN_TENSOR_PIPE ? FLIGHT_TENSOR : FLIGHT_LOADS;
    int last = last_event(x, v, owner, slot, write, &t);
    return last < 0 || explore_is_committed(x, v->landed, warp_of(x, owner), last, kind);
}

/* ---- executing a fence --------------------------------------------------------------------------------- */

/* A proxy fence is for the memory of the agent's CTA; one after a synchronisation, for what the agent itself comes to. */
static bool is_for(const explorer *x, int slot, int agent)
{
    const plan *p = x->plan;
    if (x->places[slot] < 0)
        return false;
    return explore_is_tensor_memory(x, slot)
               ? plan_touches(p, p->agents[agent].crew, slot, PLAN_READS | PLAN_WRITES)
               : p->slots[slot].rank == p->agents[agent].rank;
}

static void proxy_fence(const explorer *x, const fence_view *v, memory *m, int agent)
{
    for (int slot = 0; slot < x->plan->slot_count; slot++) {
        int place = x->places[slot];
        if (explore_is_tensor_memory(x, slot) || !is_for(x, slot, agent))
            continue;
        m->dirty[place] = 0;
        for (int i = 0; i < x->plan->agent_count; i++)
            if (m->dirty_loads[place] & bit(i) && is_finished(x, v, i, slot, true))
                m->dirty_loads[place] &= ~bit(i);
    }
}

static void fence_before(const explorer *x, memory *m, int agent)
{
    for (int place = 0; place < x->tensor_places; place++)
        for (int mode = 0; mode < MODES; mode++)
            m->raw[mode][place] &= ~bit(agent);
}

static bool is_told(const explorer *x, const fence_view *v, const memory *m, int mode, int slot, int owner)
{
    if (x->plan->agents[owner].warp_itself)
        return !(m->raw[mode][x->places[slot]] & bit(owner));
    return is_finished(x, v, owner, slot, mode);
}

static uint64_t *seen_of(const explorer *x, const memory *m, int mode, int slot, int owner)
{
    return &m->seen[mode][x->places[slot] * x->plan->agent_count + owner];
}

static void see_all(const explorer *x, const fence_view *v, memory *m, int agent, int slot)
{
    for (int mode = 0; mode < MODES; mode++)
        for (int owner = 0; owner < x->plan->agent_count; owner++)
            if (m->had[mode][x->places[slot]] & bit(owner) && is_told(x, v, m, mode, slot, owner))
                *seen_of(x, m, mode, slot, owner) |= bit(agent);
}

static void fence_after(const explorer *x, const fence_view *v, memory *m, int agent)
{
    for (int slot = 0; slot < x->plan->slot_count; slot++)
        if (explore_is_tensor_memory(x, slot) && is_for(x, slot, agent))
            see_all(x, v, m, agent, slot);
}

/* ---- accesses ------------------------------------------------------------------------------------------ */

/* Warps of a task that have parts of their own of a buffer without a pipeline. */
static bool keep_apart(const explorer *x, int agent, const touch *t, int slot, int owner, plan_doing doing)
{
    const plan_slot *s = &x->plan->slots[slot];
    return !s->pipelined && slot == t->slot && x->plan->agents[agent].crew == x->plan->agents[owner].crew &&
           !plan_parts_meet(x->plan, s->buffer, agent, plan_doing_of(t->kind), owner, doing);
}

static bool meets_dirt(const explorer *x, const memory *m, int agent, const touch *t, int slot)
{
    int place = x->places[slot];
    uint64_t dirty = place < 0 ? 0 : m->dirty[place] | m->dirty_loads[place];
    for (int i = 0; i < x->plan->agent_count; i++)
        if (dirty & bit(i) && !keep_apart(x, agent, t, slot, i, PLAN_WRITING))
            return true;
    return false;
}

static plan_doing doing_of(const explorer *x, int owner, int mode)
{
    return !x->plan->agents[owner].warp_itself ? PLAN_TCGEN05 : mode ? PLAN_WRITING : PLAN_READING;
}

static bool divide(const explorer *x, const touch *a, const touch *b)
{
    return ir_effects[a->kind].writes && ir_effects[b->kind].writes && x->plan->slots[a->slot].pipelined &&
           a->slot == b->slot && a->lap == b->lap;
}

static bool meets_unseen(const explorer *x, const fence_view *v, const memory *m, int agent, const touch *t,
                         int slot)
{
    for (int mode = !ir_effects[t->kind].writes; mode < MODES; mode++)
        for (int owner = 0; owner < x->plan->agent_count; owner++) {
            const touch *last = NULL;
            if (!(m->had[mode][x->places[slot]] & bit(owner)) || warp_of(x, owner) == agent ||
                *seen_of(x, m, mode, slot, owner) & bit(agent))
                continue;
            (void)last_event(x, v, owner, slot, mode, &last);
            if (!(last && divide(x, last, t)) &&
                !keep_apart(x, agent, t, slot, owner, doing_of(x, owner, mode)))
                return true;
        }
    return false;
}

static bool is_unfenced(const explorer *x, const fence_view *v, const memory *m, int agent, const touch *t)
{
    const plan_slot *s = &x->plan->slots[t->slot];
    for (int i = 0; i < s->overlaps; i++) {
        int slot = x->plan->overlaps[s->first_overlap + i];
        if (explore_is_tensor_memory(x, slot) ? meets_unseen(x, v, m, agent, t, slot)
                                              : ir_effects[t->kind].async && meets_dirt(x, m, agent, t, slot))
            return true;
    }
    return false;
}

bool explore_takes_fence(const explorer *x, int earlier, const touch *first, int later, const touch *second)
{
    int owner = owner_of(x, earlier, first->kind);
    bool writes = ir_effects[first->kind].writes;
    plan_doing doing = doing_of(x, owner, writes);
    if (explore_is_tensor_memory(x, first->slot))
        return earlier != later && (writes || ir_effects[second->kind].writes) && !divide(x, first, second) &&
               !keep_apart(x, later, second, first->slot, owner, doing);
    return x->places[first->slot] >= 0 && (first->kind == IR_WRITE || first->kind == IR_LOAD_IN) &&
           ir_effects[second->kind].async && !keep_apart(x, later, second, first->slot, owner, PLAN_WRITING);
}

static void remember(const explorer *x, memory *m, int agent, const touch *t)
{
    int owner = owner_of(x, agent, t->kind), mode = ir_effects[t->kind].writes, place = x->places[t->slot];
    if (explore_is_tensor_memory(x, t->slot)) {
        m->had[mode][place] |= bit(owner);
        m->raw[mode][place] |= bit(owner);
        *seen_of(x, m, mode, t->slot, owner) = 0;
    } else if (place >= 0 && t->kind == IR_WRITE) {
        m->dirty[place] |= bit(owner);
    } else if (place >= 0 && t->kind == IR_LOAD_IN) {
        m->dirty_loads[place] |= bit(owner);
    }
}

/* ---- an event ------------------------------------------------------------------------------------------ */

bool explore_fences(const explorer *x, const fence_view *v, int agent, const event *e)
{
    memory m = memory_at(x, v->bytes);
    if (!x->plan->fence_count)
        return true;
    if (e->fences >> IR_FENCE_PROXY & 1)
        proxy_fence(x, v, &m, agent);
    if (e->fences >> IR_FENCE_TCGEN05_BEFORE & 1)
        fence_before(x, &m, agent);
    if (e->fences >> IR_FENCE_TCGEN05_AFTER & 1)
        fence_after(x, v, &m, agent);
    bool fenced = true;
    for (int i = 0; i < e->touches; i++) {
        const touch *t = &x->touches.at[e->first_touch + i];
        fenced &= !is_unfenced(x, v, &m, agent, t);
        remember(x, &m, agent, t);
    }
    return fenced;
}
