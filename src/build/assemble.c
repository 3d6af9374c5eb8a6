/* Assembling PTX. nvJitLink does it inside this process; without it, ptxas as a child does. Both print the
 * same diagnostics, with the line of the PTX. */
#include "build/build.h"
#include "build/library.h"
#include "build/pack.h"
#include "build/process.h"

#include <stdio.h>
#include <unistd.h>

typedef struct jitlink_object *jitlink_handle;

typedef struct jitlink_api {
#define JITLINK(name, parameters) int(*name) parameters;
#include "build/jitlink.def"
#undef JITLINK
} jitlink_api;

enum { JITLINK_INPUT_PTX = 2 }; /* NVJITLINK_INPUT_PTX */

static const char *const jitlink_names[] = {"libnvJitLink.so.13", "libnvJitLink.so.12", "libnvJitLink.so",
                                            NULL};

static bool jitlink_open(jitlink_api *api)
{
    text ignored = {0};
    void *library = library_open(jitlink_names, &ignored);
    const library_symbol symbols[] = {
#define JITLINK(name, parameters) {"nvJitLink" #name, &api->name},
#include "build/jitlink.def"
#undef JITLINK
    };
    bool ok = library && library_bind(library, symbols, ARRAY_LEN(symbols), &ignored);
    text_free(&ignored);
    return ok;
}

static void jitlink_log(const jitlink_api *api, jitlink_handle handle, text *error)
{
    size_t bytes = 0;
    if (api->GetErrorLogSize(handle, &bytes) != 0 || bytes == 0)
        return;
    char *log = base_alloc(bytes + 1);
    if (api->GetErrorLog(handle, log) == 0) {
        log[bytes] = '\0';
        text_add(error, log);
    }
    free(log);
}

static bool jitlink_fetch(const jitlink_api *api, jitlink_handle handle, text *cubin)
{
    size_t bytes = 0;
    if (api->GetLinkedCubinSize(handle, &bytes) != 0)
        return false;
    char *room = base_alloc(bytes);
    bool ok = api->GetLinkedCubin(handle, room) == 0;
    if (ok)
        text_add_n(cubin, room, bytes);
    free(room);
    return ok;
}

typedef struct jitlink_job {
    const jitlink_api *api;
    const char *ptx, *arch;
} jitlink_job;

static void jitlink_assemble(const jitlink_job *job, text *cubin, text *error)
{
    const jitlink_api *api = job->api;
    text option = {0};
    text_printf(&option, "-arch=%s", job->arch);
    const char *options[] = {text_str(&option)};
    jitlink_handle handle = NULL;
    if (api->Create(&handle, 1, options) != 0)
        text_printf(error, "nvJitLink does not take the architecture %s", job->arch);
    else if (api->AddData(handle, JITLINK_INPUT_PTX, job->ptx, strlen(job->ptx) + 1, "ptx") != 0 ||
             api->Complete(handle) != 0 || !jitlink_fetch(api, handle, cubin))
        jitlink_log(api, handle, error);
    if (handle)
        (void)api->Destroy(&handle);
    text_free(&option);
}

static void assemble_packed(void *context, text *result)
{
    text cubin = {0}, error = {0};
    jitlink_assemble(context, &cubin, &error);
    const text *const parts[] = {&cubin, &error};
    pack_texts(parts, ARRAY_LEN(parts), result);
    text_free(&cubin);
    text_free(&error);
}

/* In a forked child, as with NVRTC: the assembler is the same, and crashes alike. */
static bool jitlink_guarded(const jitlink_api *api, const char *ptx, const char *arch, text *cubin,
                            text *error)
{
    jitlink_job job = {api, ptx, arch};
    text packed = {0}, why_not = {0};
    size_t before = cubin->len;
    text *const parts[] = {cubin, error};
    bool ok = process_guard(assemble_packed, &job, &packed, &why_not) &&
              unpack_texts(text_str(&packed), packed.len, parts, ARRAY_LEN(parts));
    if (!ok)
        text_printf(error, "nvJitLink %s", text_str(&why_not));
    text_free(&packed);
    text_free(&why_not);
    return ok && cubin->len > before;
}

/* Runs ptxas over files in a folder of their own, which is removed again. */
static bool ptxas_assemble(const char *tool, const char *ptx, const char *arch, text *cubin, text *error)
{
    text folder = {0}, input = {0}, output = {0}, option = {0};
    bool ok = process_temporary_folder(&folder);
    text_printf(&input, "%s/in.ptx", text_str(&folder));
    text_printf(&output, "%s/out.cubin", text_str(&folder));
    text_printf(&option, "-arch=%s", arch);
    if (!ok || !file_write(text_str(&input), ptx, strlen(ptx))) {
        text_add(error, "no temporary folder for ptxas could be made");
        ok = false;
    }
    const char *const command[] = {tool, text_str(&option), text_str(&input), "-o", text_str(&output), NULL};
    ok = ok && process_run(command, error) == 0 && file_read(text_str(&output), cubin);
    (void)remove(text_str(&input));
    (void)remove(text_str(&output));
    (void)rmdir(text_str(&folder));
    text_free(&folder);
    text_free(&input);
    text_free(&output);
    text_free(&option);
    return ok;
}

bool build_ptxas(const char *ptx, const char *arch, text *cubin, text *error)
{
    jitlink_api api;
    if (jitlink_open(&api))
        return jitlink_guarded(&api, ptx, arch, cubin, error);
    text tool = {0};
    bool ok = library_tool("ptxas", &tool);
    if (ok)
        ok = ptxas_assemble(text_str(&tool), ptx, arch, cubin, error);
    else
        text_add(error,
                 "neither nvJitLink nor ptxas was found; run scripts/setup.sh, or point WW_CUDA_HOME at a "
                 "CUDA toolkit");
    text_free(&tool);
    return ok;
}
