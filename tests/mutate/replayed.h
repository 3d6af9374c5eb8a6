/* replayed: see replayed.c. */
#ifndef MUTATE_REPLAYED_H
#define MUTATE_REPLAYED_H

#include "mutate.h"

typedef enum replay_end {
    REPLAY_NO_WITNESS,
    REPLAY_REPRODUCED,
    REPLAY_NOT_REPRODUCED,
    REPLAY_DIVERGED,
    REPLAY_NOT_RUN,
    REPLAY_DIED,
    REPLAY_ENDS
} replay_end;

/* Follows the counterexample of k, declared of s, in a process of its own; says why, after `label`, if it is not reproduced. */
replay_end replay_refuted(const subject *s, ww_kernel *k, ww_verdict v, const char *label);

/* Every step-th mutant of s, counted in sum[REPLAY_ENDS]; NULL: the head of the table. How many ended their process. */
int replay_mutants(const subject *s, int step, int *sum);
/* One mutant, with its timeline. */
void replay_show(const subject *s, int number);
void replay_print_sum(const int *sum);

#endif
