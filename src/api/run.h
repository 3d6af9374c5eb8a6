/* What the files of this layer need of each other. */
#ifndef WW_API_RUN_H
#define WW_API_RUN_H

#include "build/build.h"
#include "run/device.h"
#include "warpwright/run.h"

struct ww_run {
    ww_kernel *kernel;
    device *device;
    device_module *module;
    build_output built;
    ww_run_times times;
    text error;
    bool marked; /* opened with marks */
    VEC(uint64_t) blocks;
};

device_element run_element(ww_element element);

/* The first failure is kept. run_usable: nothing has failed, and there is a device. */
void run_fail(ww_run *r, const char *what);
bool run_usable(ww_run *r);
/* The launch as the device takes it; false after a failure. */
bool run_fill_launch(ww_run *r, const ww_launch *l, device_launch *launch);

/* The translation unit with marks (emit.h), of any declaration that can be lowered, refused or not; NULL: it cannot. In the
 * kernel's arena. */
const char *api_emit_marked(ww_kernel *k);

#endif
