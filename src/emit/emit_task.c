/* One task: its registers, then its operations line by line. A table says how each kind of operation is
 * printed. */
#include "emit/writer.h"

typedef struct task_writer {
    writer *w;
    const ir_task *task;
    int loop;     /* innermost open LOOP, -1 outside */
    int finished; /* the loop that was closed last, -1: none */
} task_writer;

/* ---- small texts ------------------------------------------------------------------------------------ */

static void print_slot(const task_writer *tw, int cursor, bool held, text *out)
{
    const ir_cursor *c = &tw->task->cursors.at[cursor];
    if (c->stages == 1) {
        text_add(out, "0u");
        return;
    }
    writer_cursor(tw->w, c, out);
    text_add(out, held ? "_held" : "_slot");
}

static void print_barrier(const task_writer *tw, const ir_op *op, text *out)
{
    const ir_barrier *b = &tw->w->program->barriers.at[op->barrier];
    text_printf(out, "smem_base + ww_map::%s_%s", writer_resource(tw->w, b->resource),
                b->side == IR_FULL ? "full" : "empty");
    if (b->stages > 1) {
        text_add(out, " + 8 * ");
        print_slot(tw, op->cursor, false, out);
    }
}

static void print_parity(const task_writer *tw, int cursor, text *out)
{
    writer_cursor(tw->w, &tw->task->cursors.at[cursor], out);
    text_add(out, "_parity");
}

static void print_value(const task_writer *tw, int value, text *out)
{
    text_printf(out, "%s_%d", tw->task->values.at[value].name, value);
}

/* Bounds computed on the device are variables named after the loop's operation: start_3, end_3, step_3. */
static void print_bound(const ww_bound *b, const char *which, int loop, text *out)
{
    if (b->kind == WW_BOUND_IMMEDIATE)
        text_printf(out, "%d", b->value);
    else if (b->kind == WW_BOUND_ARGUMENT)
        text_printf(out, "params.%s", b->name);
    else
        text_printf(out, "%s_%d", which, loop);
}

static void print_loop_bounds(const task_writer *tw, int loop, text *out)
{
    const ir_op *op = &tw->task->ops.at[loop];
    print_bound(&op->start, "start", loop, out);
    text_add(out, ", ");
    print_bound(&op->end, "end", loop, out);
    text_add(out, ", ");
    print_bound(&op->stride, "step", loop, out);
}

/* The domain index and bounds a work body sees: the trip's in a loop, the first index before it, the last
 * after it. */
static void print_loop_info(const task_writer *tw, int at, text *out)
{
    int loop = tw->loop >= 0 ? tw->loop : tw->finished;
    for (int i = at; loop < 0 && i < (int)tw->task->ops.len && tw->task->ops.at[i].kind != IR_TILE_LOOP; i++)
        if (tw->task->ops.at[i].kind == IR_LOOP)
            loop = i;
    if (loop < 0) {
        text_add(out, "0, 0, 0, 1");
        return;
    }
    if (tw->loop >= 0)
        text_printf(out, "i_%d", loop);
    else if (loop == tw->finished) {
        text_add(out, "ww::loop_last(");
        print_loop_bounds(tw, loop, out);
        text_add(out, ")");
    } else {
        print_bound(&tw->task->ops.at[loop].start, "start", loop, out);
    }
    text_add(out, ", ");
    print_loop_bounds(tw, loop, out);
}

/* ---- a work body's information ---------------------------------------------------------------------- */

static void print_buffers(const task_writer *tw, const ir_op *op, text *out)
{
    const ir_program *p = tw->w->program;
    bool first = true;
    text_add(out, "{");
    for (size_t i = 0; i < p->buffers.len; i++) {
        const ir_buffer *b = &p->buffers.at[i];
        if (b->resource != op->resource)
            continue;
        text_printf(out, "%ssmem_base + ww_map::%s_%s", first ? "" : ", ",
                    writer_resource(tw->w, b->resource), b->name);
        first = false;
        if (b->stages > 1 && op->cursor >= 0) {
            text_printf(out, " + %u * ", b->stage_bytes);
            print_slot(tw, op->cursor, op->held, out);
        }
    }
    text_add(out, "}");
}

static void print_stage_and_barrier(const task_writer *tw, const ir_op *op, text *out)
{
    if (op->cursor < 0) {
        text_add(out, "0, 0u,");
        return;
    }
    text_add(out, "static_cast<int>(");
    print_slot(tw, op->cursor, op->held, out);
    text_printf(out, "), smem_base + ww_map::%s_full + 8 * ", writer_resource(tw->w, op->resource));
    print_slot(tw, op->cursor, op->held, out);
    text_add(out, ",");
}

/* For bounds and predicates, which belong to no resource. */
static void print_plain_info(text *out)
{
    text_add(out, "ww_info{params, 0, 0, 0, 1, 0, 0u, {}, tile, task_warp, lane}");
}

/* ---- operations ------------------------------------------------------------------------------------- */

/* A probe's answer holds for its slot and parity, so that it is forgotten when the cursor moves (emit_advance). */
static void emit_probe(task_writer *tw, int at)
{
    const ir_op *op = &tw->task->ops.at[at];
    text s = {0};
    text_printf(&s, "ready_%d = ww::mbarrier_try_wait(", op->status);
    print_barrier(tw, op, &s);
    text_add(&s, ", ");
    print_parity(tw, op->cursor, &s);
    writer_line(tw->w, "%s);", text_str(&s));
    writer_note(tw->w, op, op->verb == WW_TRY_ACQUIRE ? "try_acquire" : "try_wait");
    text_free(&s);
}

static void emit_wait(task_writer *tw, int at)
{
    const ir_op *op = &tw->task->ops.at[at];
    text s = {0};
    if (op->status >= 0)
        text_printf(&s, "if (!ready_%d) ", op->status);
    text_add(&s, "ww::mbarrier_wait(");
    print_barrier(tw, op, &s);
    text_add(&s, ", ");
    print_parity(tw, op->cursor, &s);
    writer_line(tw->w, "%s);", text_str(&s));
    writer_note(tw->w, op, op->verb == WW_ACQUIRE ? "acquire" : "wait");
    text_free(&s);
}

static void emit_expect(task_writer *tw, int at)
{
    const ir_op *op = &tw->task->ops.at[at];
    text s = {0};
    if (op->lanes == MODEL_LANES_WARP)
        text_add(&s, "if (ww::elect_one()) ");
    text_add(&s, "ww::mbarrier_arrive_expect_tx(");
    print_barrier(tw, op, &s);
    writer_line(tw->w, "%s, %u);", text_str(&s), op->bytes);
    writer_note(tw->w, op, "acquire");
    text_free(&s);
}

/* One lane speaks for its warp only after all lanes have come so far: what they read is then ordered before it. */
static void emit_arrive(task_writer *tw, int at)
{
    const ir_op *op = &tw->task->ops.at[at];
    text s = {0};
    if (op->lanes == MODEL_LANES_WARP) {
        writer_line(tw->w, "ww::syncwarp();");
        text_add(&s, "if (ww::elect_one()) ");
    }
    text_add(&s, "ww::mbarrier_arrive(");
    print_barrier(tw, op, &s);
    writer_line(tw->w, "%s);", text_str(&s));
    writer_note(tw->w, op, op->verb == WW_RELEASE ? "release" : "commit");
    text_free(&s);
}

static bool cursor_is_held(const ir_task *t, int cursor)
{
    for (size_t i = 0; i < t->ops.len; i++) {
        const ir_op *op = &t->ops.at[i];
        if (op->kind == IR_WORK && op->cursor == cursor && op->held)
            return true;
    }
    return false;
}

/* Cursors that only arrive need no parity. */
static bool cursor_waits(const ir_cursor *c)
{
    return c->role == IR_PRODUCE || c->role == IR_CONSUME;
}

static void emit_advance(task_writer *tw, int at)
{
    const ir_op *op = &tw->task->ops.at[at];
    const ir_cursor *c = &tw->task->cursors.at[op->cursor];
    text name = {0};
    writer_cursor(tw->w, c, &name);
    const char *n = text_str(&name);
    if (c->stages == 1) {
        if (cursor_waits(c))
            writer_line(tw->w, "%s_parity ^= 1;", n);
    } else {
        if (cursor_is_held(tw->task, op->cursor))
            writer_line(tw->w, "%s_held = %s_slot;", n, n);
        writer_line(tw->w, "%s_slot = %s_slot == %d ? 0 : %s_slot + 1;", n, n, c->stages - 1, n);
        if (cursor_waits(c))
            writer_line(tw->w, "%s_parity ^= %s_slot == 0;", n, n);
    }
    if (op->status >= 0)
        writer_line(tw->w, "ready_%d = false;", op->status);
    text_free(&name);
}

static void declare_outputs(task_writer *tw, const ir_op *op)
{
    for (int i = 0; i < op->work->out_count; i++) {
        const ir_value *v = &tw->task->values.at[op->out[i]];
        if (!v->hoisted)
            writer_line(tw->w, "%s %s_%d;", v->type, v->name, op->out[i]);
    }
}

/* The third line of a call: inputs, then outputs. */
static void print_arguments(const task_writer *tw, const ir_op *op, text *out)
{
    for (int i = 0; i < op->work->in_count; i++) {
        text_add(out, i ? ", " : "");
        if (op->in[i] >= 0)
            print_value(tw, op->in[i], out);
        else
            text_add(out, "{}");
    }
    for (int i = 0; i < op->work->out_count; i++) {
        text_add(out, i || op->work->in_count ? ", " : "");
        print_value(tw, op->out[i], out);
    }
}

static void emit_work(task_writer *tw, int at)
{
    const ir_op *op = &tw->task->ops.at[at];
    text domain = {0}, stage = {0}, buffers = {0}, arguments = {0};
    declare_outputs(tw, op);
    print_loop_info(tw, at, &domain);
    print_stage_and_barrier(tw, op, &stage);
    print_buffers(tw, op, &buffers);
    print_arguments(tw, op, &arguments);
    writer_line(tw->w, "%s(%s_self,", op->work->function, writer_resource(tw->w, op->resource));
    writer_line(tw->w, "    ww_info{params, %s,", text_str(&domain));
    writer_line(tw->w, "            %s", text_str(&stage));
    writer_line(tw->w, "            %s, tile, task_warp, lane}%s", text_str(&buffers),
                arguments.len ? "," : ");");
    if (arguments.len)
        writer_line(tw->w, "    %s);", text_str(&arguments));
    text_free(&domain);
    text_free(&stage);
    text_free(&buffers);
    text_free(&arguments);
}

static void declare_bound(task_writer *tw, const ww_bound *b, const char *which, int loop)
{
    if (b->kind != WW_BOUND_DEVICE)
        return;
    text s = {0};
    print_plain_info(&s);
    writer_line(tw->w, "const int %s_%d = %s(%s);", which, loop, b->name, text_str(&s));
    text_free(&s);
}

/* Evaluates the device bounds of the loops in operations [from, to), once a tile. */
static void declare_device_bounds(task_writer *tw, int from, int to)
{
    for (int i = from; i < to; i++) {
        const ir_op *op = &tw->task->ops.at[i];
        if (op->kind == IR_TILE_LOOP)
            i = op->match;
        if (op->kind != IR_LOOP)
            continue;
        declare_bound(tw, &op->start, "start", i);
        declare_bound(tw, &op->end, "end", i);
        declare_bound(tw, &op->stride, "step", i);
    }
}

static void emit_loop(task_writer *tw, int at)
{
    const ir_op *op = &tw->task->ops.at[at];
    text start = {0}, end = {0}, step = {0};
    print_bound(&op->start, "start", at, &start);
    print_bound(&op->end, "end", at, &end);
    print_bound(&op->stride, "step", at, &step);
    writer_line(tw->w, "#pragma unroll 1");
    if (op->stride.kind == WW_BOUND_IMMEDIATE)
        writer_open(tw->w, "for (int i_%d = %s; i_%d %c %s; i_%d += %s)", at, text_str(&start), at,
                    op->stride.value > 0 ? '<' : '>', text_str(&end), at, text_str(&step));
    else
        writer_open(tw->w, "for (int i_%d = %s; ww::loop_goes_on(i_%d, %s, %s); i_%d += %s)", at,
                    text_str(&start), at, text_str(&end), text_str(&step), at, text_str(&step));
    text_free(&start);
    text_free(&end);
    text_free(&step);
    tw->loop = at;
}

static void emit_loop_end(task_writer *tw, int at)
{
    tw->finished = tw->task->ops.at[at].match;
    tw->loop = -1;
    writer_close(tw->w);
}

static void emit_guard(task_writer *tw, int at)
{
    const ir_op *op = &tw->task->ops.at[at];
    if (op->guard == IR_GUARD_NOT_SKIPPED) {
        writer_open(tw->w, "if (!skipped)");
        return;
    }
    text s = {0};
    if (op->guard == IR_GUARD_FIRST) {
        text_printf(&s, "i_%d == ", tw->loop);
        print_bound(&tw->task->ops.at[tw->loop].start, "start", tw->loop, &s);
    } else {
        text_printf(&s, "i_%d == ww::loop_last(", tw->loop);
        print_loop_bounds(tw, tw->loop, &s);
        text_add(&s, ")");
    }
    writer_open(tw->w, "if (%s)", text_str(&s));
    text_free(&s);
}

static void emit_end(task_writer *tw, int at)
{
    (void)at;
    writer_close(tw->w);
}

static void print_queue_bound(const ww_bound *b, text *out)
{
    if (b->kind == WW_BOUND_IMMEDIATE)
        text_printf(out, "%d, ", b->value);
    else
        text_printf(out, "params.%s, ", b->name);
}

static void emit_tile_loop(task_writer *tw, int at)
{
    const ww_resource *queue = tw->w->program->kernel->resources.at[tw->task->ops.at[at].resource];
    text s = {0};
    for (int i = 0; i < 3; i++)
        print_queue_bound(&queue->queue.tiles[i], &s);
    writer_line(tw->w, "ww::static_queue %s_queue = ww::static_queue_make(%s1, 1, %d, %d);", queue->name,
                text_str(&s), queue->queue.swizzle > 1 ? queue->queue.swizzle : 1,
                !queue->queue.raster_along_n);
    text_free(&s);
    writer_line(tw->w, "tile = %s_queue.first();", queue->name);
    writer_line(tw->w, "#pragma unroll 1");
    writer_open(tw->w, "while (tile.valid)");
    if (queue->queue.skip) {
        print_plain_info(&s);
        writer_line(tw->w, "const bool skipped = %s(%s);", queue->queue.skip, text_str(&s));
        text_free(&s);
    }
    declare_device_bounds(tw, at + 1, tw->task->ops.at[at].match);
    tw->finished = -1;
}

static void emit_tile_loop_end(task_writer *tw, int at)
{
    (void)at;
    tw->finished = -1;
    writer_close(tw->w);
}

static void emit_next_tile(task_writer *tw, int at)
{
    writer_line(tw->w, "tile = %s_queue.next();", writer_resource(tw->w, tw->task->ops.at[at].resource));
}

static void (*const emit_op[])(task_writer *, int) = {
    [IR_TILE_LOOP] = emit_tile_loop, [IR_TILE_LOOP_END] = emit_tile_loop_end,
    [IR_LOOP] = emit_loop,           [IR_LOOP_END] = emit_loop_end,
    [IR_GUARD] = emit_guard,         [IR_GUARD_END] = emit_end,
    [IR_PROBE] = emit_probe,         [IR_WAIT] = emit_wait,
    [IR_EXPECT] = emit_expect,       [IR_ARRIVE] = emit_arrive,
    [IR_ADVANCE] = emit_advance,     [IR_WORK] = emit_work,
    [IR_NEXT_TILE] = emit_next_tile,
};

/* ---- the task's registers --------------------------------------------------------------------------- */

static void declare_cursors(task_writer *tw)
{
    for (size_t i = 0; i < tw->task->cursors.len; i++) {
        const ir_cursor *c = &tw->task->cursors.at[i];
        text name = {0};
        writer_cursor(tw->w, c, &name);
        const char *n = text_str(&name);
        if (c->stages > 1)
            writer_line(tw->w, "uint32_t %s_slot = 0;", n);
        if (cursor_waits(c))
            writer_line(tw->w, "uint32_t %s_parity = %u;", n, c->parity);
        if (c->stages > 1 && cursor_is_held(tw->task, (int)i))
            writer_line(tw->w, "uint32_t %s_held = 0;", n);
        text_free(&name);
    }
    for (int i = 0; i < tw->task->status_count; i++)
        writer_line(tw->w, "bool ready_%d = false;", i);
}

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
        if (v->hoisted)
            writer_line(tw->w, "%s %s_%zu{};", v->type, v->name, i);
    }
}

void emit_task(writer *w, const ir_task *t)
{
    task_writer tw = {w, t, -1, -1};
    writer_line(w, "const int task_warp = warp - %d;", t->first_warp);
    writer_line(w, "ww_tile tile{static_cast<int>(blockIdx.x), static_cast<int>(blockIdx.y), "
                   "static_cast<int>(blockIdx.z), 1};");
    declare_states(&tw);
    declare_cursors(&tw);
    declare_hoisted(&tw);
    declare_device_bounds(&tw, 0, (int)t->ops.len);
    for (size_t i = 0; i < t->ops.len; i++)
        emit_op[t->ops.at[i].kind](&tw, (int)i);
}
