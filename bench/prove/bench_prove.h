/* bench_prove: what the files of this program share. */
#ifndef BENCH_PROVE_H
#define BENCH_PROVE_H

#include "mini.h"
#include "base/base.h"

typedef struct measured {
    ww_verdict verdict;  /* of the last repetition; its refutation is not to be followed */
    double check, prove; /* medians, in milliseconds; each time of a kernel declared anew */
    int agents;          /* warps, in all CTAs */
    size_t stages;       /* of barriers, in all CTAs */
} measured;

/* Declares with what `context` says. The kernel is freed by its owner. */
typedef ww_kernel *declare_kernel(void *context);
typedef void release_kernel(void *context, ww_kernel *k);

measured measure(declare_kernel *declare, release_kernel *release, void *context, int repetitions);

/* examples.c: the examples as they are. The greatest of their times, check and proof together. */
double bench_examples(int repetitions);
/* Whether each proof takes no more operations than it is given. */
bool bench_examples_in_limits(void);
/* sweeps.c */
void bench_sweeps(int repetitions);
void bench_clusters(int repetitions);
/* reference.c: a GEMM whose state counts for a search over interleavings are published. */
void bench_reference(int repetitions);

#endif
