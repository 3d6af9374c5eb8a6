/* The emulator behind device.h. Everything happens inside the call; a lap is a reading of the wall clock. */
#include "run/device_backend.h"
#include "emu/emu.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

enum {
    DEFAULT_SM_COUNT = 4,
    SHARED_PER_BLOCK = 232448, /* 227 KiB: what compute capabilities 9.0 and 10.0 allow */
    L2_BYTES = 0,              /* no caches are modelled */
};

typedef struct emu_device {
    device base;
    emu_machine *machine;
    device_options options;
    arena names_arena; /* owns names */
    emu_names names;
    double laps[DEVICE_LAP_MAX];
} emu_device;

struct device_module {
    emu_module *module;
};

/* The two faces describe the same things with the same numbers. */
static_assert((int)DEVICE_TF32_FTZ == (int)EMU_TF32_FTZ && (int)DEVICE_BF16 == (int)EMU_BF16, "elements");
static_assert((int)DEVICE_SWIZZLE_128B == (int)EMU_SWIZZLE_128B, "swizzles");
static_assert((int)DEVICE_ORDER_RANDOM == (int)EMU_ASYNC_RANDOM, "orders");
static_assert((int)DEVICE_TENSOR_RANK_MAX == (int)EMU_TENSOR_MAX_RANK, "ranks");
static_assert((int)DEVICE_TENSOR_MAP_BYTES == (int)EMU_TENSOR_MAP_BYTES, "size of a map");

static emu_device *emu_of(device *d)
{
    return (emu_device *)d;
}

static uint64_t emu_device_alloc(device *d, size_t bytes)
{
    uint64_t address = emu_alloc(emu_of(d)->machine, bytes);
    if (!address)
        (void)device_fail(d, "the emulator has no block of %zu bytes", bytes);
    return address;
}

static bool emu_device_free(device *d, uint64_t address)
{
    if (emu_free(emu_of(d)->machine, address))
        return true;
    return device_fail(d, "freeing %#" PRIx64 ": not the start of a block", address);
}

/* NULL with the error set when the range is not inside one block. */
static void *host_range(device *d, uint64_t address, size_t bytes, const char *doing)
{
    void *host = emu_host_pointer(emu_of(d)->machine, address, bytes);
    if (!host)
        (void)device_fail(d, "%s %zu bytes at %#" PRIx64 ": not inside one block of memory", doing, bytes,
                          address);
    return host;
}

static bool emu_device_upload(device *d, uint64_t to, const void *from, size_t bytes)
{
    void *host = host_range(d, to, bytes, "uploading");
    if (host)
        memcpy(host, from, bytes);
    return host != NULL;
}

static bool emu_device_download(device *d, void *to, uint64_t from, size_t bytes)
{
    const void *host = host_range(d, from, bytes, "downloading");
    if (host)
        memcpy(to, host, bytes);
    return host != NULL;
}

static bool emu_device_fill(device *d, uint64_t to, uint32_t value, size_t count)
{
    if (count > SIZE_MAX / sizeof value)
        return device_fail(d, "filling: %zu words are more than memory has", count);
    unsigned char *host = host_range(d, to, count * sizeof value, "filling");
    for (size_t i = 0; host && i < count; i++)
        memcpy(host + i * sizeof value, &value, sizeof value);
    return host != NULL;
}

static bool emu_device_tensor_map_encode(device *d, const device_tensor *t, void *map)
{
    emu_tensor tensor = {.element = (emu_element)t->element,
                         .rank = t->rank,
                         .address = t->address,
                         .swizzle = (emu_swizzle)t->swizzle};
    memcpy(tensor.extent, t->extent, sizeof tensor.extent);
    memcpy(tensor.stride_bytes, t->stride_bytes, sizeof tensor.stride_bytes);
    memcpy(tensor.box, t->box, sizeof tensor.box);
    const char *wrong = emu_tensor_map_encode(&tensor, map);
    return wrong ? device_fail(d, "tensor map: %s", wrong) : true;
}

static device_module *emu_device_load(device *d, const text *ptx, const text *cubin)
{
    (void)cubin;
    text errors = {0};
    emu_module *loaded = emu_module_load(text_str(ptx), ptx->len, &errors);
    device_module *module = NULL;
    if (loaded) {
        module = base_alloc(sizeof *module);
        module->module = loaded;
    } else {
        (void)device_fail(d, "the emulator cannot read the PTX:\n%s", text_str(&errors));
    }
    text_free(&errors);
    return module;
}

static void emu_device_unload(device *d, device_module *module)
{
    (void)d;
    emu_module_free(module->module);
    free(module);
}

static bool emu_device_launch(device *d, device_module *module, const device_launch *l)
{
    emu_device *e = emu_of(d);
    emu_launch launch = {.kernel = l->kernel,
                         .dynamic_shared_bytes = l->dynamic_shared_bytes,
                         .params = l->params,
                         .param_bytes = l->param_bytes,
                         .sm_count = e->base.info.sm_count,
                         .host_threads = e->options.host_threads,
                         .async_order = (emu_async_order)e->options.order,
                         .seed = e->options.seed,
                         .check_fences = e->options.check_fences,
                         .check_races = e->options.check_races,
                         .names = e->names,
                         .script = l->script,
                         .told = l->told};
    memcpy(launch.grid, l->grid, sizeof launch.grid);
    memcpy(launch.block, l->block, sizeof launch.block);
    memcpy(launch.cluster, l->cluster, sizeof launch.cluster);
    emu_result result = {0};
    bool ok = emu_run(e->machine, module->module, &launch, &result) == EMU_OK;
    if (!ok && l->told && result.status != EMU_BAD_LAUNCH) {
        text_add(&l->told->report, text_str(&result.report));
        ok = true;
    }
    if (!ok)
        (void)device_fail(d, "%s: %s", l->kernel, text_str(&result.report));
    text_free(&result.report);
    return ok;
}

static bool emu_device_sync(device *d)
{
    (void)d;
    return true;
}

static void emu_device_set_names(device *d, const device_names *names)
{
    emu_device *e = emu_of(d);
    arena_free(&e->names_arena);
    emu_range_name *ranges = arena_array(&e->names_arena, emu_range_name, names->range_count);
    for (size_t i = 0; i < names->range_count; i++)
        ranges[i] = (emu_range_name){.offset = names->ranges[i].offset,
                                     .bytes = names->ranges[i].bytes,
                                     .name = arena_strdup(&e->names_arena, names->ranges[i].name)};
    emu_warp_name *warps = arena_array(&e->names_arena, emu_warp_name, names->warp_count);
    for (size_t i = 0; i < names->warp_count; i++)
        warps[i] = (emu_warp_name){.first = names->warps[i].first,
                                   .end = names->warps[i].end,
                                   .name = arena_strdup(&e->names_arena, names->warps[i].name)};
    e->names = (emu_names){
        .ranges = ranges, .range_count = names->range_count, .warps = warps, .warp_count = names->warp_count};
}

static bool emu_device_lap(device *d, uint32_t slot)
{
    emu_of(d)->laps[slot] = clock_ms();
    return true;
}

static bool emu_device_lap_ms(device *d, uint32_t from, uint32_t to, double *ms)
{
    *ms = emu_of(d)->laps[to] - emu_of(d)->laps[from];
    return true;
}

static void *emu_device_stream(device *d)
{
    (void)d;
    return NULL;
}

static void emu_device_close(device *d)
{
    emu_device *e = emu_of(d);
    emu_machine_free(e->machine);
    arena_free(&e->names_arena);
    free(e);
}

static const device_backend emu_backend = {
    .close = emu_device_close,
    .alloc = emu_device_alloc,
    .free = emu_device_free,
    .upload = emu_device_upload,
    .download = emu_device_download,
    .fill = emu_device_fill,
    .tensor_map_encode = emu_device_tensor_map_encode,
    .load = emu_device_load,
    .unload = emu_device_unload,
    .launch = emu_device_launch,
    .sync = emu_device_sync,
    .set_names = emu_device_set_names,
    .lap = emu_device_lap,
    .lap_ms = emu_device_lap_ms,
    .stream = emu_device_stream,
};

device *device_emu_open(const device_options *o, text *error)
{
    device_info info = {.kind = DEVICE_EMU,
                        .name = "emulator",
                        .sm_count = o->sm_count ? o->sm_count : DEFAULT_SM_COUNT,
                        .capability = {9, 0},
                        .max_shared_per_block = SHARED_PER_BLOCK,
                        .l2_bytes = L2_BYTES};
    if (o->arch && !device_capability(o->arch, info.capability)) {
        text_printf(error, "%s is no GPU architecture", o->arch);
        return NULL;
    }
    emu_device *e = base_alloc(sizeof *e);
    *e = (emu_device){
        .base = {.backend = &emu_backend, .info = info}, .machine = emu_machine_new(), .options = *o};
    e->options.arch = NULL; /* the caller's string may go */
    return &e->base;
}
