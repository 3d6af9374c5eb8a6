/* A walk over each task by itself: no operation waits here, for which completion a wait is meant follows from how often its
 * cursor has gone round (lower.h, parity rule), and an arrival is part of the phase that its number says. */
#include "report/run.h"

enum { MOST_EVENTS = 1 << 14 };

typedef struct counter {
    int barrier, slot, resource, count;
} counter;

typedef struct walk {
    run *run;
    const ir_task *task;
    run_task *out;
    int tiles;
    bool condition;
    VEC(counter) counters;
    run_place *cursors;
    int64_t trip, trips; /* of the innermost domain loop */
} walk;

bool run_arrives(const ir_op *op)
{
    return ir_is_arrival(op) || op->kind == IR_FETCH;
}

/* ---- loops and guards --------------------------------------------------------------------------------- */

/* Enough for every slot to be visited a few times. */
static int many(const ir_program *p)
{
    int deepest = 1;
    const ir_barrier *b;
    vec_each(b, &p->barriers)
        deepest = b->stages > deepest ? b->stages : deepest;
    return 3 * deepest + 2;
}

static int64_t bound_value(const ww_bound *b, int64_t otherwise)
{
    return b->kind == WW_BOUND_IMMEDIATE ? b->value : otherwise;
}

/* What is not known is 0 at the low end and many at the high one, in all loops alike. */
static int64_t trips_of(const ir_program *p, const ir_op *loop)
{
    int64_t step = bound_value(&loop->stride, 1), most = 4 * (int64_t)many(p);
    int64_t start = bound_value(&loop->start, step > 0 ? 0 : many(p));
    int64_t end = bound_value(&loop->end, step > 0 ? many(p) : 0);
    int64_t trips = step > 0   ? (end - start + step - 1) / step
                    : step < 0 ? (start - end - step - 1) / -step
                               : 0;
    return trips < 0 ? 0 : trips > most ? most : trips;
}

static bool guard_holds(const walk *w, const ir_op *op)
{
    switch (op->guard) {
    case IR_GUARD_FIRST: return w->trip == 0;
    case IR_GUARD_LAST: return w->trip == w->trips - 1;
    case IR_GUARD_EVERY: return w->trip >= op->first && (w->trip - op->first) % op->period == 0;
    case IR_GUARD_TRUE: return w->condition;
    case IR_GUARD_FALSE: return !w->condition;
    default: return true;
    }
}

/* ---- cursors and counts ------------------------------------------------------------------------------- */

static void start_cursors(walk *w)
{
    for (size_t i = 0; i < w->task->cursors.len; i++) {
        const ir_cursor *c = &w->task->cursors.at[i];
        int slot = c->lane == IR_LANE_FIXED ? c->first % c->stages : 0;
        w->cursors[i] = (run_place){slot, 0, slot, 0};
    }
}

static void advance(walk *w, int cursor)
{
    const ir_cursor *c = &w->task->cursors.at[cursor];
    run_place *at = &w->cursors[cursor];
    at->held_slot = at->slot;
    at->held_lap = at->lap;
    at->slot += c->stride;
    if (at->slot >= c->stages) {
        at->slot -= c->stages;
        at->lap++;
    }
}

static int *count_of(walk *w, const ir_op *op, int slot)
{
    counter *c;
    vec_each(c, &w->counters)
        if (c->barrier == op->barrier && c->slot == slot && c->resource == op->resource)
            return &c->count;
    vec_push(&w->counters, ((counter){op->barrier, slot, op->resource, 0}));
    return &vec_last(&w->counters)->count;
}

/* A fresh barrier has completed what a producer waits for first. A named barrier is waited for by those who have arrived. */
static int awaited(walk *w, const ir_op *op, int slot)
{
    if (w->run->p->barriers.at[op->barrier].side == IR_NAMED)
        return *count_of(w, op, slot);
    if (op->cursor < 0)
        return 1;
    return w->cursors[op->cursor].lap + (w->task->cursors.at[op->cursor].parity ? 0 : 1);
}

static void record(walk *w, int at)
{
    const ir_op *op = &w->task->ops.at[at];
    run_event e = {.op = at, .places = w->run->places.len};
    e.slot = op->cursor >= 0 ? w->cursors[op->cursor].slot : 0;
    if (run_arrives(op))
        e.number = ++*count_of(w, op, e.slot);
    else if (op->kind == IR_WAIT)
        e.number = awaited(w, op, e.slot);
    for (size_t i = 0; i < w->task->cursors.len; i++)
        vec_push(&w->run->places, w->cursors[i]);
    vec_push(&w->out->events, e);
}

/* ---- the walk ----------------------------------------------------------------------------------------- */

static void walk_ops(walk *w, int first, int end);

static void walk_loop(walk *w, int at)
{
    const ir_op *op = &w->task->ops.at[at];
    int64_t trip = w->trip, trips = w->trips, n = op->kind == IR_LOOP ? trips_of(w->run->p, op) : w->tiles;
    for (int64_t i = 0; i < n && w->out->events.len < MOST_EVENTS; i++) {
        if (op->kind == IR_LOOP)
            w->trip = i, w->trips = n;
        walk_ops(w, at + 1, op->match);
    }
    w->trip = trip;
    w->trips = trips;
}

static void walk_ops(walk *w, int first, int end)
{
    for (int i = first; i < end; i++) {
        const ir_op *op = &w->task->ops.at[i];
        if (op->kind == IR_LOOP || op->kind == IR_TILE_LOOP) {
            walk_loop(w, i);
            i = op->match;
        } else if (op->kind == IR_GUARD) {
            i = guard_holds(w, op) ? i : op->match;
        } else if (op->kind == IR_ADVANCE) {
            advance(w, op->cursor);
        } else if (!op->drain) {
            record(w, i);
        }
    }
}

run *run_new(const ir_program *p, int tiles, bool condition)
{
    run *r = base_alloc(sizeof *r);
    *r = (run){.p = p, .tasks = base_alloc((p->tasks.len + 1) * sizeof(run_task))};
    memset(r->tasks, 0, (p->tasks.len + 1) * sizeof(run_task));
    for (size_t i = 0; i < p->tasks.len; i++) {
        const ir_task *t = &p->tasks.at[i];
        walk w = {.run = r, .task = t, .out = &r->tasks[i], .tiles = tiles, .condition = condition};
        w.cursors = base_alloc((t->cursors.len + 1) * sizeof(run_place));
        start_cursors(&w);
        walk_ops(&w, 0, (int)t->ops.len);
        r->cut |= w.out->events.len >= MOST_EVENTS;
        vec_free(&w.counters);
        free(w.cursors);
    }
    return r;
}

void run_free(run *r)
{
    for (size_t i = 0; i < r->p->tasks.len; i++)
        vec_free(&r->tasks[i].events);
    free(r->tasks);
    vec_free(&r->places);
    free(r);
}

run_place run_effect_place(const run *r, const run_event *e, const ir_effect *effect)
{
    if (effect->cursor < 0)
        return (run_place){0};
    run_place at = r->places.at[e->places + (size_t)effect->cursor];
    if (effect->held) {
        at.slot = at.held_slot;
        at.lap = at.held_lap;
    }
    return at;
}
