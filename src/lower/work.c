/* Work calls: the ring slot they see, their values, and what they do to memory. */
#include "lower/lowering.h"

#include <assert.h>

/* ---- the slot ------------------------------------------------------------------------------------------ */

static bool opens(const lowering *l, const ww_resource *r, ww_side side)
{
    if (side == WW_PRODUCER)
        return capture_has_verb(l->schedule, r, WW_ACQUIRE);
    return capture_has_verb(l->schedule, r, WW_WAIT) ||
           (r->in_group && capture_has_verb(l->schedule, r->in_group, WW_WAIT));
}

/* Which slot a work body sees. Where cursors run ahead, it is the slot the last acquire or wait has left; in a task
 * that only commits or releases, the one it will commit or release next. */
static int work_cursor(lowering *l, const ww_resource *r, ww_side side, bool *held)
{
    *held = false;
    if (!model_pipelined(r) || r->kind == MODEL_GROUP)
        return -1;
    bool producer = side == WW_PRODUCER;
    bool ahead = producer ? model_produce_owner(r)->pipeline.advance_on_acquire
                          : model_consume_owner(r)->pipeline.advance_on_wait;
    if (ahead && !opens(l, r, side))
        return lower_cursor_of(l, r, producer ? IR_COMMIT_BEHIND : IR_RELEASE_BEHIND);
    *held = ahead;
    return lower_cursor_of(l, r, producer ? IR_PRODUCE : IR_CONSUME);
}

/* ---- effects ------------------------------------------------------------------------------------------- */

enum {
    MOST_EFFECTS = WW_MAX_COPIES + 2 * WW_MAX_BUFFERS * (1 + 2 * WW_MAX_BUFFERS)
}; /* own memory, and that of the resources read by wgmma and tcgen05 */

static ir_effect *add_effect(ir_op *op, ir_effect_kind kind, int buffer, int cursor, bool held)
{
    assert(op->effect_count < MOST_EFFECTS);
    ir_effect *e = &op->effects[op->effect_count++];
    *e = (ir_effect){.kind = kind, .buffer = buffer, .cursor = cursor, .held = held, .barrier = -1};
    e->part = op->work->declared->part;
    return e;
}

/* Number of a resource's buffer, or of its tensor memory, among the program's. */
static int buffer_of(const ir_program *p, const ww_resource *r, ir_space space, int index)
{
    for (size_t i = 0; i < p->buffers.len; i++)
        if (p->buffers.at[i].resource == r->index && p->buffers.at[i].space == space && index-- == 0)
            return (int)i;
    return -1;
}

static void add_copies(lowering *l, ir_op *op)
{
    const model_work *w = op->work;
    const ww_resource *r = l->step->resource;
    const model_protocol *protocol = model_pipelined(r) ? model_protocol_of(r->pipeline.type) : NULL;
    if (!protocol || protocol->full_by != MODEL_BY_EXPECT)
        return; /* bytes that no barrier counts: reported by the rules */
    for (int i = 0; i < w->copy_count; i++) {
        ir_effect *e = add_effect(op, IR_COPY_IN, buffer_of(l->program, r, IR_SHARED, w->copy_buffer[i]),
                                  op->cursor, op->held);
        e->barrier = lower_barrier_of(l->program, model_full_owner(r)->index, IR_FULL, -1);
        e->bytes = w->declared->copies[i].bytes;
        e->reach = w->declared->copies[i].reach;
        e->to = protocol->full_to;
    }
}

static ir_effect_kind own_access(const lowering *l, const model_work *w)
{
    const ww_resource *r = l->step->resource;
    if (w->declared->side == WW_CONSUMER)
        return w->declared->bulk_store ? IR_BULK_READ : IR_READ;
    if (w->umma_read_count)
        return IR_UMMA_WRITE;
    bool loads = model_pipelined(r) && r->pipeline.producer_op == WW_ASYNC_LOAD;
    return loads ? IR_LOAD_IN : IR_WRITE;
}

/* What is done to the resource's own memory. Auxiliary work does nothing to it; copies say what they write. */
static void add_own(lowering *l, ir_op *op)
{
    const model_work *w = op->work;
    const ww_resource *r = l->step->resource;
    ir_effect_kind kind = own_access(l, w);
    if (w->copy_count) {
        add_copies(l, op);
        return;
    }
    for (int b = 0; !w->declared->auxiliary && b < r->buffer_count; b++)
        if (w->touched >> b & 1) {
            ir_effect *e = add_effect(op, kind, buffer_of(l->program, r, IR_SHARED, b), op->cursor, op->held);
            if (kind == IR_LOAD_IN)
                e->barrier = lower_barrier_of(l->program, model_full_owner(r)->index, IR_FULL, -1);
        }
    ir_effect_kind in_tensor = kind == IR_UMMA_WRITE              ? kind
                               : w->declared->side == WW_CONSUMER ? IR_READ
                                                                  : IR_WRITE;
    for (int t = 0; !w->declared->auxiliary && t < r->tmem_count; t++)
        if (w->touched >> (WW_MAX_BUFFERS + t) & 1)
            add_effect(op, in_tensor, buffer_of(l->program, r, IR_TENSOR, t), op->cursor, op->held)->to =
                kind == IR_UMMA_WRITE ? MODEL_TO_PAIR : MODEL_TO_OWN;
}

/* What the tensor core reads of other resources, at the stage that the task is consuming. */
static void add_engine_reads(lowering *l, ir_op *op, ir_effect_kind kind, const int *resources, int n)
{
    model_to to = kind == IR_UMMA_READ ? MODEL_TO_PAIR : MODEL_TO_OWN;
    for (int i = 0; i < n; i++) {
        const ww_resource *source = l->kernel->resources.at[resources[i]];
        bool held;
        int cursor = work_cursor(l, source, WW_CONSUMER, &held);
        for (int b = 0; b < source->buffer_count; b++)
            add_effect(op, kind, buffer_of(l->program, source, IR_SHARED, b), cursor, held)->to = to;
        for (int t = 0; kind == IR_UMMA_READ && t < source->tmem_count; t++)
            add_effect(op, kind, buffer_of(l->program, source, IR_TENSOR, t), cursor, held)->to = to;
    }
}

/* One CTA issues for all that share the MMA: the leader, unless the author's signalling has every CTA commit. */
static model_gate umma_gate(const lowering *l)
{
    const ww_resource *r = l->step->resource;
    if (l->task->task->options.only_cta)
        return MODEL_EVERYWHERE;
    bool commits = model_pipelined(r) && model_protocol_of(r->pipeline.type)->full_by == MODEL_BY_UMMA;
    return commits ? model_gate_of(&r->pipeline, MODEL_END_COMMIT) : MODEL_LEADERS;
}

static void add_effects(lowering *l, ir_op *op)
{
    const model_work *w = op->work;
    op->effects = arena_array(&l->kernel->arena, ir_effect, MOST_EFFECTS);
    add_engine_reads(l, op, IR_WGMMA_READ, w->wgmma_reads, w->wgmma_read_count);
    add_engine_reads(l, op, IR_UMMA_READ, w->umma_reads, w->umma_read_count);
    add_own(l, op);
    op->wgmma_groups = w->wgmma_read_count > 0;
    op->wgmma_wait = w->declared->wgmma_wait - 1;
    op->bulk_groups = w->declared->bulk_store;
    op->bulk_wait = w->declared->bulk_wait - 1;
    op->umma = w->umma_read_count > 0;
    if (op->umma)
        op->gate = umma_gate(l);
}

/* ---- the call ------------------------------------------------------------------------------------------ */

void lower_work(lowering *l)
{
    const capture_step *s = l->step;
    bool held;
    int cursor = work_cursor(l, s->resource, s->work->declared->side, &held);
    l->verb = -1;
    ir_op *op = lower_add_op(l, IR_WORK);
    op->work = s->work;
    op->cursor = cursor;
    op->held = held;
    memcpy(op->constants, s->constants, sizeof op->constants);
    for (int i = 0; i < s->work->in_count; i++)
        op->in[i] = s->in[i] - 1;
    for (int i = 0; i < s->work->out_count; i++) {
        op->out[i] = s->out[i] - 1;
        ir_value v = {s->work->out[i].type, s->work->out[i].name, s->work->defaults[i],
                      (int)l->task->ops.len - 1, false};
        assert((int)l->task->values.len == op->out[i]);
        vec_push(&l->task->values, v);
    }
    add_effects(l, op);
}
