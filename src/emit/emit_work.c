/* Calls of work bodies: what a body is told (ww::stage_info), the values it takes and makes, its compile-time
 * arguments. */
#include "emit/task_writer.h"

/* ---- the domain loop, as a body sees it -------------------------------------------------------------- */

/* The loop whose bounds a body outside of loops is told: the one closed last, else the first one ahead. */
static int nearest_loop(const task_writer *tw, int at)
{
    if (tw->loop >= 0 || tw->finished >= 0)
        return tw->loop >= 0 ? tw->loop : tw->finished;
    for (int i = at; i < (int)tw->task->ops.len && task_op(tw, i)->kind != IR_TILE_LOOP; i++)
        if (task_op(tw, i)->kind == IR_LOOP)
            return i;
    return -1;
}

/* The domain index and bounds: the trip's in a loop, the first index before it, the last after it. */
static void print_loop_info(const task_writer *tw, int at, text *out)
{
    int loop = nearest_loop(tw, at);
    if (loop < 0) {
        text_add(out, "0, 0, 0, 1");
        return;
    }
    if (loop == tw->loop) {
        text_printf(out, "i_%d", loop);
    } else if (loop == tw->finished) {
        text_add(out, "ww::loop_last(");
        print_loop_bounds(tw, loop, out);
        text_add(out, ")");
    } else {
        print_loop_start(tw, loop, out);
    }
    text_add(out, ", ");
    print_loop_bounds(tw, loop, out);
}

/* ---- the stage -------------------------------------------------------------------------------------- */

static const ir_barrier *find_barrier(const ir_program *p, const ww_resource *owner, ir_side side)
{
    const ir_barrier *b;
    vec_each(b, &p->barriers)
        if (owner && b->resource == owner->index && b->side == side)
            return b;
    return NULL;
}

/* Bulk copies of a pair of CTAs complete on the barrier of its leader. */
static bool completes_on_leader(const task_writer *tw, const ww_resource *r)
{
    const model_protocol *protocol = model_protocol_of(r->pipeline.type);
    return protocol->full_by == MODEL_BY_EXPECT && protocol->full_to == MODEL_TO_LEADER &&
           tw->w->program->cluster.v > 1;
}

static void print_barrier_of(const task_writer *tw, const ir_op *op, ir_side side, text *out)
{
    const ir_program *p = tw->w->program;
    const ww_resource *r = p->kernel->resources.at[op->resource];
    const ir_barrier *b = find_barrier(p, side == IR_FULL ? model_full_owner(r) : model_empty_owner(r), side);
    if (!b) {
        text_add(out, "0u");
        return;
    }
    bool leader = side == IR_FULL && completes_on_leader(tw, r);
    text_add(out, leader ? "ww::pair_leader_address(" : "");
    print_barrier_at(tw, (int)(b - p->barriers.at), op->cursor, op->held, out);
    text_add(out, leader ? ")" : "");
}

/* "slot, full barrier, empty barrier" */
static void print_stage(const task_writer *tw, const ir_op *op, text *out)
{
    if (op->cursor < 0) {
        text_add(out, "0, 0u, 0u");
        return;
    }
    if (tw->task->cursors.at[op->cursor].stages > 1) {
        text_add(out, "static_cast<int>(");
        print_slot(tw, op->cursor, op->held, out);
        text_add(out, "), ");
    } else {
        text_add(out, "0, ");
    }
    print_barrier_of(tw, op, IR_FULL, out);
    text_add(out, ", ");
    print_barrier_of(tw, op, IR_EMPTY, out);
}

/* "{a, b}": the resource's buffers in one memory, at this stage. */
static void print_buffers(const task_writer *tw, const ir_op *op, ir_space space, text *out)
{
    const char *before = "";
    text_add(out, "{");
    const ir_buffer *b;
    vec_each(b, &tw->w->program->buffers) {
        if (b->resource != op->resource || b->space != space)
            continue;
        text_add(out, before);
        print_buffer_at(tw, b, op->cursor, op->held, out);
        before = ", ";
    }
    text_add(out, "}");
}

/* The members behind the buffers. */
static void print_place(const task_writer *tw, text *out)
{
    text_printf(out, "tile, %s, task_warp, lane}", writer_clustered(tw->w) ? "cta_rank" : "0u");
}

void print_plain_info(const task_writer *tw, text *out)
{
    text_add(out, "ww_info{params, 0, 0, 0, 1, 0, 0u, 0u, {}, {}, ");
    print_place(tw, out);
}

static void emit_info(task_writer *tw, int at, const char *tail)
{
    const ir_op *op = task_op(tw, at);
    text *line = writer_begin(tw->w);
    text_add(line, "    ww_info{params, ");
    print_loop_info(tw, at, line);
    writer_end(tw->w, ",");
    line = writer_begin(tw->w);
    text_add(line, "            ");
    print_stage(tw, op, line);
    writer_end(tw->w, ",");
    line = writer_begin(tw->w);
    text_add(line, "            ");
    print_buffers(tw, op, IR_SHARED, line);
    text_add(line, ", ");
    print_buffers(tw, op, IR_TENSOR, line);
    text_add(line, ", ");
    print_place(tw, line);
    writer_end(tw->w, tail);
}

/* ---- values ----------------------------------------------------------------------------------------- */

/* An output that nobody reads has a variable all the same. Where the call may be left out, it has its default. */
static void declare_output(task_writer *tw, const ir_op *op, int output)
{
    const model_value *v = &op->work->out[output];
    const char *initial = op->work->defaults[output];
    text *line = writer_begin(tw->w);
    text_printf(line, "%s ", v->type);
    print_value(tw, op->out[output], line);
    if (gate_closes(tw->w, op->gate))
        text_printf(line, initial ? " = %s" : "%s", initial ? initial : "{}");
    writer_end(tw->w, ";");
}

void declare_outputs(task_writer *tw, const ir_op *op)
{
    for (int i = 0; i < op->work->out_count; i++)
        if (!tw->task->values.at[op->out[i]].hoisted)
            declare_output(tw, op, i);
}

/* "<3, static_cast<bool>(1)>" */
void print_constants(const ir_op *op, text *out)
{
    for (int i = 0; i < op->work->constant_count; i++) {
        const char *type = op->work->constants[i].type;
        text_add(out, i ? ", " : "<");
        if (strcmp(type, "int") == 0)
            text_printf(out, "%d", op->constants[i]);
        else
            text_printf(out, "static_cast<%s>(%d)", type, op->constants[i]);
    }
    text_add(out, op->work->constant_count ? ">" : "");
}

/* Read only: a body that took it by reference would change what later calls are given. */
static void print_input(const task_writer *tw, int value, text *out)
{
    text_add(out, "ww::input(");
    print_value(tw, value, out);
    text_add(out, ")");
}

/* Inputs, then outputs. */
static void emit_arguments(task_writer *tw, const ir_op *op)
{
    text *line = writer_begin(tw->w);
    text_add(line, "    ");
    for (int i = 0; i < op->work->in_count; i++) {
        text_add(line, i ? ", " : "");
        if (op->in[i] >= 0)
            print_input(tw, op->in[i], line);
        else
            text_add(line, "{}");
    }
    for (int i = 0; i < op->work->out_count; i++) {
        text_add(line, i || op->work->in_count ? ", " : "");
        print_value(tw, op->out[i], line);
    }
    writer_end(tw->w, ");");
}

void emit_work(task_writer *tw, int at)
{
    const ir_op *op = task_op(tw, at);
    bool arguments = op->work->in_count + op->work->out_count > 0;
    text *line = writer_begin(tw->w);
    text_add(line, op->work->function);
    print_constants(op, line);
    text_printf(line, "(%s_self,", writer_resource(tw->w, op->resource));
    writer_end(tw->w, "");
    emit_info(tw, at, arguments ? "," : ");");
    if (arguments)
        emit_arguments(tw, op);
}
