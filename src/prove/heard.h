/* heard: who has heard of an epoch or phase, among those whom it may ever stop. A threshold that all of them have passed
 * can never fail a comparison again. */
#ifndef WW_HEARD_H
#define WW_HEARD_H

#include "prove/machine.h"

/* One entry of the clocks, with the smallest that each crew knows of it. */
typedef struct heard {
    const machine *m;
    int entry;
} heard;

/* Asks everybody, for all entries at once: a row of m->least becomes the smallest clock of a crew's agents that can still
 * act. (Whose epoch it is counts, too: no threshold of its own is above what it has done.) What is asked of `heard`
 * holds until clocks change. */
void heard_listen(const machine *m);
static inline heard heard_of(const machine *m, int entry)
{
    return (heard){m, entry};
}

/* The smallest entry among the agents that may touch the slot in one of these ways (PLAN_READS, PLAN_WRITES), that may act
 * on the stage in one of these ways (PLAN_WAITS, PLAN_ARRIVES, PLAN_USES); among all agents. UINT32_MAX: there are none. */
uint32_t heard_touching(const heard *h, int slot, uint8_t how);
uint32_t heard_acting(const heard *h, int stage, uint8_t how);
uint32_t heard_by_all(const heard *h);

/* Of all entries: the smallest clock of those who may act on the stage in that way. `clock` is room for it, where several
 * crews do. */
const uint32_t *heard_clock(const machine *m, int stage, uint8_t how, uint32_t *clock);

#endif
