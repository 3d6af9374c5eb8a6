/* plan: what the prover needs to know of a program before it runs, worked out once.
 *
 * Agents are warps: each warp of each task that has operations, in each CTA of the cluster that runs the task. A warp that
 * issues tcgen05 work or cp.async copies has a pipe for them, an agent that runs no operations of its own but makes the
 * accesses and has an entry in clocks. Agents are numbered by CTA, in each CTA warps first. A crew is a task in one CTA.
 *
 * A clock has one entry an agent and lane, and those of fences (below); lanes are rings in a loose plan, and one for all
 * in an exact one. Barrier stages, and slots (one stage of one buffer) are numbered through, by CTA too. A ring is what cursors tie together: barriers and buffers that the same cursors point into. Symbolic values are
 * what loops, tile loops and guards ask about; a value belongs to the launch, or to each tile anew; all CTAs of a cluster
 * see the same values.
 *
 * plan.c        agents, stages, slots, who touches what
 * plan_fences.c which accesses take a fence
 * plan_parts.c  what warps of one task share of a buffer without a pipeline
 * plan_rings.c  rings and cursors
 * plan_tasks.c  operations and values; refusing what is outside the model */
#ifndef WW_PLAN_H
#define WW_PLAN_H

#include "lower/lower.h"
#include "verify/trips.h"

enum { PLAN_MAX_VALUES = 64, PLAN_TRIPS = 16 };
/* A crew and a slot. PLAN_ENGINES: by the async proxy */
enum { PLAN_READS = 1, PLAN_WRITES = 2, PLAN_ENGINES = 4 };
enum { PLAN_WAITS = 1, PLAN_ARRIVES = 2, PLAN_USES = 4 }; /* a crew and a stage */

/* What the warps of a task do to a buffer without a pipeline, as far as parts of it tell them apart. */
typedef enum plan_doing {
    PLAN_READING,
    PLAN_WRITING,
    PLAN_WGMMA,
    PLAN_BULK,
    PLAN_TCGEN05,
    PLAN_DOINGS
} plan_doing;
/* Which warps may touch the same bytes there. */
typedef enum plan_reach { PLAN_REACH_WARP = 1, PLAN_REACH_WARPGROUP, PLAN_REACH_ALL } plan_reach;

typedef enum plan_pipe { PLAN_TENSOR_PIPE, PLAN_COPY_PIPE, PLAN_PIPES } plan_pipe;

typedef struct plan_agent {
    bool warp_itself;     /* else a pipe */
    plan_pipe kind;       /* of a pipe */
    int rank, task, warp; /* warp within the task; of a pipe: whose it is */
    int crew;
    int pipes[PLAN_PIPES]; /* of a warp: its pipes; -1: none */
    int cursors;           /* first of its cursors among those of all agents */
    int statuses;          /* likewise */
} plan_agent;

/* Its warps are agents first to first + warps - 1. */
typedef struct plan_crew {
    int first, warps;
} plan_crew;

typedef struct plan_stage {
    int barrier, stage, rank;
    int first_user, users; /* range of plan.users: the agents that wait on it, probe it or contribute to it */
} plan_stage;

typedef struct plan_slot {
    int buffer, stage, rank;
    int first_overlap,
        overlaps;             /* range of plan.overlaps: the slots that share bytes with it, itself first */
    bool pipelined;           /* a cursor chooses it */
    uint32_t bytes;           /* as declared, without the padding between stages */
    const ww_resource *owner; /* whose memory it is: another resource's if the buffer is a view */
    int first_agent, agents;  /* who may access it but for bulk copies: those of the CTAs that share an MMA */
    int accesses;             /* the first of theirs among the accesses of all slots */
    int copy_stage;           /* on which bulk copies into it complete; -1: there are none */
    int copy_users;           /* the first of its users, among those of all slots' (see config) */
} plan_slot;

typedef enum plan_value_kind {
    PLAN_BOUND, /* value of a loop (trips.h) */
    PLAN_TILES, /* number of tiles of a queue */
    PLAN_SKIP,  /* whether the tile is skipped */
    PLAN_KEY    /* whether the values of a key are true */
} plan_value_kind;

typedef struct plan_value {
    plan_value_kind kind;
    const ir_op *loop; /* PLAN_BOUND: one of the loops it rules */
    int queue;         /* PLAN_TILES, PLAN_SKIP: which; else: of the tile it belongs to, -1 for the launch */
    int64_t least;     /* smallest value that behaves differently from all smaller ones */
    int key;           /* PLAN_KEY */
    const char *name;  /* PLAN_KEY: as the author calls it; NULL: it has no name */
    bool of_trip;      /* PLAN_KEY: each trip has its own */
    int first_known; /* of its instances, among those of all values: one; of a tile's two, for even and odd tiles; of a
                          trip's PLAN_TRIPS for each of these */
} plan_value;

/* One operation, as far as it does not change. */
typedef struct plan_op {
    const ir_op *op;
    trips trips; /* LOOP and its LOOP_END */
    int value; /* LOOP, LOOP_END, TILE_LOOP, TILE_LOOP_END, GUARD NOT_SKIPPED, TRUE, FALSE: what they ask about; else -1 */
    int loop;       /* the LOOP around it, or itself; -1 */
    uint64_t later; /* values (bits) of loops that may start after this operation and were not started yet */
    uint64_t now_by_trip, loop_by_trip,
        later_by_trip; /* values of trips that it, or one after it, asks about in the same
                                                          trip; in the same loop; in loops that start after it */
    bool idle;         /* GUARD TRUE, FALSE: nothing between it and its end is in the model */
    bool assumed;      /* GUARD TRUE, FALSE: taken as holding always, for all there is between are accesses */
    bool optional;     /* lies between an assumed guard and its end */
    int64_t every_first,
        every_period;  /* LOOP: guards EVERY in it hold alike in trips from the first on that differ by a
                                          multiple of the period */
    uint32_t ranks;    /* CTAs (bits) that execute it */
    uint32_t *targets; /* by rank: at whose barriers (bits) it acts */
    uint32_t *reach;   /* [effect][rank]: whose buffers (bits) the effect touches */
} plan_op;

typedef struct plan_cursor {
    int ring;
    bool advances; /* some operation moves it */
    bool writes;   /* some operation writes memory at its slot */
    int *waits;    /* barriers that it waits on or probes, ended by -1 */
} plan_cursor;

typedef struct plan_task {
    const ir_task *task;
    plan_op *ops;
    plan_cursor *cursors;
    int count;
    int tile_loop, tile_end; /* operations; -1: none */
    uint64_t of_tile;        /* values of a tile (bits) that it may ask about */
    uint64_t of_trip;        /* values of trips (bits) */
} plan_task;

/* An entry of clocks (a lane) that says up to which epoch of an agent its accesses are fenced, for whoever has heard of
 * it. A fence raises it to the entry `source`: those of the agents' own epochs, or of another kind of fence.
 *
 *   proxy   what the owner's threads (its cp.async copies) have written in shared memory: by a proxy fence of anyone in
 *           its CTA who has heard of it
 *   before  the owner's accesses to tensor memory: by its own fence before a thread synchronisation
 *   after   those, or what a tensor pipe was given: by the fence after a thread synchronisation, for the warp that
 *           executes it alone; these entries are told to nobody */
typedef struct plan_fence {
    ir_fence by;
    int owner;
    int source; /* first entry */
} plan_fence;

typedef struct plan_ring {
    int stages; /* -1: its parts have different numbers of stages */
    bool turns; /* its slots are alike: none overlaps with another slot but those of the same stage */
} plan_ring;

/* Lists of crews (or of what a crew has to do with): those of number n are at[first[n]] to at[first[n + 1] - 1]. */
typedef struct plan_crews {
    int *first, *at;
} plan_crews;

typedef struct plan {
    const ir_program *program;
    ww_kernel *kernel;
    plan_task *tasks;
    plan_agent *agents;
    plan_crew *crews;
    plan_stage *stages;
    plan_slot *slots;
    plan_ring *rings;
    int *overlaps;
    int *stage_base;   /* [rank][barrier]: number of its stage 0 */
    int *slot_base;    /* [rank][buffer] */
    int *barrier_ring; /* by barrier, by buffer */
    int *buffer_ring;
    uint8_t *acts;    /* [stage][crew]: PLAN_WAITS, PLAN_ARRIVES, PLAN_USES */
    uint8_t *touches; /* [slot][crew]: PLAN_READS, PLAN_WRITES; overlapping slots count */
    uint8_t *parts;   /* [buffer][task][doing][doing]: plan_reach, of the one that reaches further */
    int *users;       /* agents, by stage */
    int16_t *use;     /* [stage][agent]: place of the agent among the users of the stage; -1: it is none */
    plan_crews acting[PLAN_USES + 1]; /* by one of PLAN_WAITS, PLAN_ARRIVES, PLAN_USES: of each stage */
    plan_crews touching[(PLAN_READS | PLAN_WRITES) +
                        1]; /* by one of PLAN_READS, PLAN_WRITES or both: of each slot */
    plan_crews crew_stages,
        crew_slots;       /* the reverse: of each crew, the stages it uses, the slots it touches */
    plan_crews copies_on; /* of each stage, the slots whose copies complete on it */
    plan_value values[PLAN_MAX_VALUES];
    int ranks; /* CTAs of the cluster */
    int agent_count, stage_count, slot_count, value_count, cursor_count, status_count, crew_count, ring_count;
    int access_count, known_count, user_count, copy_user_count;
    int lanes;
    plan_fence *fences;
    int fence_count;
    int *proxy_fence, *after_fence; /* by agent, -1: none */
    int told;                       /* entries of a clock: agents times lanes, fences that are told of */
    int width;                      /* and the others */
    bool has_options;               /* some operation is optional */
    bool loose;                     /* see plan_new */
    ww_diag *unprovable;            /* the program is outside the model */
} plan;

/* What warps do to memory by an effect. */
plan_doing plan_doing_of(ir_effect_kind kind);

/* Allocated in the kernel's arena. Sets unprovable when there is something the model does not have.
 *
 * A loose plan has more executions than there are (launch arguments that bound loops of a tile may change from tile to
 * tile, long immediate loops have any length from 64 trips on) and takes less for granted (weaken.c): what it proves is
 * proved, what it finds need not be so. It is for programs with more configurations than the exact search cares to tell
 * apart. */
plan *plan_new(ww_kernel *k, const ir_program *p, bool loose);

/* Parts of plan_new. */
void plan_read_tasks(plan *p); /* operations and values */
void plan_find_rings(plan *p);
void plan_find_parts(plan *p);
void plan_find_fences(plan *p); /* and the width of clocks */
void plan_check(plan *p);       /* refuses what is outside the model */
void plan_refuse(plan *p, ww_place place, const char *why, const char *hint);

/* A diagnostic on its own, in the kernel's arena, not in the kernel's list. */
ww_diag *plan_diag(ww_kernel *k, ww_code code, ww_place place, diag_list *list, const char *fmt, ...)
    PRINTF_LIKE(5, 6);

/* ---- numbers ------------------------------------------------------------------------------------------- */

/* The clock entry for what an agent did in a ring. */
static inline int plan_entry(const plan *p, int agent, int ring)
{
    return agent * p->lanes + (p->lanes > 1 ? ring : 0);
}
/* Of a fence, for what its owner did in a ring. */
static inline int plan_fence_entry(const plan *p, int fence, int ring)
{
    return (p->agent_count + fence) * p->lanes + (p->lanes > 1 ? ring : 0);
}
/* Of a ring: which entries of an agent tell about it. */
static inline bool plan_in_lane(const plan *p, int ring, int lane)
{
    return p->lanes == 1 || ring == lane;
}

static inline int plan_stage_at(const plan *p, int barrier, int rank)
{
    return p->stage_base[(size_t)rank * p->program->barriers.len + (size_t)barrier];
}
static inline int plan_slot_at(const plan *p, int buffer, int rank)
{
    return p->slot_base[(size_t)rank * p->program->buffers.len + (size_t)buffer];
}
static inline int plan_slot_ring(const plan *p, int slot)
{
    return p->buffer_ring[p->slots[slot].buffer];
}
static inline int plan_stage_ring(const plan *p, int stage)
{
    return p->barrier_ring[p->stages[stage].barrier];
}
static inline const ir_barrier *plan_barrier_of(const plan *p, int stage)
{
    return &p->program->barriers.at[p->stages[stage].barrier];
}
static inline const ir_buffer *plan_buffer_of(const plan *p, int slot)
{
    return &p->program->buffers.at[p->slots[slot].buffer];
}

static inline uint8_t *plan_reach_at(const plan *p, int buffer, int task, plan_doing a, plan_doing b)
{
    size_t row = (size_t)buffer * p->program->tasks.len + (size_t)task;
    return &p->parts[(row * PLAN_DOINGS + (size_t)a) * PLAN_DOINGS + (size_t)b];
}
/* Whether two agents of a crew may touch the same bytes of a buffer without a pipeline, one doing this and one that. */
static inline bool plan_parts_meet(const plan *p, int buffer, int agent, plan_doing doing, int other,
                                   plan_doing other_doing)
{
    const plan_agent *a = &p->agents[agent], *b = &p->agents[other];
    switch (*plan_reach_at(p, buffer, a->task, doing, other_doing)) {
    case PLAN_REACH_ALL: return true;
    case PLAN_REACH_WARPGROUP: return a->warp / 4 == b->warp / 4;
    default: return a->warp == b->warp;
    }
}

static inline const ir_task *plan_task_of(const plan *p, int agent)
{
    return p->tasks[p->agents[agent].task].task;
}
static inline const plan_cursor *plan_cursor_of(const plan *p, int agent, int cursor)
{
    return &p->tasks[p->agents[agent].task].cursors[cursor];
}

static inline bool plan_acts(const plan *p, int crew, int stage, uint8_t how)
{
    return p->acts[(size_t)stage * (size_t)p->crew_count + (size_t)crew] & how;
}
/* The place of an agent among the users of a stage; -1: it is none. */
static inline int plan_use(const plan *p, int stage, int agent)
{
    return p->use[(size_t)stage * (size_t)p->agent_count + (size_t)agent];
}
/* Who carries out what a pipe makes. */
static inline ir_maker plan_maker_of(plan_pipe kind)
{
    return kind == PLAN_TENSOR_PIPE ? IR_BY_TENSOR_PIPE : IR_BY_COPY_PIPE;
}
/* Who makes such an access of a warp: the warp itself, or one of its pipes. */
static inline int plan_maker(const plan *p, int agent, ir_effect_kind kind)
{
    const plan_agent *a = &p->agents[agent];
    switch (ir_effects[kind].maker) {
    case IR_BY_TENSOR_PIPE: return a->pipes[PLAN_TENSOR_PIPE];
    case IR_BY_COPY_PIPE: return a->pipes[PLAN_COPY_PIPE];
    default: return agent;
    }
}
static inline bool plan_touches(const plan *p, int crew, int slot, uint8_t how)
{
    return p->touches[(size_t)slot * (size_t)p->crew_count + (size_t)crew] & how;
}

/* The CTA on whose barrier the bytes complete that a copy brings to CTA `rank`. */
static inline int plan_completes_at(const plan *p, const ir_effect *e, int rank)
{
    int v = p->program->cluster.v > 1 ? p->program->cluster.v : 1;
    return e->to == MODEL_TO_LEADER ? rank / v * v : rank;
}

/* Answered by yes or no. */
static inline bool plan_is_choice(const plan_value *v)
{
    return v->kind == PLAN_SKIP || v->kind == PLAN_KEY;
}
/* Forgotten when its tile is over. (Values of trips are kept apart, by the trip.) */
static inline bool plan_of_tile(const plan_value *v)
{
    return v->kind != PLAN_TILES && v->queue >= 0 && !v->of_trip;
}

static inline const char *plan_resource_name(const plan *p, int resource)
{
    return p->kernel->resources.at[resource]->name;
}

#endif
