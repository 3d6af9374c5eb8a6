/* heard: who has heard of an epoch or phase, among those whom it may ever stop. A threshold that all of them have passed
 * can never fail a comparison again. */
#ifndef WW_HEARD_H
#define WW_HEARD_H

#include "prove/machine.h"

/* By task: the smallest entry of a clock among its agents that can still act (not the one whose epoch it is). */
typedef struct heard {
    const plan *plan;
    uint32_t by_task[WW_MAX_TASKS];
} heard;

heard heard_of(const machine *m, int entry);

/* The smallest entry among the agents that may touch the buffer in one of these ways (PLAN_READS, PLAN_WRITES), that may
 * arrive on the barrier, that wait on it, that use it at all; among all agents. */
uint32_t heard_touching(const heard *h, int buffer, uint8_t how);
uint32_t heard_arriving(const heard *h, int barrier);
uint32_t heard_waiting(const heard *h, int barrier);
uint32_t heard_using(const heard *h, int barrier);
uint32_t heard_by_all(const heard *h);

#endif
