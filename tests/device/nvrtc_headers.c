/* nvrtc_headers: the device headers and every example's work bodies compile under NVRTC, which has no libc
 * and no CUDA headers, and ptxas assembles what they say: every wrapper (every_wrapper.cu) for each target
 * that has its instruction. Descriptors, masks and swizzles hold what arithmetic.cuh asserts of them.
 *
 *     nvrtc_headers ROOT     ROOT is the project's root
 *
 * Loads libnvrtc at run time; exits 77 (skipped) where there is none. Each .cuh is compiled by itself, so
 * that each includes what it needs. Targets that this NVRTC does not know are left out, saying so. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct program program;

static struct {
    int (*create)(program **, const char *source, const char *name, int headers, const char *const *texts,
                  const char *const *names);
    int (*compile)(program *, int options, const char *const *);
    int (*log_size)(program *, size_t *);
    int (*log)(program *, char *);
    int (*destroy)(program **);
    int (*target_count)(int *);
    int (*targets)(int *);
} nvrtc;

static const char *const headers[] = {
    "ww/types.h",      "ww/arch.cuh",         "ww/operands.cuh",        "ww/warp.cuh",
    "ww/mbarrier.cuh", "ww/fence.cuh",        "ww/cp_async.cuh",        "ww/tma.cuh",
    "ww/wgmma.cuh",    "ww/tcgen05.cuh",      "ww/umma_descriptor.cuh", "ww/matrix.cuh",
    "ww/swizzle.cuh",  "ww/cluster.cuh",      "ww/cluster_layout.cuh",  "ww/clc.cuh",
    "ww/pdl.cuh",      "ww/stage_info.cuh",   "ww/tile_queue.cuh",      "ww/dynamic_queue.cuh",
    "ww/loop.cuh",     "ww/ww.cuh",           "grid_stride.cuh",        "tma_copy.cuh",
    "gemm.cuh",        "persistent_copy.cuh",
};

/* Every wrapper is assembled for all of these. */
static const char *const targets[] = {"sm_80", "sm_90a", "sm_100a", "sm_103a", "sm_110a", "sm_120a"};

static void *symbol(void *library, const char *name)
{
    void *found = dlsym(library, name);
    if (!found) {
        fprintf(stderr, "libnvrtc has no %s\n", name);
        exit(1);
    }
    return found;
}

static void load(void)
{
    void *library = dlopen("libnvrtc.so", RTLD_NOW);
    if (!library)
        library = dlopen("libnvrtc.so.13", RTLD_NOW);
    if (!library)
        library = dlopen("libnvrtc.so.12", RTLD_NOW);
    if (!library) {
        printf("skipped: no libnvrtc\n");
        exit(77);
    }
    /* The form that POSIX gives for function pointers. */
    *(void **)&nvrtc.create = symbol(library, "nvrtcCreateProgram");
    *(void **)&nvrtc.compile = symbol(library, "nvrtcCompileProgram");
    *(void **)&nvrtc.log_size = symbol(library, "nvrtcGetProgramLogSize");
    *(void **)&nvrtc.log = symbol(library, "nvrtcGetProgramLog");
    *(void **)&nvrtc.destroy = symbol(library, "nvrtcDestroyProgram");
    *(void **)&nvrtc.target_count = symbol(library, "nvrtcGetNumSupportedArchs");
    *(void **)&nvrtc.targets = symbol(library, "nvrtcGetSupportedArchs");
}

/* Whether this NVRTC compiles for `target`, "sm_" and a number. */
static int known(const char *target)
{
    int numbers[64], count = 0;
    if (nvrtc.target_count(&count) != 0 || count > 64 || nvrtc.targets(numbers) != 0)
        return 0;
    for (int i = 0; i < count; i++)
        if (numbers[i] == atoi(target + strlen("sm_")))
            return 1;
    return 0;
}

/* Compiles one translation unit; prints the log and returns 1 if it failed or warned. */
static int compile(const char *root, const char *target, const char *what, const char *source)
{
    enum { FOLDERS = 6 };
    char folders[FOLDERS][512];
    char architecture[64];
    const char *options[2 + FOLDERS] = {architecture, "--std=c++17"};
    static const char *const names[FOLDERS] = {"device",
                                               "examples/01_grid_stride_copy",
                                               "examples/02_tma_copy",
                                               "examples/03_persistent_copy",
                                               "examples/04_gemm",
                                               "tests/device"};
    if (!known(target)) {
        printf("skip %s for %s\n", what, target);
        return 0;
    }
    snprintf(architecture, sizeof(architecture), "--gpu-architecture=%s", target);
    for (int i = 0; i < FOLDERS; i++) {
        snprintf(folders[i], sizeof(folders[i]), "-I%s/%s", root, names[i]);
        options[2 + i] = folders[i];
    }
    program *p = NULL;
    size_t bytes = 0;
    int failed = nvrtc.create(&p, source, "unit.cu", 0, NULL, NULL) != 0 ||
                 nvrtc.compile(p, 2 + FOLDERS, options) != 0;
    if (p && nvrtc.log_size(p, &bytes) == 0 && bytes > 1) {
        char *log = malloc(bytes);
        if (log && nvrtc.log(p, log) == 0)
            printf("%s", log);
        free(log);
        failed = 1;
    }
    nvrtc.destroy(&p);
    printf("%s %s for %s\n", failed ? "FAIL" : "ok  ", what, target);
    return failed;
}

/* A header by itself, twice over. */
static int compile_header(const char *root, const char *target, const char *header)
{
    char source[256];
    snprintf(source, sizeof(source), "#include \"%s\"\n#include \"%s\"\n", header, header);
    return compile(root, target, header, source);
}

/* The struct layouts, and the gemm's bodies in a kernel small enough to read here. */
static const char use[] =
    "#include \"gemm.cuh\"\n"
    "#include \"grid_stride_params.h\"\n"
    "#include \"tma_copy_params.h\"\n"
    "#include \"persistent_copy_params.h\"\n"
    "#include \"shared_structs.h\"\n"
    "extern \"C\" __global__ void __launch_bounds__(128, 1) use(const __grid_constant__ gemm_params params)\n"
    "{\n"
    "    extern __shared__ __align__(1024) unsigned char memory[];\n"
    "    const uint32_t smem = ww::shared_address(memory);\n"
    "    gemm_info info = {params};\n"
    "    info.barrier = smem;\n"
    "    info.buffer[0] = smem + 1024;\n"
    "    info.buffer[1] = smem + 1024 + GEMM_A_BYTES;\n"
    "    info.warp = ww::warp_index();\n"
    "    info.lane = ww::lane_index();\n"
    "    smem_ab ab;\n"
    "    accum c;\n"
    "    gmem_d d;\n"
    "    uint64_t a, b;\n"
    "    gemm_fragment result;\n"
    "    ww::mbarrier_wait(smem, 0);\n"
    "    accum_clear(c, info);\n"
    "    smem_ab_descriptors(ab, info, a, b);\n"
    "    accum_mma(c, info, a, b);\n"
    "    accum_settle(c, info);\n"
    "    accum_result(c, info, result);\n"
    "    gmem_d_choose(d, info);\n"
    "    gmem_d_stage_even<0>(d, info, result);\n"
    "    gmem_d_store_even<0>(d, info);\n"
    "    gmem_d_reuse(d, info);\n"
    "    gmem_d_stage_odd<1>(d, info, result);\n"
    "    gmem_d_store_odd<1>(d, info);\n"
    "    gmem_d_drain(d, info);\n"
    "}\n";

int main(int argc, char **argv)
{
    int failures = 0;
    if (argc != 2) {
        fprintf(stderr, "usage: nvrtc_headers ROOT\n");
        return 2;
    }
    load();
    for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
        failures += compile_header(argv[1], "sm_90a", headers[i]);
        if (strncmp(headers[i], "ww/", 3) == 0)
            failures += compile_header(argv[1], "sm_100a", headers[i]);
    }
    failures += compile(argv[1], "sm_90a", "layout of the shared structs, gemm bodies in a kernel", use);
    failures += compile(argv[1], "sm_90a", "arithmetic", "#include \"arithmetic.cuh\"\n");
    for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++)
        failures += compile(argv[1], targets[i], "every wrapper", "#include \"every_wrapper.cu\"\n");
    return failures != 0;
}
