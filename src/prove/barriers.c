/* mbarriers (PTX ISA, "mbarrier"): a phase completes when no arrival is pending and the bytes announced have come.
 *
 * The two conditions that let one execution stand for all of them are checked where they could fail:
 *
 *   discipline  an arrival for phase n + 1 comes after completion n, in happens-before, not by luck
 *   no lapping  completion n + 1 comes after each wait that completion n let through; and whoever waits for completion
 *               n + 1 knows completion n, for else it could arrive while the parity still is that of n - 1
 *
 * Bytes may arrive before they are announced (the count goes below zero for a while), as on the hardware. Bulk copies,
 * the arrivals of pipes, and all that crosses to another CTA arrive later than they are issued: they are in their phase by
 * what was known when they were issued. */
#include "prove/events.h"

static void join(uint32_t *into, const uint32_t *from, int width)
{
    for (int i = 0; i < width; i++)
        into[i] = from[i] > into[i] ? from[i] : into[i];
}

/* ---- waiting ------------------------------------------------------------------------------------------- */

static bool parity_is_over(const barrier_state *b, uint32_t parity)
{
    return (b->count & 1) != parity;
}

static void pass_wait(machine *m, int agent_index, int stage)
{
    uint32_t *clock = machine_clock(m, agent_index);
    if (m->log)
        events_passed(m, agent_index, stage);
    join(clock, stage_done(m, stage), m->plan->told);
    stage_waits(m, stage)[plan_use(m->plan, stage, agent_index)] = machine_epoch(m, agent_index);
    completion_passed(m, agent_index, stage);
    m->now.barriers[stage].waited = m->now.barriers[stage].count;
}

/* The completions an agent must know, or the parity could mislead it: all but the one it waits for. */
static uint32_t must_know(const barrier_state *b, bool over)
{
    return over && b->count ? b->count - 1 : b->count;
}

wait_result barrier_wait(machine *m, int agent_index, int stage, uint32_t parity)
{
    const barrier_state *b = &m->now.barriers[stage];
    bool over = parity_is_over(b, parity);
    if (completion_last_known(m, agent_index, stage) < must_know(b, over)) {
        (void)machine_fault(m, (finding){FAULT_EARLY_WAIT, .agent = agent_index,
                                         .op = m->now.agents[agent_index].pc, .stage = stage,
                                         .number = must_know(b, over) + 1});
        return WAIT_FAULT;
    }
    if (!over)
        return WAIT_BLOCKED;
    pass_wait(m, agent_index, stage);
    return WAIT_PASSED;
}

/* ---- completion ---------------------------------------------------------------------------------------- */

/* No lapping: everyone whom the last completion let through has been heard of since. */
static bool all_waits_heard(machine *m, int stage, int agent_index, int op)
{
    const uint32_t *heard = stage_gathered(m, stage), *waits = stage_waits(m, stage);
    const int *users = stage_users(m, stage);
    for (int i = 0; i < m->plan->stages[stage].users; i++)
        if (waits[i] > heard[plan_entry(m->plan, users[i], plan_stage_ring(m->plan, stage))])
            return machine_fault(m, (finding){FAULT_LAPPED, .agent = agent_index, .op = op, .stage = stage,
                                              .other_agent = users[i],
                                              .number = m->now.barriers[stage].count + 1});
    return true;
}

static void wake_waiters(machine *m, int stage)
{
    const int *users = stage_users(m, stage);
    for (int i = 0; i < m->plan->stages[stage].users; i++) {
        const agent *a = &m->now.agents[users[i]];
        if (a->status != AGENT_BLOCKED || a->stage != stage)
            continue;
        pass_wait(m, users[i], stage);
        machine_wake(m, users[i]);
    }
}

static void age_contributions(machine *m, int stage)
{
    size_t bytes = (size_t)m->plan->stages[stage].users * sizeof(uint32_t);
    uint8_t *deferred = m->now.barriers[stage].deferred;
    memmove(stage_contributions(m, stage, 1), stage_contributions(m, stage, 0), 2 * bytes);
    memset(stage_contributions(m, stage, 0), 0, bytes);
    deferred[2] = deferred[1];
    deferred[1] = deferred[0];
    deferred[0] = 0;
}

static bool complete(machine *m, int stage, int agent_index, int op)
{
    barrier_state *b = &m->now.barriers[stage];
    uint32_t *done, *gathered = stage_gathered(m, stage);
    size_t bytes = (size_t)m->plan->width * sizeof(uint32_t);
    if (!all_waits_heard(m, stage, agent_index, op))
        return false;
    b->count++;
    b->pending = plan_barrier_of(m->plan, stage)->arrivals;
    done = stage_own_done(m, stage, false);
    memcpy(done, gathered, bytes);
    memset(gathered, 0, bytes);
    m->begun[stage] = false;
    memset(stage_waits(m, stage), 0, (size_t)m->plan->stages[stage].users * sizeof(uint32_t));
    age_contributions(m, stage);
    completion_happens(m, stage);
    if (m->log)
        events_completed(m, stage);
    wake_waiters(m, stage);
    return true;
}

/* After a change: is the phase over? Fewer bytes announced than have come can never add up again. */
static bool settle(machine *m, int stage, int agent_index, int op)
{
    const barrier_state *b = &m->now.barriers[stage];
    if (b->pending)
        return true;
    if (b->tx < 0)
        return machine_fault(m, (finding){FAULT_TOO_MANY_BYTES, .agent = agent_index, .op = op,
                                          .stage = stage, .number = -b->tx});
    return b->tx > 0 || complete(m, stage, agent_index, op);
}

/* ---- contributing -------------------------------------------------------------------------------------- */

/* The agent tells the phase what it has done so far. */
static void tell(machine *m, int agent_index, int stage)
{
    const uint32_t *own = &machine_clock(m, agent_index)[agent_index * m->plan->lanes];
    uint32_t *heard = &stage_gathered(m, stage)[agent_index * m->plan->lanes];
    stage_contributions(m, stage, 0)[plan_use(m->plan, stage, agent_index)] = *own;
    memcpy(heard, own, (size_t)m->plan->lanes * sizeof(uint32_t));
}

void barrier_told(machine *m, int agent_index)
{
    const plan_agent *a = &m->plan->agents[agent_index];
    machine_begin_epoch(m, agent_index);
    for (int kind = 0; kind < PLAN_PIPES; kind++)
        if (a->pipes[kind] >= 0)
            machine_begin_epoch(m, a->pipes[kind]);
}

/* Discipline: whoever contributes to phase n + 1 knows completion n. */
static bool contribute(machine *m, int agent_index, int stage)
{
    barrier_state *b = &m->now.barriers[stage];
    if (completion_last_known(m, agent_index, stage) < b->count)
        return machine_fault(m, (finding){FAULT_WRONG_PHASE, .agent = agent_index,
                                          .op = m->now.agents[agent_index].pc, .stage = stage,
                                          .number = b->count + 1});
    m->begun[stage] = true;
    join(stage_gathered(m, stage), machine_clock(m, agent_index), m->plan->told);
    tell(m, agent_index, stage);
    if (m->plan->stages[stage].rank != m->plan->agents[agent_index].rank)
        b->deferred[0] |= DEFERRED_REMOTE;
    return true;
}

/* Takes arrivals, with a finding if they are too many. */
static bool take_arrivals(machine *m, const flight *f)
{
    barrier_state *b = &m->now.barriers[f->stage];
    if (f->arrivals > b->pending)
        return machine_fault(m, (finding){FAULT_TOO_MANY, .agent = f->agent, .op = f->op, .stage = f->stage,
                                          .number = f->arrivals - b->pending});
    b->pending -= f->arrivals;
    return settle(m, f->stage, f->agent, f->op);
}

bool barrier_arrive(machine *m, int agent_index, int stage, uint32_t arrivals, uint32_t expect_bytes)
{
    flight now = {
        .stage = stage, .arrivals = arrivals, .agent = agent_index, .op = m->now.agents[agent_index].pc};
    if (!contribute(m, agent_index, stage))
        return false;
    m->now.barriers[stage].tx += expect_bytes;
    if (m->log)
        events_contributed(m, stage, arrivals, expect_bytes);
    return take_arrivals(m, &now);
}

/* ---- what arrives later -------------------------------------------------------------------------------- */

static bool take_off(machine *m, flight f)
{
    if (*m->now.in_flight_count == MOST_FLIGHTS && !barrier_flight_lands(m))
        return false;
    if (!contribute(m, f.agent, f.stage))
        return false;
    m->now.barriers[f.stage].deferred[0] |= DEFERRED_ASYNC;
    f.phase = m->now.barriers[f.stage].count + 1;
    f.op = m->now.agents[f.agent].pc;
    int last = (*m->now.in_flight_first + (*m->now.in_flight_count)++) % MOST_FLIGHTS;
    m->now.in_flight[last] = f;
    if (m->log)
        events_issued(m);
    return true;
}

bool barrier_copy_issued(machine *m, int agent_index, int stage, uint32_t bytes)
{
    return take_off(m, (flight){.stage = stage, .bytes = bytes, .agent = agent_index});
}

bool barrier_pipe_arrives(machine *m, int agent_index, plan_pipe kind, int stage, uint32_t arrivals)
{
    if (!take_off(m, (flight){.stage = stage, .arrivals = arrivals, .agent = agent_index}))
        return false;
    tell(m, m->plan->agents[agent_index].pipes[kind], stage);
    return true;
}

bool barrier_flight_lands(machine *m)
{
    flight f = m->now.in_flight[*m->now.in_flight_first];
    barrier_state *b = &m->now.barriers[f.stage];
    *m->now.in_flight_first = (*m->now.in_flight_first + 1) % MOST_FLIGHTS;
    --*m->now.in_flight_count;
    if (m->log)
        events_landed(m, &f);
    if (b->count + 1 != f.phase)
        return machine_fault(m, (finding){f.bytes ? FAULT_TOO_MANY_BYTES : FAULT_TOO_MANY, .agent = f.agent,
                                          .op = f.op, .stage = f.stage,
                                          .number = f.bytes ? f.bytes : f.arrivals});
    b->tx -= f.bytes;
    return take_arrivals(m, &f);
}

/* ---- the end ------------------------------------------------------------------------------------------- */

static bool is_used(const machine *m, int stage)
{
    const plan_crews *users = &m->plan->acting[PLAN_USES];
    return users->first[stage] < users->first[stage + 1];
}

/* In a cluster, a barrier may have its partner in the leader alone: then its own counts say all. */
static int partner_of(const machine *m, int stage)
{
    const plan_stage *s = &m->plan->stages[stage];
    int partner = plan_barrier_of(m->plan, stage)->balance;
    if (partner < 0 || s->stage >= m->plan->program->barriers.at[partner].stages)
        return -1;
    int other = plan_stage_at(m->plan, partner, s->rank) + s->stage;
    return m->plan->ranks == 1 || (is_used(m, stage) && is_used(m, other)) ? other : -1;
}

int64_t barrier_lead(const machine *m, int stage)
{
    int other = partner_of(m, stage);
    return other < 0 ? 0 : (int64_t)m->now.barriers[stage].count - m->now.barriers[other].count;
}

static bool balances(machine *m, int stage)
{
    return !barrier_lead(m, stage) ||
           machine_fault(m, (finding){FAULT_UNBALANCED, .agent = -1, .op = -1, .stage = partner_of(m, stage),
                                      .other_agent = stage});
}

/* Nothing asynchronous may be under way when the CTA ends. (Arrivals from other CTAs come before the barrier of the
 * cluster with which every CTA of a cluster ends.) */
bool barrier_must_be_seen(const machine *m, int stage)
{
    return plan_barrier_of(m->plan, stage)->side == IR_FULL ||
           (m->now.barriers[stage].deferred[1] & DEFERRED_ASYNC);
}

static bool stage_is_clean(machine *m, int stage)
{
    const barrier_state *b = &m->now.barriers[stage];
    if (b->pending != plan_barrier_of(m->plan, stage)->arrivals || b->tx)
        return machine_fault(m, (finding){FAULT_HALF_PHASE, .agent = -1, .op = -1, .stage = stage});
    if (b->waited < b->count && barrier_must_be_seen(m, stage))
        return machine_fault(m, (finding){FAULT_UNSEEN, .agent = -1, .op = -1, .stage = stage});
    return balances(m, stage);
}

/* Somebody knows that all that a pipe was given is finished. */
static bool pipe_is_idle(const machine *m, int pipe)
{
    for (int i = 0; i < m->plan->agent_count; i++)
        for (int lane = 0; i != pipe && lane < m->plan->lanes; lane++)
            if (machine_clock(m, i)[pipe * m->plan->lanes + lane] >= m->now.last[pipe])
                return true;
    return !m->now.last[pipe];
}

static bool agent_is_finished(machine *m, int agent_index)
{
    const plan_agent *a = &m->plan->agents[agent_index];
    bool idle =
        a->warp_itself ? !m->now.agents[agent_index].groups[GROUP_BULK] : pipe_is_idle(m, agent_index);
    return idle || machine_fault(m, (finding){FAULT_UNFINISHED, .agent = agent_index, .op = -1, .stage = -1});
}

bool barrier_end_is_clean(machine *m)
{
    for (int i = 0; i < m->plan->stage_count; i++)
        if (!stage_is_clean(m, i))
            return false;
    for (int i = 0; i < m->plan->agent_count; i++)
        if (!agent_is_finished(m, i))
            return false;
    return true;
}
