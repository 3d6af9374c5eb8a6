/* Assembling PTX. nvJitLink does it inside this process; without it, ptxas as a child does. Both print the
 * same diagnostics, with the line of the PTX. */
#include "build/build.h"
#include "build/library.h"
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

static bool jitlink_assemble(const jitlink_api *api, const char *ptx, const char *arch, text *cubin,
                             text *error)
{
    text option = {0};
    text_printf(&option, "-arch=%s", arch);
    const char *options[] = {text_str(&option)};
    jitlink_handle handle = NULL;
    bool ok = api->Create(&handle, 1, options) == 0;
    if (!ok)
        text_printf(error, "nvJitLink does not take the architecture %s", arch);
    ok = ok && api->AddData(handle, JITLINK_INPUT_PTX, ptx, strlen(ptx) + 1, "ptx") == 0 &&
         api->Complete(handle) == 0 && jitlink_fetch(api, handle, cubin);
    if (handle) {
        if (!ok)
            jitlink_log(api, handle, error);
        (void)api->Destroy(&handle);
    }
    text_free(&option);
    return ok;
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
        return jitlink_assemble(&api, ptx, arch, cubin, error);
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
