/* Fences. An entry of a clock says up to which epoch an agent's accesses are fenced (plan.h); a fence raises it, and begins
 * an epoch of the agent whose accesses it is for, so that what comes later is not taken for fenced.
 *
 * A proxy fence may stand anywhere on the way from the write to the engine's access (PTX ISA, "Proxy-preserved base
 * causality order"): with the writer, the reader, or in between. The fences of tcgen05 come in pairs, with the one thread
 * and with the other (PTX ISA, "tcgen05.fence"); a commit has the first one in it. */
#include "prove/machine.h"

static bool same_warp(const plan *p, int a, int b)
{
    return p->agents[a].crew == p->agents[b].crew && p->agents[a].warp == p->agents[b].warp;
}

static void raise_entries(machine *m, int agent_index, int fence)
{
    uint32_t *clock = machine_clock(m, agent_index), *to = clock + plan_fence_entry(m->plan, fence, 0);
    const uint32_t *from = clock + m->plan->fences[fence].source;
    for (int lane = 0; lane < m->plan->lanes; lane++)
        to[lane] = from[lane] > to[lane] ? from[lane] : to[lane];
}

/* A proxy fence is for the memory of its own CTA (.shared::cta), where the owner writes. */
static bool raises(const plan *p, int agent_index, const plan_fence *f)
{
    switch (f->by) {
    case IR_FENCE_PROXY: return p->agents[f->owner].rank == p->agents[agent_index].rank;
    case IR_FENCE_TCGEN05_BEFORE: return f->owner == agent_index;
    default: return true;
    }
}

void fence_by(machine *m, int agent_index, ir_fence fence)
{
    bool own = false;
    for (int i = 0; i < m->plan->fence_count; i++) {
        const plan_fence *f = &m->plan->fences[i];
        if (f->by != fence || !raises(m->plan, agent_index, f))
            continue;
        raise_entries(m, agent_index, i);
        own |= f->owner == agent_index && fence != IR_FENCE_TCGEN05_AFTER;
    }
    if (own)
        machine_begin_epoch(m, agent_index);
}

/* The fence that an access takes after what another agent did; -1: none. */
static int fence_between(const plan *p, int agent_index, bool engine, int slot, int other)
{
    if (plan_buffer_of(p, slot)->space == IR_SHARED)
        return engine ? p->proxy_fence[other] : -1;
    return same_warp(p, agent_index, other) ? -1 : p->after_fence[other];
}

bool fence_stands(const machine *m, int agent_index, bool engine, int slot, int other, uint32_t epoch)
{
    int fence = fence_between(m->plan, agent_index, engine, slot, other);
    if (fence < 0)
        return true;
    int entry = plan_fence_entry(m->plan, fence, plan_slot_ring(m->plan, slot));
    return epoch <= machine_clock(m, agent_index)[entry];
}

/* Whether an agent may yet access the slot where a fence of the owner's must stand. */
static bool may_ask(const machine *m, int agent_index, int owner, int slot)
{
    static const plan_doing engines[] = {PLAN_WGMMA, PLAN_BULK, PLAN_TCGEN05};
    const plan *p = m->plan;
    const plan_agent *a = &p->agents[agent_index];
    if (!machine_alive(m, agent_index))
        return false;
    if (plan_buffer_of(p, slot)->space == IR_TENSOR)
        return plan_touches(p, a->crew, slot, PLAN_READS | PLAN_WRITES) && !same_warp(p, agent_index, owner);
    if (!plan_touches(p, a->crew, slot, PLAN_ENGINES))
        return false;
    if (p->slots[slot].pipelined || p->slots[slot].overlaps > 1 || a->crew != p->agents[owner].crew)
        return true;
    for (int i = 0; i < 3; i++)
        if (plan_parts_meet(p, p->slots[slot].buffer, agent_index, engines[i], owner, PLAN_WRITING))
            return true;
    return false;
}

uint32_t fence_known_to_all(const machine *m, int fence, int slot)
{
    const plan_crews *touching = &m->plan->touching[PLAN_READS | PLAN_WRITES];
    int entry = plan_fence_entry(m->plan, fence, plan_slot_ring(m->plan, slot));
    uint32_t least = UINT32_MAX;
    for (int i = touching->first[slot]; i < touching->first[slot + 1]; i++) {
        const plan_crew *crew = &m->plan->crews[touching->at[i]];
        for (int warp = crew->first; warp < crew->first + crew->warps; warp++) {
            uint32_t known = machine_clock(m, warp)[entry];
            if (known < least && may_ask(m, warp, m->plan->fences[fence].owner, slot))
                least = known;
        }
    }
    return least;
}
