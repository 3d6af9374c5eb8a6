/* mbarriers (PTX ISA, "mbarrier"): a phase completes when no arrival is pending and the bytes announced have come.
 *
 * The two conditions that let one execution stand for all of them are checked where they could fail:
 *
 *   discipline  an arrival for phase n + 1 comes after completion n, in happens-before, not by luck
 *   no lapping  completion n + 1 comes after each wait that completion n let through; and whoever waits for completion
 *               n + 1 knows completion n, for else it could arrive while the parity still is that of n - 1
 *
 * Bytes may arrive before they are announced (the count goes below zero for a while), as on the hardware. */
#include "prove/machine.h"

static void join(uint32_t *into, const uint32_t *from, int width)
{
    for (int i = 0; i < width; i++)
        into[i] = from[i] > into[i] ? from[i] : into[i];
}

static uint32_t *waits_of(const machine *m, int stage)
{
    return m->now.waited + (size_t)stage * (size_t)m->plan->agent_count;
}

/* ---- what an agent is sure of ------------------------------------------------------------------------------------ */

/* A phase that only arrivals complete is complete as soon as all of them have happened: whoever has heard of each
 * contribution knows the completion, without having waited for it. Bytes come when they please. */
static bool has_heard_all(const machine *m, int agent_index, int stage, int age)
{
    const uint32_t *clock = machine_clock(m, agent_index),
                   *contributions = stage_contributions(m, stage, age);
    if (m->now.barriers[stage].by_bytes[age])
        return false;
    int resource = plan_stage_resource(m->plan, stage);
    for (int i = 0; i < m->plan->agent_count; i++)
        if (contributions[i] > clock[plan_entry(m->plan, i, resource)])
            return false;
    return true;
}

uint32_t barrier_known(machine *m, int agent_index, int stage)
{
    uint32_t *known = &machine_clock(m, agent_index)[stage_entry(m, stage)];
    uint32_t count = m->now.barriers[stage].count;
    for (int age = 1; !m->plan->loose && age <= 2 && *known + (uint32_t)age <= count; age++)
        if (has_heard_all(m, agent_index, stage, age))
            *known = count + 1 - (uint32_t)age;
    return *known;
}

/* ---- waiting ---------------------------------------------------------------------------------------------------------------- */

static bool parity_is_over(const barrier_state *b, uint32_t parity)
{
    return (b->count & 1) != parity;
}

static void pass_wait(machine *m, int agent_index, int stage)
{
    uint32_t *clock = machine_clock(m, agent_index);
    join(clock, stage_done(m, stage), m->plan->width);
    waits_of(m, stage)[agent_index] = machine_epoch(m, agent_index);
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
    if (barrier_known(m, agent_index, stage) < must_know(b, over)) {
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

/* ---- completion --------------------------------------------------------------------------------------------------------------- */

/* No lapping: everyone whom the last completion let through has been heard of since. */
static bool all_waits_heard(machine *m, int stage, int agent_index)
{
    const uint32_t *heard = stage_gathered(m, stage), *waits = waits_of(m, stage);
    for (int i = 0; i < m->plan->agent_count; i++)
        if (waits[i] > heard[plan_entry(m->plan, i, plan_stage_resource(m->plan, stage))])
            return machine_fault(m, (finding){FAULT_LAPPED, .agent = agent_index,
                                              .op = agent_index < 0 ? -1 : m->now.agents[agent_index].pc,
                                              .stage = stage, .other_agent = i,
                                              .number = m->now.barriers[stage].count + 1});
    return true;
}

static void wake_waiters(machine *m, int stage)
{
    for (int i = 0; i < m->plan->agent_count; i++)
        if (m->now.agents[i].status == AGENT_BLOCKED && m->now.agents[i].stage == stage) {
            pass_wait(m, i, stage);
            machine_wake(m, i);
        }
}

static void age_contributions(machine *m, int stage)
{
    size_t bytes = (size_t)m->plan->agent_count * sizeof(uint32_t);
    bool *by_bytes = m->now.barriers[stage].by_bytes;
    memmove(stage_contributions(m, stage, 1), stage_contributions(m, stage, 0), 2 * bytes);
    memset(stage_contributions(m, stage, 0), 0, bytes);
    by_bytes[2] = by_bytes[1];
    by_bytes[1] = by_bytes[0];
    by_bytes[0] = false;
}

static bool complete(machine *m, int stage, int agent_index)
{
    barrier_state *b = &m->now.barriers[stage];
    uint32_t *done = stage_done(m, stage), *gathered = stage_gathered(m, stage);
    size_t bytes = (size_t)m->plan->width * sizeof(uint32_t);
    if (!all_waits_heard(m, stage, agent_index))
        return false;
    b->count++;
    b->pending = m->plan->program->barriers.at[m->plan->stages[stage].barrier].arrivals;
    memcpy(done, gathered, bytes);
    memset(gathered, 0, bytes);
    memset(waits_of(m, stage), 0, (size_t)m->plan->agent_count * sizeof(uint32_t));
    done[stage_entry(m, stage)] = b->count;
    age_contributions(m, stage);
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
    return b->tx > 0 || complete(m, stage, agent_index);
}

/* ---- arriving ------------------------------------------------------------------------------------------------------------------- */

/* Discipline: whoever contributes to phase n + 1 knows completion n. Publishes the agent's clock to the phase. */
static bool contribute(machine *m, int agent_index, int stage)
{
    uint32_t *clock = machine_clock(m, agent_index);
    uint32_t count = m->now.barriers[stage].count;
    if (barrier_known(m, agent_index, stage) < count)
        return machine_fault(m, (finding){FAULT_WRONG_PHASE, .agent = agent_index,
                                          .op = m->now.agents[agent_index].pc, .stage = stage,
                                          .number = count + 1});
    join(stage_gathered(m, stage), clock, m->plan->width);
    stage_contributions(m, stage, 0)[agent_index] = machine_epoch(m, agent_index);
    for (int lane = 0; lane < m->plan->lanes; lane++)
        clock[agent_index * m->plan->lanes + lane]++;
    return true;
}

bool barrier_arrive(machine *m, int agent_index, int stage, uint32_t arrivals, uint32_t expect_bytes)
{
    barrier_state *b = &m->now.barriers[stage];
    int op = m->now.agents[agent_index].pc;
    if (!contribute(m, agent_index, stage))
        return false;
    if (arrivals > b->pending)
        return machine_fault(m, (finding){FAULT_TOO_MANY, .agent = agent_index, .op = op, .stage = stage,
                                          .number = arrivals - b->pending});
    b->tx += expect_bytes;
    b->pending -= arrivals;
    return settle(m, stage, agent_index, op);
}

/* ---- bulk copies ------------------------------------------------------------------------------------------------------------------ */

bool barrier_copy_issued(machine *m, int agent_index, int stage, uint32_t bytes)
{
    if (*m->now.in_flight_count == MOST_COPIES && !barrier_copy_completes(m))
        return false;
    if (!contribute(m, agent_index, stage))
        return false;
    m->now.barriers[stage].by_bytes[0] = true;
    int last = (*m->now.in_flight_first + (*m->now.in_flight_count)++) % MOST_COPIES;
    m->now.in_flight[last] = (copy_in_flight){stage, bytes, m->now.barriers[stage].count + 1, agent_index,
                                              m->now.agents[agent_index].pc};
    return true;
}

bool barrier_copy_completes(machine *m)
{
    copy_in_flight c = m->now.in_flight[*m->now.in_flight_first];
    barrier_state *b = &m->now.barriers[c.stage];
    *m->now.in_flight_first = (*m->now.in_flight_first + 1) % MOST_COPIES;
    --*m->now.in_flight_count;
    if (b->count + 1 != c.phase)
        return machine_fault(m, (finding){FAULT_TOO_MANY_BYTES, .agent = c.agent, .op = c.op,
                                          .stage = c.stage, .number = c.bytes});
    b->tx -= c.bytes;
    return settle(m, c.stage, c.agent, c.op);
}

/* ---- the end --------------------------------------------------------------------------------------------------------------------- */

static bool stage_is_clean(machine *m, int stage)
{
    const barrier_state *b = &m->now.barriers[stage];
    int barrier = m->plan->stages[stage].barrier;
    const ir_barrier *of = &m->plan->program->barriers.at[barrier];
    if (b->pending != of->arrivals || b->tx)
        return machine_fault(m, (finding){FAULT_HALF_PHASE, .agent = -1, .op = -1, .stage = stage});
    if (of->side != IR_FULL)
        return true;
    if (b->waited < b->count)
        return machine_fault(m, (finding){FAULT_UNSEEN, .agent = -1, .op = -1, .stage = stage});
    /* The empty barrier of the same pipeline follows the full one. */
    int empty = m->plan->stage_base[barrier + 1] + m->plan->stages[stage].stage;
    if (m->now.barriers[empty].count != b->count)
        return machine_fault(m, (finding){FAULT_UNBALANCED, .agent = -1, .op = -1, .stage = empty});
    return true;
}

bool barrier_end_is_clean(machine *m)
{
    for (int i = 0; i < m->plan->stage_count; i++)
        if (!stage_is_clean(m, i))
            return false;
    return true;
}
