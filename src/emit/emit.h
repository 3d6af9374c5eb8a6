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

#endif
