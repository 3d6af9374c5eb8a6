/* Forgetting. Every check of the prover asks whether an entry of a clock reaches a threshold, so a clock with smaller
 * entries passes fewer checks: what is proved after entries were lowered would be proved without. Between tiles a loose
 * plan lowers each entry to the last threshold that its owner could ask about: that an agent has heard of accesses it
 * cannot conflict with, or of waits whose barrier it does not arrive on, only tells configurations apart.
 *
 * Entries stay at or above what everyone knows, and the clock that a phase has gathered keeps the epochs of those who
 * contribute to it: that is what its waiters are to learn. */
#include "prove/machine.h"

/* Who may ask about the thresholds of an entry: the agent itself, or the waiters of a stage. */
typedef struct readers {
    const machine *m;
    int agent; /* -1: waiters of a barrier */
    int barrier;
} readers;

static uint32_t least_known(const machine *m, int entry)
{
    uint32_t least = UINT32_MAX;
    for (int i = 0; i < m->plan->agent_count; i++)
        if (i != entry && machine_alive(m, i) && machine_clock(m, i)[entry] < least)
            least = machine_clock(m, i)[entry];
    return least;
}

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

static void raise(uint32_t *to, uint32_t threshold, uint32_t limit)
{
    if (threshold <= limit && threshold > *to)
        *to = threshold;
}

/* The highest threshold of an agent, up to `limit`, that a reader may ask about; `least` if there is none. */
static uint32_t useful(const readers *r, int agent_index, uint32_t limit, uint32_t least)
{
    const machine *m = r->m;
    uint32_t most = least;
    for (int slot = 0; slot < m->plan->slot_count; slot++) {
        if (!m->now.touched[slot])
            continue;
        const access *a = &slot_accesses(m, slot)[agent_index];
        int buffer = m->plan->slots[slot].buffer;
        if (a->write > least && may_touch(r, buffer, PLAN_READS | PLAN_WRITES)) {
            raise(&most, a->write_before, limit);
            raise(&most, a->write, limit);
        }
        if ((a->read > least || a->wgmma_done > least) && may_touch(r, buffer, PLAN_WRITES)) {
            raise(&most, a->read, limit);
            raise(&most, a->wgmma_done, limit);
        }
    }
    for (int stage = 0; stage < m->plan->stage_count; stage++) {
        uint32_t waited = m->now.waited[(size_t)stage * (size_t)m->plan->agent_count + (size_t)agent_index];
        if (waited > least && may_arrive(r, m->plan->stages[stage].barrier))
            raise(&most, waited, limit);
    }
    return most;
}

static void lower(const readers *r, int agent_index, uint32_t *entry, uint32_t least)
{
    if (*entry > least)
        *entry = useful(r, agent_index, *entry, least);
}

static void lower_stage(machine *m, int stage, int agent_index, uint32_t least)
{
    int barrier = m->plan->stages[stage].barrier;
    readers r = {m, -1, barrier};
    if (*plan_arrives(m->plan, m->plan->agents[agent_index].task, barrier))
        return;
    lower(&r, agent_index, &stage_gathered(m, stage)[agent_index], least);
    lower(&r, agent_index, &stage_done(m, stage)[agent_index], least);
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
    uint32_t least = least_known(m, entry);
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

void machine_weaken(machine *m)
{
    for (int slot = 0; slot < m->plan->slot_count; slot++)
        extend_accesses(m, slot);
    for (int stage = 0; stage < m->plan->stage_count; stage++)
        extend_waits(m, stage);
    for (int of = 0; of < m->plan->agent_count; of++) {
        uint32_t least = least_known(m, of);
        for (int i = 0; i < m->plan->agent_count; i++) {
            readers r = {m, i, -1};
            if (i != of && machine_alive(m, i))
                lower(&r, of, &machine_clock(m, i)[of], least);
        }
        for (int stage = 0; stage < m->plan->stage_count; stage++)
            lower_stage(m, stage, of, least);
    }
    for (int of = 0; of < m->plan->stage_count; of++)
        lower_phases(m, of);
}
