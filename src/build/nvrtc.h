/* nvrtc: NVIDIA's run-time compiler, bound at run time. */
#ifndef WW_BUILD_NVRTC_H
#define WW_BUILD_NVRTC_H

#include "build/build.h"

typedef struct nvrtc_program_object *nvrtc_program;

typedef struct nvrtc_api {
#define NVRTC(result, name, parameters) result(*name) parameters;
#include "build/nvrtc.def"
#undef NVRTC
    int major, minor; /* version, 13.0 */
} nvrtc_api;

/* Loads the library; false with what was searched, and how to get it, in error. */
bool nvrtc_open(nvrtc_api *api, text *error);

/* One compile. options are NVRTC's own. Adds to out's ptx, cubin (where the architecture is a real one) and
 * log. */
bool nvrtc_compile(const nvrtc_api *api, const char *name, const char *source, const char *const *options,
                   size_t option_count, build_output *out, text *error);

#endif
