/* NVIDIA's run-time compiler: load it, run one compile, fetch what it made.
 *
 * The compile happens in a forked child. NVRTC 13.0 crashes on some programs (its assembler does on an
 * mbarrier.init with a constant count of 0), and a tool for broken kernels must survive them. A fork costs about
 * a millisecond. */
#include "build/nvrtc.h"
#include "build/library.h"
#include "build/pack.h"
#include "build/process.h"

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

/* What one compile takes, for the child that does it. */
typedef struct nvrtc_job {
    const nvrtc_api *api;
    const char *name, *source;
    const char *const *options;
    int option_count;
} nvrtc_job;

static void compile_job(const nvrtc_job *job, build_output *out, text *error)
{
    const nvrtc_api *api = job->api;
    nvrtc_program program = NULL;
    int result = api->CreateProgram(&program, job->source, job->name, 0, NULL, NULL);
    if (result == 0)
        result = api->CompileProgram(program, job->option_count, job->options);
    if (program) {
        (void)fetch(program, api->GetProgramLogSize, api->GetProgramLog, &out->log);
        drop_terminator(&out->log);
    }
    if (result != 0)
        text_printf(error, "%s does not compile (%s):\n%s", job->name, api->GetErrorString(result),
                    text_str(&out->log));
    else if (!fetch_results(api, program, out))
        text_printf(error, "NVRTC compiled %s but gave no PTX", job->name);
    if (program)
        (void)api->DestroyProgram(&program);
}

static void compile_packed(void *context, text *result)
{
    build_output out = {0};
    text error = {0};
    compile_job(context, &out, &error);
    const text *const parts[] = {&out.ptx, &out.cubin, &out.log, &error};
    pack_texts(parts, ARRAY_LEN(parts), result);
    build_output_free(&out);
    text_free(&error);
}

bool nvrtc_compile(const nvrtc_api *api, const char *name, const char *source, const char *const *options,
                   size_t option_count, build_output *out, text *error)
{
    if (option_count > INT_MAX) {
        text_add(error, "too many compiler options");
        return false;
    }
    nvrtc_job job = {api, name, source, options, (int)option_count};
    text packed = {0}, why_not = {0}, said = {0};
    text *const parts[] = {&out->ptx, &out->cubin, &out->log, &said};
    bool ok = process_guard(compile_packed, &job, &packed, &why_not) &&
              unpack_texts(text_str(&packed), packed.len, parts, ARRAY_LEN(parts));
    if (!ok)
        text_printf(error, "NVRTC %s while it compiled %s", text_str(&why_not), name);
    text_add(error, text_str(&said));
    ok = ok && said.len == 0;
    text_free(&packed);
    text_free(&why_not);
    text_free(&said);
    return ok;
}
