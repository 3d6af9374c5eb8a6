/* The task program as text: one operation a line, for dumps and messages. */
#include "lower/lower.h"

const char *ir_kind_text(ir_kind kind)
{
    return ir_kinds[kind].text;
}

static const char *resource_name(const ir_program *p, int resource)
{
    return p->kernel->resources.at[resource]->name;
}

void ir_bound_text(const ww_bound *b, text *out)
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
    ir_bound_text(&op->start, out);
    text_add(out, ", ");
    ir_bound_text(&op->end, out);
    text_add(out, ") step ");
    ir_bound_text(&op->stride, out);
}

static const char *const guard_texts[] = {
    [IR_GUARD_FIRST] = "first trip", [IR_GUARD_LAST] = "last trip", [IR_GUARD_NOT_SKIPPED] = "not skipped"};

static void guard_text(const ir_task *t, const ir_op *op, text *out)
{
    if (op->guard == IR_GUARD_EVERY)
        text_printf(out, "if trip %d and every %d after", op->first, op->period);
    else if (op->guard == IR_GUARD_TRUE || op->guard == IR_GUARD_FALSE)
        text_printf(out, "if %s%s", op->guard == IR_GUARD_FALSE ? "not " : "",
                    op->condition < 0 ? "?" : t->values.at[op->condition].name);
    else
        text_printf(out, "if %s", guard_texts[op->guard]);
}

static const char *const side_texts[] = {
    [IR_FULL] = "full", [IR_EMPTY] = "empty", [IR_TURN] = "turn", [IR_NAMED] = "barrier"};
static const char *const lane_texts[] = {[MODEL_LANES_ALL] = " by all lanes",
                                         [MODEL_LANES_WARP] = " by one lane a warp",
                                         [MODEL_LANES_FIRST] = " by one lane of the first warp"};
static const char *const to_texts[] = {[MODEL_TO_OWN] = "",
                                       [MODEL_TO_LEADER] = " at the leader",
                                       [MODEL_TO_PAIR] = " at the pair",
                                       [MODEL_TO_PEERS] = " at the peers",
                                       [MODEL_TO_FIRST] = " at rank 0",
                                       [MODEL_TO_EVERY] = " at every CTA",
                                       [MODEL_TO_NEXT] = " at the next CTA",
                                       [MODEL_TO_PREVIOUS] = " at the previous CTA"};
static const char *const gate_texts[] = {
    [MODEL_EVERYWHERE] = "", [MODEL_LEADERS] = ", in leaders", [MODEL_RANK_0] = ", in rank 0"};
static const char *const fence_texts[] = {[IR_FENCE_PROXY] = "proxy.async",
                                          [IR_FENCE_TCGEN05_AFTER] = "tcgen05 after thread sync",
                                          [IR_FENCE_TCGEN05_BEFORE] = "tcgen05 before thread sync"};

static void barrier_text(const ir_program *p, const ir_op *op, text *out)
{
    const ir_barrier *b = &p->barriers.at[op->barrier];
    text_printf(out, "%s %s.%s", ir_kinds[op->kind].text, resource_name(p, b->resource), side_texts[b->side]);
    if (b->member >= 0)
        text_printf(out, "_%d", b->member);
    if (op->kind == IR_EXPECT)
        text_printf(out, " %u bytes", op->bytes);
    if (op->kind == IR_EXPECT || op->kind == IR_ARRIVE)
        text_add(out, lane_texts[op->lanes]);
    if (op->kind == IR_EXPECT || op->kind == IR_ARRIVE || op->kind == IR_UMMA_COMMIT)
        text_add(out, p->cluster_size > 1 ? to_texts[op->to] : "");
    text_add(out, p->cluster_size > 1 ? gate_texts[op->gate] : "");
    text_add(out, op->drain ? ", drain" : "");
}

void ir_op_text(const ir_program *p, const ir_task *t, const ir_op *op, text *out)
{
    switch (op->kind) {
    case IR_PROBE:
    case IR_WAIT:
    case IR_EXPECT:
    case IR_ARRIVE:
    case IR_COPY_ARRIVE:
    case IR_UMMA_COMMIT:
    case IR_FETCH: barrier_text(p, op, out); break;
    case IR_WORK: work_text(p, t, op, out); break;
    case IR_LOOP: loop_text(op, out); break;
    case IR_GUARD: guard_text(t, op, out); break;
    case IR_FENCE: text_printf(out, "fence %s", fence_texts[op->fence]); break;
    case IR_ADVANCE:
    case IR_GRIDDEP_WAIT:
    case IR_GRIDDEP_LAUNCH:
    case IR_TILE_LOOP:
    case IR_NEXT_TILE:
        text_printf(out, "%s %s", ir_kinds[op->kind].text, resource_name(p, op->resource));
        break;
    default: text_add(out, ir_kinds[op->kind].text); break;
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
        text_printf(out, "barrier %s.%s", resource_name(p, b->resource), side_texts[b->side]);
        if (b->member >= 0)
            text_printf(out, "_%d", b->member);
        text_printf(out, ": %d stages at %u, %u arrivals, %u bytes a phase\n", b->stages, b->offset,
                    b->arrivals, b->tx_bytes);
    }
    for (size_t i = 0; i < p->buffers.len; i++) {
        const ir_buffer *b = &p->buffers.at[i];
        text_printf(out, "buffer %s.%s: %d x %u %s at %u\n", resource_name(p, b->resource), b->name,
                    b->stages, b->stage_bytes, b->space == IR_TENSOR ? "columns" : "bytes", b->offset);
    }
    for (size_t i = 0; i < p->tasks.len; i++)
        dump_task(p, &p->tasks.at[i], out);
}

uint64_t ir_hash(const ir_program *p)
{
    text dump = {0};
    ir_dump(p, &dump);
    uint64_t hash = hash_text(HASH_SEED, text_str(&dump));
    text_free(&dump);
    return hash;
}
