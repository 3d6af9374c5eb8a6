/* mini: kernels in one line a task, for tests of the prover.
 *
 *     A s   C s   W s    acquire, commit, producer work on resource s       A? s   try_acquire
 *     w s   L s   R s    wait, release, consumer work on resource s         w? s   try_wait
 *     M s                wgmma that reads the current slot of s, one group  wait0, wait1  until at most so many groups
 *     (..)*3  (..)*k  (..)*k1  (..)*d     a loop of 3 trips, of the launch argument k from 0 (k1: from 1), of the
 *                                         device function d; (..)*1k is the loop over [1, k), (..)*2:5 that over
 *                                         [2, 5), (..)*-k counts from k down to 1
 *     f{..}  l{..}       first, last trip        tiles{..}  skip{..}        tile loop, skippable part
 *
 * A tile loop advances its queue at its end by itself. */
#ifndef WW_TESTS_MINI_H
#define WW_TESTS_MINI_H

#include "warpwright/kernel.h"
#include "warpwright/schedule.h"

enum { MINI_MOST = 8, MINI_COPY = 256 };

typedef struct mini mini;

typedef struct mini_task {
    mini *of;
    const char *name, *text;
} mini_task;

struct mini {
    ww_kernel *kernel;
    ww_resource *resources[MINI_MOST], *accumulator, *queue;
    const char *names[MINI_MOST];
    int count;
    mini_task tasks[MINI_MOST];
    int task_count, next_warp;
};

/* skips: the queue has a skip predicate, so domain loops of a tile stand in skip{..}. */
mini mini_new(bool skips);
void mini_free(mini *m);

/* A ring with one buffer of MINI_COPY bytes a stage; TMA rings receive them by one copy. */
void mini_ring(mini *m, const char *name, ww_pipeline pipeline);
/* A buffer without a pipeline. */
void mini_buffer(mini *m, const char *name);
/* m must not move between this call and mini_free. */
void mini_add(mini *m, const char *name, int warps, const char *text);

/* Proves without the rules of the layer before. */
ww_verdict mini_prove(mini *m);

#endif
