/* Lowering: one walk over each recorded schedule. This file has the walk, blocks and values; verbs.c says which
 * operations a verb becomes, work.c what a work call does, barriers.c and counts.c which barriers there are and what
 * completes their phases. */
#include "lower/lowering.h"

/* ---- buffers ------------------------------------------------------------------------------------------ */

static void add_buffers(lowering *l, const ww_resource *r)
{
    for (int b = 0; b < r->buffer_count; b++) {
        const model_buffer *m = &r->buffers[b];
        ir_buffer buffer = {.resource = r->index, .name = m->name, .stages = model_stages(r)};
        buffer.bytes = m->bytes;
        buffer.stage_bytes = round_up(m->bytes, m->align);
        buffer.offset = m->offset;
        vec_push(&l->program->buffers, buffer);
    }
    for (int t = 0; t < r->tmem_count; t++) {
        const model_tmem *m = &r->tmem[t];
        ir_buffer buffer = {
            .resource = r->index, .name = m->name, .space = IR_TENSOR, .stages = model_stages(r)};
        buffer.bytes = buffer.stage_bytes = (uint32_t)m->columns;
        buffer.offset = (uint32_t)m->offset;
        vec_push(&l->program->buffers, buffer);
    }
}

/* ---- operations --------------------------------------------------------------------------------------- */

ir_op *lower_add_op(lowering *l, ir_kind kind)
{
    ir_op op = ir_blank_op(kind);
    op.place = l->step->place;
    op.step = l->step_index;
    op.verb = l->verb;
    op.section = l->section;
    op.resource = l->step->resource ? l->step->resource->index : -1;
    vec_push(&l->task->ops, op);
    return vec_last(&l->task->ops);
}

/* ---- blocks ----------------------------------------------------------------------------------------- */

static void lower_open(lowering *l, ir_kind kind)
{
    l->opened[l->step_index] = (int)l->task->ops.len;
    if (kind == IR_LOOP)
        l->section = IR_BODY;
    (void)lower_add_op(l, kind);
}

static void lower_end(lowering *l)
{
    int opened = l->opened[l->step->match];
    ir_op *op = lower_add_op(l, (ir_kind)(l->task->ops.at[opened].kind + 1));
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
    op->unroll = l->step->unroll;
}

/* Blocks without a key are each of their own kind. */
static int key_number(lowering *l, const char *key)
{
    for (size_t i = 0; key && i < l->keys.len; i++)
        if (l->keys.at[i] && strcmp(l->keys.at[i], key) == 0)
            return (int)i;
    vec_push(&l->keys, key);
    return (int)l->keys.len - 1;
}

static void lower_guard(lowering *l)
{
    static const ir_guard guards[] = {
        [WW_GUARD_FIRST_ITER] = IR_GUARD_FIRST,      [WW_GUARD_LAST_ITER] = IR_GUARD_LAST,
        [WW_GUARD_SKIPPABLE] = IR_GUARD_NOT_SKIPPED, [WW_GUARD_EVERY] = IR_GUARD_EVERY,
        [WW_GUARD_WHEN_TRUE] = IR_GUARD_TRUE,        [WW_GUARD_WHEN_FALSE] = IR_GUARD_FALSE};
    lower_open(l, IR_GUARD);
    ir_op *op = vec_last(&l->task->ops);
    op->guard = guards[l->step->guard];
    op->period = l->step->period;
    op->first = l->step->first;
    op->condition = l->step->condition - 1;
    if (op->guard == IR_GUARD_TRUE || op->guard == IR_GUARD_FALSE)
        op->key = key_number(l, l->step->key);
}

static void lower_step(lowering *l)
{
    l->verb = -1;
    switch (l->step->kind) {
    case CAPTURE_VERB: lower_verb_step(l); break;
    case CAPTURE_WORK: lower_work(l); break;
    case CAPTURE_NEXT_TILE: lower_next_tile(l); break;
    case CAPTURE_FETCH_TILE: lower_fetch_tile(l); break;
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

static void note_use(ir_task *t, int value, int at)
{
    if (value < 0)
        return;
    ir_value *v = &t->values.at[value];
    int block = enclosing_block(t, v->producer);
    if (block >= 0 && at > t->ops.at[block].match)
        v->hoisted = true;
}

static void find_hoisted(ir_task *t)
{
    for (size_t i = 0; i < t->ops.len; i++) {
        const ir_op *op = &t->ops.at[i];
        for (int j = 0; op->kind == IR_WORK && j < op->work->in_count; j++)
            note_use(t, op->in[j], (int)i);
        if (op->kind == IR_GUARD)
            note_use(t, op->condition, (int)i);
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
                    .queue = -1,
                    .only_cta = t->options.only_cta - 1};
    vec_push(&l->program->tasks, task);
    l->task = vec_last(&l->program->tasks);
    l->schedule = t->schedule;
    l->section = IR_HEAD;
    lower_find_probes(l);
    l->opened = arena_array(&l->kernel->arena, int, t->schedule->steps.len + 1);
    for (size_t i = 0; i < t->schedule->steps.len; i++) {
        l->step = &t->schedule->steps.at[i];
        l->step_index = (int)i;
        lower_step(l);
    }
    if (t->schedule->steps.len)
        lower_drains(l);
    l->task->status_count = (int)l->probed.len;
    find_hoisted(l->task);
    int end = task.first_warp + task.warps;
    if (end > l->program->warps)
        l->program->warps = end;
}

static bool splits_registers(const ir_program *p)
{
    for (size_t i = 0; i < p->tasks.len; i++)
        if (p->tasks.at[i].registers)
            return true;
    return false;
}

static int extent(int e)
{
    return e > 1 ? e : 1;
}

static ww_cluster full_cluster(const ww_cluster *c)
{
    return (ww_cluster){extent(c->v), extent(c->m), extent(c->n), extent(c->k)};
}

ir_program *lower_kernel(ww_kernel *k)
{
    lowering l = {.kernel = k, .program = arena_new(&k->arena, ir_program)};
    l.program->kernel = k;
    l.program->warps = 1; /* no block is empty, without tasks either */
    l.program->cluster = full_cluster(&k->options.cluster);
    l.program->cluster_size = model_cluster_size(&k->options.cluster);
    lower_barriers(&l);
    for (size_t i = 0; i < k->resources.len; i++)
        add_buffers(&l, k->resources.at[i]);
    for (size_t i = 0; i < k->tasks.len; i++)
        lower_task(&l, k->tasks.at[i]);
    lower_fences(l.program);
    l.program->keys = (int)l.keys.len;
    vec_free(&l.probed);
    vec_free(&l.keys);
    if (splits_registers(l.program)) /* setmaxnreg acts on whole warpgroups */
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
