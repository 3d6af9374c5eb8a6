/* emu: a CPU emulator for PTX, the whole face of libwwemu.
 *
 * Give it PTX text (as NVRTC or nvcc print it) and a launch; it runs the grid on the host's cores, one CTA a core at
 * a time (the CTAs of a cluster together), and returns what memory holds afterwards, or why it could not go on:
 * a deadlock (who waits on which barrier, with parity, pending arrivals and bytes), a fault (address, instruction,
 * thread), or an instruction it does not have. It knows nothing of warpwright's kernels: names in its reports come
 * from the caller (emu_names).
 *
 * Determinism: the same module, memory, launch and seed give the same result, whatever the number of host threads,
 * for kernels that are themselves free of races between CTAs.
 *
 * Device pointers are host addresses of blocks handed out by emu_alloc; every global access is checked against
 * those blocks. */
#ifndef WW_EMU_H
#define WW_EMU_H

#include "base/base.h"

typedef struct emu_machine emu_machine; /* global memory and settings */
typedef struct emu_module emu_module;   /* parsed PTX */

typedef enum emu_status {
    EMU_OK,
    EMU_DEADLOCK,    /* no warp can go on (or all spin in vain) and no asynchronous operation is pending */
    EMU_FAULT,       /* bad address, misalignment, misuse of a barrier, trap */
    EMU_UNSUPPORTED, /* an instruction or a form of one that the emulator does not have */
    EMU_STOPPED,     /* a script has come to its end, or could not go on */
    EMU_BAD_LAUNCH,  /* launch dimensions, parameters or kernel name do not fit the module */
} emu_status;

/* When asynchronous engines (TMA, bulk copies, wgmma) carry out what was issued. LATE waits until nothing else can
 * run, or a wait demands it: a missing wait or fence shows as stale data. */
typedef enum emu_async_order { EMU_ASYNC_LATE, EMU_ASYNC_EARLY, EMU_ASYNC_RANDOM } emu_async_order;

/* Names for reports. Offsets count from the start of dynamic shared memory. */
typedef struct emu_range_name {
    uint32_t offset, bytes;
    const char *name; /* "smem_ab.full[2]" */
} emu_range_name;

typedef struct emu_warp_name {
    uint32_t first, end; /* warps [first, end) of a CTA */
    const char *name;    /* "task load" */
} emu_warp_name;

typedef struct emu_names {
    const emu_range_name *ranges;
    size_t range_count;
    const emu_warp_name *warps;
    size_t warp_count;
} emu_names;

/* ---- scripts: an interleaving that is given beforehand ------------------------------------------------ *
 *
 * Code says where it is by marks: `.pragma "mark N";`, which all lanes of a warp must come to. With a script, a warp of the
 * launch's first cluster stops at each mark until the script lets it pass; so what lies between two marks of a warp
 * happens as one step. What is asynchronous and was issued behind a mark lands when the script says so. No other cluster
 * is started. Global memory that is not there may be read and written: it holds anything. An mbarrier may be initialised with
 * the count 0, and never completes a phase then. */
typedef enum emu_step_kind {
    EMU_STEP_PASS, /* the warp is at that mark, and passes it */
    EMU_STEP_NONE, /* nothing: part of the step before */
    EMU_STEP_LAND, /* what the warp of step `of` issued in that step arrives at its barrier in CTA `to`, and its data in those
                      CTAs that this barrier speaks for; what goes to one CTA alone, wherever that is */
} emu_step_kind;

typedef struct emu_step {
    emu_step_kind kind;
    uint32_t cta, warp, mark; /* rank in the cluster, warp of the CTA */
    size_t of;
    uint32_t to;
} emu_step;

/* What is computed may be chosen: `.pragma "answer N, %value, %a, %b";` puts the answer for N and the two numbers into the
 * register, if there is one. -1: whatever the number is; also where the code says -1. */
typedef struct emu_answer {
    uint32_t first_warp, end_warp; /* of each CTA */
    uint32_t number;
    int64_t a, b;
    int32_t value;
} emu_answer;

typedef struct emu_script {
    const emu_step *steps;
    size_t count;
    const emu_answer *answers; /* the first that fits is taken */
    size_t answer_count;
    bool then_run; /* after the last step, all run to their end; else the launch stops there */
    size_t first,
        second; /* steps whose accesses to shared and tensor memory are noted; `second` is where the barrier is
                             looked at, too. SIZE_MAX: none */
    bool watches; /* a barrier: the CTA it is in, its offset from the start of dynamic shared memory */
    uint32_t barrier_cta, barrier_offset;
} emu_script;

/* An access of a step: of its instruction, or of what that issued. */
typedef struct emu_touch {
    bool tensor, write; /* write: known to be one */
    uint32_t cta, offset,
        bytes;     /* from the start of dynamic shared memory; of what is allocated in tensor memory */
    uint32_t line; /* of the PTX */
} emu_touch;

typedef VEC(emu_touch) emu_touches;

typedef struct emu_barrier_state {
    uint32_t completed; /* phases since it was initialised */
    uint32_t pending;
    int32_t bytes;
} emu_barrier_state;

/* A warp that waits on an mbarrier when nobody can go on. */
typedef struct emu_stuck {
    uint32_t cta, warp, barrier_cta, barrier_offset;
} emu_stuck;

/* What came of a script; free with emu_told_free. */
typedef struct emu_told {
    emu_status status;      /* how the launch ended */
    text report;            /* for the caller's use */
    size_t done;            /* steps that were made */
    text diverged;          /* why the next one could not be; empty when all were */
    emu_touches touches[2]; /* of `first` and `second` */
    emu_touches unfenced; /* what `second` accesses of that without the fence that it needs (check_fences) */
    emu_barrier_state before, after; /* the watched barrier, before and after `second` */
    bool in_flight;                  /* something that `first` issued had not landed when `second` came */
    bool passed;                     /* the warp of `second` came to its next mark, or ended */
    VEC(emu_stuck) stuck;
} emu_told;

void emu_told_free(emu_told *told);

typedef struct emu_launch {
    const char *kernel;                     /* .entry name */
    uint32_t grid[3], block[3], cluster[3]; /* cluster {0,0,0} means {1,1,1} */
    uint32_t dynamic_shared_bytes;
    const void *params; /* the packed .param block */
    size_t param_bytes;
    uint32_t sm_count;     /* 0: 4. What %nsmid would say; launch code sizes persistent grids by it */
    uint32_t host_threads; /* 0: as many as the host has cores */
    emu_async_order async_order;
    uint64_t seed;             /* for EMU_ASYNC_RANDOM */
    uint64_t max_instructions; /* a cluster that executes more warp instructions is a fault; 0: no limit */
    /* What threads wrote to shared memory and an engine then accesses without fence.proxy.async between, and tensor memory
     * that goes from warp to warp without tcgen05.fence, is a fault, or told of two steps of a script. */
    bool check_fences;
    bool check_races; /* accesses to shared memory that nothing orders are faults */
    emu_names names;
    const emu_script *script; /* NULL: none; then asynchronous operations are carried out late */
    emu_told *told;           /* of the script: zeroed by the caller */
} emu_launch;

typedef struct emu_result {
    emu_status status;
    text report;           /* one or more lines, empty when status is EMU_OK; free with text_free */
    uint64_t instructions; /* warp instructions executed */
} emu_result;

emu_machine *emu_machine_new(void);
void emu_machine_free(emu_machine *m);

/* Zero-filled block of global memory, 256-byte aligned; 0 when bytes is 0. */
uint64_t emu_alloc(emu_machine *m, size_t bytes);
/* False when address is not the start of a block. */
bool emu_free(emu_machine *m, uint64_t address);
/* Host pointer to [address, address + bytes), or NULL when that is not inside one block. */
void *emu_host_pointer(emu_machine *m, uint64_t address, size_t bytes);

/* Parses a PTX module. NULL on failure, with "line:column: what" lines in errors. */
emu_module *emu_module_load(const char *ptx, size_t len, text *errors);
void emu_module_free(emu_module *module);

/* Runs one kernel to its end. Returns result->status. */
emu_status emu_run(emu_machine *m, const emu_module *module, const emu_launch *launch, emu_result *result);

/* ---- tensor maps ------------------------------------------------------------------------------------ */

enum { EMU_TENSOR_MAP_BYTES = 128, EMU_TENSOR_MAX_RANK = 5 };

typedef enum emu_element { /* order and meaning of CUtensorMapDataType */
                           EMU_U8,
                           EMU_U16,
                           EMU_U32,
                           EMU_S32,
                           EMU_U64,
                           EMU_S64,
                           EMU_F16,
                           EMU_F32,
                           EMU_F64,
                           EMU_BF16,
                           EMU_F32_FTZ,
                           EMU_TF32,
                           EMU_TF32_FTZ,
} emu_element;

typedef enum emu_swizzle { EMU_SWIZZLE_NONE, EMU_SWIZZLE_32B, EMU_SWIZZLE_64B, EMU_SWIZZLE_128B } emu_swizzle;

/* A tiled tensor map; extents innermost first, strides[0] is that of dimension 1 (dimension 0 is dense). */
typedef struct emu_tensor {
    emu_element element;
    uint32_t rank;
    uint64_t address; /* device pointer, 16-byte aligned */
    uint64_t extent[EMU_TENSOR_MAX_RANK];
    uint64_t stride_bytes[EMU_TENSOR_MAX_RANK - 1]; /* multiples of 16 */
    uint32_t box[EMU_TENSOR_MAX_RANK];              /* 1..256 each */
    emu_swizzle swizzle;
} emu_tensor;

/* Packs a map into the 128 bytes a kernel takes as its CUtensorMap (our own layout: the vendor's is not public).
 * Returns NULL, or what is wrong with the description, by the rules of cuTensorMapEncodeTiled. */
const char *emu_tensor_map_encode(const emu_tensor *t, void *map);
/* False when the bytes are not such a map. */
bool emu_tensor_map_decode(const void *map, emu_tensor *t);

#endif
