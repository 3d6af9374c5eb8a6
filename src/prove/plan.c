/* Numbering agents, stages, slots and values; refusing what is outside the model. */
#include "prove/plan.h"

enum { MANY_TRIPS = 64 };

ww_diag *plan_diag(ww_kernel *k, ww_code code, ww_place place, diag_list *list, const char *fmt, ...)
{
    diag_list_init(list, &k->arena);
    va_list args;
    va_start(args, fmt);
    ww_diag *d = diag_add(list, code, place, "%s", arena_vprintf(&k->arena, fmt, args));
    va_end(args);
    return d;
}

static void refuse(plan *p, ww_place place, const char *why, const char *hint)
{
    diag_list list;
    if (p->unprovable)
        return;
    p->unprovable = plan_diag(p->kernel, WW_UNPROVABLE, place, &list, "%s", why);
    diag_hint(&list, p->unprovable, "%s", hint);
}

/* ---- agents, stages, slots -------------------------------------------------------------------------- */

static void number_agents(plan *p)
{
    const ir_program *program = p->program;
    int most = 0;
    for (size_t i = 0; i < program->tasks.len; i++)
        most += program->tasks.at[i].warps;
    p->agents = arena_array(&p->kernel->arena, plan_agent, most + 1);
    for (size_t i = 0; i < program->tasks.len; i++) {
        const ir_task *t = &program->tasks.at[i];
        for (int warp = 0; t->ops.len && warp < t->warps; warp++) {
            p->agents[p->agent_count++] = (plan_agent){(int)i, warp, p->cursor_count, p->status_count};
            p->cursor_count += (int)t->cursors.len;
            p->status_count += t->status_count;
        }
    }
}

static void number_stages(plan *p)
{
    const ir_program *program = p->program;
    arena *a = &p->kernel->arena;
    p->stage_base = arena_array(a, int, program->barriers.len + 1);
    for (size_t i = 0; i < program->barriers.len; i++) {
        p->stage_base[i] = p->stage_count;
        p->stage_count += program->barriers.at[i].stages;
    }
    p->stages = arena_array(a, plan_stage, p->stage_count + 1);
    for (size_t i = 0; i < program->barriers.len; i++)
        for (int s = 0; s < program->barriers.at[i].stages; s++)
            p->stages[p->stage_base[i] + s] = (plan_stage){(int)i, s};
}

static void slot_interval(const plan *p, int slot, uint32_t *from, uint32_t *to)
{
    const ir_buffer *b = &p->program->buffers.at[p->slots[slot].buffer];
    *from = b->offset + (uint32_t)p->slots[slot].stage * b->stage_bytes;
    *to = *from + b->stage_bytes;
}

static bool slots_overlap(const plan *p, int a, int b)
{
    uint32_t a_from, a_to, b_from, b_to;
    slot_interval(p, a, &a_from, &a_to);
    slot_interval(p, b, &b_from, &b_to);
    return a_from < b_to && b_from < a_to;
}

static void find_overlaps(plan *p)
{
    VEC(int) found = {0};
    for (int i = 0; i < p->slot_count; i++) {
        p->slots[i].first_overlap = (int)found.len;
        vec_push(&found, i);
        for (int j = 0; j < p->slot_count; j++)
            if (j != i && slots_overlap(p, i, j))
                vec_push(&found, j);
        p->slots[i].overlaps = (int)found.len - p->slots[i].first_overlap;
    }
    p->overlaps = arena_array(&p->kernel->arena, int, found.len + 1);
    if (found.len)
        memcpy(p->overlaps, found.at, found.len * sizeof(int));
    vec_free(&found);
}

static uint32_t declared_bytes(const ww_resource *r, const ir_buffer *buffer)
{
    for (int i = 0; i < r->buffer_count; i++)
        if (strcmp(r->buffers[i].name, buffer->name) == 0)
            return r->buffers[i].bytes;
    return buffer->stage_bytes;
}

static void number_slots(plan *p)
{
    const ir_program *program = p->program;
    p->slot_base = arena_array(&p->kernel->arena, int, program->buffers.len + 1);
    for (size_t i = 0; i < program->buffers.len; i++) {
        p->slot_base[i] = p->slot_count;
        p->slot_count += program->buffers.at[i].stages;
    }
    p->slots = arena_array(&p->kernel->arena, plan_slot, p->slot_count + 1);
    for (size_t i = 0; i < program->buffers.len; i++) {
        const ww_resource *r = p->kernel->resources.at[program->buffers.at[i].resource];
        for (int s = 0; s < program->buffers.at[i].stages; s++)
            p->slots[p->slot_base[i] + s] =
                (plan_slot){(int)i, s, 0, 0, model_pipelined(r), declared_bytes(r, &program->buffers.at[i])};
    }
    find_overlaps(p);
}

/* One lane is enough to be exact; a loose plan forgets by resource. */
static void number_lanes(plan *p)
{
    size_t resources = p->kernel->resources.len;
    p->lane_of = arena_array(&p->kernel->arena, int, resources + 1);
    for (size_t r = 0; p->loose && r < resources; r++) {
        bool used = false;
        for (size_t i = 0; i < p->program->barriers.len; i++)
            used |= p->program->barriers.at[i].resource == (int)r;
        for (size_t i = 0; i < p->program->buffers.len; i++)
            used |= p->program->buffers.at[i].resource == (int)r;
        p->lane_of[r] = used ? p->lanes++ : 0;
    }
    p->lanes = p->lanes ? p->lanes : 1;
    p->width = p->agent_count * p->lanes + p->stage_count;
}

/* ---- values ----------------------------------------------------------------------------------------- */

static bool same_value(const plan_value *a, const plan_value *b)
{
    if (a->kind != b->kind || a->queue != b->queue)
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
        refuse(p, place, "the kernel asks about more than 64 symbolic bounds",
               "use fewer launch arguments as bounds");
        return 0;
    }
    p->values[p->value_count] = v;
    return p->value_count++;
}

static int bound_value(plan *p, const ir_op *loop, const trips *t, int queue)
{
    bool of_tile = trips_on_device(loop);
    plan_value v = {PLAN_BOUND, loop, of_tile || p->loose ? queue : -1, t->offset};
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

/* ---- tasks ------------------------------------------------------------------------------------------ */

/* A loose plan takes a long loop for one of any length from MANY_TRIPS on: its own length is among them. */
static void read_loop(plan *p, plan_op *out, int queue)
{
    out->trips = trips_of(out->op);
    if (p->loose && !out->trips.symbolic && out->trips.count > MANY_TRIPS) {
        out->trips = (trips){.symbolic = true, .step = 1};
        out->value = value_number(p, (plan_value){PLAN_BOUND, out->op, -1, MANY_TRIPS}, out->op->place);
    } else if (out->trips.symbolic) {
        out->value = bound_value(p, out->op, &out->trips, queue);
    }
}

static void read_op(plan *p, plan_task *t, int i, int queue, int loop)
{
    const ir_op *op = &t->task->ops.at[i];
    plan_op *out = &t->ops[i];
    *out = (plan_op){.op = op, .value = -1, .loop = loop};
    switch (op->kind) {
    case IR_LOOP: read_loop(p, out, queue); break;
    case IR_TILE_LOOP:
        out->value = value_number(p, (plan_value){PLAN_TILES, NULL, op->resource, 0}, op->place);
        break;
    case IR_LOOP_END:
    case IR_TILE_LOOP_END:
        out->trips = t->ops[op->match].trips;
        out->value = t->ops[op->match].value;
        break;
    case IR_GUARD:
        if (op->guard == IR_GUARD_NOT_SKIPPED)
            out->value = value_number(p, (plan_value){PLAN_SKIP, NULL, queue, 0}, op->place);
        break;
    default: break;
    }
}

static bool starts(const plan_op *op)
{
    ir_kind kind = op->op->kind;
    return op->value >= 0 && (kind == IR_LOOP || kind == IR_TILE_LOOP || kind == IR_GUARD);
}

/* Whether value v, once known, may be asked for by a loop that starts after operation `from`: further on in the same
 * tile, or, for values of the launch, also in a later tile. */
static bool starts_later(const plan *p, const plan_task *t, int from, int i, int tiles_from, int tiles_to)
{
    bool of_tile = p->values[t->ops[i].value].kind != PLAN_TILES && p->values[t->ops[i].value].queue >= 0;
    bool from_inside = from > tiles_from && from <= tiles_to, inside = i > tiles_from && i < tiles_to;
    if (of_tile)
        return from_inside && inside && i > from;
    return i > from || (from_inside && inside);
}

static void find_later(plan *p, plan_task *t)
{
    int tiles_from = t->count, tiles_to = -1;
    for (int i = 0; i < t->count; i++)
        if (t->ops[i].op->kind == IR_TILE_LOOP) {
            tiles_from = i;
            tiles_to = t->ops[i].op->match;
        }
    for (int from = 0; from < t->count; from++)
        for (int i = 0; i < t->count; i++)
            if (starts(&t->ops[i]) && starts_later(p, t, from, i, tiles_from, tiles_to))
                t->ops[from].later |= UINT64_C(1) << t->ops[i].value;
}

static void check_advance(plan *p, const plan_task *t, int i, int tile_end)
{
    if (t->ops[i].op->kind == IR_NEXT_TILE && i != tile_end - 1)
        refuse(p, t->ops[i].op->place, "a work queue is advanced elsewhere than at the end of the tile loop",
               "ww_advance_tile as the last step of the tile loop");
    if (t->ops[i].op->kind == IR_TILE_LOOP && t->ops[tile_end - 1].op->kind != IR_NEXT_TILE)
        refuse(p, t->ops[i].op->place, "a tile loop does not advance its work queue",
               "ww_advance_tile as the last step of the tile loop");
}

static void read_task(plan *p, plan_task *t, const ir_task *task)
{
    *t = (plan_task){.task = task, .count = (int)task->ops.len, .tiled = task->queue >= 0};
    t->ops = arena_array(&p->kernel->arena, plan_op, t->count + 1);
    int loop = -1, tile_end = -1;
    for (int i = 0; i < t->count; i++) {
        const ir_op *op = &task->ops.at[i];
        loop = op->kind == IR_LOOP ? i : loop;
        tile_end = op->kind == IR_TILE_LOOP ? op->match : tile_end;
        read_op(p, t, i, i < tile_end ? task->queue : -1, loop);
        loop = op->kind == IR_LOOP_END ? -1 : loop;
    }
    for (int i = 0; i < t->count; i++)
        check_advance(p, t, i, tile_end);
}

static void note_touch(plan *p, int task, const ir_effect *e)
{
    uint8_t how = e->kind == IR_WRITE || e->kind == IR_COPY_IN ? PLAN_WRITES : PLAN_READS;
    for (int stage = 0; stage < p->program->buffers.at[e->buffer].stages; stage++) {
        const plan_slot *s = &p->slots[p->slot_base[e->buffer] + stage];
        for (int i = 0; i < s->overlaps; i++)
            *plan_touches(p, task, p->slots[p->overlaps[s->first_overlap + i]].buffer) |= how;
    }
    if (e->barrier >= 0)
        *plan_uses(p, task, e->barrier) = *plan_arrives(p, task, e->barrier) = true;
}

static void note_use(plan *p, int task, const ir_op *op)
{
    if (op->barrier >= 0)
        *plan_uses(p, task, op->barrier) = true;
    if (op->kind == IR_WAIT)
        *plan_waits_on(p, task, op->barrier) = true;
    if (op->kind == IR_ARRIVE || op->kind == IR_EXPECT)
        *plan_arrives(p, task, op->barrier) = true;
    for (int i = 0; i < op->effect_count; i++)
        note_touch(p, task, &op->effects[i]);
}

static void find_uses(plan *p)
{
    arena *a = &p->kernel->arena;
    size_t tasks = p->program->tasks.len, barriers = p->program->barriers.len;
    p->waits_on = arena_array(a, bool, tasks *barriers + 1);
    p->uses = arena_array(a, bool, tasks *barriers + 1);
    p->arrives = arena_array(a, bool, tasks *barriers + 1);
    p->touches = arena_array(a, uint8_t, tasks * p->program->buffers.len + 1);
    for (size_t task = 0; task < tasks; task++)
        for (int i = 0; i < p->tasks[task].count; i++)
            note_use(p, (int)task, p->tasks[task].ops[i].op);
}

/* ---- correlated bounds ------------------------------------------------------------------------------ */

static bool mentions(const ir_op *loop, const ww_bound *b)
{
    const ww_bound *all[] = {&loop->start, &loop->end, &loop->stride};
    for (size_t i = 0; b->kind != WW_BOUND_IMMEDIATE && i < ARRAY_LEN(all); i++)
        if (all[i]->kind == b->kind && strcmp(all[i]->name, b->name) == 0)
            return true;
    return false;
}

/* A loop with several symbolic bounds has a trip count of its own; another loop with one of these bounds would be
 * related to it in a way that this prover does not follow. */
static void check_combined(plan *p, const plan_value *combined)
{
    const ir_op *c = combined->loop;
    for (int i = 0; i < p->value_count; i++) {
        const plan_value *v = &p->values[i];
        if (v == combined || v->kind != PLAN_BOUND || v->queue != combined->queue)
            continue;
        if (mentions(v->loop, &c->start) || mentions(v->loop, &c->end) || mentions(v->loop, &c->stride))
            refuse(p, c->place,
                   "two loops share a symbolic bound, and one of them has a second symbolic bound",
                   "the same start, end and step in both loops, or immediates in place of the second bound");
    }
}

static void check_values(plan *p)
{
    for (int i = 0; i < p->value_count; i++)
        if (p->values[i].kind == PLAN_BOUND && trips_of(p->values[i].loop).combined)
            check_combined(p, &p->values[i]);
}

plan *plan_new(ww_kernel *k, const ir_program *program, bool loose)
{
    plan *p = arena_new(&k->arena, plan);
    p->program = program;
    p->kernel = k;
    p->loose = loose;
    number_agents(p);
    number_stages(p);
    number_slots(p);
    number_lanes(p);
    p->tasks = arena_array(&k->arena, plan_task, program->tasks.len + 1);
    for (size_t i = 0; i < program->tasks.len; i++)
        read_task(p, &p->tasks[i], &program->tasks.at[i]);
    find_uses(p);
    raise_to_promise(p);
    check_values(p);
    for (size_t i = 0; i < program->tasks.len; i++)
        find_later(p, &p->tasks[i]);
    return p;
}
