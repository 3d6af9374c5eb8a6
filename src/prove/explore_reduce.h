/* The parts of explore_reduce.c: explore_depend.c, which steps depend on each other; explore_phases.c, what a phase needs. */
#ifndef WW_EXPLORE_REDUCE_H
#define WW_EXPLORE_REDUCE_H

#include "prove/explore_events.h"

enum { BY_STAGE = -1, NEVER = -2 };

typedef struct dependent {
    int number; /* an event, within its agent; a flight */
    /* Of a flight and an access, or a fence: the last event whose accesses the landing ends; ANY_TIME: however many
     * have landed. Of what acts on the same stage, or on the same memory: BY_STAGE. */
    int last;
} dependent;

typedef struct dependents {
    bool known;
    int *first;            /* [agent + 1]: range of events */
    VEC(dependent) events; /* in order */
    VEC(dependent) flights;
} dependents;

typedef struct arrival {
    int agent, event;
} arrival;

/* What can end a phase of a stage. */
typedef struct stage_steps {
    VEC(arrival) arrivals;
    VEC(int) flights;
} stage_steps;

struct reduction {
    const explorer *x;
    dependents *of; /* by step */
    stage_steps *stages;
    int *next_wait; /* by agent, by event and one more */
    /* [agent][2]: the last event of a commit of its tensor pipe, of its copies, that has landed. */
    int *landed;
    uint8_t *in_agents, *in_flights, *in_stages; /* of the set at hand */
    fence_links *fences;                         /* by step */
    int *linked;                                 /* by step: how to the one at hand; NEVER: not */
    uint8_t *exact;                              /* [stage], of the state at hand: reduction_is_exact */
    VEC(int) pending;                            /* possible steps whose dependents are not in yet */
    int possible;
};

/* ---- explore_depend.c ---------------------------------------------------------------------------------- */

/* Found when first asked for. */
const dependents *reduction_dependents(struct reduction *r, int step);

/* ---- explore_phases.c ---------------------------------------------------------------------------------- */

/* Once: what can arrive at each stage, and the waits of each agent. */
void reduction_list_steps(struct reduction *r);
/* Of another state nothing is known yet. */
void reduction_begin_state(struct reduction *r);
/* The agent's first wait from that event on; INT32_MAX: there is none. */
int reduction_next_wait(const struct reduction *r, int agent, int number);
/* Whether all that can contribute to the phase before it is over is no more than it waits for. Then each of that is
 * needed, and it does not matter in which order it comes. */
bool reduction_is_exact(struct reduction *r, const state *s, int stage);
/* A contribution to the phase at hand of an exact stage: one that is in already, if there is one (then true), else any. */
bool reduction_contribution(const struct reduction *r, const state *s, int stage, const arrival **arriving,
                            int *flight);

#endif
