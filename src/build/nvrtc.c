/* NVIDIA's run-time compiler: load it, run one compile, fetch what it made. */
#include "build/nvrtc.h"
#include "build/library.h"

#include <limits.h>

static const char *const nvrtc_names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", NULL};

/* NVRTC asks the loader for its builtins by name, and the wheel's NVRTC does not tell the loader to look
 * beside it. */
static void preload_builtins(const nvrtc_api *api, const char *folder)
{
    text name = {0};
    text_printf(&name, "libnvrtc-builtins.so.%d.%d", api->major, api->minor);
    library_preload(folder, text_str(&name));
    text_free(&name);
}

bool nvrtc_open(nvrtc_api *api, text *error)
{
    text searched = {0}, folder = {0};
    void *library = library_open_in(nvrtc_names, &folder, &searched);
    if (!library)
        text_printf(
            error,
            "NVRTC, the CUDA run-time compiler, was not found. Searched:\n%s"
            "Run scripts/setup.sh, which fetches it without a CUDA installation, or point WW_CUDA_HOME "
            "at a CUDA toolkit.",
            text_str(&searched));
    text_free(&searched);
    const library_symbol symbols[] = {
#define NVRTC(result, name, parameters) {"nvrtc" #name, &api->name},
#include "build/nvrtc.def"
#undef NVRTC
    };
    bool ok = library && library_bind(library, symbols, ARRAY_LEN(symbols), error) &&
              api->Version(&api->major, &api->minor) == 0;
    if (ok && folder.len)
        preload_builtins(api, text_str(&folder));
    text_free(&folder);
    return ok;
}

/* The three things NVRTC hands out have the same pair of calls: a size, then a copy into room of that size.
 */
static bool fetch(nvrtc_program program, int (*size)(nvrtc_program, size_t *),
                  int (*copy)(nvrtc_program, char *), text *to)
{
    size_t bytes = 0;
    if (size(program, &bytes) != 0)
        return false;
    if (bytes == 0)
        return true;
    char *room = base_alloc(bytes);
    bool ok = copy(program, room) == 0;
    if (ok)
        text_add_n(to, room, bytes);
    free(room);
    return ok;
}

/* PTX and log come with their terminating NUL counted, which a text does not. */
static void drop_terminator(text *t)
{
    while (t->len && t->at[t->len - 1] == '\0')
        t->len--;
}

static bool fetch_results(const nvrtc_api *api, nvrtc_program program, build_output *out)
{
    bool ok = fetch(program, api->GetPTXSize, api->GetPTX, &out->ptx) &&
              fetch(program, api->GetCUBINSize, api->GetCUBIN, &out->cubin);
    drop_terminator(&out->ptx);
    return ok && out->ptx.len > 0;
}

bool nvrtc_compile(const nvrtc_api *api, const char *name, const char *source, const char *const *options,
                   size_t option_count, build_output *out, text *error)
{
    if (option_count > INT_MAX) {
        text_add(error, "too many compiler options");
        return false;
    }
    nvrtc_program program = NULL;
    int result = api->CreateProgram(&program, source, name, 0, NULL, NULL);
    if (result == 0)
        result = api->CompileProgram(program, (int)option_count, options);
    if (program) {
        (void)fetch(program, api->GetProgramLogSize, api->GetProgramLog, &out->log);
        drop_terminator(&out->log);
    }
    bool ok = result == 0 && fetch_results(api, program, out);
    if (result != 0)
        text_printf(error, "%s does not compile (%s):\n%s", name, api->GetErrorString(result),
                    text_str(&out->log));
    else if (!ok)
        text_printf(error, "NVRTC compiled %s but gave no PTX", name);
    if (program)
        (void)api->DestroyProgram(&program);
    return ok;
}
