/* What a kernel and its audit are compiled with. */
#include "api/compile.h"

bool api_compile(const ww_kernel *k, const char *arch, const char *name, const char *cuda, build_output *out,
                 text *error)
{
    text cache = {0}, why = {0};
    const char *folders[] = {k->options.body_folder ? k->options.body_folder : "."};
    bool cached = build_cache_folder(&cache);
    build_options options = {.arch = arch,
                             .include_folders = folders,
                             .include_count = ARRAY_LEN(folders),
                             .cache_folder = cached ? text_str(&cache) : NULL};
    bool ok = build_cuda(name, cuda, &options, out, &why);
    if (!ok)
        text_printf(error, "WW%d: %s", out->no_compiler ? (int)WW_NO_COMPILER : (int)WW_COMPILE,
                    text_str(&why));
    text_free(&cache);
    text_free(&why);
    return ok;
}
