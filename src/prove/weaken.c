/* Forgetting, for loose plans, wherever the program rests. Every check of the prover asks whether an entry of a clock
 * reaches a threshold. So lower entries and higher thresholds pass fewer checks, and what is proved with them is proved.
 *
 *   thresholds   an access or a wait seems to last until the agent's release of the slot, for which the next owner waits
 *                anyway; those that all who could ask have passed are dropped
 *   entries      are lowered to the last threshold that their holder may ask about, by what its task touches and which
 *                barriers it arrives on; never below what everyone knows
 *
 * What goes is which of the last slots was released before which end of a tile: nobody asks, and there would be as many
 * configurations as ways to cut a ring into tiles. Clocks have an entry a resource here, so that what is forgotten about
 * one is not kept alive by another. */
#include "prove/heard.h"

/* Who may ask about the thresholds of an entry: an agent's crew, or the waiters of a stage. */
typedef struct readers {
    const machine *m;
    int crew; /* -1: waiters of a stage */
    int stage;
} readers;

static bool may_touch(const readers *r, int slot, uint8_t how)
{
    const plan *p = r->m->plan;
    if (r->crew >= 0)
        return plan_touches(p, r->crew, slot, how);
    for (int crew = 0; crew < p->crew_count; crew++)
        if (plan_acts(p, crew, r->stage, PLAN_WAITS) && plan_touches(p, crew, slot, how))
            return true;
    return false;
}

static bool may_arrive(const readers *r, int stage)
{
    const plan *p = r->m->plan;
    if (r->crew >= 0)
        return plan_acts(p, r->crew, stage, PLAN_ARRIVES);
    for (int crew = 0; crew < p->crew_count; crew++)
        if (plan_acts(p, crew, r->stage, PLAN_WAITS) && plan_acts(p, crew, stage, PLAN_ARRIVES))
            return true;
    return false;
}

/* Who may ask whether a phase of the stage is complete. The clock of a stage need not tell of other slots of its ring: they
 * have clocks of their own. */
static bool may_use(const readers *r, int stage)
{
    const plan *p = r->m->plan;
    if (r->crew >= 0)
        return plan_acts(p, r->crew, stage, PLAN_USES);
    if (plan_stage_ring(p, r->stage) == plan_stage_ring(p, stage) &&
        p->stages[r->stage].stage != p->stages[stage].stage)
        return false;
    for (int crew = 0; crew < p->crew_count; crew++)
        if (plan_acts(p, crew, r->stage, PLAN_WAITS) && plan_acts(p, crew, stage, PLAN_USES))
            return true;
    return false;
}

static void raise(uint32_t *to, uint32_t threshold, uint32_t limit)
{
    if (threshold <= limit && threshold > *to)
        *to = threshold;
}

static void raise_to_accesses(const readers *r, uint32_t *to, int slot, const access *a, uint32_t limit)
{
    if (may_touch(r, slot, PLAN_READS | PLAN_WRITES)) {
        raise(to, a->write_before, limit);
        raise(to, a->write, limit);
        raise(to, a->fence_write_before, limit);
        raise(to, a->fence_write, limit);
    }
    if (may_touch(r, slot, PLAN_WRITES)) {
        raise(to, a->read, limit);
        raise(to, a->fence_read, limit);
        for (int kind = 0; kind < GROUP_KINDS; kind++)
            raise(to, a->by_groups[kind].done, limit);
    }
}

static void raise_to_sightings(const readers *r, uint32_t *to, int slot, int use, uint32_t limit)
{
    const machine *m = r->m;
    if (!m->now.copies[slot].phase || !may_touch(r, slot, PLAN_READS | PLAN_WRITES))
        return;
    for (int before = 0; before < 2; before++)
        if (!copy_known_to_all(m, slot, before))
            raise(to, slot_sightings(m, slot, before)[use], limit);
}

static void raise_to_waits(const readers *r, uint32_t *to, int stage, int use, uint32_t limit)
{
    const machine *m = r->m;
    const plan_crews *copies = &m->plan->copies_on;
    if (may_arrive(r, stage))
        raise(to, stage_waits(m, stage)[use], limit);
    for (int age = 1; age <= 2 && may_use(r, stage); age++)
        if (!completion_known_to_all(m, stage, age, PLAN_USES))
            raise(to, stage_passes(m, stage, age)[use], limit);
    for (int i = copies->first[stage]; i < copies->first[stage + 1]; i++)
        raise_to_sightings(r, to, copies->at[i], use, limit);
}

/* The highest threshold of an agent, up to `limit`, that a reader may ask about; `least` if there is none. */
static uint32_t useful(const readers *r, int agent_index, int lane, uint32_t limit, uint32_t least)
{
    const machine *m = r->m;
    uint32_t most = least;
    raise(&most, m->now.last[agent_index], limit); /* asked about at the end */
    for (int slot = 0; slot < m->plan->slot_count; slot++) {
        const access *a = slot_access(m, slot, agent_index);
        if (a && m->now.touched[slot] && plan_in_lane(m->plan, plan_slot_ring(m->plan, slot), lane))
            raise_to_accesses(r, &most, slot, a, limit);
    }
    for (int stage = 0; stage < m->plan->stage_count; stage++)
        if (plan_use(m->plan, stage, agent_index) >= 0 &&
            plan_in_lane(m->plan, plan_stage_ring(m->plan, stage), lane))
            raise_to_waits(r, &most, stage, plan_use(m->plan, stage, agent_index), limit);
    return most;
}

static void lower(const readers *r, int entry, uint32_t *clock, uint32_t least)
{
    int lanes = r->m->plan->lanes;
    if (clock[entry] > least)
        clock[entry] = useful(r, entry / lanes, entry % lanes, clock[entry], least);
}

static void lower_stage(machine *m, int stage, int entry, uint32_t least)
{
    readers r = {m, -1, stage};
    lower(&r, entry, stage_gathered(m, stage), least);
    if (stage_done(m, stage)[entry] > least)
        lower(&r, entry, stage_own_done(m, stage, true), least);
}

/* ---- accesses seem to last until the release ----------------------------------------------------------- */

/* The last contribution of an agent to the stages of a ring with that number, in any CTA; 0: none. */
static uint32_t last_contribution(const machine *m, int agent_index, int ring, int number)
{
    uint32_t last = 0;
    for (int stage = 0; stage < m->plan->stage_count; stage++) {
        int use = plan_use(m->plan, stage, agent_index);
        if (use < 0 || plan_stage_ring(m->plan, stage) != ring || m->plan->stages[stage].stage != number)
            continue;
        for (int age = 0; age < 3; age++) {
            uint32_t epoch = stage_contributions(m, stage, age)[use];
            last = epoch > last ? epoch : last;
        }
    }
    return last;
}

static void extend(uint32_t *epoch, uint32_t last)
{
    if (*epoch && last > *epoch)
        *epoch = last;
}

/* Later thresholds, too, pass fewer checks. The agent's own release is what the next owner of the slot waits for. */
static void extend_accesses(machine *m, int slot)
{
    const plan_slot *s = &m->plan->slots[slot];
    for (int i = 0; s->pipelined && m->now.touched[slot] && i < s->agents; i++) {
        access *a = slot_access(m, slot, s->first_agent + i);
        uint32_t last = last_contribution(m, s->first_agent + i, plan_slot_ring(m->plan, slot), s->stage);
        extend(&a->write, last);
        extend(&a->read, last);
        for (int kind = 0; kind < GROUP_KINDS; kind++)
            extend(&a->by_groups[kind].done, last);
    }
}

static void extend_waits(machine *m, int stage)
{
    const int *users = stage_users(m, stage);
    const plan_crews *copies = &m->plan->copies_on;
    for (int i = 0; i < m->plan->stages[stage].users; i++) {
        uint32_t last =
            last_contribution(m, users[i], plan_stage_ring(m->plan, stage), m->plan->stages[stage].stage);
        extend(&stage_waits(m, stage)[i], last);
        for (int age = 1; age <= 2; age++)
            extend(&stage_passes(m, stage, age)[i], last);
        for (int n = copies->first[stage]; n < copies->first[stage + 1]; n++)
            for (int before = 0; before < 2; before++)
                extend(&slot_sightings(m, copies->at[n], before)[i], last);
    }
}

/* ---- thresholds that can never fail again -------------------------------------------------------------- */

static void drop(uint32_t *epoch, uint32_t passed)
{
    if (*epoch <= passed)
        *epoch = 0;
}

static void drop_accesses(access *a, uint32_t by_all, uint32_t by_writers)
{
    drop(&a->write, by_all);
    drop(&a->write_before, by_all);
    drop(&a->read, by_writers);
    for (int kind = 0; kind < GROUP_KINDS; kind++)
        drop(&a->by_groups[kind].done, by_writers);
}

/* Those for which a fence is known to all who could ask, or none is asked for. */
static void drop_fenced(const machine *m, access *a, int owner, int slot)
{
    bool tensor = plan_buffer_of(m->plan, slot)->space == IR_TENSOR;
    int fence = tensor ? m->plan->after_fence[owner] : m->plan->proxy_fence[owner];
    uint32_t known = fence < 0 ? UINT32_MAX : fence_known_to_all(m, fence, slot);
    drop(&a->fence_write, known);
    drop(&a->fence_write_before, known);
    drop(&a->fence_read, tensor ? known : UINT32_MAX);
}

/* Those that all who could ask have passed. Nothing is lost, and entries need not stay above them. */
static void drop_passed(machine *m, const heard *h, int agent_index, int lane)
{
    for (int slot = 0; slot < m->plan->slot_count; slot++) {
        access *a = slot_access(m, slot, agent_index);
        if (!a || !plan_in_lane(m->plan, plan_slot_ring(m->plan, slot), lane))
            continue;
        drop_accesses(a, heard_touching(h, slot, PLAN_READS | PLAN_WRITES),
                      heard_touching(h, slot, PLAN_WRITES));
        drop_fenced(m, a, agent_index, slot);
    }
    for (int stage = 0; stage < m->plan->stage_count; stage++)
        if (plan_use(m->plan, stage, agent_index) >= 0 && m->now.barriers[stage].pending &&
            plan_in_lane(m->plan, plan_stage_ring(m->plan, stage), lane))
            drop(&stage_waits(m, stage)[plan_use(m->plan, stage, agent_index)],
                 heard_acting(h, stage, PLAN_ARRIVES));
}

static void weaken_entry(machine *m, int entry)
{
    int owner = entry / m->plan->lanes;
    heard h = heard_of(m, entry);
    uint32_t least = heard_by_all(&h);
    drop_passed(m, &h, owner, entry % m->plan->lanes);
    for (int i = 0; i < m->plan->agent_count; i++) {
        readers r = {m, m->plan->agents[i].crew, -1};
        if (i != owner && machine_alive(m, i))
            lower(&r, entry, machine_clock(m, i), least);
    }
    for (int stage = 0; stage < m->plan->stage_count; stage++)
        lower_stage(m, stage, entry, least);
}

/* Each entry is looked at and lowered in turn, so what was heard before the first still holds of the others. */
void machine_weaken(machine *m)
{
    heard_listen(m);
    for (int slot = 0; slot < m->plan->slot_count; slot++)
        extend_accesses(m, slot);
    for (int stage = 0; stage < m->plan->stage_count; stage++)
        extend_waits(m, stage);
    for (int entry = 0; entry < m->plan->agent_count * m->plan->lanes; entry++)
        weaken_entry(m, entry);
}
