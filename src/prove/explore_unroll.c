/* The explorer's view of a task: a list of events, loops unrolled for given values. */
#include "prove/explore_events.h"

enum { WARP_LANES = 32, GROUPS = 2 };

typedef struct ring_place {
    int slot, held;
    uint32_t parity;
    int64_t lap, held_lap;
} ring_place;

typedef struct unroller {
    explorer *x;
    int agent, rank;
    const plan_task *task;
    ring_place *places;
    int64_t trip, trips;
    int tile;
    uint32_t fences;         /* executed, and not put down with an event yet */
    VEC(int) groups[GROUPS]; /* wgmma, bulk: first touch of each group in flight, then the end of the last */
} unroller;

static int64_t bound(const unroller *u, const ww_bound *b)
{
    switch (b->kind) {
    case WW_BOUND_IMMEDIATE: return b->value;
    case WW_BOUND_ARGUMENT: return u->x->values.argument;
    default: return u->x->values.device;
    }
}

/* A fence goes with the arrival or work after it, for nothing comes between; before a wait it stands alone. */
static event *add_event(unroller *u, event_kind kind)
{
    if (u->fences && kind != EVENT_ARRIVE && kind != EVENT_WORK)
        (void)add_event(u, EVENT_WORK);
    event e = {.kind = kind, .status = -1, .fences = u->fences, .met = NOT_SEEN, .passed = NOT_SEEN};
    u->fences = 0;
    vec_push(&u->x->actors[u->agent].events, e);
    return vec_last(&u->x->actors[u->agent].events);
}

/* ---- barriers ------------------------------------------------------------------------------------------ */

static int stage_in(const unroller *u, const ir_op *op, int rank)
{
    return plan_stage_at(u->x->plan, op->barrier, rank) + u->places[op->cursor].slot;
}

static void unroll_wait(unroller *u, const ir_op *op)
{
    event *e = add_event(u, op->kind == IR_WAIT ? EVENT_WAIT : EVENT_PROBE);
    e->stage = stage_in(u, op, u->rank);
    e->parity = u->places[op->cursor].parity;
    e->status = op->status;
}

static void forget(unroller *u, int status)
{
    if (status >= 0)
        add_event(u, EVENT_FORGET)->status = status;
}

/* An event that only issues a flight. */
static void take_off(unroller *u, flight_kind kind, int stage, uint32_t arrivals, uint32_t expected)
{
    event *e = add_event(u, EVENT_WORK);
    e->first_touch = (int)u->x->touches.len;
    explore_flight f = {.kind = kind,
                        .agent = u->agent,
                        .event = (int)u->x->actors[u->agent].events.len - 1,
                        .stage = stage,
                        .arrivals = arrivals,
                        .expected = expected,
                        .fell = NOT_SEEN};
    vec_push(&u->x->flights, f);
}

static void unroll_arrival(unroller *u, const ir_op *op, int rank)
{
    uint32_t arrivals = op->lanes == MODEL_LANES_ALL ? WARP_LANES : 1;
    uint32_t bytes = op->kind == IR_EXPECT ? arrivals * op->bytes : 0;
    int stage = stage_in(u, op, rank);
    if (op->lanes == MODEL_LANES_FIRST && u->x->plan->agents[u->agent].warp != 0)
        return;
    if (rank != u->rank) {
        take_off(u, FLIGHT_REMOTE, stage, arrivals, bytes);
        return;
    }
    event *e = add_event(u, EVENT_ARRIVE);
    e->stage = stage;
    e->arrivals = arrivals;
    e->bytes = bytes;
}

static void unroll_act(unroller *u, const plan_op *p)
{
    const ir_op *op = p->op;
    for (int rank = 0; rank < u->x->plan->ranks; rank++) {
        if (!(p->targets[u->rank] >> rank & 1))
            continue;
        if (op->kind == IR_UMMA_COMMIT)
            take_off(u, FLIGHT_TENSOR, stage_in(u, op, rank), 1, 0);
        else if (op->kind == IR_COPY_ARRIVE)
            take_off(u, FLIGHT_LOADS, stage_in(u, op, rank), WARP_LANES, 0);
        else
            unroll_arrival(u, op, rank);
    }
}

static void unroll_advance(unroller *u, const ir_op *op)
{
    ring_place *p = &u->places[op->cursor];
    const ir_cursor *of = &u->task->task->cursors.at[op->cursor];
    p->held = p->slot;
    p->held_lap = p->lap;
    p->slot += of->stride;
    if (p->slot >= of->stages) {
        p->slot -= of->stages;
        p->parity ^= 1;
        p->lap++;
    }
    forget(u, op->status);
}

/* ---- work ---------------------------------------------------------------------------------------------- */

static int add_copy(unroller *u, const ir_effect *f, int slot_number, int rank)
{
    explorer *x = u->x;
    int at = plan_completes_at(x->plan, f, rank);
    explore_flight copy = {.kind = FLIGHT_COPY,
                           .agent = u->agent,
                           .event = (int)x->actors[u->agent].events.len - 1,
                           .stage = plan_stage_at(x->plan, f->barrier, at) + slot_number,
                           .bytes = f->bytes,
                           .fell = NOT_SEEN};
    vec_push(&x->flights, copy);
    return (int)x->flights.len - 1;
}

static void add_touch(unroller *u, const ir_effect *f, int rank)
{
    explorer *x = u->x;
    touch t = {
        .kind = f->kind, .slot = plan_slot_at(x->plan, f->buffer, rank), .flight = -1, .until = INT32_MAX};
    const ring_place *p = f->cursor >= 0 ? &u->places[f->cursor] : NULL;
    int number = !p ? 0 : f->held ? p->held : p->slot;
    t.slot += number;
    if (p)
        t.lap = f->held ? p->held_lap : p->lap;
    if (f->kind == IR_COPY_IN) {
        t.flight = add_copy(u, f, number, rank);
        t.whole = f->bytes >= x->plan->slots[t.slot].bytes;
    }
    vec_push(&x->touches, t);
}

static void finish_groups(unroller *u, int kind, size_t keep)
{
    int now = (int)u->x->actors[u->agent].events.len - 1;
    while (u->groups[kind].len > 2 * keep) {
        for (int i = u->groups[kind].at[0]; i < u->groups[kind].at[1]; i++)
            if (u->x->touches.at[i].kind == (kind ? IR_BULK_READ : IR_WGMMA_READ))
                u->x->touches.at[i].until = now;
        memmove(u->groups[kind].at, u->groups[kind].at + 2, (u->groups[kind].len - 2) * sizeof(int));
        u->groups[kind].len -= 2;
    }
}

static void commit_group(unroller *u, int kind, int first)
{
    vec_push(&u->groups[kind], first);
    vec_push(&u->groups[kind], (int)u->x->touches.len);
}

static void unroll_work(unroller *u, const plan_op *p)
{
    const ir_op *op = p->op;
    int first = (int)u->x->touches.len;
    event *e = add_event(u, EVENT_WORK);
    e->first_touch = first;
    for (int i = 0; i < op->effect_count; i++)
        for (int rank = 0; rank < u->x->plan->ranks; rank++)
            if (p->reach[i * u->x->plan->ranks + u->rank] >> rank & 1)
                add_touch(u, &op->effects[i], rank);
    e->touches = (int)u->x->touches.len - first;
    if (op->wgmma_groups)
        commit_group(u, 0, first);
    if (op->bulk_groups)
        commit_group(u, 1, first);
    if (op->kind == IR_WORK && op->wgmma_wait >= 0)
        finish_groups(u, 0, (size_t)op->wgmma_wait);
    if (op->kind == IR_WORK && op->bulk_wait >= 0)
        finish_groups(u, 1, (size_t)op->bulk_wait);
}

/* ---- blocks -------------------------------------------------------------------------------------------- */

static void unroll(unroller *u, int from, int to);

static void unroll_loop(unroller *u, int at)
{
    const ir_op *op = u->task->ops[at].op;
    int64_t start = bound(u, &op->start), end = bound(u, &op->end), step = bound(u, &op->stride);
    u->trips = 0;
    for (int64_t i = start; step > 0 ? i < end : i > end; i += step)
        u->trips++;
    if (op->start.kind != WW_BOUND_IMMEDIATE && op->end.kind != WW_BOUND_IMMEDIATE)
        u->trips = bound(u, &op->end); /* of two values, their distance is what is given */
    int64_t trip_count = u->trips;
    for (int64_t trip = 0; trip < trip_count; trip++) {
        u->trip = trip;
        unroll(u, at + 1, op->match);
    }
}

static bool condition(const unroller *u, const plan_op *p)
{
    const plan_value *v = p->value < 0 ? NULL : &u->x->plan->values[p->value];
    int64_t bit = !v || v->of_trip ? u->tile * EXPLORE_TRIPS + u->trip : v->queue < 0 ? 0 : u->tile;
    return u->x->values.conditions[p->op->key % EXPLORE_KEYS] >> (bit % 32) & 1;
}

static bool holds(const unroller *u, const plan_op *p)
{
    switch (p->op->guard) {
    case IR_GUARD_FIRST: return u->trip == 0;
    case IR_GUARD_LAST: return u->trip == u->trips - 1;
    case IR_GUARD_EVERY: return u->trip >= p->op->first && (u->trip - p->op->first) % p->op->period == 0;
    case IR_GUARD_TRUE: return condition(u, p);
    case IR_GUARD_FALSE: return !condition(u, p);
    default: return !(u->x->values.skipped >> u->tile & 1);
    }
}

static int unroll_block(unroller *u, int at)
{
    const plan_op *p = &u->task->ops[at];
    switch (p->op->kind) {
    case IR_TILE_LOOP:
        for (u->tile = 0; u->tile < u->x->values.tiles; u->tile++)
            unroll(u, at + 1, p->op->match);
        return p->op->match;
    case IR_LOOP: unroll_loop(u, at); return p->op->match;
    case IR_GUARD: return holds(u, p) ? at : p->op->match;
    default: return at;
    }
}

static void unroll_op(unroller *u, const plan_op *p)
{
    switch (p->op->kind) {
    case IR_ADVANCE: unroll_advance(u, p->op); break;
    case IR_FENCE: u->fences |= u->x->plan->fence_count ? 1u << p->op->fence : 0; break;
    case IR_FORGET: forget(u, p->op->status); break;
    case IR_WORK:
    case IR_FETCH: unroll_work(u, p); break;
    case IR_NEXT_TILE:
        if (p->op->effect_count)
            unroll_work(u, p);
        break;
    case IR_PROBE:
    case IR_WAIT: unroll_wait(u, p->op); break;
    case IR_EXPECT:
    case IR_ARRIVE:
    case IR_COPY_ARRIVE:
    case IR_UMMA_COMMIT: unroll_act(u, p); break;
    default: break;
    }
}

static void unroll(unroller *u, int from, int to)
{
    for (int i = from; i < to; i++) {
        if (u->task->ops[i].ranks >> u->rank & 1)
            unroll_op(u, &u->task->ops[i]);
        i = unroll_block(u, i);
    }
}

static ring_place first_place(const ir_cursor *c, int warp)
{
    int slot = c->lane == IR_LANE_BY_WARP ? warp / c->lane_warps : c->lane == IR_LANE_FIXED ? c->first : 0;
    return (ring_place){.slot = slot, .held = slot, .parity = c->parity};
}

void explore_unroll(explorer *x, int agent_index)
{
    const plan_agent *a = &x->plan->agents[agent_index];
    const plan_task *task = &x->plan->tasks[a->task];
    unroller u = {.x = x, .agent = agent_index, .rank = a->rank, .task = task};
    size_t cursors = task->task->cursors.len;
    u.places = base_alloc((cursors + 1) * sizeof *u.places);
    for (size_t i = 0; i < cursors; i++)
        u.places[i] = first_place(&task->task->cursors.at[i], a->warp);
    if (a->warp_itself)
        unroll(&u, 0, task->count);
    x->actors[agent_index].bulk_left = (int)u.groups[1].len;
    free(u.places);
    for (int kind = 0; kind < GROUPS; kind++)
        vec_free(&u.groups[kind]);
}
