/* The GPU behind device.h, through the CUDA driver API.
 *
 * All work goes to one stream. Nothing here waits without an end: a wait polls an event until the time limit,
 * since a kernel whose barriers are wrong never finishes. Such a device is marked hung, and closing it leaves
 * its context to the end of the process, for every driver call that would tear it down would wait too. */
#include "run/device_backend.h"
#include "run/driver.h"

#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <time.h>

enum { JIT_LOG_BYTES = 8192, POLL_BUSY_MS = 2, PORTABLE_CLUSTER_MAX = 8 };

typedef struct gpu_device {
    device base;
    driver_api api;
    int handle;
    driver_context context;
    driver_stream stream;
    driver_event done;                 /* what device_sync polls */
    driver_event laps[DEVICE_LAP_MAX]; /* made when first used */
    double time_limit_ms;
    bool hung;
} gpu_device;

struct device_module {
    driver_module module;
};

static gpu_device *gpu_of(device *d)
{
    return (gpu_device *)d;
}

/* True for success, else the error text is set: "uploading 64 bytes: CUDA_ERROR_...". */
static bool check(gpu_device *g, int result, const char *doing)
{
    if (result == DRIVER_SUCCESS)
        return true;
    text reason = {0};
    driver_explain(&g->api, result, &reason);
    (void)device_fail(&g->base, "%s: %s", doing, text_str(&reason));
    text_free(&reason);
    return false;
}

static bool usable(gpu_device *g)
{
    return g->hung ? device_fail(&g->base, "the GPU is still busy with a kernel that did not finish") : true;
}

/* ---- waiting ---------------------------------------------------------------------------------------- */

static void poll_pause(double waited_ms)
{
    if (waited_ms < POLL_BUSY_MS)
        return;
    const struct timespec pause = {.tv_nsec = 200000};
    (void)nanosleep(&pause, NULL);
}

static bool wait_event(gpu_device *g, driver_event event)
{
    double start = clock_ms();
    int result;
    while ((result = g->api.cuEventQuery(event)) == DRIVER_NOT_READY) {
        double waited = clock_ms() - start;
        if (waited > g->time_limit_ms) {
            g->hung = true;
            return device_fail(&g->base, "kernel did not finish within %.3g s", g->time_limit_ms / 1e3);
        }
        poll_pause(waited);
    }
    return check(g, result, "kernel");
}

static bool gpu_sync(device *d)
{
    gpu_device *g = gpu_of(d);
    return usable(g) && check(g, g->api.cuEventRecord(g->done, g->stream), "synchronising") &&
           wait_event(g, g->done);
}

/* ---- memory ----------------------------------------------------------------------------------------- */

static uint64_t gpu_alloc(device *d, size_t bytes)
{
    gpu_device *g = gpu_of(d);
    uint64_t address = 0;
    if (!usable(g) || !check(g, g->api.cuMemAlloc_v2(&address, bytes), "allocating memory"))
        return 0;
    return address;
}

/* Freeing waits for the device, so the wait with a limit goes first. */
static bool gpu_free(device *d, uint64_t address)
{
    gpu_device *g = gpu_of(d);
    return gpu_sync(d) && check(g, g->api.cuMemFree_v2(address), "freeing memory");
}

static bool gpu_upload(device *d, uint64_t to, const void *from, size_t bytes)
{
    gpu_device *g = gpu_of(d);
    return gpu_sync(d) && check(g, g->api.cuMemcpyHtoDAsync_v2(to, from, bytes, g->stream), "uploading") &&
           gpu_sync(d);
}

static bool gpu_download(device *d, void *to, uint64_t from, size_t bytes)
{
    gpu_device *g = gpu_of(d);
    return gpu_sync(d) && check(g, g->api.cuMemcpyDtoHAsync_v2(to, from, bytes, g->stream), "downloading") &&
           gpu_sync(d);
}

static bool gpu_fill(device *d, uint64_t to, uint32_t value, size_t count)
{
    gpu_device *g = gpu_of(d);
    return usable(g) && check(g, g->api.cuMemsetD32Async(to, value, count, g->stream), "filling memory");
}

/* cuTensorMapEncodeTiled wants the map at a multiple of 64 bytes, and reports every mistake as one and the
 * same error; the description is repeated so that the reader can see which number is wrong. */
static bool gpu_tensor_map_encode(device *d, const device_tensor *t, void *map)
{
    gpu_device *g = gpu_of(d);
    _Alignas(64) unsigned char aligned[DEVICE_TENSOR_MAP_BYTES];
    const uint32_t dense[DEVICE_TENSOR_RANK_MAX] = {1, 1, 1, 1, 1};
    int result = g->api.cuTensorMapEncodeTiled(aligned, (int)t->element, t->rank,
                                               (void *)(uintptr_t)t->address, t->extent, t->stride_bytes,
                                               t->box, dense, 0, (int)t->swizzle, DRIVER_TENSOR_L2_128B, 0);
    text what = {0};
    text_printf(&what, "tensor map (element %d, swizzle %d, address %#" PRIx64, (int)t->element,
                (int)t->swizzle, t->address);
    for (uint32_t i = 0; i < t->rank; i++)
        text_printf(&what, "; extent %" PRIu64 ", box %u, stride %" PRIu64, t->extent[i], t->box[i],
                    i == 0 ? 0 : t->stride_bytes[i - 1]);
    text_add(&what, ")");
    bool ok = check(g, result, text_str(&what));
    text_free(&what);
    if (ok)
        memcpy(map, aligned, sizeof aligned);
    return ok;
}

/* ---- kernels ---------------------------------------------------------------------------------------- */

static device_module *gpu_load(device *d, const text *ptx, const text *cubin)
{
    gpu_device *g = gpu_of(d);
    if (!usable(g))
        return NULL;
    char *log = base_alloc(JIT_LOG_BYTES);
    log[0] = '\0';
    int options[] = {DRIVER_JIT_ERROR_LOG, DRIVER_JIT_ERROR_LOG_BYTES};
    void *values[] = {log, (void *)(uintptr_t)JIT_LOG_BYTES};
    driver_module loaded = NULL;
    const char *image = cubin && cubin->len ? cubin->at : text_str(ptx);
    int result = g->api.cuModuleLoadDataEx(&loaded, image, ARRAY_LEN(options), options, values);
    text doing = {0};
    text_printf(&doing, "loading the module%s%s", log[0] ? ": " : "", log);
    device_module *module = NULL;
    if (check(g, result, text_str(&doing))) {
        module = base_alloc(sizeof *module);
        module->module = loaded;
    }
    text_free(&doing);
    free(log);
    return module;
}

static void gpu_unload(device *d, device_module *module)
{
    gpu_device *g = gpu_of(d);
    if (gpu_sync(d))
        (void)g->api.cuModuleUnload(module->module);
    free(module);
}

static uint32_t cluster_size(const device_launch *l)
{
    uint32_t size = 1;
    for (int i = 0; i < 3; i++)
        size *= l->cluster[i] ? l->cluster[i] : 1;
    return size;
}

static bool prepare_function(gpu_device *g, driver_function function, const device_launch *l)
{
    if (!check(g,
               g->api.cuFuncSetAttribute(function, DRIVER_FUNCTION_MAX_DYNAMIC_SHARED,
                                         (int)l->dynamic_shared_bytes),
               "asking for shared memory"))
        return false;
    return cluster_size(l) <= PORTABLE_CLUSTER_MAX ||
           check(g, g->api.cuFuncSetAttribute(function, DRIVER_FUNCTION_NON_PORTABLE_CLUSTER, 1),
                 "asking for a cluster of more than 8");
}

static unsigned launch_attributes(const device_launch *l, driver_attribute attributes[2])
{
    unsigned count = 0;
    if (cluster_size(l) > 1) {
        driver_attribute *cluster = &attributes[count++];
        cluster->id = DRIVER_LAUNCH_CLUSTER;
        for (int i = 0; i < 3; i++)
            cluster->value.cluster[i] = l->cluster[i] ? l->cluster[i] : 1;
    }
    if (l->overlap_previous) {
        driver_attribute *overlap = &attributes[count++];
        overlap->id = DRIVER_LAUNCH_PROGRAMMATIC_SERIALIZATION;
        overlap->value.programmatic_serialization = 1;
    }
    return count;
}

static bool gpu_launch(device *d, device_module *module, const device_launch *l)
{
    gpu_device *g = gpu_of(d);
    driver_function function = NULL;
    if (!usable(g) ||
        !check(g, g->api.cuModuleGetFunction(&function, module->module, l->kernel), l->kernel) ||
        !prepare_function(g, function, l))
        return false;
    driver_attribute attributes[2] = {0};
    driver_launch launch = {.dynamic_shared_bytes = l->dynamic_shared_bytes,
                            .stream = g->stream,
                            .attributes = attributes,
                            .attribute_count = launch_attributes(l, attributes)};
    memcpy(launch.grid, l->grid, sizeof launch.grid);
    memcpy(launch.block, l->block, sizeof launch.block);
    /* One pointer a parameter, not the packed buffer (CU_LAUNCH_PARAM_BUFFER_POINTER): with that, a kernel whose
     * struct holds tensor maps, hence is aligned to 64 bytes, read wrong values (H200, driver 580). */
    void *params;
    memcpy(&params, &l->params, sizeof params); /* the driver takes it without const, and only reads */
    void *parameters[] = {params};
    return check(g, g->api.cuLaunchKernelEx(&launch, function, parameters, NULL), l->kernel);
}

static void gpu_set_names(device *d, const device_names *names)
{
    (void)d;
    (void)names;
}

/* ---- time ------------------------------------------------------------------------------------------- */

static bool gpu_lap(device *d, uint32_t slot)
{
    gpu_device *g = gpu_of(d);
    driver_event *event = &g->laps[slot];
    return usable(g) && (*event || check(g, g->api.cuEventCreate(event, 0), "creating an event")) &&
           check(g, g->api.cuEventRecord(*event, g->stream), "recording an event");
}

static bool gpu_lap_ms(device *d, uint32_t from, uint32_t to, double *ms)
{
    gpu_device *g = gpu_of(d);
    assert(g->laps[from] && g->laps[to]);
    float elapsed = 0;
    if (!usable(g) || !wait_event(g, g->laps[from]) || !wait_event(g, g->laps[to]) ||
        !check(g, g->api.cuEventElapsedTime(&elapsed, g->laps[from], g->laps[to]), "reading events"))
        return false;
    *ms = (double)elapsed;
    return true;
}

static void *gpu_stream(device *d)
{
    return gpu_of(d)->stream;
}

/* ---- opening and closing ---------------------------------------------------------------------------- */

static void gpu_close(device *d)
{
    gpu_device *g = gpu_of(d);
    if (!g->hung) {
        for (size_t i = 0; i < DEVICE_LAP_MAX; i++)
            if (g->laps[i])
                (void)g->api.cuEventDestroy_v2(g->laps[i]);
        if (g->done)
            (void)g->api.cuEventDestroy_v2(g->done);
        if (g->stream)
            (void)g->api.cuStreamDestroy_v2(g->stream);
        if (g->context)
            (void)g->api.cuDevicePrimaryCtxRelease_v2(g->handle);
    }
    free(g);
}

static const device_backend gpu_backend = {
    .close = gpu_close,
    .alloc = gpu_alloc,
    .free = gpu_free,
    .upload = gpu_upload,
    .download = gpu_download,
    .fill = gpu_fill,
    .tensor_map_encode = gpu_tensor_map_encode,
    .load = gpu_load,
    .unload = gpu_unload,
    .launch = gpu_launch,
    .sync = gpu_sync,
    .set_names = gpu_set_names,
    .lap = gpu_lap,
    .lap_ms = gpu_lap_ms,
    .stream = gpu_stream,
};

static bool find_gpu(gpu_device *g, uint32_t ordinal)
{
    int count = 0;
    if (!check(g, g->api.cuDeviceGetCount(&count), "counting GPUs"))
        return false;
    if (count <= 0 || ordinal >= (uint32_t)count)
        return device_fail(&g->base, "there is no GPU number %u: the driver has %d", ordinal, count);
    return check(g, g->api.cuDeviceGet(&g->handle, (int)ordinal), "choosing the GPU");
}

static bool read_info(gpu_device *g)
{
    device_info *info = &g->base.info;
    const struct {
        int attribute;
        uint32_t *to;
    } wanted[] = {{DRIVER_MULTIPROCESSOR_COUNT, &info->sm_count},
                  {DRIVER_COMPUTE_CAPABILITY_MAJOR, &info->capability[0]},
                  {DRIVER_COMPUTE_CAPABILITY_MINOR, &info->capability[1]},
                  {DRIVER_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, &info->max_shared_per_block},
                  {DRIVER_L2_CACHE_SIZE, &info->l2_bytes}};
    info->kind = DEVICE_GPU;
    for (size_t i = 0; i < ARRAY_LEN(wanted); i++) {
        int value = 0;
        if (!check(g, g->api.cuDeviceGetAttribute(&value, wanted[i].attribute, g->handle), "asking the GPU"))
            return false;
        *wanted[i].to = (uint32_t)value;
    }
    int version = 0;
    if (!check(g, g->api.cuDriverGetVersion(&version), "asking for the driver's version"))
        return false;
    info->driver_version = (uint32_t)version;
    return check(g, g->api.cuDeviceGetName(info->name, (int)sizeof info->name, g->handle),
                 "asking for a name");
}

/* Machine code for an architecture with a letter ("sm_90a") runs on that capability alone. */
static bool fits_arch(gpu_device *g, const char *arch)
{
    uint32_t wanted[2];
    const uint32_t *has = g->base.info.capability;
    if (!arch)
        return true;
    if (!device_capability(arch, wanted))
        return device_fail(&g->base, "%s is no GPU architecture", arch);
    if (wanted[0] != has[0] || wanted[1] != has[1])
        return device_fail(&g->base, "%s is of compute capability %u.%u and cannot run code for %s",
                           g->base.info.name, has[0], has[1], arch);
    return true;
}

static bool start_gpu(gpu_device *g, const device_options *o)
{
    return find_gpu(g, o->ordinal) && read_info(g) && fits_arch(g, o->arch) &&
           check(g, g->api.cuDevicePrimaryCtxRetain(&g->context, g->handle), "starting a context") &&
           check(g, g->api.cuCtxSetCurrent(g->context), "entering the context") &&
           check(g, g->api.cuStreamCreate(&g->stream, 0), "creating a stream") &&
           check(g, g->api.cuEventCreate(&g->done, 0), "creating an event");
}

device *device_gpu_open(const device_options *o, text *error)
{
    gpu_device *g = base_alloc(sizeof *g);
    *g = (gpu_device){.base.backend = &gpu_backend,
                      .time_limit_ms = o->time_limit_s > 0 ? o->time_limit_s * 1e3 : 60e3};
    if (!driver_open(&g->api, error)) {
        free(g);
        return NULL;
    }
    if (start_gpu(g, o))
        return &g->base;
    text_add(error, device_error(&g->base));
    device_close(&g->base);
    return NULL;
}
