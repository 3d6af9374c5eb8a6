/* The kernel: what an author declares, and everything that can be done with the declaration.
 *
 * A ww_kernel owns all objects declared on it; ww_kernel_free frees them together. Declaring never fails:
 * mistakes become diagnostics (diag.h) that ww_kernel_check returns. Objects are not thread-safe; separate
 * kernels are independent. */
#ifndef WARPWRIGHT_KERNEL_H
#define WARPWRIGHT_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warpwright/diag.h"

typedef struct ww_kernel ww_kernel;
typedef struct ww_resource ww_resource;
typedef struct ww_task ww_task;
typedef struct ww_schedule ww_schedule;

/* Limits. A declaration past one of them is refused with a diagnostic. */
enum {
    WW_MAX_BUFFERS = 4, /* buffers of one resource */
    WW_MAX_VALUES = 8,  /* inputs, or outputs, of one work method */
    WW_MAX_COPIES = 4,  /* bulk copies one work method issues */
    WW_MAX_STAGES = 64,
    WW_MAX_WARPS = 32,
    WW_MAX_TASKS = 32,
    WW_MAX_MEMBERS = 8,     /* resources of one group, participants of an ordered sequence */
    WW_MAX_CONSTANTS = 4,   /* compile-time arguments of one work method */
    WW_MAX_PHASES = 8,      /* of one alias group */
    WW_MAX_CLUSTER = 16,    /* CTAs */
    WW_NAMED_BARRIERS = 15, /* ids 1 to 15; 0 is the CTA's own */
    WW_TMEM_COLUMNS = 512,
};

/* The CTAs of a cluster, rank = v + V * (m + M * (n + N * k)); zeros mean 1. V is the number of CTAs that share one
 * MMA: 2 for tcgen05 cta_group::2. The launch's cluster is (V * M, N, K). A operand tiles are shared along n, B tiles
 * along m. */
typedef struct ww_cluster {
    int v, m, n, k;
} ww_cluster;

typedef struct ww_kernel_options {
    const char *arch;        /* "sm_90a"; NULL means that */
    const char *body;        /* header with the work bodies, as the generated file includes it: "gemm.cuh" */
    const char *body_folder; /* where it lies */
    const char *params;  /* type of the kernel's one parameter: "gemm_params" (a struct of the body header) */
    size_t params_bytes; /* its size, checked by the CUDA compiler */
    /* Bytes a CTA may use, at most what the architecture has (232448 on sm_90a); 0: all that. */
    uint32_t smem_capacity;
    ww_cluster cluster;
    bool allow_unproved; /* emit also what the prover does not model (WW306); the generated file says so */
    bool pdl_wait_done;  /* the predecessor's results are waited for elsewhere: no griddepcontrol rules */
} ww_kernel_options;

#define ww_kernel_new(name, ...) ww_kernel_new_at(WW_HERE, name, __VA_ARGS__)
ww_kernel *ww_kernel_new_at(ww_place place, const char *name, const ww_kernel_options *options);
void ww_kernel_free(ww_kernel *k);
const char *ww_kernel_name(const ww_kernel *k);
size_t ww_kernel_params_bytes(const ww_kernel *k); /* as declared */

/* ---- resources (a piece of memory, with an optional pipeline) --------------------------------------- */

/* Pipeline types: producer kind, then consumer kind. One row each in pipelines.def. */
typedef enum ww_pipeline_type {
    WW_NO_PIPELINE,
#define WW_PIPELINE(name, ...) WW_##name,
#include "warpwright/pipelines.def"
#undef WW_PIPELINE
} ww_pipeline_type;

/* As many stages as shared memory holds beside all else; resources that ask for it get the same number, each rounded
 * down to a multiple of its strides. Not for work queues. */
#define WW_STAGES_MAX (-1)

/* Which threads act for a side of a pipeline; 0: the type's default. ALL stands alone. */
typedef enum ww_signaling {
    WW_SIGNAL_DEFAULT = 0,
    WW_SIGNAL_ALL = 1,
    WW_SIGNAL_CTA_LEADER = 2,  /* only the CTAs of rank % V == 0 (ClcFetchAsync: of rank 0) */
    WW_SIGNAL_WARP_LEADER = 4, /* only the task's first warp announces the bytes; all its warps wait */
} ww_signaling;

/* How a producer of threads arrives: plainly, or when its cp.async copies so far have landed. */
typedef enum ww_producer_op { WW_ASYNC_THREAD, WW_ASYNC_LOAD } ww_producer_op;

/* Whose bulk copies land in a CTA's buffers, besides its own: whom a release must tell. AUTO: as the copies' reach
 * says. */
typedef enum ww_multicast {
    WW_MULTICAST_AUTO,
    WW_MULTICAST_NONE,
    WW_MULTICAST_M,  /* those of equal m: A tiles (WW_REACH_A) */
    WW_MULTICAST_N,  /* those of equal n: B tiles (WW_REACH_B) */
    WW_MULTICAST_MN, /* both */
} ww_multicast;

/* Interleaving: k lanes share the stages, lane i visits i, i + k, i + 2k, ... Zeros mean 1. A lane is a warp of a task
 * of k warps, or a task whose domain loop has an immediate start and the step k (lane = start % k). */
typedef struct ww_stride {
    int all; /* of all four verbs */
    /* Of one verb, in place of `all`. The ends of a side may differ only with its advance_on_*. */
    int acquire, commit, wait, release;
} ww_stride;

/* Zero-initialised members are derived; a member that is given is checked against what would be derived. Which members
 * a type offers, and its protocol, is in pipelines.def. Write one as ww_pipeline_<type>(.stages = 4, ...) below. */
typedef struct ww_pipeline {
    ww_pipeline_type type;
    int stages;
    uint32_t tx_bytes; /* bytes that bulk copies bring to one full barrier a phase; derived from the copies */
    uint32_t producer_arrivals; /* arrivals that complete a phase of the full barrier */
    uint32_t consumer_arrivals; /* arrivals that complete a phase of the empty barrier */
    ww_signaling producer_signaling, consumer_signaling;
    ww_signaling wait_signaling; /* of wait alone, where it differs from release */
    ww_producer_op producer_op;
    /* Waits may run ahead of releases, acquires ahead of commits: two cursors on that side. Set by themselves where one
     * task opens slots and another closes them. */
    bool advance_on_wait, advance_on_acquire;
    ww_stride stride;
    ww_multicast multicast;
    uint32_t bytes_per_warp_per_cta; /* what one producer warp of one CTA brings to a full barrier; checked */
    int peer_shift;                  /* PeerAsync: how many ranks on the destination is; 0 means 1 */
    ww_cluster cluster;              /* as the kernel's, or left out */
} ww_pipeline;

#define ww_pipeline_async_async(...) ((ww_pipeline){.type = WW_ASYNC_ASYNC, __VA_ARGS__})
#define ww_pipeline_tma_async(...) ((ww_pipeline){.type = WW_TMA_ASYNC, __VA_ARGS__})
#define ww_pipeline_tma_umma(...) ((ww_pipeline){.type = WW_TMA_UMMA, __VA_ARGS__})
#define ww_pipeline_umma_async(...) ((ww_pipeline){.type = WW_UMMA_ASYNC, __VA_ARGS__})
#define ww_pipeline_async_umma(...) ((ww_pipeline){.type = WW_ASYNC_UMMA, __VA_ARGS__})
#define ww_pipeline_umma_umma(...) ((ww_pipeline){.type = WW_UMMA_UMMA, __VA_ARGS__})
#define ww_pipeline_clc_fetch_async(...) ((ww_pipeline){.type = WW_CLC_FETCH_ASYNC, __VA_ARGS__})
#define ww_pipeline_async_tma(...) ((ww_pipeline){.type = WW_ASYNC_TMA, __VA_ARGS__})
#define ww_pipeline_tma_wgmma(...) ((ww_pipeline){.type = WW_TMA_WGMMA, __VA_ARGS__})
#define ww_pipeline_async_wgmma(...) ((ww_pipeline){.type = WW_ASYNC_WGMMA, __VA_ARGS__})
#define ww_pipeline_peer_async(...) ((ww_pipeline){.type = WW_PEER_ASYNC, __VA_ARGS__})

typedef enum ww_swizzle { WW_SWIZZLE_NONE, WW_SWIZZLE_32B, WW_SWIZZLE_64B, WW_SWIZZLE_128B } ww_swizzle;

/* Bytes of `count` elements of `bits` bits each, whole bytes: WW_BYTES(128 * 64, 4). */
#define WW_BYTES(count, bits) (((count) * (bits) + 7) / 8)

/* Shared memory of a resource, one copy a stage (one copy without a pipeline). */
typedef struct ww_buffer {
    const char *name;
    uint32_t bytes;      /* of one stage */
    uint32_t align;      /* power of two up to 1024; 0: 128, or what the swizzle's pattern wants */
    ww_swizzle swizzle;  /* of the tiles in it: 128B, 64B, 32B need 1024, 512, 256 bytes of alignment */
    ww_resource *shares; /* no memory of its own: the buffer of the same name of that resource */
} ww_buffer;

/* Tensor memory of a resource, one copy a stage (tcgen05; 512 columns of 128 lanes of 32 bits a CTA). */
typedef struct ww_tmem {
    const char *name;
    int columns; /* of one stage */
} ww_tmem;

typedef enum ww_side { WW_CONSUMER, WW_PRODUCER } ww_side;

/* To which CTAs of the cluster a copy goes, at the same offsets and barriers as here. */
typedef enum ww_reach {
    WW_REACH_OWN,
    WW_REACH_A, /* multicast to the CTAs that share my A tile: all n of my m */
    WW_REACH_B, /* multicast to those that share my B tile: all m of my n */
} ww_reach;

/* A bulk copy that a work body issues in each CTA; its bytes complete on the full barrier of the stage, in each CTA it
 * reaches (TmaUmma with V = 2: on that of the leader). */
typedef struct ww_copy {
    const char *buffer; /* destination, one of the resource's buffers */
    uint32_t bytes; /* the whole box, also where it is clipped (PTX ISA, "Tensor copy": out of bounds is zero
                       fill) */
    ww_reach reach;
} ww_copy;

/* How much of a buffer without a pipeline one warp's call of a work body may touch: the warps of a task share it. Where
 * several bodies of a task do the same to a buffer, the widest part counts. */
typedef enum ww_part {
    /* Not said. An engine (TMA, wgmma, tcgen05) may take in all of the buffer. Threads are taken to keep apart by themselves,
     * or to synchronise in their bodies, but an engine may meet what any of them writes. */
    WW_PART_UNKNOWN,
    WW_PART_ALL,       /* what other warps of the task write or read, too */
    WW_PART_WARPGROUP, /* the part of the warp's warpgroup (warps 0 to 3 of the task, 4 to 7, ...) */
    WW_PART_WARP,      /* the warp's own part */
} ww_part;

/* A work body, as far as others depend on it. Fences between what threads write and what engines (TMA, wgmma, tcgen05)
 * access, and those of tcgen05 around barriers, are placed from what is said here; a body fences only the source of a
 * copy to a peer, which no row names.
 *
 * It is the CUDA function TYPE_NAME(TYPE &self, const INFO &info, in..., out &...) of the body header; with
 * constants, a template over them: TYPE_NAME<3>(...).
 */
typedef struct ww_work {
    const char *name;
    ww_side side;                  /* WW_CONSUMER takes out of the resource, WW_PRODUCER puts into it */
    bool auxiliary;                /* computes values or registers only: needs no bracket */
    const char *in[WW_MAX_VALUES]; /* "type name" each */
    /* "type name" or "type name = default" each, passed by reference; the default is the value where the call has not
     * run yet ({} when left out). */
    const char *out[WW_MAX_VALUES];
    const char *constants[WW_MAX_CONSTANTS]; /* "int name" each: compile-time arguments */
    ww_copy copies[WW_MAX_COPIES];
    /* The buffers it reads (consumer) or writes (producer); none named: all. */
    const char *touches[WW_MAX_BUFFERS];
    /* One warp's share of those without a pipeline, and of what the engines below read of such. */
    ww_part part;
    /* Resources whose current stage the wgmma group it commits will read. */
    const char *wgmma_reads[WW_MAX_BUFFERS];
    int wgmma_wait; /* WW_WGMMA_WAIT(n): returns with at most n groups still reading */
    /* Resources whose current stage the tcgen05 instructions it issues read; they write this resource's buffers. Issued
     * by the thread that ww::elect_one() elects, with V = 2 in leader CTAs. */
    const char *umma_reads[WW_MAX_BUFFERS];
    bool bulk_store; /* consumer work: bulk copies out of the resource's buffers, one group committed */
    int bulk_wait;   /* WW_BULK_WAIT(n): returns with at most n of these groups still reading */
} ww_work;

#define WW_WGMMA_WAIT(n) ((n) + 1)
#define WW_BULK_WAIT(n) ((n) + 1)

typedef struct ww_resource_options {
    const char *type; /* C++ struct of its per-task registers, prefix of its work bodies; NULL: its name */
    ww_pipeline pipeline;
    ww_buffer buffers[WW_MAX_BUFFERS];
    ww_tmem tmem[WW_MAX_BUFFERS];
    const ww_work *work; /* ended by a row without a name */
} ww_resource_options;

#define ww_resource_new(k, name, ...) ww_resource_new_at(WW_HERE, k, name, __VA_ARGS__)
ww_resource *ww_resource_new_at(ww_place place, ww_kernel *k, const char *name,
                                const ww_resource_options *options);

/* ---- groups: resources that one task drives together share barriers ----------------------------------- */

typedef enum ww_group_mode {
    WW_MERGE,       /* many producers, one consumer task: one empty barrier for all, released on the group */
    WW_FORK,        /* one producer task, many consumers: one full barrier for all, committed on the group */
    WW_FUSED_MERGE, /* as MERGE, and one full barrier too: try_wait, wait and release on the group */
} ww_group_mode;

typedef struct ww_group_options {
    ww_group_mode mode;
    /* Ended by NULL; each declares the pipeline it would have alone. */
    ww_resource *members[WW_MAX_MEMBERS + 1];
    /* Counts and bytes of the shared barriers; zeros are derived, as in a pipeline of its own. Type and stages, where
     * given, must be the members'; nothing else is taken. */
    ww_pipeline pipeline;
} ww_group_options;

/* The other verbs are called on the members. Members have equal stages, strides and look-ahead, and signal equally on
 * the side they share; at most one side of their types differs: the producers of a merge, the consumers of a fork. */
#define ww_group_new(k, name, ...) ww_group_new_at(WW_HERE, k, name, __VA_ARGS__)
ww_resource *ww_group_new_at(ww_place place, ww_kernel *k, const char *name, const ww_group_options *options);

/* ---- alias groups: memory used one phase after the other ----------------------------------------------- */

typedef struct ww_phase {
    /* Whose buffers (shared and tensor memory) live together; ended by NULL. */
    ww_resource *resources[WW_MAX_VALUES + 1];
} ww_phase;

/* ww_alias(k, {{smem_a, smem_b}}, {{staging}}): the phases lie over each other. That nobody uses two of them at a time
 * is for the prover to see. */
#define ww_alias(k, ...) ww_alias_at(WW_HERE, k, (const ww_phase[]){__VA_ARGS__, {{NULL}}})
void ww_alias_at(ww_place place, ww_kernel *k, const ww_phase *phases);

/* ---- barriers without data ----------------------------------------------------------------------------- */

/* A hardware barrier of the CTA with an id of its own (bar.sync). threads: 0 to have it derived from the tasks that
 * sync and arrive. Verbs: ww_sync, ww_sync_arrive. */
#define ww_named_barrier_new(k, name, threads) ww_named_barrier_new_at(WW_HERE, k, name, threads)
ww_resource *ww_named_barrier_new_at(ww_place place, ww_kernel *k, const char *name, int threads);

/* A barrier for each warpgroup of the one task that syncs it: its four warps meet, the other warpgroups do not wait. */
#define ww_warpgroup_barrier_new(k, name) ww_warpgroup_barrier_new_at(WW_HERE, k, name)
ww_resource *ww_warpgroup_barrier_new_at(ww_place place, ww_kernel *k, const char *name);

/* An ordered sequence: the tasks that acquire and commit it take turns, in the order of their declaration (ping-pong
 * of two math tasks). Verbs: ww_acquire, ww_commit. */
#define ww_ordered_sequence_new(k, name) ww_ordered_sequence_new_at(WW_HERE, k, name)
ww_resource *ww_ordered_sequence_new_at(ww_place place, ww_kernel *k, const char *name);

/* Programmatic dependent launch (PTX ISA, "griddepcontrol"): wait for the predecessor grid's results, and let the
 * successor grid start. A resource that is read from what the predecessor wrote depends on the wait (ww_depends); the
 * launch depends on nothing. Verbs: ww_griddep_wait, ww_griddep_launch. */
#define ww_pdl_wait_new(k, name) ww_pdl_wait_new_at(WW_HERE, k, name)
ww_resource *ww_pdl_wait_new_at(ww_place place, ww_kernel *k, const char *name);
#define ww_pdl_launch_new(k, name) ww_pdl_launch_new_at(WW_HERE, k, name)
ww_resource *ww_pdl_launch_new_at(ww_place place, ww_kernel *k, const char *name);

/* ---- values known at launch or in the kernel -------------------------------------------------------- */

typedef enum ww_bound_kind {
    WW_BOUND_IMMEDIATE,
    WW_BOUND_ARGUMENT, /* an int of the parameter struct */
    /* int NAME(const INFO &info) of the body header, evaluated by each thread: of a loop in a tile loop at the start of
     * each tile, else at the start of the task, before its first step (a ww_griddep_wait, too). */
    WW_BOUND_DEVICE,
} ww_bound_kind;

typedef struct ww_bound {
    ww_bound_kind kind;
    int value;        /* immediate */
    const char *name; /* field or function */
    size_t offset;    /* of the field */
    int min; /* of an argument: the smallest value the author promises; launches below it are refused */
} ww_bound;

#define ww_imm(v) ((ww_bound){.kind = WW_BOUND_IMMEDIATE, .value = (v)})
#define ww_arg(type, field, least)                                                                           \
    ((ww_bound){.kind = WW_BOUND_ARGUMENT, .name = #field, .offset = offsetof(type, field), .min = (least)})
#define ww_device(function) ((ww_bound){.kind = WW_BOUND_DEVICE, .name = (function)})

/* ---- work queues ------------------------------------------------------------------------------------ */

typedef struct ww_queue_options {
    ww_bound tiles[3]; /* CTA tiles along m, n, l; zero-initialised entries mean 1 */
    int swizzle;       /* width of the raster's bands, in clusters of tiles; 0 and 1: none */
    bool raster_along_n;
    /* bool NAME(const INFO &info) of the body header: tiles whose skippable part is left out. Each thread asks, once a
     * tile; all threads must get the same answer, in a cluster those of all its CTAs. */
    const char *skip;
    int stages; /* dynamic queues: tiles fetched ahead, 1 to WW_MAX_STAGES; 0 means 2 */
    /* Counter queues: member of the parameter struct, unsigned *, that points to a zeroed counter; it is zero again when
     * the launch has ended. */
    const char *counter;
    ww_pipeline pipeline; /* dynamic queues: counts to be checked; type, stages and bytes are the queue's */
} ww_queue_options;

/* Every queue: the grid is (V * M, N, G) of clusters (V * M, N, 1); a cluster's z is its first tile. Tiles of a
 * cluster are V * M along m by N along n. warpwright/tile_space.h computes the grid.
 *
 * A static persistent work queue: cluster z takes the cluster tiles z, z + G, z + 2G, ... of the raster. */
#define ww_queue_static(k, name, ...) ww_queue_static_at(WW_HERE, k, name, __VA_ARGS__)
ww_resource *ww_queue_static_at(ww_place place, ww_kernel *k, const char *name,
                                const ww_queue_options *options);

/* Dynamic queues, same face: a scheduler task fetches the next tile (ww_fetch_tile), every task, the scheduler too,
 * takes it from shared memory (ww_advance_tile). CLC asks the hardware for a cluster that has not started (cluster
 * launch control, sm_100 on; G = all clusters of work); counter counts in global memory (sm_90 on; G = clusters that fit
 * the GPU). */
#define ww_queue_clc(k, name, ...) ww_queue_clc_at(WW_HERE, k, name, __VA_ARGS__)
ww_resource *ww_queue_clc_at(ww_place place, ww_kernel *k, const char *name, const ww_queue_options *options);
#define ww_queue_counter(k, name, ...) ww_queue_counter_at(WW_HERE, k, name, __VA_ARGS__)
ww_resource *ww_queue_counter_at(ww_place place, ww_kernel *k, const char *name,
                                 const ww_queue_options *options);

/* ---- tasks and the dependency graph ----------------------------------------------------------------- */

typedef void ww_schedule_function(ww_schedule *s, void *context);

/* A value's way: "gmem_ab.coords.k" to "smem_ab.load.k" (resource, work method, output or input). */
typedef struct ww_route {
    const char *from, *to;
} ww_route;

typedef struct ww_task_options {
    int first_warp, warps;
    int registers;                  /* setmaxnreg target, 24..256 by 8; 0: leave as compiled */
    ww_schedule_function *schedule; /* NULL: a padding task that does nothing */
    void *context;
    ww_resource *consumes[WW_MAX_VALUES + 1]; /* ended by NULL; empty: derived from the schedule */
    ww_resource *produces[WW_MAX_VALUES + 1];
    int only_cta; /* WW_ONLY_CTA(rank): the task runs in one CTA of the cluster; 0: in all */
    /* How values go from call to call, ended by a row without `from`; what is given must be exactly what the tokens do.
     * NULL: nothing is said. */
    const ww_route *routes;
} ww_task_options;

#define WW_ONLY_CTA(rank) ((rank) + 1)

/* Runs the schedule function once, to record it. */
#define ww_task_new(k, name, ...) ww_task_new_at(WW_HERE, k, name, __VA_ARGS__)
ww_task *ww_task_new_at(ww_place place, ww_kernel *k, const char *name, const ww_task_options *options);

/* downstream is computed from upstream (NULL: from nothing inside the kernel). */
#define ww_depends(k, downstream, upstream) ww_depends_at(WW_HERE, k, downstream, upstream)
void ww_depends_at(ww_place place, ww_kernel *k, ww_resource *downstream, ww_resource *upstream);

/* ---- what can be done with a declaration ------------------------------------------------------------ */

/* All diagnostics so far: those of declaring and, from the first call on, those of every rule (where declaring found errors,
 * of every rule on what does not rest on them). NULL: none.
 * Owned by the kernel. The declaration is closed by this call. */
const ww_diag *ww_kernel_check(ww_kernel *k);

typedef struct ww_verdict {
    bool proved;
    char covered[256];       /* one line: what the proof stands for */
    uint64_t events;         /* operations executed over all runs */
    uint32_t runs;           /* canonical executions: stretches from one question about a value to the next */
    uint32_t configurations; /* different ones, at which such a question was put */
    uint32_t period;         /* of the steady state, in loop trips; 0: no loop */
    double milliseconds;
    const ww_diag *refutation; /* why not, owned by the kernel; NULL when proved */
    /* The refutation as a sequence of events (witness.h), owned by the kernel; NULL when there is none: proved, refused
     * by a rule, or not modelled. */
    const struct ww_witness *witness;
} ww_verdict;

/* Proves the kernel free of deadlocks, races, laps and wrong counts, or returns a counterexample. A kernel
 * with errors in ww_kernel_check is refused at once (proved false, refutation = those errors). Found once; later calls
 * return the same. */
ww_verdict ww_kernel_prove(ww_kernel *k);

/* A proof written out, which a checker of its own follows step by step without searching (docs/certificate.md). */
typedef struct ww_certificate {
    const char *text;    /* ends with 0, owned by the kernel; of a check: what was given. NULL: it is none */
    char why[256];       /* why there is none, or why it is not one; else "" */
    uint32_t machines;   /* written out in it */
    uint64_t events;     /* operations that the checker executed */
    double milliseconds; /* to write and check it; to check it */
} ww_certificate;

/* Of a kernel that ww_kernel_prove proves. */
ww_certificate ww_kernel_certify(ww_kernel *k);
/* Whether `text` certifies this kernel: it does if `text` of the result is not NULL. Neither the rules nor the prover have a
 * part in it. */
ww_certificate ww_certificate_check(ww_kernel *k, const char *text, size_t length);

/* Skip every rule and the prover from here on: for tests that show what the rules are there to prevent. */
void ww_kernel_unchecked(ww_kernel *k);
bool ww_kernel_is_unchecked(const ww_kernel *k);

/* The CUDA translation unit; NULL when the kernel has errors. Owned by the kernel. */
const char *ww_kernel_emit(ww_kernel *k);

/* Compares the compiled work bodies with their rows in the work tables, instruction by instruction (WW403 to WW413;
 * docs/audit.md says what is told and what is left undecided). Compiles the bodies once, each in a kernel of its own, with
 * the compiler and the cache of ww_run_open, and the kernel itself, if it is proved, to see whether registers are spilled. */
typedef struct ww_audit {
    bool done; /* false: not audited */
    /* Why not: no compiler, a body that does not compile, errors in ww_kernel_check. NULL when done. */
    const char *why_not;
    const ww_diag *findings; /* NULL: none. What ww_kernel_suppress names is with ww_kernel_suppressed */
    uint32_t bodies;         /* work methods that are called, with their compile-time arguments */
    uint32_t undecided;      /* bodies of which something could not be told */
    const char *listing;     /* a line a body: what it does, and what is undecided */
    double milliseconds;     /* all together; of these: */
    double compile_ms;
    bool compiled_before;
} ww_audit;

ww_audit ww_kernel_audit(ww_kernel *k);

/* Reports; each writes text to out. */
/* Schedules side by side, registers, memory, stages that are never in use, arrivals, what orders the reuse of memory. */
void ww_kernel_table(ww_kernel *k, FILE *out);
void ww_kernel_routes(ww_kernel *k, FILE *out); /* which value goes from which call to which */
void ww_kernel_graph(ww_kernel *k, FILE *out);  /* Graphviz */

#endif
