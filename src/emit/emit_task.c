/* One task: its registers, then its operations line by line. A table says how each kind of operation is
 * printed; here are blocks, gates and drains, the files beside it have the rest. */
#include "emit/task_writer.h"

/* ---- small texts ------------------------------------------------------------------------------------ */

void print_slot(const task_writer *tw, int cursor, bool held, text *out)
{
    writer_cursor(tw->w, &tw->task->cursors.at[cursor], out);
    text_add(out, held ? "_held" : "_slot");
}

/* " + bytes * slot" of a ring. */
static void print_stage_offset(const task_writer *tw, uint32_t bytes, int stages, int cursor, bool held,
                               text *out)
{
    if (stages == 1 || cursor < 0)
        return;
    text_printf(out, " + %u * ", bytes);
    print_slot(tw, cursor, held, out);
}

void print_barrier_at(const task_writer *tw, int barrier, int cursor, bool held, text *out)
{
    const ir_barrier *b = &tw->w->program->barriers.at[barrier];
    text_add(out, "smem_base + ");
    writer_barrier(tw->w, b, out);
    print_stage_offset(tw, 8, b->stages, cursor, held, out);
}

void print_buffer_at(const task_writer *tw, const ir_buffer *b, int cursor, bool held, text *out)
{
    text_add(out, b->space == IR_TENSOR ? "tmem_base + " : "smem_base + ");
    writer_buffer(tw->w, b, out);
    print_stage_offset(tw, b->stage_bytes, b->stages, cursor, held, out);
}

/* The first halves of numbered names that are not values': trips and bounds of loops, answers of probes. */
static bool is_taken(const char *name)
{
    static const char *const taken[] = {"i", "start", "end", "step", "ready"};
    for (size_t i = 0; i < ARRAY_LEN(taken); i++)
        if (strcmp(name, taken[i]) == 0)
            return true;
    return false;
}

void print_value(const task_writer *tw, int value, text *out)
{
    const char *name = tw->task->values.at[value].name;
    text_printf(out, "%s%s_%d", name, is_taken(name) ? "_value" : "", value);
}

static void print_bound(const ww_bound *b, const char *which, int loop, text *out)
{
    if (b->kind == WW_BOUND_IMMEDIATE)
        text_printf(out, "%d", b->value);
    else if (b->kind == WW_BOUND_ARGUMENT)
        text_printf(out, "params.%s", b->name);
    else
        text_printf(out, "%s_%d", which, loop);
}

void print_loop_start(const task_writer *tw, int loop, text *out)
{
    print_bound(&task_op(tw, loop)->start, "start", loop, out);
}

static void print_loop_end(const task_writer *tw, int loop, text *out)
{
    print_bound(&task_op(tw, loop)->end, "end", loop, out);
}

static void print_loop_step(const task_writer *tw, int loop, text *out)
{
    print_bound(&task_op(tw, loop)->stride, "step", loop, out);
}

void print_loop_bounds(const task_writer *tw, int loop, text *out)
{
    print_loop_start(tw, loop, out);
    text_add(out, ", ");
    print_loop_end(tw, loop, out);
    text_add(out, ", ");
    print_loop_step(tw, loop, out);
}

/* ---- domain loops ----------------------------------------------------------------------------------- */

static void declare_bound(task_writer *tw, const ww_bound *b, const char *which, int loop, emit_answer answer)
{
    if (b->kind != WW_BOUND_DEVICE)
        return;
    text *line = writer_begin(tw->w);
    text_printf(line, "const int %s_%d = ", which, loop);
    begin_answer(tw, loop, answer, line);
    text_printf(line, "%s(", b->name);
    print_plain_info(tw, line);
    text_add(line, ")");
    end_answer(tw, line);
    writer_end(tw->w, ";");
}

void declare_device_bounds(task_writer *tw, int from, int to)
{
    for (int i = from; i < to; i++) {
        const ir_op *op = task_op(tw, i);
        if (op->kind == IR_TILE_LOOP)
            i = op->match;
        if (op->kind != IR_LOOP)
            continue;
        declare_bound(tw, &op->start, "start", i, EMIT_START);
        declare_bound(tw, &op->end, "end", i, EMIT_END);
        declare_bound(tw, &op->stride, "step", i, EMIT_STEP);
    }
}

/* "i_3 < end", or, of a step whose sign is not known, "ww::loop_goes_on(i_3, end, step)". */
static void print_loop_condition(const task_writer *tw, int loop, text *out)
{
    const ww_bound *step = &task_op(tw, loop)->stride;
    if (step->kind == WW_BOUND_IMMEDIATE) {
        text_printf(out, "i_%d %c ", loop, step->value > 0 ? '<' : '>');
        print_loop_end(tw, loop, out);
        return;
    }
    text_printf(out, "ww::loop_goes_on(i_%d, ", loop);
    print_loop_end(tw, loop, out);
    text_add(out, ", ");
    print_loop_step(tw, loop, out);
    text_add(out, ")");
}

static void emit_loop(task_writer *tw, int at)
{
    if (task_op(tw, at)->unroll)
        writer_line(tw->w, "#pragma unroll %d", task_op(tw, at)->unroll);
    text *line = writer_begin(tw->w);
    text_printf(line, "for (int i_%d = ", at);
    print_loop_start(tw, at, line);
    text_add(line, "; ");
    print_loop_condition(tw, at, line);
    text_printf(line, "; i_%d += ", at);
    print_loop_step(tw, at, line);
    writer_end(tw->w, ") {");
    tw->w->depth++;
    tw->loop = at;
}

/* The innermost loop around operation `at`. */
static int enclosing_loop(const ir_task *t, int at)
{
    for (int i = at - 1; i >= 0; i--) {
        const ir_op *op = &t->ops.at[i];
        if (op->kind == IR_LOOP)
            return i;
        if (op->kind == IR_LOOP_END)
            i = op->match;
    }
    return -1;
}

static void emit_loop_end(task_writer *tw, int at)
{
    tw->finished = task_op(tw, at)->match;
    tw->loop = enclosing_loop(tw->task, tw->finished);
    writer_close(tw->w);
}

/* ---- guards ----------------------------------------------------------------------------------------- */

/* How many trips the loop has made: (i - start) / step. */
void print_trip(const task_writer *tw, text *out)
{
    const ir_op *loop = task_op(tw, tw->loop);
    bool from_0 = loop->start.kind == WW_BOUND_IMMEDIATE && loop->start.value == 0;
    bool by_1 = loop->stride.kind == WW_BOUND_IMMEDIATE && loop->stride.value == 1;
    text_printf(out, from_0 ? "i_%d" : "(i_%d - ", tw->loop);
    if (!from_0) {
        print_loop_start(tw, tw->loop, out);
        text_add(out, ")");
    }
    if (!by_1) {
        text_add(out, " / ");
        print_loop_step(tw, tw->loop, out);
    }
}

/* "trip % 4 == 0", "trip >= 1 && (trip - 1) % 4 == 0" */
static void print_every(const task_writer *tw, const ir_op *op, text *out)
{
    text trip = {0};
    print_trip(tw, &trip);
    const char *t = text_str(&trip);
    if (op->first)
        text_printf(out, "%s >= %d && (%s - %d) %% %d == 0", t, op->first, t, op->first, op->period);
    else
        text_printf(out, "%s %% %d == 0", t, op->period);
    text_free(&trip);
}

static void print_first(const task_writer *tw, const ir_op *op, text *out)
{
    (void)op;
    text_printf(out, "i_%d == ", tw->loop);
    print_loop_start(tw, tw->loop, out);
}

static void print_last(const task_writer *tw, const ir_op *op, text *out)
{
    (void)op;
    text_printf(out, "i_%d == ww::loop_last(", tw->loop);
    print_loop_bounds(tw, tw->loop, out);
    text_add(out, ")");
}

static void print_not_skipped(const task_writer *tw, const ir_op *op, text *out)
{
    (void)tw;
    (void)op;
    text_add(out, "!skipped");
}

static void print_condition(const task_writer *tw, const ir_op *op, text *out)
{
    text_add(out, op->guard == IR_GUARD_FALSE ? "!" : "");
    begin_answer(tw, (int)(op - tw->task->ops.at), EMIT_CHOICE, out);
    print_value(tw, op->condition, out);
    end_answer(tw, out);
}

static void (*const print_guard[])(const task_writer *, const ir_op *, text *) = {
    [IR_GUARD_FIRST] = print_first,    [IR_GUARD_LAST] = print_last,
    [IR_GUARD_EVERY] = print_every,    [IR_GUARD_NOT_SKIPPED] = print_not_skipped,
    [IR_GUARD_TRUE] = print_condition, [IR_GUARD_FALSE] = print_condition,
};

static void emit_guard(task_writer *tw, int at)
{
    text *line = writer_begin(tw->w);
    text_add(line, "if (");
    print_guard[task_op(tw, at)->guard](tw, task_op(tw, at), line);
    writer_end(tw->w, ") {");
    tw->w->depth++;
}

static void emit_end(task_writer *tw, int at)
{
    (void)at;
    writer_close(tw->w);
}

/* ---- operations ------------------------------------------------------------------------------------- */

static void (*const emit_op[IR_KIND_COUNT])(task_writer *, int) = {
    [IR_TILE_LOOP] = emit_tile_loop,
    [IR_TILE_LOOP_END] = emit_tile_loop_end,
    [IR_LOOP] = emit_loop,
    [IR_LOOP_END] = emit_loop_end,
    [IR_GUARD] = emit_guard,
    [IR_GUARD_END] = emit_end,
    [IR_PROBE] = emit_probe,
    [IR_WAIT] = emit_wait,
    [IR_EXPECT] = emit_expect,
    [IR_ARRIVE] = emit_arrive,
    [IR_COPY_ARRIVE] = emit_copy_arrive,
    [IR_UMMA_COMMIT] = emit_umma_commit,
    [IR_FENCE] = emit_fence,
    [IR_FETCH] = emit_fetch,
    [IR_GRIDDEP_WAIT] = emit_griddep,
    [IR_GRIDDEP_LAUNCH] = emit_griddep,
    [IR_ADVANCE] = emit_advance,
    [IR_FORGET] = emit_forget,
    [IR_WORK] = emit_work,
    [IR_NEXT_TILE] = emit_next_tile,
};

bool gate_closes(const writer *w, model_gate gate)
{
    return gate == MODEL_LEADERS ? w->program->cluster.v > 1 : gate == MODEL_RANK_0 && writer_clustered(w);
}

static void open_gate(task_writer *tw, model_gate gate)
{
    if (gate == MODEL_LEADERS)
        tw->w->used |= CLUSTER_LAYOUT;
    writer_open(tw->w,
                gate == MODEL_LEADERS ? "if (cluster::leader(cta_rank) == cta_rank)" : "if (cta_rank == 0)");
}

/* The wait of a named barrier is part of the arrival before it. */
static bool has_mark(const task_writer *tw, const ir_op *op)
{
    bool of_barrier = op->kind == IR_WAIT && tw->w->program->barriers.at[op->barrier].side == IR_NAMED;
    return tw->w->marks && ir_is_event(op) && !of_barrier;
}

static void emit_mark(task_writer *tw, int at)
{
    if (has_mark(tw, task_op(tw, at)))
        writer_line(tw->w, "asm volatile(\".pragma \\\"mark %d\\\";\" ::: \"memory\");", at);
}

/* Operations that one step left behind the same gate share its `if`. Returns the first one after them. */
static int emit_gated(task_writer *tw, int at, int end)
{
    const ir_op *first = task_op(tw, at);
    bool gated = gate_closes(tw->w, first->gate);
    bool probe = first->kind == IR_PROBE || first->kind == IR_FORGET;
    if (probe && !status_is_live(tw->task, first->status))
        return at + 1;
    if (first->kind == IR_WORK)
        declare_outputs(tw, first);
    if (gated)
        open_gate(tw, first->gate);
    do {
        emit_mark(tw, at);
        emit_op[task_op(tw, at)->kind](tw, at);
    } while (++at < end && gated && task_op(tw, at)->gate == first->gate &&
             task_op(tw, at)->step == first->step);
    if (gated)
        writer_close(tw->w);
    return at;
}

static void emit_range(task_writer *tw, int from, int end)
{
    for (int at = from; at < end;)
        at = emit_gated(tw, at, end);
}

/* ---- drains: the same few operations once for each stage ---------------------------------------------- */

/* The end of the first trip: behind the cursor's first ADVANCE. */
static int drain_trip_end(const ir_task *t, int at, int end)
{
    int first = at;
    do
        at++;
    while (at < end && t->ops.at[at - 1].kind != IR_ADVANCE && t->ops.at[at].drain &&
           t->ops.at[at].cursor == t->ops.at[first].cursor);
    return at;
}

static bool same_drain(const ir_op *a, const ir_op *b)
{
    return b->drain && a->kind == b->kind && a->cursor == b->cursor && a->gate == b->gate &&
           (a->kind != IR_WAIT || a->barrier == b->barrier);
}

/* How often operations [at, at + length) follow each other. */
static int drain_trips(const ir_task *t, int at, int length, int end)
{
    int i = at + length;
    while (i < end && same_drain(&t->ops.at[i - length], &t->ops.at[i]))
        i++;
    return (i - at) / length;
}

static int emit_drain(task_writer *tw, int at, int end)
{
    int trip_end = drain_trip_end(tw->task, at, end), length = trip_end - at;
    int trips = drain_trips(tw->task, at, length, end);
    writer_line(tw->w, "// drain %s: until the last arrivals have come",
                writer_resource(tw->w, task_op(tw, at)->resource));
    if (trips == 1 || tw->w->marks) { /* each operation has a mark of its own */
        emit_range(tw, at, trip_end);
        return trip_end;
    }
    writer_line(tw->w, "#pragma unroll 1");
    writer_open(tw->w, "for (int drained = 0; drained < %d; drained++)", trips);
    emit_range(tw, at, trip_end);
    writer_close(tw->w);
    return at + trips * length;
}

/* ---- the task's registers --------------------------------------------------------------------------- */

/* One struct of registers for each resource that the task works on. */
static void declare_states(task_writer *tw)
{
    const ww_kernel *k = tw->w->program->kernel;
    for (size_t r = 0; r < k->resources.len; r++)
        for (size_t i = 0; i < tw->task->ops.len; i++)
            if (tw->task->ops.at[i].kind == IR_WORK && tw->task->ops.at[i].resource == (int)r) {
                writer_line(tw->w, "struct %s %s_self{};", k->resources.at[r]->type,
                            k->resources.at[r]->name);
                break;
            }
}

static void declare_hoisted(task_writer *tw)
{
    for (size_t i = 0; i < tw->task->values.len; i++) {
        const ir_value *v = &tw->task->values.at[i];
        if (!v->hoisted)
            continue;
        text *line = writer_begin(tw->w);
        text_printf(line, "%s ", v->type);
        print_value(tw, (int)i, line);
        text_printf(line, v->initial ? " = %s" : "%s", v->initial ? v->initial : "{}");
        writer_end(tw->w, ";");
    }
}

static bool on_device(const ww_bound *b)
{
    return b->kind == WW_BOUND_DEVICE;
}

/* Whether a function of the body header is called, which is told all. */
static bool calls_bodies(const writer *w, const ir_task *t)
{
    const ir_op *op;
    vec_each(op, &t->ops)
        if (op->kind == IR_WORK || on_device(&op->start) || on_device(&op->end) || on_device(&op->stride))
            return true;
    return t->queue >= 0 && w->program->kernel->resources.at[t->queue]->queue.skip;
}

/* Whether the warps of the task differ in what they do. */
static bool tells_warps_apart(const ir_task *t)
{
    const ir_op *op;
    vec_each(op, &t->ops)
        if ((op->kind == IR_EXPECT || op->kind == IR_ARRIVE) && op->lanes == MODEL_LANES_FIRST)
            return true;
    const ir_cursor *c;
    vec_each(c, &t->cursors)
        if (c->lane == IR_LANE_BY_WARP)
            return true;
    return false;
}

static void declare_place(task_writer *tw)
{
    writer *w = tw->w;
    const ir_task *t = tw->task;
    bool calls = calls_bodies(w, t);
    if (calls || tells_warps_apart(t))
        writer_line(w, "const int task_warp = warp - %d;", t->first_warp);
    if (t->queue >= 0)
        declare_tiles(tw);
    else if (calls)
        writer_line(w, "ww_tile tile{static_cast<int>(blockIdx.x), static_cast<int>(blockIdx.y), "
                       "static_cast<int>(blockIdx.z), 1};");
}

void emit_task(writer *w, const ir_task *t)
{
    task_writer tw = {w, t, -1, -1, false};
    int end = (int)t->ops.len;
    declare_place(&tw);
    declare_states(&tw);
    declare_cursors(&tw);
    declare_hoisted(&tw);
    declare_device_bounds(&tw, 0, end);
    for (int at = 0; at < end;)
        at = t->ops.at[at].drain ? emit_drain(&tw, at, end) : emit_gated(&tw, at, end);
}
