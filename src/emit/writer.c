/* Lines, blocks and names. */
#include "emit/writer.h"

static void indent(writer *w)
{
    text_printf(w->out, "%*s", 4 * w->depth, "");
}

void writer_line(writer *w, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    indent(w);
    text_vprintf(w->out, fmt, args);
    text_add(w->out, "\n");
    va_end(args);
}

void writer_open(writer *w, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    indent(w);
    text_vprintf(w->out, fmt, args);
    text_add(w->out, " {\n");
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

const char *writer_resource(const writer *w, int resource)
{
    return w->program->kernel->resources.at[resource]->name;
}

static const char *const role_names[] = {[IR_PRODUCE] = "produce",
                                         [IR_COMMIT_BEHIND] = "commit",
                                         [IR_CONSUME] = "consume",
                                         [IR_RELEASE_BEHIND] = "release"};

void writer_cursor(const writer *w, const ir_cursor *c, text *out)
{
    text_printf(out, "%s_%s", writer_resource(w, c->resource), role_names[c->role]);
}
