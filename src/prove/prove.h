/* prove: no deadlock, no race, no lapped barrier, no wrong count, in every interleaving and for every trip count.
 *
 * One canonical execution stands for all interleavings once happens-before has discharged two conditions (no lapping,
 * arrival discipline), and configurations that repeat stand for all longer loops. docs/prover.md holds the argument
 * and what is outside the model. */
#ifndef WW_PROVE_H
#define WW_PROVE_H

#include "lower/lower.h"

/* Texts and the refutation are allocated in k's arena; k's own list of diagnostics is left alone. */
ww_verdict prove_program(ww_kernel *k, const ir_program *p);

#endif
