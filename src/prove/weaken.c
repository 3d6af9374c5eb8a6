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

/* Who may ask about the thresholds of an entry: the agent itself, or the waiters of a stage. */
typedef struct readers {
    const machine *m;
    int agent; /* -1: waiters of a barrier */
    int barrier;
} readers;

static bool may_touch(const readers *r, int buffer, uint8_t how)
{
    const plan *p = r->m->plan;
    if (r->agent >= 0)
        return *plan_touches(p, p->agents[r->agent].task, buffer) & how;
    for (size_t task = 0; task < p->program->tasks.len; task++)
        if (*plan_waits_on(p, (int)task, r->barrier) && (*plan_touches(p, (int)task, buffer) & how))
            return true;
    return false;
}

static bool may_arrive(const readers *r, int barrier)
{
    const plan *p = r->m->plan;
    if (r->agent >= 0)
        return *plan_arrives(p, p->agents[r->agent].task, barrier);
    for (size_t task = 0; task < p->program->tasks.len; task++)
        if (*plan_waits_on(p, (int)task, r->barrier) && *plan_arrives(p, (int)task, barrier))
            return true;
    return false;
}

static int lane_of_slot(const machine *m, int slot)
{
    return m->plan->lane_of[plan_slot_resource(m->plan, slot)];
}

static int lane_of_stage(const machine *m, int stage)
{
    return m->plan->lane_of[plan_stage_resource(m->plan, stage)];
}

static void raise(uint32_t *to, uint32_t threshold, uint32_t limit)
{
    if (threshold <= limit && threshold > *to)
        *to = threshold;
}

/* The highest threshold of an agent, up to `limit`, that a reader may ask about; `least` if there is none. */
static uint32_t useful(const readers *r, int agent_index, int lane, uint32_t limit, uint32_t least)
{
    const machine *m = r->m;
    uint32_t most = least;
    for (int slot = 0; slot < m->plan->slot_count; slot++) {
        if (!m->now.touched[slot] || lane_of_slot(m, slot) != lane)
            continue;
        const access *a = &slot_accesses(m, slot)[agent_index];
        int buffer = m->plan->slots[slot].buffer;
        if (may_touch(r, buffer, PLAN_READS | PLAN_WRITES)) {
            raise(&most, a->write_before, limit);
            raise(&most, a->write, limit);
        }
        if (may_touch(r, buffer, PLAN_WRITES)) {
            raise(&most, a->read, limit);
            raise(&most, a->wgmma_done, limit);
        }
    }
    for (int stage = 0; stage < m->plan->stage_count; stage++)
        if (lane_of_stage(m, stage) == lane && may_arrive(r, m->plan->stages[stage].barrier))
            raise(&most, m->now.waited[(size_t)stage * (size_t)m->plan->agent_count + (size_t)agent_index],
                  limit);
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
    readers r = {m, -1, m->plan->stages[stage].barrier};
    lower(&r, entry, stage_gathered(m, stage), least);
    lower(&r, entry, stage_done(m, stage), least);
}

/* ---- entries for stages: who knows which phases -------------------------------------------------------------------------- */

static bool waiters_use(const machine *m, int barrier, int of)
{
    for (size_t task = 0; task < m->plan->program->tasks.len; task++)
        if (*plan_waits_on(m->plan, (int)task, barrier) && *plan_uses(m->plan, (int)task, of))
            return true;
    return false;
}

/* Whether the clock of a stage may tell its waiters about another one: the other barrier of the slot, or another ring
 * that they use. The other slots of the ring have clocks of their own to tell. */
static bool may_tell(const machine *m, int stage, int of)
{
    const plan_stage *a = &m->plan->stages[stage], *b = &m->plan->stages[of];
    const ir_barrier *barriers = m->plan->program->barriers.at;
    if (barriers[a->barrier].resource == barriers[b->barrier].resource)
        return a->stage == b->stage;
    return waiters_use(m, a->barrier, b->barrier);
}

static void lower_to(uint32_t *entry, uint32_t least)
{
    *entry = *entry > least ? least : *entry;
}

static void lower_phases(machine *m, int of)
{
    int entry = stage_entry(m, of), barrier = m->plan->stages[of].barrier;
    heard h = heard_of(m, entry);
    uint32_t least = heard_by_all(&h);
    for (int i = 0; i < m->plan->agent_count; i++)
        if (machine_alive(m, i) && !*plan_uses(m->plan, m->plan->agents[i].task, barrier))
            lower_to(&machine_clock(m, i)[entry], least);
    for (int stage = 0; stage < m->plan->stage_count; stage++) {
        if (may_tell(m, stage, of))
            continue;
        stage_gathered(m, stage)[entry] = stage_done(m, stage)[entry] =
            0; /* less than what its waiters know */
    }
}

/* ---- accesses seem to last until the release ----------------------------------------------------------------------------- */

/* The last contribution of an agent to a barrier of the resource at that stage; 0: none. */
static uint32_t last_contribution(const machine *m, int agent_index, int resource, int stage)
{
    uint32_t last = 0;
    for (size_t b = 0; b < m->plan->program->barriers.len; b++) {
        if (m->plan->program->barriers.at[b].resource != resource)
            continue;
        for (int age = 0; age < 3; age++) {
            uint32_t epoch = stage_contributions(m, m->plan->stage_base[b] + stage, age)[agent_index];
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
    int resource = m->plan->program->buffers.at[s->buffer].resource;
    for (int i = 0; s->pipelined && m->now.touched[slot] && i < m->plan->agent_count; i++) {
        access *a = &slot_accesses(m, slot)[i];
        uint32_t last = last_contribution(m, i, resource, s->stage);
        extend(&a->write, last);
        extend(&a->read, last);
        extend(&a->wgmma_done, last);
    }
}

static void extend_waits(machine *m, int stage)
{
    const plan_stage *s = &m->plan->stages[stage];
    int resource = m->plan->program->barriers.at[s->barrier].resource;
    for (int i = 0; i < m->plan->agent_count; i++) {
        uint32_t *waited = &m->now.waited[(size_t)stage * (size_t)m->plan->agent_count + (size_t)i];
        extend(waited, last_contribution(m, i, resource, s->stage));
    }
}

/* ---- thresholds that can never fail again ---------------------------------------------------------------------------------- */

static void drop(uint32_t *epoch, uint32_t passed)
{
    if (*epoch <= passed)
        *epoch = 0;
}

/* Those that all who could ask have passed. Nothing is lost, and entries need not stay above them. */
static void drop_passed(machine *m, const heard *h, int agent_index, int lane)
{
    for (int slot = 0; slot < m->plan->slot_count; slot++) {
        if (lane_of_slot(m, slot) != lane)
            continue;
        access *a = &slot_accesses(m, slot)[agent_index];
        int buffer = m->plan->slots[slot].buffer;
        uint32_t by_all = heard_touching(h, buffer, PLAN_READS | PLAN_WRITES);
        uint32_t by_writers = heard_touching(h, buffer, PLAN_WRITES);
        drop(&a->write, by_all);
        drop(&a->write_before, by_all);
        drop(&a->read, by_writers);
        drop(&a->wgmma_done, by_writers);
    }
    for (int stage = 0; stage < m->plan->stage_count; stage++)
        if (m->now.barriers[stage].pending && lane_of_stage(m, stage) == lane)
            drop(&m->now.waited[(size_t)stage * (size_t)m->plan->agent_count + (size_t)agent_index],
                 heard_arriving(h, m->plan->stages[stage].barrier));
}

static void weaken_entry(machine *m, int entry)
{
    int owner = entry / m->plan->lanes;
    heard h = heard_of(m, entry);
    uint32_t least = heard_by_all(&h);
    drop_passed(m, &h, owner, entry % m->plan->lanes);
    for (int i = 0; i < m->plan->agent_count; i++) {
        readers r = {m, i, -1};
        if (i != owner && machine_alive(m, i))
            lower(&r, entry, machine_clock(m, i), least);
    }
    for (int stage = 0; stage < m->plan->stage_count; stage++)
        lower_stage(m, stage, entry, least);
}

void machine_weaken(machine *m)
{
    for (int slot = 0; slot < m->plan->slot_count; slot++)
        extend_accesses(m, slot);
    for (int stage = 0; stage < m->plan->stage_count; stage++)
        extend_waits(m, stage);
    for (int entry = 0; entry < m->plan->agent_count * m->plan->lanes; entry++)
        weaken_entry(m, entry);
    for (int stage = 0; stage < m->plan->stage_count; stage++)
        lower_phases(m, stage);
}
