/* blackwell: what the problem of sm_100a's GEMMs needs to know of a kernel. */
#ifndef BLACKWELL_H
#define BLACKWELL_H

#include "blackwell_params.h"
#include "feature.h"

typedef struct blackwell_problem {
    ww_cluster cluster;
    bool clc;    /* tiles by cluster launch control */
    bool skip;   /* odd tiles are skipped */
    bool tiles;  /* the tiles of A are put out too */
    bool share;  /* CTAs of the cluster load for each other */
    bool scaled; /* in 4 bits with factors */
} blackwell_problem;

/* Runs several sizes, and compares D, how often each tile was dealt out, and the tiles of A. */
void blackwell_check(trial *t, const blackwell_problem *what);

/* The same of the block-scaled kernels; their inputs are blackwell_scaled.c's. */
void blackwell_scaled_check(trial *t, const blackwell_problem *what);

#endif
