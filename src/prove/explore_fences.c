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

/* [slot]: agents (bits). [slot][owner]: who has seen its last access. */
typedef struct memory {
    uint64_t *dirty, *dirty_loads;
    uint64_t *had[MODES], *raw[MODES], *seen[MODES];
} memory;

static memory memory_at(const explorer *x, char *bytes)
{
    size_t slots = (size_t)x->plan->slot_count, agents = (size_t)x->plan->agent_count;
    uint64_t *at = (uint64_t *)(void *)bytes;
    memory m = {.dirty = at, .dirty_loads = at + slots};
    at += 2 * slots;
    for (int mode = 0; mode < MODES; mode++, at += slots * (2 + agents)) {
        m.had[mode] = at;
        m.raw[mode] = at + slots;
        m.seen[mode] = at + 2 * slots;
    }
    return m;
}

size_t explore_fence_bytes(const explorer *x)
{
    size_t slots = (size_t)x->plan->slot_count, agents = (size_t)x->plan->agent_count;
    return x->plan->fence_count ? (2 * slots + MODES * slots * (2 + agents)) * sizeof(uint64_t) : 0;
}

static uint64_t bit(int agent)
{
    return UINT64_C(1) << agent;
}

static bool in_tensor_memory(const explorer *x, int slot)
{
    return plan_buffer_of(x->plan, slot)->space == IR_TENSOR;
}

static int owner_of(const explorer *x, int agent, ir_effect_kind kind)
{
    const plan_agent *a = &x->plan->agents[agent];
    bool tensor = kind == IR_UMMA_READ || kind == IR_UMMA_WRITE;
    return tensor ? a->pipes[PLAN_TENSOR_PIPE] : kind == IR_LOAD_IN ? a->pipes[PLAN_COPY_PIPE] : agent;
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

static bool is_committed(const explorer *x, const fence_view *v, int warp, int event_index, flight_kind kind)
{
    for (size_t i = 0; i < x->flights.len; i++) {
        const explore_flight *f = &x->flights.at[i];
        if (f->kind == kind && f->agent == warp && f->event > event_index && v->landed[i])
            return true;
    }
    return false;
}

/* The last past event in which the warp's pipe does such a thing to the slot; -1: none. */
static int last_event(const explorer *x, const fence_view *v, int owner, int slot, bool write,
                      const touch **found)
{
    int warp = warp_of(x, owner);
    for (int i = (int)v->at[warp] - 1; i >= 0; i--) {
        const event *e = &x->actors[warp].events.at[i];
        for (int j = 0; j < e->touches; j++) {
            const touch *t = &x->touches.at[e->first_touch + j];
            if (t->slot != slot || plan_writes(t->kind) != write || owner_of(x, warp, t->kind) != owner)
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
    return last < 0 || is_committed(x, v, warp_of(x, owner), last, kind);
}

/* ---- executing a fence ------------------------------------------------------------------------------------ */

static void proxy_fence(const explorer *x, const fence_view *v, memory *m)
{
    for (int slot = 0; slot < x->plan->slot_count; slot++) {
        m->dirty[slot] = 0;
        for (int i = 0; i < x->plan->agent_count; i++)
            if (m->dirty_loads[slot] & bit(i) && is_finished(x, v, i, slot, true))
                m->dirty_loads[slot] &= ~bit(i);
    }
}

static void fence_before(const explorer *x, memory *m, int agent)
{
    for (int slot = 0; slot < x->plan->slot_count; slot++)
        for (int mode = 0; mode < MODES; mode++)
            m->raw[mode][slot] &= ~bit(agent);
}

static bool is_told(const explorer *x, const fence_view *v, const memory *m, int mode, int slot, int owner)
{
    if (x->plan->agents[owner].warp_itself)
        return !(m->raw[mode][slot] & bit(owner));
    return is_finished(x, v, owner, slot, mode);
}

static void fence_after(const explorer *x, const fence_view *v, memory *m, int agent)
{
    for (int slot = 0; slot < x->plan->slot_count; slot++)
        for (int mode = 0; mode < MODES; mode++)
            for (int owner = 0; owner < x->plan->agent_count; owner++)
                if (m->had[mode][slot] & bit(owner) && is_told(x, v, m, mode, slot, owner))
                    m->seen[mode][slot * x->plan->agent_count + owner] |= bit(agent);
}

/* ---- accesses ------------------------------------------------------------------------------------------------ */

/* Warps of a task that have parts of their own of a buffer without a pipeline. */
static bool keep_apart(const explorer *x, int agent, const touch *t, int slot, int owner, plan_doing doing)
{
    const plan_slot *s = &x->plan->slots[slot];
    return !s->pipelined && slot == t->slot && x->plan->agents[agent].crew == x->plan->agents[owner].crew &&
           !plan_parts_meet(x->plan, s->buffer, agent, plan_doing_of(t->kind), owner, doing);
}

static bool meets_dirt(const explorer *x, const memory *m, int agent, const touch *t, int slot)
{
    uint64_t dirty = m->dirty[slot] | m->dirty_loads[slot];
    for (int i = 0; i < x->plan->agent_count; i++)
        if (dirty & bit(i) && !keep_apart(x, agent, t, slot, i, PLAN_WRITING))
            return true;
    return false;
}

static plan_doing doing_of(const explorer *x, int owner, int mode)
{
    return !x->plan->agents[owner].warp_itself ? PLAN_TCGEN05 : mode ? PLAN_WRITING : PLAN_READING;
}

static bool meets_unseen(const explorer *x, const fence_view *v, const memory *m, int agent, const touch *t,
                         int slot)
{
    for (int mode = !plan_writes(t->kind); mode < MODES; mode++)
        for (int owner = 0; owner < x->plan->agent_count; owner++) {
            const touch *last = NULL;
            if (!(m->had[mode][slot] & bit(owner)) || warp_of(x, owner) == agent ||
                m->seen[mode][slot * x->plan->agent_count + owner] & bit(agent))
                continue;
            (void)last_event(x, v, owner, slot, mode, &last);
            bool share = mode && last && plan_writes(t->kind) && x->plan->slots[slot].pipelined &&
                         slot == t->slot && last->lap == t->lap;
            if (!share && !keep_apart(x, agent, t, slot, owner, doing_of(x, owner, mode)))
                return true;
        }
    return false;
}

static bool is_unfenced(const explorer *x, const fence_view *v, const memory *m, int agent, const touch *t)
{
    const plan_slot *s = &x->plan->slots[t->slot];
    for (int i = 0; i < s->overlaps; i++) {
        int slot = x->plan->overlaps[s->first_overlap + i];
        if (in_tensor_memory(x, slot) ? meets_unseen(x, v, m, agent, t, slot)
                                      : plan_by_engine(t->kind) && meets_dirt(x, m, agent, t, slot))
            return true;
    }
    return false;
}

static void remember(const explorer *x, memory *m, int agent, const touch *t)
{
    int owner = owner_of(x, agent, t->kind), mode = plan_writes(t->kind);
    if (in_tensor_memory(x, t->slot)) {
        m->had[mode][t->slot] |= bit(owner);
        m->raw[mode][t->slot] |= bit(owner);
        m->seen[mode][t->slot * x->plan->agent_count + owner] = 0;
    } else if (t->kind == IR_WRITE) {
        m->dirty[t->slot] |= bit(owner);
    } else if (t->kind == IR_LOAD_IN) {
        m->dirty_loads[t->slot] |= bit(owner);
    }
}

/* ---- an event --------------------------------------------------------------------------------------------------- */

bool explore_fences(const explorer *x, const fence_view *v, int agent, const event *e)
{
    memory m = memory_at(x, v->bytes);
    if (!x->plan->fence_count)
        return true;
    if (e->fences >> IR_FENCE_PROXY & 1)
        proxy_fence(x, v, &m);
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
