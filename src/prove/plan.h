/* plan: what the prover needs to know of a program before it runs, worked out once.
 *
 * Agents are warps: each warp of each task that has operations. A clock has one entry an agent and lane, and one a barrier
 * stage; lanes are resources in a loose plan, and one for all in an exact one. Barrier stages, and slots (one stage of one buffer)
 * are numbered through. Symbolic values are what loops, tile loops and skip guards ask about; a value belongs to the
 * launch, or to each tile anew. */
#ifndef WW_PLAN_H
#define WW_PLAN_H

#include "lower/lower.h"
#include "verify/trips.h"

enum { PLAN_MAX_VALUES = 64 };
enum { PLAN_READS = 1, PLAN_WRITES = 2 };

typedef struct plan_agent {
    int task, warp; /* warp within the task */
    int cursors;    /* first of its cursors among those of all agents */
    int statuses;   /* likewise */
} plan_agent;

typedef struct plan_stage {
    int barrier, stage;
} plan_stage;

typedef struct plan_slot {
    int buffer, stage;
    int first_overlap,
        overlaps; /* range of plan.overlaps: the slots that share bytes with it, itself first */
    bool pipelined;
    uint32_t bytes; /* as declared, without the padding between stages */
} plan_slot;

typedef enum plan_value_kind {
    PLAN_BOUND, /* value of a loop (trips.h) */
    PLAN_TILES, /* number of tiles of a queue */
    PLAN_SKIP   /* whether the tile is skipped */
} plan_value_kind;

typedef struct plan_value {
    plan_value_kind kind;
    const ir_op *loop; /* PLAN_BOUND: one of the loops it rules */
    int queue; /* PLAN_TILES, PLAN_SKIP: which; PLAN_BOUND: of the tile it belongs to, -1 for the launch */
    int64_t least; /* smallest value that behaves differently from all smaller ones */
} plan_value;

/* One operation, as far as it does not change. */
typedef struct plan_op {
    const ir_op *op;
    trips trips; /* LOOP and its LOOP_END */
    int value; /* LOOP, LOOP_END, TILE_LOOP, TILE_LOOP_END, GUARD NOT_SKIPPED: what they ask about; else -1 */
    int loop;  /* the LOOP around it, or itself; -1 */
    uint64_t later; /* values (bits) of loops that may start after this operation and were not started yet */
} plan_op;

typedef struct plan_task {
    const ir_task *task;
    plan_op *ops;
    int count;
    bool tiled;
} plan_task;

typedef struct plan {
    const ir_program *program;
    ww_kernel *kernel;
    plan_task *tasks;
    plan_agent *agents;
    plan_stage *stages;
    plan_slot *slots;
    int *overlaps;
    int *stage_base;  /* by barrier: number of its stage 0 */
    int *slot_base;   /* by buffer */
    bool *waits_on;   /* [task][barrier] */
    bool *uses;       /* [task][barrier]: waits, probes, arrives or copies */
    bool *arrives;    /* [task][barrier]: arrives or copies */
    uint8_t *touches; /* [task][buffer]: PLAN_READS, PLAN_WRITES; overlapping buffers count */
    plan_value values[PLAN_MAX_VALUES];
    int agent_count, stage_count, slot_count, value_count, cursor_count, status_count;
    int *lane_of; /* by resource */
    int lanes;
    int width;           /* of a clock: agents times lanes, then barrier stages */
    bool loose;          /* see plan_new */
    ww_diag *unprovable; /* the program is outside the model */
} plan;

/* Allocated in the kernel's arena. Sets unprovable when there is something the model does not have.
 *
 * A loose plan has more executions than there are (launch arguments that bound loops of a tile may change from tile to
 * tile, long immediate loops have any length from 64 trips on) and takes less for granted (weaken.c): what it proves is proved, what it finds need not be so. It is for programs
 * with more configurations than the exact search cares to tell apart. */
plan *plan_new(ww_kernel *k, const ir_program *p, bool loose);

/* A diagnostic on its own, in the kernel's arena, not in the kernel's list. */
ww_diag *plan_diag(ww_kernel *k, ww_code code, ww_place place, diag_list *list, const char *fmt, ...)
    PRINTF_LIKE(5, 6);

/* The clock entry for what an agent did to a resource; the one for a barrier stage. */
static inline int plan_entry(const plan *p, int agent, int resource)
{
    return agent * p->lanes + p->lane_of[resource];
}
static inline int plan_stage_entry(const plan *p, int stage)
{
    return p->agent_count * p->lanes + stage;
}
static inline int plan_slot_resource(const plan *p, int slot)
{
    return p->program->buffers.at[p->slots[slot].buffer].resource;
}
static inline int plan_stage_resource(const plan *p, int stage)
{
    return p->program->barriers.at[p->stages[stage].barrier].resource;
}

static inline const ir_task *plan_task_of(const plan *p, int agent)
{
    return p->tasks[p->agents[agent].task].task;
}

static inline bool *plan_waits_on(const plan *p, int task, int barrier)
{
    return &p->waits_on[(size_t)task * p->program->barriers.len + (size_t)barrier];
}

static inline bool *plan_uses(const plan *p, int task, int barrier)
{
    return &p->uses[(size_t)task * p->program->barriers.len + (size_t)barrier];
}

static inline bool *plan_arrives(const plan *p, int task, int barrier)
{
    return &p->arrives[(size_t)task * p->program->barriers.len + (size_t)barrier];
}

static inline uint8_t *plan_touches(const plan *p, int task, int buffer)
{
    return &p->touches[(size_t)task * p->program->buffers.len + (size_t)buffer];
}

static inline const char *plan_resource_name(const plan *p, int resource)
{
    return p->kernel->resources.at[resource]->name;
}

#endif
