/* Tasks unrolled to events, for the explorer: explore_unroll.c makes them, explore.c visits the states,
 * explore_fences.c remembers which accesses are fenced. */
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

typedef struct explorer {
    const plan *plan;
    explore_values values;
    explore_result result;
    actor *actors;
    VEC(touch) touches;
    VEC(explore_flight) flights;
    VEC(char) states; /* one after the other */
    size_t state_bytes;
    bool overlapping; /* some buffers overlap */
    int *places;      /* by slot: where explore_fences.c remembers it, -1: nowhere */
    int shared_places, tensor_places;
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

void explore_find_places(explorer *x);
size_t explore_fence_bytes(const explorer *x);
/* The event is executed; whether its accesses are fenced from those before. */
bool explore_fences(const explorer *x, const fence_view *v, int agent, const event *e);

#endif
