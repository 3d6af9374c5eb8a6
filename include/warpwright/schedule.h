/* Recording a schedule.
 *
 * A schedule is a C function that runs once, when its task is declared. Each call below records one step with
 * the caller's file and line; blocks are `for` macros that open and close a recorded block, so plain C `for`
 * and `if` around them are compile-time programming. Do not `break`, `goto` or `return` out of a block: it
 * stays open, and that is reported.
 *
 * Values between work calls are tokens: a call's outputs are new tokens, a call's inputs are tokens made
 * earlier in the same schedule. In the kernel each token is one variable of the task, so nothing is copied or
 * overwritten. */
#ifndef WARPWRIGHT_SCHEDULE_H
#define WARPWRIGHT_SCHEDULE_H

#include "warpwright/kernel.h"

/* The value one work call computes; 0-initialised is "no value". */
typedef struct ww_token {
    int value;
} ww_token;

typedef struct ww_args {
    const char *work;           /* name of the work method; NULL: the side's only one that is not auxiliary */
    ww_token in[WW_MAX_VALUES]; /* in the method's declared order */
    ww_token *out[WW_MAX_VALUES];    /* in the method's declared order; each receives a token */
    int constants[WW_MAX_CONSTANTS]; /* compile-time arguments, in the method's declared order */
} ww_args;

/* ww_consume(s, gmem_ab, "coords", .out = {&k, &m}) and ww_produce(s, smem_ab, "tma_load", .in = {k, m}). */
#define ww_consume(s, resource, ...)                                                                         \
    ww_work_at(WW_HERE, s, resource, WW_CONSUMER, &(ww_args){.work = __VA_ARGS__})
#define ww_produce(s, resource, ...)                                                                         \
    ww_work_at(WW_HERE, s, resource, WW_PRODUCER, &(ww_args){.work = __VA_ARGS__})
void ww_work_at(ww_place place, ww_schedule *s, ww_resource *r, ww_side side, const ww_args *args);

/* Pipeline verbs. try_* is a one-shot probe: only the next blocking verb of that side uses its answer. */
typedef enum ww_verb {
    WW_TRY_ACQUIRE,
    WW_ACQUIRE,
    WW_COMMIT,
    WW_TRY_WAIT,
    WW_WAIT,
    WW_RELEASE,
    WW_SYNC,        /* named barriers: arrive and wait */
    WW_SYNC_ARRIVE, /* arrive and go on */
    WW_GRIDDEP_WAIT,
    WW_GRIDDEP_LAUNCH,
} ww_verb;

#define ww_try_acquire(s, resource) ww_verb_at(WW_HERE, s, resource, WW_TRY_ACQUIRE)
#define ww_acquire(s, resource) ww_verb_at(WW_HERE, s, resource, WW_ACQUIRE)
#define ww_commit(s, resource) ww_verb_at(WW_HERE, s, resource, WW_COMMIT)
#define ww_try_wait(s, resource) ww_verb_at(WW_HERE, s, resource, WW_TRY_WAIT)
#define ww_wait(s, resource) ww_verb_at(WW_HERE, s, resource, WW_WAIT)
#define ww_release(s, resource) ww_verb_at(WW_HERE, s, resource, WW_RELEASE)
#define ww_sync(s, barrier) ww_verb_at(WW_HERE, s, barrier, WW_SYNC)
#define ww_sync_arrive(s, barrier) ww_verb_at(WW_HERE, s, barrier, WW_SYNC_ARRIVE)
#define ww_griddep_wait(s, barrier) ww_verb_at(WW_HERE, s, barrier, WW_GRIDDEP_WAIT)
#define ww_griddep_launch(s, barrier) ww_verb_at(WW_HERE, s, barrier, WW_GRIDDEP_LAUNCH)
void ww_verb_at(ww_place place, ww_schedule *s, ww_resource *r, ww_verb verb);

/* Moves to the queue's next tile; the last step of a tile loop. With a dynamic queue: waits for it, reads it, gives its
 * slot back. */
#define ww_advance_tile(s, queue) ww_advance_tile_at(WW_HERE, s, queue)
void ww_advance_tile_at(ww_place place, ww_schedule *s, ww_resource *queue);

/* Dynamic queues, in the scheduler task alone: fetches the tile after the current one, before ww_advance_tile. */
#define ww_fetch_tile(s, queue) ww_fetch_tile_at(WW_HERE, s, queue)
void ww_fetch_tile_at(ww_place place, ww_schedule *s, ww_resource *queue);

/* ---- blocks ----------------------------------------------------------------------------------------- */

typedef struct ww_block {
    ww_schedule *schedule;
    int step; /* of the opening marker */
    bool done;
} ww_block;

ww_block ww_tile_loop_open(ww_place place, ww_schedule *s, ww_resource *queue);
ww_block ww_domain_loop_open(ww_place place, ww_schedule *s, ww_bound start, ww_bound end, ww_bound step,
                             int unroll);
ww_block ww_guard_open(ww_place place, ww_schedule *s, int guard);
ww_block ww_every_open(ww_place place, ww_schedule *s, int period, int start);
ww_block ww_when_open(ww_place place, ww_schedule *s, ww_token condition, const char *key, bool wanted);
void ww_block_close(ww_place place, ww_block *block);

#define WW_BLOCK_VARIABLE_(line) ww_block_##line
#define WW_BLOCK_VARIABLE(line)                                                                              \
    WW_BLOCK_VARIABLE_(line) /* one name a line, so that nested blocks do not shadow */
#define WW_BLOCK(opening)                                                                                    \
    for (ww_block WW_BLOCK_VARIABLE(__LINE__) = (opening); !WW_BLOCK_VARIABLE(__LINE__).done;                \
         ww_block_close(WW_HERE, &WW_BLOCK_VARIABLE(__LINE__)))

/* Repeats for each tile the queue deals to this CTA. Outermost block; at most one a schedule. */
#define ww_work_tile_loop(s, queue) WW_BLOCK(ww_tile_loop_open(WW_HERE, s, queue))
/* for (i = start; i < end; i += step), or > with a negative step. Not unrolled; the second form by `unroll` trips
 * (0: as the compiler likes). */
#define ww_domain_loop(s, start, end, step) WW_BLOCK(ww_domain_loop_open(WW_HERE, s, start, end, step, 1))
#define ww_domain_loop_unrolled(s, start, end, step, unroll)                                                 \
    WW_BLOCK(ww_domain_loop_open(WW_HERE, s, start, end, step, unroll))

/* Guards: inside a domain loop, its first or last trip; inside a tile loop with a skip predicate, the part
 * that skipped tiles leave out. Nested guards must all hold. */
enum {
    WW_GUARD_FIRST_ITER,
    WW_GUARD_LAST_ITER,
    WW_GUARD_SKIPPABLE,
    WW_GUARD_EVERY,
    WW_GUARD_WHEN_TRUE,
    WW_GUARD_WHEN_FALSE
};
#define ww_first_iter(s) WW_BLOCK(ww_guard_open(WW_HERE, s, WW_GUARD_FIRST_ITER))
#define ww_last_iter(s) WW_BLOCK(ww_guard_open(WW_HERE, s, WW_GUARD_LAST_ITER))
#define ww_skippable(s) WW_BLOCK(ww_guard_open(WW_HERE, s, WW_GUARD_SKIPPABLE))
/* Trips start, start + period, start + 2 period, ... of the domain loop, counted from 0 whatever its bounds. */
#define ww_every(s, period, start) WW_BLOCK(ww_every_open(WW_HERE, s, period, start))
/* Where a value (bool or integer) is true or not zero; false or zero. Evaluated where the value was made. Blocks of
 * equal key, in whatever tasks, see the same value in the same tile (and trip); NULL: unrelated to all others. */
#define ww_when_true(s, token, key) WW_BLOCK(ww_when_open(WW_HERE, s, token, key, true))
#define ww_when_false(s, token, key) WW_BLOCK(ww_when_open(WW_HERE, s, token, key, false))

#endif
