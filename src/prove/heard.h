/* heard: who has heard of an epoch or phase, among those whom it may ever stop. A threshold that all of them have passed
 * can never fail a comparison again. */
#ifndef WW_HEARD_H
#define WW_HEARD_H

#include "prove/machine.h"

/* By crew: the smallest entry of a clock among its agents that can still act (not the one whose epoch it is). */
typedef struct heard {
    const plan *plan;
    uint32_t by_crew[WW_MAX_CLUSTER * WW_MAX_TASKS];
} heard;

void heard_of(heard *h, const machine *m, int entry);

/* The smallest entry among the agents that may touch the slot in one of these ways (PLAN_READS, PLAN_WRITES), that may act
 * on the stage in one of these ways (PLAN_WAITS, PLAN_ARRIVES, PLAN_USES); among all agents. */
uint32_t heard_touching(const heard *h, int slot, uint8_t how);
uint32_t heard_acting(const heard *h, int stage, uint8_t how);
uint32_t heard_by_all(const heard *h);

#endif
