/* Reading the operations: what loops and guards ask about, and in which CTAs what is executed. What the checker does not
 * take is refused by name. */
#include "certify/world.h"

enum { MOST_PERIOD = 1 << 16 };

void world_refuse(world *w, const char *why)
{
    if (!w->refused)
        w->refused = why;
}

/* ---- loops --------------------------------------------------------------------------------------------- */

static bool is_symbolic(const ww_bound *b)
{
    return b->kind != WW_BOUND_IMMEDIATE;
}

/* The one symbolic bound that decides how long a loop runs: its end, counting up; its start, counting down; else NULL. */
static const ww_bound *decisive(const ir_op *loop)
{
    if (is_symbolic(&loop->stride) || is_symbolic(&loop->start) == is_symbolic(&loop->end))
        return NULL;
    if (is_symbolic(&loop->end))
        return loop->stride.value > 0 ? &loop->end : NULL;
    return loop->stride.value < 0 ? &loop->start : NULL;
}

static bool equal_bounds(const ww_bound *a, const ww_bound *b)
{
    if (a->kind != b->kind)
        return false;
    return is_symbolic(a) ? strcmp(a->name, b->name) == 0 : a->value == b->value;
}

static bool same_trips(const ir_op *a, const ir_op *b)
{
    const ww_bound *x = decisive(a), *y = decisive(b);
    if (x || y)
        return x && y && equal_bounds(x, y);
    return equal_bounds(&a->start, &b->start) && equal_bounds(&a->end, &b->end) &&
           equal_bounds(&a->stride, &b->stride);
}

static bool on_device(const ir_op *loop)
{
    return loop->start.kind == WW_BOUND_DEVICE || loop->end.kind == WW_BOUND_DEVICE ||
           loop->stride.kind == WW_BOUND_DEVICE;
}

/* With a step of 0 a loop may never end. */
static bool may_stand_still(const ww_bound *step)
{
    if (step->kind == WW_BOUND_IMMEDIATE)
        return step->value == 0;
    return step->kind == WW_BOUND_ARGUMENT && step->min < 1;
}

/* A step of 0 has been refused. */
static int64_t immediate_trips(int64_t start, int64_t end, int64_t step)
{
    if (!step)
        return 0;
    int64_t way = step > 0 ? end - start : start - end, pace = step > 0 ? step : -step;
    return way <= 0 ? 0 : (way + pace - 1) / pace;
}

/* ---- values -------------------------------------------------------------------------------------------- */

static bool same_value(const world_value *a, const world_value *b)
{
    return a->kind == b->kind && a->queue == b->queue && a->key == b->key && a->of_trip == b->of_trip &&
           (a->kind != VALUE_BOUND || same_trips(a->loop, b->loop));
}

static int add_value(world *w, world_value v)
{
    for (size_t i = 0; i < w->values.len; i++)
        if (same_value(&w->values.at[i], &v)) {
            world_value *known = &w->values.at[i];
            known->least = v.least < known->least ? v.least : known->least;
            return (int)i;
        }
    v.first = w->instance_count;
    v.family = (int)w->values.len;
    w->instance_count += value_instances(&v);
    vec_push(&w->values, v);
    return (int)w->values.len - 1;
}

/* A value below the offset makes no trip run, as the offset itself does; below what the author promised it never is. */
static int64_t least_value(const ir_op *loop, int64_t offset)
{
    const ww_bound *b = decisive(loop);
    bool promised = b && b->kind == WW_BOUND_ARGUMENT && b->min > offset;
    return promised ? b->min : offset;
}

static void read_loop(world *w, world_op *o, int queue)
{
    const ir_op *loop = o->op;
    const ww_bound *b = decisive(loop);
    if (may_stand_still(&loop->stride))
        world_refuse(w, "the step of a loop may be 0");
    o->symbolic = is_symbolic(&loop->start) || is_symbolic(&loop->end) || is_symbolic(&loop->stride);
    o->first = o->period = 1;
    if (!o->symbolic) {
        o->count = immediate_trips(loop->start.value, loop->end.value, loop->stride.value);
        return;
    }
    o->step = 1;
    if (b == &loop->end) {
        o->offset = loop->start.value;
        o->step = loop->stride.value;
    } else if (b) {
        o->offset = loop->end.value;
        o->step = -(int64_t)loop->stride.value;
    }
    o->value = add_value(w, (world_value){.kind = VALUE_BOUND,
                                          .queue = on_device(loop) ? queue : -1,
                                          .loop = loop,
                                          .least = least_value(loop, o->offset)});
}

/* ---- guards -------------------------------------------------------------------------------------------- */

static bool counts(const ir_op *op)
{
    switch (op->kind) {
    case IR_GUARD:
    case IR_GUARD_END:
    case IR_FENCE:
    case IR_GRIDDEP_WAIT:
    case IR_GRIDDEP_LAUNCH: return false;
    case IR_WORK: return ir_has_effect(op);
    default: return true;
    }
}

static bool by_condition(const ir_op *op)
{
    return op->kind == IR_GUARD && (op->guard == IR_GUARD_TRUE || op->guard == IR_GUARD_FALSE);
}

static bool stands_in(const ir_task *t, int at, ir_kind block)
{
    for (int i = 0; i < at; i++)
        if (t->ops.at[i].kind == block && t->ops.at[i].match > at)
            return true;
    return false;
}

typedef bool guard_test(const ir_task *t, int guard);

static bool some_guard(const world *w, int key, guard_test *holds)
{
    for (size_t i = 0; i < w->program->tasks.len; i++) {
        const ir_task *t = &w->program->tasks.at[i];
        for (int j = 0; j < (int)t->ops.len; j++)
            if (by_condition(&t->ops.at[j]) && t->ops.at[j].key == key && holds(t, j))
                return true;
    }
    return false;
}

static bool guards_something(const ir_task *t, int guard)
{
    for (int i = guard + 1; i < t->ops.at[guard].match; i++)
        if (counts(&t->ops.at[i]))
            return true;
    return false;
}

/* Whether the value that a guard looks at is made in a block of that kind. */
static bool made_in(const ir_task *t, int guard, ir_kind block)
{
    int condition = t->ops.at[guard].condition;
    return condition >= 0 && (size_t)condition < t->values.len &&
           stands_in(t, t->values.at[condition].producer, block);
}

static bool made_in_loop(const ir_task *t, int guard)
{
    return made_in(t, guard, IR_LOOP);
}

static bool made_in_tile_loop(const ir_task *t, int guard)
{
    return made_in(t, guard, IR_TILE_LOOP);
}

static bool guards_outside(const ir_task *t, int guard)
{
    return !stands_in(t, guard, IR_LOOP) && guards_something(t, guard);
}

/* More than accesses of which who knows the last to be over knows the earlier to be over. */
static bool does_more(const ir_op *op)
{
    bool more = op->wgmma_groups || op->bulk_groups || op->wgmma_wait >= 0 || op->bulk_wait >= 0;
    for (int i = 0; i < op->effect_count; i++)
        more |= op->effects[i].kind == IR_COPY_IN;
    return op->kind == IR_WORK ? more : counts(op) || op->kind == IR_FENCE;
}

static bool guards_more_than_accesses(const ir_task *t, int guard)
{
    for (int i = guard + 1; i < t->ops.at[guard].match; i++)
        if (stands_in(t, guard, IR_LOOP) && does_more(&t->ops.at[i]))
            return true;
    return false;
}

/* Of the condition of a trip each trip has its own, counted from the first of the loop. If all blocks of the key in domain loops
 * hold accesses alone, executing all of them stands for executing any of them. */
static void read_condition_of_trip(world *w, const world_task *t, world_op *o, int queue)
{
    int key = o->op->key;
    o->assumed = !some_guard(w, key, guards_more_than_accesses);
    if (o->assumed)
        return;
    if (some_guard(w, key, guards_outside))
        world_refuse(w, "a condition of the trip is looked at in a domain loop and outside");
    if (queue < 0 && t->tile_loop >= 0 && o->loop > t->tile_loop)
        world_refuse(w, "a condition of the trip is looked at after the tile loop");
    o->value = add_value(w, (world_value){.kind = VALUE_KEY, .queue = queue, .key = key, .of_trip = true});
}

static void read_condition(world *w, const world_task *t, world_op *o, int queue)
{
    bool by_trip = some_guard(w, o->op->key, made_in_loop);
    bool by_tile = some_guard(w, o->op->key, made_in_tile_loop);
    int guard = (int)(o->op - t->task->ops.at);
    o->idle = !guards_something(t->task, guard);
    if (o->idle)
        return;
    if (by_trip && o->loop >= 0) {
        read_condition_of_trip(w, t, o, queue);
        return;
    }
    if (queue < 0 && made_in_tile_loop(t->task, guard))
        world_refuse(w, "a condition of the last tile is looked at after the tile loop");
    o->value = add_value(
        w, (world_value){.kind = VALUE_KEY, .queue = by_trip || by_tile ? queue : -1, .key = o->op->key});
}

static int64_t common_multiple(int64_t a, int64_t b)
{
    int64_t x = a, y = b;
    while (y) {
        int64_t rest = x % y;
        x = y;
        y = rest;
    }
    return a / x * b;
}

static void read_every(world *w, world_op *loop, const ir_op *guard)
{
    if (guard->period < 1 || guard->first < 0) {
        world_refuse(w, "a guard by the number of the trip has no period");
        return;
    }
    loop->first = guard->first > loop->first ? guard->first : loop->first;
    loop->period = common_multiple(loop->period, guard->period);
    if (loop->period > MOST_PERIOD)
        world_refuse(w, "the guards of a loop have too long a common period");
}

static void read_guard(world *w, world_task *t, world_op *o, int queue)
{
    const ir_op *op = o->op;
    bool by_number = op->guard == IR_GUARD_FIRST || op->guard == IR_GUARD_LAST || op->guard == IR_GUARD_EVERY;
    if (by_number && o->loop < 0)
        world_refuse(w, "a guard by the number of the trip stands outside loops");
    else if (op->guard == IR_GUARD_EVERY)
        read_every(w, &t->ops[o->loop], op);
    else if (op->guard == IR_GUARD_NOT_SKIPPED && queue < 0)
        world_refuse(w, "a tile is skipped outside the tile loop");
    else if (op->guard == IR_GUARD_NOT_SKIPPED)
        o->value = add_value(w, (world_value){.kind = VALUE_SKIP, .queue = queue});
    else if (by_condition(op))
        read_condition(w, t, o, queue);
}

/* ---- where --------------------------------------------------------------------------------------------- */

static const ww_pipeline *pipeline_of(const world *w, int barrier)
{
    if (barrier < 0)
        return NULL;
    const ww_resource *r = w->kernel->resources.at[w->program->barriers.at[barrier].resource];
    return r->kind == MODEL_GROUP && !model_pipelined(r) ? &r->members[0]->pipeline : &r->pipeline;
}

static uint32_t targets_of(world *w, model_to to, int barrier, int rank)
{
    const ww_pipeline *p = pipeline_of(w, barrier);
    bool needs_one = to == MODEL_TO_PEERS || to == MODEL_TO_NEXT || to == MODEL_TO_PREVIOUS;
    if (w->ranks == 1)
        return 1;
    if (needs_one && (!p || p->type == WW_NO_PIPELINE)) {
        world_refuse(w, "an operation acts on CTAs that no pipeline names");
        return 1u << rank;
    }
    return model_targets(&w->program->cluster, to, p, rank);
}

static uint32_t reach_of(world *w, const ir_effect *e, int rank)
{
    if (world_pipe_of(e->kind) == PIPE_TENSOR)
        return targets_of(w, MODEL_TO_PAIR, -1, rank);
    if (e->kind != IR_COPY_IN || w->ranks == 1)
        return 1u << rank;
    if (e->to == MODEL_TO_NEXT || e->to == MODEL_TO_EVERY)
        return targets_of(w, e->to, e->barrier, rank);
    return model_reach(&w->program->cluster, e->reach, rank);
}

static void read_places(world *w, const ir_task *t, world_op *o)
{
    const ir_op *op = o->op;
    size_t ranks = (size_t)w->ranks;
    o->targets = arena_array(w->arena, uint32_t, ranks);
    o->reach = arena_array(w->arena, uint32_t, (size_t)op->effect_count * ranks + 1);
    for (int rank = 0; rank < w->ranks; rank++) {
        if (t->only_cta >= 0 && t->only_cta != rank)
            continue;
        if (w->ranks > 1 && !model_gate_open(&w->program->cluster, op->gate, rank))
            continue;
        o->ranks |= 1u << rank;
        o->targets[rank] = targets_of(w, op->kind == IR_FETCH ? MODEL_TO_EVERY : op->to, op->barrier, rank);
        for (int i = 0; i < op->effect_count; i++)
            o->reach[(size_t)i * ranks + (size_t)rank] = reach_of(w, &op->effects[i], rank);
    }
}

/* ---- work queues: the tile changes once a trip, at the end of the loop --------------------------------- */

static bool opens(ir_kind kind)
{
    return kind == IR_LOOP || kind == IR_GUARD || kind == IR_TILE_LOOP;
}

static void check_tiles(world *w, const world_task *t)
{
    int advances = 0, last = -1, depth = 0;
    for (int i = 0; i < t->count; i++) {
        const ir_op *op = t->ops[i].op;
        if (advances && i < t->tile_end && (opens(op->kind) || op->kind == IR_WAIT))
            world_refuse(w, "something waits or asks about a tile after the queue has advanced");
        if (opens(op->kind)) {
            depth++;
        } else if (op->kind == IR_LOOP_END || op->kind == IR_GUARD_END || op->kind == IR_TILE_LOOP_END) {
            depth--;
        } else if (op->kind == IR_NEXT_TILE) {
            advances++;
            last = i;
            if (depth != 1 || (w->ranks > 1 && op->gate != MODEL_EVERYWHERE))
                advances++;
        }
    }
    bool right = t->tile_loop < 0 ? !advances : advances == 1 && last > t->tile_loop && last < t->tile_end;
    if (!right)
        world_refuse(w, "a work queue is not advanced once a tile, at the end of the tile loop");
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static void read_op(world *w, world_task *t, int i, int loop)
{
    world_op *o = &t->ops[i];
    bool in_tiles = i > t->tile_loop && i < t->tile_end;
    int queue = in_tiles ? t->task->queue : -1;
    *o = (world_op){.op = &t->task->ops.at[i], .value = -1, .loop = loop, .family = -1};
    read_places(w, t->task, o);
    switch (o->op->kind) {
    case IR_LOOP: read_loop(w, o, queue); break;
    case IR_TILE_LOOP:
        o->value = add_value(w, (world_value){.kind = VALUE_TILES, .queue = o->op->resource});
        break;
    case IR_LOOP_END:
    case IR_TILE_LOOP_END: o->value = t->ops[o->op->match].value; break;
    case IR_GUARD: read_guard(w, t, o, queue); break;
    default: break;
    }
}

static void read_task(world *w, world_task *t, const ir_task *task)
{
    *t = (world_task){.task = task, .count = (int)task->ops.len, .tile_loop = -1, .tile_end = -1};
    t->ops = arena_array(w->arena, world_op, t->count + 1);
    for (int i = 0; i < t->count; i++)
        if (task->ops.at[i].kind == IR_TILE_LOOP) {
            if (t->tile_loop >= 0)
                world_refuse(w, "a task has two tile loops");
            t->tile_loop = i;
            t->tile_end = task->ops.at[i].match;
        }
    int loop = -1;
    for (int i = 0; i < t->count; i++) {
        ir_kind kind = task->ops.at[i].kind;
        if (kind == IR_LOOP && loop >= 0)
            world_refuse(w, "a loop stands in a loop");
        loop = kind == IR_LOOP ? i : loop;
        read_op(w, t, i, loop);
        loop = kind == IR_LOOP_END ? -1 : loop;
    }
    for (int i = 0; i < t->count; i++)
        for (int j = i + 1; t->ops[i].assumed && j < t->ops[i].op->match; j++)
            t->ops[j].optional = true;
    check_tiles(w, t);
}

static void find_asking_by_tile(world *w)
{
    for (size_t i = 0; i < w->program->tasks.len; i++)
        for (int j = 0; j < w->tasks[i].count; j++) {
            int value = w->tasks[i].ops[j].value;
            w->tasks[i].asks_by_tile |= value >= 0 && value_of_tile(&w->values.at[value]);
        }
}

/* All conditions of trips that the loop asks about come to be of one family. */
static bool join_families(const world *w, world_task *t, int loop)
{
    int least = -1;
    bool changed = false;
    for (int pass = 0; pass < 2; pass++)
        for (int i = loop; i < t->ops[loop].op->match; i++) {
            world_value *v = t->ops[i].value < 0 ? NULL : &w->values.at[t->ops[i].value];
            if (!v || !v->of_trip)
                continue;
            least = least < 0 || v->family < least ? v->family : least;
            changed |= pass && v->family != least;
            v->family = pass ? least : v->family;
        }
    t->ops[loop].family = least;
    return changed;
}

static void find_families(world *w)
{
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < w->program->tasks.len; i++)
            for (int j = 0; j < w->tasks[i].count; j++)
                if (w->tasks[i].ops[j].op->kind == IR_LOOP)
                    again |= join_families(w, &w->tasks[i], j);
    }
}

void world_read_tasks(world *w)
{
    w->tasks = arena_array(w->arena, world_task, w->program->tasks.len + 1);
    for (size_t i = 0; i < w->program->tasks.len; i++)
        read_task(w, &w->tasks[i], &w->program->tasks.at[i]);
    find_asking_by_tile(w);
    find_families(w);
}
