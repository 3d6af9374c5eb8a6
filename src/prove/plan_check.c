/* Refusing, by name, what is outside the model: nothing is claimed about it. What the rules of the layer before refuse
 * anyway is looked at again where the prover relies on it, for rules can be switched off. */
#include "prove/plan.h"

/* ---- work queues -------------------------------------------------------------------------------------- */

/* Between the next tile and the end of the loop nobody may ask about a tile, for it would be the wrong one. */
static bool may_follow_advance(ir_kind kind)
{
    switch (kind) {
    case IR_EXPECT:
    case IR_ARRIVE:
    case IR_COPY_ARRIVE:
    case IR_UMMA_COMMIT:
    case IR_FENCE:
    case IR_GRIDDEP_WAIT:
    case IR_GRIDDEP_LAUNCH:
    case IR_ADVANCE:
    case IR_FORGET: return true;
    default: return false;
    }
}

static bool is_in_a_block_of_the_loop(const plan_task *t, int at)
{
    for (int i = t->tile_loop + 1; i < at; i++) {
        ir_kind kind = t->ops[i].op->kind;
        if ((kind == IR_LOOP || kind == IR_GUARD) && t->ops[i].op->match > at)
            return true;
    }
    return false;
}

static bool ends_its_tile(const plan *p, const plan_task *t, int at)
{
    if (at < t->tile_loop || at > t->tile_end || is_in_a_block_of_the_loop(t, at))
        return false;
    for (int i = at + 1; i < t->tile_end; i++)
        if (!may_follow_advance(t->ops[i].op->kind))
            return false;
    return model_cluster_size(&p->program->cluster) == 1 || t->ops[at].op->gate == MODEL_EVERYWHERE;
}

static void check_advance(plan *p, const plan_task *t)
{
    int advances = 0;
    for (int i = 0; i < t->count; i++) {
        if (t->ops[i].op->kind != IR_NEXT_TILE)
            continue;
        advances++;
        if (!ends_its_tile(p, t, i))
            plan_refuse(p, t->ops[i].op->place,
                        "a work queue is advanced elsewhere than at the end of the tile loop",
                        "ww_advance_tile as the last step of the tile loop");
    }
    if (t->tile_loop >= 0 && advances != 1)
        plan_refuse(p, t->ops[t->tile_loop].op->place,
                    "a tile loop does not advance its work queue once a tile",
                    "ww_advance_tile as the last step of the tile loop");
}

/* ---- cursors ------------------------------------------------------------------------------------------ */

static bool start_is_in_the_ring(const ir_task *t, const ir_cursor *c)
{
    if (c->lane == IR_LANE_BY_WARP)
        return t->warps <= c->stages * c->lane_warps;
    return c->lane != IR_LANE_FIXED || (c->first >= 0 && c->first < c->stages);
}

static bool fits(const plan *p, const ir_task *t, int cursor, int barrier, int buffer)
{
    int stages = t->cursors.at[cursor].stages;
    if (barrier >= 0 && p->program->barriers.at[barrier].stages < stages)
        return false;
    return buffer < 0 || p->program->buffers.at[buffer].stages >= stages;
}

static bool all_fit(const plan *p, const ir_task *t, const ir_op *op)
{
    bool acts = op->barrier >= 0 && op->kind != IR_ADVANCE;
    if (acts && (op->cursor < 0 || !fits(p, t, op->cursor, op->barrier, -1)))
        return false;
    for (int i = 0; i < op->effect_count; i++) {
        const ir_effect *e = &op->effects[i];
        if (e->cursor < 0 ? e->kind == IR_COPY_IN : !fits(p, t, e->cursor, e->barrier, e->buffer))
            return false;
    }
    return true;
}

/* Every access that goes on after its body has something that ends it, and every copy brings something. */
static bool is_whole(const ir_op *op)
{
    for (int i = 0; i < op->effect_count; i++) {
        const ir_effect *e = &op->effects[i];
        bool grouped =
            e->kind == IR_WGMMA_READ ? op->wgmma_groups : e->kind != IR_BULK_READ || op->bulk_groups;
        if (!grouped || (e->kind == IR_COPY_IN && (!e->bytes || e->barrier < 0)))
            return false;
    }
    return true;
}

static void check_effects(plan *p, const ir_task *t)
{
    for (size_t i = 0; i < t->ops.len; i++)
        if (!is_whole(&t->ops.at[i]))
            plan_refuse(p, t->ops.at[i].place, "a work body starts something that nothing ends",
                        "copies of more than 0 bytes into a ring of a type that counts bytes; a group for "
                        "what the engines read");
}

static void check_cursors(plan *p, const ir_task *t)
{
    for (size_t i = 0; i < t->cursors.len; i++) {
        const ir_cursor *c = &t->cursors.at[i];
        if (c->stride < 1 || c->stride > c->stages || !start_is_in_the_ring(t, c))
            plan_refuse(p, p->kernel->resources.at[c->resource]->place,
                        "a cursor starts, or moves, outside its ring",
                        "strides and lanes up to the number of stages");
    }
    for (size_t i = 0; i < t->ops.len; i++)
        if (!all_fit(p, t, &t->ops.at[i]))
            plan_refuse(p, t->ops.at[i].place, "a cursor has more stages than what it points into",
                        "equal numbers of stages");
}

/* ---- bulk copies --------------------------------------------------------------------------------------- */

/* The completion of the last copy into a slot is kept as a phase of one barrier. */
static void check_copies(plan *p)
{
    size_t buffers = p->program->buffers.len;
    const ir_effect **copies = arena_array(&p->kernel->arena, const ir_effect *, buffers + 1);
    for (size_t task = 0; task < p->program->tasks.len; task++)
        for (int i = 0; i < p->tasks[task].count; i++) {
            const ir_op *op = p->tasks[task].ops[i].op;
            for (int j = 0; j < op->effect_count; j++) {
                const ir_effect *e = &op->effects[j], **last = &copies[e->buffer];
                if (e->kind != IR_COPY_IN)
                    continue;
                if (*last && ((*last)->barrier != e->barrier || (*last)->to != e->to))
                    plan_refuse(p, op->place, "copies into one buffer complete on different barriers",
                                "a buffer of its own for each");
                *last = e;
            }
        }
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
            plan_refuse(
                p, c->place, "two loops share a symbolic bound, and one of them has a second symbolic bound",
                "the same start, end and step in both loops, or immediates in place of the second bound");
    }
}

/* With a step of 0 a loop may never end. Of a step computed on the device we take it that it is none. */
static void check_step(plan *p, const ir_op *op)
{
    bool may_be_0 = op->stride.kind == WW_BOUND_IMMEDIATE  ? op->stride.value == 0
                    : op->stride.kind == WW_BOUND_ARGUMENT ? op->stride.min < 1
                                                           : false;
    if (op->kind == IR_LOOP && may_be_0)
        plan_refuse(p, op->place, "a loop's step may be 0",
                    "another step, or a promised minimum of at least 1: ww_arg(type, field, 1)");
}

static void check_steps(plan *p, const ir_task *t)
{
    for (size_t i = 0; i < t->ops.len; i++)
        check_step(p, &t->ops.at[i]);
}

void plan_check(plan *p)
{
    for (size_t i = 0; i < p->program->tasks.len; i++) {
        check_advance(p, &p->tasks[i]);
        check_cursors(p, &p->program->tasks.at[i]);
        check_effects(p, &p->program->tasks.at[i]);
        check_steps(p, &p->program->tasks.at[i]);
    }
    check_copies(p);
    for (int i = 0; i < p->value_count; i++)
        if (p->values[i].kind == PLAN_BOUND && trips_of(p->values[i].loop).combined)
            check_combined(p, &p->values[i]);
}
