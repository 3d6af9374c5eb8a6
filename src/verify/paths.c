/* The walk over all paths of a task. A region is the task itself or the body of its tile loop; within one
 * region the values that rule loops are tried one by one up to three trips of each loop, three standing for
 * any larger number. */
#include "verify/paths.h"
#include "verify/trips.h"

enum { MANY_TRIPS = 3, MAX_VALUES = 6, MAX_COMBINATIONS = 4096, MAX_STATES = 65536 };

typedef VEC(path_state) state_set;

typedef struct path_value {
    int loop;      /* an operation ruled by the value */
    int64_t least; /* from here ... */
    int64_t many;  /* ... to here, where each of its loops has three trips or more */
    int64_t now;
} path_value;

typedef struct path_values {
    path_value at[MAX_VALUES];
    int count;
} path_values;

static void run(path_walk *w, int from, int to, state_set *states);

/* ---- sets ------------------------------------------------------------------------------------------- */

static bool contains(const state_set *set, const path_state *s)
{
    for (size_t i = 0; i < set->len; i++)
        if (memcmp(&set->at[i], s, sizeof *s) == 0)
            return true;
    return false;
}

/* True when something was new. */
static bool add_all(state_set *to, const state_set *from)
{
    size_t before = to->len;
    for (size_t i = 0; i < from->len && to->len < MAX_STATES; i++)
        if (!contains(to, &from->at[i]))
            vec_push(to, from->at[i]);
    return to->len > before;
}

static void copy_set(state_set *to, const state_set *from)
{
    to->len = 0;
    (void)add_all(to, from);
}

static bool same_set(const state_set *a, const state_set *b)
{
    if (a->len != b->len)
        return false;
    for (size_t i = 0; i < a->len; i++)
        if (!contains(b, &a->at[i]))
            return false;
    return true;
}

/* ---- loops ------------------------------------------------------------------------------------------ */

static void run_trip(path_walk *w, int loop, bool first, bool last, state_set *states)
{
    w->loop = loop;
    w->first = first;
    w->last = last;
    run(w, loop + 1, w->task->ops.at[loop].match, states);
    w->loop = -1;
}

/* One or more trips between the first and the last: all states that can stand before the last. */
static void run_middle_trips(path_walk *w, int loop, state_set *states)
{
    state_set reached = {0}, next = {0};
    run_trip(w, loop, false, false, states);
    copy_set(&reached, states);
    do {
        copy_set(&next, &reached);
        run_trip(w, loop, false, false, &next);
    } while (!w->stop && add_all(&reached, &next));
    copy_set(states, &reached);
    vec_free(&reached);
    vec_free(&next);
}

/* A known number of trips; stops early once a trip changes nothing. */
static void run_counted_trips(path_walk *w, int loop, int64_t between, state_set *states)
{
    state_set before = {0};
    for (int64_t i = 0; i < between && !w->stop; i++) {
        copy_set(&before, states);
        run_trip(w, loop, false, false, states);
        if (same_set(&before, states))
            break;
    }
    vec_free(&before);
}

static void run_trips(path_walk *w, int loop, int64_t count, bool exact, state_set *states)
{
    if (count <= 0)
        return;
    if (count == 1) {
        run_trip(w, loop, true, true, states);
        return;
    }
    run_trip(w, loop, true, false, states);
    if (exact)
        run_counted_trips(w, loop, count - 2, states);
    else if (count > 2)
        run_middle_trips(w, loop, states);
    run_trip(w, loop, false, true, states);
}

static const path_value *value_of(const path_walk *w, int loop)
{
    for (int i = 0; i < w->values->count; i++)
        if (trips_same_value(&w->task->ops.at[w->values->at[i].loop], &w->task->ops.at[loop]))
            return &w->values->at[i];
    return NULL;
}

/* A loop whose value is not tracked (there are too many): any number of trips. */
static void run_any_trips(path_walk *w, int loop, state_set *states)
{
    state_set all = {0}, one = {0};
    for (int64_t count = 0; count <= MANY_TRIPS; count++) {
        copy_set(&one, states);
        run_trips(w, loop, count, false, &one);
        (void)add_all(&all, &one);
    }
    copy_set(states, &all);
    vec_free(&all);
    vec_free(&one);
}

static void run_loop(path_walk *w, int loop, state_set *states)
{
    trips t = trips_of(&w->task->ops.at[loop]);
    const path_value *v = t.symbolic ? value_of(w, loop) : NULL;
    if (!t.symbolic)
        run_trips(w, loop, t.count, true, states);
    else if (v)
        run_trips(w, loop, trips_for_value(&t, v->now), v->now < v->many, states);
    else
        run_any_trips(w, loop, states);
}

/* ---- regions: all values of the bounds -------------------------------------------------------------- */

static void add_value(const path_walk *w, path_values *values, int loop)
{
    const ir_op *op = &w->task->ops.at[loop];
    trips t = trips_of(op);
    if (!t.symbolic)
        return;
    int64_t many = t.offset + t.step * MANY_TRIPS;
    for (int i = 0; i < values->count; i++) {
        path_value *v = &values->at[i];
        if (!trips_same_value(&w->task->ops.at[v->loop], op))
            continue;
        v->many = many > v->many ? many : v->many;
        v->least = trips_least_value(op) < v->least ? trips_least_value(op) : v->least;
        return;
    }
    if (values->count < MAX_VALUES)
        values->at[values->count++] = (path_value){loop, trips_least_value(op), many, 0};
}

static void collect_values(const path_walk *w, int from, int to, path_values *values)
{
    for (int i = from; i < to; i++) {
        const ir_op *op = &w->task->ops.at[i];
        if (op->kind == IR_TILE_LOOP)
            i = op->match;
        else if (op->kind == IR_LOOP)
            add_value(w, values, i);
    }
    int64_t combinations = 1;
    for (int i = 0; i < values->count; i++) {
        path_value *v = &values->at[i];
        if (v->many < v->least)
            v->many = v->least;
        combinations *= v->many - v->least + 1;
        if (combinations > MAX_COMBINATIONS)
            values->count = i;
    }
}

/* The next combination of values, like an odometer that runs backwards: what goes wrong with many trips is told of
 * them, not of the special case of one trip. False after the last. */
static bool next_combination(path_values *values)
{
    for (int i = 0; i < values->count; i++) {
        if (values->at[i].now > values->at[i].least) {
            values->at[i].now--;
            return true;
        }
        values->at[i].now = values->at[i].many;
    }
    return false;
}

static void run_region(path_walk *w, int from, int to, state_set *states)
{
    path_values values = {.count = 0}, *outer = w->values;
    state_set all = {0}, one = {0};
    collect_values(w, from, to, &values);
    for (int i = 0; i < values.count; i++)
        values.at[i].now = values.at[i].many;
    w->values = &values;
    do {
        copy_set(&one, states);
        run(w, from, to, &one);
        (void)add_all(&all, &one);
    } while (!w->stop && next_combination(&values));
    w->values = outer;
    copy_set(states, &all);
    vec_free(&all);
    vec_free(&one);
}

/* Any number of tiles, each skipped or not. */
static void run_tiles(path_walk *w, int loop, state_set *states)
{
    const ir_op *op = &w->task->ops.at[loop];
    bool may_skip = w->program->kernel->resources.at[op->resource]->queue.skip != NULL;
    state_set next = {0};
    bool grown = true;
    while (grown && !w->stop) {
        grown = false;
        for (int skipped = 0; skipped < (may_skip ? 2 : 1); skipped++) {
            copy_set(&next, states);
            w->skipped = skipped;
            run_region(w, loop + 1, op->match, &next);
            grown |= add_all(states, &next);
        }
        w->skipped = false;
    }
    vec_free(&next);
}

/* ---- the walk --------------------------------------------------------------------------------------- */

static bool guard_holds(const path_walk *w, const ir_op *op)
{
    switch (op->guard) {
    case IR_GUARD_FIRST: return w->first;
    case IR_GUARD_LAST: return w->last;
    default: return !w->skipped;
    }
}

static void run_step(path_walk *w, int op, state_set *states)
{
    state_set next = {0};
    for (size_t i = 0; i < states->len && !w->stop; i++) {
        path_state s = states->at[i];
        if (w->step(w, op, &s) && !contains(&next, &s))
            vec_push(&next, s);
    }
    vec_free(states);
    *states = next;
}

static void run(path_walk *w, int from, int to, state_set *states)
{
    for (int i = from; i < to && !w->stop; i++) {
        const ir_op *op = &w->task->ops.at[i];
        switch (op->kind) {
        case IR_TILE_LOOP: run_tiles(w, i, states); break;
        case IR_LOOP: run_loop(w, i, states); break;
        case IR_GUARD:
            if (guard_holds(w, op))
                run(w, i + 1, op->match, states);
            break;
        default: run_step(w, i, states); continue;
        }
        i = op->match;
    }
}

void paths_walk(path_walk *w, path_state initial)
{
    state_set states = {0};
    vec_push(&states, initial);
    w->loop = -1;
    run_region(w, 0, (int)w->task->ops.len, &states);
    for (size_t i = 0; w->end && i < states.len && !w->stop; i++)
        w->end(w, &states.at[i]);
    vec_free(&states);
}

const char *path_where(const path_walk *w, int op)
{
    if (w->loop < 0) {
        static const char *const sections[] = {"before its loop", "in its loop", "after its loop"};
        for (size_t i = 0; i < w->task->ops.len; i++)
            if (w->task->ops.at[i].kind == IR_LOOP)
                return sections[w->task->ops.at[op].section];
        return "on its only path";
    }
    if (w->first)
        return w->last ? "when its loop runs once" : "in the first trip of its loop";
    return w->last ? "in the last trip of its loop" : "in a later trip of its loop";
}
