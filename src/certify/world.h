/* world: what a checker must know of a program before it runs it, read from the task program alone.
 *
 * Nothing here is shared with src/prove: a certificate is worth something because two programs that were written apart agree
 * on it. Agents are the warps of all CTAs, and their pipes (tcgen05 work, cp.async copies); stages are mbarriers, slots are
 * stages of buffers, both numbered through by CTA. A fact is something that an agent may know or not know (see state.h). */
#ifndef WW_CERTIFY_WORLD_H
#define WW_CERTIFY_WORLD_H

#include "lower/lower.h"

typedef enum world_pipe { PIPE_TENSOR, PIPE_COPY, PIPES } world_pipe;

typedef struct world_agent {
    bool is_pipe;
    world_pipe pipe;               /* of a pipe */
    int rank, task, warp, crew;    /* crew: a task in one CTA */
    int place;                     /* among the warps of its CTA */
    int pipes[PIPES];              /* of a warp; -1: none */
    int first_cursor, first_probe; /* among those of all warps */
    int last_fact;                 /* of a pipe: its last access */
    const char *name;
} world_agent;

/* Facts of a stage: these two, then each of ABOUT_STAGE_KINDS for each warp of its CTA, and one for what is not a warp's of its
 * CTA: nobody knows that it has told. */
enum { ABOUT_LAST_PHASE, ABOUT_PHASE_BEFORE, ABOUT_STAGE };
typedef enum about_stage {
    ABOUT_WAIT,
    ABOUT_TOLD,
    ABOUT_TOLD_1,
    ABOUT_TOLD_2,
    ABOUT_STAGE_KINDS
} about_stage;

/* Facts of a slot: each of ABOUT_SLOT_KINDS for each agent that may access it, then these two. */
typedef enum about_slot {
    ABOUT_WRITE,
    ABOUT_WRITE_BEFORE,
    ABOUT_READ,
    ABOUT_WGMMA,
    ABOUT_BULK,
    ABOUT_FENCED_WRITE, /* behind which a fence stands: of shared memory a proxy fence, of tensor memory one before a sync */
    ABOUT_FENCED_WRITE_BEFORE,
    ABOUT_FENCED_READ,
    ABOUT_CLEAR_WRITE, /* of tensor memory, behind which the fence after a sync stands, too: told to nobody */
    ABOUT_CLEAR_WRITE_BEFORE,
    ABOUT_CLEAR_READ,
    ABOUT_SLOT_KINDS
} about_slot;
enum { ABOUT_OWN_KINDS = ABOUT_FENCED_WRITE }; /* those up to here an agent knows of itself */
enum { ABOUT_COPY, ABOUT_COPY_BEFORE, ABOUT_COPIES };
enum { WORD_BITS = 64 };

typedef struct world_stage {
    int barrier, number, rank;
    int partner;           /* completes as many phases by the end; -1: none, or not in use */
    int first_fact, facts; /* whole words of them, so that rings can be turned */
} world_stage;

typedef struct world_slot {
    int buffer, number, rank;
    int *overlaps, overlap_count; /* slots that share bytes with it, itself among them */
    bool pipelined;               /* cursors choose it */
    int completes;                /* the stage at which copies into it complete; -1: none do */
    uint32_t bytes;
    const ww_resource *owner; /* whose memory it is: another resource's if the buffer is a view */
    int first_agent, agents;  /* who may access it: the agents of the CTAs that share an MMA */
    int first_access, first_fact, facts;
} world_slot;

enum { WORLD_TRIPS = 16 }; /* of a tile for which conditions are remembered; a power of 2 */

typedef enum value_kind { VALUE_BOUND, VALUE_TILES, VALUE_SKIP, VALUE_KEY } value_kind;

typedef struct world_value {
    value_kind kind;
    int queue;         /* TILES, SKIP: which; else: of the tile it belongs to, -1 for the launch */
    const ir_op *loop; /* BOUND: one of the loops it rules */
    int key;           /* KEY */
    bool of_trip;      /* KEY: made anew in each trip of the loops that ask about it */
    int family;        /* of_trip: that of all such conditions that loops ask about together */
    int64_t least;     /* BOUND: smaller values behave like this one, or are ruled out by a promise */
    int first;         /* of its instances, see value_instances */
} world_value;

/* Trip j of a loop runs if j < count; or, symbolic, if value > offset + j * step. */
typedef struct world_op {
    const ir_op *op;
    int value; /* that it asks about; -1 */
    int loop;  /* LOOP around it, or itself; -1 */
    bool symbolic;
    int64_t count, offset, step;
    int64_t first,
        period; /* LOOP: trips from `first` on that differ by a multiple of `period` are alike to its guards */
    int family;        /* LOOP: of the conditions of its trips; -1: it has none */
    bool idle;         /* GUARD: nothing in it is of the model */
    bool assumed;      /* GUARD: taken as holding always, for there are only accesses in it */
    bool optional;     /* stands in such a block */
    uint32_t ranks;    /* CTAs (bits) that execute it */
    uint32_t *targets; /* by rank: at whose barriers it acts */
    uint32_t *reach;   /* [effect][rank]: whose buffers it touches */
} world_op;

typedef struct world_task {
    const ir_task *task;
    world_op *ops;
    int count, tile_loop, tile_end; /* -1: none */
    bool asks_by_tile;              /* about values of a tile */
    int *cursor_ring;
    bool *cursor_moves;
} world_task;

typedef struct world_ring {
    int stages; /* -1: its parts have different numbers of stages */
    bool turns; /* all its slots are alike */
} world_ring;

/* A crew and a stage; LOOK: at its parity. */
enum { MAY_WAIT = 1, MAY_ARRIVE = 2, MAY_LOOK = 4, MAY_USE = MAY_WAIT | MAY_ARRIVE | MAY_LOOK };

typedef struct world {
    const ir_program *program;
    ww_kernel *kernel;
    arena *arena;
    const char *refused; /* why the checker does not take this program; NULL: it does */
    int ranks;
    world_task *tasks;
    world_agent *agents;
    world_stage *stages;
    world_slot *slots;
    world_ring *rings;
    VEC(world_value) values;
    int *stage_base, *slot_base; /* [rank][barrier], [rank][buffer] */
    int *barrier_ring, *buffer_ring;
    int *rank_first, *rank_warps; /* agents by CTA: warps first */
    int *value_of;                /* [instance] */
    uint8_t *acts;                /* [stage][crew] */
    bool *fences;                 /* [crew]: it has a proxy fence, see forget.c */
    uint64_t *asked;              /* [agent][fact words]: what it may be asked about, see forget.c */
    const ir_effect **copies;     /* [buffer]: one of the copies into it; NULL: there are none */
    int agent_count, stage_count, slot_count, ring_count, crew_count;
    int cursor_count, probe_count, access_count, instance_count, fact_count;
    int last_facts; /* where those of pipes begin */
} world;

/* In the kernel's arena, but for the vector of values. */
world *world_new(ww_kernel *k, const ir_program *p);
void world_free(world *w);

/* Parts of world_new. */
void world_read_tasks(world *w);
void world_find_rings(world *w);
void world_refuse(world *w, const char *why);

/* ---- numbers ------------------------------------------------------------------------------------------- */

static inline const ir_task *world_task_of(const world *w, int agent)
{
    return w->program->tasks.at + w->agents[agent].task;
}
static inline const ir_barrier *world_barrier(const world *w, int stage)
{
    return &w->program->barriers.at[w->stages[stage].barrier];
}
static inline int world_stage_at(const world *w, int barrier, int rank)
{
    return w->stage_base[(size_t)rank * w->program->barriers.len + (size_t)barrier];
}
static inline int world_slot_at(const world *w, int buffer, int rank)
{
    return w->slot_base[(size_t)rank * w->program->buffers.len + (size_t)buffer];
}
static inline bool world_acts(const world *w, int agent, int stage, uint8_t how)
{
    return w->acts[(size_t)stage * (size_t)w->crew_count + (size_t)w->agents[agent].crew] & how;
}
static inline bool world_may_access(const world *w, int slot, int agent)
{
    int place = agent - w->slots[slot].first_agent;
    return place >= 0 && place < w->slots[slot].agents;
}
/* PIPES: none does it. */
static inline world_pipe world_pipe_of(ir_effect_kind kind)
{
    ir_maker maker = ir_effects[kind].maker;
    return maker == IR_BY_TENSOR_PIPE ? PIPE_TENSOR : maker == IR_BY_COPY_PIPE ? PIPE_COPY : PIPES;
}
static inline size_t world_fact_words(const world *w)
{
    return ((size_t)w->fact_count + WORD_BITS - 1) / WORD_BITS;
}
static inline int world_places(const world *w, int stage)
{
    return w->rank_warps[w->stages[stage].rank] + 1;
}
/* A warp and its pipes. */
static inline bool world_same_warp(const world *w, int a, int b)
{
    return w->agents[a].crew == w->agents[b].crew && w->agents[a].warp == w->agents[b].warp;
}
static inline bool world_in_tensor_memory(const world *w, int slot)
{
    return w->program->buffers.at[w->slots[slot].buffer].space == IR_TENSOR;
}
/* Whether two agents of a crew may touch the same bytes of a buffer without a pipeline, by accesses of these kinds. */
bool world_parts_meet(const world *w, int buffer, int agent, ir_effect_kind kind, int other,
                      ir_effect_kind other_kind);
/* The CTA on whose barrier the bytes complete that a copy brings to CTA `rank`. */
static inline int world_completes_at(const world *w, const ir_effect *e, int rank)
{
    int pair = w->program->cluster.v > 1 ? w->program->cluster.v : 1;
    return e->to == MODEL_TO_LEADER ? rank - rank % pair : rank;
}
static inline bool value_is_choice(const world_value *v)
{
    return v->kind == VALUE_SKIP || v->kind == VALUE_KEY;
}
static inline bool value_of_tile(const world_value *v)
{
    return v->kind != VALUE_TILES && v->queue >= 0;
}
/* What is known of values: of a tile's for even and odd tiles, of a trip's for trips with the same remainder. */
static inline int value_instances(const world_value *v)
{
    return (value_of_tile(v) ? 2 : 1) * (v->of_trip ? WORLD_TRIPS : 1);
}

/* names.c: what agents, stages, slots and values are, for people. */
void world_name_agents(world *w);
void world_legend(const world *w, text *out);

#endif
