/* Running a kernel: on a GPU when there is one, else on the emulator.
 *
 * A ww_run is one kernel, built and loaded on one device, with the memory it works on. Its calls do not
 * return errors: the first failure is kept, later calls do nothing, and ww_run_error says what it was. So a
 * caller checks once, at the end. Memory on the device is freed with the run. */
#ifndef WARPWRIGHT_RUN_H
#define WARPWRIGHT_RUN_H

#include "warpwright/kernel.h"
#include "ww/types.h"

typedef struct ww_run ww_run;

typedef enum ww_device_kind {
    WW_DEVICE_AUTO,
    WW_DEVICE_GPU,
    WW_DEVICE_EMULATOR,
    WW_DEVICE_NONE, /* compile only: for PTX and CUBIN */
} ww_device_kind;

/* When the emulator's asynchronous engines do their work: as late as allowed, at once, or by seed. */
typedef enum ww_async_order { WW_ASYNC_LATE, WW_ASYNC_EARLY, WW_ASYNC_RANDOM } ww_async_order;

typedef struct ww_run_options {
    ww_device_kind device;
    ww_async_order async_order;
    uint64_t seed;         /* for WW_ASYNC_RANDOM */
    unsigned host_threads; /* of the emulator; 0: all cores */
    /* For ww_run_replay: the generated code says where it is, which changes nothing else. Any declaration that can be
     * lowered is built, refused or not. */
    bool marks;
    /* The emulator looks for memory that threads write and an engine accesses, or that goes from warp to warp in tensor
     * memory, without the fences between: that is a failure of the launch. A replay always looks. */
    bool check_fences;
    /* It looks for accesses to shared memory that nothing orders, likewise. */
    bool check_races;
} ww_run_options;

/* Wall-clock milliseconds of the steps from declaration to a loaded kernel. */
typedef struct ww_run_times {
    double check, prove, emit, open, compile, load; /* open: the device */
    bool compiled_before;                           /* PTX and cubin came from the cache */
} ww_run_times;

/* Emits (which checks and proves), opens the device, compiles (for the emulator to PTX alone) and loads. Never NULL. The
 * kernel must outlive the run. */
ww_run *ww_run_open(ww_kernel *k, const ww_run_options *options);
void ww_run_close(ww_run *r);

/* The first failure; NULL when there was none. */
const char *ww_run_error(const ww_run *r);
const ww_run_times *ww_run_times_of(const ww_run *r);
/* "NVIDIA H200" or "emulator", and its multiprocessors. */
const char *ww_run_device_name(const ww_run *r);
bool ww_run_on_gpu(const ww_run *r);
int ww_run_multiprocessors(const ww_run *r);
/* PTX text and CUBIN bytes of the kernel. */
const char *ww_run_ptx(const ww_run *r);
const void *ww_run_cubin(const ww_run *r, size_t *bytes);

/* Device memory, 256-byte aligned, filled with 0xff (a NaN in every floating-point format). 0 after a
 * failure. */
uint64_t ww_run_alloc(ww_run *r, size_t bytes);
void ww_run_upload(ww_run *r, uint64_t to, const void *from, size_t bytes);
void ww_run_download(ww_run *r, void *to, uint64_t from, size_t bytes);

typedef enum ww_element { WW_F16, WW_BF16, WW_F32 } ww_element;

/* A row-major matrix as TMA sees it: loads outside it give zero, stores outside it do nothing. */
typedef struct ww_tensor_2d {
    ww_element element;
    uint64_t address; /* 16-byte aligned */
    uint64_t rows, cols;
    uint64_t row_bytes; /* from row to row, a multiple of 16 */
    uint32_t box_rows,
        box_cols; /* 1..256; box_cols * element size a multiple of 16, at most the swizzle's span */
    ww_swizzle swizzle;
} ww_tensor_2d;

void ww_run_tensor_map(ww_run *r, const ww_tensor_2d *tensor, ww_tensor_map *map);

/* One launch: the parameter struct that the kernel was declared with, and the grid. Checks the promised
 * minima of its arguments. Work is in order; on a GPU the call returns before it is done. */
typedef struct ww_launch {
    const void *params;
    uint32_t grid[3]; /* in CTAs; multiples of the kernel's cluster (V * M, N, K) */
    /* May start while the launch before it runs (programmatic dependent launch): the kernel waits for it by
     * ww_griddep_wait, or the launch is refused. A GPU overlaps them, the emulator does not. */
    bool overlap_previous;
} ww_launch;

void ww_run_launch(ww_run *r, const ww_launch *launch);
/* Waits for all launches; a kernel that does not end is a failure (a deadlock report, or a time limit on a
 * GPU). */
void ww_run_wait(ww_run *r);

/* ---- replaying -------------------------------------------------------------------------------------- */

typedef struct ww_replay {
    bool reproduced;  /* the fault is there, at the predicted operation */
    int events;       /* made as the witness says */
    const char *text; /* what was seen, a few lines; lives as long as the kernel */
} ww_replay;

/* Runs the first cluster of the launch on the emulator along the witness. The run must have been opened with .marks, on
 * the emulator. Launch arguments that the witness names get its values; if it speaks of tiles, the queue's arguments get
 * their number, and the grid is one cluster. What the device computes is replaced by what the witness says of it. */
struct ww_witness;
void ww_run_replay(ww_run *r, const ww_launch *launch, const struct ww_witness *w, ww_replay *out);

/* ---- measuring -------------------------------------------------------------------------------------- */

/* D = A . B^T for cuBLAS, as a peer: dense row-major device matrices of one element type, sums in f32. */
typedef struct ww_gemm {
    size_t m, n, k;
    ww_element element;
    uint64_t a, b, d;
} ww_gemm;

typedef struct ww_figures {
    double median_ms, min_ms, p90_ms;
} ww_figures;

/* What to time, and the figures. Several sets of inputs are taken in turn, so that a run does not find its inputs in
 * the L2 cache. */
typedef struct ww_measurement {
    const ww_launch *launches; /* one a set */
    const ww_gemm *peers;      /* one a set, or NULL: cuBLAS does not compete */
    unsigned sets, warm_up, repetitions;
    ww_figures ours, theirs;
    const char *why_no_peer; /* NULL when theirs is measured */
} ww_measurement;

/* Times launches, and cuBLAS beside them turn by turn (events on a GPU, the wall clock on the emulator). */
void ww_run_measure(ww_run *r, ww_measurement *m);
/* How many sets of that many bytes it takes. */
unsigned ww_run_input_sets(const ww_run *r, double bytes_per_set);

#endif
