/* Operations, in the order of docs/prover.md: agents in their order until nobody can go on, then the oldest of what is under
 * way arrives. */
#include "certify/state.h"

enum { WARP_LANES = 32, FETCH_BYTES = 16 };

/* False: the agent stops, for it waits, asks, or something is wrong. Else its pc has moved. */
typedef bool step(state *s, int agent, const world_op *o);

static bool go_to(state *s, int agent, int pc)
{
    s->agents[agent].pc = pc;
    return true;
}

static bool go_on(state *s, int agent)
{
    return go_to(s, agent, s->agents[agent].pc + 1);
}

/* Into a block, or past it. */
static bool branch(state *s, int agent, state_answer answer, int yes, int no)
{
    if (answer == ANSWER_OPEN)
        s->agents[agent].status = STATE_ASKS;
    if (answer == ANSWER_OPEN || answer == ANSWER_WRONG)
        return false;
    return go_to(s, agent, answer == ANSWER_YES ? yes : no);
}

/* ---- loops and guards ---------------------------------------------------------------------------------- */

static void leave_loop(state_agent *a)
{
    a->in_loop = false;
    a->trip = a->turn = 0;
    a->mode = TRIP_COUNTED;
}

static bool step_loop(state *s, int agent, const world_op *o)
{
    state_agent *a = &s->agents[agent];
    if (!a->in_loop)
        *a = (state_agent){
            .pc = a->pc, .tile = a->tile, .in_loop = true, .groups = {a->groups[0], a->groups[1]}};
    state_answer more = state_has_trip(s, agent, o, 0);
    if (more == ANSWER_NO)
        leave_loop(a);
    return branch(s, agent, more, a->pc + 1, o->op->match + 1);
}

static bool step_loop_end(state *s, int agent, const world_op *o)
{
    state_agent *a = &s->agents[agent];
    const world_op *loop = state_loop(s, agent);
    state_answer more = state_has_trip(s, agent, loop, 1);
    if (more == ANSWER_YES) {
        a->trip++;
        a->turn++;
        a->distance += loop->step;
    } else if (more == ANSWER_NO) {
        leave_loop(a);
    }
    return branch(s, agent, more, o->op->match + 1, a->pc + 1);
}

static state_answer truth(bool holds)
{
    return holds ? ANSWER_YES : ANSWER_NO;
}

static state_answer opposite(state_answer a)
{
    return a == ANSWER_YES ? ANSWER_NO : a == ANSWER_NO ? ANSWER_YES : a;
}

static state_answer holds(state *s, int agent, const world_op *o)
{
    int64_t trip = s->agents[agent].trip;
    switch (o->op->guard) {
    case IR_GUARD_FIRST: return truth(trip == 0);
    case IR_GUARD_LAST: return opposite(state_has_trip(s, agent, state_loop(s, agent), 1));
    case IR_GUARD_EVERY: return truth(trip >= o->op->first && (trip - o->op->first) % o->op->period == 0);
    case IR_GUARD_TRUE: return state_choice(s, agent, o->value);
    default: return opposite(state_choice(s, agent, o->value)); /* false, not skipped */
    }
}

static bool step_guard(state *s, int agent, const world_op *o)
{
    state_answer answer = o->idle ? ANSWER_NO : o->assumed ? ANSWER_YES : holds(s, agent, o);
    return branch(s, agent, answer, s->agents[agent].pc + 1, o->op->match + 1);
}

static bool enter_tile(state *s, int agent, const world_op *o, int body, int behind)
{
    state_answer more = state_has_tile(s, agent, o->value);
    if (more == ANSWER_YES && !state_enter_tile(s, agent, o->value))
        return false;
    return branch(s, agent, more, body, behind);
}

static bool step_tile_loop(state *s, int agent, const world_op *o)
{
    return enter_tile(s, agent, o, s->agents[agent].pc + 1, o->op->match + 1);
}

static bool step_tile_loop_end(state *s, int agent, const world_op *o)
{
    return enter_tile(s, agent, o, o->op->match + 1, s->agents[agent].pc + 1);
}

static bool step_next_tile(state *s, int agent, const world_op *o)
{
    if (!state_work(s, agent, o))
        return false;
    s->agents[agent].tile++;
    return go_on(s, agent);
}

/* ---- barriers ------------------------------------------------------------------------------------------ */

/* The stage of a barrier that the cursor points to, in that CTA; -1: there is none. */
static int stage_at(state *s, int agent, const ir_op *op, int rank)
{
    int slot = op->cursor < 0 ? -1 : state_cursor_of(s, agent, op->cursor)->slot;
    if (slot >= 0 && slot < s->world->program->barriers.at[op->barrier].stages)
        return world_stage_at(s->world, op->barrier, rank) + slot;
    (void)state_wrong(s, agent, "a cursor points outside its ring");
    return -1;
}

static state_probe *probe_of(const state *s, int agent, int status)
{
    return &s->probes[s->world->agents[agent].first_probe + status];
}

/* A probe may answer either way. */
static bool step_probe(state *s, int agent, const world_op *o)
{
    int stage = stage_at(s, agent, o->op, s->world->agents[agent].rank);
    if (stage < 0)
        return false;
    uint32_t parity = state_cursor_of(s, agent, o->op->cursor)->parity;
    *probe_of(s, agent, o->op->status) = (state_probe){stage, parity, state_behind(s, agent, stage)};
    return go_on(s, agent);
}

/* A yes must have meant the phase that is waited for now. */
static bool probe_is_right(state *s, int agent, const state_probe *p, int stage, uint32_t parity)
{
    bool over = (s->stages[stage].count & 1) != parity;
    bool right = p->stage == stage && p->parity == parity && p->behind <= (over ? 1 : 0);
    return p->stage < 0 || right || state_wrong(s, agent, "a probe asked about another slot or phase");
}

static bool step_wait(state *s, int agent, const world_op *o)
{
    int stage = stage_at(s, agent, o->op, s->world->agents[agent].rank);
    if (stage < 0)
        return false;
    uint32_t parity = state_cursor_of(s, agent, o->op->cursor)->parity;
    if (o->op->status >= 0) {
        if (!probe_is_right(s, agent, probe_of(s, agent, o->op->status), stage, parity))
            return false;
        probe_of(s, agent, o->op->status)->stage = -1;
    }
    wait_result result = state_wait_for(s, agent, stage, parity);
    if (result == WAIT_BLOCKS) {
        s->agents[agent].status = STATE_WAITS;
        s->agents[agent].stage = stage;
    }
    return result == WAIT_PASSES && go_on(s, agent);
}

static bool act_at(state *s, int agent, const ir_op *op, int stage)
{
    uint32_t arrivals = op->lanes == MODEL_LANES_ALL ? WARP_LANES : 1;
    switch (op->kind) {
    case IR_EXPECT: return state_arrive(s, agent, stage, arrivals, (int64_t)arrivals * op->bytes);
    case IR_COPY_ARRIVE: return state_pipe_arrives(s, agent, PIPE_COPY, stage, WARP_LANES);
    case IR_UMMA_COMMIT: return state_pipe_arrives(s, agent, PIPE_TENSOR, stage, 1);
    case IR_FETCH: return state_copy_issued(s, agent, stage, FETCH_BYTES);
    default: return state_arrive(s, agent, stage, arrivals, 0);
    }
}

static bool step_act(state *s, int agent, const world_op *o)
{
    const world_agent *a = &s->world->agents[agent];
    bool by_lanes = o->op->kind == IR_EXPECT || o->op->kind == IR_ARRIVE;
    bool acts = !by_lanes || o->op->lanes != MODEL_LANES_FIRST || a->warp == 0;
    for (int rank = 0; acts && rank < s->world->ranks; rank++) {
        if (!(o->targets[a->rank] >> rank & 1))
            continue;
        int stage = stage_at(s, agent, o->op, rank);
        if (stage < 0 || !act_at(s, agent, o->op, stage))
            return false;
    }
    state_has_told(s, agent);
    return go_on(s, agent);
}

/* The answer to a query for the next tile comes as a copy does. */
static bool step_fetch(state *s, int agent, const world_op *o)
{
    if (!o->op->effect_count)
        return step_act(s, agent, o);
    return state_work(s, agent, o) && go_on(s, agent);
}

static bool step_forget(state *s, int agent, const world_op *o)
{
    if (o->op->status >= 0)
        probe_of(s, agent, o->op->status)->stage = -1;
    return go_on(s, agent);
}

static bool step_advance(state *s, int agent, const world_op *o)
{
    const ir_cursor *of = &world_task_of(s->world, agent)->cursors.at[o->op->cursor];
    state_cursor *c = state_cursor_of(s, agent, o->op->cursor);
    c->held = c->slot;
    c->held_lap = c->lap;
    c->slot += of->stride;
    if (c->slot >= of->stages) {
        c->slot -= of->stages;
        c->parity ^= 1;
        c->lap++;
    }
    if (c->slot < 0 || c->slot >= of->stages)
        return state_wrong(s, agent, "a cursor leaves its ring");
    return step_forget(s, agent, o);
}

static bool step_work(state *s, int agent, const world_op *o)
{
    return state_work(s, agent, o) && go_on(s, agent);
}

static bool step_fence(state *s, int agent, const world_op *o)
{
    state_fence(s, agent, o->op->fence);
    return go_on(s, agent);
}

/* Ends of guards, what orders grids; and all that other CTAs execute. */
static bool step_over(state *s, int agent, const world_op *o)
{
    (void)o;
    return go_on(s, agent);
}

static step *const steps[IR_KIND_COUNT] = {
    [IR_TILE_LOOP] = step_tile_loop, [IR_TILE_LOOP_END] = step_tile_loop_end,
    [IR_LOOP] = step_loop,           [IR_LOOP_END] = step_loop_end,
    [IR_GUARD] = step_guard,         [IR_GUARD_END] = step_over,
    [IR_PROBE] = step_probe,         [IR_WAIT] = step_wait,
    [IR_EXPECT] = step_act,          [IR_ARRIVE] = step_act,
    [IR_COPY_ARRIVE] = step_act,     [IR_UMMA_COMMIT] = step_act,
    [IR_FENCE] = step_fence,         [IR_FETCH] = step_fetch,
    [IR_GRIDDEP_WAIT] = step_over,   [IR_GRIDDEP_LAUNCH] = step_over,
    [IR_ADVANCE] = step_advance,     [IR_FORGET] = step_forget,
    [IR_WORK] = step_work,           [IR_NEXT_TILE] = step_next_tile,
};

/* ---- running ------------------------------------------------------------------------------------------- */

static void run_agent(state *s, int agent)
{
    state_agent *a = &s->agents[agent];
    const world_task *t = &s->world->tasks[s->world->agents[agent].task];
    while (a->status == STATE_RUNS && !s->wrong) {
        if (a->pc == t->count) {
            a->status = STATE_DONE;
            return;
        }
        const world_op *o = &t->ops[a->pc];
        bool here = o->ranks >> s->world->agents[agent].rank & 1;
        if (++s->events > s->most_events)
            (void)state_wrong(s, agent, "there are too many operations to execute");
        else if (!steps[o->op->kind])
            (void)state_wrong(s, agent, "an operation that the checker does not know");
        else if (!(here ? steps[o->op->kind] : step_over)(s, agent, o))
            return;
    }
}

static bool some(const state *s, state_status status)
{
    for (int i = 0; i < s->world->agent_count; i++)
        if (s->agents[i].status == status)
            return true;
    return false;
}

static void run_to_rest(state *s)
{
    for (;;) {
        while (some(s, STATE_RUNS) && !s->wrong)
            for (int i = 0; i < s->world->agent_count; i++)
                run_agent(s, i);
        if (s->wrong || s->first_flight == s->flights.len)
            return;
        if (!state_flight_lands(s))
            return;
    }
}

state_outcome state_run(state *s)
{
    run_to_rest(s);
    s->flights.len = s->first_flight = 0;
    if (!s->wrong && some(s, STATE_ASKS))
        return STATE_RESTS;
    if (!s->wrong && some(s, STATE_WAITS))
        (void)state_wrong(s, -1, "nobody can go on");
    return !s->wrong && state_end_is_clean(s) ? STATE_FINISHED : STATE_IS_WRONG;
}
