/* mini: kernels in one line a task, for tests of the prover.
 *
 *     A s   C s   W s    acquire, commit, producer work on resource s       A? s   try_acquire
 *     w s   L s   R s    wait, release, consumer work on resource s         w? s   try_wait
 *     M s                wgmma that reads the current slot of s, one group  wait0, wait1  until at most so many groups
 *     H s                producer work that copies a quarter of the buffer
 *     U t:s  U t:ss      tcgen05 work that writes t and reads s (s and another)
 *     S s                bulk store of the current slot of s, one group     bulk0, bulk1  until at most so many groups
 *     Y n   y n          sync with named barrier n, arrive on it
 *     (..)*3  (..)*k  (..)*k1  (..)*d     a loop of 3 trips, of the launch argument k from 0 (k1: from 1), of the
 *                                         device function d; (..)*1k is the loop over [1, k), (..)*2:5 that over
 *                                         [2, 5), (..)*2:9/3 in steps of 3, (..)*-k counts from k down to 1
 *     f{..}  l{..}  e2:1{..}              first, last trip; trips 1, 3, 5, ...
 *     ?c  t:c{..}  n:c{..}                makes the condition c; where it is true; where it is not
 *     tiles{..}  skip{..}  F              tile loop, skippable part, fetch of the next tile
 *     @1 at the front                     the task runs in CTA 1 alone
 *
 * A tile loop advances its queue at its end by itself. */
#ifndef WW_TESTS_MINI_H
#define WW_TESTS_MINI_H

#include "warpwright/kernel.h"
#include "warpwright/schedule.h"

enum { MINI_MOST = 34, MINI_COPY = 256, MINI_CONDITIONS = 4 };

typedef struct mini mini;

typedef struct mini_task {
    mini *of;
    const char *name, *text;
} mini_task;

typedef enum mini_queue { MINI_STATIC, MINI_CLC, MINI_COUNTER } mini_queue;

typedef struct mini_options {
    bool skips; /* the queue has a skip predicate, so domain loops of a tile stand in skip{..} */
    const char *arch;
    ww_cluster cluster;
    mini_queue queue;
} mini_options;

/* A ring, or a buffer without a pipeline. Rings of bulk copies receive one a stage. */
typedef struct mini_ring_options {
    ww_pipeline pipeline;
    bool tensor;    /* its memory is tensor memory */
    uint32_t bytes; /* of a stage; 0: MINI_COPY */
    uint32_t copy;  /* bytes that one copy brings; 0: all of them */
    ww_reach reach;
    const char *shares;       /* resource whose buffer it is */
    ww_part put, get, engine; /* without a pipeline: of W, R, and of S and M */
} mini_ring_options;

typedef struct mini_resource {
    const char *name;
    mini_ring_options options;
    ww_resource *made; /* by the first mini_add */
    int kind;          /* of the barriers without data */
    const char *members;
    ww_group_mode mode;
    ww_pipeline pipeline; /* of a group */
    int threads;
} mini_resource;

struct mini {
    ww_kernel *kernel;
    mini_options options;
    mini_resource resources[MINI_MOST];
    ww_resource *engines, *queue;
    const char *alias[2];
    int count;
    mini_task tasks[MINI_MOST];
    int task_count, next_warp;
};

mini mini_new(bool skips);
mini mini_new_with(mini_options options);
void mini_free(mini *m);

/* A ring with one buffer of MINI_COPY bytes a stage. */
void mini_ring(mini *m, const char *name, ww_pipeline pipeline);
void mini_ring_with(mini *m, const char *name, mini_ring_options options);
/* A buffer without a pipeline. */
void mini_buffer(mini *m, const char *name);
/* members: names of rings, with spaces between. */
void mini_group(mini *m, const char *name, ww_group_mode mode, const char *members, ww_pipeline pipeline);
void mini_named(mini *m, const char *name, int threads);
void mini_ordered(mini *m, const char *name);
/* Two resources that lie over each other. */
void mini_alias(mini *m, const char *a, const char *b);

/* m must not move between this call and mini_free. Resources are declared before the first. */
void mini_add(mini *m, const char *name, int warps, const char *text);

/* Proves without the rules of the layer before. */
ww_verdict mini_prove(mini *m);

/* For mini.c. */
int mini_find(const mini *m, const char *name, size_t length);
void mini_declare(mini *m);

#endif
