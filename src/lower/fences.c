/* Fences that no pipeline's protocol places, put into the finished program where memory changes hands in a way that
 * hardware does not see by itself.
 *
 *   proxy    Threads write shared memory by the generic proxy; TMA, wgmma and tcgen05 access it by the async proxy (PTX
 *            ISA, "Async proxy"). Where a task has written what an engine touches somewhere in the program, the fence comes
 *            before the task's next arrival, or before its own next use of an engine: one for all that was written since
 *            the last. What cp.async wrote is fenced by those who waited for it, for its arrival cannot.
 *   tcgen05  Threads that access tensor memory and meet others at a barrier which knows nothing of that (a named barrier, a
 *            turn; any barrier, if another task opens or closes the slot, or there is no pipeline) fence before they
 *            arrive, and before the next access after they have waited (PTX ISA, "tcgen05.fence").
 *
 * What is owed at the start of a loop is paid before it, and at the end of a trip within it; what is owed in a block that
 * may be left out is paid where the next fence would be anyway. */
#include "lower/lowering.h"

typedef enum debt { OWES_PROXY, OWES_BEFORE, OWES_AFTER, DEBTS } debt;

/* How a task's tensor memory is handed on: by its own pipeline, whose verbs place the fences, or by other barriers. */
typedef enum tensor_use { TENSOR_UNUSED, TENSOR_BY_PIPELINE, TENSOR_ELSEWHERE } tensor_use;

/* For each, the operation that the fence is for; NULL: nothing is owed. */
typedef struct debts {
    const ir_op *of[DEBTS];
} debts;

typedef VEC(ir_op) ops;

typedef struct fencing {
    const ir_program *program;
    tensor_use tensor; /* the most that the task does */
    ops made;          /* the task's operations, with fences between */
    int *moved;        /* where each has gone */
    debts owed;        /* now */
    debts *owed_at;    /* before each operation */
} fencing;

/* ---- what a program does to memory ------------------------------------------------------------------- */

static bool overlap(const ir_buffer *a, const ir_buffer *b)
{
    uint32_t a_end = a->offset + (uint32_t)a->stages * a->stage_bytes;
    uint32_t b_end = b->offset + (uint32_t)b->stages * b->stage_bytes;
    return a == b || (a->space == b->space && a->offset < b_end && b->offset < a_end);
}

/* Whether an engine accesses these bytes of shared memory, be it through another buffer. */
static bool meets_engine(const ir_program *p, int buffer)
{
    const ir_buffer *mine = &p->buffers.at[buffer];
    for (size_t t = 0; mine->space == IR_SHARED && t < p->tasks.len; t++)
        for (size_t i = 0; i < p->tasks.at[t].ops.len; i++) {
            const ir_op *op = &p->tasks.at[t].ops.at[i];
            for (int e = 0; e < op->effect_count; e++)
                if (ir_effects[op->effects[e].kind].async &&
                    overlap(mine, &p->buffers.at[op->effects[e].buffer]))
                    return true;
        }
    return false;
}

static bool uses_engine(const ir_op *op)
{
    for (int e = 0; e < op->effect_count; e++)
        if (ir_effects[op->effects[e].kind].async)
            return true;
    return false;
}

static bool writes_for_engine(const ir_program *p, const ir_op *op)
{
    for (int e = 0; e < op->effect_count; e++)
        if (op->effects[e].kind == IR_WRITE && meets_engine(p, op->effects[e].buffer))
            return true;
    return false;
}

/* Whether cp.async copies that arrive on that barrier write what an engine touches. */
static bool loads_for_engine(const ir_program *p, int barrier)
{
    for (size_t t = 0; t < p->tasks.len; t++)
        for (size_t i = 0; i < p->tasks.at[t].ops.len; i++) {
            const ir_op *op = &p->tasks.at[t].ops.at[i];
            for (int e = 0; e < op->effect_count; e++)
                if (op->effects[e].kind == IR_LOAD_IN && op->effects[e].barrier == barrier &&
                    meets_engine(p, op->effects[e].buffer))
                    return true;
        }
    return false;
}

/* What an operation does to tensor memory; with `threads`, what its threads do. */
static bool uses_tensor(const ir_program *p, const ir_op *op, bool threads)
{
    for (int i = 0; i < op->effect_count; i++)
        if (p->buffers.at[op->effects[i].buffer].space == IR_TENSOR &&
            !(threads && ir_effects[op->effects[i].kind].maker == IR_BY_TENSOR_PIPE))
            return true;
    return false;
}

/* Whether another warp accesses the same tensor memory. */
static bool meets_others(const ir_program *p, const ir_task *t, const ir_effect *e)
{
    if (t->warps > 1)
        return true;
    for (size_t n = 0; n < p->tasks.len; n++)
        for (size_t i = 0; &p->tasks.at[n] != t && i < p->tasks.at[n].ops.len; i++) {
            const ir_op *op = &p->tasks.at[n].ops.at[i];
            for (int j = 0; j < op->effect_count; j++)
                if (overlap(&p->buffers.at[e->buffer], &p->buffers.at[op->effects[j].buffer]))
                    return true;
        }
    return false;
}

static bool has_cursor(const ir_task *t, int resource, ir_role role)
{
    for (size_t i = 0; i < t->cursors.len; i++)
        if (t->cursors.at[i].resource == resource && t->cursors.at[i].role == role)
            return true;
    return false;
}

/* Without a pipeline, or where another task opens the slot, or closes it. */
static bool is_handed_on_elsewhere(const ir_program *p, const ir_task *t, const ir_effect *e)
{
    if (e->cursor < 0)
        return meets_others(p, t, e);
    const ir_cursor *c = &t->cursors.at[e->cursor];
    ir_role closing = c->role == IR_PRODUCE ? IR_COMMIT_BEHIND : IR_RELEASE_BEHIND;
    bool opened_elsewhere = c->role == IR_COMMIT_BEHIND || c->role == IR_RELEASE_BEHIND;
    return opened_elsewhere || (e->held && !has_cursor(t, c->resource, closing));
}

static tensor_use task_tensor_use(const ir_program *p, const ir_task *t)
{
    tensor_use use = TENSOR_UNUSED;
    for (size_t i = 0; i < t->ops.len; i++) {
        const ir_op *op = &t->ops.at[i];
        for (int n = 0; n < op->effect_count; n++) {
            if (p->buffers.at[op->effects[n].buffer].space != IR_TENSOR)
                continue;
            if (is_handed_on_elsewhere(p, t, &op->effects[n]))
                return TENSOR_ELSEWHERE;
            use = TENSOR_BY_PIPELINE;
        }
    }
    return use;
}

/* A barrier that does not come with tensor memory. */
static bool is_dataless(const ir_program *p, int barrier)
{
    return barrier >= 0 &&
           (p->barriers.at[barrier].side == IR_NAMED || p->barriers.at[barrier].side == IR_TURN);
}

/* ---- paying ------------------------------------------------------------------------------------------ */

static void pay(fencing *f, debt what, const ir_op *before)
{
    static const ir_fence fences[] = {[OWES_PROXY] = IR_FENCE_PROXY,
                                      [OWES_BEFORE] = IR_FENCE_TCGEN05_BEFORE,
                                      [OWES_AFTER] = IR_FENCE_TCGEN05_AFTER};
    const ir_op *why = f->owed.of[what];
    if (!why)
        return;
    ir_op op = ir_blank_op(IR_FENCE);
    op.place = why->place;
    op.step = why->step;
    op.section = before->section;
    op.resource = why->resource;
    op.fence = fences[what];
    vec_push(&f->made, op);
    f->owed.of[what] = NULL;
}

/* A fence that the protocol has placed. */
static void note_fence(fencing *f, ir_fence fence)
{
    static const debt paid[] = {[IR_FENCE_PROXY] = OWES_PROXY,
                                [IR_FENCE_TCGEN05_BEFORE] = OWES_BEFORE,
                                [IR_FENCE_TCGEN05_AFTER] = OWES_AFTER};
    f->owed.of[paid[fence]] = NULL;
}

static bool arrives(const ir_op *op)
{
    return ir_is_arrival(op) || op->kind == IR_FETCH;
}

static bool bounds_loop(const ir_op *op)
{
    return op->kind == IR_LOOP || op->kind == IR_LOOP_END || op->kind == IR_TILE_LOOP ||
           op->kind == IR_TILE_LOOP_END;
}

static void pay_before(fencing *f, const ir_op *op)
{
    bool loop = bounds_loop(op);
    if (loop || arrives(op) || uses_engine(op))
        pay(f, OWES_PROXY, op);
    if (loop || (arrives(op) && (f->tensor == TENSOR_ELSEWHERE || is_dataless(f->program, op->barrier))))
        pay(f, OWES_BEFORE, op);
    if (loop || op->kind == IR_GUARD || uses_tensor(f->program, op, false))
        pay(f, OWES_AFTER, op);
}

static void owe_after(fencing *f, const ir_op *op)
{
    const ir_program *p = f->program;
    bool waits = op->kind == IR_WAIT;
    if (op->kind == IR_FENCE)
        note_fence(f, op->fence);
    if (writes_for_engine(p, op) || (waits && loads_for_engine(p, op->barrier)))
        f->owed.of[OWES_PROXY] = op;
    if (uses_tensor(p, op, true))
        f->owed.of[OWES_BEFORE] = op;
    if (waits && f->tensor != TENSOR_UNUSED && (f->tensor == TENSOR_ELSEWHERE || is_dataless(p, op->barrier)))
        f->owed.of[OWES_AFTER] = op;
}

/* A block that may be left out has paid nothing. */
static void owe_as_before(fencing *f, const debts *before)
{
    for (int i = 0; i < DEBTS; i++)
        if (!f->owed.of[i])
            f->owed.of[i] = before->of[i];
}

static void fence_op(fencing *f, const ir_task *t, int i)
{
    const ir_op *op = &t->ops.at[i];
    f->owed_at[i] = f->owed;
    pay_before(f, op);
    f->moved[i] = (int)f->made.len;
    vec_push(&f->made, *op);
    owe_after(f, op);
    if (op->kind == IR_GUARD_END)
        owe_as_before(f, &f->owed_at[op->match]);
}

/* ---- the task ------------------------------------------------------------------------------------------ */

static void take_over(fencing *f, ir_task *t)
{
    for (size_t i = 0; i < t->values.len; i++)
        if (t->values.at[i].producer >= 0)
            t->values.at[i].producer = f->moved[t->values.at[i].producer];
    for (size_t i = 0; i < f->made.len; i++)
        if (f->made.at[i].match >= 0)
            f->made.at[i].match = f->moved[f->made.at[i].match];
    t->ops.len = 0;
    for (size_t i = 0; i < f->made.len; i++)
        vec_push(&t->ops, f->made.at[i]);
}

static void fence_task(const ir_program *p, ir_task *t)
{
    fencing f = {.program = p, .tensor = task_tensor_use(p, t)};
    f.moved = base_alloc((t->ops.len + 1) * sizeof *f.moved);
    f.owed_at = base_alloc((t->ops.len + 1) * sizeof *f.owed_at);
    for (int i = 0; i < (int)t->ops.len; i++)
        fence_op(&f, t, i);
    take_over(&f, t);
    free(f.moved);
    free(f.owed_at);
    vec_free(&f.made);
}

void lower_fences(ir_program *p)
{
    for (size_t i = 0; i < p->tasks.len; i++)
        fence_task(p, &p->tasks.at[i]);
}
