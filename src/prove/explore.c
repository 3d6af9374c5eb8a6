/* The explorer: states are visited breadth first. A state is the place of each agent in its list of events, the barriers,
 * the answers of probes and which flights have landed. */
#include "prove/explore_events.h"

static state state_at(const explorer *x, char *bytes)
{
    size_t agents = (size_t)x->plan->agent_count;
    state s;
    s.fences = bytes;
    s.at = (uint32_t *)(void *)(bytes + explore_fence_bytes(x));
    s.answers = s.at + agents;
    s.stages = (stage_state *)(void *)(s.answers + agents * MOST_STATUSES);
    s.landed = (uint8_t *)(s.stages + x->plan->stage_count);
    s.gone = s.landed + x->flights.len;
    return s;
}

static void see(seen *s, uint32_t count)
{
    s->low = count < s->low ? count : s->low;
    s->high = count > s->high ? count : s->high;
}

/* ---- conflicts ----------------------------------------------------------------------------------------- */

static bool bytes_overlap(const explorer *x, int a, int b)
{
    const plan_slot *s = &x->plan->slots[a];
    for (int i = 0; i < s->overlaps; i++)
        if (x->plan->overlaps[s->first_overlap + i] == b)
            return true;
    return false;
}

static bool is_grouped(const touch *t)
{
    return t->kind == IR_WGMMA_READ || t->kind == IR_BULK_READ;
}

/* Without a pipeline, warps of a task keep to their parts of a buffer; and what a warp's threads do is in order, but not
 * with its own groups or engines. */
static bool one_body(const explorer *x, int agent_a, const touch *a, int agent_b, const touch *b)
{
    if (x->plan->agents[agent_a].crew != x->plan->agents[agent_b].crew)
        return false;
    if (agent_a == agent_b)
        return ir_effects[a->kind].maker == ir_effects[b->kind].maker && !is_grouped(a) && !is_grouped(b);
    return !plan_parts_meet(x->plan, x->plan->slots[a->slot].buffer, agent_a, plan_doing_of(a->kind), agent_b,
                            plan_doing_of(b->kind));
}

bool explore_meets(const explorer *x, const touch *a, const touch *b)
{
    return (ir_effects[a->kind].writes || ir_effects[b->kind].writes) && bytes_overlap(x, a->slot, b->slot);
}

bool explore_is_tensor(const touch *t)
{
    return ir_effects[t->kind].maker == IR_BY_TENSOR_PIPE;
}

bool explore_ends(const explore_flight *f, int number, const touch *t)
{
    switch (f->kind) {
    case FLIGHT_COPY: return t->flight == number;
    case FLIGHT_TENSOR: return ir_effects[t->kind].maker == IR_BY_TENSOR_PIPE;
    case FLIGHT_LOADS: return ir_effects[t->kind].maker == IR_BY_COPY_PIPE;
    default: return false;
    }
}

/* The exceptions are those of accesses.c: producers of the same lap divide a slot, warps of a task a buffer. */
static bool conflict(const explorer *x, int agent_a, const touch *a, int agent_b, const touch *b)
{
    if (!explore_meets(x, a, b))
        return false;
    if (agent_a == agent_b && ir_effects[a->kind].maker == IR_BY_TENSOR_PIPE &&
        ir_effects[b->kind].maker == IR_BY_TENSOR_PIPE)
        return false;
    if (a->slot != b->slot)
        return true;
    if (!x->plan->slots[a->slot].pipelined)
        return !one_body(x, agent_a, a, agent_b, b);
    return !(ir_effects[a->kind].writes && ir_effects[b->kind].writes && a->lap == b->lap && !a->whole &&
             !b->whole);
}

const event *explore_next(const explorer *x, const state *s, int agent_index)
{
    const actor *a = &x->actors[agent_index];
    return s->at[agent_index] < a->events.len ? &a->events.at[s->at[agent_index]] : NULL;
}

/* Whether a commit of the engine after that event has arrived: what the engine was given before is finished. */
static bool is_committed(const explorer *x, const state *s, int agent_index, int event_index,
                         flight_kind kind)
{
    for (size_t i = 0; i < x->flights.len; i++) {
        const explore_flight *f = &x->flights.at[i];
        if (f->kind == kind && f->agent == agent_index && f->event > event_index && s->landed[i])
            return true;
    }
    return false;
}

/* Whether a past access of the agent, in that event, is still under way. */
static bool under_way(const explorer *x, const state *s, int agent_index, int event_index, const touch *t)
{
    switch (ir_effects[t->kind].maker) {
    case IR_BY_COPY: return !s->landed[t->flight];
    case IR_BY_TENSOR_PIPE: return !is_committed(x, s, agent_index, event_index, FLIGHT_TENSOR);
    case IR_BY_COPY_PIPE: return !is_committed(x, s, agent_index, event_index, FLIGHT_LOADS);
    default: return is_grouped(t) && (int64_t)s->at[agent_index] <= t->until;
    }
}

/* An event that is possible now against one that is, too (past: NULL), or that is past. */
static bool conflicts_with_event(const explorer *x, int agent_a, const event *a, int agent_b, const event *b,
                                 const state *past)
{
    int event_b = (int)(b - x->actors[agent_b].events.at);
    for (int j = 0; j < b->touches; j++) {
        const touch *t = &x->touches.at[b->first_touch + j];
        if (past && !under_way(x, past, agent_b, event_b, t))
            continue;
        for (int i = 0; i < a->touches; i++)
            if (conflict(x, agent_a, &x->touches.at[a->first_touch + i], agent_b, t))
                return true;
    }
    return false;
}

/* Whether accesses of the event may be under way after it. */
static bool lingers(const explorer *x, const event *e)
{
    for (int i = 0; i < e->touches; i++) {
        const touch *t = &x->touches.at[e->first_touch + i];
        if (ir_effects[t->kind].maker != IR_BY_WARP || is_grouped(t))
            return true;
    }
    return false;
}

static bool has_race(const explorer *x, const state *s)
{
    for (int a = 0; a < x->plan->agent_count; a++) {
        const event *mine = explore_next(x, s, a);
        if (!mine || mine->kind != EVENT_WORK || !mine->touches)
            continue;
        for (int b = 0; b < x->plan->agent_count; b++) {
            const event *other = explore_next(x, s, b);
            if (b != a && other && other->kind == EVENT_WORK &&
                conflicts_with_event(x, a, mine, b, other, NULL))
                return true;
            const event *past = x->actors[b].events.at;
            for (uint32_t i = 0; past && i < s->at[b]; i++)
                if (past[i].lingers && conflicts_with_event(x, a, mine, b, &past[i], s))
                    return true;
        }
    }
    return false;
}

/* ---- states -------------------------------------------------------------------------------------------- */

static uint64_t hash_state(const char *bytes, size_t n)
{
    uint64_t h = HASH_SEED;
    const uint32_t *words = (const uint32_t *)(const void *)bytes;
    for (size_t i = 0; i < n / sizeof(uint32_t); i++)
        h = (h ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15) ^ h >> 31;
    return h ^ h >> 29;
}

static void rehash(explorer *x)
{
    if (2 * x->result.states < x->table_size)
        return;
    x->table_size = x->table_size ? 4 * x->table_size : 1024;
    x->table = base_realloc(x->table, x->table_size * sizeof(uint32_t));
    memset(x->table, 0, x->table_size * sizeof(uint32_t));
    for (uint64_t i = 0; i < x->result.states; i++) {
        size_t place = hash_state(x->states.at + i * x->state_bytes, x->state_bytes) & (x->table_size - 1);
        while (x->table[place])
            place = (place + 1) & (x->table_size - 1);
        x->table[place] = (uint32_t)i + 1;
    }
}

static void add_state(explorer *x, const char *bytes)
{
    size_t place = hash_state(bytes, x->state_bytes) & (x->table_size - 1);
    const char *known = x->states.at; /* NULL: none yet */
    for (; known && x->table[place]; place = (place + 1) & (x->table_size - 1))
        if (memcmp(known + (x->table[place] - 1) * x->state_bytes, bytes, x->state_bytes) == 0)
            return;
    x->table[place] = (uint32_t)++x->result.states;
    while (x->states.len + x->state_bytes > x->states.cap || !x->states.at)
        vec_grow((void **)&x->states.at, &x->states.cap, 1);
    memcpy(x->states.at + x->states.len, bytes, x->state_bytes);
    x->states.len += x->state_bytes;
    rehash(x);
}

/* ---- steps: each works on a copy of the state and says whether there is a successor -------------------- */

static bool settle(explorer *x, stage_state *b, int stage)
{
    if (b->pending)
        return true;
    if (b->tx < 0)
        x->result.over_arrival = true;
    if (b->tx == 0) {
        b->count++;
        b->pending = plan_barrier_of(x->plan, stage)->arrivals;
    }
    return b->tx >= 0;
}

static uint32_t *answer_of(const state *s, int agent_index, int status)
{
    return &s->answers[agent_index * MOST_STATUSES + status];
}

/* A probe's yes lets a wait through only if the wait itself would have passed then, unless it asked about another stage or
 * parity. */
static bool answer_may_come(const explorer *x, const state *s, int agent_index, int number)
{
    const event *events = x->actors[agent_index].events.at, *wait = &events[number];
    if (wait->status < 0)
        return false;
    if (*answer_of(s, agent_index, wait->status))
        return true;
    for (int i = (int)s->at[agent_index]; i < number; i++)
        if (events[i].kind == EVENT_PROBE && events[i].status == wait->status &&
            (events[i].stage != wait->stage || events[i].parity != wait->parity))
            return true;
    return false;
}

bool explore_is_blocked(const explorer *x, const state *s, int agent_index, int number)
{
    const event *e = &x->actors[agent_index].events.at[number];
    return e->kind == EVENT_WAIT && (s->stages[e->stage].count & 1) == e->parity &&
           !answer_may_come(x, s, agent_index, number);
}

/* A wait is seen by the count it meets; one that a probe's answer lets through, by the count the probe met. */
static bool step_wait(explorer *x, state *s, int agent_index, event *e)
{
    stage_state *b = &s->stages[e->stage];
    bool passes = (b->count & 1) != e->parity;
    uint32_t count = b->count;
    uint32_t *held = e->status >= 0 ? answer_of(s, agent_index, e->status) : NULL;
    see(&e->met, b->count);
    if (held && *held) {
        if ((int)((*held - 1) % (uint32_t)x->plan->stage_count) != e->stage)
            x->result.lapped = true;
        count = (*held - 1) / (uint32_t)x->plan->stage_count;
        passes = true;
        *held = 0;
    }
    if (passes)
        see(&e->passed, count);
    return passes;
}

/* False: it arrives once too often. */
static bool take_arrivals(explorer *x, stage_state *b, int stage, uint32_t arrivals, uint32_t expected)
{
    if (arrivals > b->pending) {
        x->result.over_arrival = true;
        return false;
    }
    b->tx += (int32_t)expected;
    b->pending -= arrivals;
    return settle(x, b, stage);
}

static bool buffers_overlap(const explorer *x)
{
    for (int i = 0; i < x->plan->slot_count; i++)
        if (x->plan->slots[i].overlaps > 1)
            return true;
    return false;
}

static bool step_fences(explorer *x, const state *s, int agent_index, const event *e)
{
    fence_view view = {s->at, s->landed, s->fences};
    return explore_fences(x, &view, agent_index, e);
}

/* Reads must find what was written through the same memory, not what an alias has put there. */
static void step_work(explorer *x, const state *s, const event *e)
{
    for (int i = 0; x->overlapping && i < e->touches; i++) {
        const touch *t = &x->touches.at[e->first_touch + i];
        const plan_slot *p = &x->plan->slots[t->slot];
        if (!ir_effects[t->kind].writes) {
            x->result.race |= s->gone[t->slot];
            continue;
        }
        for (int j = 0; j < p->overlaps; j++) {
            int other = x->plan->overlaps[p->first_overlap + j];
            s->gone[other] = x->plan->slots[other].owner != p->owner;
        }
    }
}

static bool step_event(explorer *x, state *s, int agent_index)
{
    event *e = &x->actors[agent_index].events.at[s->at[agent_index]];
    stage_state *b = &s->stages[e->stage];
    x->result.unfenced |= !step_fences(x, s, agent_index, e);
    switch (e->kind) {
    case EVENT_WAIT:
        if (!step_wait(x, s, agent_index, e))
            return false;
        break;
    case EVENT_PROBE:
        *answer_of(s, agent_index, e->status) =
            (b->count & 1) != e->parity ? 1 + (uint32_t)e->stage + (uint32_t)x->plan->stage_count * b->count
                                        : 0;
        break;
    case EVENT_FORGET: *answer_of(s, agent_index, e->status) = 0; break;
    case EVENT_ARRIVE:
        see(&e->met, b->count);
        if (!take_arrivals(x, b, e->stage, e->arrivals, e->bytes))
            return false;
        break;
    case EVENT_WORK: step_work(x, s, e); break;
    }
    s->at[agent_index]++;
    return true;
}

static bool step_flight(explorer *x, state *s, int number)
{
    explore_flight *f = &x->flights.at[number];
    if (s->landed[number] || s->at[f->agent] <= (uint32_t)f->event)
        return false;
    stage_state *b = &s->stages[f->stage];
    see(&f->fell, b->count);
    b->tx -= (int32_t)f->bytes;
    s->landed[number] = 1;
    return take_arrivals(x, b, f->stage, f->arrivals, f->expected);
}

/* ---- the end ------------------------------------------------------------------------------------------- */

/* Whether someone has waited for completion `count` of the stage, or for a later one if `later`. */
static bool waited_for(const explorer *x, int stage, uint32_t count, bool later)
{
    for (int a = 0; a < x->plan->agent_count; a++)
        for (size_t i = 0; i < x->actors[a].events.len; i++) {
            const event *e = &x->actors[a].events.at[i];
            if (e->kind == EVENT_WAIT && e->stage == stage && e->passed.low <= e->passed.high &&
                e->passed.high >= count && (later || e->passed.low <= count))
                return true;
        }
    return false;
}

/* Whether something asynchronous came with the last completed phase. */
static bool ended_by_engine(const explorer *x, int stage, uint32_t count)
{
    for (size_t i = 0; i < x->flights.len; i++) {
        const explore_flight *f = &x->flights.at[i];
        if (f->kind != FLIGHT_REMOTE && f->stage == stage && f->fell.high + 1 == count)
            return true;
    }
    return false;
}

static bool is_used(const explorer *x, int stage)
{
    for (int crew = 0; crew < x->plan->crew_count; crew++)
        if (plan_acts(x->plan, crew, stage, PLAN_USES))
            return true;
    return false;
}

static bool balances(const explorer *x, const state *s, int stage)
{
    const plan_stage *at = &x->plan->stages[stage];
    int partner = plan_barrier_of(x->plan, stage)->balance;
    if (partner < 0)
        return true;
    int other = plan_stage_at(x->plan, partner, at->rank) + at->stage;
    if (x->plan->ranks > 1 && !(is_used(x, stage) && is_used(x, other)))
        return true;
    return s->stages[other].count == s->stages[stage].count;
}

static bool stage_is_clean(const explorer *x, const state *s, int stage)
{
    const ir_barrier *b = plan_barrier_of(x->plan, stage);
    uint32_t count = s->stages[stage].count;
    bool must_be_seen = count && (b->side == IR_FULL || ended_by_engine(x, stage, count));
    return s->stages[stage].pending == b->arrivals && !s->stages[stage].tx && balances(x, s, stage) &&
           (!must_be_seen || waited_for(x, stage, count, false));
}

static int last_touch(const explorer *x, int agent_index, ir_maker of)
{
    const actor *a = &x->actors[agent_index];
    int last = -1;
    for (size_t i = 0; i < a->events.len; i++)
        for (int j = 0; j < a->events.at[i].touches; j++)
            if (ir_effects[x->touches.at[a->events.at[i].first_touch + j].kind].maker == of)
                last = (int)i;
    return last;
}

/* Whether someone has waited for what an engine was given last. */
static bool engine_is_idle(const explorer *x, int agent_index, ir_maker of, flight_kind kind)
{
    int last = last_touch(x, agent_index, of);
    for (size_t i = 0; last >= 0 && i < x->flights.len; i++) {
        const explore_flight *f = &x->flights.at[i];
        if (f->kind == kind && f->agent == agent_index && f->event > last &&
            waited_for(x, f->stage, f->fell.high + 1, true))
            return true;
    }
    return last < 0;
}

static void check_end(explorer *x, const state *s)
{
    for (int i = 0; i < x->plan->stage_count; i++)
        x->result.leftover |= !stage_is_clean(x, s, i);
    for (int i = 0; i < x->plan->agent_count; i++)
        x->result.leftover |= x->actors[i].bulk_left ||
                              !engine_is_idle(x, i, IR_BY_TENSOR_PIPE, FLIGHT_TENSOR) ||
                              !engine_is_idle(x, i, IR_BY_COPY_PIPE, FLIGHT_LOADS);
}

static bool is_end(const explorer *x, const state *s)
{
    for (int i = 0; i < x->plan->agent_count; i++)
        if (explore_next(x, s, i))
            return false;
    for (size_t i = 0; i < x->flights.len; i++)
        if (!s->landed[i])
            return false;
    return true;
}

/* After all states: what waits and arrivals have met. */
static void judge_sightings(explorer *x)
{
    for (int a = 0; a < x->plan->agent_count; a++)
        for (size_t i = 0; i < x->actors[a].events.len; i++) {
            const event *e = &x->actors[a].events.at[i];
            bool met = e->met.low <= e->met.high, passed = e->passed.low <= e->passed.high;
            if (e->kind == EVENT_ARRIVE && met && e->met.low != e->met.high)
                x->result.over_arrival = true;
            if (e->kind != EVENT_WAIT || !met)
                continue;
            uint32_t target = e->met.high + ((e->met.high & 1) == e->parity);
            if (e->met.low + 1 < target || e->met.high > target)
                x->result.lapped = true;
            if (passed && (e->passed.low != target || e->passed.high != target))
                x->result.lapped = true;
        }
    for (size_t i = 0; i < x->flights.len; i++) {
        const seen *f = &x->flights.at[i].fell;
        if (f->low < f->high)
            x->result.over_arrival = true;
    }
}

/* ---- the search ---------------------------------------------------------------------------------------- */

/* All steps, or those of the set (NULL: all). Whether there was one. */
static bool follow(explorer *x, const char *bytes, char *scratch, const explore_set *set)
{
    bool any = false;
    for (int a = 0; a < x->plan->agent_count; a++) {
        if (set && !set->agents[a])
            continue;
        memcpy(scratch, bytes, x->state_bytes);
        state t = state_at(x, scratch);
        if (!explore_next(x, &t, a) || !step_event(x, &t, a))
            continue;
        any = true;
        add_state(x, scratch);
    }
    for (size_t i = 0; i < x->flights.len; i++) {
        if (set && !set->flights[i])
            continue;
        memcpy(scratch, bytes, x->state_bytes);
        state t = state_at(x, scratch);
        if (!step_flight(x, &t, (int)i))
            continue;
        any = true;
        add_state(x, scratch);
    }
    return any;
}

/* Steps that end in a fault lead nowhere: then all others are followed, too. */
static bool follow_enough(explorer *x, const char *bytes, char *scratch, explore_set *set)
{
    state s = state_at(x, (char *)bytes);
    bool over_before = x->result.over_arrival;
    if (!x->reduction)
        return follow(x, bytes, scratch, NULL);
    reduction_choose(x->reduction, &s, set);
    x->result.over_arrival = false;
    bool any = set->size && follow(x, bytes, scratch, set) && !x->result.over_arrival;
    x->result.over_arrival |= over_before;
    return any || follow(x, bytes, scratch, NULL);
}

static void expand(explorer *x, char *bytes, char *scratch, explore_set *set)
{
    state s = state_at(x, bytes);
    if (is_end(x, &s)) {
        check_end(x, &s);
        return;
    }
    x->result.race |= has_race(x, &s);
    x->result.deadlock |= !follow_enough(x, bytes, scratch, set);
}

static void search(explorer *x, uint64_t most_states)
{
    char *bytes = base_alloc(x->state_bytes), *scratch = base_alloc(x->state_bytes);
    memset(bytes, 0, x->state_bytes);
    state first = state_at(x, bytes);
    explore_set set = {base_alloc((size_t)x->plan->agent_count + 1), base_alloc(x->flights.len + 1), 0};
    for (int i = 0; i < x->plan->stage_count; i++)
        first.stages[i].pending = plan_barrier_of(x->plan, i)->arrivals;
    rehash(x);
    add_state(x, bytes);
    for (uint64_t i = 0; i < x->result.states && !x->result.capped; i++) {
        memcpy(bytes, x->states.at + i * x->state_bytes, x->state_bytes);
        expand(x, bytes, scratch, &set);
        x->result.capped = x->result.states > most_states;
    }
    free(bytes);
    free(scratch);
    free(set.agents);
    free(set.flights);
}

static void number_steps(explorer *x)
{
    int agents = x->plan->agent_count;
    x->first_step = base_alloc(((size_t)agents + 1) * sizeof(int));
    for (int a = 0; a < agents; a++) {
        x->first_step[a] = x->step_count;
        x->step_count += (int)x->actors[a].events.len;
    }
    x->first_step[agents] = x->step_count;
    x->step_count += (int)x->flights.len;
}

explore_result explore_program(ww_kernel *k, const ir_program *p, explore_values values,
                               explore_options options)
{
    explorer x = {.plan = plan_new(k, p, false), .values = values};
    x.actors = base_alloc(((size_t)x.plan->agent_count + 1) * sizeof(actor));
    memset(x.actors, 0, ((size_t)x.plan->agent_count + 1) * sizeof(actor));
    for (int i = 0; i < x.plan->agent_count; i++)
        explore_unroll(&x, i);
    number_steps(&x);
    x.overlapping = buffers_overlap(&x);
    explore_find_places(&x);
    x.state_bytes =
        explore_fence_bytes(&x) + (size_t)x.plan->agent_count * (1 + MOST_STATUSES) * sizeof(uint32_t) +
        (size_t)x.plan->stage_count * sizeof(stage_state) +
        round_up((uint32_t)x.flights.len + (x.overlapping ? (uint32_t)x.plan->slot_count : 0) + 1, 4);
    for (int i = 0; i < x.plan->agent_count; i++)
        for (size_t j = 0; j < x.actors[i].events.len; j++)
            x.actors[i].events.at[j].lingers = lingers(&x, &x.actors[i].events.at[j]);
    x.reduction = options.reduced ? reduction_new(&x) : NULL;
    search(&x, options.most_states);
    reduction_free(x.reduction);
    judge_sightings(&x);
    for (int i = 0; i < x.plan->agent_count; i++)
        vec_free(&x.actors[i].events);
    free(x.actors);
    free(x.first_step);
    free(x.places);
    free(x.table);
    vec_free(&x.touches);
    vec_free(&x.flights);
    vec_free(&x.states);
    return x.result;
}

int explore_trips(const ir_program *p, bool greatest)
{
    int most = 0, least = INT32_MAX;
    for (size_t t = 0; t < p->tasks.len; t++)
        for (size_t i = 0; i < p->tasks.at[t].ops.len; i++) {
            const ir_op *op = &p->tasks.at[t].ops.at[i];
            const ww_bound *bounds[] = {&op->start, &op->end, &op->stride};
            for (size_t b = 0; op->kind == IR_LOOP && b < ARRAY_LEN(bounds); b++) {
                if (bounds[b]->kind == WW_BOUND_IMMEDIATE)
                    continue;
                most = bounds[b]->min > most ? bounds[b]->min : most;
                least = bounds[b]->min < least ? bounds[b]->min : least;
            }
        }
    return greatest ? most : least == INT32_MAX ? 0 : least;
}
