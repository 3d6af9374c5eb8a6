/* The walk over all paths of a task. A region is the task itself or the body of its tile loop; within one
 * region the values that rule loops are tried one by one up to a few trips of each loop, the last of which
 * stands for any larger number. */
#include "verify/paths.h"
#include "verify/trips.h"

enum {
    FEW_TRIPS = 3,
    MAX_VALUES = 6,
    MAX_COMBINATIONS = 4096,
    MAX_STATES = 65536,
    MAX_CYCLE = 64,
    MAX_CONDITIONS = 32
};

typedef VEC(path_state) state_set;

typedef struct path_value {
    int loop;      /* an operation ruled by the value */
    int64_t least; /* from here ... */
    int64_t many;  /* ... to here, where each of its loops has `many_trips` or more */
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

/* ---- guards of every n-th trip ------------------------------------------------------------------------ */

/* Of two positive numbers; past MAX_CYCLE it only has to be that. */
static int64_t common_multiple(int64_t a, int64_t b)
{
    int64_t m = a;
    while (m % b && m <= MAX_CYCLE)
        m += a;
    return m;
}

/* After how many trips the guards of a loop's body repeat; 1 without any, 0: too many to follow. */
static int64_t cycle_of(const path_walk *w, int loop)
{
    int64_t cycle = 1;
    for (int i = loop; i < w->task->ops.at[loop].match && cycle <= MAX_CYCLE; i++)
        if (w->task->ops.at[i].kind == IR_GUARD && w->task->ops.at[i].guard == IR_GUARD_EVERY)
            cycle = common_multiple(cycle, w->task->ops.at[i].period);
    return cycle <= MAX_CYCLE ? cycle : 0;
}

/* The trip from which on they do: not before each has started. */
static int64_t settled_trip(const path_walk *w, int loop)
{
    int64_t first = 0;
    for (int i = loop; i < w->task->ops.at[loop].match; i++) {
        const ir_op *op = &w->task->ops.at[i];
        if (op->kind == IR_GUARD && op->guard == IR_GUARD_EVERY && op->first > first)
            first = op->first <= MAX_CYCLE ? op->first : 0;
    }
    return first;
}

/* So many trips show all a loop can do; more only repeat it. */
static int64_t many_trips(const path_walk *w, int loop)
{
    int64_t settled = settled_trip(w, loop) + 2;
    return settled > FEW_TRIPS ? settled : FEW_TRIPS;
}

/* ---- loops ------------------------------------------------------------------------------------------ */

static void run_trip(path_walk *w, int loop, int64_t trip, bool last, state_set *states)
{
    w->loop = loop;
    w->trip = trip;
    w->first = trip == 0;
    w->last = last;
    run(w, loop + 1, w->task->ops.at[loop].match, states);
    w->loop = -1;
}

/* A known number of trips; leaps over those that change nothing. */
static void run_counted_trips(path_walk *w, int loop, int64_t count, state_set *states)
{
    state_set before = {0};
    int64_t cycle = cycle_of(w, loop), settled = settled_trip(w, loop) + 1;
    cycle = cycle ? cycle : 1;
    for (int64_t i = 0; i < count && !w->stop; i++) {
        if (i > settled && i + 1 < count && (i - settled) % cycle == 0) {
            if (same_set(&before, states))
                i += (count - 1 - i) / cycle * cycle;
        }
        if (i >= settled && (i - settled) % cycle == 0)
            copy_set(&before, states);
        run_trip(w, loop, i, i + 1 == count, states);
    }
    vec_free(&before);
}

/* reached[r] holds the states that can stand before trip least - 1 + r, or a whole number of cycles later. */
static void reach_all_trips(path_walk *w, int loop, int64_t from, int64_t cycle, state_set *reached)
{
    state_set next = {0};
    int64_t unchanged = 0;
    for (int64_t i = 0; unchanged < cycle && !w->stop; i = (i + 1) % cycle) {
        copy_set(&next, &reached[i]);
        run_trip(w, loop, from + i, false, &next);
        unchanged = add_all(&reached[(i + 1) % cycle], &next) ? 0 : unchanged + 1;
    }
    vec_free(&next);
}

/* Any number of trips from `least`, which is at least many_trips. */
static void run_many_trips(path_walk *w, int loop, int64_t least, state_set *states)
{
    state_set reached[MAX_CYCLE] = {{0}};
    int64_t cycle = cycle_of(w, loop);
    cycle = cycle ? cycle : 1;
    for (int64_t i = 0; i + 1 < least; i++)
        run_trip(w, loop, i, false, states);
    copy_set(&reached[0], states);
    reach_all_trips(w, loop, least - 1, cycle, reached);
    states->len = 0;
    for (int64_t i = 0; i < cycle; i++) {
        run_trip(w, loop, least - 1 + i, true, &reached[i]);
        (void)add_all(states, &reached[i]);
        vec_free(&reached[i]);
    }
}

static void leave_out(path_walk *w, int block, state_set *states)
{
    for (size_t i = 0; w->left_out && i < states->len; i++)
        w->left_out(w, block, &states->at[i]);
}

static void run_trips(path_walk *w, int loop, int64_t count, bool exact, state_set *states)
{
    if (count <= 0)
        leave_out(w, loop, states);
    if (exact || count < many_trips(w, loop))
        run_counted_trips(w, loop, count, states);
    else
        run_many_trips(w, loop, count, states);
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
    for (int64_t count = 0; count <= many_trips(w, loop); count++) {
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
    int64_t many = t.offset + t.step * many_trips(w, loop);
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

/* ---- guards: conditions of one key are one choice ------------------------------------------------------ */

static bool is_condition(const ir_op *op)
{
    return op->kind == IR_GUARD && (op->guard == IR_GUARD_TRUE || op->guard == IR_GUARD_FALSE);
}

/* The guard that speaks for all of its key, or of its value: the first of the task. */
static int speaker_of(const ir_task *t, int guard)
{
    for (int i = 0; i < guard; i++)
        if (is_condition(&t->ops.at[i]) && (t->ops.at[i].key == t->ops.at[guard].key ||
                                            t->ops.at[i].condition == t->ops.at[guard].condition))
            return speaker_of(t, i);
    return guard;
}

/* The bit of a speaker in `decided` and `held`; 0: too many to follow. */
static uint32_t bit_of(const ir_task *t, int speaker)
{
    int number = 0;
    for (int i = 0; i < speaker; i++)
        number += is_condition(&t->ops.at[i]);
    return number < MAX_CONDITIONS ? 1u << number : 0;
}

/* Values made anew are undecided again. */
static void forget_conditions(const ir_task *t, int op, path_state *s)
{
    for (int i = op; i < (int)t->ops.len; i++)
        if (is_condition(&t->ops.at[i]) && speaker_of(t, i) == i && t->ops.at[i].condition >= 0 &&
            t->values.at[t->ops.at[i].condition].producer == op)
            s->decided &= ~bit_of(t, i), s->held &= ~bit_of(t, i);
}

typedef enum answer { NO, YES, EITHER } answer;

static answer every_holds(const path_walk *w, const ir_op *op)
{
    if (w->loop < 0 || !cycle_of(w, w->loop) || op->first > MAX_CYCLE)
        return EITHER;
    return w->trip >= op->first && (w->trip - op->first) % op->period == 0 ? YES : NO;
}

static answer condition_holds(const path_walk *w, int guard, const path_state *s)
{
    uint32_t bit = bit_of(w->task, speaker_of(w->task, guard));
    if (!(s->decided & bit))
        return EITHER;
    return !(s->held & bit) == (w->task->ops.at[guard].guard == IR_GUARD_FALSE) ? YES : NO;
}

static answer guard_holds(const path_walk *w, int guard, const path_state *s)
{
    const ir_op *op = &w->task->ops.at[guard];
    switch (op->guard) {
    case IR_GUARD_FIRST: return w->first ? YES : NO;
    case IR_GUARD_LAST: return w->last ? YES : NO;
    case IR_GUARD_NOT_SKIPPED: return w->skipped ? NO : YES;
    case IR_GUARD_EVERY: return every_holds(w, op);
    case IR_GUARD_TRUE:
    case IR_GUARD_FALSE: return condition_holds(w, guard, s);
    }
    return EITHER;
}

static path_state decide(const path_walk *w, int guard, path_state s, bool inside)
{
    const ir_op *op = &w->task->ops.at[guard];
    uint32_t bit = is_condition(op) ? bit_of(w->task, speaker_of(w->task, guard)) : 0;
    s.decided |= bit;
    s.held |= inside == (op->guard == IR_GUARD_TRUE) ? bit : 0;
    return s;
}

static void run_guard(path_walk *w, int guard, state_set *states)
{
    state_set inside = {0}, outside = {0};
    for (size_t i = 0; i < states->len; i++) {
        answer holds = guard_holds(w, guard, &states->at[i]);
        if (holds == EITHER) {
            vec_push(&inside, decide(w, guard, states->at[i], true));
            vec_push(&outside, decide(w, guard, states->at[i], false));
        } else if (holds == YES) {
            vec_push(&inside, states->at[i]);
        } else {
            vec_push(&outside, states->at[i]);
        }
    }
    leave_out(w, guard, &outside);
    run(w, guard + 1, w->task->ops.at[guard].match, &inside);
    (void)add_all(&outside, &inside);
    vec_free(states);
    vec_free(&inside);
    *states = outside;
}

/* ---- the walk --------------------------------------------------------------------------------------- */

static void run_step(path_walk *w, int op, state_set *states)
{
    state_set next = {0};
    for (size_t i = 0; i < states->len && !w->stop; i++) {
        path_state s = states->at[i];
        if (w->task->ops.at[op].kind == IR_WORK)
            forget_conditions(w->task, op, &s);
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
        case IR_GUARD: run_guard(w, i, states); break;
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
