/* The face of a device: choosing a backend, and passing each call on to it. */
#include "run/device_backend.h"

#include <assert.h>
#include <stdio.h>

bool device_fail(device *d, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    text_free(&d->error);
    text_vprintf(&d->error, fmt, args);
    va_end(args);
    return false;
}

bool device_capability(const char *arch, uint32_t capability[2])
{
    if (strncmp(arch, "sm_", 3) != 0)
        return false;
    char *end;
    unsigned long number = strtoul(arch + 3, &end, 10);
    if (end == arch + 3 || number < 10 || number > 9999)
        return false;
    capability[0] = (uint32_t)(number / 10);
    capability[1] = (uint32_t)(number % 10);
    return true;
}

device *device_open(const device_options *o, text *error)
{
    if (o->kind == DEVICE_EMU)
        return device_emu_open(o, error);
    text why = {0};
    device *d = device_gpu_open(o, &why);
    if (!d && o->kind == DEVICE_AUTO)
        d = device_emu_open(o, error);
    else if (!d)
        text_add(error, text_str(&why));
    text_free(&why);
    return d;
}

void device_close(device *d)
{
    if (!d)
        return;
    text_free(&d->error);
    d->backend->close(d);
}

const device_info *device_describe(const device *d)
{
    return &d->info;
}

const char *device_error(const device *d)
{
    return text_str(&d->error);
}

uint64_t device_alloc(device *d, size_t bytes)
{
    return d->backend->alloc(d, bytes);
}

bool device_free(device *d, uint64_t address)
{
    return address == 0 || d->backend->free(d, address);
}

bool device_upload(device *d, uint64_t to, const void *from, size_t bytes)
{
    return d->backend->upload(d, to, from, bytes);
}

bool device_download(device *d, void *to, uint64_t from, size_t bytes)
{
    return d->backend->download(d, to, from, bytes);
}

bool device_fill(device *d, uint64_t to, uint32_t value, size_t count)
{
    return d->backend->fill(d, to, value, count);
}

bool device_tensor_map_encode(device *d, const device_tensor *t, void *map)
{
    text why = {0};
    bool ok = !device_tensor_fault(t, &why);
    ok = ok ? d->backend->tensor_map_encode(d, t, map) : device_fail(d, "%s", text_str(&why));
    text_free(&why);
    return ok;
}

device_module *device_load(device *d, const text *ptx, const text *cubin)
{
    return d->backend->load(d, ptx, cubin);
}

void device_unload(device *d, device_module *module)
{
    if (module)
        d->backend->unload(d, module);
}

bool device_launch_kernel(device *d, device_module *module, const device_launch *launch)
{
    if (launch->dynamic_shared_bytes > d->info.max_shared_per_block)
        return device_fail(d, "%s needs %u bytes of shared memory, a block has at most %u", launch->kernel,
                           launch->dynamic_shared_bytes, d->info.max_shared_per_block);
    return d->backend->launch(d, module, launch);
}

bool device_sync(device *d)
{
    return d->backend->sync(d);
}

void device_set_names(device *d, const device_names *names)
{
    d->backend->set_names(d, names);
}

bool device_lap(device *d, uint32_t slot)
{
    assert(slot < DEVICE_LAP_MAX);
    return d->backend->lap(d, slot);
}

bool device_lap_ms(device *d, uint32_t from, uint32_t to, double *ms)
{
    assert(from < DEVICE_LAP_MAX && to < DEVICE_LAP_MAX);
    return d->backend->lap_ms(d, from, to, ms);
}

bool device_time_begin(device *d)
{
    return device_lap(d, DEVICE_LAP_MAX - 2);
}

bool device_time_end(device *d, double *ms)
{
    return device_lap(d, DEVICE_LAP_MAX - 1) && device_lap_ms(d, DEVICE_LAP_MAX - 2, DEVICE_LAP_MAX - 1, ms);
}

void *device_stream(device *d)
{
    return d->backend->stream(d);
}
