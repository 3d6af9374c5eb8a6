/* model: the declaration as data. Kernel, resources, pipelines, queues, tasks, the dependency graph, shared
 * memory.
 *
 * Indexes rather than pointers: a resource's or task's `index` is its place in the kernel's vector, and
 * everything above this layer refers to it by that. */
#ifndef WW_MODEL_H
#define WW_MODEL_H

#include "base/base.h"
#include "base/diag.h"
#include "warpwright/kernel.h"

/* ---- pipeline protocols, from pipelines.def --------------------------------------------------------- */

typedef enum model_agent { MODEL_ASYNC, MODEL_TMA } model_agent;
typedef enum model_lanes { MODEL_LANES_ALL, MODEL_LANES_WARP } model_lanes;
typedef enum model_full_verb { MODEL_FULL_BY_COMMIT, MODEL_FULL_BY_ACQUIRE } model_full_verb;

typedef struct model_protocol {
    const char *label;
    model_agent producer, consumer;
    model_full_verb full_verb;
    model_lanes full_lanes;
    bool full_tx;
    model_lanes empty_lanes;
} model_protocol;

/* type must be a pipeline type, not WW_NO_PIPELINE. */
const model_protocol *model_protocol_of(ww_pipeline_type type);
bool model_pipeline_known(ww_pipeline_type type);

/* ---- objects ---------------------------------------------------------------------------------------- */

/* "uint64_t desc_a" taken apart. */
typedef struct model_value {
    const char *type, *name;
} model_value;

typedef struct model_work {
    const ww_work *declared;
    const char *function; /* TYPE_NAME */
    model_value in[WW_MAX_VALUES], out[WW_MAX_VALUES];
    int in_count, out_count;
    int copy_count;
    uint32_t copy_bytes;             /* sum over the copies */
    int copy_buffer[WW_MAX_COPIES];  /* index into the resource's buffers */
    int wgmma_reads[WW_MAX_BUFFERS]; /* resource indexes */
    int wgmma_read_count;
} model_work;

typedef struct model_buffer {
    const char *name;
    uint32_t bytes, align;
    uint32_t offset; /* of stage 0, from the start of dynamic shared memory; set by model_layout */
} model_buffer;

struct ww_resource {
    ww_kernel *kernel;
    int index;
    const char *name, *type;
    ww_place place;
    ww_pipeline pipeline; /* as declared; stages is resolved by model_layout where it was WW_STAGES_MAX */
    model_buffer buffers[WW_MAX_BUFFERS];
    int buffer_count;
    VEC(model_work) work;
    bool is_queue;
    ww_queue_options queue;
    uint32_t barrier_offset; /* full[stages] then empty[stages], 8 bytes each; set by model_layout */
};

struct ww_task {
    ww_kernel *kernel;
    int index;
    const char *name;
    ww_place place;
    ww_task_options options;
    struct ww_schedule *schedule; /* recorded; never NULL, may be empty */
};

typedef struct model_edge {
    int downstream, upstream; /* resource indexes; upstream -1: none */
    ww_place place;
} model_edge;

struct ir_program;

struct ww_kernel {
    arena arena;
    diag_list diags;
    const char *name;
    ww_place place;
    ww_kernel_options options;
    VEC(ww_resource *) resources;
    VEC(ww_task *) tasks;
    VEC(model_edge) edges;
    uint32_t smem_data_bytes, smem_bytes; /* without and with barriers; set by model_layout */
    bool closed;                          /* checked: nothing may be declared any more */
    bool unchecked;
    struct ir_program *program; /* lowered on first use */
    ww_verdict *verdict;        /* proved on first use */
    const char *cuda;           /* emitted on first use */
};

/* Whether r is part of a pipeline, and its ring depth (1 without a pipeline). */
static inline bool model_pipelined(const ww_resource *r)
{
    return r->pipeline.type != WW_NO_PIPELINE;
}
static inline int model_stages(const ww_resource *r)
{
    return model_pipelined(r) ? r->pipeline.stages : 1;
}

/* Checks and adds a task; its schedule is not recorded yet. */
ww_task *model_task_new(ww_place place, ww_kernel *k, const char *name, const ww_task_options *options);

/* The method of that name, or -1; and the nearest known name for a hint (NULL when none is near). */
int model_find_work(const ww_resource *r, const char *name);
const char *model_nearest_work(const ww_resource *r, const char *name);

/* True, with a diagnostic, when nothing may be declared any more. */
bool model_closed(ww_kernel *k, ww_place place, const char *what);

/* Looks up what work tables name across resources; called once when the declaration is complete. */
void model_resolve(ww_kernel *k);

/* Bytes per CTA the architecture offers; 0 for an architecture we do not know. */
uint32_t model_smem_capacity(const ww_kernel *k);

/* Resolves WW_STAGES_MAX and places buffers and barriers in shared memory. */
void model_layout(ww_kernel *k);

#endif
