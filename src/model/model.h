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

typedef enum model_agent {
    MODEL_ASYNC,
    MODEL_TMA,
    MODEL_UMMA,
    MODEL_WGMMA,
    MODEL_FETCH,
    MODEL_PEER
} model_agent;

typedef enum model_verb {
    MODEL_COMMIT,
    MODEL_ACQUIRE
} model_verb; /* which verb arrives on the full barrier */

typedef enum model_by { MODEL_BY_THREADS, MODEL_BY_WARPS, MODEL_BY_EXPECT, MODEL_BY_UMMA } model_by;

/* Which lanes of a task act. */
typedef enum model_lanes {
    MODEL_LANES_ALL,
    MODEL_LANES_WARP,  /* one lane a warp */
    MODEL_LANES_FIRST, /* one lane of the task's first warp */
} model_lanes;

/* At whose barrier an operation acts, in a cluster. */
typedef enum model_to {
    MODEL_TO_OWN,
    MODEL_TO_LEADER, /* rank / V * V */
    MODEL_TO_PAIR,   /* the V CTAs of my MMA */
    MODEL_TO_PEERS,  /* those whose copies reach me: by the pipeline's multicast mode */
    MODEL_TO_FIRST,  /* rank 0 */
    MODEL_TO_EVERY,
    MODEL_TO_NEXT,     /* peer_shift ranks on, modulo the cluster */
    MODEL_TO_PREVIOUS, /* peer_shift ranks back */
} model_to;

/* In which CTAs an operation is executed. */
typedef enum model_gate {
    MODEL_EVERYWHERE,
    MODEL_LEADERS, /* rank % V == 0 */
    MODEL_RANK_0,
} model_gate;

typedef enum model_option {
    MODEL_OPTION_BYTES = 1,
    MODEL_OPTION_LOAD = 2,
    MODEL_OPTION_WAIT_AHEAD = 4,
    MODEL_OPTION_ACQUIRE_AHEAD = 8,
    MODEL_OPTION_STRIDE_IN = 16,
    MODEL_OPTION_STRIDE_OUT = 32,
    MODEL_OPTION_MULTICAST = 64,
    MODEL_OPTION_WAIT_SIGNALS = 128,
    MODEL_OPTION_WARP_LEADER = 256,
    MODEL_OPTION_SHIFT = 512,
} model_option;

typedef enum model_feature {
    MODEL_MBARRIER = 1,
    MODEL_BULK = 2,
    MODEL_CLUSTER = 4,
    MODEL_WGMMA_UNIT = 8,
    MODEL_TCGEN05 = 16,
    MODEL_CLC = 32,
    MODEL_CLC_MULTICAST = 64,
    MODEL_SETMAXNREG = 128,
} model_feature;

typedef struct model_protocol {
    const char *label;
    model_agent producer, consumer;
    model_verb full_verb;
    model_by full_by;
    model_to full_to;
    model_by empty_by;
    model_to empty_to;
    unsigned options, needs;
} model_protocol;

/* type must be a pipeline type, not WW_NO_PIPELINE. */
const model_protocol *model_protocol_of(ww_pipeline_type type);
bool model_pipeline_known(ww_pipeline_type type);

typedef struct model_arch {
    const char *name;
    uint32_t smem_bytes;
    unsigned features;
} model_arch;

/* NULL for an architecture we do not know. */
const model_arch *model_arch_of(const char *name);
/* "sm_90a, sm_100a": those that have all of `features`. */
const char *model_arch_list(arena *a, unsigned features);
/* "mbarriers", "wgmma", ... */
const char *model_feature_name(model_feature f);

/* ---- clusters ------------------------------------------------------------------------------------------ */

/* CTAs of a cluster, with zeros read as 1. */
int model_cluster_size(const ww_cluster *c);
/* The ranks (bits) that `to` means for a CTA; PEERS by multicast mode, NEXT and PREVIOUS by shift. */
uint32_t model_targets(const ww_cluster *c, model_to to, const ww_pipeline *p, int rank);
/* The ranks (bits) whose shared memory a copy reaches. */
uint32_t model_reach(const ww_cluster *c, ww_reach reach, int rank);
bool model_gate_open(const ww_cluster *c, model_gate gate, int rank);

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
    const char *defaults[WW_MAX_VALUES]; /* of the outputs; NULL: {} */
    model_value constants[WW_MAX_CONSTANTS];
    int constant_count;
    int copy_count;
    uint32_t copy_bytes;             /* sum over the copies, as one CTA issues them */
    int copy_buffer[WW_MAX_COPIES];  /* index into the resource's buffers */
    int wgmma_reads[WW_MAX_BUFFERS]; /* resource indexes */
    int wgmma_read_count;
    int umma_reads[WW_MAX_BUFFERS]; /* likewise */
    int umma_read_count;
    uint32_t
        touched; /* bits: buffers, then (from bit WW_MAX_BUFFERS) tensor memory that it reads or writes */
} model_work;

typedef struct model_buffer {
    const char *name;
    uint32_t bytes, align;
    const ww_resource *shares; /* whose buffer of that name it is; NULL: its own */
    uint32_t offset;           /* of stage 0, from the start of dynamic shared memory; set by model_layout */
} model_buffer;

typedef struct model_tmem {
    const char *name;
    int columns; /* of one stage */
    int offset;  /* of stage 0, in columns; set by model_layout */
} model_tmem;

typedef enum model_kind {
    MODEL_MEMORY,
    MODEL_QUEUE_STATIC,
    MODEL_QUEUE_CLC,
    MODEL_QUEUE_COUNTER,
    MODEL_GROUP,
    MODEL_NAMED_BARRIER,
    MODEL_ORDERED,
    MODEL_PDL_WAIT,
    MODEL_PDL_LAUNCH,
} model_kind;

struct ww_resource {
    ww_kernel *kernel;
    int index;
    const char *name, *type;
    ww_place place;
    model_kind kind;
    ww_pipeline pipeline; /* as declared; stages is resolved by model_layout where it was WW_STAGES_MAX */
    model_buffer buffers[WW_MAX_BUFFERS];
    int buffer_count;
    model_tmem tmem[WW_MAX_BUFFERS];
    int tmem_count;
    VEC(model_work) work;
    ww_queue_options queue;
    ww_resource *in_group; /* the group it is a member of */
    ww_group_mode mode;    /* MODEL_GROUP */
    ww_resource *members[WW_MAX_MEMBERS];
    int member_count;
    int turns; /* MODEL_ORDERED: tasks that take them; set when the declaration is complete */
    int alias_group, alias_phase; /* -1: none */
    uint32_t named_by;            /* bits: tasks whose schedules name it, also in calls that were refused */
    /* MODEL_NAMED_BARRIER: */
    int threads;                 /* as declared */
    bool by_warpgroup;           /* one for each warpgroup of the task */
    int barrier_id, barrier_ids; /* the first, and how many; allocated when the declaration is complete */
};

struct ww_task {
    ww_kernel *kernel;
    int index;
    const char *name;
    ww_place place;
    ww_task_options options;
    struct ww_schedule *schedule; /* recorded; never NULL, may be empty */
    bool ill; /* an error was found in its options or its schedule, which is not whole then */
};

typedef struct model_edge {
    int downstream, upstream; /* resource indexes; upstream -1: none */
    ww_place place;
} model_edge;

/* Usage of one memory, for reports. */
typedef struct model_usage {
    uint32_t used, saved; /* with aliases; what aliasing has saved */
} model_usage;

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
    int alias_groups;
    /* set by model_layout: */
    uint32_t smem_data_bytes, smem_bytes; /* without and with barriers and slots */
    uint32_t barriers_offset, tmem_slot_offset;
    int tmem_columns; /* allocated: a power of two from 32; 0: none */
    model_usage smem_usage, tmem_usage;
    struct model_suppression *suppressions; /* as declared, the newest first; suppress.c */
    diag_list suppressed;                   /* what they hide; set when the kernel is checked */
    const ww_diag *last_declared;           /* the last finding before the rules ran; NULL: none */
    bool closed;                            /* checked: nothing may be declared any more */
    bool unchecked;
    struct ir_program *program; /* lowered on first use */
    ww_verdict *verdict;        /* proved on first use */
    const char *cuda;           /* emitted on first use */
    diag_list audit_diags;      /* what the audit has found ... */
    struct ww_audit *audit;     /* ... on first use */
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
static inline bool model_is_queue(const ww_resource *r)
{
    return r->kind == MODEL_QUEUE_STATIC || r->kind == MODEL_QUEUE_CLC || r->kind == MODEL_QUEUE_COUNTER;
}
static inline bool model_is_dynamic_queue(const ww_resource *r)
{
    return r->kind == MODEL_QUEUE_CLC || r->kind == MODEL_QUEUE_COUNTER;
}
/* Resources without memory or values, of which schedules only use verbs. */
static inline bool model_is_barrier(const ww_resource *r)
{
    return r->kind >= MODEL_GROUP;
}
/* Whose barriers and cursors r uses: r itself, or the group where members share them. */
const ww_resource *model_full_owner(const ww_resource *r);
const ww_resource *model_empty_owner(const ww_resource *r);
const ww_resource *model_produce_owner(const ww_resource *r); /* of the cursor that acquire and commit move */
const ww_resource *model_consume_owner(const ww_resource *r); /* of the one that wait and release move */

typedef enum model_end { MODEL_END_ACQUIRE, MODEL_END_COMMIT, MODEL_END_WAIT, MODEL_END_RELEASE } model_end;
/* Interleave stride of a verb, at least 1. */
int model_stride(const ww_pipeline *p, model_end end);
/* Signalling with the type's default filled in. */
ww_signaling model_signaling(const ww_pipeline *p, model_end end);
/* In which CTAs that verb's barrier operations run. */
model_gate model_gate_of(const ww_pipeline *p, model_end end);

/* Checks and adds a task; its schedule is not recorded yet. */
ww_task *model_task_new(ww_place place, ww_kernel *k, const char *name, const ww_task_options *options);

/* The method of that name, or -1; and the nearest known name for a hint (NULL when none is near). */
int model_find_work(const ww_resource *r, const char *name);
const char *model_nearest_work(const ww_resource *r, const char *name);

/* True, with a diagnostic, when nothing may be declared any more. */
bool model_closed(ww_kernel *k, ww_place place, const char *what);

/* Completes the declaration, once: what work tables name across resources, multicast modes, groups'
 * pipelines. */
void model_resolve(ww_kernel *k);

/* Moves what the author suppresses from diags to suppressed, once every rule has run, and warns of suppressions that hide
 * nothing. suppress.c */
void model_suppress(ww_kernel *k);
/* The same of what the audit has found, and of suppressions that wait for it. */
void model_suppress_audit(ww_kernel *k, diag_list *diags, bool all_looked_at);

/* ---- for the files of this layer ----------------------------------------------------------------------- */

/* False, with a diagnostic, when the architecture lacks a feature (one bit). */
bool model_needs(ww_kernel *k, ww_place place, unsigned feature, const char *what);
/* A new resource, its name checked. */
ww_resource *model_resource_new(ww_place place, ww_kernel *k, const char *name, const char *type,
                                model_kind kind);
/* True, with a diagnostic, for a name that generated code would use as it is and that C++, CUDA or the library has taken;
 * `what` says what it names. A name that is missing or no identifier is another's business. kernel.c */
bool model_name_taken(ww_kernel *k, ww_place place, const char *what, const char *name);
/* The fields of a pipeline against its type. pipeline.c */
void model_check_pipeline(ww_resource *r);
/* The rows of a work table. work.c */
void model_read_work(ww_resource *r, const ww_work *table);
void model_resolve_work(ww_resource *r);
int model_find_buffer(const ww_resource *r, const char *name);
/* Derives a group's pipeline from its members'. group.c */
void model_resolve_groups(ww_kernel *k);

/* Bytes per CTA the architecture offers; 0 for an architecture we do not know. */
uint32_t model_smem_capacity(const ww_kernel *k);

/* Bytes that the kernel's mbarriers take. */
uint32_t model_barrier_bytes(const ww_kernel *k);

/* Resolves WW_STAGES_MAX and places buffers, tensor memory and barriers. layout.c */
void model_layout(ww_kernel *k);

#endif
