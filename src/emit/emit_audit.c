/* The audit's translation unit: each work body called from a kernel of its own, so that its instructions can be told from
 * those of the framework. What the body is told comes in as parameters; its registers, inputs and outputs lie in global
 * memory, are copied into variables before the call and back after it, so that the compiler neither knows them nor
 * leaves them out. */
#include "emit/emit.h"
#include "emit/writer.h"

/* ---- which ------------------------------------------------------------------------------------------ */

static bool same_body(const ir_op *a, const ir_op *b)
{
    return a->resource == b->resource && a->work == b->work &&
           memcmp(a->constants, b->constants, sizeof a->constants) == 0;
}

static bool is_listed(const emit_bodies *bodies, const ir_op *op)
{
    const emit_body *b;
    vec_each(b, &bodies->list)
        if (same_body(b->op, op))
            return true;
    return false;
}

void emit_list_bodies(const ir_program *p, emit_bodies *bodies)
{
    const ir_task *t;
    vec_each(t, &p->tasks)
        for (size_t i = 0; i < t->ops.len; i++)
            if (t->ops.at[i].kind == IR_WORK && !is_listed(bodies, &t->ops.at[i])) {
                emit_body body = {t, &t->ops.at[i]};
                vec_push(&bodies->list, body);
            }
}

/* ---- values ----------------------------------------------------------------------------------------- */

/* The type of the variable that a call takes, which is that of the output it was. */
static const char *input_type(const emit_body *b, int input)
{
    return b->task->values.at[b->op->in[input]].type;
}

static void emit_values(writer *w, const emit_body *b, size_t number)
{
    const model_work *work = b->op->work;
    writer_line(w, "struct ww_audit_%zu_values {", number);
    w->depth++;
    writer_line(w, "struct %s self;", w->program->kernel->resources.at[b->op->resource]->type);
    for (int i = 0; i < work->in_count; i++)
        if (b->op->in[i] >= 0)
            writer_line(w, "%s in_%d;", input_type(b, i), i);
    for (int i = 0; i < work->out_count; i++)
        writer_line(w, "%s out_%d;", work->out[i].type, i);
    w->depth--;
    writer_line(w, "};");
}

/* ---- what the body is told --------------------------------------------------------------------------- */

static void emit_parameters(writer *w, size_t number)
{
    static const char *const declarations[] = {
#define BODY_INPUT(name, declaration) declaration,
#include "emit/body_inputs.def"
#undef BODY_INPUT
    };
    text *line = writer_begin(w);
    text_printf(line, "ww_audit_%zu(const __grid_constant__ %s params, ww_audit_%zu_values *ww_at", number,
                w->program->kernel->options.params, number);
    for (int i = 0; i < EMIT_BODY_INPUTS; i++)
        text_printf(line, ", %s", declarations[i]);
    writer_end(w, ")");
}

/* "{buffer_0, buffer_1}": as many as the resource has, as in a call of the kernel. */
static void print_addresses(const char *name, int count, text *out)
{
    text_add(out, "{");
    for (int i = 0; i < count; i++)
        text_printf(out, "%s%s_%d", i ? ", " : "", name, i);
    text_add(out, "}");
}

/* What is the same constant in every call of the kernel is that constant here. */
static void emit_body_info(writer *w, const emit_body *b)
{
    const ww_resource *r = w->program->kernel->resources.at[b->op->resource];
    bool ring = b->op->cursor >= 0;
    text *line = writer_begin(w);
    text_printf(line, "    ww::stage_info<%s>{params, loop_offset, loop_start, loop_end, loop_step, %s,",
                w->program->kernel->options.params, ring ? "stage, barrier, empty_barrier" : "0, 0u, 0u");
    writer_end(w, "");
    line = writer_begin(w);
    text_add(line, "        ");
    print_addresses("buffer", r->buffer_count, line);
    text_add(line, ", ");
    print_addresses("tmem", r->tmem_count, line);
    text_printf(line, ", ww_tile{tile_m, tile_n, tile_l, tile_valid}, %s, warp, lane}",
                writer_clustered(w) ? "cta_rank" : "0u");
    writer_end(w, "");
}

/* ---- the call ---------------------------------------------------------------------------------------- */

static void emit_body_arguments(writer *w, const emit_body *b)
{
    text *line = writer_begin(w);
    text_add(line, "    ");
    for (int i = 0; i < b->op->work->in_count; i++)
        if (b->op->in[i] >= 0)
            text_printf(line, ", ww::input(ww_values.in_%d)", i);
        else
            text_add(line, ", {}");
    for (int i = 0; i < b->op->work->out_count; i++)
        text_printf(line, ", ww_values.out_%d", i);
    writer_end(w, ");");
}

static void emit_body_call(writer *w, const emit_body *b)
{
    text *line = writer_begin(w);
    text_add(line, b->op->work->function);
    print_constants(b->op, line);
    text_add(line, "(ww_values.self,");
    writer_end(w, "");
    emit_body_info(w, b);
    emit_body_arguments(w, b);
}

static void emit_body_kernel(writer *w, const emit_body *b, size_t number)
{
    writer_line(w, "// %s.%s", writer_resource(w, b->op->resource), b->op->work->declared->name);
    emit_values(w, b, number);
    emit_bounds(w);
    emit_parameters(w, number);
    writer_line(w, "{");
    w->depth++;
    writer_line(w, "ww_audit_%zu_values ww_values = *ww_at;", number);
    emit_body_call(w, b);
    writer_line(w, "ww_at->self = ww_values.self;");
    for (int i = 0; i < b->op->work->out_count; i++)
        writer_line(w, "ww_at->out_%d = ww_values.out_%d;", i, i);
    writer_close(w);
    text_add(w->out, "\n");
}

void emit_audit(const ir_program *p, const emit_bodies *bodies, text *out)
{
    writer w = {p, out, 0, 0};
    writer_line(&w,
                "// The work bodies of kernel %s, each in a kernel of its own, to be audited; not to be run.",
                p->kernel->name);
    emit_includes(&w);
    for (size_t i = 0; i < bodies->list.len; i++)
        emit_body_kernel(&w, &bodies->list.at[i], i);
}
