/* device_backend: what a backend of device.h fills in. */
#ifndef WW_RUN_DEVICE_BACKEND_H
#define WW_RUN_DEVICE_BACKEND_H

#include "run/device.h"

/* The functions have the meaning of their namesakes in device.h. */
typedef struct device_backend {
    void (*close)(device *d);
    uint64_t (*alloc)(device *d, size_t bytes);
    bool (*free)(device *d, uint64_t address);
    bool (*upload)(device *d, uint64_t to, const void *from, size_t bytes);
    bool (*download)(device *d, void *to, uint64_t from, size_t bytes);
    bool (*fill)(device *d, uint64_t to, uint32_t value, size_t count);
    bool (*tensor_map_encode)(device *d, const device_tensor *t, void *map);
    device_module *(*load)(device *d, const text *ptx, const text *cubin);
    void (*unload)(device *d, device_module *module);
    bool (*launch)(device *d, device_module *module, const device_launch *launch);
    bool (*sync)(device *d);
    void (*set_names)(device *d, const device_names *names);
    bool (*lap)(device *d, uint32_t slot);
    bool (*lap_ms)(device *d, uint32_t from, uint32_t to, double *ms);
    void *(*stream)(device *d);
} device_backend;

/* The head of each backend's own struct. */
struct device {
    const device_backend *backend;
    device_info info;
    text error;
};

/* Replaces the error text; always false, so that a failure can be returned as it is told. */
bool device_fail(device *d, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* "sm_90a" to {9, 0}, "sm_100a" to {10, 0}; false when arch is not of that form. */
bool device_capability(const char *arch, uint32_t capability[2]);

device *device_gpu_open(const device_options *o, text *error);
device *device_emu_open(const device_options *o, text *error);

#endif
