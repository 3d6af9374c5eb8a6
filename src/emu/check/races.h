/* races.h: accesses to shared memory, and to tensor memory, that nothing orders.
 *
 * Each warp has a clock: for each agent, up to which epoch it knows what that one has done. Agents are the warps; of each
 * warp the pipes by which it copies and multiplies (cp.async, bulk stores, wgmma, tcgen05.mma and .cp, tcgen05.ld, tcgen05.st); and the mbarriers, whose epochs are
 * their phases: what a copy does is known to whoever knows the phase that its bytes complete. Clocks are handed on by
 *
 *   mbarriers           an arrival, or bytes that land, add what their maker knows; a wait takes what the phases so far had
 *   bar, barrier        likewise
 *   barrier.cluster     likewise
 *   wait_group          takes what the pipe has finished; a commit of tcgen05 and cp.async.mbarrier.arrive tell it to a barrier
 *   strong accesses     (atomics, .volatile, .relaxed, .acquire, .release) all take from and add to one clock of the cluster
 *
 * A granule keeps its last accesses, two writes and two reads; each new access must know those that it conflicts with. All that
 * might order two accesses is taken to do so, lanes of a warp are one agent, and what is forgotten is not told: so
 * what is told is a race, and not all races are told. */
#ifndef WW_EMU_CHECK_RACES_H
#define WW_EMU_CHECK_RACES_H

#include "emu/core/core.h"

struct pending;

typedef enum race_pipe {
    RACE_COPY,
    RACE_BULK,
    RACE_WGMMA,
    RACE_UMMA,
    RACE_TMEM_LOAD,
    RACE_TMEM_STORE,
    RACE_PIPES
} race_pipe;

void races_start(cluster *c); /* c->races: NULL where nothing is checked */
void races_free(cluster *c);

/* ---- accesses ------------------------------------------------------------------------------------------ */

/* The lanes access `bytes` at these places of the host. */
void races_lanes(warp *w, const op *o, bool writes, uint32_t mask, uint8_t *const *at, uint32_t bytes);
/* What is being issued accesses shared memory of c, and is known to be over by the pipe's groups or commits. */
void races_by_pipe(warp *w, race_pipe pipe, const cta *c, uint32_t offset, uint32_t bytes, bool writes);
/* The same by a barrier of `owner`. */
void races_by_barrier(warp *w, const cta *owner, uint32_t barrier, const cta *c, uint32_t offset,
                      uint32_t bytes, bool writes);

/* Columns of tensor memory; parts: bits, of 16 lanes each. */
void races_tensor(warp *w, race_pipe pipe, const cta *c, uint32_t parts, uint32_t first, uint32_t count,
                  bool writes);
/* The warp gives them back: nobody may use them any more. */
void races_given_back(warp *w, uint32_t first, uint32_t count);
/* They are new. */
void races_allocated(const cta *c, uint32_t first, uint32_t count);

/* ---- order --------------------------------------------------------------------------------------------- */

/* Something is issued: p keeps what its warp knows. */
void races_issued(struct pending *p);
/* It is the next of that pipe; before its accesses are told. */
void races_next(struct pending *p, race_pipe pipe);
/* Its arrival tells that what the pipe was given so far is done. */
void races_tells_pipe(struct pending *p, race_pipe pipe);
/* Until the next call, what happens to barriers comes from something with that clock, which is carried out; NULL: from the warp
 * that runs. Returns what was said before: carrying one out may carry others out. */
const uint32_t *races_carry_out(cluster *c, const uint32_t *clock);
/* The warp has waited for groups of a pipe: it knows of all before the first that is not over. */
void races_waited(warp *w, race_pipe pipe);

void races_arrived(warp *w, const cta *owner, uint32_t barrier);
void races_completed(const cta *owner, uint32_t barrier);
void races_passed(warp *w, const cta *owner, uint32_t barrier);
/* A named barrier (0 to 15) of the warp's CTA, or the cluster's (RACE_CLUSTER). */
enum { RACE_CLUSTER = NAMED_BARRIERS };
void races_met(warp *w, uint32_t id, bool arrives);
void races_all_met(const cta *c, uint32_t id);
/* The warp has ended: barriers that counted on it may be complete. */
void races_ended(warp *w);

#endif
