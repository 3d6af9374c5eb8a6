/* build: CUDA C++ text to PTX and CUBIN inside this process, the whole face of the layer.
 *
 * NVRTC does the compiling. It is loaded at run time, so that a machine without CUDA can still do all else;
 * where it is looked for, library.h says. One compile for a real architecture ("sm_90a") gives both the CUBIN
 * a GPU runs and the PTX the emulator reads. Results are kept on disk under a key made of all that went in.
 *
 * Figures that shaped this (CUDA 13.0, 2.8 GHz Xeon): an empty kernel takes 22 ms, our device headers add 5,
 * a warp-specialised GEMM with m64n128 wgmma takes 105 ms, of which the front end 8, the optimiser 52 and
 * the assembler 45. Without `#pragma unroll 1` on its loops that GEMM takes 290 ms, for the optimiser
 * unrolls them by four. --minimal saves 3 ms; a precompiled header would save 6, for a file to keep in step;
 * --split-compile costs 5 or more on one kernel; --Ofast-compile would save half but makes the assembler
 * ignore setmaxnreg and serialise wgmma. */
#ifndef WW_BUILD_H
#define WW_BUILD_H

#include "base/base.h"

typedef struct build_options {
    const char *arch; /* "sm_90a"; a virtual "compute_90a" gives PTX alone */
    const char *const *include_folders;
    size_t include_count;
    const char *cache_folder; /* NULL: no cache; see build_cache_folder */
    bool want_line_info;
    const char *const *extra; /* further options for NVRTC, as they are */
    size_t extra_count;
} build_options;

typedef struct build_output {
    text ptx, cubin, log; /* log: warnings, or why compiling failed, whole */
    double compile_ms;    /* wall clock of the call, from the cache or not */
    bool from_cache;
    bool no_compiler; /* NVRTC was not found */
} build_output;

/* Compiles source; name stands for its file in messages. Includes are looked for in the caller's folders,
 * then in device/ of the checkout, then among CUDA's own headers where there are any. False with error set;
 * out->log then holds the compiler's words if it came that far. Free out with build_output_free in either
 * case. */
bool build_cuda(const char *name, const char *source, const build_options *o, build_output *out, text *error);
void build_output_free(build_output *out);

/* Assembles PTX for arch: nvJitLink in process, else ptxas as a child. cubin is appended to. */
bool build_ptxas(const char *ptx, const char *arch, text *cubin, text *error);

/* What a thread of a kernel has, by its CUBIN. False where that does not say; cubin.c */
typedef struct build_usage {
    uint32_t registers; /* at entry */
    uint32_t
        local_bytes; /* of local memory: spilled registers, and arrays that cannot be kept in registers */
} build_usage;
bool build_cubin_usage(const text *cubin, const char *kernel, build_usage *usage);

/* The usual place for the cache: $WW_CACHE, else $XDG_CACHE_HOME/warpwright, else ~/.cache/warpwright. False
 * when none of these variables is set. */
bool build_cache_folder(text *folder);

#endif
