/* device: where kernels run, one interface over a GPU (CUDA driver, loaded at run time) and the emulator.
 *
 * A device belongs to the thread that opened it. Addresses are plain 64-bit numbers. Calls return false, 0 or
 * NULL on failure, and device_error then says why; on a GPU, work is asynchronous, so that device_sync, which
 * waits no longer than the time limit, is where a kernel's failure shows. After a failure of a kernel nothing
 * more can be done with the device than to close it. The emulator works inside the call. */
#ifndef WW_RUN_DEVICE_H
#define WW_RUN_DEVICE_H

#include "base/base.h"

typedef struct device device;
typedef struct device_module device_module;

typedef enum device_kind {
    DEVICE_AUTO, /* a GPU that can run the wanted architecture, else the emulator */
    DEVICE_GPU,
    DEVICE_EMU,
} device_kind;

/* When the emulator's asynchronous engines do their work, see emu/emu.h. */
typedef enum device_order { DEVICE_ORDER_LATE, DEVICE_ORDER_EARLY, DEVICE_ORDER_RANDOM } device_order;

typedef struct device_options {
    device_kind kind;
    const char *arch;    /* "sm_90a": what the kernels are built for; NULL: any GPU will do */
    uint32_t ordinal;    /* which GPU */
    double time_limit_s; /* 0: 60 */
    /* the emulator's */
    device_order order;
    uint64_t seed;                  /* for DEVICE_ORDER_RANDOM */
    uint32_t host_threads;          /* 0: as many as the host has cores */
    uint32_t sm_count;              /* 0: 4 */
    bool check_fences, check_races; /* see emu/emu.h */
} device_options;

typedef struct device_info {
    device_kind kind; /* GPU or EMU */
    char name[128];
    uint32_t sm_count;
    uint32_t capability[2];        /* compute capability, {9, 0} */
    uint32_t max_shared_per_block; /* bytes a kernel may opt in to */
    uint32_t l2_bytes;
    uint32_t driver_version; /* 13000 is 13.0; 0 on the emulator */
} device_info;

/* NULL with error set when there is no such device. */
device *device_open(const device_options *o, text *error);
void device_close(device *d);
const device_info *device_describe(const device *d);
/* What the newest failure was; "" before any. */
const char *device_error(const device *d);

/* ---- memory ----------------------------------------------------------------------------------------- */

uint64_t device_alloc(device *d, size_t bytes); /* 256-byte aligned; 0 on failure */
bool device_free(device *d, uint64_t address);
bool device_upload(device *d, uint64_t to, const void *from, size_t bytes);
bool device_download(device *d, void *to, uint64_t from, size_t bytes); /* after all earlier work */
/* Writes value to count words of 32 bits. 0xffffffff is a NaN in every format of 16 and 32 bits. */
bool device_fill(device *d, uint64_t to, uint32_t value, size_t count);

/* ---- tensor maps ------------------------------------------------------------------------------------ */

enum { DEVICE_TENSOR_MAP_BYTES = 128, DEVICE_TENSOR_RANK_MAX = 5 };

typedef enum device_element { /* order and meaning of CUtensorMapDataType */
                              DEVICE_U8,
                              DEVICE_U16,
                              DEVICE_U32,
                              DEVICE_S32,
                              DEVICE_U64,
                              DEVICE_S64,
                              DEVICE_F16,
                              DEVICE_F32,
                              DEVICE_F64,
                              DEVICE_BF16,
                              DEVICE_F32_FTZ,
                              DEVICE_TF32,
                              DEVICE_TF32_FTZ,
} device_element;

typedef enum device_swizzle {
    DEVICE_SWIZZLE_NONE,
    DEVICE_SWIZZLE_32B,
    DEVICE_SWIZZLE_64B,
    DEVICE_SWIZZLE_128B,
} device_swizzle;

/* A tiled tensor map: extents innermost first, strides[0] that of dimension 1 (dimension 0 is dense). Loads
 * outside the tensor give zero. */
typedef struct device_tensor {
    device_element element;
    uint32_t rank;
    uint64_t address; /* 16-byte aligned */
    uint64_t extent[DEVICE_TENSOR_RANK_MAX];
    uint64_t stride_bytes[DEVICE_TENSOR_RANK_MAX - 1]; /* multiples of 16 */
    uint32_t box[DEVICE_TENSOR_RANK_MAX];              /* 1..256 each */
    device_swizzle swizzle;
} device_tensor;

/* True, with the reason, when no device takes it. tensor_map.c */
bool device_tensor_fault(const device_tensor *t, text *out);
/* Writes the map that a kernel takes as its CUtensorMap parameter. */
bool device_tensor_map_encode(device *d, const device_tensor *t, void *map);

/* ---- kernels ---------------------------------------------------------------------------------------- */

/* A GPU loads the CUBIN, or the PTX when cubin is empty; the emulator reads the PTX. */
device_module *device_load(device *d, const text *ptx, const text *cubin);
void device_unload(device *d, device_module *module);

typedef struct device_launch {
    const char *kernel;                     /* .entry name */
    uint32_t grid[3], block[3], cluster[3]; /* cluster {0,0,0} means {1,1,1} */
    uint32_t dynamic_shared_bytes;
    const void *params; /* the kernel's one parameter, usually a struct */
    size_t param_bytes;
    const struct emu_script
        *script;           /* emulator: an interleaving to follow (emu/emu.h); NULL: none. Then how the kernel
                                        ends is no failure, */
    struct emu_told *told; /* ... but told here, with the report */
    bool overlap_previous; /* may start when its predecessor calls griddepcontrol.launch_dependents */
} device_launch;

bool device_launch_kernel(device *d, device_module *module, const device_launch *launch);
bool device_sync(device *d);

/* Names of barriers and warps for the emulator's reports; a GPU ignores them. They are copied; offsets count
 * from the start of dynamic shared memory. */
typedef struct device_range_name {
    uint32_t offset, bytes;
    const char *name;
} device_range_name;

typedef struct device_warp_name {
    uint32_t first, end; /* warps [first, end) of a CTA */
    const char *name;
} device_warp_name;

typedef struct device_names {
    const device_range_name *ranges;
    size_t range_count;
    const device_warp_name *warps;
    size_t warp_count;
} device_names;

void device_set_names(device *d, const device_names *names);

/* ---- time ------------------------------------------------------------------------------------------- */

enum { DEVICE_LAP_MAX = 4096 };

/* Marks a moment between two pieces of work: an event on a GPU, the wall clock on the emulator. */
bool device_lap(device *d, uint32_t slot);
/* Waits for both moments and tells the milliseconds between them. */
bool device_lap_ms(device *d, uint32_t from, uint32_t to, double *ms);

/* The same for the one case: begin, work, end. Both use slots DEVICE_LAP_MAX - 2 and - 1. */
bool device_time_begin(device *d);
bool device_time_end(device *d, double *ms);

/* The stream all work goes to, a CUstream, for libraries that run beside ours; NULL on the emulator. */
void *device_stream(device *d);

#endif
