/* cuBLAS as a peer. It knows only column-major matrices: our row-major D is its D^T = B . A^T, with B as the
 * transposed operand. */
#include "run/cublas.h"
#include "build/library.h"

#include <limits.h>

enum { WORKSPACE_BYTES = 32 << 20 };

enum { /* cublasOperation_t, cudaDataType, cublasComputeType_t, cublasGemmAlgo_t */
       CUBLAS_OP_NONE = 0,
       CUBLAS_OP_TRANSPOSE = 1,
       CUBLAS_R_32F = 0,
       CUBLAS_R_16F = 2,
       CUBLAS_R_16BF = 14,
       CUBLAS_COMPUTE_IN_32F = 68,
       CUBLAS_DEFAULT_ALGORITHM = -1,
};

typedef struct cublas_context *cublas_handle;

typedef struct cublas_api {
#define CUBLAS(symbol, parameters) int(*symbol) parameters;
#include "run/cublas.def"
#undef CUBLAS
} cublas_api;

struct cublas {
    cublas_api api;
    cublas_handle handle;
    device *device;
    uint64_t workspace;
};

static const char *const cublas_names[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so", NULL};

static bool bind_library(cublas_api *api, text *why_not)
{
    text searched = {0};
    void *library = library_open(cublas_names, &searched);
    if (!library)
        text_printf(why_not, "cuBLAS was not found. Searched:\n%s", text_str(&searched));
    text_free(&searched);
    const library_symbol symbols[] = {
#define CUBLAS(symbol, parameters) {#symbol, &api->symbol},
#include "run/cublas.def"
#undef CUBLAS
    };
    return library && library_bind(library, symbols, ARRAY_LEN(symbols), why_not);
}

static bool start(cublas *c, text *why_not)
{
    int status = c->api.cublasCreate_v2(&c->handle);
    if (status == 0)
        status = c->api.cublasSetStream_v2(c->handle, device_stream(c->device));
    c->workspace = device_alloc(c->device, WORKSPACE_BYTES);
    if (status == 0 && c->workspace)
        status = c->api.cublasSetWorkspace_v2(c->handle, (void *)(uintptr_t)c->workspace, WORKSPACE_BYTES);
    if (status != 0 || !c->workspace)
        text_printf(why_not, "cuBLAS does not start: status %d; %s", status, device_error(c->device));
    return status == 0 && c->workspace != 0;
}

cublas *cublas_open(device *d, text *why_not)
{
    if (device_describe(d)->kind != DEVICE_GPU) {
        text_add(why_not, "cuBLAS needs a GPU");
        return NULL;
    }
    cublas *c = base_alloc(sizeof *c);
    *c = (cublas){.device = d};
    if (bind_library(&c->api, why_not) && start(c, why_not))
        return c;
    cublas_close(c);
    return NULL;
}

void cublas_close(cublas *c)
{
    if (!c)
        return;
    if (c->handle)
        (void)c->api.cublasDestroy_v2(c->handle);
    (void)device_free(c->device, c->workspace);
    free(c);
}

static int data_type(device_element element)
{
    return element == DEVICE_F32 ? CUBLAS_R_32F : element == DEVICE_F16 ? CUBLAS_R_16F : CUBLAS_R_16BF;
}

bool cublas_run(cublas *c, const cublas_gemm *g, text *error)
{
    if (g->m > INT_MAX || g->n > INT_MAX || g->k > INT_MAX) {
        text_add(error, "the problem is too large for cuBLAS");
        return false;
    }
    int m = (int)g->m, n = (int)g->n, k = (int)g->k;
    int input = data_type(g->input), output = data_type(g->output);
    const float one = 1.0f, zero = 0.0f;
    int status = c->api.cublasGemmEx(c->handle, CUBLAS_OP_TRANSPOSE, CUBLAS_OP_NONE, n, m, k, &one,
                                     (const void *)(uintptr_t)g->b, input, k, (const void *)(uintptr_t)g->a,
                                     input, k, &zero, (void *)(uintptr_t)g->d, output, n,
                                     CUBLAS_COMPUTE_IN_32F, CUBLAS_DEFAULT_ALGORITHM);
    if (status != 0)
        text_printf(error, "cublasGemmEx failed with status %d", status);
    return status == 0;
}
