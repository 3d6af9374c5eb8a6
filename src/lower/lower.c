/* Lowering: one walk over each recorded schedule. A table says which operations a verb becomes; cursors,
 * values and effects are looked up or made as the walk meets them. */
#include "lower/lower.h"
#include "capture/capture.h"

#include <assert.h>

typedef struct probed_side {
    const ww_resource *resource;
    ww_side side;
} probed_side;

typedef struct lowering {
    ww_kernel *kernel;
    ir_program *program;
    ir_task *task;
    const ww_schedule *schedule;
    const capture_step *step; /* being lowered */
    int step_index;
    ir_section section;
    int *opened;             /* operation that a block's opening step became */
    VEC(probed_side) probed; /* its index is the number of its status variable */
} lowering;

/* ---- barriers and buffers: two arrays a pipeline, one entry a buffer -------------------------------- */

static int barrier_of(const ir_program *p, int resource, ir_side side)
{
    for (size_t i = 0; i < p->barriers.len; i++)
        if (p->barriers.at[i].resource == resource && p->barriers.at[i].side == side)
            return (int)i;
    return -1;
}

static uint32_t stage_bytes(const ww_resource *r)
{
    return r->pipeline.tx_bytes ? r->pipeline.tx_bytes : lower_stage_bytes(r->kernel, r);
}

static void add_barriers(lowering *l, const ww_resource *r)
{
    const ww_pipeline *p = &r->pipeline;
    ir_barrier full = {
        .resource = r->index, .side = IR_FULL, .stages = p->stages, .tx_bytes = stage_bytes(r)};
    full.arrivals = p->producer_arrivals ? p->producer_arrivals : lower_arrivals(l->kernel, r, IR_FULL);
    full.offset = r->barrier_offset;
    ir_barrier empty = {.resource = r->index, .side = IR_EMPTY, .stages = p->stages};
    empty.arrivals = p->consumer_arrivals ? p->consumer_arrivals : lower_arrivals(l->kernel, r, IR_EMPTY);
    empty.offset = r->barrier_offset + 8 * (uint32_t)p->stages;
    vec_push(&l->program->barriers, full);
    vec_push(&l->program->barriers, empty);
}

static void add_buffers(lowering *l, const ww_resource *r)
{
    for (int b = 0; b < r->buffer_count; b++) {
        const model_buffer *m = &r->buffers[b];
        ir_buffer buffer = {.resource = r->index, .name = m->name, .stages = model_stages(r)};
        buffer.stage_bytes = round_up(m->bytes, m->align);
        buffer.offset = m->offset;
        vec_push(&l->program->buffers, buffer);
    }
}

static int first_buffer(const ir_program *p, int resource)
{
    for (size_t i = 0; i < p->buffers.len; i++)
        if (p->buffers.at[i].resource == resource)
            return (int)i;
    return -1;
}

/* ---- cursors and statuses --------------------------------------------------------------------------- */

static int cursor_of(lowering *l, const ww_resource *r, ir_role role)
{
    for (size_t i = 0; i < l->task->cursors.len; i++)
        if (l->task->cursors.at[i].resource == r->index && l->task->cursors.at[i].role == role)
            return (int)i;
    ir_cursor c = {r->index, role, r->pipeline.stages, role == IR_PRODUCE || role == IR_COMMIT_BEHIND};
    vec_push(&l->task->cursors, c);
    return (int)l->task->cursors.len - 1;
}

static ir_role commit_role(const ww_resource *r)
{
    return r->pipeline.advance_on_acquire ? IR_COMMIT_BEHIND : IR_PRODUCE;
}

static ir_role release_role(const ww_resource *r)
{
    return r->pipeline.advance_on_wait ? IR_RELEASE_BEHIND : IR_CONSUME;
}

/* The status variable of a resource's side; -1 when the schedule never probes it. */
static int status_of(const lowering *l, const ww_resource *r, ww_side side)
{
    for (size_t i = 0; i < l->probed.len; i++)
        if (l->probed.at[i].resource == r && l->probed.at[i].side == side)
            return (int)i;
    return -1;
}

/* Known before the walk, because a wait in a loop may stand before the probe that the next trip uses. */
static void find_probes(lowering *l)
{
    l->probed.len = 0;
    for (size_t i = 0; i < l->schedule->steps.len; i++) {
        const capture_step *s = &l->schedule->steps.at[i];
        if (s->kind != CAPTURE_VERB || (s->verb != WW_TRY_ACQUIRE && s->verb != WW_TRY_WAIT))
            continue;
        probed_side probed = {s->resource, capture_verb_side(s->verb)};
        if (status_of(l, probed.resource, probed.side) < 0)
            vec_push(&l->probed, probed);
    }
}

/* ---- operations ------------------------------------------------------------------------------------- */

static ir_op *add_op(lowering *l, ir_kind kind)
{
    ir_op op = {.kind = kind,
                .place = l->step->place,
                .step = l->step_index,
                .verb = l->step->kind == CAPTURE_VERB ? (int)l->step->verb : -1,
                .section = l->section,
                .match = -1,
                .resource = l->step->resource ? l->step->resource->index : -1,
                .barrier = -1,
                .cursor = -1,
                .status = -1,
                .wgmma_wait = -1};
    memset(op.out, -1, sizeof op.out);
    memset(op.in, -1, sizeof op.in);
    vec_push(&l->task->ops, op);
    return vec_last(&l->task->ops);
}

static ir_op *add_barrier_op(lowering *l, ir_kind kind, ir_side side, ir_role role)
{
    const ww_resource *r = l->step->resource;
    int cursor = cursor_of(l, r, role);
    ir_op *op = add_op(l, kind);
    op->barrier = barrier_of(l->program, r->index, side);
    op->cursor = cursor;
    return op;
}

static void add_advance(lowering *l, ir_role role, int status)
{
    int cursor = cursor_of(l, l->step->resource, role);
    ir_op *op = add_op(l, IR_ADVANCE);
    op->cursor = cursor;
    op->status = status;
}

/* On release, threads arrive one a warp or all: all when the author's count says so (see lower_arrivals). */
static model_lanes empty_lanes(const lowering *l, const ww_resource *r)
{
    uint32_t declared = r->pipeline.consumer_arrivals, derived = lower_arrivals(l->kernel, r, IR_EMPTY);
    model_lanes lanes = model_protocol_of(r->pipeline.type)->empty_lanes;
    return lanes == MODEL_LANES_WARP && declared && declared == 32 * derived ? MODEL_LANES_ALL : lanes;
}

static void lower_acquire(lowering *l)
{
    const ww_resource *r = l->step->resource;
    const model_protocol *protocol = model_protocol_of(r->pipeline.type);
    int status = status_of(l, r, WW_PRODUCER);
    add_barrier_op(l, IR_WAIT, IR_EMPTY, IR_PRODUCE)->status = status;
    if (protocol->full_verb == MODEL_FULL_BY_ACQUIRE) {
        ir_op *op = add_barrier_op(l, protocol->full_tx ? IR_EXPECT : IR_ARRIVE, IR_FULL, IR_PRODUCE);
        op->lanes = protocol->full_lanes;
        op->bytes = stage_bytes(r);
    }
    if (r->pipeline.advance_on_acquire)
        add_advance(l, IR_PRODUCE, status);
}

static void lower_commit(lowering *l)
{
    const ww_resource *r = l->step->resource;
    const model_protocol *protocol = model_protocol_of(r->pipeline.type);
    ir_role role = commit_role(r);
    if (protocol->full_verb == MODEL_FULL_BY_COMMIT)
        add_barrier_op(l, IR_ARRIVE, IR_FULL, role)->lanes = protocol->full_lanes;
    add_advance(l, role, role == IR_PRODUCE ? status_of(l, r, WW_PRODUCER) : -1);
}

static void lower_wait(lowering *l)
{
    const ww_resource *r = l->step->resource;
    int status = status_of(l, r, WW_CONSUMER);
    add_barrier_op(l, IR_WAIT, IR_FULL, IR_CONSUME)->status = status;
    if (r->pipeline.advance_on_wait)
        add_advance(l, IR_CONSUME, status);
}

static void lower_release(lowering *l)
{
    const ww_resource *r = l->step->resource;
    ir_role role = release_role(r);
    add_barrier_op(l, IR_ARRIVE, IR_EMPTY, role)->lanes = empty_lanes(l, r);
    add_advance(l, role, role == IR_CONSUME ? status_of(l, r, WW_CONSUMER) : -1);
}

static void lower_try_acquire(lowering *l)
{
    add_barrier_op(l, IR_PROBE, IR_EMPTY, IR_PRODUCE)->status = status_of(l, l->step->resource, WW_PRODUCER);
}

static void lower_try_wait(lowering *l)
{
    add_barrier_op(l, IR_PROBE, IR_FULL, IR_CONSUME)->status = status_of(l, l->step->resource, WW_CONSUMER);
}

static void (*const lower_verb[])(lowering *) = {
    [WW_TRY_ACQUIRE] = lower_try_acquire, [WW_ACQUIRE] = lower_acquire, [WW_COMMIT] = lower_commit,
    [WW_TRY_WAIT] = lower_try_wait,       [WW_WAIT] = lower_wait,       [WW_RELEASE] = lower_release,
};

/* ---- work: cursor, values, effects ------------------------------------------------------------------ */

/* Which slot a work body sees. Where cursors run ahead, it is the slot the last acquire or wait has left. */
static int work_cursor(lowering *l, const ww_resource *r, ww_side side, bool *held)
{
    *held = false;
    if (!model_pipelined(r))
        return -1;
    *held = side == WW_PRODUCER ? r->pipeline.advance_on_acquire : r->pipeline.advance_on_wait;
    return cursor_of(l, r, side == WW_PRODUCER ? IR_PRODUCE : IR_CONSUME);
}

static ir_effect *add_effect(ir_op *op, ir_effect_kind kind, int buffer, int cursor, bool held)
{
    ir_effect *e = &op->effects[op->effect_count++];
    *e = (ir_effect){.kind = kind, .buffer = buffer, .cursor = cursor, .held = held, .barrier = -1};
    return e;
}

static void add_effects(lowering *l, ir_op *op)
{
    const model_work *w = op->work;
    const ww_resource *r = l->step->resource;
    int buffer = first_buffer(l->program, r->index);
    bool producer = w->declared->side == WW_PRODUCER;
    op->effects =
        arena_array(&l->kernel->arena, ir_effect, WW_MAX_COPIES + (1 + WW_MAX_BUFFERS) * WW_MAX_BUFFERS);
    for (int i = 0; i < w->copy_count; i++) {
        ir_effect *e = add_effect(op, IR_COPY_IN, buffer + w->copy_buffer[i], op->cursor, op->held);
        e->bytes = w->declared->copies[i].bytes;
        e->barrier = barrier_of(l->program, r->index, IR_FULL);
    }
    if (!w->copy_count && !w->declared->auxiliary)
        for (int b = 0; b < r->buffer_count; b++)
            add_effect(op, producer ? IR_WRITE : IR_READ, buffer + b, op->cursor, op->held);
    for (int i = 0; i < w->wgmma_read_count; i++) {
        const ww_resource *source = l->kernel->resources.at[w->wgmma_reads[i]];
        bool held;
        int cursor = work_cursor(l, source, WW_CONSUMER, &held);
        for (int b = 0; b < source->buffer_count; b++)
            add_effect(op, IR_WGMMA_READ, first_buffer(l->program, source->index) + b, cursor, held);
    }
    op->wgmma_groups = w->wgmma_read_count > 0;
    op->wgmma_wait = w->declared->wgmma_wait - 1;
}

static void lower_work(lowering *l)
{
    const capture_step *s = l->step;
    bool held;
    int cursor = work_cursor(l, s->resource, s->work->declared->side, &held);
    ir_op *op = add_op(l, IR_WORK);
    op->work = s->work;
    op->cursor = cursor;
    op->held = held;
    for (int i = 0; i < s->work->in_count; i++)
        op->in[i] = s->in[i] - 1;
    for (int i = 0; i < s->work->out_count; i++) {
        op->out[i] = s->out[i] - 1;
        ir_value v = {s->work->out[i].type, s->work->out[i].name, (int)l->task->ops.len - 1, false};
        assert((int)l->task->values.len == op->out[i]);
        vec_push(&l->task->values, v);
    }
    add_effects(l, op);
}

/* ---- blocks ----------------------------------------------------------------------------------------- */

static void lower_open(lowering *l, ir_kind kind)
{
    l->opened[l->step_index] = (int)l->task->ops.len;
    if (kind == IR_LOOP)
        l->section = IR_BODY;
    (void)add_op(l, kind);
}

static void lower_end(lowering *l)
{
    int opened = l->opened[l->step->match];
    ir_op *op = add_op(l, (ir_kind)(l->task->ops.at[opened].kind + 1));
    op->match = opened;
    op->resource = l->task->ops.at[opened].resource;
    l->task->ops.at[opened].match = (int)l->task->ops.len - 1;
    if (op->kind == IR_LOOP_END)
        l->section = IR_TAIL;
}

static void lower_loop(lowering *l)
{
    lower_open(l, IR_LOOP);
    ir_op *op = vec_last(&l->task->ops);
    op->start = l->step->start;
    op->end = l->step->end;
    op->stride = l->step->stride;
}

static void lower_guard(lowering *l)
{
    static const ir_guard guards[] = {[WW_GUARD_FIRST_ITER] = IR_GUARD_FIRST,
                                      [WW_GUARD_LAST_ITER] = IR_GUARD_LAST,
                                      [WW_GUARD_SKIPPABLE] = IR_GUARD_NOT_SKIPPED};
    lower_open(l, IR_GUARD);
    vec_last(&l->task->ops)->guard = guards[l->step->guard];
}

static void lower_step(lowering *l)
{
    switch (l->step->kind) {
    case CAPTURE_VERB: lower_verb[l->step->verb](l); break;
    case CAPTURE_WORK: lower_work(l); break;
    case CAPTURE_NEXT_TILE: (void)add_op(l, IR_NEXT_TILE); break;
    case CAPTURE_TILE_LOOP:
        l->task->queue = l->step->resource->index;
        lower_open(l, IR_TILE_LOOP);
        break;
    case CAPTURE_DOMAIN_LOOP: lower_loop(l); break;
    case CAPTURE_GUARD: lower_guard(l); break;
    case CAPTURE_END: lower_end(l); break;
    }
}

/* ---- values: where they must be declared ------------------------------------------------------------ */

static int enclosing_block(const ir_task *t, int at)
{
    for (int i = at - 1; i >= 0; i--)
        if (t->ops.at[i].match > at)
            return i;
    return -1;
}

static void find_hoisted(ir_task *t)
{
    for (size_t i = 0; i < t->ops.len; i++)
        for (int j = 0; t->ops.at[i].kind == IR_WORK && j < t->ops.at[i].work->in_count; j++) {
            if (t->ops.at[i].in[j] < 0)
                continue;
            ir_value *v = &t->values.at[t->ops.at[i].in[j]];
            int block = enclosing_block(t, v->producer);
            if (block >= 0 && (int)i > t->ops.at[block].match)
                v->hoisted = true;
        }
}

/* ---- whole kernel ----------------------------------------------------------------------------------- */

static void lower_task(lowering *l, const ww_task *t)
{
    ir_task task = {.task = t,
                    .name = t->name,
                    .first_warp = t->options.first_warp,
                    .warps = t->options.warps,
                    .registers = t->options.registers,
                    .queue = -1};
    vec_push(&l->program->tasks, task);
    l->task = vec_last(&l->program->tasks);
    l->schedule = t->schedule;
    l->section = IR_HEAD;
    find_probes(l);
    l->opened = arena_array(&l->kernel->arena, int, t->schedule->steps.len + 1);
    for (size_t i = 0; i < t->schedule->steps.len; i++) {
        l->step = &t->schedule->steps.at[i];
        l->step_index = (int)i;
        lower_step(l);
    }
    l->task->status_count = (int)l->probed.len;
    find_hoisted(l->task);
    int end = task.first_warp + task.warps;
    if (end > l->program->warps)
        l->program->warps = end;
}

ir_program *lower_kernel(ww_kernel *k)
{
    lowering l = {.kernel = k, .program = arena_new(&k->arena, ir_program)};
    l.program->kernel = k;
    for (size_t i = 0; i < k->resources.len; i++) {
        if (model_pipelined(k->resources.at[i]))
            add_barriers(&l, k->resources.at[i]);
        add_buffers(&l, k->resources.at[i]);
    }
    for (size_t i = 0; i < k->tasks.len; i++)
        lower_task(&l, k->tasks.at[i]);
    vec_free(&l.probed);
    l.program->warps = (int)round_up((uint32_t)l.program->warps, 4);
    return l.program;
}

void lower_free(ir_program *p)
{
    for (size_t i = 0; i < p->tasks.len; i++) {
        vec_free(&p->tasks.at[i].cursors);
        vec_free(&p->tasks.at[i].values);
        vec_free(&p->tasks.at[i].ops);
    }
    vec_free(&p->barriers);
    vec_free(&p->buffers);
    vec_free(&p->tasks);
}
