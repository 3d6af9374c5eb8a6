/* The canonical execution: agents run in their order until all are blocked or ask; then the oldest bulk copy completes
 * (so copies are as late as they can be); then a question is put. Any other order would reach the same states, which is
 * what the conditions of barriers.c are checked for. */
#include "prove/events.h"

enum { WARP_LANES = 32, FETCH_BYTES = 16 };

/* Each returns false to stop the agent: blocked, asking, or a fault found. The program counter has moved on success. */
typedef bool run_op(machine *m, int agent_index, const plan_op *p);

static agent *agent_at(machine *m, int agent_index)
{
    return &m->now.agents[agent_index];
}

static bool ask(machine *m, int agent_index, int64_t asked)
{
    agent *a = agent_at(m, agent_index);
    a->status = AGENT_ASKS;
    a->asked = asked;
    return false;
}

static bool jump(machine *m, int agent_index, int pc)
{
    agent_at(m, agent_index)->pc = pc;
    m->events++;
    return true;
}

static bool next(machine *m, int agent_index)
{
    return jump(m, agent_index, agent_at(m, agent_index)->pc + 1);
}

/* ---- loops and guards ---------------------------------------------------------------------------------- */

/* Whether the loop has a trip of that number; the number it would ask about in *than. */
static answer has_trip(machine *m, int agent_index, const plan_op *p, int64_t trip, int64_t *than)
{
    if (p->value < 0)
        return trip < p->trips.count ? ANSWER_YES : ANSWER_NO;
    *than = p->trips.offset + trip * p->trips.step;
    return value_greater(m, agent_index, p->value, *than);
}

static bool run_loop(machine *m, int agent_index, const plan_op *p)
{
    agent *a = agent_at(m, agent_index);
    int64_t than = 0;
    answer goes_on = has_trip(m, agent_index, p, 0, &than);
    if (goes_on == ANSWER_UNKNOWN)
        return ask(m, agent_index, than);
    a->trip = 0;
    a->in_loop = goes_on == ANSWER_YES;
    return jump(m, agent_index, goes_on == ANSWER_YES ? a->pc + 1 : p->op->match + 1);
}

static bool run_loop_end(machine *m, int agent_index, const plan_op *p)
{
    agent *a = agent_at(m, agent_index);
    int64_t than = 0;
    answer goes_on = has_trip(m, agent_index, p, a->trip + 1, &than);
    if (goes_on == ANSWER_UNKNOWN)
        return ask(m, agent_index, than);
    if (goes_on == ANSWER_YES) {
        a->trip++;
        return jump(m, agent_index, p->op->match + 1);
    }
    a->in_loop = a->pinned = false;
    return next(m, agent_index);
}

static answer unless(answer a)
{
    return a == ANSWER_UNKNOWN ? a : a == ANSWER_YES ? ANSWER_NO : ANSWER_YES;
}

static answer every(const ir_op *guard, int64_t trip)
{
    bool holds = trip >= guard->first && (trip - guard->first) % guard->period == 0;
    return holds ? ANSWER_YES : ANSWER_NO;
}

static const plan_op *loop_around(const machine *m, int agent_index, const plan_op *p)
{
    return &m->plan->tasks[m->plan->agents[agent_index].task].ops[p->loop];
}

static bool run_guard(machine *m, int agent_index, const plan_op *p)
{
    agent *a = agent_at(m, agent_index);
    int64_t than = 0;
    answer holds = a->trip == 0 ? ANSWER_YES : ANSWER_NO;
    if (p->idle || p->assumed)
        return jump(m, agent_index, p->idle ? p->op->match + 1 : a->pc + 1);
    if (p->value >= 0 && m->plan->values[p->value].of_trip && !value_enter_trip(m, agent_index, p->value))
        return false;
    switch (p->op->guard) {
    case IR_GUARD_FIRST: break;
    case IR_GUARD_LAST:
        holds = unless(has_trip(m, agent_index, loop_around(m, agent_index, p), a->trip + 1, &than));
        break;
    case IR_GUARD_EVERY: holds = every(p->op, a->trip); break;
    case IR_GUARD_TRUE: holds = value_choice(m, agent_index, p->value); break;
    case IR_GUARD_FALSE:
    case IR_GUARD_NOT_SKIPPED: holds = unless(value_choice(m, agent_index, p->value)); break;
    }
    if (holds == ANSWER_UNKNOWN)
        return ask(m, agent_index, than);
    return jump(m, agent_index, holds == ANSWER_YES ? a->pc + 1 : p->op->match + 1);
}

static bool enter_tile(machine *m, int agent_index, const plan_op *p, int body, int after)
{
    agent *a = agent_at(m, agent_index);
    answer more = value_greater(m, agent_index, p->value, a->tile);
    if (more == ANSWER_UNKNOWN)
        return ask(m, agent_index, a->tile);
    a->in_tile_loop = more == ANSWER_YES;
    if (more == ANSWER_YES && !value_enter_tile(m, agent_index, p->value))
        return false;
    return jump(m, agent_index, more == ANSWER_YES ? body : after);
}

static bool run_tile_loop(machine *m, int agent_index, const plan_op *p)
{
    return enter_tile(m, agent_index, p, agent_at(m, agent_index)->pc + 1, p->op->match + 1);
}

static bool run_tile_loop_end(machine *m, int agent_index, const plan_op *p)
{
    return enter_tile(m, agent_index, p, p->op->match + 1, agent_at(m, agent_index)->pc + 1);
}

static bool run_next_tile(machine *m, int agent_index, const plan_op *p)
{
    if (!access_work(m, agent_index, p))
        return false;
    agent_at(m, agent_index)->tile++;
    return next(m, agent_index);
}

/* Ends of blocks, and what orders grids. */
static bool run_nothing(machine *m, int agent_index, const plan_op *p)
{
    (void)p;
    return next(m, agent_index);
}

static bool run_fence(machine *m, int agent_index, const plan_op *p)
{
    fence_by(m, agent_index, p->op->fence);
    return next(m, agent_index);
}

/* ---- barriers ------------------------------------------------------------------------------------------ */

static int stage_in(const machine *m, int agent_index, const ir_op *op, int rank)
{
    return plan_stage_at(m->plan, op->barrier, rank) + agent_cursor(m, agent_index, op->cursor)->slot;
}

/* Waits and probes look at the barrier of their own CTA. */
static int stage_of(const machine *m, int agent_index, const ir_op *op)
{
    return stage_in(m, agent_index, op, m->plan->agents[agent_index].rank);
}

static probe *probe_of(const machine *m, int agent_index, int status)
{
    return &m->now.probes[m->plan->agents[agent_index].statuses + status];
}

/* The answer of a probe is not looked at: it may come either way. What is remembered lets WAIT see that a yes would
 * have been right. */
static bool run_probe(machine *m, int agent_index, const plan_op *p)
{
    int stage = stage_of(m, agent_index, p->op);
    *probe_of(m, agent_index, p->op->status) =
        (probe){stage, agent_cursor(m, agent_index, p->op->cursor)->parity,
                completion_last_known(m, agent_index, stage)};
    return next(m, agent_index);
}

/* A yes to the probe must mean the phase that is waited for: same stage, same parity, and none but the last completion
 * unknown when it was asked. */
static bool probe_is_sound(machine *m, int agent_index, const probe *asked, int stage, uint32_t parity)
{
    const barrier_state *b = &m->now.barriers[stage];
    bool over = (b->count & 1) != parity;
    uint32_t target = over ? b->count : b->count + 1;
    if (asked->stage < 0 || (asked->stage == stage && asked->parity == parity && asked->known + 1 >= target))
        return true;
    return machine_fault(m, (finding){FAULT_OTHER_PROBE, .agent = agent_index,
                                      .op = agent_at(m, agent_index)->pc, .stage = stage,
                                      .other_op = asked->stage, .number = target});
}

static bool run_wait(machine *m, int agent_index, const plan_op *p)
{
    agent *a = agent_at(m, agent_index);
    int stage = stage_of(m, agent_index, p->op);
    uint32_t parity = agent_cursor(m, agent_index, p->op->cursor)->parity;
    if (p->op->status >= 0) {
        probe *asked = probe_of(m, agent_index, p->op->status);
        if (!probe_is_sound(m, agent_index, asked, stage, parity))
            return false;
        asked->stage = -1;
    }
    switch (barrier_wait(m, agent_index, stage, parity)) {
    case WAIT_PASSED: return next(m, agent_index);
    case WAIT_BLOCKED:
        a->status = AGENT_BLOCKED;
        a->stage = stage;
        return false;
    default: return false;
    }
}

void machine_wake(machine *m, int agent_index)
{
    agent_at(m, agent_index)->status = AGENT_RUNS;
    (void)next(m, agent_index);
}

/* One contribution, at the barrier of one CTA. */
static bool act_at(machine *m, int agent_index, const ir_op *op, int stage)
{
    uint32_t arrivals = op->lanes == MODEL_LANES_ALL ? WARP_LANES : 1;
    switch (op->kind) {
    case IR_EXPECT: return barrier_arrive(m, agent_index, stage, arrivals, arrivals * op->bytes);
    case IR_COPY_ARRIVE: return barrier_pipe_arrives(m, agent_index, PLAN_COPY_PIPE, stage, WARP_LANES);
    case IR_UMMA_COMMIT: return barrier_pipe_arrives(m, agent_index, PLAN_TENSOR_PIPE, stage, 1);
    case IR_FETCH: return barrier_copy_issued(m, agent_index, stage, FETCH_BYTES);
    default: return barrier_arrive(m, agent_index, stage, arrivals, 0);
    }
}

static bool is_for(const machine *m, int agent_index, const ir_op *op)
{
    bool by_lanes = op->kind == IR_EXPECT || op->kind == IR_ARRIVE;
    return !by_lanes || op->lanes != MODEL_LANES_FIRST || m->plan->agents[agent_index].warp == 0;
}

static bool run_act(machine *m, int agent_index, const plan_op *p)
{
    uint32_t targets = p->targets[m->plan->agents[agent_index].rank];
    for (int rank = 0; rank < m->plan->ranks && is_for(m, agent_index, p->op); rank++)
        if (targets >> rank & 1 && !act_at(m, agent_index, p->op, stage_in(m, agent_index, p->op, rank)))
            return false;
    barrier_told(m, agent_index);
    return next(m, agent_index);
}

/* The answer to a query for the next tile comes as a bulk copy does. */
static bool run_fetch(machine *m, int agent_index, const plan_op *p)
{
    if (!p->op->effect_count)
        return run_act(m, agent_index, p);
    return access_work(m, agent_index, p) && next(m, agent_index);
}

static bool run_advance(machine *m, int agent_index, const plan_op *p)
{
    cursor *c = agent_cursor(m, agent_index, p->op->cursor);
    const ir_cursor *of = &plan_task_of(m->plan, agent_index)->cursors.at[p->op->cursor];
    c->held = c->slot;
    c->held_lap = c->lap;
    c->slot += of->stride;
    if (c->slot >= of->stages) {
        c->slot -= of->stages;
        c->parity ^= 1;
        c->lap++;
    }
    if (p->op->status >= 0)
        probe_of(m, agent_index, p->op->status)->stage = -1;
    return next(m, agent_index);
}

static bool run_forget(machine *m, int agent_index, const plan_op *p)
{
    probe_of(m, agent_index, p->op->status)->stage = -1;
    return next(m, agent_index);
}

static bool run_work(machine *m, int agent_index, const plan_op *p)
{
    return access_work(m, agent_index, p) && next(m, agent_index);
}

static run_op *const run_table[IR_KIND_COUNT] = {
    [IR_TILE_LOOP] = run_tile_loop,
    [IR_TILE_LOOP_END] = run_tile_loop_end,
    [IR_LOOP] = run_loop,
    [IR_LOOP_END] = run_loop_end,
    [IR_GUARD] = run_guard,
    [IR_GUARD_END] = run_nothing,
    [IR_PROBE] = run_probe,
    [IR_WAIT] = run_wait,
    [IR_EXPECT] = run_act,
    [IR_ARRIVE] = run_act,
    [IR_COPY_ARRIVE] = run_act,
    [IR_UMMA_COMMIT] = run_act,
    [IR_FENCE] = run_fence,
    [IR_FETCH] = run_fetch,
    [IR_GRIDDEP_WAIT] = run_nothing,
    [IR_GRIDDEP_LAUNCH] = run_nothing,
    [IR_ADVANCE] = run_advance,
    [IR_FORGET] = run_forget,
    [IR_WORK] = run_work,
    [IR_NEXT_TILE] = run_next_tile,
};

/* ---- scheduling ---------------------------------------------------------------------------------------- */

static void run_agent(machine *m, int agent_index)
{
    agent *a = agent_at(m, agent_index);
    const plan_task *t = &m->plan->tasks[m->plan->agents[agent_index].task];
    while (a->status == AGENT_RUNS && m->events <= m->most_events) {
        if (a->pc == t->count) {
            a->status = AGENT_DONE;
            return;
        }
        const plan_op *p = &t->ops[a->pc];
        bool here = p->ranks >> m->plan->agents[agent_index].rank & 1;
        if (here && m->log)
            events_begin(m, agent_index, p);
        if (!(here ? run_table[p->op->kind] : run_nothing)(m, agent_index, p)) {
            if (m->log)
                events_stopped(m, agent_index);
            return;
        }
    }
}

static bool anyone(const machine *m, agent_status status)
{
    for (int i = 0; i < m->plan->agent_count; i++)
        if (m->now.agents[i].status == status)
            return true;
    return false;
}

/* Until nobody can run and nothing is in flight. */
static bool run_to_rest(machine *m)
{
    for (;;) {
        while (anyone(m, AGENT_RUNS))
            for (int i = 0; i < m->plan->agent_count; i++) {
                run_agent(m, i);
                if (m->finding.fault || m->events > m->most_events)
                    return false;
            }
        if (!*m->now.in_flight_count)
            return true;
        if (!barrier_flight_lands(m))
            return false;
    }
}

static int asked_value(const machine *m, int agent_index)
{
    const plan_op *at = agent_op(m, agent_index);
    if (at->value >= 0)
        return at->value;
    return m->plan->tasks[m->plan->agents[agent_index].task].ops[at->loop].value; /* a last-trip guard */
}

/* The preferred value of a loop first, then any other loop's or tile's; the number of tiles only when nobody asks for
 * less, so that no task runs ahead into the next tile while others could still go on in this one. */
static int urgency(const machine *m, int value, int prefer)
{
    return m->plan->values[value].kind == PLAN_TILES ? 1 : value == prefer ? 3 : 2;
}

static bool choose_question(const machine *m, int prefer, question *q)
{
    int most = 0;
    for (int i = 0; i < m->plan->agent_count; i++) {
        if (m->now.agents[i].status != AGENT_ASKS)
            continue;
        int value = asked_value(m, i);
        if (urgency(m, value, prefer) <= most)
            continue;
        most = urgency(m, value, prefer);
        *q = (question){value, value_instance(m, i, value)};
    }
    return most > 0;
}

outcome machine_run(machine *m, int prefer, question *q)
{
    if (!run_to_rest(m))
        return m->finding.fault ? OUTCOME_FAULT : OUTCOME_TOO_LONG;
    if (choose_question(m, prefer, q))
        return OUTCOME_ASKS;
    for (int i = 0; i < m->plan->agent_count; i++)
        if (m->now.agents[i].status == AGENT_BLOCKED) {
            (void)machine_fault(m, (finding){FAULT_STUCK, .agent = i, .op = m->now.agents[i].pc,
                                             .stage = m->now.agents[i].stage});
            return OUTCOME_FAULT;
        }
    return barrier_end_is_clean(m) ? OUTCOME_FINISHED : OUTCOME_FAULT;
}
