/* compile: generated kernels through NVRTC to PTX, and the PTX through the assembler, many kernels a
 * translation unit. Where a unit fails, its kernels are compiled one by one to find which it is. */
#include "matrix.h"
#include "build/build.h"

enum { BATCH = 24, MOST_SHOWN = 5, MOST_LOG = 1500 };

typedef struct unit {
    const char *arch, *cuda, *what;
    uint64_t hash; /* of the CUDA */
} unit;

typedef struct compiled_count {
    const char *arch;
    size_t kernels;
} compiled_count;

struct compiler {
    arena arena;
    VEC(unit) units;
    VEC(compiled_count) compiled;
    size_t added, failures, translation_units, from_cache, cubin_bytes;
    text cache; /* its folder, if there is one */
    double nvrtc_ms, assembler_ms;
};

compiler *compiler_new(bool keep)
{
    compiler *c = base_alloc(sizeof *c);
    *c = (compiler){0};
    if (keep)
        (void)build_cache_folder(&c->cache);
    return c;
}

void compiler_free(compiler *c)
{
    vec_free(&c->units);
    vec_free(&c->compiled);
    text_free(&c->cache);
    arena_free(&c->arena);
    free(c);
}

/* The text with the kernel's name made unique. */
static const char *renamed(compiler *c, const char *cuda)
{
    static const char name[] = MATRIX_KERNEL;
    text out = {0};
    for (const char *at; (at = strstr(cuda, name)); cuda = at + strlen(name)) {
        text_add_n(&out, cuda, (size_t)(at - cuda));
        text_printf(&out, "%s_%zu", name, c->units.len);
    }
    text_add(&out, cuda);
    const char *copy = arena_strndup(&c->arena, text_str(&out), out.len);
    text_free(&out);
    return copy;
}

static bool known(const compiler *c, uint64_t hash)
{
    for (size_t i = 0; i < c->units.len; i++)
        if (c->units.at[i].hash == hash)
            return true;
    return false;
}

void compiler_add(compiler *c, const char *arch, const char *cuda, const char *what)
{
    unit u = {.arch = arch, .hash = hash_text(HASH_SEED, cuda)};
    c->added++;
    if (known(c, u.hash))
        return;
    u.cuda = renamed(c, cuda);
    u.what = arena_strdup(&c->arena, what);
    vec_push(&c->units, u);
}

/* ---- one translation unit -------------------------------------------------------------------------- */

/* To PTX alone, then to a cubin: two steps, as the two tools are two. */
static bool build(compiler *c, const char *arch, const char *source, text *error)
{
    text virtual_arch = {0}, cubin = {0};
    text_printf(&virtual_arch, "compute_%s", arch + strlen("sm_"));
    const char *folders[] = {TEST_FOLDER};
    build_options o = {.arch = text_str(&virtual_arch),
                       .include_folders = folders,
                       .include_count = 1,
                       .cache_folder = c->cache.len ? text_str(&c->cache) : NULL};
    build_output out;
    bool ok = build_cuda("matrix.cu", source, &o, &out, error);
    if (!ok && out.log.len)
        text_add(error, text_str(&out.log));
    c->nvrtc_ms += out.compile_ms;
    c->from_cache += out.from_cache;
    double start = clock_ms();
    ok = ok && build_ptxas(text_str(&out.ptx), arch, &cubin, error);
    c->assembler_ms += clock_ms() - start;
    c->cubin_bytes += cubin.len;
    build_output_free(&out);
    text_free(&virtual_arch);
    text_free(&cubin);
    return ok;
}

static void join_units(const unit *units, size_t count, text *source)
{
    for (size_t i = 0; i < count; i++)
        text_add(source, units[i].cuda);
}

static bool build_units(compiler *c, const unit *units, size_t count, text *error)
{
    text source = {0};
    join_units(units, count, &source);
    bool ok = build(c, units[0].arch, text_str(&source), error);
    c->translation_units++;
    text_free(&source);
    return ok;
}

static void count_compiled(compiler *c, const char *arch, size_t kernels)
{
    compiled_count *known;
    vec_each(known, &c->compiled)
        if (strcmp(known->arch, arch) == 0) {
            known->kernels += kernels;
            return;
        }
    compiled_count fresh = {arch, kernels};
    vec_push(&c->compiled, fresh);
}

static void find_culprits(compiler *c, const unit *units, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        text error = {0};
        if (build_units(c, &units[i], 1, &error)) {
            count_compiled(c, units[i].arch, 1);
        } else if (c->failures++ < MOST_SHOWN) {
            (void)printf("DOES NOT COMPILE: %s\n%.*s\n", units[i].what, MOST_LOG, text_str(&error));
        }
        text_free(&error);
    }
}

static void build_batch(compiler *c, const unit *units, size_t count)
{
    text error = {0};
    if (build_units(c, units, count, &error))
        count_compiled(c, units[0].arch, count);
    else
        find_culprits(c, units, count);
    text_free(&error);
}

/* ---- all ------------------------------------------------------------------------------------------- */

static int by_arch(const void *a, const void *b)
{
    return strcmp(((const unit *)a)->arch, ((const unit *)b)->arch);
}

/* Whether this NVRTC compiles at all for a virtual architecture; an old one does not know the newest. */
static bool compiles_for(const char *virtual_arch)
{
    build_output out;
    text error = {0};
    const build_options o = {.arch = virtual_arch};
    bool ok = build_cuda("probe.cu", "__global__ void probe() {}\n", &o, &out, &error);
    if (!ok)
        (void)printf("nothing is compiled for %s: %s\n", virtual_arch, text_str(&error));
    build_output_free(&out);
    text_free(&error);
    return ok;
}

static bool knows(const char *arch)
{
    text virtual_arch = {0};
    text_printf(&virtual_arch, "compute_%s", arch + strlen("sm_"));
    bool ok = compiles_for(text_str(&virtual_arch));
    text_free(&virtual_arch);
    return ok;
}

static size_t arch_end(const compiler *c, size_t first)
{
    size_t end = first + 1;
    while (end < c->units.len && strcmp(c->units.at[end].arch, c->units.at[first].arch) == 0)
        end++;
    return end;
}

static void thin_out(compiler *c, size_t step)
{
    size_t kept = 0;
    for (size_t i = 0; i < c->units.len; i += step)
        c->units.at[kept++] = c->units.at[i];
    c->units.len = kept;
}

bool compiler_run(compiler *c, size_t step)
{
    if (!compiles_for("compute_90a"))
        return false;
    (void)printf("%zu kernels emitted, of which %zu differ", c->added, c->units.len);
    thin_out(c, step);
    (void)printf("; %zu are compiled\n", c->units.len);
    if (c->units.len)
        qsort(c->units.at, c->units.len, sizeof *c->units.at, by_arch);
    for (size_t first = 0, end; first < c->units.len; first = end) {
        end = arch_end(c, first);
        if (!knows(c->units.at[first].arch))
            continue;
        for (size_t i = first; i < end; i += BATCH)
            build_batch(c, &c->units.at[i], end - i < BATCH ? end - i : BATCH);
    }
    return true;
}

size_t compiler_failures(const compiler *c)
{
    return c->failures;
}

void compiler_report(const compiler *c)
{
    if (!c->translation_units)
        return;
    (void)printf(
        "compiled and assembled in %zu translation units (%zu of them compiled by an earlier run; NVRTC "
        "%.1f s, assembler %.1f s, %zu bytes of cubin):\n",
        c->translation_units, c->from_cache, c->nvrtc_ms / 1e3, c->assembler_ms / 1e3, c->cubin_bytes);
    const compiled_count *a;
    vec_each(a, &c->compiled)
        (void)printf("    %6zu  %s\n", a->kernels, a->arch);
}
