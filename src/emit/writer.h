/* writer: indentation and the names that generated code uses for things of the task program. */
#ifndef WW_EMIT_WRITER_H
#define WW_EMIT_WRITER_H

#include "lower/lower.h"

typedef struct writer {
    const ir_program *program;
    text *out;
    int depth; /* of indentation, in steps of four */
} writer;

/* A whole line, indented. */
void writer_line(writer *w, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* "fmt {" and one step in; "}" and one step out. */
void writer_open(writer *w, const char *fmt, ...) PRINTF_LIKE(2, 3);
void writer_close(writer *w);
/* "// text" at the end of the line just written. */
void writer_comment(writer *w, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* "// what resource (file.c:88)" at the end of the line just written. */
void writer_note(writer *w, const ir_op *op, const char *what);

const char *writer_resource(const writer *w, int resource);
/* Prefix of a cursor's two registers: "smem_ab_produce". */
void writer_cursor(const writer *w, const ir_cursor *c, text *out);

/* One task's body, inside its branch. */
void emit_task(writer *w, const ir_task *t);

#endif
