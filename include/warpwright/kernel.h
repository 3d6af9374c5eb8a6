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
};

typedef struct ww_kernel_options {
    const char *arch;        /* "sm_90a"; NULL means that */
    const char *body;        /* header with the work bodies, as the generated file includes it: "gemm.cuh" */
    const char *body_folder; /* where it lies */
    const char *params;  /* type of the kernel's one parameter: "gemm_params" (a struct of the body header) */
    size_t params_bytes; /* its size, checked by the CUDA compiler */
    uint32_t smem_capacity; /* bytes a CTA may use; 0: what the architecture has (232448 on sm_90a) */
} ww_kernel_options;

#define ww_kernel_new(name, ...) ww_kernel_new_at(WW_HERE, name, __VA_ARGS__)
ww_kernel *ww_kernel_new_at(ww_place place, const char *name, const ww_kernel_options *options);
void ww_kernel_free(ww_kernel *k);
const char *ww_kernel_name(const ww_kernel *k);
size_t ww_kernel_params_bytes(const ww_kernel *k); /* as declared */

/* ---- resources (a piece of memory, with an optional pipeline) --------------------------------------- */

/* Pipeline types: producer kind, then consumer kind. One row each in src/model/pipelines.def. */
typedef enum ww_pipeline_type {
    WW_NO_PIPELINE,
#define WW_PIPELINE(name, ...) WW_##name,
#include "warpwright/pipelines.def"
#undef WW_PIPELINE
} ww_pipeline_type;

#define WW_STAGES_MAX (-1) /* as many stages as shared memory holds */

/* Zero-initialised members are derived; a member that is given is checked against what would be derived. */
typedef struct ww_pipeline {
    ww_pipeline_type type;
    int stages;
    uint32_t tx_bytes; /* bytes one stage receives by bulk copies; derived from the producer's copies */
    uint32_t producer_arrivals; /* arrivals that complete a phase of the full barrier */
    uint32_t consumer_arrivals; /* arrivals that complete a phase of the empty barrier */
    bool advance_on_wait;       /* waits may run ahead of releases: two consumer cursors */
    bool advance_on_acquire;    /* acquires may run ahead of commits: two producer cursors */
} ww_pipeline;

/* Shared memory of a resource, one copy a stage (one copy without a pipeline). */
typedef struct ww_buffer {
    const char *name;
    uint32_t bytes; /* of one stage */
    uint32_t align; /* power of two; 0: 128. Swizzled tiles want 1024 */
} ww_buffer;

typedef enum ww_side { WW_CONSUMER, WW_PRODUCER } ww_side;

/* A bulk copy that a work body issues; its bytes complete on the full barrier of the stage. */
typedef struct ww_copy {
    const char *buffer; /* destination, one of the resource's buffers */
    uint32_t bytes; /* the whole box, also where it is clipped (PTX ISA, "Tensor copy": out of bounds is zero
                       fill) */
} ww_copy;

/* A work body: the CUDA function TYPE_NAME(TYPE &self, const INFO &info, in..., out &...) of the body header.
 */
typedef struct ww_work {
    const char *name;
    ww_side side;                   /* WW_CONSUMER takes out of the resource, WW_PRODUCER puts into it */
    bool auxiliary;                 /* computes values or registers only: needs no bracket */
    const char *in[WW_MAX_VALUES];  /* "type name" each */
    const char *out[WW_MAX_VALUES]; /* "type name" each, passed by reference */
    ww_copy copies[WW_MAX_COPIES];
    const char
        *wgmma_reads[WW_MAX_BUFFERS]; /* resources whose current stage the wgmma group it commits will read */
    int wgmma_wait;                   /* WW_WGMMA_WAIT(n): returns with at most n groups still reading */
} ww_work;

#define WW_WGMMA_WAIT(n) ((n) + 1)

typedef struct ww_resource_options {
    const char *
        type; /* C++ struct of its per-task registers, prefix of its work bodies; NULL: the resource's name */
    ww_pipeline pipeline;
    ww_buffer buffers[WW_MAX_BUFFERS];
    const ww_work *work; /* ended by a row without a name */
} ww_resource_options;

#define ww_resource_new(k, name, ...) ww_resource_new_at(WW_HERE, k, name, __VA_ARGS__)
ww_resource *ww_resource_new_at(ww_place place, ww_kernel *k, const char *name,
                                const ww_resource_options *options);

/* ---- values known at launch or in the kernel -------------------------------------------------------- */

typedef enum ww_bound_kind {
    WW_BOUND_IMMEDIATE,
    WW_BOUND_ARGUMENT, /* an int of the parameter struct */
    WW_BOUND_DEVICE, /* int NAME(const INFO &info) of the body header, evaluated by each thread, for each tile
                      */
} ww_bound_kind;

typedef struct ww_bound {
    ww_bound_kind kind;
    int value;        /* immediate */
    const char *name; /* field or function */
    size_t offset;    /* of the field */
    int min;          /* the smallest value the author promises; launches below it are refused */
} ww_bound;

#define ww_imm(v) ((ww_bound){.kind = WW_BOUND_IMMEDIATE, .value = (v)})
#define ww_arg(type, field, least)                                                                           \
    ((ww_bound){.kind = WW_BOUND_ARGUMENT, .name = #field, .offset = offsetof(type, field), .min = (least)})
#define ww_device(function) ((ww_bound){.kind = WW_BOUND_DEVICE, .name = (function)})

/* ---- work queues ------------------------------------------------------------------------------------ */

typedef struct ww_queue_options {
    ww_bound tiles[3]; /* CTA tiles along m, n, l; zero-initialised entries mean 1 */
    int swizzle;       /* width of the raster's bands, in tiles; 0 and 1: none */
    bool raster_along_n;
    const char
        *skip; /* bool NAME(const INFO &info) of the body header: tiles whose skippable part is left out */
} ww_queue_options;

/* A static persistent work queue: with a grid of (1, 1, G), CTA z takes the tiles z, z + G, z + 2G, ... of
 * the raster. */
#define ww_queue_static(k, name, ...) ww_queue_static_at(WW_HERE, k, name, __VA_ARGS__)
ww_resource *ww_queue_static_at(ww_place place, ww_kernel *k, const char *name,
                                const ww_queue_options *options);

/* ---- tasks and the dependency graph ----------------------------------------------------------------- */

typedef void ww_schedule_function(ww_schedule *s, void *context);

typedef struct ww_task_options {
    int first_warp, warps;
    int registers;                  /* setmaxnreg target, 24..256 by 8; 0: leave as compiled */
    ww_schedule_function *schedule; /* NULL: a padding task that does nothing */
    void *context;
    ww_resource *consumes[WW_MAX_VALUES + 1]; /* ended by NULL; empty: derived from the schedule */
    ww_resource *produces[WW_MAX_VALUES + 1];
} ww_task_options;

/* Runs the schedule function once, to record it. */
#define ww_task_new(k, name, ...) ww_task_new_at(WW_HERE, k, name, __VA_ARGS__)
ww_task *ww_task_new_at(ww_place place, ww_kernel *k, const char *name, const ww_task_options *options);

/* downstream is computed from upstream (NULL: from nothing inside the kernel). */
#define ww_depends(k, downstream, upstream) ww_depends_at(WW_HERE, k, downstream, upstream)
void ww_depends_at(ww_place place, ww_kernel *k, ww_resource *downstream, ww_resource *upstream);

/* ---- what can be done with a declaration ------------------------------------------------------------ */

/* All diagnostics so far: those of declaring and, from the first call on, those of every rule. NULL: none.
 * Owned by the kernel. The declaration is closed by this call. */
const ww_diag *ww_kernel_check(ww_kernel *k);

typedef struct ww_verdict {
    bool proved;
    char covered[256]; /* one line: what the proof stands for */
    uint64_t events;   /* operations executed over all runs */
    uint32_t runs;     /* canonical executions */
    uint32_t period;   /* of the steady state, in loop trips; 0: no loop */
    double milliseconds;
    const ww_diag *refutation; /* why not; NULL when proved */
} ww_verdict;

/* Proves the kernel free of deadlocks, races, laps and wrong counts, or returns a counterexample. A kernel
 * with errors in ww_kernel_check is refused at once (proved false, refutation = those errors). */
ww_verdict ww_kernel_prove(ww_kernel *k);

/* Skip every rule and the prover from here on: for tests that show what the rules are there to prevent. */
void ww_kernel_unchecked(ww_kernel *k);
bool ww_kernel_is_unchecked(const ww_kernel *k);

/* The CUDA translation unit; NULL when the kernel has errors. Owned by the kernel. */
const char *ww_kernel_emit(ww_kernel *k);

/* Reports; each writes text to out. */
void ww_kernel_table(ww_kernel *k, FILE *out); /* schedules side by side, memory, registers, arrivals */
void ww_kernel_graph(ww_kernel *k, FILE *out); /* Graphviz */

#endif
