/* compile: generated CUDA as PTX and CUBIN, with the kernel's include folder and the usual cache. */
#ifndef WW_API_COMPILE_H
#define WW_API_COMPILE_H

#include "build/build.h"
#include "model/model.h"

/* False with a message added to error, which begins with the code of its diagnostic. Free out in either case. */
bool api_compile(const ww_kernel *k, const char *arch, const char *name, const char *cuda, build_output *out,
                 text *error);

#endif
