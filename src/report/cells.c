/* From operations back to schedule steps: operations that came from one schedule call become one table cell.
 *
 * The arrows are read off the operations, not off the verb: a WAIT blocks, an ARRIVE signals, and the one
 * that a verb of the protocol does not emit is not drawn. Consumers have their arrows on the left, producers
 * on the right, so that data flows from left to right. */
#include "report/cells.h"

#include "capture/capture.h"

/* ---- the outline ------------------------------------------------------------------------------------ */

/* A section is phase, number of domain loops passed, and part, from the highest bits to the lowest. */
enum { BEFORE_TILES, TILES_OPEN, IN_TILES, TILES_CLOSE, AFTER_TILES };
enum { BETWEEN_LOOPS, LOOP_OPEN, IN_LOOP, LOOP_CLOSE };
enum { PART_BITS = 2, LOOPS_BITS = 24 };

typedef struct outline {
    uint32_t phase, loops, part;
    int depth;
} outline;

static cell_section section_at(const outline *o)
{
    return o->phase << (LOOPS_BITS + PART_BITS) | o->loops << PART_BITS | o->part;
}

const char *cell_section_name(cell_section section, bool has_tiles)
{
    uint32_t phase = section >> (LOOPS_BITS + PART_BITS), part = section & ((1u << PART_BITS) - 1);
    uint32_t loops = section >> PART_BITS & ((1u << LOOPS_BITS) - 1);
    if (phase == TILES_OPEN || phase == TILES_CLOSE)
        return "tiles";
    if (part != BETWEEN_LOOPS)
        return "loop";
    if (has_tiles && phase != IN_TILES)
        return phase == BEFORE_TILES ? "before" : "after";
    return loops ? "tail" : "head";
}

/* Moves to where an opening or closing operation stands itself; other operations stand where they are. */
static void outline_enter(outline *o, ir_kind kind)
{
    if (kind == IR_TILE_LOOP)
        *o = (outline){.phase = TILES_OPEN, .depth = o->depth};
    else if (kind == IR_TILE_LOOP_END)
        *o = (outline){.phase = TILES_CLOSE, .depth = o->depth - 1};
    else if (kind == IR_LOOP)
        o->part = LOOP_OPEN;
    else if (kind == IR_LOOP_END)
        o->part = LOOP_CLOSE, o->depth--;
    else if (kind == IR_GUARD_END)
        o->depth--;
}

/* Moves to where the next operation stands. */
static void outline_leave(outline *o, ir_kind kind)
{
    if (kind == IR_TILE_LOOP)
        o->phase = IN_TILES, o->depth++;
    else if (kind == IR_TILE_LOOP_END)
        o->phase = AFTER_TILES;
    else if (kind == IR_LOOP)
        o->part = IN_LOOP, o->depth++;
    else if (kind == IR_LOOP_END)
        o->part = BETWEEN_LOOPS, o->loops++;
    else if (kind == IR_GUARD)
        o->depth++;
}

/* ---- texts ------------------------------------------------------------------------------------------ */

void cell_bound_text(const ww_bound *bound, text *out)
{
    if (bound->kind == WW_BOUND_IMMEDIATE)
        text_printf(out, "%d", bound->value);
    else
        text_printf(out, bound->kind == WW_BOUND_DEVICE ? "%s()" : "%s", bound->name);
}

/* Arrivals that the task makes with one operation, in one CTA on one barrier. */
static uint32_t arrivals_of(const ir_task *t, const ir_op *op)
{
    if (op->lanes == MODEL_LANES_FIRST)
        return 1;
    bool all = op->kind == IR_COPY_ARRIVE || (op->kind == IR_ARRIVE && op->lanes == MODEL_LANES_ALL);
    return (uint32_t)t->warps * (all ? 32 : 1);
}

static void loop_text(const ir_op *op, text *out)
{
    text_add(out, "for ");
    cell_bound_text(&op->start, out);
    text_add(out, " .. ");
    cell_bound_text(&op->end, out);
    if (op->stride.kind != WW_BOUND_IMMEDIATE || op->stride.value != 1) {
        text_add(out, " by ");
        cell_bound_text(&op->stride, out);
    }
    if (op->unroll > 1)
        text_printf(out, ", unrolled %d", op->unroll);
    text_add(out, " {");
}

static void guard_text(const ir_task *t, const ir_op *op, text *out)
{
    static const char *const fixed[] = {[IR_GUARD_FIRST] = "first trip {",
                                        [IR_GUARD_LAST] = "last trip {",
                                        [IR_GUARD_NOT_SKIPPED] = "not skipped {"};
    if (op->guard == IR_GUARD_EVERY)
        text_printf(out, "every %d trips from %d {", op->period, op->first);
    else if (op->guard == IR_GUARD_TRUE || op->guard == IR_GUARD_FALSE)
        text_printf(out, "if %s%s {", op->guard == IR_GUARD_FALSE ? "not " : "",
                    t->values.at[op->condition].name);
    else
        text_add(out, fixed[op->guard]);
}

static void block_text(const ir_program *p, const ir_task *t, const ir_op *op, text *out)
{
    if (op->kind == IR_TILE_LOOP)
        text_printf(out, "tiles of %s {", p->kernel->resources.at[op->resource]->name);
    else if (op->kind == IR_LOOP)
        loop_text(op, out);
    else if (op->kind == IR_GUARD)
        guard_text(t, op, out);
    else
        text_add(out, "}");
}

/* In a cluster: at whose barriers, and which CTAs do it. */
static void add_reach(const ir_program *p, const ir_op *op, text *out)
{
    static const char *const places[] = {
        [MODEL_TO_OWN] = "",
        [MODEL_TO_LEADER] = " at leader",
        [MODEL_TO_PAIR] = " at pair",
        [MODEL_TO_PEERS] = " at peers",
        [MODEL_TO_FIRST] = " at rank 0",
        [MODEL_TO_EVERY] = " at every CTA",
        [MODEL_TO_NEXT] = " at next",
        [MODEL_TO_PREVIOUS] = " at previous",
    };
    bool pairs = op->to == MODEL_TO_LEADER || op->to == MODEL_TO_PAIR;
    if (p->cluster_size > 1 && (!pairs || p->cluster.v > 1))
        text_add(out, places[op->to]);
}

static void add_gate(const ir_program *p, const ir_op *op, text *out)
{
    if (op->gate == MODEL_LEADERS && p->cluster.v > 1)
        text_printf(out, "%sleaders only", out->len ? ", " : "");
    else if (op->gate == MODEL_RANK_0 && p->cluster_size > 1)
        text_printf(out, "%srank 0 only", out->len ? ", " : "");
}

/* What an operation adds to the detail column of its step. */
static void verb_detail(const ir_program *p, const ir_task *t, const ir_op *op, text *out)
{
    const char *gap = out->len ? ", " : "";
    if (op->kind == IR_EXPECT)
        text_printf(out, "%s%u + %u B", gap, arrivals_of(t, op), op->bytes);
    else if (op->kind == IR_ARRIVE)
        text_printf(out, "%s%u", gap, arrivals_of(t, op));
    else if (op->kind == IR_COPY_ARRIVE)
        text_printf(out, "%s%u by cp.async", gap, arrivals_of(t, op));
    else if (op->kind == IR_UMMA_COMMIT)
        text_printf(out, "%s%u by umma", gap, arrivals_of(t, op));
    else
        return;
    add_reach(p, op, out);
}

static void add_name(text *out, const char *opening, const char *name)
{
    text_printf(out, "%s%s", opening, name);
}

static void work_values(const ir_task *t, const ir_op *op, text *out)
{
    for (int i = 0; i < op->work->in_count; i++)
        if (op->in[i] >= 0)
            add_name(out, i ? ", " : "(", t->values.at[op->in[i]].name);
    if (op->work->in_count)
        text_add(out, ")");
    bool any = false;
    for (int i = 0; i < op->work->out_count; i++)
        if (op->out[i] >= 0) {
            add_name(out, any ? ", " : out->len ? " = " : "= ", t->values.at[op->out[i]].name);
            any = true;
        }
}

static uint32_t copied_bytes(const ir_op *op)
{
    uint32_t bytes = 0;
    for (int i = 0; i < op->effect_count; i++)
        if (op->effects[i].kind == IR_COPY_IN)
            bytes += op->effects[i].bytes;
    return bytes;
}

/* "<3, 1> " */
static void work_constants(const ir_op *op, text *out)
{
    for (int i = 0; i < op->work->constant_count; i++)
        text_printf(out, "%s%d", i ? ", " : "<", op->constants[i]);
    text_add(out, op->work->constant_count ? "> " : "");
}

static void work_detail(const ir_program *p, const ir_task *t, const ir_op *op, text *out)
{
    work_constants(op, out);
    work_values(t, op, out);
    const char *gap = out->len && out->at[out->len - 1] != ' ' ? " " : "";
    if (copied_bytes(op))
        text_printf(out, "%s%u B", gap, copied_bytes(op));
    gap = out->len ? " " : "";
    if (op->wgmma_groups)
        text_printf(out, "%s+ wgmma", gap), gap = ", ";
    if (op->umma)
        text_printf(out, "%s+ umma", gap), gap = ", ";
    if (op->bulk_groups)
        text_printf(out, "%s+ bulk store", gap), gap = ", ";
    if (op->wgmma_wait >= 0)
        text_printf(out, "%swgmma <= %d", gap, op->wgmma_wait), gap = ", ";
    if (op->bulk_wait >= 0)
        text_printf(out, "%sbulk stores <= %d", gap, op->bulk_wait), gap = ", ";
    if (op->held)
        text_printf(out, "%sheld slot", gap);
    add_gate(p, op, out);
}

/* ---- cells ------------------------------------------------------------------------------------------ */

static cell block_cell(const ir_program *p, const ir_task *t, const ir_op *op, arena *a)
{
    text verb = {0};
    block_text(p, t, op, &verb);
    cell c = {.block = true, .verb = arena_strdup(a, text_str(&verb))};
    text_free(&verb);
    return c;
}

static cell work_cell(const ir_program *p, const ir_task *t, const ir_op *op, arena *a)
{
    text detail = {0};
    work_detail(p, t, op, &detail);
    cell c = {.verb = op->work->declared->name,
              .right = copied_bytes(op) ? "->" : "",
              .detail = arena_strdup(a, text_str(&detail))};
    text_free(&detail);
    return c;
}

/* The arrow an operation draws; NULL for one that neither blocks nor signals anyone. */
static const char *arrow_of(ir_kind kind, ww_side side)
{
    bool producer = side == WW_PRODUCER;
    if (kind == IR_PROBE)
        return producer ? "<?" : "?>";
    if (kind == IR_WAIT)
        return producer ? "<-" : "->";
    if (kind == IR_ARRIVE || kind == IR_COPY_ARRIVE || kind == IR_UMMA_COMMIT)
        return producer ? "->" : "<-";
    return NULL;
}

static const ir_op *find_kind(const ir_task *t, size_t first, size_t end, ir_kind kind)
{
    for (size_t i = first; i < end; i++)
        if (t->ops.at[i].kind == kind)
            return &t->ops.at[i];
    return NULL;
}

static void add_fence(const ir_op *op, text *out)
{
    if (op->kind == IR_FENCE)
        text_printf(out, "%s%s fence", out->len ? ", " : "",
                    op->fence == IR_FENCE_PROXY ? "proxy" : "tcgen05");
}

/* What operations [first, end) of one step say: arrivals, fences, and the gate of the first that has one. */
static const char *step_detail(const ir_program *p, const ir_task *t, size_t first, size_t end, arena *a)
{
    text detail = {0};
    for (size_t i = first; i < end; i++)
        verb_detail(p, t, &t->ops.at[i], &detail);
    for (size_t i = first; i < end; i++)
        add_fence(&t->ops.at[i], &detail);
    for (size_t i = first; i < end; i++)
        if (t->ops.at[i].gate != MODEL_EVERYWHERE) {
            add_gate(p, &t->ops.at[i], &detail);
            break;
        }
    const char *copy = arena_strdup(a, text_str(&detail));
    text_free(&detail);
    return copy;
}

static cell verb_cell(const ir_program *p, const ir_task *t, size_t first, size_t end, arena *a)
{
    ww_verb verb = (ww_verb)t->ops.at[first].verb;
    ww_side side = capture_verb_side(verb);
    const char *arrow = verb == WW_SYNC ? "<>" : NULL;
    for (size_t i = first; i < end && !arrow; i++)
        arrow = arrow_of(t->ops.at[i].kind, side);
    cell c = {.verb = capture_verb_name(verb), .detail = step_detail(p, t, first, end, a)};
    *(side == WW_PRODUCER ? &c.right : &c.left) = arrow;
    return c;
}

/* Stepping to the next tile, or asking for it; what a dynamic queue's ring needs for that belongs to it. */
static cell tile_cell(const ir_program *p, const ir_task *t, size_t first, size_t end, arena *a)
{
    bool fetch = find_kind(t, first, end, IR_FETCH), waits = find_kind(t, first, end, IR_WAIT);
    return (cell){.verb = fetch ? "fetch_tile" : "advance_tile",
                  .left = waits && !fetch ? "->" : "",
                  .right = fetch ? "->" : "",
                  .detail = step_detail(p, t, first, end, a)};
}

static cell drain_cell(const ir_task *t, size_t first, size_t end, arena *a)
{
    int stages = 0;
    for (size_t i = first; i < end; i++)
        stages += t->ops.at[i].kind == IR_WAIT;
    return (cell){.verb = "drain", .right = "<-", .detail = arena_printf(a, "%d", stages)};
}

static bool is_tile_step(const ir_task *t, size_t first, size_t end)
{
    return find_kind(t, first, end, IR_NEXT_TILE) || find_kind(t, first, end, IR_FETCH);
}

/* The cell of operations [first, end), which came from one schedule step. */
static cell step_cell(const ir_program *p, const ir_task *t, size_t first, size_t end, arena *a)
{
    const ir_op *op = &t->ops.at[first];
    cell c;
    if (op->drain)
        c = drain_cell(t, first, end, a);
    else if (op->kind == IR_WORK)
        c = work_cell(p, t, op, a);
    else if (is_tile_step(t, first, end))
        c = tile_cell(p, t, first, end, a);
    else if (op->verb >= 0)
        c = verb_cell(p, t, first, end, a);
    else
        c = block_cell(p, t, op, a);
    c.line = op->place.line;
    c.resource = op->resource >= 0 && !c.block ? p->kernel->resources.at[op->resource]->name : "";
    c.left = c.left ? c.left : "";
    c.right = c.right ? c.right : "";
    c.detail = c.detail ? c.detail : "";
    return c;
}

/* A drain is one step, whichever steps its operations are numbered after. */
static bool same_step(const ir_op *a, const ir_op *b)
{
    if (a->drain || b->drain)
        return a->drain && b->drain && a->cursor == b->cursor;
    return a->step == b->step;
}

cell_column cells_of(const ir_program *p, const ir_task *t, arena *a)
{
    cell_column column = {.task = t};
    outline o = {0};
    for (size_t first = 0, end; first < t->ops.len; first = end) {
        const ir_op *op = &t->ops.at[first];
        for (end = first + 1; end < t->ops.len && same_step(op, &t->ops.at[end]);)
            end++;
        outline_enter(&o, op->kind);
        cell c = step_cell(p, t, first, end, a);
        c.section = section_at(&o);
        c.depth = o.depth;
        vec_push(&column.cells, c);
        outline_leave(&o, op->kind);
    }
    return column;
}
