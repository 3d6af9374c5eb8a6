/* events: what happens in one canonical execution, written down, and what of it a fault depends on.
 *
 * The search (steady.c) keeps no history. When it has found a fault, the execution is run once more with the answers that
 * led there and with a log; docs/prover.md, "Refutations are real", says which orders of its events are executions too.
 *
 * events.c         the log
 * rerun.c          the execution again, with given values
 * cone.c           the events that a fault depends on, in an order that shows it
 * witness_build.c  these as a ww_witness */
#ifndef WW_PROVE_EVENTS_H
#define WW_PROVE_EVENTS_H

#include "prove/steady.h"

typedef enum event_kind {
    EVENT_OP,      /* an operation has been executed; a wait: it has passed, or will never */
    EVENT_LANDING, /* what an operation issued has arrived at a barrier */
    EVENT_COMPLETION
} event_kind;

typedef struct event {
    event_kind kind;
    int agent, op;      /* COMPLETION: -1 */
    int64_t trip, tile; /* -1: outside */
    int stage; /* a wait's, a landing's, a completion's; of other operations at the first barrier told; -1 */
    uint32_t
        phase; /* a wait: how often the stage must have completed; others: which completion it is part of */
    bool blocked;         /* a wait that never passes */
    int before;           /* the agent's event before it; -1 */
    int cause;            /* a wait: the completion that let it through; a landing: who issued it; -1 */
    int touches, touched; /* range of the log's touches */
} event;

/* A contribution to the phase of a stage. */
typedef struct event_edge {
    int event, stage;
    uint32_t phase, arrivals;
    int64_t bytes;  /* announced; landed ones are negative */
    int completion; /* the event that it is part of; -1: the phase never completed */
} event_edge;

/* One effect of a work body: the stage of which buffer. */
typedef struct event_touch {
    int buffer, stage;
} event_touch;

typedef struct event_log {
    VEC(event) events;
    VEC(event_edge) edges;
    VEC(event_touch) touches;
    VEC(int) issued; /* events of what is in flight, the oldest at `landed` */
    size_t landed;
    int *last;      /* [agent]: its newest event; -1 */
    int *completed; /* [stage]: its newest completion; -1 */
    int op;         /* event of the operation that runs */
    int current;    /* that, or the landing under way */
} event_log;

void events_init(event_log *log, const plan *p);
void events_free(event_log *log);

/* ---- events.c: called by the machine while it runs; m->log is not NULL --------------------------------- */

void events_begin(machine *m, int agent_index, const plan_op *p);
void events_stopped(machine *m, int agent_index); /* blocked, asking, or a fault */
void events_passed(machine *m, int agent_index, int stage);
void events_contributed(machine *m, int stage, uint32_t arrivals, int64_t bytes);
void events_completed(machine *m, int stage);
void events_issued(machine *m);
void events_landed(machine *m, const flight *f);

/* ---- rerun.c ------------------------------------------------------------------------------------------- */

/* A value that the execution has: of the launch (tile -1), of a tile, or of a trip. */
typedef struct given_value {
    int value;
    int64_t tile, trip; /* -1: not of one */
    int64_t number;
} given_value;

typedef VEC(given_value) given_values;

/* The values of an execution that ended with a finding. */
void rerun_values(const machine *m, const steady_result *result, given_values *out);
/* Runs m, which has a log and has not run, with these values. Whether it ends with that fault. */
bool rerun(machine *m, const given_values *values, fault expected);

/* ---- cone.c -------------------------------------------------------------------------------------------- */

/* The events that show a fault, in order. */
typedef struct shown {
    VEC(int) order; /* events; blocked waits come last */
    int first,
        second; /* the two that make the fault, as events: accesses; for a lap, the completing arrival and the wait;
                          else second alone. -1: none */
} shown;

/* Whether there is an order to show: some faults are of the end, or outside the model. */
bool cone_of(machine *m, shown *out);

#endif
