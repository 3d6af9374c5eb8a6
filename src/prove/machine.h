/* machine: the state of one canonical execution, and what moves it.
 *
 * A clock has one entry an agent and lane (epochs: how often the agent has published; lanes: see plan.h) and one a barrier
 * stage (how many of its phases are known to be complete). "a happens before b" is a comparison of entries. The whole
 * state is one block of memory, so that a snapshot is a memcpy; nothing is allocated while a program runs.
 *
 * barriers.c   mbarrier semantics and the two conditions (no lapping, arrival discipline)
 * accesses.c   accesses to shared memory and races
 * values.c     what is known of symbolic values, and questions
 * run.c        operations, scheduling
 * canonical.c  configurations up to a shift of phases and a rotation of rings (with canonical_clocks.c)
 * weaken.c     forgetting, for loose plans
 * steady.c     all values: the search over questions
 * witness.c    what to tell the author */
#ifndef WW_MACHINE_H
#define WW_MACHINE_H

#include "prove/plan.h"

enum { MOST_GROUPS = 16, MOST_COPIES = 1024 };

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
    int groups; /* wgmma groups in flight */
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
    uint32_t known; /* phases of the stage the agent knew complete when it asked */
} probe;

typedef struct barrier_state {
    uint32_t count;   /* completed phases */
    uint32_t pending; /* arrivals still expected */
    int64_t tx;       /* bytes announced and not arrived */
    uint32_t waited;  /* the last completion that someone has waited for */
    bool by_bytes[3]; /* bulk copies contributed to the current phase, the last, the one before */
} barrier_state;

/* The last accesses of one agent to one slot, as epochs (0: none), and the operations that made them. */
typedef struct access {
    uint32_t write, write_before; /* the last one, and the last one of an earlier lap */
    int64_t write_lap;
    uint32_t read;
    uint32_t wgmma_done; /* when its last wgmma reads had finished */
    int wgmma_open;      /* groups in flight that read the slot */
    int write_op, read_op, wgmma_op;
} access;

/* The last bulk copies into one slot: complete with a phase of a barrier stage (0: none). */
typedef struct copied {
    int stage;
    uint32_t phase, phase_before;
    int64_t lap;
    bool whole; /* it covers the buffer */
    int agent, op;
} copied;

typedef struct copy_in_flight {
    int stage;
    uint32_t bytes, phase;
    int agent, op;
} copy_in_flight;

/* value is one of {from, from + period, from + 2 period, ...}; period 0: it is `from`. PLAN_SKIP: from is 1 for
 * skipped, 0 for not, and period 1 while nobody knows. */
typedef struct knowledge {
    int64_t from, period;
} knowledge;

/* All arrays lie in the block. */
typedef struct config {
    char *block;
    agent *agents;
    cursor *cursors;
    probe *probes;
    barrier_state *barriers;
    access *accesses;     /* [slot][agent] */
    copied *copies;       /* [slot] */
    uint8_t *touched;     /* [slot] TOUCHED_*: which kinds of access there have been */
    knowledge *known;     /* [value][tile & 1] */
    int64_t *newest_tile; /* [value], PLAN_TILES: -1 before the first */
    uint32_t *clocks;     /* [agent][width] */
    uint32_t *gathered;   /* [stage][width]: join of the arrivals of the current phase */
    uint32_t *done;       /* [stage][width]: clock of the last completion */
    uint32_t *waited;     /* [stage][agent]: epoch of its wait for the last completion; 0: none */
    uint32_t
        *contributed; /* [stage][3][agent]: epoch of its contribution to the current phase, the last, the one
                                   before; 0: none */
    uint32_t *groups; /* [agent][MOST_GROUPS][slot words]: slots that a wgmma group reads */
    copy_in_flight *in_flight; /* ring */
    int *in_flight_first, *in_flight_count;
} config;

enum { TOUCHED_WRITE = 1, TOUCHED_READ = 2, TOUCHED_WGMMA = 4 };

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
    FAULT_HALF_PHASE, /* the end leaves arrivals or bytes missing */
    FAULT_UNSEEN,     /* the end leaves a completed full phase that nobody waited for */
    FAULT_UNBALANCED, /* the end leaves more fills than releases, or the reverse */
    FAULT_DRIFT       /* tasks two tiles apart: outside the model */
} fault;

typedef enum access_kind { ACCESS_READ, ACCESS_WRITE, ACCESS_COPY, ACCESS_WGMMA } access_kind;

typedef struct finding {
    fault fault;
    int agent, op;             /* who was about to do what; agent -1: at the end */
    int stage;                 /* barrier stage */
    int other_agent, other_op; /* the second access, the waiter */
    int slot, other_slot;
    access_kind kind, other_kind;
    int64_t number; /* arrivals, bytes, phase */
} finding;

typedef struct question {
    int value;
    int instance; /* tile & 1, 0 for values of the launch */
} question;

typedef struct machine {
    const plan *plan;
    config now;
    size_t block_bytes;
    int slot_words;
    uint64_t events, most_events; /* operations executed; the run ends when there are more */
    finding finding;
} machine;

/* ---- config ------------------------------------------------------------------------------------------------------------ */

void machine_init(machine *m, const plan *p); /* the state before the first operation */
void machine_free(machine *m);
char *machine_snapshot(const machine *m); /* free() it */
void machine_restore(machine *m, const char *snapshot);

static inline uint32_t *machine_clock(const machine *m, int agent_index)
{
    return m->now.clocks + (size_t)agent_index * (size_t)m->plan->width;
}
static inline uint32_t *stage_gathered(const machine *m, int stage)
{
    return m->now.gathered + (size_t)stage * (size_t)m->plan->width;
}
static inline uint32_t *stage_done(const machine *m, int stage)
{
    return m->now.done + (size_t)stage * (size_t)m->plan->width;
}
static inline access *slot_accesses(const machine *m, int slot)
{
    return m->now.accesses + (size_t)slot * (size_t)m->plan->agent_count;
}
static inline uint32_t *agent_group(const machine *m, int agent_index, int group)
{
    return m->now.groups + ((size_t)agent_index * MOST_GROUPS + (size_t)group) * (size_t)m->slot_words;
}
/* Epochs of the contributions to a phase that is `age` (0 to 2) completions old. */
static inline uint32_t *stage_contributions(const machine *m, int stage, int age)
{
    return m->now.contributed + ((size_t)stage * 3 + (size_t)age) * (size_t)m->plan->agent_count;
}
/* The agent's index of a clock entry for a stage. */
static inline int stage_entry(const machine *m, int stage)
{
    return plan_stage_entry(m->plan, stage);
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

/* Records the first finding; always false, so that callers can return it. */
bool machine_fault(machine *m, finding f);

/* ---- barriers.c: each returns false when it has found a fault ---------------------------------------------------------------- */

typedef enum wait_result { WAIT_PASSED, WAIT_BLOCKED, WAIT_FAULT } wait_result;

wait_result barrier_wait(machine *m, int agent_index, int stage, uint32_t parity);
bool barrier_arrive(machine *m, int agent_index, int stage, uint32_t arrivals, uint32_t expect_bytes);
bool barrier_copy_issued(machine *m, int agent_index, int stage, uint32_t bytes);
bool barrier_copy_completes(machine *m); /* the oldest in flight */
bool barrier_end_is_clean(machine *m);   /* at the end of the program */
/* The last completion of a stage that the agent is sure of, among the last two; an earlier one otherwise. */
uint32_t barrier_known(machine *m, int agent_index, int stage);

/* ---- accesses.c ----------------------------------------------------------------------------------------------------------------- */

bool access_work(machine *m, int agent_index, const ir_op *op);

/* ---- weaken.c: between tiles, with a loose plan -----------------------------------------------------------------------------------*/

void machine_weaken(machine *m);

/* ---- values.c ------------------------------------------------------------------------------------------------------------------- */

typedef enum answer { ANSWER_NO, ANSWER_YES, ANSWER_UNKNOWN } answer;

answer value_greater(machine *m, int agent_index, int value, int64_t than);
answer value_skipped(const machine *m, int agent_index, int value);
int value_instance(const machine *m, int agent_index, int value);
knowledge *value_known(const machine *m, int value, int instance);
bool value_enter_tile(machine *m, int agent_index, int value); /* PLAN_TILES: the agent begins its tile */

/* ---- run.c ------------------------------------------------------------------------------------------------------------------------ */

typedef enum outcome { OUTCOME_FINISHED, OUTCOME_ASKS, OUTCOME_FAULT, OUTCOME_TOO_LONG } outcome;

/* Runs until all have finished, or nobody can go on without an answer (*q), or a fault is found. `prefer` is the value
 * to ask about if anybody does, -1 for none. */
outcome machine_run(machine *m, int prefer, question *q);

/* An agent that was blocked has been let through by a completion. */
void machine_wake(machine *m, int agent_index);

#endif
