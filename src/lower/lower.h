/* lower: from recorded schedules to the task program, the one IR that prover, emitter and reports read.
 *
 * What it makes explicit: which barrier, by which cursor, with which parity rule, how many arrivals by which
 * lanes, how many bytes, in which order. A schedule verb becomes one to three operations (acquire of a
 * TmaAsync ring: WAIT on the empty barrier, then EXPECT on the full one); `verb` and `step` say where an
 * operation came from.
 *
 * Parity rule (PTX ISA, mbarrier.try_wait.parity): waiting for parity p returns once the phase of parity p
 * has completed. A fresh barrier is in phase 0, so p = 1 returns at once and p = 0 waits for the first
 * completion. Hence cursors of producers start with parity 1 (the first lap finds every slot empty), those of
 * consumers with 0. */
#ifndef WW_LOWER_H
#define WW_LOWER_H

#include "model/model.h"
#include "warpwright/schedule.h"

typedef enum ir_kind {
#define IR_OP(name, text, meaning) IR_##name,
#include "lower/ops.def"
#undef IR_OP
    IR_KIND_COUNT
} ir_kind;

typedef enum ir_side { IR_FULL, IR_EMPTY } ir_side;

/* One array of mbarriers, one a stage. */
typedef struct ir_barrier {
    int resource;
    ir_side side;
    int stages;
    uint32_t arrivals; /* count given to mbarrier.init */
    uint32_t tx_bytes; /* bytes each phase receives; 0: none */
    uint32_t offset;   /* of stage 0 in dynamic shared memory; stage s lies 8 * s after it */
} ir_barrier;

/* A piece of shared memory, one copy a stage. */
typedef struct ir_buffer {
    int resource;
    const char *name;
    int stages;
    uint32_t stage_bytes, offset; /* stage s begins at offset + s * stage_bytes */
} ir_buffer;

typedef enum ir_role {
    IR_PRODUCE,       /* acquire and commit; with advance_on_acquire: acquire only */
    IR_COMMIT_BEHIND, /* commit, with advance_on_acquire */
    IR_CONSUME,       /* wait and release; with advance_on_wait: wait only */
    IR_RELEASE_BEHIND /* release, with advance_on_wait */
} ir_role;

/* A task's place in a ring: slot 0..stages-1 and parity, two registers of each thread. */
typedef struct ir_cursor {
    int resource;
    ir_role role;
    int stages;
    uint32_t parity; /* at the start; the slot starts at 0 */
} ir_cursor;

typedef enum ir_guard { IR_GUARD_FIRST, IR_GUARD_LAST, IR_GUARD_NOT_SKIPPED } ir_guard;

/* What a work body does to shared memory, as declared. */
typedef enum ir_effect_kind {
    IR_READ,    /* by the task's threads (generic proxy), done when the body returns */
    IR_WRITE,   /* likewise */
    IR_COPY_IN, /* a bulk copy (async proxy) writes; done when its bytes have completed on `barrier` [cursor]
                 */
    IR_WGMMA_READ, /* the tensor core reads (async proxy) until a work body with a low enough wgmma_wait
                      returns */
} ir_effect_kind;

typedef struct ir_effect {
    ir_effect_kind kind;
    int buffer;     /* index into the program's buffers */
    int cursor;     /* of the task: which stage; -1: the only one */
    bool held;      /* the slot the cursor pointed to before its last ADVANCE (look-ahead cursors) */
    int barrier;    /* IR_COPY_IN: the full barrier array */
    uint32_t bytes; /* IR_COPY_IN: bytes it completes */
} ir_effect;

typedef enum ir_section { IR_HEAD, IR_BODY, IR_TAIL } ir_section; /* before, in and after the domain loop */

typedef struct ir_op {
    ir_kind kind;
    ww_place place; /* the schedule call it came from */
    int step;       /* its number in the recorded schedule */
    int verb;       /* ww_verb of that step, -1 for blocks, work and tiles */
    ir_section section;
    int match;    /* blocks: the other end */
    int resource; /* -1: none */

    int barrier;       /* PROBE, WAIT, EXPECT, ARRIVE: index into barriers */
    int cursor;        /* those, ADVANCE and WORK (-1: no ring): index into the task's cursors */
    bool held;         /* WORK: the slot before the cursor's last ADVANCE */
    model_lanes lanes; /* EXPECT, ARRIVE */
    uint32_t bytes;    /* EXPECT */
    int status;        /* PROBE defines, WAIT uses: number of a status variable; -1: none */

    ww_bound start, end, stride; /* LOOP */
    ir_guard guard;              /* GUARD; FIRST and LAST belong to the innermost enclosing LOOP */

    const model_work *work;                    /* WORK */
    int in[WW_MAX_VALUES], out[WW_MAX_VALUES]; /* WORK: the task's values; out -1: not used by anyone */
    ir_effect *effects;
    int effect_count;
    int wgmma_groups; /* WORK: commits that many wgmma groups (0 or 1) */
    int wgmma_wait;   /* WORK: returns with at most that many groups in flight; -1: does not wait */
} ir_op;

typedef struct ir_value {
    const char *type, *name;
    int producer; /* op that makes it */
    bool hoisted; /* read outside the block it is made in: declared at the top of the task */
} ir_value;

typedef struct ir_task {
    const ww_task *task;
    const char *name;
    int first_warp, warps, registers;
    VEC(ir_cursor) cursors;
    VEC(ir_value) values;
    VEC(ir_op) ops;
    int status_count;
    int queue; /* resource of its tile loop, -1 */
} ir_task;

typedef struct ir_program {
    const ww_kernel *kernel;
    VEC(ir_barrier) barriers;
    VEC(ir_buffer) buffers;
    VEC(ir_task) tasks; /* in declaration order; padding tasks included */
    int warps;          /* of the CTA: a multiple of 4 */
} ir_program;

/* Lowers the whole kernel. The declaration must have passed the rules of capture and model (with
 * ww_kernel_unchecked it may break any other). Allocated in the kernel's arena; vectors are freed with the
 * kernel. */
ir_program *lower_kernel(ww_kernel *k);
void lower_free(ir_program *p);

/* Arrivals that the kernel's schedules make per phase on a pipeline's barrier, from the protocol table: the
 * sum over the tasks that commit (acquire) or release it. What a declared count is checked against, and the
 * default. */
uint32_t lower_arrivals(const ww_kernel *k, const ww_resource *r, ir_side side);

/* Bytes that bulk copies bring into one stage: the copies of the work between the first acquire and its
 * commit. What a declared tx_bytes is checked against, and the default; 0 for types that carry no bytes. */
uint32_t lower_stage_bytes(const ww_kernel *k, const ww_resource *r);

/* "acquire", "work"... and a one-line text of an operation for dumps, tables and messages. */
const char *ir_kind_text(ir_kind kind);
void ir_op_text(const ir_program *p, const ir_task *t, const ir_op *op, text *out);
/* Whole program as text, for WW_DUMP=lower. */
void ir_dump(const ir_program *p, text *out);

#endif
