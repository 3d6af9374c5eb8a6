/* writer: indentation and the names that generated code uses for things of the task program. */
#ifndef WW_EMIT_WRITER_H
#define WW_EMIT_WRITER_H

#include "lower/lower.h"

/* Masks of a cluster's CTAs that the tasks use, as bits. Each is computed once, at the top of the kernel, if at all. */
typedef enum cluster_mask {
    CLUSTER_PAIR = 1,      /* the CTAs of our MMA */
    CLUSTER_RELEASE_M = 2, /* whose A tiles we or our peer of a pair read; of B; of both */
    CLUSTER_RELEASE_N = 4,
    CLUSTER_RELEASE_MN = 8,
    CLUSTER_SHARE_M = 16, /* whose A tiles we read ourselves; of B; of both */
    CLUSTER_SHARE_N = 32,
    CLUSTER_SHARE_MN = 64,
    CLUSTER_LAYOUT = 128, /* no mask, but the name `cluster` */
} cluster_mask;

typedef struct writer {
    const ir_program *program;
    text *out;
    int depth;     /* of indentation, in steps of four */
    unsigned used; /* cluster_mask bits that what was written so far refers to */
    bool marks;    /* see emit_program */
} writer;

/* A whole line, indented. */
void writer_line(writer *w, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* A line in pieces: its indentation; then whatever is added to the text returned; then its end. */
text *writer_begin(writer *w);
void writer_end(writer *w, const char *tail);
/* "fmt {" and one step in; "}" and one step out. */
void writer_open(writer *w, const char *fmt, ...) PRINTF_LIKE(2, 3);
void writer_close(writer *w);
/* "// text" at the end of the line just written. */
void writer_comment(writer *w, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* "// what resource (file.c:88)" at the end of the line just written. */
void writer_note(writer *w, const ir_op *op, const char *what);

const char *writer_resource(const writer *w, int resource);
/* "gemm_map::smem_ab_full", and without the namespace. */
void writer_barrier(const writer *w, const ir_barrier *b, text *out);
void writer_barrier_name(const writer *w, const ir_barrier *b, text *out);
/* "gemm_map::smem_ab_a", and without the namespace. */
void writer_buffer(const writer *w, const ir_buffer *b, text *out);
void writer_buffer_name(const writer *w, const ir_buffer *b, text *out);
/* Prefix of a cursor's two registers: "smem_ab_produce". */
void writer_cursor(const writer *w, const ir_cursor *c, text *out);

static inline bool writer_clustered(const writer *w)
{
    return w->program->cluster_size > 1;
}

/* Whether there is a barrier that is not a hardware barrier. */
bool writer_has_mbarriers(const writer *w);

/* The name of a mask; from here on it is used. */
const char *writer_mask(writer *w, cluster_mask mask);

/* Comment, includes and the check of the parameter's size, at the top of a translation unit. emit.c */
void emit_includes(writer *w);

/* "extern "C" __global__ void" with the bounds and the cluster of the kernel, a line. emit.c */
void emit_bounds(writer *w);

/* Compile-time arguments of a call: "<3, static_cast<bool>(1)>", or nothing. emit_work.c */
void print_constants(const ir_op *op, text *out);

/* What every warp does before the tasks start, and after they have ended; emit_setup.c. */
void emit_setup(writer *w);
void emit_teardown(writer *w);

/* The function that asks what a replay chooses; nothing without marks. emit_replay.c */
void emit_answer_function(writer *w);

/* One task's body, inside its branch. */
void emit_task(writer *w, const ir_task *t);

#endif
