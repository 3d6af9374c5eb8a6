/* A mini kernel as a row of a table: rings, tasks, and what else it has; for the tables *.def of this folder and of tests/rules. */
#ifndef WW_TESTS_MINI_ROW_H
#define WW_TESTS_MINI_ROW_H

#include "mini.h"

enum { MOST_RINGS = 5, MOST_TASKS = 6 };

typedef struct ring_row {
    const char *name; /* NULL ends */
    ww_pipeline pipeline;
    bool tensor;
    uint32_t copy;
    ww_reach reach;
    const char *shares;
    ww_part put, get, engine;
} ring_row;

typedef struct group_row {
    const char *name; /* NULL: none */
    ww_group_mode mode;
    const char *members;
    ww_pipeline pipeline;
} group_row;

typedef struct task_row {
    int warps; /* 0 ends */
    const char *text;
} task_row;

typedef struct mini_row {
    const char *name;
    bool skips;
    ring_row rings[MOST_RINGS];
    task_row tasks[MOST_TASKS];
    ww_code code; /* what the prover says; 0: proved */
    unsigned events, runs, period;
    mini_options options;
    group_row group;
    const char *named, *named_too, *ordered, *alias[2];
    ww_code rule; /* what the rules say, in tables that ask both */
} mini_row;

#define ASYNC(n)                                                                                             \
    {                                                                                                        \
        .type = WW_ASYNC_ASYNC, .stages = (n)                                                                \
    }
#define TMA(n)                                                                                               \
    {                                                                                                        \
        .type = WW_TMA_ASYNC, .stages = (n)                                                                  \
    }
#define ASYNC_AHEAD(n)                                                                                       \
    {                                                                                                        \
        .type = WW_ASYNC_ASYNC, .stages = (n), .advance_on_wait = true, .advance_on_acquire = true           \
    }
#define TMA_AHEAD(n)                                                                                         \
    {                                                                                                        \
        .type = WW_TMA_ASYNC, .stages = (n), .advance_on_wait = true                                         \
    }
#define PLAIN                                                                                                \
    {                                                                                                        \
        .type = WW_NO_PIPELINE                                                                               \
    }

#define TENSOR .arch = "sm_100a"
#define OF(type_name, ...)                                                                                   \
    {                                                                                                        \
        .type = WW_##type_name, .stages = __VA_ARGS__                                                        \
    }

#define LOADS(n) OF(ASYNC_ASYNC, n, .producer_op = WW_ASYNC_LOAD)

/* Clusters: two CTAs that copy for each other, a pair of CTAs that shares MMAs, four CTAs, two pairs,
 * four CTAs in rows and columns of two, four pairs likewise. */
#define PAIR .cluster = {1, 1, 2, 1}
#define TWIN .cluster = {2, 1, 1, 1}
#define FOUR .cluster = {1, 1, 4, 1}
#define TWINS .cluster = {2, 2, 1, 1}

#define SQUARE .cluster = {1, 2, 2, 1}
#define EIGHT .cluster = {2, 2, 2, 1}

/* The kernel without its tasks, and the tasks: the mini must not move in between. */
mini mini_row_declare(const mini_row *r);
void mini_row_add_tasks(mini *m, const mini_row *r);

#endif
