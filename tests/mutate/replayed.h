/* replayed: see replayed.c. */
#ifndef MUTATE_REPLAYED_H
#define MUTATE_REPLAYED_H

#include "mutate.h"

enum { REPLAY_ENDS = 6 };

/* Every step-th mutant of s, counted in sum[REPLAY_ENDS]; NULL: the head of the table. How many ended their process. */
int replay_mutants(const subject *s, int step, int *sum);
/* One mutant, with its timeline. */
void replay_show(const subject *s, int number);
void replay_print_sum(const int *sum);

#endif
