/* The task program as text: one operation a line, for dumps and messages. */
#include "lower/lower.h"

static const char *const kind_texts[] = {
#define IR_OP(name, text, meaning) [IR_##name] = (text),
#include "lower/ops.def"
#undef IR_OP
};

const char *ir_kind_text(ir_kind kind)
{
    return kind_texts[kind];
}

static const char *resource_name(const ir_program *p, int resource)
{
    return p->kernel->resources.at[resource]->name;
}

static void bound_text(const ww_bound *b, text *out)
{
    if (b->kind == WW_BOUND_IMMEDIATE)
        text_printf(out, "%d", b->value);
    else
        text_printf(out, b->kind == WW_BOUND_DEVICE ? "%s()" : "%s", b->name);
}

static void work_text(const ir_program *p, const ir_task *t, const ir_op *op, text *out)
{
    for (int i = 0; i < op->work->out_count; i++)
        text_printf(out, "%s%s", i ? ", " : "", t->values.at[op->out[i]].name);
    text_printf(out, "%s%s.%s(", op->work->out_count ? " = " : "", resource_name(p, op->resource),
                op->work->declared->name);
    for (int i = 0; i < op->work->in_count; i++)
        text_printf(out, "%s%s", i ? ", " : "", op->in[i] < 0 ? "?" : t->values.at[op->in[i]].name);
    text_add(out, ")");
}

static void loop_text(const ir_op *op, text *out)
{
    text_add(out, "loop [");
    bound_text(&op->start, out);
    text_add(out, ", ");
    bound_text(&op->end, out);
    text_add(out, ") step ");
    bound_text(&op->stride, out);
}

static const char *const guard_texts[] = {
    [IR_GUARD_FIRST] = "first trip", [IR_GUARD_LAST] = "last trip", [IR_GUARD_NOT_SKIPPED] = "not skipped"};

static void barrier_text(const ir_program *p, const ir_op *op, text *out)
{
    const ir_barrier *b = &p->barriers.at[op->barrier];
    text_printf(out, "%s %s.%s", kind_texts[op->kind], resource_name(p, b->resource),
                b->side == IR_FULL ? "full" : "empty");
    if (op->kind == IR_EXPECT)
        text_printf(out, " %u bytes", op->bytes);
    if (op->kind == IR_EXPECT || op->kind == IR_ARRIVE)
        text_add(out, op->lanes == MODEL_LANES_ALL ? " by all lanes" : " by one lane a warp");
}

void ir_op_text(const ir_program *p, const ir_task *t, const ir_op *op, text *out)
{
    switch (op->kind) {
    case IR_PROBE:
    case IR_WAIT:
    case IR_EXPECT:
    case IR_ARRIVE: barrier_text(p, op, out); break;
    case IR_WORK: work_text(p, t, op, out); break;
    case IR_LOOP: loop_text(op, out); break;
    case IR_GUARD: text_printf(out, "if %s", guard_texts[op->guard]); break;
    case IR_ADVANCE:
    case IR_TILE_LOOP:
    case IR_NEXT_TILE: text_printf(out, "%s %s", kind_texts[op->kind], resource_name(p, op->resource)); break;
    default: text_add(out, kind_texts[op->kind]); break;
    }
}

static bool is_end(ir_kind kind)
{
    return kind == IR_TILE_LOOP_END || kind == IR_LOOP_END || kind == IR_GUARD_END;
}

static void dump_task(const ir_program *p, const ir_task *t, text *out)
{
    text_printf(out, "task %s, warps %d to %d\n", t->name, t->first_warp, t->first_warp + t->warps - 1);
    int depth = 1;
    for (size_t i = 0; i < t->ops.len; i++) {
        const ir_op *op = &t->ops.at[i];
        if (is_end(op->kind))
            depth--;
        text_printf(out, "%4zu %*s", i, 2 * depth, "");
        ir_op_text(p, t, op, out);
        text_add(out, "\n");
        if (op->match > (int)i)
            depth++;
    }
}

void ir_dump(const ir_program *p, text *out)
{
    for (size_t i = 0; i < p->barriers.len; i++) {
        const ir_barrier *b = &p->barriers.at[i];
        text_printf(out, "barrier %s.%s: %d stages at %u, %u arrivals, %u bytes a phase\n",
                    resource_name(p, b->resource), b->side == IR_FULL ? "full" : "empty", b->stages,
                    b->offset, b->arrivals, b->tx_bytes);
    }
    for (size_t i = 0; i < p->buffers.len; i++) {
        const ir_buffer *b = &p->buffers.at[i];
        text_printf(out, "buffer %s.%s: %d x %u bytes at %u\n", resource_name(p, b->resource), b->name,
                    b->stages, b->stage_bytes, b->offset);
    }
    for (size_t i = 0; i < p->tasks.len; i++)
        dump_task(p, &p->tasks.at[i], out);
}
