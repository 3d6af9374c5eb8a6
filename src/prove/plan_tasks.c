/* Reading the tasks: which operation is executed where, what loops and guards ask about, and what of it is outside the
 * model. */
#include "prove/plan.h"
#include "capture/capture.h"

#include <stdio.h>

enum { MANY_TRIPS = 64, MOST_CYCLE = 1 << 16 };

ww_diag *plan_diag(ww_kernel *k, ww_code code, ww_place place, diag_list *list, const char *fmt, ...)
{
    diag_list_init(list, &k->arena);
    va_list args;
    va_start(args, fmt);
    ww_diag *d = diag_add(list, code, place, "%s", arena_vprintf(&k->arena, fmt, args));
    va_end(args);
    return d;
}

void plan_refuse(plan *p, ww_place place, const char *why, const char *hint)
{
    diag_list list;
    if (p->unprovable)
        return;
    p->unprovable = plan_diag(p->kernel, WW_UNPROVABLE, place, &list, "%s", why);
    diag_texts(&list, p->unprovable, "a kernel within the prover's model (docs/prover.md, section 6)", why,
               hint);
}

/* ---- values ----------------------------------------------------------------------------------------- */

static bool same_value(const plan_value *a, const plan_value *b)
{
    if (a->kind != b->kind || a->queue != b->queue || a->key != b->key || a->of_trip != b->of_trip)
        return false;
    return a->kind != PLAN_BOUND || trips_same_value(a->loop, b->loop);
}

static int value_number(plan *p, plan_value v, ww_place place)
{
    for (int i = 0; i < p->value_count; i++)
        if (same_value(&p->values[i], &v)) {
            if (v.least < p->values[i].least)
                p->values[i].least = v.least;
            return i;
        }
    if (p->value_count == PLAN_MAX_VALUES) {
        plan_refuse(p, place, "the kernel asks about more than 64 symbolic bounds and conditions",
                    "use fewer launch arguments as bounds");
        return 0;
    }
    p->values[p->value_count] = v;
    return p->value_count++;
}

static int bound_value(plan *p, const ir_op *loop, const trips *t, int queue)
{
    bool of_tile = trips_on_device(loop);
    plan_value v = {
        .kind = PLAN_BOUND, .loop = loop, .queue = of_tile || p->loose ? queue : -1, .least = t->offset};
    return value_number(p, v, loop->place);
}

/* Below its smallest offset a value makes no loop run; below what the author promised it never is. */
static void raise_to_promise(plan *p)
{
    for (int i = 0; i < p->value_count; i++) {
        plan_value *v = &p->values[i];
        if (v->kind != PLAN_BOUND || trips_on_device(v->loop))
            continue;
        int64_t promised = trips_least_value(v->loop);
        v->least = promised > v->least ? promised : v->least;
    }
}

/* ---- guards ------------------------------------------------------------------------------------------ */

/* Whether an operation does something that the prover looks at. */
static bool matters(const ir_op *op)
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

static bool is_idle(const ir_task *t, const ir_op *guard)
{
    for (int i = (int)(guard - t->ops.at) + 1; i < guard->match; i++)
        if (matters(&t->ops.at[i]))
            return false;
    return true;
}

/* Whether all that an operation does is to touch memory: leaving it out leaves out accesses and changes nothing else. */
static bool only_touches(const ir_op *op)
{
    bool groups = op->wgmma_groups || op->bulk_groups || op->wgmma_wait >= 0 || op->bulk_wait >= 0;
    for (int i = 0; i < op->effect_count; i++)
        groups |= op->effects[i].kind == IR_COPY_IN;
    return (!matters(op) && op->kind != IR_FENCE) || (op->kind == IR_WORK && !groups);
}

static bool all_only_touch(const ir_task *t, const ir_op *guard)
{
    for (int i = (int)(guard - t->ops.at) + 1; i < guard->match; i++)
        if (!only_touches(&t->ops.at[i]))
            return false;
    return true;
}

static bool is_keyed(const ir_op *op)
{
    return op->kind == IR_GUARD && (op->guard == IR_GUARD_TRUE || op->guard == IR_GUARD_FALSE);
}

/* Whether an operation lies in a block of that kind. */
static bool lies_in(const ir_task *t, int at, ir_kind block)
{
    for (int i = 0; i < at; i++)
        if (t->ops.at[i].kind == block && t->ops.at[i].match > at)
            return true;
    return false;
}

/* The operation that makes the value a guard looks at. */
static int maker_of(const ir_task *t, const ir_op *guard)
{
    bool known = guard->condition >= 0 && (size_t)guard->condition < t->values.len;
    return known ? t->values.at[guard->condition].producer : -1;
}

/* Whether no value of the key is made in a block of that kind. */
static bool key_made_outside(const plan *p, int key, ir_kind block)
{
    for (size_t i = 0; i < p->program->tasks.len; i++) {
        const ir_task *t = &p->program->tasks.at[i];
        for (size_t j = 0; j < t->ops.len; j++) {
            const ir_op *op = &t->ops.at[j];
            if (is_keyed(op) && op->key == key && lies_in(t, maker_of(t, op), block))
                return false;
        }
    }
    return true;
}

/* Whether some guard by the key has this; of those in domain loops, or of the others. */
static bool some_guard(const plan *p, int key, bool in_loops,
                       bool (*has)(const ir_task *t, const ir_op *guard))
{
    for (size_t i = 0; i < p->program->tasks.len; i++) {
        const ir_task *t = &p->program->tasks.at[i];
        for (size_t j = 0; j < t->ops.len; j++) {
            const ir_op *op = &t->ops.at[j];
            if (is_keyed(op) && op->key == key && lies_in(t, (int)j, IR_LOOP) == in_loops && has(t, op))
                return true;
        }
    }
    return false;
}

static bool does_more_than_touch(const ir_task *t, const ir_op *guard)
{
    return !all_only_touch(t, guard);
}

static bool is_not_idle(const ir_task *t, const ir_op *guard)
{
    return !is_idle(t, guard);
}

static const char *key_name(const ir_task *t, const ir_op *op)
{
    return t->task->schedule->steps.at[op->step].key;
}

/* A guard in a domain loop by a value that is made anew in each trip. If all guards by the key guard accesses alone, they
 * are taken as holding always: what is free of races with all accesses is free of races with some of them. */
static void read_keyed_by_trip(plan *p, const ir_task *t, plan_op *out, int queue)
{
    const ir_op *op = out->op;
    out->assumed = !some_guard(p, op->key, true, does_more_than_touch);
    if (out->assumed)
        return;
    if (some_guard(p, op->key, false, is_not_idle))
        plan_refuse(p, op->place, "a condition of the trip guards barriers in a domain loop and after it",
                    "another key for the blocks outside the loop");
    plan_value v = {
        .kind = PLAN_KEY, .queue = queue, .key = op->key, .name = key_name(t, op), .of_trip = true};
    out->value = value_number(p, v, op->place);
}

/* A value made before all loops belongs to the launch, one made outside domain loops to the tile. Of one made in a domain
 * loop each trip has its own; guards outside see the last, and there is one a tile. */
static void read_keyed(plan *p, const ir_task *t, plan_op *out, int queue)
{
    const ir_op *op = out->op;
    bool of_trip = !key_made_outside(p, op->key, IR_LOOP);
    bool of_launch = key_made_outside(p, op->key, IR_TILE_LOOP) && !of_trip;
    if (out->loop >= 0 && of_trip) {
        read_keyed_by_trip(p, t, out, queue);
        return;
    }
    if (queue < 0 && lies_in(t, maker_of(t, op), IR_TILE_LOOP))
        plan_refuse(p, op->place,
                    "a condition of the last tile guards barriers or shared memory after the tile loop",
                    "take the block into the tile loop");
    plan_value v = {
        .kind = PLAN_KEY, .queue = of_launch ? -1 : queue, .key = op->key, .name = key_name(t, op)};
    out->value = value_number(p, v, op->place);
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

static void read_every(plan *p, plan_task *t, plan_op *out)
{
    const ir_op *op = out->op;
    if (out->loop < 0 || op->period < 1 || op->first < 0) {
        plan_refuse(p, op->place, "a guard by the number of the trip has no loop or no period",
                    "ww_every(s, period, start) in a domain loop, period at least 1, start at least 0");
        return;
    }
    plan_op *loop = &t->ops[out->loop];
    loop->every_first = op->first > loop->every_first ? op->first : loop->every_first;
    loop->every_period = common_multiple(loop->every_period ? loop->every_period : 1, op->period);
    if (loop->every_period > MOST_CYCLE)
        plan_refuse(p, op->place,
                    "the periods of the guards of a loop have a least common multiple of more than 65536",
                    "periods that divide each other");
}

static void read_guard(plan *p, plan_task *t, plan_op *out, int queue)
{
    const ir_op *op = out->op;
    switch (op->guard) {
    case IR_GUARD_NOT_SKIPPED:
        out->value = value_number(p, (plan_value){.kind = PLAN_SKIP, .queue = queue}, op->place);
        break;
    case IR_GUARD_TRUE:
    case IR_GUARD_FALSE:
        out->idle = is_idle(t->task, op);
        if (!out->idle)
            read_keyed(p, t->task, out, queue);
        break;
    case IR_GUARD_EVERY: read_every(p, t, out); break;
    default: break;
    }
}

/* ---- where an operation acts -------------------------------------------------------------------------- */

/* A group's members all have the multicast mode and the shift that count. */
static const ww_pipeline *pipeline_of(const plan *p, int resource)
{
    const ww_resource *r = p->kernel->resources.at[resource];
    return model_pipelined(r) || r->kind != MODEL_GROUP ? &r->pipeline : &r->members[0]->pipeline;
}

static uint32_t targets_of(plan *p, const ir_op *op, model_to to, int barrier, int rank)
{
    const ww_cluster *cluster = &p->program->cluster;
    bool by_pipeline = to == MODEL_TO_PEERS || to == MODEL_TO_NEXT || to == MODEL_TO_PREVIOUS;
    if (p->ranks == 1)
        return 1;
    const ww_pipeline *pipeline =
        barrier < 0 ? NULL : pipeline_of(p, p->program->barriers.at[barrier].resource);
    if (by_pipeline && (!pipeline || pipeline->type == WW_NO_PIPELINE)) {
        plan_refuse(p, op->place, "an operation acts on CTAs that no pipeline names", "report this");
        return 1u << rank;
    }
    return model_targets(cluster, to, pipeline, rank);
}

/* The tensor core of a pair of CTAs works on the memories of both. */
static uint32_t reach_of(plan *p, const ir_op *op, const ir_effect *e, int rank)
{
    const ww_cluster *cluster = &p->program->cluster;
    if (ir_effects[e->kind].maker == IR_BY_TENSOR_PIPE)
        return targets_of(p, op, MODEL_TO_PAIR, -1, rank);
    if (e->kind != IR_COPY_IN)
        return 1u << rank;
    if (e->to == MODEL_TO_NEXT || e->to == MODEL_TO_EVERY)
        return targets_of(p, op, e->to, e->barrier, rank);
    return p->ranks == 1 ? 1 : model_reach(cluster, e->reach, rank);
}

static void read_ranks(plan *p, const ir_task *t, plan_op *out)
{
    const ir_op *op = out->op;
    arena *a = &p->kernel->arena;
    size_t ranks = (size_t)p->ranks;
    out->targets = arena_array(a, uint32_t, ranks);
    out->reach = op->effect_count ? arena_array(a, uint32_t, (size_t)op->effect_count * ranks) : NULL;
    for (int rank = 0; rank < p->ranks; rank++) {
        if (t->only_cta >= 0 && t->only_cta != rank)
            continue;
        if (p->ranks > 1 && !model_gate_open(&p->program->cluster, op->gate, rank))
            continue;
        out->ranks |= 1u << rank;
        out->targets[rank] =
            targets_of(p, op, op->kind == IR_FETCH ? MODEL_TO_EVERY : op->to, op->barrier, rank);
        for (int i = 0; i < op->effect_count; i++)
            out->reach[(size_t)i * ranks + (size_t)rank] = reach_of(p, op, &op->effects[i], rank);
    }
}

/* ---- operations --------------------------------------------------------------------------------------- */

/* A loose plan takes a long loop for one of any length from MANY_TRIPS on: its own length is among them. */
static void read_loop(plan *p, plan_op *out, int queue)
{
    out->trips = trips_of(out->op);
    if (p->loose && !out->trips.symbolic && out->trips.count > MANY_TRIPS) {
        out->trips = (trips){.symbolic = true, .step = 1};
        plan_value v = {.kind = PLAN_BOUND, .loop = out->op, .queue = -1, .least = MANY_TRIPS};
        out->value = value_number(p, v, out->op->place);
    } else if (out->trips.symbolic) {
        out->value = bound_value(p, out->op, &out->trips, queue);
    }
}

static void read_op(plan *p, plan_task *t, int i, int queue, int loop)
{
    const ir_op *op = &t->task->ops.at[i];
    plan_op *out = &t->ops[i];
    *out = (plan_op){.op = op, .value = -1, .loop = loop};
    read_ranks(p, t->task, out);
    switch (op->kind) {
    case IR_LOOP: read_loop(p, out, queue); break;
    case IR_TILE_LOOP:
        out->value = value_number(p, (plan_value){.kind = PLAN_TILES, .queue = op->resource}, op->place);
        break;
    case IR_LOOP_END:
    case IR_TILE_LOOP_END:
        out->trips = t->ops[op->match].trips;
        out->value = t->ops[op->match].value;
        break;
    case IR_GUARD: read_guard(p, t, out, queue); break;
    default: break;
    }
}

static bool starts(const plan_op *op)
{
    ir_kind kind = op->op->kind;
    return op->value >= 0 && (kind == IR_LOOP || kind == IR_TILE_LOOP || kind == IR_GUARD);
}

/* A guard in a domain loop is met again in the next trip. */
static bool comes_again(const plan_task *t, int from, int i)
{
    int loop = t->ops[i].loop;
    return loop >= 0 && loop < i && from > loop && from <= t->ops[loop].op->match;
}

/* Whether the value of operation i, once known, may be asked for by what starts after operation `from`: further on in the
 * same tile, in a later trip of the same loop, or, for values of the launch, also in a later tile. */
static bool starts_later(const plan *p, const plan_task *t, int from, int i)
{
    bool from_inside = from > t->tile_loop && from <= t->tile_end;
    bool inside = i > t->tile_loop && i < t->tile_end;
    if (i > from || comes_again(t, from, i))
        return !plan_of_tile(&p->values[t->ops[i].value]) || (from_inside && inside);
    return from_inside && inside && !plan_of_tile(&p->values[t->ops[i].value]);
}

/* A guard at `i` by a value of trips, seen from all operations. */
static void find_trips(plan_task *t, int i, uint64_t bit)
{
    int loop = t->ops[i].loop, end = t->ops[loop].op->match;
    t->of_trip |= bit;
    for (int from = 0; from < t->count; from++) {
        bool in_loop = from > loop && from <= end;
        t->ops[from].loop_by_trip |= in_loop ? bit : 0;
        t->ops[from].now_by_trip |= in_loop && from <= i ? bit : 0;
        t->ops[from].later_by_trip |= from <= loop ? bit : 0;
    }
}

static void find_later(plan *p, plan_task *t)
{
    for (int i = 0; i < t->count; i++) {
        if (!starts(&t->ops[i]))
            continue;
        uint64_t bit = UINT64_C(1) << t->ops[i].value;
        if (p->values[t->ops[i].value].of_trip) {
            find_trips(t, i, bit);
            continue;
        }
        if (plan_of_tile(&p->values[t->ops[i].value]))
            t->of_tile |= bit;
        for (int from = 0; from < t->count; from++)
            if (starts_later(p, t, from, i))
                t->ops[from].later |= bit;
    }
}

static void find_tile_loop(plan_task *t)
{
    t->tile_loop = t->tile_end = -1;
    for (int i = 0; i < t->count; i++)
        if (t->task->ops.at[i].kind == IR_TILE_LOOP) {
            t->tile_loop = i;
            t->tile_end = t->task->ops.at[i].match;
        }
}

static void read_task(plan *p, plan_task *t, const ir_task *task)
{
    *t = (plan_task){.task = task, .count = (int)task->ops.len};
    t->ops = arena_array(&p->kernel->arena, plan_op, t->count + 1);
    find_tile_loop(t);
    int loop = -1;
    for (int i = 0; i < t->count; i++) {
        ir_kind kind = task->ops.at[i].kind;
        loop = kind == IR_LOOP ? i : loop;
        read_op(p, t, i, i > t->tile_loop && i < t->tile_end ? task->queue : -1, loop);
        loop = kind == IR_LOOP_END ? -1 : loop;
    }
    for (int i = 0; i < t->count; i++)
        for (int j = i + 1; t->ops[i].assumed && j < t->ops[i].op->match; j++)
            p->has_options = t->ops[j].optional = true;
}

static void number_known(plan *p)
{
    for (int i = 0; i < p->value_count; i++) {
        plan_value *v = &p->values[i];
        v->first_known = p->known_count;
        p->known_count += v->of_trip ? 2 * PLAN_TRIPS : plan_of_tile(v) ? 2 : 1;
    }
}

void plan_read_tasks(plan *p)
{
    size_t tasks = p->program->tasks.len;
    p->tasks = arena_array(&p->kernel->arena, plan_task, tasks + 1);
    for (size_t i = 0; i < tasks; i++)
        read_task(p, &p->tasks[i], &p->program->tasks.at[i]);
    raise_to_promise(p);
    number_known(p);
    for (size_t i = 0; i < tasks; i++)
        find_later(p, &p->tasks[i]);
}
