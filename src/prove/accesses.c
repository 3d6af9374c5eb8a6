/* Accesses to shared and tensor memory. Each new access is compared with the last ones of all agents to the same bytes;
 * whoever is not ordered before it by happens-before races with it.
 *
 *   generic read, write   done when the body returns: ordered if the later agent has heard of the earlier one's epoch
 *   bulk copy             writes from its issue until its phase completes: ordered if that completion is known
 *   wgmma, bulk store     read from their issue until a body of the same warp has waited for their group
 *   tcgen05, cp.async     accesses of a pipe, from their issue until what the pipe was given before a later commit is
 *                         known to be finished: the pipe's epoch has been heard of. tcgen05 work of one warp is done in order
 *
 * Two exceptions. Producers that hold the same slot in the same lap share it: dividing it is their bodies' business,
 * unless a copy covers the whole buffer. Warps of one task share a buffer without a pipeline: which of its bytes each
 * touches, plan_parts.c says. */
#include "prove/machine.h"

/* One new access. */
typedef struct subject {
    int knower; /* the warp that issues it: what it knows has happened */
    int agent;  /* who makes it: the warp, or a pipe of its */
    int slot;
    ir_effect_kind kind;
    int64_t lap;
    bool whole;
} subject;

static bool meets(machine *m, const subject *s, fault what, int slot, int other, int other_op,
                  ir_effect_kind other_kind)
{
    return machine_fault(m,
                         (finding){what, .agent = s->knower, .op = m->now.agents[s->knower].pc, .stage = -1,
                                   .other_agent = other, .other_op = other_op, .slot = s->slot,
                                   .other_slot = slot, .kind = s->kind, .other_kind = other_kind});
}

static bool race(machine *m, const subject *s, int slot, int other, int other_op, ir_effect_kind other_kind)
{
    return meets(m, s, FAULT_RACE, slot, other, other_op, other_kind);
}

/* Of what an agent does to memory itself. */
static ir_effect_kind kind_of(const machine *m, int agent_index, bool write)
{
    const plan_agent *a = &m->plan->agents[agent_index];
    if (a->warp_itself)
        return write ? IR_WRITE : IR_READ;
    if (a->kind == PLAN_COPY_PIPE)
        return IR_LOAD_IN;
    return write ? IR_UMMA_WRITE : IR_UMMA_READ;
}

/* Other warps of the task have other bytes of a buffer without a pipeline, unless their parts say otherwise. */
static bool keeps_apart(const machine *m, const subject *s, int slot, int other, ir_effect_kind other_kind)
{
    const plan_slot *p = &m->plan->slots[slot];
    if (p->pipelined || slot != s->slot || m->plan->agents[s->agent].crew != m->plan->agents[other].crew)
        return false;
    return !plan_parts_meet(m->plan, p->buffer, s->agent, plan_doing_of(s->kind), other,
                            plan_doing_of(other_kind));
}

/* Producers of the same lap of a ring divide the slot among them. */
static bool may_share(const machine *m, const subject *s, int slot, int64_t lap)
{
    return slot == s->slot && m->plan->slots[slot].pipelined && ir_effects[s->kind].writes && lap == s->lap;
}

/* The last epoch of another agent that the subject has heard of, as far as the slot is concerned. */
static uint32_t known_of(const machine *m, const subject *s, int slot, int other)
{
    return machine_clock(m, s->knower)[plan_entry(m->plan, other, plan_slot_ring(m->plan, slot))];
}

/* ---- comparing with one agent -------------------------------------------------------------------------- */

/* What an agent does itself is in order, but for cp.async copies. */
static bool in_order(const machine *m, const subject *s, int other)
{
    const plan_agent *a = &m->plan->agents[other];
    return other == s->agent && (a->warp_itself || a->kind == PLAN_TENSOR_PIPE);
}

/* After the last access of a kind by another agent, in that epoch; `fenced`: as fences ask. */
static bool after_access(machine *m, const subject *s, int slot, int other, bool write, uint32_t epoch,
                         uint32_t fenced)
{
    const access *a = slot_access(m, slot, other);
    bool ordered = in_order(m, s, other) || epoch <= known_of(m, s, slot, other);
    ir_effect_kind kind = kind_of(m, other, write);
    if (ordered && fence_stands(m, s->knower, ir_effects[s->kind].async, slot, other, fenced))
        return true;
    return keeps_apart(m, s, slot, other, kind) || meets(m, s, ordered ? FAULT_UNFENCED : FAULT_RACE, slot,
                                                         other, write ? a->write_op : a->read_op, kind);
}

static bool after_write(machine *m, const subject *s, int slot, int other)
{
    const access *a = slot_access(m, slot, other);
    bool shared = may_share(m, s, slot, a->write_lap) && !s->whole;
    return after_access(m, s, slot, other, true, shared ? a->write_before : a->write,
                        shared ? a->fence_write_before : a->fence_write);
}

/* An engine may write after threads have read, without a fence: a read is over when its thread goes on. */
static bool after_read(machine *m, const subject *s, int slot, int other)
{
    const access *a = slot_access(m, slot, other);
    bool tensor = plan_buffer_of(m->plan, slot)->space == IR_TENSOR;
    return after_access(m, s, slot, other, false, a->read, tensor ? a->fence_read : 0);
}

static bool after_groups(machine *m, const subject *s, int slot, int other)
{
    static const ir_effect_kind kinds[] = {[GROUP_WGMMA] = IR_WGMMA_READ, [GROUP_BULK] = IR_BULK_READ};
    for (int kind = 0; kind < GROUP_KINDS; kind++) {
        const group_reads *r = &slot_access(m, slot, other)->by_groups[kind];
        bool done = !r->open && (other == s->agent || r->done <= known_of(m, s, slot, other));
        if (!done && !keeps_apart(m, s, slot, other, kinds[kind]))
            return race(m, s, slot, other, r->op, kinds[kind]);
    }
    return true;
}

static bool after_agent(machine *m, const subject *s, int slot, int other)
{
    uint8_t touched = m->now.touched[slot];
    if ((touched & TOUCHED_WRITE) && !after_write(m, s, slot, other))
        return false;
    if (!ir_effects[s->kind].writes)
        return true;
    if ((touched & TOUCHED_READ) && !after_read(m, s, slot, other))
        return false;
    return !(touched & TOUCHED_GROUPS) || after_groups(m, s, slot, other);
}

static bool after_copies(machine *m, const subject *s, int slot)
{
    const copied *c = &m->now.copies[slot];
    bool shared = may_share(m, s, slot, c->lap) && !c->whole && !s->whole;
    if (shared ? !c->phase_before || copy_known(m, s->knower, slot, true)
               : copy_known(m, s->knower, slot, false))
        return true;
    return race(m, s, slot, c->agent, c->op, IR_COPY_IN);
}

/* Ordered after all that has touched the same bytes? */
static bool ordered(machine *m, const subject *s)
{
    const plan_slot *p = &m->plan->slots[s->slot];
    for (int i = 0; i < p->overlaps; i++) {
        int slot = m->plan->overlaps[p->first_overlap + i];
        for (int n = 0; m->now.touched[slot] && n < p->agents; n++)
            if (!after_agent(m, s, slot, p->first_agent + n))
                return false;
        if (m->now.copies[slot].phase && !after_copies(m, s, slot))
            return false;
    }
    return true;
}

/* ---- memory that overlaps: whose contents it holds ----------------------------------------------------- */

/* Accesses are ordered, so the last write before a read is the same in every interleaving. Views of the same memory hold
 * the same. */
static bool holds_its_own(machine *m, const subject *s)
{
    const plan_slot *p = &m->plan->slots[s->slot];
    const clobber *c = &m->now.clobbers[s->slot];
    bool optional = agent_op(m, s->knower)->optional;
    if (!ir_effects[s->kind].writes)
        return !c->gone ||
               machine_fault(m,
                             (finding){FAULT_CLOBBERED, .agent = s->knower, .op = m->now.agents[s->knower].pc,
                                       .stage = -1, .other_agent = c->agent, .other_op = c->op,
                                       .slot = s->slot, .other_slot = c->slot, .kind = s->kind});
    for (int i = 0; i < p->overlaps; i++) {
        int slot = m->plan->overlaps[p->first_overlap + i];
        bool gone = m->plan->slots[slot].owner != p->owner;
        if (!gone && optional) /* the write may be left out */
            continue;
        m->now.clobbers[slot] = (clobber){gone, s->slot, s->knower, m->now.agents[s->knower].pc};
    }
    return true;
}

/* ---- recording ----------------------------------------------------------------------------------------- */

static void record_read(machine *m, const subject *s)
{
    access *a = slot_access(m, s->slot, s->agent);
    a->read = a->fence_read = machine_epoch(m, s->agent);
    a->read_op = m->now.agents[s->knower].pc;
    m->now.touched[s->slot] |= TOUCHED_READ;
}

static void record_write(machine *m, const subject *s)
{
    access *a = slot_access(m, s->slot, s->agent);
    if (a->write_lap != s->lap) {
        a->write_before = a->write;
        a->fence_write_before = a->fence_write;
    }
    a->write = a->fence_write = machine_epoch(m, s->agent);
    a->write_lap = s->lap;
    a->write_op = m->now.agents[s->knower].pc;
    m->now.touched[s->slot] |= TOUCHED_WRITE;
}

static void record_copy(machine *m, const subject *s, int stage)
{
    copied *c = &m->now.copies[s->slot];
    copy_begins(m, s->slot, c->lap != s->lap);
    if (c->lap != s->lap)
        c->phase_before = c->phase;
    c->whole = s->whole || (c->whole && c->lap == s->lap);
    c->phase = m->now.barriers[stage].count + 1;
    c->lap = s->lap;
    c->agent = s->agent;
    c->op = m->now.agents[s->knower].pc;
}

/* ---- one work body ------------------------------------------------------------------------------------- */

static subject subject_of(const machine *m, int agent_index, const ir_effect *e, int rank)
{
    subject s = {.knower = agent_index, .slot = plan_slot_at(m->plan, e->buffer, rank), .kind = e->kind};
    s.agent = plan_maker(m->plan, agent_index, e->kind);
    if (e->cursor >= 0) {
        const cursor *c = agent_cursor(m, agent_index, e->cursor);
        s.slot += e->held ? c->held : c->slot;
        s.lap = e->held ? c->held_lap : c->lap;
    }
    s.whole = e->kind == IR_COPY_IN && e->bytes >= m->plan->slots[s.slot].bytes;
    return s;
}

static bool copy_in(machine *m, const subject *s, const ir_effect *e, int rank)
{
    const cursor *c = agent_cursor(m, s->knower, e->cursor);
    int stage = plan_stage_at(m->plan, e->barrier, plan_completes_at(m->plan, e, rank)) +
                (e->held ? c->held : c->slot);
    if (!barrier_copy_issued(m, s->knower, stage, e->bytes))
        return false;
    record_copy(m, s, stage);
    return true;
}

/* The groups that a body gathers; NULL: it commits none. */
typedef struct gathered {
    uint32_t *groups[GROUP_KINDS];
} gathered;

static void record_group(machine *m, const subject *s, const gathered *g, group_kind kind)
{
    if (g->groups[kind]) /* lowering gives every body that reads by groups one */
        group_add(m, s->agent, kind, g->groups[kind], s->slot);
}

static bool apply(machine *m, const subject *s, const ir_effect *e, int rank, const gathered *g)
{
    if (!ordered(m, s) || !holds_its_own(m, s))
        return false;
    if (s->agent != s->knower)
        m->now.last[s->agent] = machine_epoch(m, s->agent);
    switch (s->kind) {
    case IR_READ:
    case IR_UMMA_READ: record_read(m, s); return true;
    case IR_WRITE:
    case IR_LOAD_IN:
    case IR_UMMA_WRITE: record_write(m, s); return true;
    case IR_WGMMA_READ: record_group(m, s, g, GROUP_WGMMA); return true;
    case IR_BULK_READ: record_group(m, s, g, GROUP_BULK); return true;
    default: return copy_in(m, s, e, rank);
    }
}

static bool apply_all(machine *m, int agent_index, const plan_op *p, const gathered *g)
{
    int own = m->plan->agents[agent_index].rank;
    for (int i = 0; i < p->op->effect_count; i++) {
        uint32_t reach = p->reach[i * m->plan->ranks + own];
        for (int rank = 0; rank < m->plan->ranks; rank++) {
            if (!(reach >> rank & 1))
                continue;
            subject s = subject_of(m, agent_index, &p->op->effects[i], rank);
            if (!apply(m, &s, &p->op->effects[i], rank, g))
                return false;
        }
        if (p->op->effects[i].kind == IR_COPY_IN)
            barrier_told(m, agent_index);
    }
    return true;
}

bool access_work(machine *m, int agent_index, const plan_op *p)
{
    const ir_op *op = p->op;
    gathered g = {{NULL, NULL}};
    if (op->wgmma_groups)
        g.groups[GROUP_WGMMA] = group_open(m, agent_index, GROUP_WGMMA);
    if (op->bulk_groups)
        g.groups[GROUP_BULK] = group_open(m, agent_index, GROUP_BULK);
    if (!apply_all(m, agent_index, p, &g))
        return false;
    for (int kind = 0; kind < GROUP_KINDS; kind++)
        if (g.groups[kind])
            group_commit(m, agent_index, (group_kind)kind);
    if (op->kind == IR_WORK && op->wgmma_wait >= 0)
        group_wait(m, agent_index, GROUP_WGMMA, op->wgmma_wait);
    if (op->kind == IR_WORK && op->bulk_wait >= 0)
        group_wait(m, agent_index, GROUP_BULK, op->bulk_wait);
    return true;
}
