/* descend: chains of answers that only lose knowledge.
 *
 * Say the configuration after one more trip is like the one before it, but for knowing less. Then so it is after each trip
 * that follows, for less knowledge is weaker (canonical_order.c): the chain descends, and as there is only so much to
 * forget, it comes to a configuration that repeats. Whatever can be proved of that one holds for all of the chain. A ring
 * of many stages forgets, slot by slot, that it was empty. */
#ifndef WW_DESCEND_H
#define WW_DESCEND_H

#include "prove/canonical.h"

typedef enum descent {
    DESCENT_NONE,  /* the next trip knows something new, or asks something else */
    DESCENT_LIMIT, /* the machine stands at the configuration that repeats, and `form` is that */
    DESCENT_FOUND  /* a fault on the way, or too many operations */
} descent;

/* The machine asks q, and `form` is its configuration, made with `keep`; `room` is for another. */
descent descend(machine *m, canonical *form, canonical *room, const question *q, uint32_t *runs);

#endif
