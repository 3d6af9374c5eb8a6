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
#define IR_OP(name, text, trait, meaning) IR_##name,
#include "lower/ops.def"
#undef IR_OP
    IR_KIND_COUNT
} ir_kind;

/* What others can see of an operation: nothing; an arrival, now or when earlier work is done; another synchronisation; its
 * effects on memory. Bytes of copies and answers to a fetch come by themselves and are no arrivals. */
typedef enum ir_trait { IR_SILENT, IR_ARRIVES, IR_SYNCS, IR_ACTS } ir_trait;

typedef struct ir_kind_row {
    const char *text;
    ir_trait trait;
} ir_kind_row;

extern const ir_kind_row ir_kinds[IR_KIND_COUNT];

typedef enum ir_side {
    IR_FULL,
    IR_EMPTY,
    IR_TURN, /* of an ordered sequence: it is the turn of participant `member` */
    IR_NAMED /* a hardware barrier: an ARRIVE and, for a sync, a WAIT on its stage; parity counts its phases */
} ir_side;

/* One array of mbarriers, one a stage, in each CTA of the cluster; or one hardware barrier. */
typedef struct ir_barrier {
    int resource; /* the pipeline's resource, or the group that shares it */
    ir_side side;
    int member; /* IR_TURN: the participant; else -1 */
    int stages;
    uint32_t arrivals; /* count given to mbarrier.init; IR_NAMED: warps times 32 */
    uint32_t tx_bytes; /* bytes each phase receives; 0: none */
    uint32_t offset;   /* of stage 0 in dynamic shared memory; stage s lies 8 * s after it */
    int named_id;      /* IR_NAMED: 1 to 15, of stage 0; a stage a warpgroup */
    int balance; /* barrier that completes as many phases as this one by the end of the kernel (a full and its empty
                    one); -1: none */
} ir_barrier;

typedef enum ir_space { IR_SHARED, IR_TENSOR } ir_space;

/* A piece of shared or tensor memory, one copy a stage. */
typedef struct ir_buffer {
    int resource;
    const char *name;
    ir_space space;
    int stages;
    uint32_t bytes;               /* of a stage, as declared: what follows may belong to another buffer */
    uint32_t stage_bytes, offset; /* stage s begins at offset + s * stage_bytes; IR_TENSOR: all in columns */
} ir_buffer;

typedef enum ir_role {
    IR_PRODUCE,       /* acquire and commit; with advance_on_acquire: acquire only */
    IR_COMMIT_BEHIND, /* commit, with advance_on_acquire */
    IR_CONSUME,       /* wait and release; with advance_on_wait: wait only */
    IR_RELEASE_BEHIND /* release, with advance_on_wait */
} ir_role;

typedef enum ir_lane { IR_LANE_NONE, IR_LANE_BY_WARP, IR_LANE_FIXED } ir_lane;

/* A task's place in a ring: slot 0..stages-1 and parity, two registers of each thread. */
typedef struct ir_cursor {
    int resource; /* the pipeline's, or the group whose members share the cursor */
    ir_role role;
    int stages;
    uint32_t parity; /* at the start */
    int stride;      /* ADVANCE: slot += stride; when slot >= stages, slot -= stages and parity flips */
    ir_lane lane;    /* slot at the start: 0, the warp's number in the task (by lane_warps), or `first` */
    int first;
    int lane_warps; /* IR_LANE_BY_WARP: warps that share a lane */
} ir_cursor;

typedef enum ir_guard {
    IR_GUARD_FIRST,
    IR_GUARD_LAST,
    IR_GUARD_NOT_SKIPPED,
    IR_GUARD_EVERY, /* trip >= start and (trip - start) % period == 0, trips counted from 0 */
    IR_GUARD_TRUE,  /* a value of the task */
    IR_GUARD_FALSE
} ir_guard;

typedef enum ir_fence { IR_FENCE_PROXY, IR_FENCE_TCGEN05_AFTER, IR_FENCE_TCGEN05_BEFORE } ir_fence;

/* What an operation does to memory, as declared: the rows of effects.def. */
typedef enum ir_effect_kind {
#define IR_EFFECT(name, writes, async, maker, by, verb, until) IR_##name,
#include "lower/effects.def"
#undef IR_EFFECT
    IR_EFFECT_KINDS
} ir_effect_kind;

/* Who carries an access out: the warp's threads, with their groups; its tensor pipe, in order; its cp.async copies; a bulk
 * copy on its own. */
typedef enum ir_maker { IR_BY_WARP, IR_BY_TENSOR_PIPE, IR_BY_COPY_PIPE, IR_BY_COPY } ir_maker;

typedef struct ir_effect_row {
    bool writes, async;
    ir_maker maker;
    const char *by, *verb;
} ir_effect_row;

extern const ir_effect_row ir_effects[IR_EFFECT_KINDS];

typedef struct ir_effect {
    ir_effect_kind kind;
    int buffer;     /* index into the program's buffers */
    int cursor;     /* of the task: which stage; -1: the only one */
    bool held;      /* the slot the cursor pointed to before its last ADVANCE (look-ahead cursors) */
    int barrier;    /* IR_COPY_IN, IR_LOAD_IN: the full barrier array; else -1 */
    uint32_t bytes; /* IR_COPY_IN: bytes it completes at each of its destinations */
    ww_reach reach; /* IR_COPY_IN */
    ww_part part;   /* of a buffer without a pipeline: how much of it one warp touches */
    /* IR_COPY_IN: OWN; LEADER: bytes complete on the leader's barrier; NEXT: buffer and barrier are the next CTA's; EVERY:
     * all CTAs'. IR_UMMA_*: PAIR: the memory of all CTAs that share the MMA. */
    model_to to;
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

    int barrier;       /* PROBE, WAIT, EXPECT, ARRIVE, COPY_ARRIVE, UMMA_COMMIT, FETCH: index into barriers */
    int cursor;        /* those, ADVANCE, WORK and NEXT_TILE (-1: no ring): index into the task's cursors */
    bool held;         /* WORK: the slot before the cursor's last ADVANCE */
    model_lanes lanes; /* EXPECT, ARRIVE */
    model_to to;       /* EXPECT, ARRIVE, UMMA_COMMIT: at whose barrier */
    model_gate gate;   /* all but blocks and ADVANCE: in which CTAs it is executed */
    bool drain;     /* WAIT and ADVANCE at the end of a task: until the consumers' last arrivals have come */
    uint32_t bytes; /* EXPECT */
    int status;     /* PROBE defines, WAIT uses: number of a status variable; -1: none */
    ir_fence fence; /* FENCE */

    ww_bound start, end, stride; /* LOOP */
    int unroll;                  /* LOOP: 1: not; 0: as the compiler likes */
    ir_guard guard;              /* GUARD; FIRST, LAST and EVERY belong to the innermost enclosing LOOP */
    int period, first;           /* GUARD EVERY */
    int condition;               /* GUARD TRUE, FALSE: the task's value */
    int key; /* those: blocks of equal key see equal values in a tile; numbered through over the kernel */

    const model_work *work;                    /* WORK */
    int in[WW_MAX_VALUES], out[WW_MAX_VALUES]; /* WORK: the task's values; in -1: none */
    int constants[WW_MAX_CONSTANTS];           /* WORK: compile-time arguments */
    ir_effect *effects;
    int effect_count;
    int wgmma_groups;           /* WORK: commits that many wgmma groups (0 or 1) */
    int wgmma_wait;             /* WORK: returns with at most that many groups in flight; -1: does not wait */
    int bulk_groups, bulk_wait; /* WORK: likewise of bulk stores */
    bool umma;                  /* WORK: issues tcgen05 work */
} ir_op;

typedef struct ir_value {
    const char *type, *name, *initial; /* initial: value before the op has run; NULL: {} */
    int producer;                      /* op that makes it */
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
    int queue;    /* resource of its tile loop, -1 */
    int only_cta; /* rank of the one CTA it runs in; -1: in all */
} ir_task;

typedef struct ir_program {
    const ww_kernel *kernel;
    VEC(ir_barrier) barriers;
    VEC(ir_buffer) buffers;
    VEC(ir_task) tasks; /* in declaration order; padding tasks included */
    int warps;          /* of the CTA: a multiple of 4 where registers are split */
    ww_cluster cluster; /* no zeros */
    int cluster_size;
    int keys; /* of GUARD TRUE and FALSE */
} ir_program;

/* What a counterexample tells and a replay stops at: operations that act on barriers or touch memory. */
bool ir_is_event(const ir_op *op);
bool ir_is_arrival(const ir_op *op);
/* Whether it touches memory, or gathers or waits for groups that do. */
bool ir_has_effect(const ir_op *op);
/* One with all its references to nothing. */
ir_op ir_blank_op(ir_kind kind);

/* Lowers the whole kernel. The declaration must have passed the rules of capture and model (with
 * ww_kernel_unchecked it may break any other). Allocated in the kernel's arena; vectors are freed with the
 * kernel. */
ir_program *lower_kernel(ww_kernel *k);
void lower_free(ir_program *p);

/* Arrivals that the kernel's schedules make per phase on a barrier, from the protocol table: summed over the tasks and
 * CTAs whose operations reach it. What a declared count is checked against, and the default. Of a side that a group
 * shares, of the group's. */
uint32_t lower_arrivals(const ww_kernel *k, const ww_resource *r, ir_side side);

/* Bytes that bulk copies bring to one full barrier a phase, over all producers and CTAs that reach it. What a declared
 * tx_bytes is checked against, and the default; 0 for types that carry no bytes. */
uint32_t lower_stage_bytes(const ww_kernel *k, const ww_resource *r);

/* Bytes that one arming warp of this task announces a stage (its own copies', as they arrive at the barrier it arms). */
uint32_t lower_task_bytes(const ww_task *t, const ww_resource *r);

struct capture_step; /* capture/capture.h */
/* The lane that a domain loop picks of a ring of that stride: its immediate start, if it steps by the stride; else -1. */
int lower_loop_lane(const struct capture_step *loop, int stride);

/* Whether a task waits on r and leaves the release to another. */
bool lower_split_consumer(const ww_kernel *k, const ww_resource *r);

/* "acquire", "work"... and a one-line text of an operation for dumps, tables and messages. */
const char *ir_kind_text(ir_kind kind);
void ir_op_text(const ir_program *p, const ir_task *t, const ir_op *op, text *out);
/* "8", "trips" of the parameter struct, "trips()" of the body header. */
void ir_bound_text(const ww_bound *b, text *out);
/* Whole program as text, for WW_DUMP=lower. */
void ir_dump(const ir_program *p, text *out);
/* Of that text: tells declarations apart. */
uint64_t ir_hash(const ir_program *p);

#endif
