/* Who knows which phases to be complete.
 *
 * A completion happens before whatever comes after a wait that it let through, and before nothing else, with one
 * exception: a phase that only arrivals by warps of its own CTA complete is complete as soon as all of them have happened.
 * So it is enough to keep, for the last two completions of a stage, in which epoch each user first passed a wait for it;
 * who has heard of one of these knows. A bulk copy into a slot is over with a phase, which may be an older one: its waits
 * are kept with the slot. */
#include "prove/machine.h"

/* Whether the agent has heard of one of the waits of users of the stage. Its own entries are all alike and never lower. */
static bool has_heard_one(const machine *m, int agent_index, int stage, const uint32_t *waits)
{
    const uint32_t *clock = machine_clock(m, agent_index);
    const int *users = stage_users(m, stage);
    int ring = plan_stage_ring(m->plan, stage);
    for (int i = 0; i < m->plan->stages[stage].users; i++)
        if (waits[i] && waits[i] <= clock[plan_entry(m->plan, users[i], ring)])
            return true;
    return false;
}

/* Of what came after each contribution to a phase that is complete as soon as all of them have happened. (What an operation
 * tells several barriers at once says nothing of one to those who wait for another.) The others come when they please. */
static bool has_heard_all(const machine *m, int agent_index, int stage, int age)
{
    const uint32_t *clock = machine_clock(m, agent_index),
                   *contributions = stage_contributions(m, stage, age);
    if (m->now.barriers[stage].deferred[age] || m->plan->loose)
        return false;
    int ring = plan_stage_ring(m->plan, stage);
    const int *users = stage_users(m, stage);
    for (int i = 0; i < m->plan->stages[stage].users; i++)
        if (contributions[i] && contributions[i] >= clock[plan_entry(m->plan, users[i], ring)])
            return false;
    return true;
}

/* The agent's own wait comes first: most often there is one. */
bool completion_known(const machine *m, int agent_index, int stage, int age)
{
    int use = plan_use(m->plan, stage, agent_index);
    const uint32_t *passes = stage_passes(m, stage, age);
    return m->now.barriers[stage].count < (uint32_t)age || (use >= 0 && passes[use]) ||
           has_heard_one(m, agent_index, stage, passes) || has_heard_all(m, agent_index, stage, age) ||
           (age > 1 && completion_known(m, agent_index, stage, age - 1));
}

uint32_t completion_last_known(const machine *m, int agent_index, int stage)
{
    uint32_t count = m->now.barriers[stage].count;
    for (int age = 1; age <= 2 && (uint32_t)age <= count; age++)
        if (completion_known(m, agent_index, stage, age))
            return count + 1 - (uint32_t)age;
    return 0;
}

bool completion_known_to_all(const machine *m, int stage, int age, uint8_t how)
{
    const int *users = stage_users(m, stage);
    for (int i = 0; i < m->plan->stages[stage].users; i++)
        if (machine_alive(m, users[i]) && plan_acts(m->plan, m->plan->agents[users[i]].crew, stage, how) &&
            !completion_known(m, users[i], stage, age))
            return false;
    return true;
}

bool copy_known(const machine *m, int agent_index, int slot, bool before)
{
    return has_heard_one(m, agent_index, m->plan->slots[slot].copy_stage, slot_sightings(m, slot, before));
}

bool copy_known_to_all(const machine *m, int slot, bool before)
{
    const plan_crews *touching = &m->plan->touching[PLAN_READS | PLAN_WRITES];
    for (int i = touching->first[slot]; i < touching->first[slot + 1]; i++) {
        const plan_crew *crew = &m->plan->crews[touching->at[i]];
        for (int warp = crew->first; warp < crew->first + crew->warps; warp++)
            if (machine_alive(m, warp) && !copy_known(m, warp, slot, before))
                return false;
    }
    return true;
}

/* ---- what happens -------------------------------------------------------------------------------------- */

static void note_first(uint32_t *epoch, uint32_t now)
{
    *epoch = *epoch ? *epoch : now;
}

void completion_passed(machine *m, int agent_index, int stage)
{
    const plan_crews *copies = &m->plan->copies_on;
    int use = plan_use(m->plan, stage, agent_index);
    uint32_t now = machine_epoch(m, agent_index), count = m->now.barriers[stage].count;
    note_first(&stage_passes(m, stage, 1)[use], now);
    for (int i = copies->first[stage]; count && i < copies->first[stage + 1]; i++) {
        const copied *c = &m->now.copies[copies->at[i]];
        if (c->phase == count)
            note_first(&slot_sightings(m, copies->at[i], false)[use], now);
        if (c->phase_before == count)
            note_first(&slot_sightings(m, copies->at[i], true)[use], now);
    }
}

void completion_happens(machine *m, int stage)
{
    size_t bytes = (size_t)m->plan->stages[stage].users * sizeof(uint32_t);
    memcpy(stage_passes(m, stage, 2), stage_passes(m, stage, 1), bytes);
    memset(stage_passes(m, stage, 1), 0, bytes);
}

void copy_begins(machine *m, int slot, bool new_lap)
{
    size_t bytes = (size_t)m->plan->stages[m->plan->slots[slot].copy_stage].users * sizeof(uint32_t);
    uint32_t *last = slot_sightings(m, slot, false);
    if (new_lap)
        memcpy(slot_sightings(m, slot, true), last, bytes);
    memset(last, 0, bytes);
}
