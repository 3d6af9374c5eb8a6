/* chains: by which barriers one access to memory comes to be ordered behind another. Found in a short run of the task
 * program, visit by visit: an arrival is followed to the waits for the very phase that it is part of. So a chain that is
 * found orders these accesses, whatever the pipeline types say. That all others are ordered too, in every interleaving and
 * for every trip count, is the prover's to say. */
#ifndef WW_REPORT_CHAINS_H
#define WW_REPORT_CHAINS_H

#include "report/run.h"

/* One access of a task's operation to a buffer. */
typedef struct chain_end {
    int task, op;
    const ir_effect *effect;
} chain_end;

/* An arrival on a barrier (op -1: the bytes of a copy) and a wait for it. */
typedef struct chain_hop {
    int barrier;
    int from_task, from_op;
    int to_task, to_op;
} chain_hop;

typedef VEC(chain_hop) chain_hops;

/* From a write to the read of what it wrote; from that read to the next write of the slot; from the last access of one buffer
 * to the next write of another. A shortest chain; of equally short ones, that over barriers of the buffer's own pipeline.
 * False when there is none. Free it with vec_free. */
bool chain_full(const run *r, const chain_end *write, const chain_end *read, chain_hops *hops);
bool chain_empty(const run *r, const chain_end *read, const chain_end *write, chain_hops *hops);
bool chain_over(const run *r, const chain_end *last, const chain_end *write, chain_hops *hops);

/* Whether both come to the same slot in the run: not in different lanes, nor where a condition keeps one away. */
bool chain_meets(const run *r, const chain_end *write, const chain_end *read);
/* Whether a slot is written again after that read. */
bool chain_is_reused(const run *r, const chain_end *write, const chain_end *read);

#endif
