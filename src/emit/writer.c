/* Lines, blocks and names. */
#include "emit/writer.h"

text *writer_begin(writer *w)
{
    text_printf(w->out, "%*s", 4 * w->depth, "");
    return w->out;
}

void writer_end(writer *w, const char *tail)
{
    text_printf(w->out, "%s\n", tail);
}

void writer_line(writer *w, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    text_vprintf(writer_begin(w), fmt, args);
    writer_end(w, "");
    va_end(args);
}

void writer_open(writer *w, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    text_vprintf(writer_begin(w), fmt, args);
    writer_end(w, " {");
    va_end(args);
    w->depth++;
}

void writer_close(writer *w)
{
    w->depth--;
    writer_line(w, "}");
}

void writer_comment(writer *w, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    w->out->len--; /* the newline just written */
    text_add(w->out, " // ");
    text_vprintf(w->out, fmt, args);
    text_add(w->out, "\n");
    va_end(args);
}

static const char *file_name(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path ? path : "?";
}

void writer_note(writer *w, const ir_op *op, const char *what)
{
    writer_comment(w, "%s %s (%s:%d)", what, writer_resource(w, op->resource), file_name(op->place.file),
                   op->place.line);
}

/* ---- names ------------------------------------------------------------------------------------------ */

const char *writer_resource(const writer *w, int resource)
{
    return w->program->kernel->resources.at[resource]->name;
}

void writer_barrier_name(const writer *w, const ir_barrier *b, text *out)
{
    const char *resource = writer_resource(w, b->resource);
    if (b->side == IR_TURN)
        text_printf(out, "%s_turn_%d", resource, b->member);
    else
        text_printf(out, "%s_%s", resource, b->side == IR_FULL ? "full" : "empty");
}

void writer_barrier(const writer *w, const ir_barrier *b, text *out)
{
    text_printf(out, "%s_map::", w->program->kernel->name);
    writer_barrier_name(w, b, out);
}

/* Shared and tensor memory of one resource may share names. */
void writer_buffer_name(const writer *w, const ir_buffer *b, text *out)
{
    text_printf(out, "%s_%s%s", writer_resource(w, b->resource), b->name,
                b->space == IR_TENSOR ? "_column" : "");
}

void writer_buffer(const writer *w, const ir_buffer *b, text *out)
{
    text_printf(out, "%s_map::", w->program->kernel->name);
    writer_buffer_name(w, b, out);
}

static const char *const role_names[] = {[IR_PRODUCE] = "produce",
                                         [IR_COMMIT_BEHIND] = "commit",
                                         [IR_CONSUME] = "consume",
                                         [IR_RELEASE_BEHIND] = "release"};

void writer_cursor(const writer *w, const ir_cursor *c, text *out)
{
    text_printf(out, "%s_%s", writer_resource(w, c->resource), role_names[c->role]);
}

bool writer_has_mbarriers(const writer *w)
{
    const ir_barrier *b;
    vec_each(b, &w->program->barriers)
        if (b->side != IR_NAMED)
            return true;
    return false;
}
