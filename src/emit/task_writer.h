/* task_writer: one task being written, and the texts that its operations share. */
#ifndef WW_EMIT_TASK_WRITER_H
#define WW_EMIT_TASK_WRITER_H

#include "emit/emit.h"
#include "emit/writer.h"

typedef struct task_writer {
    writer *w;
    const ir_task *task;
    int loop;     /* innermost open LOOP, -1 outside */
    int finished; /* the loop that was closed last, -1: none */
    bool in_tiles;
} task_writer;

static inline const ir_op *task_op(const task_writer *tw, int at)
{
    return &tw->task->ops.at[at];
}

/* ---- emit_task.c ------------------------------------------------------------------------------------ */

/* "0u", "smem_ab_produce_slot", "..._held": the ring slot of a cursor. */
void print_slot(const task_writer *tw, int cursor, bool held, text *out);
/* "smem_base + gemm_map::smem_ab_full + 8 * slot" */
void print_barrier_at(const task_writer *tw, int barrier, int cursor, bool held, text *out);
/* The same of a buffer; of tensor memory "tmem_base + ...". Of a ring without a cursor, the first stage. */
void print_buffer_at(const task_writer *tw, const ir_buffer *b, int cursor, bool held, text *out);
void print_value(const task_writer *tw, int value, text *out);
/* "start, end, step" of a loop; bounds computed on the device are variables named after the loop's operation:
 * start_3, end_3, step_3. */
void print_loop_bounds(const task_writer *tw, int loop, text *out);
void print_loop_start(const task_writer *tw, int loop, text *out);
/* How many trips of the innermost open loop have been made. */
void print_trip(const task_writer *tw, text *out);
/* Evaluates the device bounds of the loops in operations [from, to), once a tile. */
void declare_device_bounds(task_writer *tw, int from, int to);
/* Whether operations of this gate are executed in some CTAs only. */
bool gate_closes(const writer *w, model_gate gate);

/* ---- emit_sync.c: barriers, fences, cursors. Operations print nothing for a named barrier's WAIT and ADVANCE. --- */

/* Whether a probe's answer is kept in a variable. */
bool status_is_live(const ir_task *t, int status);
void emit_probe(task_writer *tw, int at);
void emit_wait(task_writer *tw, int at);
void emit_expect(task_writer *tw, int at);
void emit_arrive(task_writer *tw, int at);
void emit_copy_arrive(task_writer *tw, int at);
void emit_umma_commit(task_writer *tw, int at);
void emit_fence(task_writer *tw, int at);
void emit_griddep(task_writer *tw, int at);
void emit_advance(task_writer *tw, int at);
void emit_forget(task_writer *tw, int at);
void declare_cursors(task_writer *tw);

/* ---- emit_work.c: calls of work bodies, and what they are told ---------------------------------------- */

void emit_work(task_writer *tw, int at);
/* Variables that a call fills; before the gate of the call, if it has one. */
void declare_outputs(task_writer *tw, const ir_op *op);
/* For bounds and predicates, which belong to no resource. */
void print_plain_info(const task_writer *tw, text *out);

/* ---- emit_replay.c: what a replay may choose. Around a text that computes it; without marks they print nothing. -------- */

void begin_answer(const task_writer *tw, int op, emit_answer which, text *out);
void end_answer(const task_writer *tw, text *out);
/* Tiles are counted: before the loop over them, and where the next one becomes current. */
void declare_tile_number(const task_writer *tw);
void count_tile(const task_writer *tw);

/* ---- emit_queue.c: tiles ------------------------------------------------------------------------------ */

void declare_tiles(task_writer *tw);
void emit_tile_loop(task_writer *tw, int at);
void emit_tile_loop_end(task_writer *tw, int at);
void emit_next_tile(task_writer *tw, int at);
void emit_fetch(task_writer *tw, int at);

#endif
