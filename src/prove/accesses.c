/* Accesses to shared memory. Each new access is compared with the last ones of all agents to the same bytes; whoever is
 * not ordered before it by happens-before races with it.
 *
 *   generic read, write   done when the body returns: ordered if the later agent has heard of the earlier one's epoch
 *   bulk copy             writes from its issue until its phase completes: ordered if that completion is known
 *   wgmma read            from its issue until a body of the same warp has waited for its group
 *
 * Two exceptions. Producers that hold the same slot in the same lap share it: dividing it is their bodies' business,
 * unless a copy covers the whole buffer. Warps of one task share a buffer without a pipeline: bodies that hand data
 * from warp to warp synchronise inside. */
#include "prove/machine.h"

/* One new access. */
typedef struct subject {
    int agent, slot;
    access_kind kind;
    int64_t lap;
    bool whole;
} subject;

static bool writes(access_kind kind)
{
    return kind == ACCESS_WRITE || kind == ACCESS_COPY;
}

static bool race(machine *m, const subject *s, int slot, int other, int other_op, access_kind other_kind)
{
    return machine_fault(m,
                         (finding){FAULT_RACE, .agent = s->agent, .op = m->now.agents[s->agent].pc,
                                   .stage = -1, .other_agent = other, .other_op = other_op, .slot = s->slot,
                                   .other_slot = slot, .kind = s->kind, .other_kind = other_kind});
}

static bool same_task(const machine *m, int a, int b)
{
    return m->plan->agents[a].task == m->plan->agents[b].task;
}

/* Producers of the same lap of a ring divide the slot among them. */
static bool may_share(const machine *m, const subject *s, int slot, int64_t lap)
{
    return slot == s->slot && m->plan->slots[slot].pipelined && writes(s->kind) && lap == s->lap;
}

/* The last epoch of another agent that the subject has heard of, as far as the slot is concerned. */
static uint32_t known_of(const machine *m, const subject *s, int slot, int other)
{
    return machine_clock(m, s->agent)[plan_entry(m->plan, other, plan_slot_resource(m->plan, slot))];
}

/* ---- comparing with one agent ------------------------------------------------------------------------------------------------ */

static bool after_write(machine *m, const subject *s, int slot, int other)
{
    const access *a = &slot_accesses(m, slot)[other];
    uint32_t epoch = may_share(m, s, slot, a->write_lap) && !s->whole ? a->write_before : a->write;
    if (epoch <= known_of(m, s, slot, other))
        return true;
    return race(m, s, slot, other, a->write_op, ACCESS_WRITE);
}

static bool after_read(machine *m, const subject *s, int slot, int other)
{
    const access *a = &slot_accesses(m, slot)[other];
    if (a->read <= known_of(m, s, slot, other))
        return true;
    return race(m, s, slot, other, a->read_op, ACCESS_READ);
}

static bool after_wgmma(machine *m, const subject *s, int slot, int other)
{
    const access *a = &slot_accesses(m, slot)[other];
    bool finished = !a->wgmma_open && (other == s->agent || a->wgmma_done <= known_of(m, s, slot, other));
    return finished || race(m, s, slot, other, a->wgmma_op, ACCESS_WGMMA);
}

static bool after_agent(machine *m, const subject *s, int slot, int other)
{
    uint8_t touched = m->now.touched[slot];
    bool self = other == s->agent;
    bool one_body = !m->plan->slots[slot].pipelined && slot == s->slot && same_task(m, other, s->agent);
    if ((touched & TOUCHED_WRITE) && !self && !one_body && !after_write(m, s, slot, other))
        return false;
    if (!writes(s->kind))
        return true;
    if ((touched & TOUCHED_READ) && !self && !one_body && !after_read(m, s, slot, other))
        return false;
    return !(touched & TOUCHED_WGMMA) || (one_body && !self) || after_wgmma(m, s, slot, other);
}

static bool after_copies(machine *m, const subject *s, int slot)
{
    const copied *c = &m->now.copies[slot];
    bool shared = may_share(m, s, slot, c->lap) && !c->whole && !s->whole;
    uint32_t phase = shared ? c->phase_before : c->phase;
    if (phase <= machine_clock(m, s->agent)[stage_entry(m, c->stage)])
        return true;
    return race(m, s, slot, c->agent, c->op, ACCESS_COPY);
}

/* Ordered after all that has touched the same bytes? */
static bool ordered(machine *m, const subject *s)
{
    const plan_slot *p = &m->plan->slots[s->slot];
    for (int i = 0; i < p->overlaps; i++) {
        int slot = m->plan->overlaps[p->first_overlap + i];
        for (int other = 0; m->now.touched[slot] && other < m->plan->agent_count; other++)
            if (!after_agent(m, s, slot, other))
                return false;
        if (m->now.copies[slot].phase && !after_copies(m, s, slot))
            return false;
    }
    return true;
}

/* ---- recording ------------------------------------------------------------------------------------------------------------------ */

static void record_read(machine *m, const subject *s)
{
    access *a = &slot_accesses(m, s->slot)[s->agent];
    a->read = machine_epoch(m, s->agent);
    a->read_op = m->now.agents[s->agent].pc;
    m->now.touched[s->slot] |= TOUCHED_READ;
}

static void record_write(machine *m, const subject *s)
{
    access *a = &slot_accesses(m, s->slot)[s->agent];
    if (a->write_lap != s->lap)
        a->write_before = a->write;
    a->write = machine_epoch(m, s->agent);
    a->write_lap = s->lap;
    a->write_op = m->now.agents[s->agent].pc;
    m->now.touched[s->slot] |= TOUCHED_WRITE;
}

static void record_copy(machine *m, const subject *s, int stage)
{
    copied *c = &m->now.copies[s->slot];
    if (c->lap != s->lap)
        c->phase_before = c->phase;
    c->whole = s->whole || (c->whole && c->lap == s->lap);
    c->stage = stage;
    c->phase = m->now.barriers[stage].count + 1;
    c->lap = s->lap;
    c->agent = s->agent;
    c->op = m->now.agents[s->agent].pc;
}

static void record_wgmma(machine *m, const subject *s, uint32_t *group)
{
    access *a = &slot_accesses(m, s->slot)[s->agent];
    uint32_t bit = 1u << (s->slot % 32);
    if (!(group[s->slot / 32] & bit))
        a->wgmma_open++;
    group[s->slot / 32] |= bit;
    a->wgmma_op = m->now.agents[s->agent].pc;
    m->now.touched[s->slot] |= TOUCHED_WGMMA;
}

/* ---- wgmma groups: finish in the order they were committed ----------------------------------------------------------------------- */

static void group_finished(machine *m, int agent_index, const uint32_t *group)
{
    for (int slot = 0; slot < m->plan->slot_count; slot++)
        if (group[slot / 32] >> (slot % 32) & 1) {
            access *a = &slot_accesses(m, slot)[agent_index];
            a->wgmma_open--;
            a->wgmma_done = machine_epoch(m, agent_index);
        }
}

static void drop_oldest_group(machine *m, int agent_index)
{
    agent *a = &m->now.agents[agent_index];
    size_t group_bytes = (size_t)m->slot_words * sizeof(uint32_t);
    uint32_t *groups = agent_group(m, agent_index, 0);
    a->groups--;
    memmove(groups, groups + m->slot_words, (size_t)a->groups * group_bytes);
    memset(agent_group(m, agent_index, a->groups), 0, group_bytes);
}

static void finish_groups(machine *m, int agent_index, int keep)
{
    while (m->now.agents[agent_index].groups > keep) {
        group_finished(m, agent_index, agent_group(m, agent_index, 0));
        drop_oldest_group(m, agent_index);
    }
}

/* Where the next group is gathered. When there is no room left the two oldest become one: a wait that spares either
 * of 15 younger groups cannot be written (wgmma_wait is at most 7). */
static uint32_t *open_group(machine *m, int agent_index)
{
    agent *a = &m->now.agents[agent_index];
    if (a->groups == MOST_GROUPS) {
        uint32_t *oldest = agent_group(m, agent_index, 0), *next = agent_group(m, agent_index, 1);
        for (int slot = 0; slot < m->plan->slot_count; slot++)
            if (oldest[slot / 32] & next[slot / 32] & 1u << (slot % 32))
                slot_accesses(m, slot)[agent_index].wgmma_open--;
        for (int w = 0; w < m->slot_words; w++)
            next[w] |= oldest[w];
        drop_oldest_group(m, agent_index);
    }
    return agent_group(m, agent_index, a->groups);
}

/* ---- one work body ------------------------------------------------------------------------------------------------------------------ */

static subject subject_of(const machine *m, int agent_index, const ir_effect *e)
{
    static const access_kind kinds[] = {[IR_READ] = ACCESS_READ,
                                        [IR_WRITE] = ACCESS_WRITE,
                                        [IR_COPY_IN] = ACCESS_COPY,
                                        [IR_WGMMA_READ] = ACCESS_WGMMA};
    subject s = {.agent = agent_index, .slot = m->plan->slot_base[e->buffer], .kind = kinds[e->kind]};
    if (e->cursor >= 0) {
        const cursor *c = agent_cursor(m, agent_index, e->cursor);
        s.slot += e->held ? c->held : c->slot;
        s.lap = e->held ? c->held_lap : c->lap;
    }
    s.whole = e->kind == IR_COPY_IN && e->bytes >= m->plan->slots[s.slot].bytes;
    return s;
}

static bool copy_in(machine *m, const subject *s, const ir_effect *e)
{
    const cursor *c = agent_cursor(m, s->agent, e->cursor);
    int stage = m->plan->stage_base[e->barrier] + (e->held ? c->held : c->slot);
    if (!barrier_copy_issued(m, s->agent, stage, e->bytes))
        return false;
    record_copy(m, s, stage);
    return true;
}

static bool apply(machine *m, const subject *s, const ir_effect *e, uint32_t *group)
{
    if (!ordered(m, s))
        return false;
    switch (e->kind) {
    case IR_READ: record_read(m, s); return true;
    case IR_WRITE: record_write(m, s); return true;
    case IR_WGMMA_READ:
        if (group) /* lowering gives every body that reads by wgmma a group */
            record_wgmma(m, s, group);
        return true;
    default: return copy_in(m, s, e);
    }
}

bool access_work(machine *m, int agent_index, const ir_op *op)
{
    uint32_t *group = op->wgmma_groups ? open_group(m, agent_index) : NULL;
    for (int i = 0; i < op->effect_count; i++) {
        subject s = subject_of(m, agent_index, &op->effects[i]);
        if (!apply(m, &s, &op->effects[i], group))
            return false;
    }
    if (op->wgmma_groups)
        m->now.agents[agent_index].groups++;
    if (op->wgmma_wait >= 0)
        finish_groups(m, agent_index, op->wgmma_wait);
    return true;
}
