/* matrix: what the files of this test share.
 *
 * A combination is a point of the matrix, one value of each dimension. It becomes a form (what is
 * declared: pipeline, cluster, architecture), the form a kernel. What ought to come of it is said by
 * expected.c, from the specification and from the tables of pipelines.def and archs.def; the library is
 * not asked. */
#ifndef MATRIX_H
#define MATRIX_H

#include "base/base.h"
#include "warpwright/warpwright.h"

/* ---- the matrix: combination.c --------------------------------------------------------------------- */

typedef enum dimension {
    KIND,     /* the pipeline types, and ClcFetchAsync once more, fed by a counter */
    CLUSTER,  /* one CTA, a pair, clusters */
    REACH,    /* multicast of no tile, A, B, both */
    PRODUCER, /* producer_signaling */
    CONSUMER, /* consumer_signaling */
    STRIDE,
    OPERATION, /* producer_op */
    AHEAD,     /* advance_on_wait, advance_on_acquire */
    STAGES,
    ARCH,
    DIMENSIONS
} dimension;

typedef struct combination {
    unsigned char at[DIMENSIONS];
} combination;

enum { KINDS = WW_PEER_ASYNC + 1, KIND_COUNTER = KINDS - 1 }; /* kind i is type i + 1, but the last */

int matrix_extent(dimension d); /* how many values it has */
uint32_t matrix_size(void);     /* of their product */
combination matrix_at(uint32_t index);
void matrix_text(const combination *c, text *out);

/* What is declared. Cluster extents are at least 1; strides are those of the pipeline. */
typedef struct form {
    const char *arch;
    ww_cluster cluster;
    ww_pipeline pipeline;
    bool share_a, share_b; /* tile A is multicast along n, tile B along m */
    bool counter;          /* a dynamic queue is fed by a counter */
    bool lane_tasks;       /* each lane a task of its own, on both sides */
    bool too_far_ahead;    /* looks ahead even where the ring is too small for it */
} form;

form matrix_form(const combination *c);
int form_cluster_size(const form *f);

/* ---- expectations: expected.c ---------------------------------------------------------------------- */

enum { MOST_CODES = 8 };

/* Diagnostics expected, or found; none: legal. */
typedef struct code_set {
    ww_code at[MOST_CODES];
    int count;
} code_set;

/* One way for a declaration to be illegal. */
typedef struct expectation {
    code_set codes; /* that may be found */
    /* Errors of declaring (1xx), each of which must be found; else of the rules or the prover, of which the
     * first to look may be the only one to speak. */
    bool declared;
} expectation;

expectation matrix_expected(const combination *c);

void codes_add(code_set *set, ww_code code);
bool codes_have(const code_set *set, ww_code code);
/* "WW114 option, WW115 stride". */
void codes_text(const code_set *set, text *out);

/* Words of the option column of pipelines.def and of the features of archs.def. */
bool type_offers(ww_pipeline_type type, unsigned option);
enum {
    OFFERS_BYTES = 1,
    OFFERS_LOAD = 2,
    OFFERS_WAIT_AHEAD = 4,
    OFFERS_ACQUIRE_AHEAD = 8,
    OFFERS_STRIDE_IN = 16,
    OFFERS_STRIDE_OUT = 32,
    OFFERS_MULTICAST = 64,
    OFFERS_WAIT_SIGNALS = 128,
    OFFERS_WARP_LEADER = 256,
    OFFERS_SHIFT = 512,
};

/* Who fills and who empties a pipeline of that type. */
typedef enum agent { AGENT_ASYNC, AGENT_TMA, AGENT_UMMA, AGENT_WGMMA, AGENT_FETCH, AGENT_PEER } agent;
agent type_producer(ww_pipeline_type type);
agent type_consumer(ww_pipeline_type type);

/* Who arrives on a barrier, and at whose. */
typedef enum arrive_by { BY_THREADS, BY_WARPS, BY_EXPECT, BY_UMMA } arrive_by;
typedef enum target { TO_OWN, TO_LEADER, TO_PAIR, TO_PEERS, TO_FIRST, TO_EVERY, TO_NEXT, TO_PREVIOUS } target;
typedef struct arrival {
    arrive_by by;
    target to;
} arrival;
arrival type_full(ww_pipeline_type type);
arrival type_empty(ww_pipeline_type type);
const char *type_label(ww_pipeline_type type);
/* Whether that architecture has what the type needs. */
bool arch_has_type(const char *arch, ww_pipeline_type type);

/* ---- kernels: ring.c, kernel.c --------------------------------------------------------------------- */

enum { MOST_RINGS = 4, MOST_LANES = 4 };

/* A pipelined resource and what its work needs besides. */
typedef struct ring {
    form form;
    ww_resource *ring, *operands, *staging, *sink;
    ww_resource *results[MOST_LANES]; /* accumulators, one a consumer task: its lane */
    int number;                       /* of several in one kernel */
    int producer_warps;               /* that fill a stage together */
} ring;

void ring_declare(ring *r, ww_kernel *k, const form *f, int number, int producer_warps, int lanes);
/* Producer work for the slot acquired last; consumer work on the slot waited for last. */
void ring_put(ww_schedule *s, const ring *r);
void ring_take(ww_schedule *s, const ring *r, int lane);
/* Consumer work that returns when asynchronous reads have come to an end: all of them, or all but the
 * newest slot's. */
void ring_settle(ww_schedule *s, const ring *r, int lane, bool all);
/* After the last slot. */
void ring_finish(ww_schedule *s, const ring *r, int lane);

/* Where the next task's warps begin. */
typedef struct warp_room {
    int next;
} warp_room;
int warp_room_take(warp_room *room, int warps, bool aligned);

#define MATRIX_KERNEL "matrix_kernel"
ww_kernel *matrix_kernel_new(const char *arch, ww_cluster cluster);
/* Producer, consumer and what is between them. */
void kernel_declare(ww_kernel *k, const form *f);
/* Strides of both ends of a side. */
int form_stride_in(const form *f);
int form_stride_out(const form *f);

/* ---- rows besides the matrix: groups.c, counts.c, queues.c, singles.c ------------------------------ */

typedef struct row {
    const char *arch;
    ww_cluster cluster;
    expectation expected;
    text name;
    void (*declare)(ww_kernel *k, const struct row *row);
    form forms[2];       /* of groups: the members' */
    ww_group_mode group; /* of groups */
    int variant;         /* for the declaring function */
} row;

typedef VEC(row) row_list;
void rows_add_groups(row_list *rows);
/* Counts and bytes as an author states them, right and wrong. */
void rows_add_counts(row_list *rows);
/* Every type in a persistent loop over each kind of queue. */
void rows_add_queues(row_list *rows);
/* Consumers that wait in one task and release in another. */
void rows_add_splits(row_list *rows);
/* Barriers without data, and what tasks must be like. */
void rows_add_singles(row_list *rows);

/* An architecture that has what the type, and a cluster with such a V, needs; NULL: none has. */
const char *arch_for(ww_pipeline_type type, int v);
int arch_count(void);
const char *arch_name(int index);
bool arch_has(const char *arch, unsigned features);
enum {
    ARCH_MBARRIER = 1,
    ARCH_BULK = 2,
    ARCH_CLUSTER = 4,
    ARCH_WGMMA = 8,
    ARCH_TCGEN05 = 16,
    ARCH_CLC = 32,
    ARCH_CLC_MULTICAST = 64,
    ARCH_SETMAXNREG = 128,
};

/* ---- judging: judge.c, compile.c ------------------------------------------------------------------- */

typedef struct judge judge;
/* keep: compiled kernels are kept in the cache, for the next run. */
judge *judge_new(bool keep);
void judge_free(judge *j);
/* Checks, proves and emits k, which it frees, and compares with what is expected. */
void judge_kernel(judge *j, ww_kernel *k, const char *arch, const expectation *expected, const char *what);
/* Compiles what was emitted, of different kernels every step-th. False: there is no compiler. */
bool judge_compile(judge *j, size_t step);
/* Prints the figures. True when all was as expected. */
bool judge_report(judge *j, double seconds);

typedef struct compiler compiler;
compiler *compiler_new(bool keep);
void compiler_free(compiler *c);
/* The kernel must be named MATRIX_KERNEL; each gets a name of its own. Equal ones are compiled once. */
void compiler_add(compiler *c, const char *arch, const char *cuda, const char *what);
/* Compiles what was added and assembles it, many kernels at a time; prints what fails. */
bool compiler_run(compiler *c, size_t step);
size_t compiler_failures(const compiler *c);
void compiler_report(const compiler *c);

#endif
