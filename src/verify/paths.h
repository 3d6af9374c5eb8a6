/* paths: every way through one task, for rules that must hold on all of them.
 *
 * A rule describes what it remembers in a small state; the walk carries the set of states that can reach each
 * operation. Loops take every number of trips their bounds allow: the first and the last trip are told apart,
 * those between are repeated until no new state appears, one cycle of their every-n-th-trip guards at a time. Loops
 * ruled by the same value agree on it, skipped tiles skip all their guards at once, and the tile loop repeats until no
 * new state appears. A condition (when_true, when_false) is tried both ways, and once taken, it stands for all blocks
 * of its key until the value is made anew. */
#ifndef WW_PATHS_H
#define WW_PATHS_H

#include "lower/lower.h"

enum { PATH_WORDS = 8 };

/* What a rule remembers; compared bit by bit, so unused words stay 0. The rest is the walk's: which conditions have
 * been decided on this path, and how. */
typedef struct path_state {
    uint32_t word[PATH_WORDS];
    uint32_t decided, held;
} path_state;

typedef struct path_walk path_walk;

/* One operation that is not a block: changes the state. False ends this path (the rule has reported it). */
typedef bool path_step(path_walk *w, int op, path_state *state);

struct path_walk {
    const ir_program *program;
    const ir_task *task;
    path_step *step;
    void (*end)(path_walk *w, const path_state *state); /* at the end of the task; may be NULL */
    /* A guard that does not hold, or a loop that runs no trip, is passed over on this path; may be NULL. */
    void (*left_out)(path_walk *w, int block, path_state *state);
    void *rule;                 /* the rule's own data */
    bool stop;                  /* set by the rule: enough has been seen */
    int loop;                   /* innermost LOOP, -1: none */
    int64_t trip;               /* of that loop, from 0; past the first few its residue */
    bool first, last, skipped;  /* that trip; the tile */
    struct path_values *values; /* of the symbolic loops of the region */
};

/* Walks from one initial state. */
void paths_walk(path_walk *w, path_state initial);

/* "in the first trip of its loop", "in a later trip ...", "before its loop"...: where the walk is, for
 * messages. */
const char *path_where(const path_walk *w, int op);

#endif
