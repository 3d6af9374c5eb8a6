/* Broken declarations whose counterexamples are replayed, a row each. */
#ifndef REPLAY_KERNELS_H
#define REPLAY_KERNELS_H

#include "warpwright/warpwright.h"

/* What a task does in each trip, a letter a step:
 *   A acquire  p produce (fill, load)  C commit      W wait  r read  R release      m multiply  s wait for that */
typedef struct broken {
    const char *name;
    enum { BY_THREADS, BY_COPIES, OVER_TILES, FROM_PEERS, BY_WGMMA } form;
    ww_pipeline pipeline;
    int fill_warps, read_warps;
    const char *fill, *read;
    const char *watch; /* of a second reading task; NULL: there is none */
    ww_fault_kind fault;
    ww_code code;
    int events;
    const char *task,
        *step; /* of the event that makes the fault: the last one, or a waiter of a deadlock; NULL: none */
    int least; /* rows */
    bool filler_first; /* declared before the reader: the prover runs it first */
    bool unfenced; /* right as declared; the fences that lowering has placed are taken out of its program */
} broken;

extern const broken broken_kernels[]; /* ended by a row without a name */

ww_kernel *broken_declare(const broken *b);
/* Room for enough rows; params for a launch that would do if the kernel were right. */
bool broken_prepare(const broken *b, ww_run *r, ww_launch *launch);

#endif
