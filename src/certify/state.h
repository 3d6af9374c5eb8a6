/* state: a machine of the checker, and how it moves.
 *
 * It has no clocks. A *fact* is that something is over: the last write of an agent to a slot, the last phase of a stage, a
 * wait. When it happens anew, nobody knows it but who did it; an arrival tells the phase all that its agent knows, a
 * completed phase tells it to whoever waits for it. Every check asks whether an agent knows a fact. Hence the one rule that
 * makes certificates sound: a machine that knows less passes fewer checks, now and later.
 *
 * state.c    the block of state, facts, values
 * barrier.c  mbarriers
 * memory.c   accesses and races
 * fence.c    fences between proxies, and of tensor memory
 * trips.c    conditions that are made anew in each trip
 * run.c      operations
 * rename.c   a machine at rest under other names: tiles, trips; turn.c: rings
 * cover.c    whether a machine may stand for another */
#ifndef WW_CERTIFY_STATE_H
#define WW_CERTIFY_STATE_H

#include "certify/world.h"

enum { MOST_OPEN_GROUPS = 16 };

typedef enum group_kind { GROUPS_WGMMA, GROUPS_BULK, GROUP_KINDS } group_kind;
typedef enum state_status { STATE_RUNS, STATE_WAITS, STATE_ASKS, STATE_DONE } state_status;

/* How it is known where an agent is in a loop that a value rules: by the number of its trip; by how far its test is from
 * the least that the value can be; by how far it is from the value itself. */
typedef enum trip_mode { TRIP_COUNTED, TRIP_FROM, TRIP_LEFT } trip_mode;

typedef struct state_agent {
    state_status status;
    int pc;
    int stage; /* STATE_WAITS */
    bool in_loop;
    int64_t trip; /* with TRIP_FROM and TRIP_LEFT any that is alike to the loop's guards */
    trip_mode mode;
    int64_t distance; /* TRIP_FROM, TRIP_LEFT: of the test of the trip it is in */
    int64_t turn;     /* in a loop: the number of its trip, as conditions of trips know it */
    int64_t tile;
    int groups[GROUP_KINDS]; /* in flight */
} state_agent;

typedef struct state_cursor {
    int slot, held;
    int64_t lap, held_lap;
    uint32_t parity;
} state_cursor;

typedef struct state_probe {
    int stage; /* -1: not asked */
    uint32_t parity;
    int behind; /* completions that the agent was not sure of when it asked; 2: two or more */
} state_probe;

typedef struct state_stage {
    int64_t count; /* completed phases; of a machine that was read, only the parity means something */
    uint32_t pending;
    int64_t bytes; /* announced and not come */
    bool engines;  /* copies or pipes contribute to the current phase */
    bool owed;     /* the last completion is one that somebody must have waited for, and nobody has */
    int64_t lead;  /* completions more than its partner */
} state_stage;

#define NO_LAP INT64_MIN /* before the first, or one that no cursor is in any more */

typedef struct state_copy {
    int age[ABOUT_COPIES]; /* phases that have completed since, its own counted; at most 3 */
    int64_t lap;
    bool whole; /* one of that lap covers the slot */
} state_copy;

/* The value is one of {b, b + step, b + 2 step, ...} with b one of {from, from + every, ...}; 0: only the first. */
typedef struct state_value {
    bool dead; /* nobody will ask */
    bool any;  /* `from` may be anything: nobody will ask but those who are in its loops */
    int64_t from, every, step;
    int choice;   /* SKIP, KEY: 0 no, 1 yes, -1 not known */
    int64_t turn; /* of a trip: in which */
} state_value;

typedef struct state_flight {
    int agent, stage;
    int64_t phase;
    uint32_t bytes, arrivals;
} state_flight;

typedef struct state {
    const world *world;
    state_agent *agents;
    state_cursor *cursors;
    state_probe *probes;
    state_stage *stages;
    int64_t *laps;       /* [access]: of the last write */
    state_copy *copies;  /* [slot] */
    bool *gone;          /* [slot]: what it held is overwritten through another buffer */
    state_value *values; /* [instance] */
    int64_t *newest;     /* [value], TILES: the newest tile; -1 before the first */
    uint64_t *groups;    /* [agent][kind][MOST_OPEN_GROUPS][slot words] */
    uint64_t *knows; /* [holder][fact words]: agents; what a stage gathers; what its last completion tells */
    uint64_t *told_of; /* [fact words]: facts that are not kept to oneself */
    size_t fact_words, slot_words;
    int holders;
    VEC(state_flight) flights;
    size_t first_flight;
    uint64_t events, most_events;
    const char *wrong; /* the first thing that is; NULL */
    int wrong_agent, wrong_pc;
    char *block;
    size_t block_bytes;
} state;

typedef struct question {
    int value, instance;
    int64_t turn; /* of a trip: in which; else 0 */
} question;

void state_new(state *s, const world *w);
void state_free(state *s);
void state_begin(state *s); /* before the first operation */

/* ---- sets of numbers ----------------------------------------------------------------------------------- */

static inline bool bits_has(const uint64_t *bits, int number)
{
    return bits[number / WORD_BITS] >> (number % WORD_BITS) & 1;
}
static inline void bits_add(uint64_t *bits, int number)
{
    bits[number / WORD_BITS] |= UINT64_C(1) << (number % WORD_BITS);
}
static inline uint64_t bits_get(const uint64_t *bits, int first, int count)
{
    int at = first % WORD_BITS;
    uint64_t low = bits[first / WORD_BITS] >> at;
    uint64_t high = at + count > WORD_BITS ? bits[first / WORD_BITS + 1] << (WORD_BITS - at) : 0;
    return (low | high) & ((UINT64_C(1) << count) - 1);
}
static inline void bits_put(uint64_t *bits, int first, int count, uint64_t values)
{
    int at = first % WORD_BITS;
    uint64_t mask = (UINT64_C(1) << count) - 1, *word = &bits[first / WORD_BITS];
    *word = (*word & ~(mask << at)) | values << at;
    if (at + count > WORD_BITS)
        word[1] = (word[1] & ~(mask >> (WORD_BITS - at))) | values >> (WORD_BITS - at);
}
static inline void bits_remove(uint64_t *bits, int number)
{
    bits[number / WORD_BITS] &= ~(UINT64_C(1) << (number % WORD_BITS));
}

/* ---- facts --------------------------------------------------------------------------------------------- */

static inline int holder_gathered(const state *s, int stage)
{
    return s->world->agent_count + stage;
}
static inline int holder_done(const state *s, int stage)
{
    return s->world->agent_count + s->world->stage_count + stage;
}
static inline uint64_t *state_holder(const state *s, int holder)
{
    return s->knows + (size_t)holder * s->fact_words;
}
static inline bool state_knows(const state *s, int holder, int fact)
{
    return bits_has(state_holder(s, holder), fact);
}
static inline bool state_may_tell(const state *s, int fact)
{
    return bits_has(s->told_of, fact);
}
static inline void state_learn(const state *s, int holder, int fact)
{
    bits_add(state_holder(s, holder), fact);
}
void state_learn_all(const state *s, int holder, int of); /* what another holder knows, and may tell */
void state_fill(const state *s, int holder, bool with);
void state_happens(const state *s, int fact, int by); /* nobody knows it but `by`; -1: nobody at all */
void state_move_fact(const state *s, int from, int to);
/* Facts of all warps of a stage's CTA: known to whoever knows those of another kind; to all. */
void state_move_facts(const state *s, int stage, about_stage from, about_stage to);
void state_reveal_facts(const state *s, int stage, about_stage kind);

static inline int stage_fact(const world *w, int stage, int kind)
{
    return w->stages[stage].first_fact + kind;
}
static inline int warp_fact(const world *w, int stage, about_stage kind, int place)
{
    return w->stages[stage].first_fact + ABOUT_STAGE + (int)kind * world_places(w, stage) + place;
}
/* Of one of the agents that may access the slot. */
static inline int access_fact(const world *w, int slot, about_slot kind, int agent)
{
    const world_slot *s = &w->slots[slot];
    return s->first_fact + (int)kind * s->agents + agent - s->first_agent;
}
static inline int copy_fact(const world *w, int slot, int kind)
{
    const world_slot *s = &w->slots[slot];
    return s->first_fact + s->agents * ABOUT_SLOT_KINDS + kind;
}
static inline int64_t *state_lap(const state *s, int slot, int agent)
{
    return &s->laps[s->world->slots[slot].first_access + agent - s->world->slots[slot].first_agent];
}
static inline uint64_t *state_group(const state *s, int agent, group_kind kind, int number)
{
    size_t group = ((size_t)agent * GROUP_KINDS + (size_t)kind) * MOST_OPEN_GROUPS + (size_t)number;
    return s->groups + group * s->slot_words;
}

/* ---- places -------------------------------------------------------------------------------------------- */

static inline const world_op *state_op(const state *s, int agent)
{
    const world_task *t = &s->world->tasks[s->world->agents[agent].task];
    return &t->ops[s->agents[agent].pc];
}
static inline state_cursor *state_cursor_of(const state *s, int agent, int cursor)
{
    return &s->cursors[s->world->agents[agent].first_cursor + cursor];
}
static inline bool state_alive(const state *s, int agent)
{
    return s->agents[agent].status != STATE_DONE;
}
/* The loop the agent is in, or starts. */
static inline const world_op *state_loop(const state *s, int agent)
{
    const world_op *o = state_op(s, agent);
    return o->loop < 0 ? NULL : &s->world->tasks[s->world->agents[agent].task].ops[o->loop];
}
/* Whether the agent is in the tile loop of that queue, or before it. */
static inline bool state_has_tiles_ahead(const state *s, int agent, int queue)
{
    const world_task *t = &s->world->tasks[s->world->agents[agent].task];
    return state_alive(s, agent) && t->task->queue == queue && s->agents[agent].pc <= t->tile_end;
}

/* Records what is wrong; always false. */
bool state_wrong(state *s, int agent, const char *what);

/* ---- values -------------------------------------------------------------------------------------------- */

typedef enum state_answer { ANSWER_NO, ANSWER_YES, ANSWER_OPEN, ANSWER_WRONG } state_answer;

/* Of conditions of trips the first of the tile's. */
static inline int value_instance(const world *w, int value, int64_t tile)
{
    const world_value *v = &w->values.at[value];
    return v->first + (value_of_tile(v) && tile & 1 ? value_instances(v) / 2 : 0);
}
static inline bool same_question(const question *a, const question *b)
{
    return a->value == b->value && a->instance == b->instance && a->turn == b->turn;
}
/* Whether the agent's loop has a trip `ahead` (0 or 1) of the one it is in. */
state_answer state_has_trip(state *s, int agent, const world_op *loop, int ahead);
state_answer state_has_tile(state *s, int agent, int value);
state_answer state_choice(state *s, int agent, int value);
bool state_enter_tile(state *s, int agent, int value);
/* Goes on with an answer: choices yes or no; else `more`: the value is not the least that it can be. */
void state_give(state *s, const question *q, bool more);
/* What the agent asks about. */
int64_t state_newest_tile(const state *s, int queue);
question state_asked(const state *s, int agent);
int state_first_to_ask(const state *s, const question *q); /* -1: nobody does */
/* Trips that are alike to the guards of a loop have the same. */
int64_t state_alike_trip(const world_op *loop, int64_t trip);

/* ---- trips.c ------------------------------------------------------------------------------------------- */

/* What is known of a condition of trips in that one. */
static inline int turn_instance(const world *w, int value, int64_t tile, int64_t turn)
{
    return value_instance(w, value, tile) + (int)(turn & (WORLD_TRIPS - 1));
}
/* The trip that is called 0 in that tile: names of trips say how far agents are apart. */
const world_op *state_loop_of_family(const state *s, int agent, int family, int64_t tile);
int64_t state_turn_zero(const state *s, int family, int64_t tile);
/* Whether the agent will begin a loop of the family in that tile that asks about the value; -1: about any. */
bool state_will_begin(const state *s, int agent, int family, int value, int64_t tile);

/* ---- barrier.c: false when something is wrong ---------------------------------------------------------- */

typedef enum wait_result { WAIT_PASSES, WAIT_BLOCKS, WAIT_WRONG } wait_result;

wait_result state_wait_for(state *s, int agent, int stage, uint32_t parity);
bool state_arrive(state *s, int agent, int stage, uint32_t arrivals, int64_t bytes);
bool state_copy_issued(state *s, int agent, int stage, uint32_t bytes);
bool state_pipe_arrives(state *s, int agent, world_pipe pipe, int stage, uint32_t arrivals);
void state_has_told(state *s, int agent); /* after the contributions of an operation */
bool state_flight_lands(state *s);
bool state_end_is_clean(state *s);
/* Whether somebody knows that what the pipe was given last is finished. */
bool state_is_finished(const state *s, int pipe);
/* Completions that the agent is not sure of: 0, 1, or 2 for more. */
int state_behind(state *s, int agent, int stage);

/* ---- memory.c ------------------------------------------------------------------------------------------ */

bool state_work(state *s, int agent, const world_op *o);

/* ---- fence.c ------------------------------------------------------------------------------------------- */

/* The fact of a fence about an access of that kind. */
static inline about_slot state_fenced(about_slot kind)
{
    return (about_slot)(kind + ABOUT_FENCED_WRITE - ABOUT_WRITE);
}
void state_fence(state *s, int agent, ir_fence fence);
/* Whether the warp may access the slot after another agent's last access of that kind there, as far as fences go. */
bool state_is_fenced(const state *s, int warp, bool engine, int slot, about_slot kind, int other);
/* What fences say of an access of that kind begins anew; or belongs to an earlier lap. */
void state_unfence(const state *s, int slot, about_slot kind, int agent);
void state_unfence_before(const state *s, int slot, int agent);

/* ---- run.c --------------------------------------------------------------------------------------------- */

typedef enum state_outcome { STATE_FINISHED, STATE_RESTS, STATE_IS_WRONG } state_outcome;

/* Until all have ended, or nobody can go on without an answer. */
state_outcome state_run(state *s);

/* ---- rename.c, turn.c: other names for a machine at rest ----------------------------------------------- */

void state_rename(state *s);
void state_turn_rings(state *s);

/* ---- cover.c ------------------------------------------------------------------------------------------- */

/* Whether whatever passes its checks in `weak` does so in `s`. */
bool state_covers(const state *weak, const state *s);
/* Whether an agent that lives may look at the parity of the stage. */
bool state_is_looked_at(const state *s, int stage);
/* The least lap in which an agent that lives may yet access the slot. */
int64_t state_least_lap(const state *s, int slot);

#endif
