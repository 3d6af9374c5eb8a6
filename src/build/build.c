/* A build: gather the compiler's options, ask the cache, else compile and keep the result. */
#include "build/build.h"
#include "build/cache.h"
#include "build/includes.h"
#include "build/library.h"
#include "build/nvrtc.h"

/* Everything that goes into one compile. */
typedef struct build_job {
    arena arena;
    VEC(const char *) options; /* for NVRTC */
    VEC(const char *) folders; /* include folders, in order of search */
    nvrtc_api nvrtc;
} build_job;

void build_output_free(build_output *out)
{
    text_free(&out->ptx);
    text_free(&out->cubin);
    text_free(&out->log);
}

bool build_cache_folder(text *folder)
{
    static const struct {
        const char *variable, *below;
    } places[] = {{"WW_CACHE", ""}, {"XDG_CACHE_HOME", "/warpwright"}, {"HOME", "/.cache/warpwright"}};
    for (size_t i = 0; i < ARRAY_LEN(places); i++) {
        const char *value = getenv(places[i].variable);
        if (value && *value) {
            text_printf(folder, "%s%s", value, places[i].below);
            return true;
        }
    }
    return false;
}

static void job_folders(build_job *job, const build_options *o)
{
    for (size_t i = 0; i < o->include_count; i++)
        vec_push(&job->folders, o->include_folders[i]);
    vec_push(&job->folders, WW_DEVICE_FOLDER);
    text headers = {0};
    if (library_headers(&headers)) {
        vec_push(&job->folders, arena_strdup(&job->arena, text_str(&headers)));
        /* Since CUDA 13 the C++ core libraries (<cuda/...>) live in a folder of their own. */
        vec_push(&job->folders, arena_printf(&job->arena, "%s/cccl", text_str(&headers)));
    }
    text_free(&headers);
}

/* --frandom-seed makes the names of local symbols, and so the PTX, the same on every compile. */
static void job_options(build_job *job, const build_options *o)
{
    vec_push(&job->options, arena_printf(&job->arena, "--gpu-architecture=%s", o->arch));
    vec_push(&job->options, "--std=c++17");
    if (job->nvrtc.major >= 13) {
        vec_push(&job->options, "--minimal");
        vec_push(&job->options, "--frandom-seed=1");
    }
    if (o->want_line_info)
        vec_push(&job->options, "--generate-line-info");
    for (size_t i = 0; i < job->folders.len; i++)
        vec_push(&job->options, arena_printf(&job->arena, "--include-path=%s", job->folders.at[i]));
    for (size_t i = 0; i < o->extra_count; i++)
        vec_push(&job->options, o->extra[i]);
}

static bool job_hash(build_job *job, const char *name, const char *source, uint64_t *hash)
{
    *hash = hash_text(hash_text(*hash, name), source);
    const int version[2] = {job->nvrtc.major, job->nvrtc.minor};
    *hash = hash_bytes(*hash, version, sizeof version);
    for (size_t i = 0; i < job->options.len; i++)
        *hash = hash_text(*hash, job->options.at[i]);
    return includes_hash(source, job->folders.at, job->folders.len, hash);
}

/* False when the headers cannot be told, which makes the result one that must not be kept. */
static bool job_key(build_job *job, const char *name, const char *source, cache_key *key)
{
    key->half[0] = HASH_SEED;
    key->half[1] = ~HASH_SEED;
    return job_hash(job, name, source, &key->half[0]) && job_hash(job, name, source, &key->half[1]);
}

static bool job_run(build_job *job, const char *name, const char *source, const build_options *o,
                    build_output *out, text *error)
{
    cache_key key;
    bool cached = o->cache_folder && job_key(job, name, source, &key);
    if (cached && cache_load(o->cache_folder, key, out)) {
        out->from_cache = true;
        return true;
    }
    bool ok = nvrtc_compile(&job->nvrtc, name, source, job->options.at, job->options.len, out, error);
    if (ok && cached)
        cache_store(o->cache_folder, key, out);
    return ok;
}

bool build_cuda(const char *name, const char *source, const build_options *o, build_output *out, text *error)
{
    double start = clock_ms();
    *out = (build_output){0};
    build_job job = {0};
    bool ok = nvrtc_open(&job.nvrtc, error);
    out->no_compiler = !ok;
    if (ok) {
        job_folders(&job, o);
        job_options(&job, o);
        ok = job_run(&job, name, source, o, out, error);
    }
    vec_free(&job.options);
    vec_free(&job.folders);
    arena_free(&job.arena);
    out->compile_ms = clock_ms() - start;
    return ok;
}
