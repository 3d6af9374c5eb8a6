/* The explorer: tasks are unrolled to lists of events, then states are visited breadth first. A state is the place of
 * each agent in its list, the barriers, the answers of probes and which bulk copies have completed. */
#include "prove/explore.h"
#include "prove/plan.h"

enum { WARP_LANES = 32, MOST_STATUSES = 8 };

typedef enum event_kind { EVENT_WAIT, EVENT_PROBE, EVENT_FORGET, EVENT_ARRIVE, EVENT_WORK } event_kind;

/* Lowest and highest barrier count seen; none while low > high. */
typedef struct seen {
    uint32_t low, high;
} seen;

typedef struct touch {
    ir_effect_kind kind;
    int slot;
    int64_t lap;
    bool whole;
    int copy;  /* IR_COPY_IN: its number among all copies */
    int until; /* IR_WGMMA_READ: the event that waits for its group */
} touch;

typedef struct event {
    event_kind kind;
    int stage, status;
    uint32_t parity, arrivals, bytes;
    int first_touch, touches;
    seen met, passed; /* WAIT: counts while waiting, and when passing; ARRIVE: counts when it falls */
} event;

typedef struct copy {
    int agent, event, stage;
    uint32_t bytes;
    seen fell;
} copy;

typedef struct actor {
    VEC(event) events;
} actor;

typedef struct explorer {
    const plan *plan;
    explore_values values;
    explore_result result;
    actor *actors;
    VEC(touch) touches;
    VEC(copy) copies;
    VEC(char) states; /* one after the other */
    size_t state_bytes;
    uint32_t *table;
    size_t table_size;
} explorer;

/* One state, taken apart. */
typedef struct stage_state {
    uint32_t count, pending;
    int32_t tx;
} stage_state;

typedef struct state {
    uint32_t *at; /* [agent] */
    uint32_t
        *answers; /* [agent][status]: 0, or 1 + stage + stages * count of the barrier when a probe said yes */
    stage_state *stages;
    uint8_t *copied; /* [copy] */
} state;

static state state_at(const explorer *x, char *bytes)
{
    size_t agents = (size_t)x->plan->agent_count;
    state s;
    s.at = (uint32_t *)(void *)bytes;
    s.answers = s.at + agents;
    s.stages = (stage_state *)(void *)(s.answers + agents * MOST_STATUSES);
    s.copied = (uint8_t *)(s.stages + x->plan->stage_count);
    return s;
}

static void see(seen *s, uint32_t count)
{
    s->low = count < s->low ? count : s->low;
    s->high = count > s->high ? count : s->high;
}

/* ---- unrolling ------------------------------------------------------------------------------------------------------------- */

typedef struct ring_place {
    int slot, held;
    uint32_t parity;
    int64_t lap, held_lap;
} ring_place;

typedef struct unroller {
    explorer *x;
    int agent;
    const ir_task *task;
    ring_place *places;
    int64_t trip, trips;
    int tile;
    VEC(int) groups; /* first touch of each wgmma group in flight, then the end of the last */
} unroller;

static int64_t bound(const unroller *u, const ww_bound *b)
{
    switch (b->kind) {
    case WW_BOUND_IMMEDIATE: return b->value;
    case WW_BOUND_ARGUMENT: return u->x->values.argument;
    default: return u->x->values.device;
    }
}

static event *add_event(unroller *u, event_kind kind)
{
    event e = {.kind = kind, .status = -1, .met = {UINT32_MAX, 0}, .passed = {UINT32_MAX, 0}};
    vec_push(&u->x->actors[u->agent].events, e);
    return vec_last(&u->x->actors[u->agent].events);
}

static void unroll_barrier(unroller *u, const ir_op *op)
{
    static const event_kind kinds[] = {[IR_PROBE] = EVENT_PROBE,
                                       [IR_WAIT] = EVENT_WAIT,
                                       [IR_EXPECT] = EVENT_ARRIVE,
                                       [IR_ARRIVE] = EVENT_ARRIVE};
    event *e = add_event(u, kinds[op->kind]);
    e->stage = u->x->plan->stage_base[op->barrier] + u->places[op->cursor].slot;
    e->parity = u->places[op->cursor].parity;
    e->status = op->status;
    e->arrivals = op->lanes == MODEL_LANES_ALL ? WARP_LANES : 1;
    e->bytes = op->kind == IR_EXPECT ? e->arrivals * op->bytes : 0;
}

static void unroll_advance(unroller *u, const ir_op *op)
{
    ring_place *p = &u->places[op->cursor];
    p->held = p->slot;
    p->held_lap = p->lap;
    if (++p->slot == u->task->cursors.at[op->cursor].stages) {
        p->slot = 0;
        p->parity ^= 1;
        p->lap++;
    }
    if (op->status >= 0)
        add_event(u, EVENT_FORGET)->status = op->status;
}

static void add_touch(unroller *u, const ir_effect *f)
{
    explorer *x = u->x;
    touch t = {.kind = f->kind, .slot = x->plan->slot_base[f->buffer], .copy = -1, .until = INT32_MAX};
    const ring_place *p = f->cursor >= 0 ? &u->places[f->cursor] : NULL;
    if (p) {
        t.slot += f->held ? p->held : p->slot;
        t.lap = f->held ? p->held_lap : p->lap;
    }
    if (f->kind == IR_COPY_IN && p) {
        copy c = {.agent = u->agent,
                  .event = (int)x->actors[u->agent].events.len - 1,
                  .bytes = f->bytes,
                  .fell = {UINT32_MAX, 0}};
        c.stage = x->plan->stage_base[f->barrier] + (f->held ? p->held : p->slot);
        t.copy = (int)x->copies.len;
        t.whole = f->bytes >= x->plan->slots[t.slot].bytes;
        vec_push(&x->copies, c);
    }
    vec_push(&x->touches, t);
}

static void finish_groups(unroller *u, size_t keep)
{
    int now = (int)u->x->actors[u->agent].events.len - 1;
    while (u->groups.len > 2 * keep) {
        for (int i = u->groups.at[0]; i < u->groups.at[1]; i++)
            if (u->x->touches.at[i].kind == IR_WGMMA_READ)
                u->x->touches.at[i].until = now;
        memmove(u->groups.at, u->groups.at + 2, (u->groups.len - 2) * sizeof(int));
        u->groups.len -= 2;
    }
}

static void unroll_work(unroller *u, const ir_op *op)
{
    int first = (int)u->x->touches.len;
    event *e = add_event(u, EVENT_WORK);
    e->first_touch = first;
    e->touches = op->effect_count;
    for (int i = 0; i < op->effect_count; i++)
        add_touch(u, &op->effects[i]);
    if (op->wgmma_groups) {
        vec_push(&u->groups, first);
        vec_push(&u->groups, (int)u->x->touches.len);
    }
    if (op->wgmma_wait >= 0)
        finish_groups(u, (size_t)op->wgmma_wait);
}

static void unroll(unroller *u, int from, int to);

static void unroll_loop(unroller *u, int at)
{
    const ir_op *op = &u->task->ops.at[at];
    int64_t start = bound(u, &op->start), end = bound(u, &op->end), step = bound(u, &op->stride);
    u->trips = 0;
    for (int64_t i = start; step > 0 ? i < end : i > end; i += step)
        u->trips++;
    int64_t trip_count = u->trips;
    for (int64_t trip = 0; trip < trip_count; trip++) {
        u->trip = trip;
        unroll(u, at + 1, op->match);
    }
}

static bool holds(const unroller *u, const ir_op *op)
{
    switch (op->guard) {
    case IR_GUARD_FIRST: return u->trip == 0;
    case IR_GUARD_LAST: return u->trip == u->trips - 1;
    default: return !(u->x->values.skipped >> u->tile & 1);
    }
}

static void unroll(unroller *u, int from, int to)
{
    for (int i = from; i < to; i++) {
        const ir_op *op = &u->task->ops.at[i];
        switch (op->kind) {
        case IR_TILE_LOOP:
            for (u->tile = 0; u->tile < u->x->values.tiles; u->tile++)
                unroll(u, i + 1, op->match);
            i = op->match;
            break;
        case IR_LOOP:
            unroll_loop(u, i);
            i = op->match;
            break;
        case IR_GUARD:
            if (!holds(u, op))
                i = op->match;
            break;
        case IR_ADVANCE: unroll_advance(u, op); break;
        case IR_WORK: unroll_work(u, op); break;
        case IR_PROBE:
        case IR_WAIT:
        case IR_EXPECT:
        case IR_ARRIVE: unroll_barrier(u, op); break;
        default: break;
        }
    }
}

static void unroll_agent(explorer *x, int agent_index)
{
    const ir_task *task = x->plan->tasks[x->plan->agents[agent_index].task].task;
    unroller u = {.x = x, .agent = agent_index, .task = task};
    u.places = base_alloc((task->cursors.len + 1) * sizeof *u.places);
    for (size_t i = 0; i < task->cursors.len; i++)
        u.places[i] = (ring_place){.parity = task->cursors.at[i].parity};
    unroll(&u, 0, (int)task->ops.len);
    free(u.places);
    vec_free(&u.groups);
}

/* ---- conflicts ------------------------------------------------------------------------------------------------------------------- */

static bool touch_writes(const touch *t)
{
    return t->kind == IR_WRITE || t->kind == IR_COPY_IN;
}

static bool bytes_overlap(const explorer *x, int a, int b)
{
    const plan_slot *s = &x->plan->slots[a];
    for (int i = 0; i < s->overlaps; i++)
        if (x->plan->overlaps[s->first_overlap + i] == b)
            return true;
    return false;
}

/* The exceptions are those of accesses.c: producers of the same lap divide a slot, warps of a task share a buffer. */
static bool conflict(const explorer *x, int agent_a, const touch *a, int agent_b, const touch *b)
{
    if (!(touch_writes(a) || touch_writes(b)) || !bytes_overlap(x, a->slot, b->slot))
        return false;
    if (a->slot != b->slot)
        return true;
    if (!x->plan->slots[a->slot].pipelined)
        return x->plan->agents[agent_a].task != x->plan->agents[agent_b].task ||
               (agent_a == agent_b && (a->kind == IR_WGMMA_READ || b->kind == IR_WGMMA_READ));
    return !(touch_writes(a) && touch_writes(b) && a->lap == b->lap && !a->whole && !b->whole);
}

static const event *next_event(const explorer *x, const state *s, int agent_index)
{
    const actor *a = &x->actors[agent_index];
    return s->at[agent_index] < a->events.len ? &a->events.at[s->at[agent_index]] : NULL;
}

/* Whether a past access of the agent is still under way. */
static bool under_way(const state *s, int agent_index, const touch *t)
{
    if (t->kind == IR_COPY_IN)
        return !s->copied[t->copy];
    return t->kind == IR_WGMMA_READ && (int64_t)s->at[agent_index] <= t->until;
}

static bool conflicts_with_event(const explorer *x, int agent_a, const event *a, int agent_b, const event *b,
                                 const state *past_of)
{
    for (int i = 0; i < a->touches; i++)
        for (int j = 0; j < b->touches; j++) {
            const touch *t = &x->touches.at[b->first_touch + j];
            if (past_of && !under_way(past_of, agent_b, t))
                continue;
            if (conflict(x, agent_a, &x->touches.at[a->first_touch + i], agent_b, t))
                return true;
        }
    return false;
}

static bool has_race(const explorer *x, const state *s)
{
    for (int a = 0; a < x->plan->agent_count; a++) {
        const event *mine = next_event(x, s, a);
        if (!mine || mine->kind != EVENT_WORK)
            continue;
        for (int b = 0; b < x->plan->agent_count; b++) {
            const event *other = next_event(x, s, b);
            if (b != a && other && other->kind == EVENT_WORK &&
                conflicts_with_event(x, a, mine, b, other, NULL))
                return true;
            const event *past = x->actors[b].events.at;
            for (uint32_t i = 0; past && i < s->at[b]; i++)
                if (past[i].kind == EVENT_WORK && conflicts_with_event(x, a, mine, b, &past[i], s))
                    return true;
        }
    }
    return false;
}

/* ---- states ------------------------------------------------------------------------------------------------------------------------- */

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
    for (; x->table[place] && x->states.at; place = (place + 1) & (x->table_size - 1))
        if (memcmp(x->states.at + (x->table[place] - 1) * x->state_bytes, bytes, x->state_bytes) == 0)
            return;
    x->table[place] = (uint32_t)++x->result.states;
    for (size_t i = 0; i < x->state_bytes; i++)
        vec_push(&x->states, bytes[i]);
    rehash(x);
}

/* ---- steps: each works on a copy of the state and says whether there is a successor -------------------------------------------------- */

static bool settle(explorer *x, stage_state *b, int stage)
{
    if (b->pending)
        return true;
    if (b->tx < 0)
        x->result.over_arrival = true;
    if (b->tx == 0) {
        b->count++;
        b->pending = x->plan->program->barriers.at[x->plan->stages[stage].barrier].arrivals;
    }
    return b->tx >= 0;
}

static uint32_t *answer_of(const state *s, int agent_index, int status)
{
    return &s->answers[agent_index * MOST_STATUSES + status];
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

static bool step_event(explorer *x, state *s, int agent_index)
{
    event *e = &x->actors[agent_index].events.at[s->at[agent_index]];
    stage_state *b = &s->stages[e->stage];
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
        if (e->arrivals > b->pending) {
            x->result.over_arrival = true;
            return false;
        }
        b->tx += (int32_t)e->bytes;
        b->pending -= e->arrivals;
        if (!settle(x, b, e->stage))
            return false;
        break;
    case EVENT_WORK: break;
    }
    s->at[agent_index]++;
    return true;
}

static bool copy_is_issued(const state *s, const copy *c)
{
    return s->at[c->agent] > (uint32_t)c->event;
}

static bool step_copy(explorer *x, state *s, int number)
{
    copy *c = &x->copies.at[number];
    if (s->copied[number] || !copy_is_issued(s, c))
        return false;
    stage_state *b = &s->stages[c->stage];
    see(&c->fell, b->count);
    b->tx -= (int32_t)c->bytes;
    s->copied[number] = 1;
    return settle(x, b, c->stage);
}

/* ---- the end ---------------------------------------------------------------------------------------------------------------------------- */

static bool waited_for(const explorer *x, int stage, uint32_t count)
{
    for (int a = 0; a < x->plan->agent_count; a++)
        for (size_t i = 0; i < x->actors[a].events.len; i++) {
            const event *e = &x->actors[a].events.at[i];
            if (e->kind == EVENT_WAIT && e->stage == stage && e->passed.high == count &&
                e->passed.low <= count)
                return true;
        }
    return false;
}

static void check_end(explorer *x, const state *s)
{
    for (int i = 0; i < x->plan->stage_count; i++) {
        int barrier = x->plan->stages[i].barrier;
        const ir_barrier *b = &x->plan->program->barriers.at[barrier];
        if (s->stages[i].pending != b->arrivals || s->stages[i].tx)
            x->result.leftover = true;
        if (b->side != IR_FULL)
            continue;
        int empty = x->plan->stage_base[barrier + 1] + x->plan->stages[i].stage;
        if (s->stages[empty].count != s->stages[i].count)
            x->result.leftover = true;
        if (s->stages[i].count && !waited_for(x, i, s->stages[i].count))
            x->result.leftover = true;
    }
}

static bool is_end(const explorer *x, const state *s)
{
    for (int i = 0; i < x->plan->agent_count; i++)
        if (next_event(x, s, i))
            return false;
    for (size_t i = 0; i < x->copies.len; i++)
        if (!s->copied[i])
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
    for (size_t i = 0; i < x->copies.len; i++) {
        const seen *f = &x->copies.at[i].fell;
        if (f->low < f->high)
            x->result.over_arrival = true;
    }
}

/* ---- the search --------------------------------------------------------------------------------------------------------------------------- */

static void expand(explorer *x, char *bytes, char *scratch)
{
    state s = state_at(x, bytes);
    bool any = false;
    if (is_end(x, &s)) {
        check_end(x, &s);
        return;
    }
    x->result.race |= has_race(x, &s);
    for (int a = 0; a < x->plan->agent_count; a++) {
        memcpy(scratch, bytes, x->state_bytes);
        state t = state_at(x, scratch);
        if (!next_event(x, &t, a) || !step_event(x, &t, a))
            continue;
        any = true;
        add_state(x, scratch);
    }
    for (size_t i = 0; i < x->copies.len; i++) {
        memcpy(scratch, bytes, x->state_bytes);
        state t = state_at(x, scratch);
        if (!step_copy(x, &t, (int)i))
            continue;
        any = true;
        add_state(x, scratch);
    }
    x->result.deadlock |= !any;
}

static void search(explorer *x, uint64_t most_states)
{
    char *bytes = base_alloc(x->state_bytes), *scratch = base_alloc(x->state_bytes);
    memset(bytes, 0, x->state_bytes);
    state first = state_at(x, bytes);
    for (int i = 0; i < x->plan->stage_count; i++)
        first.stages[i].pending = x->plan->program->barriers.at[x->plan->stages[i].barrier].arrivals;
    rehash(x);
    add_state(x, bytes);
    for (uint64_t i = 0; i < x->result.states && !x->result.capped; i++) {
        memcpy(bytes, x->states.at + i * x->state_bytes, x->state_bytes);
        expand(x, bytes, scratch);
        x->result.capped = x->result.states > most_states;
    }
    free(bytes);
    free(scratch);
}

explore_result explore_program(ww_kernel *k, const ir_program *p, explore_values values, uint64_t most_states)
{
    explorer x = {.plan = plan_new(k, p, false), .values = values};
    x.actors = base_alloc(((size_t)x.plan->agent_count + 1) * sizeof(actor));
    memset(x.actors, 0, ((size_t)x.plan->agent_count + 1) * sizeof(actor));
    for (int i = 0; i < x.plan->agent_count; i++)
        unroll_agent(&x, i);
    x.state_bytes = (size_t)x.plan->agent_count * (1 + MOST_STATUSES) * sizeof(uint32_t) +
                    (size_t)x.plan->stage_count * sizeof(stage_state) +
                    round_up((uint32_t)x.copies.len + 1, 4);
    search(&x, most_states);
    judge_sightings(&x);
    for (int i = 0; i < x.plan->agent_count; i++)
        vec_free(&x.actors[i].events);
    free(x.actors);
    free(x.table);
    vec_free(&x.touches);
    vec_free(&x.copies);
    vec_free(&x.states);
    return x.result;
}
