/* A counterexample as a sequence of events: one interleaving of the warps of one cluster that leads to the fault, with the
 * values it needs. docs/witness.md describes its JSON form; ww_run_replay (run.h) runs generated code along it. */
#ifndef WARPWRIGHT_WITNESS_H
#define WARPWRIGHT_WITNESS_H

#include "warpwright/diag.h"

#include <stdint.h>
#include <stdio.h>

typedef enum ww_fault_kind {
#define WW_FAULT(name, text, ending) WW_FAULT_##name,
#include "warpwright/witness_faults.def"
#undef WW_FAULT
    WW_FAULT_KINDS
} ww_fault_kind;

typedef enum ww_fault_ending { WW_ENDING_HANG, WW_ENDING_STOP, WW_ENDING_END } ww_fault_ending;

const char *ww_fault_text(ww_fault_kind kind);
ww_fault_ending ww_fault_ending_of(ww_fault_kind kind);

typedef enum ww_event_kind {
    WW_EVENT_STEP, /* a warp executes an operation */
    /* What a step issued arrives at a barrier: bytes of a copy, an arrival of the tensor core. */
    WW_EVENT_LANDING,
} ww_event_kind;

typedef struct ww_event {
    ww_event_kind kind;
    int cta;            /* rank in the cluster */
    int task, warp;     /* warp in the CTA; of a landing: who issued it */
    int op;             /* of the task program */
    int of;             /* landing: the event that issued it; else -1 */
    int to;             /* landing: the CTA whose barrier is told; else -1 */
    int64_t trip, tile; /* -1: outside loops */
    bool blocked;       /* a wait that never passes */
    const char *text;   /* "acquire(ring)" */
    const char *does;   /* "waits for ring.empty[0], phase 1"; "" if there is nothing to add */
    const char *file;
    int line;
} ww_event;

typedef enum ww_value_kind {
    WW_VALUE_LAUNCH,
    WW_VALUE_DEVICE,
    WW_VALUE_TILES,
    WW_VALUE_SKIP,
    WW_VALUE_CONDITION
} ww_value_kind;

/* A value that the execution needs. */
typedef struct ww_witness_value {
    ww_value_kind kind;
    const char *name; /* as the author spells it */
    int key;          /* of a condition: its number in the task program; else -1 */
    int64_t value;
    int64_t tile, trip; /* of which; -1: of the launch */
} ww_witness_value;

typedef struct ww_witness_task {
    const char *name;
    int first_warp, warps;
} ww_witness_task;

/* Who waits for ever: for a deadlock. */
typedef struct ww_witness_waiter {
    int event;           /* its wait */
    const char *barrier; /* "ring.empty[0]" */
    int barrier_cta;
    uint32_t barrier_offset; /* in dynamic shared memory; UINT32_MAX: a hardware barrier */
    uint32_t phase;          /* that never completes, from 1 */
    uint32_t pending;        /* arrivals missing */
    int64_t bytes;           /* bytes missing */
    const char *arrivers;    /* who would have to arrive, and where these are */
} ww_witness_waiter;

typedef struct ww_witness {
    const char *kernel;
    uint64_t declaration; /* hash of the task program */
    int ctas;             /* of the cluster */
    ww_fault_kind fault;
    ww_code code;
    const char *message;
    ww_witness_task *tasks;
    int task_count;
    ww_witness_value *values;
    int value_count;
    ww_event *events;
    int event_count;
    /* Events that make the fault: two accesses; the completing arrival and the wait; or second alone, and first -1. */
    int first, second;
    /* The barrier of the fault; NULL: there is none, or (deadlock) see waiters. */
    const char *barrier;
    int barrier_cta;
    uint32_t barrier_offset, barrier_completed, barrier_pending; /* before `second` */
    uint32_t wanted;                                             /* the phase that `second` is meant for */
    /* The bytes of the fault; NULL: there are none. */
    const char *memory, *other_memory; /* "ring.row[0]", of `second` and of `first` */
    bool tensor;                       /* columns of tensor memory */
    bool in_flight;                    /* what `first` issued is still under way */
    int memory_cta;
    uint32_t memory_offset, memory_bytes; /* where both may be */
    ww_witness_waiter *waiters;
    int waiter_count;
} ww_witness;

/* A column a task, a row an event; `rows`: at most that many, the last ones; 0: all. */
void ww_witness_print(const ww_witness *w, FILE *out, int rows);

#endif
