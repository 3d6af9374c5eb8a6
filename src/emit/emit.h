/* emit: the task program as one readable CUDA translation unit.
 *
 * Prints what the IR says and decides nothing itself: each operation is a line or two, barriers are addresses
 * in dynamic shared memory, cursors are registers. The device headers (device/ww) give the names. */
#ifndef WW_EMIT_H
#define WW_EMIT_H

#include "lower/lower.h"

/* Appends the translation unit to out. With marks, it says in the PTX where a warp is: `.pragma "mark N";` before operation
 * N of its task, for each that ir_is_event (lower.h). */
void emit_program(const ir_program *p, bool marks, text *out);

/* With marks, it also asks what is to be taken for what it has computed: `.pragma "answer N, %value, %tile, %trip";`, N the number
 * of the operation and which of its values. Tiles and trips are counted from 0; -1: there is none. */
typedef enum emit_answer {
    EMIT_CHOICE, /* TILE_LOOP: the tile is skipped; GUARD: the condition holds */
    EMIT_START,
    EMIT_END,
    EMIT_STEP, /* LOOP */
    EMIT_ANSWERS
} emit_answer;

static inline uint32_t emit_answer_number(int op, emit_answer which)
{
    return (uint32_t)op * EMIT_ANSWERS + which;
}

/* What a thread owns at entry under __launch_bounds__(threads, 1): the multiprocessor's registers shared out, in steps of 8. */
int emit_registers_at_entry(const ir_program *p);

/* ---- for the audit: each work body in a kernel of its own ---------------------------------------------- */

/* A work body: a method of a resource with its compile-time arguments, and its first call. */
typedef struct emit_body {
    const ir_task *task;
    const ir_op *op;
} emit_body;

typedef struct emit_bodies {
    VEC(emit_body) list;
} emit_bodies;

/* A body's inputs, in the order in which they follow the two first parameters of its kernel (the kernel's own, and the
 * address of the values that the body takes and makes). */
typedef enum emit_body_input {
#define BODY_INPUT(name, declaration) EMIT_##name,
#include "emit/body_inputs.def"
#undef BODY_INPUT
    EMIT_BODY_INPUTS
} emit_body_input;

enum { EMIT_BODY_PARAMS = 0, EMIT_BODY_VALUES = 1, EMIT_BODY_FIRST_INPUT = 2 };

/* The bodies that are called, each once. Free the list with vec_free. */
void emit_list_bodies(const ir_program *p, emit_bodies *bodies);
/* Appends a translation unit with a kernel ww_audit_<n> for body n: the call that emit_program prints, with everything
 * that the body is told unknown to the compiler and everything that it makes kept. emit_audit.c */
void emit_audit(const ir_program *p, const emit_bodies *bodies, text *out);

#endif
