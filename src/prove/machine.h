/* machine: the state of one canonical execution, and what moves it.
 *
 * A clock has one entry an agent and lane (epochs: how often the agent has published; lanes: see plan.h), and those of
 * fences (plan.h). "a happens before b" is a comparison of entries. Pipes have epochs, but no clock: what they do next is
 * done after what their warp knows. The whole state is one block of memory; nothing is allocated while a program runs.
 *
 * barriers.c   mbarrier semantics and the two conditions (no lapping, arrival discipline)
 * completions.c who knows which phases to be complete
 * accesses.c   accesses to memory and races
 * groups.c     wgmma groups and bulk store groups
 * fences.c     proxy fences and those of tcgen05
 * values.c     what is known of symbolic values, and questions
 * run.c        operations, scheduling
 * canonical.c  configurations up to a shift of phases and a rotation of rings (with canonical_clocks.c, canonical_marks.c)
 * canonical_order.c which of two knows more
 * descend.c    chains of answers that only lose knowledge
 * weaken.c     forgetting, for loose plans
 * steady.c     all values: the search over questions
 * witness.c    what to tell the author */
#ifndef WW_MACHINE_H
#define WW_MACHINE_H

#include "prove/plan.h"

enum { MOST_GROUPS = 16, MOST_FLIGHTS = 1024 };

/* Work of a warp that finishes group by group, in order. */
typedef enum group_kind { GROUP_WGMMA, GROUP_BULK, GROUP_KINDS } group_kind;

typedef enum agent_status { AGENT_RUNS, AGENT_BLOCKED, AGENT_ASKS, AGENT_DONE } agent_status;

typedef struct agent {
    agent_status status;
    int pc;
    int stage;     /* AGENT_BLOCKED: the barrier stage it waits for */
    int64_t asked; /* AGENT_ASKS: whether the value of the operation at pc is greater than this */
    int64_t trip;  /* of the loop it is in */
    int64_t tile;  /* of its work queue, from 0 */
    bool in_loop, in_tile_loop;
    bool pinned; /* the value of this run of the loop is `pin`, whatever is known of the next ones */
    int64_t pin;
    int groups[GROUP_KINDS]; /* in flight */
} agent;

typedef struct cursor {
    int slot, held;
    uint32_t parity;
    int64_t lap, held_lap; /* how often the ring has been gone round */
} cursor;

/* The answer of a try_wait that has not been used. */
typedef struct probe {
    int stage; /* -1: none */
    uint32_t parity;
    uint32_t known; /* what completion_last_known said when it asked */
} probe;

typedef struct barrier_state {
    uint32_t count;   /* completed phases */
    uint32_t pending; /* arrivals still expected */
    int64_t tx;       /* bytes announced and not arrived */
    uint32_t waited;  /* the last completion that someone has waited for */
    /* DEFERRED_*: contributions to the current phase, the last, the one before, that arrive later than they are issued. */
    uint8_t deferred[3];
} barrier_state;

enum { DEFERRED_ASYNC = 1, DEFERRED_REMOTE = 2 }; /* copies and pipes; arrivals from other CTAs */

/* Reads of one slot by groups of one agent. */
typedef struct group_reads {
    uint32_t done; /* when the last of them had finished: an epoch; 0: none */
    int open;      /* groups in flight that read the slot */
    int op;
} group_reads;

/* The last accesses of one agent to one slot, as epochs (0: none), and the operations that made them. */
typedef struct access {
    uint32_t write, write_before; /* the last one, and the last one of an earlier lap */
    int64_t write_lap;
    uint32_t read;
    int write_op, read_op;
    uint32_t fence_write, fence_write_before,
        fence_read; /* the same, as fences ask (weaken.c leaves them alone) */
    group_reads by_groups[GROUP_KINDS];
} access;

/* Whether what a slot held is gone: bytes of it were written as part of another buffer since. */
typedef struct clobber {
    bool gone;
    int slot, agent, op; /* what was written instead, by whom */
} clobber;

/* The last bulk copies into one slot: complete with a phase of a barrier stage (0: none; plan_slot.copy_stage). */
typedef struct copied {
    uint32_t phase, phase_before;
    int64_t lap;
    bool whole; /* it covers the buffer */
    int agent, op;
} copied;

/* A contribution that is issued and has not arrived: the bytes of a copy, or arrivals of a pipe. */
typedef struct flight {
    int stage;
    uint32_t bytes, arrivals, phase;
    int agent, op;
} flight;

/* value is one of {from, from + period, from + 2 period, ...}; period 0: it is `from`. Choices (PLAN_SKIP, PLAN_KEY): from
 * is 1 for yes, 0 for no, and period 1 while nobody knows. */
typedef struct knowledge {
    int64_t from, period;
} knowledge;

/* The trip that a value of trips is known of. */
typedef struct moment {
    int64_t tile, trip;
} moment;

/* The clock of a completion. Configurations that have the same one in common share it: it is never written while there
 * is another reference. */
typedef struct done_row {
    struct done_row *next;      /* of all there are */
    struct done_row *next_free; /* of those without references */
    uint32_t references;
    uint32_t clock[]; /* [width] */
} done_row;

/* All arrays lie in the block. */
typedef struct config {
    char *block;
    agent *agents;
    cursor *cursors;
    probe *probes;
    barrier_state *barriers;
    access *accesses;     /* [slot][agent], see plan_slot */
    copied *copies;       /* [slot] */
    clobber *clobbers;    /* [slot] */
    uint8_t *touched;     /* [slot] TOUCHED_*: which kinds of access there have been */
    knowledge *known;     /* [instance], see plan_value */
    moment *moments;      /* [instance], of values of trips */
    int64_t *newest_tile; /* [value], PLAN_TILES: -1 before the first */
    uint32_t *clocks;     /* [agent][width] */
    uint32_t *gathered;   /* [stage][width]: join of the arrivals of the current phase */
    done_row **done;      /* [stage]: clock of the last completion */
    uint32_t *waited;     /* [stage][user]: epoch of its last wait for the last completion; 0: none */
    uint32_t
        *passed; /* [stage][2][user]: of its first one for the last completion, for the one before; 0: none */
    uint32_t *
        seen; /* [slot][2][user of its copy_stage]: of its first wait for the last copy, for that of an earlier
                         lap; 0: none */
    uint32_t
        *contributed;  /* [stage][3][user]: epoch of its contribution to the current phase, the last, the one
                                   before; 0: none */
    uint32_t *last;    /* [agent]: epoch of the last access of a pipe; 0: none */
    uint32_t *groups;  /* [agent][GROUP_KINDS][MOST_GROUPS][slot words]: slots that a group reads */
    flight *in_flight; /* ring */
    int *in_flight_first, *in_flight_count;
} config;

enum { TOUCHED_WRITE = 1, TOUCHED_READ = 2, TOUCHED_GROUPS = 4 };

/* Why a program is refused; the numbers a message needs. */
typedef enum fault {
    FAULT_NONE,
    FAULT_STUCK,          /* nobody can run */
    FAULT_TOO_MANY,       /* more arrivals than the phase expects */
    FAULT_WRONG_PHASE,    /* an arrival that may fall into an earlier phase */
    FAULT_TOO_MANY_BYTES, /* more bytes than announced */
    FAULT_EARLY_WAIT,     /* a wait that may return two phases early */
    FAULT_LAPPED,         /* a phase completes before a waiter has seen the last */
    FAULT_OTHER_PROBE,    /* the probe asked about another slot or phase */
    FAULT_RACE,
    FAULT_UNFENCED,   /* an access that is ordered after another, and not fenced */
    FAULT_CLOBBERED,  /* a read of what has been overwritten through another buffer */
    FAULT_HALF_PHASE, /* the end leaves arrivals or bytes missing */
    FAULT_UNSEEN,     /* the end leaves a completed full phase that nobody waited for */
    FAULT_UNBALANCED, /* the end leaves more fills than releases, or the reverse */
    FAULT_UNFINISHED, /* the end leaves a pipe or bulk stores at work */
    FAULT_DRIFT,      /* tasks two tiles apart: outside the model */
    FAULT_TRIP_DRIFT  /* tasks too many trips apart for a condition: outside the model */
} fault;

typedef struct finding {
    fault fault;
    int agent, op;             /* who was about to do what; agent -1: at the end */
    int stage;                 /* barrier stage */
    int other_agent, other_op; /* the second access, the waiter */
    int slot, other_slot;
    ir_effect_kind kind, other_kind;
    int64_t number; /* arrivals, bytes, phase */
} finding;

typedef struct question {
    int value;
    int instance; /* of the value; 0 for those of the launch */
} question;

typedef struct machine {
    const plan *plan;
    config now;
    size_t block_bytes;
    int slot_words;
    uint32_t *least;            /* [crew][width], for heard.c */
    uint8_t *kept;              /* [stage], for snapshots */
    uint8_t *begun;             /* [stage]: its row of gathered is not zeros alone */
    done_row *rows, *free_rows; /* all, and those without references */
    done_row *zeros;
    uint64_t events, most_events; /* operations executed; the run ends when there are more */
    finding finding;
    struct event_log *log; /* NULL: nobody wants to know what happens (events.h) */
} machine;

/* ---- config -------------------------------------------------------------------------------------------- */

void machine_init(machine *m, const plan *p); /* the state before the first operation */
void machine_free(machine *m);
char *machine_snapshot(const machine *m);
void machine_forget(machine *m, char *snapshot); /* frees it; before machine_free; NULL: nothing */
void machine_restore(machine *m, const char *snapshot);

static inline uint32_t *machine_clock(const machine *m, int agent_index)
{
    return m->now.clocks + (size_t)agent_index * (size_t)m->plan->width;
}
static inline uint32_t *stage_gathered(const machine *m, int stage)
{
    return m->now.gathered + (size_t)stage * (size_t)m->plan->width;
}
static inline const uint32_t *stage_done(const machine *m, int stage)
{
    return m->now.done[stage]->clock;
}
uint32_t *stage_own_done(machine *m, int stage, bool copy); /* to be written; without `copy`, all of it */
/* NULL: the agent is of another CTA and never accesses the slot. */
static inline access *slot_access(const machine *m, int slot, int agent_index)
{
    const plan_slot *s = &m->plan->slots[slot];
    int place = agent_index - s->first_agent;
    return place < 0 || place >= s->agents ? NULL : &m->now.accesses[s->accesses + place];
}
static inline uint32_t *agent_group(const machine *m, int agent_index, group_kind kind, int group)
{
    size_t number = ((size_t)agent_index * GROUP_KINDS + (size_t)kind) * MOST_GROUPS + (size_t)group;
    return m->now.groups + number * (size_t)m->slot_words;
}
/* Epochs of the contributions to a phase that is `age` (0 to 2) completions old. */
static inline uint32_t *stage_contributions(const machine *m, int stage, int age)
{
    const plan_stage *s = &m->plan->stages[stage];
    return m->now.contributed + 3 * (size_t)s->first_user + (size_t)age * (size_t)s->users;
}
/* Both by users of the stage: its agents are plan.users[first_user + place]. */
static inline uint32_t *stage_waits(const machine *m, int stage)
{
    return m->now.waited + m->plan->stages[stage].first_user;
}
/* Epochs of the first waits for a completion that is `age` (1 or 2) completions old. */
static inline uint32_t *stage_passes(const machine *m, int stage, int age)
{
    const plan_stage *s = &m->plan->stages[stage];
    return m->now.passed + 2 * (size_t)s->first_user + (size_t)(age - 1) * (size_t)s->users;
}
/* For the last bulk copy into a slot, or that of an earlier lap. */
static inline uint32_t *slot_sightings(const machine *m, int slot, bool before)
{
    const plan_slot *s = &m->plan->slots[slot];
    return m->now.seen + 2 * (size_t)s->copy_users +
           (before ? (size_t)m->plan->stages[s->copy_stage].users : 0);
}
static inline const int *stage_users(const machine *m, int stage)
{
    return m->plan->users + m->plan->stages[stage].first_user;
}
/* How often an agent has published: its own entries are all alike. */
static inline uint32_t machine_epoch(const machine *m, int agent_index)
{
    return machine_clock(m, agent_index)[agent_index * m->plan->lanes];
}
static inline bool machine_alive(const machine *m, int agent_index)
{
    return m->now.agents[agent_index].status != AGENT_DONE;
}
static inline const plan_op *agent_op(const machine *m, int agent_index)
{
    const plan_task *t = &m->plan->tasks[m->plan->agents[agent_index].task];
    return &t->ops[m->now.agents[agent_index].pc];
}
static inline cursor *agent_cursor(const machine *m, int agent_index, int cursor_index)
{
    return &m->now.cursors[m->plan->agents[agent_index].cursors + cursor_index];
}

/* What the agent does next is not among what it has told, or fenced. */
static inline void machine_begin_epoch(machine *m, int agent_index)
{
    uint32_t *own = &machine_clock(m, agent_index)[agent_index * m->plan->lanes];
    for (int lane = 0; lane < m->plan->lanes; lane++)
        own[lane]++;
}

/* Records the first finding; always false, so that callers can return it. */
bool machine_fault(machine *m, finding f);

/* ---- barriers.c: each returns false when it has found a fault ------------------------------------------ */

typedef enum wait_result { WAIT_PASSED, WAIT_BLOCKED, WAIT_FAULT } wait_result;

wait_result barrier_wait(machine *m, int agent_index, int stage, uint32_t parity);
bool barrier_arrive(machine *m, int agent_index, int stage, uint32_t arrivals, uint32_t expect_bytes);
bool barrier_copy_issued(machine *m, int agent_index, int stage, uint32_t bytes);
/* What the pipe has been given so far is finished when these arrivals come. */
bool barrier_pipe_arrives(machine *m, int agent_index, plan_pipe kind, int stage, uint32_t arrivals);
/* After an operation's contributions, to all the barriers it acts on: what comes next is not among what they have told. */
void barrier_told(machine *m, int agent_index);
bool barrier_flight_lands(machine *m); /* the oldest in flight */
bool barrier_end_is_clean(machine *m); /* at the end of the program */
int64_t barrier_lead(const machine *m,
                     int stage); /* phases completed more than its partner, which must be 0 then */
bool barrier_must_be_seen(const machine *m,
                          int stage); /* by then somebody must have waited for its last completion */

/* ---- completions.c ------------------------------------------------------------------------------------- */

/* An agent knows of a completion if it has heard of a wait that it let through. `age` is 1 for the last completion of the
 * stage, 2 for the one before; what came before the first is known. */
bool completion_known(const machine *m, int agent_index, int stage, int age);
/* To all who may yet act on the stage in that way (PLAN_WAITS, ...). */
bool completion_known_to_all(const machine *m, int stage, int age, uint8_t how);
/* The number of the last completion that the agent is sure of, if it is one of the last two; else 0. */
uint32_t completion_last_known(const machine *m, int agent_index, int stage);
/* The last bulk copy into a slot; `before`: that of an earlier lap. */
bool copy_known(const machine *m, int agent_index, int slot, bool before);
bool copy_known_to_all(const machine *m, int slot, bool before); /* who may yet touch the slot */

void completion_passed(machine *m, int agent_index, int stage); /* by a wait for the last one */
void completion_happens(machine *m, int stage);                 /* the last one becomes the one before */
void copy_begins(machine *m, int slot, bool new_lap);           /* nobody has waited for it */

/* ---- accesses.c, groups.c ------------------------------------------------------------------------------ */

bool access_work(machine *m, int agent_index, const plan_op *p);

/* Where the slots of the next group are gathered. */
uint32_t *group_open(machine *m, int agent_index, group_kind kind);
void group_commit(machine *m, int agent_index, group_kind kind);
void group_wait(machine *m, int agent_index, group_kind kind, int keep);
void group_add(machine *m, int agent_index, group_kind kind, uint32_t *group, int slot);

void fence_by(machine *m, int agent_index, ir_fence fence);
/* Whether the agent may access the slot after what `other` did there in that epoch, as far as fences go. `engine`: it is an
 * access by the async proxy; `write`: so what the other did is a write. */
bool fence_stands(const machine *m, int agent_index, bool engine, int slot, int other, uint32_t epoch);
/* Up to which epoch all who may yet ask know that the owner's accesses to a slot are fenced. */
uint32_t fence_known_to_all(const machine *m, int fence, int slot);

/* ---- weaken.c: between tiles, with a loose plan -------------------------------------------------------- */

void machine_weaken(machine *m);

/* ---- values.c ------------------------------------------------------------------------------------------ */

typedef enum answer { ANSWER_NO, ANSWER_YES, ANSWER_UNKNOWN } answer;

answer value_greater(machine *m, int agent_index, int value, int64_t than);
answer value_choice(const machine *m, int agent_index, int value);
void value_is_greater(const machine *m, const question *q); /* the answer; who asks goes on */
void value_answered(const machine *m);                      /* who asks goes on */
/* Of a value of trips: whether the trip it is in is later than the one that is known, or the same. */
bool value_enter_trip(machine *m, int agent_index, int value);
int value_instance(const machine *m, int agent_index, int value);
knowledge *value_known(const machine *m, int value, int instance);
bool value_enter_tile(machine *m, int agent_index, int value); /* PLAN_TILES: the agent begins its tile */
/* Whether the agent is in the tile loop of that queue, or has it before it. */
bool value_has_tiles_ahead(const machine *m, int agent_index, int queue);

/* ---- run.c --------------------------------------------------------------------------------------------- */

typedef enum outcome { OUTCOME_FINISHED, OUTCOME_ASKS, OUTCOME_FAULT, OUTCOME_TOO_LONG } outcome;

/* Runs until all have finished, or nobody can go on without an answer (*q), or a fault is found. `prefer` is the value
 * to ask about if anybody does, -1 for none. */
outcome machine_run(machine *m, int prefer, question *q);

/* An agent that was blocked has been let through by a completion. */
void machine_wake(machine *m, int agent_index);

#endif
