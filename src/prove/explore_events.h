/* Tasks unrolled to events, for the explorer, one file a concern: explore_unroll.c makes them, explore.c visits the states,
 * explore_step.c goes from one to the next, explore_races.c, explore_fences.c and explore_end.c judge. explore_reduce.c
 * chooses the steps that are enough. */
#ifndef WW_EXPLORE_EVENTS_H
#define WW_EXPLORE_EVENTS_H

#include "prove/explore.h"
#include "prove/plan.h"

typedef enum event_kind { EVENT_WAIT, EVENT_PROBE, EVENT_FORGET, EVENT_ARRIVE, EVENT_WORK } event_kind;

/* Lowest and highest barrier count seen; none while low > high. */
typedef struct seen {
    uint32_t low, high;
} seen;

#define NOT_SEEN                                                                                             \
    (seen)                                                                                                   \
    {                                                                                                        \
        UINT32_MAX, 0                                                                                        \
    }

typedef struct touch {
    ir_effect_kind kind;
    int slot;
    int64_t lap;
    bool whole;
    int flight; /* IR_COPY_IN: the number of its flight */
    int until;  /* IR_WGMMA_READ, IR_BULK_READ: the event that waits for its group */
} touch;

typedef struct event {
    event_kind kind;
    int stage, status;
    uint32_t parity, arrivals, bytes;
    int first_touch, touches;
    uint32_t fences;  /* ir_fence (bits), executed just before it */
    bool lingers;     /* some of its accesses may be under way after it */
    seen met, passed; /* WAIT: counts while waiting, and when passing; ARRIVE: counts when it falls */
} event;

typedef enum flight_kind { FLIGHT_COPY, FLIGHT_TENSOR, FLIGHT_LOADS, FLIGHT_REMOTE } flight_kind;

/* What is issued by an event and arrives at any time after it. */
typedef struct explore_flight {
    flight_kind kind;
    int agent, event, stage;
    uint32_t arrivals, bytes, expected;
    seen fell;
} explore_flight;

typedef struct actor {
    VEC(event) events;
    int bulk_left; /* groups of bulk stores that nobody waits for */
} actor;

/* One state, taken apart. */
typedef struct stage_state {
    uint32_t count, pending;
    int32_t tx;
} stage_state;

enum { MOST_STATUSES = 8 };

typedef struct state {
    uint32_t *at; /* [agent] */
    uint32_t
        *answers; /* [agent][status]: 0, or 1 + stage + stages * count of the barrier when a probe said yes */
    stage_state *stages;
    uint8_t *landed; /* [flight] */
    uint8_t *gone;   /* [slot]: overwritten through another buffer; only where buffers overlap */
    char *fences;    /* explore_fences.c */
} state;

typedef struct explorer {
    const plan *plan;
    explore_values values;
    explore_result result;
    actor *actors;
    VEC(touch) touches;
    VEC(explore_flight) flights;
    int *first_step; /* [agent + 1]: steps are numbered, events of all agents, then flights */
    int step_count;
    VEC(char) states; /* one after the other */
    size_t state_bytes;
    bool overlapping; /* some buffers overlap */
    int *places;      /* by slot: where explore_fences.c remembers it, -1: nowhere */
    int shared_places, tensor_places;
    struct reduction *reduction; /* NULL: all steps are followed */
    uint32_t *table;
    size_t table_size;
} explorer;

void explore_unroll(explorer *x, int agent_index);

/* What fences ask of a state: where agents are, which flights have landed, and what is remembered of memory. */
typedef struct fence_view {
    const uint32_t *at;
    const uint8_t *landed;
    char *bytes;
} fence_view;

bool explore_is_tensor_memory(const explorer *x, int slot);
/* Whether the second access, if it comes after the first one, is a fault unless a fence lies between them. */
bool explore_takes_fence(const explorer *x, int earlier, const touch *first, int later, const touch *second);
void explore_find_places(explorer *x);
size_t explore_fence_bytes(const explorer *x);
/* The event is executed; whether its accesses are fenced from those before. */
bool explore_fences(const explorer *x, const fence_view *v, int agent, const event *e);

/* ---- explore_order.c ----------------------------------------------------------------------------------- */

enum { ANY_TIME = INT32_MAX };

/* Another step, and the order of the two decides whether an access is fenced. Of a landing and a fence: only as long as no
 * commit after event `last` of its agent has landed; else ANY_TIME. */
typedef struct fence_link {
    int step, last;
} fence_link;

typedef VEC(fence_link) fence_links;

/* By step; the caller's to free. */
fence_links *explore_link_fences(const explorer *x);

static inline int explore_step_of(const explorer *x, int agent, int number)
{
    return x->first_step[agent] + number;
}

static inline int explore_flight_step(const explorer *x, int number)
{
    return x->first_step[x->plan->agent_count] + number;
}

/* ---- explore_races.c ----------------------------------------------------------------------------------- */

/* Whether two accesses are to the same bytes, and one writes. */
bool explore_meets(const explorer *x, const touch *a, const touch *b);
bool explore_is_tensor(const touch *t);
/* Whether the access, by the agent of the flight and not after its issue, is over when it lands. */
bool explore_ends(const explore_flight *f, int number, const touch *t);
/* Whether a commit of the agent's engine after that event has landed: what the engine was given before is finished. */
bool explore_is_committed(const explorer *x, const uint8_t *landed, int agent_index, int event_index,
                          flight_kind kind);
/* Whether accesses of the event may be under way after it. */
bool explore_lingers(const explorer *x, const event *e);
bool explore_has_race(const explorer *x, const state *s);

/* ---- explore_step.c ------------------------------------------------------------------------------------ */

/* The agent's next event; NULL: it has ended. */
const event *explore_next(const explorer *x, const state *s, int agent_index);
/* Whether the wait in that event, now or later, can only pass when another phase of its stage has completed. */
bool explore_is_blocked(const explorer *x, const state *s, int agent_index, int number);
/* False: that is not possible, or no state comes of it. */
bool explore_step_event(explorer *x, state *s, int agent_index);
bool explore_step_flight(explorer *x, state *s, int number);

/* ---- explore_end.c ------------------------------------------------------------------------------------- */

bool explore_is_end(const explorer *x, const state *s);
void explore_check_end(explorer *x, const state *s);
/* After all states: what waits and arrivals have met. */
void explore_judge_sightings(explorer *x);

/* ---- explore_reduce.c ---------------------------------------------------------------------------------- */

/* Agents and flights whose next step is followed. Possible ones: `size`. */
typedef struct explore_set {
    uint8_t *agents, *flights;
    int size;
} explore_set;

struct reduction *reduction_new(const explorer *x);
void reduction_free(struct reduction *r);
void reduction_choose(struct reduction *r, const state *s, explore_set *best);

#endif
