/* steady: the search over questions, which makes one execution stand for all values of all bounds. */
#ifndef WW_STEADY_H
#define WW_STEADY_H

#include "prove/machine.h"

/* One answer on the way to a finding. */
typedef struct steady_answer {
    int value, instance;
    bool more; /* the value is greater than `from` (a tile is skipped); else it is `from` (it is not) */
    int64_t from, period; /* known of it when it was asked about */
    moment at;            /* values of trips */
} steady_answer;

typedef struct steady_result {
    bool finished; /* every answer has been followed to its end without a finding */
    bool unsure;   /* it is a descent that ended the search: what it found may come later than it must */
    bool too_long; /* the limit on events was reached */
    int entangled; /* value asked about when the limit on nodes was reached; -1: it was not */
    uint64_t events;
    uint32_t runs;           /* stretches of canonical execution, one an answer */
    uint32_t nodes;          /* different configurations */
    uint32_t descents;       /* chains that were followed by their ends alone */
    int64_t period;          /* the longest, in trips of a loop; 0: none was needed */
    VEC(steady_answer) path; /* answers that lead to the finding */
} steady_result;

/* Leaves the machine where the search ended: at the finding, if there is one. Limits: nodes, and the machine's events.
 * `descends`: chains longer than that which only lose knowledge are followed by their ends alone (descend.h); then what is
 * proved is proved, and what is found need not be real. 0: none are. */
void steady_search(machine *m, int descends, size_t most_nodes, steady_result *result);

#endif
