/* nvrtc_headers: the device headers and every example's work bodies compile under NVRTC, which has no libc
 * and no CUDA headers, and ptxas assembles what they say.
 *
 *     nvrtc_headers ROOT     ROOT is the project's root
 *
 * Loads libnvrtc at run time; exits 77 (skipped) where there is none. Each .cuh is compiled by itself, so
 * that each includes what it needs. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct program program;

static struct {
    int (*create)(program **, const char *source, const char *name, int headers, const char *const *texts,
                  const char *const *names);
    int (*compile)(program *, int options, const char *const *);
    int (*log_size)(program *, size_t *);
    int (*log)(program *, char *);
    int (*destroy)(program **);
} nvrtc;

static const char *const headers[] = {
    "ww/types.h",   "ww/warp.cuh",       "ww/mbarrier.cuh",     "ww/fence.cuh",   "ww/tma.cuh",
    "ww/wgmma.cuh", "ww/matrix.cuh",     "ww/swizzle.cuh",      "ww/cluster.cuh", "ww/pdl.cuh",
    "ww/ww.cuh",    "ww/stage_info.cuh", "ww/tile_queue.cuh",   "ww/loop.cuh",    "grid_stride.cuh",
    "tma_copy.cuh", "gemm.cuh",          "persistent_copy.cuh",
};

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
}

/* Compiles one translation unit; prints the log and returns 1 if it failed or warned. */
static int compile(const char *root, const char *what, const char *source)
{
    enum { FOLDERS = 6 };
    char folders[FOLDERS][512];
    const char *options[2 + FOLDERS] = {"--gpu-architecture=sm_90a", "--std=c++17"};
    static const char *const names[FOLDERS] = {"device",
                                               "examples/01_grid_stride_copy",
                                               "examples/02_tma_copy",
                                               "examples/03_persistent_copy",
                                               "examples/04_gemm",
                                               "tests/device"};
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
    printf("%s %s\n", failed ? "FAIL" : "ok  ", what);
    return failed;
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
    "    const gemm_info info = {params, 0, 0, 1, 1, 0, smem, {smem + 1024, smem + 1024 + GEMM_A_BYTES},\n"
    "                            {0, 0, 0, 1}, ww::warp_index(), ww::lane_index()};\n"
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
    "    gmem_d_store(d, info, result);\n"
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
        char source[256];
        snprintf(source, sizeof(source), "#include \"%s\"\n#include \"%s\"\n", headers[i], headers[i]);
        failures += compile(argv[1], headers[i], source);
    }
    failures += compile(argv[1], "layout of the shared structs, gemm bodies in a kernel", use);
    return failures != 0;
}
