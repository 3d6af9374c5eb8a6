/* ww_run: a kernel built and loaded on a device. The first failure is kept; every call checks for one. */
#include "api/compile.h"
#include "api/run.h"
#include "lower/lower.h"
#include "run/bench.h"
#include "run/cublas.h"

#include <stdio.h>

static void fail(ww_run *r, const char *what)
{
    if (!r->error.len)
        text_add(&r->error, what);
}

void run_fail(ww_run *r, const char *what)
{
    fail(r, what);
}

static void fail_device(ww_run *r)
{
    fail(r, device_error(r->device));
}

static bool failed(const ww_run *r)
{
    return r->error.len > 0;
}

/* Whether the device may be used: nothing has failed, and there is one. */
static bool usable(ww_run *r)
{
    if (!failed(r) && !r->device)
        fail(r, "the run was opened without a device");
    return !failed(r);
}

bool run_usable(ww_run *r)
{
    return usable(r);
}

device_element run_element(ww_element element)
{
    static const device_element elements[] = {
        [WW_F16] = DEVICE_F16, [WW_BF16] = DEVICE_BF16, [WW_F32] = DEVICE_F32};
    return elements[element];
}

/* ---- names for the emulator's reports --------------------------------------------------------------- */

static void name_device(ww_run *r)
{
    const ir_program *p = r->kernel->program;
    arena a = {0};
    VEC(device_range_name) ranges = {0};
    VEC(device_warp_name) warps = {0};
    for (size_t i = 0; i < p->barriers.len; i++)
        for (int s = 0; p->barriers.at[i].side != IR_NAMED && s < p->barriers.at[i].stages; s++) {
            static const char *const sides[] = {[IR_FULL] = "full", [IR_EMPTY] = "empty", [IR_TURN] = "turn"};
            const ir_barrier *b = &p->barriers.at[i];
            const char *name = arena_printf(&a, "%s.%s[%d]", r->kernel->resources.at[b->resource]->name,
                                            sides[b->side], b->side == IR_TURN ? b->member : s);
            device_range_name range = {b->offset + 8 * (uint32_t)s, 8, name};
            vec_push(&ranges, range);
        }
    for (size_t i = 0; i < p->buffers.len; i++)
        for (int s = 0; p->buffers.at[i].space == IR_SHARED && s < p->buffers.at[i].stages; s++) {
            const ir_buffer *b = &p->buffers.at[i];
            const char *name =
                arena_printf(&a, "%s.%s[%d]", r->kernel->resources.at[b->resource]->name, b->name, s);
            device_range_name range = {b->offset + (uint32_t)s * b->stage_bytes, b->bytes, name};
            vec_push(&ranges, range);
        }
    for (size_t i = 0; i < p->tasks.len; i++) {
        const ir_task *t = &p->tasks.at[i];
        device_warp_name warp = {(uint32_t)t->first_warp, (uint32_t)(t->first_warp + t->warps),
                                 arena_printf(&a, "task %s", t->name)};
        vec_push(&warps, warp);
    }
    device_set_names(r->device, &(device_names){ranges.at, ranges.len, warps.at, warps.len});
    vec_free(&ranges);
    vec_free(&warps);
    arena_free(&a);
}

/* ---- opening ---------------------------------------------------------------------------------------- */

/* The emulator reads PTX, so that on it the assembler has nothing to do: the virtual architecture gives PTX alone. */
static const char *build_arch(ww_run *r)
{
    const char *arch = r->kernel->options.arch;
    if (!r->device || ww_run_on_gpu(r))
        return arch;
    return arena_printf(&r->kernel->arena, "compute_%s", arch + strlen("sm_"));
}

static void compile(ww_run *r, const char *cuda)
{
    (void)api_compile(r->kernel, build_arch(r), r->kernel->name, cuda, &r->built, &r->error);
    r->times.compile = r->built.compile_ms;
    r->times.compiled_before = r->built.from_cache;
}

static void open_device(ww_run *r, const ww_run_options *o)
{
    static const device_kind kinds[] = {
        [WW_DEVICE_AUTO] = DEVICE_AUTO, [WW_DEVICE_GPU] = DEVICE_GPU, [WW_DEVICE_EMULATOR] = DEVICE_EMU};
    static const device_order orders[] = {[WW_ASYNC_LATE] = DEVICE_ORDER_LATE,
                                          [WW_ASYNC_EARLY] = DEVICE_ORDER_EARLY,
                                          [WW_ASYNC_RANDOM] = DEVICE_ORDER_RANDOM};
    device_options options = {.kind = kinds[o->device],
                              .arch = r->kernel->options.arch,
                              .order = orders[o->async_order],
                              .seed = o->seed,
                              .host_threads = o->host_threads,
                              .check_fences = o->check_fences || o->marks,
                              .check_races = o->check_races};
    text error = {0};
    double start = clock_ms();
    r->device = device_open(&options, &error);
    if (!r->device)
        fail(r, text_str(&error));
    r->times.open = clock_ms() - start;
    text_free(&error);
}

static void load(ww_run *r)
{
    double start = clock_ms();
    r->module = device_load(r->device, &r->built.ptx, &r->built.cubin);
    if (r->module)
        name_device(r);
    else
        fail_device(r);
    r->times.load = clock_ms() - start;
}

/* For a replay: whatever rules and prover say of it. */
static const char *generate_marked(ww_run *r)
{
    const char *cuda = api_emit_marked(r->kernel);
    if (!cuda)
        fail(r, "the kernel cannot be lowered: see its diagnostics");
    return cuda;
}

/* Check, prove and emit, each timed; what an earlier call did already takes no time again. */
static const char *generate(ww_run *r)
{
    ww_kernel *k = r->kernel;
    double start = clock_ms();
    (void)ww_kernel_check(k);
    double checked = clock_ms();
    if (!k->unchecked)
        (void)ww_kernel_prove(k);
    double proved = clock_ms();
    const char *cuda = ww_kernel_emit(k);
    if (!cuda)
        fail(r, "the kernel is refused: see its diagnostics");
    r->times.check = checked - start;
    r->times.prove = proved - checked;
    r->times.emit = clock_ms() - proved;
    return cuda;
}

ww_run *ww_run_open(ww_kernel *k, const ww_run_options *options)
{
    ww_run *r = base_alloc(sizeof *r);
    *r = (ww_run){.kernel = k};
    static const ww_run_options automatic = {0};
    if (!options)
        options = &automatic;
    r->marked = options->marks;
    const char *cuda = r->marked ? generate_marked(r) : generate(r);
    bool wanted = options->device != WW_DEVICE_NONE;
    if (!failed(r) && wanted)
        open_device(r, options);
    if (!failed(r))
        compile(r, cuda);
    if (!failed(r) && wanted)
        load(r);
    return r;
}

void ww_run_close(ww_run *r)
{
    if (r->device) {
        for (size_t i = 0; i < r->blocks.len; i++)
            (void)device_free(r->device, r->blocks.at[i]);
        if (r->module)
            device_unload(r->device, r->module);
        device_close(r->device);
    }
    vec_free(&r->blocks);
    build_output_free(&r->built);
    text_free(&r->error);
    free(r);
}

/* ---- questions -------------------------------------------------------------------------------------- */

const char *ww_run_error(const ww_run *r)
{
    return failed(r) ? text_str(&r->error) : NULL;
}

const ww_run_times *ww_run_times_of(const ww_run *r)
{
    return &r->times;
}

const char *ww_run_device_name(const ww_run *r)
{
    return r->device ? device_describe(r->device)->name : "no device";
}

bool ww_run_on_gpu(const ww_run *r)
{
    return r->device && device_describe(r->device)->kind == DEVICE_GPU;
}

int ww_run_multiprocessors(const ww_run *r)
{
    return r->device ? (int)device_describe(r->device)->sm_count : 1;
}

const char *ww_run_ptx(const ww_run *r)
{
    return text_str(&r->built.ptx);
}

const void *ww_run_cubin(const ww_run *r, size_t *bytes)
{
    *bytes = r->built.cubin.len;
    return r->built.cubin.at;
}

/* ---- memory ----------------------------------------------------------------------------------------- */

uint64_t ww_run_alloc(ww_run *r, size_t bytes)
{
    size_t words = (bytes + 3) / 4;
    if (!usable(r))
        return 0;
    uint64_t address = device_alloc(r->device, words * 4);
    if (!address || !device_fill(r->device, address, UINT32_MAX, words)) {
        fail_device(r);
        return 0;
    }
    vec_push(&r->blocks, address);
    return address;
}

void ww_run_upload(ww_run *r, uint64_t to, const void *from, size_t bytes)
{
    if (usable(r) && !device_upload(r->device, to, from, bytes))
        fail_device(r);
}

void ww_run_download(ww_run *r, void *to, uint64_t from, size_t bytes)
{
    if (usable(r) && !device_download(r->device, to, from, bytes))
        fail_device(r);
}

void ww_run_tensor_map(ww_run *r, const ww_tensor_2d *t, ww_tensor_map *map)
{
    static const device_swizzle swizzles[] = {[WW_SWIZZLE_NONE] = DEVICE_SWIZZLE_NONE,
                                              [WW_SWIZZLE_32B] = DEVICE_SWIZZLE_32B,
                                              [WW_SWIZZLE_64B] = DEVICE_SWIZZLE_64B,
                                              [WW_SWIZZLE_128B] = DEVICE_SWIZZLE_128B};
    device_tensor tensor = {.element = run_element(t->element),
                            .rank = 2,
                            .address = t->address,
                            .extent = {t->cols, t->rows},
                            .stride_bytes = {t->row_bytes},
                            .box = {t->box_cols, t->box_rows},
                            .swizzle = swizzles[t->swizzle]};
    if (usable(r) && !device_tensor_map_encode(r->device, &tensor, map))
        fail_device(r);
}

/* ---- launching -------------------------------------------------------------------------------------- */

/* The promise of ww_arg: the field is at least its minimum. */
static void check_minimum(ww_run *r, const ww_bound *b, const void *params)
{
    int value;
    if (b->kind != WW_BOUND_ARGUMENT || b->offset + sizeof value > r->kernel->options.params_bytes)
        return;
    memcpy(&value, (const char *)params + b->offset, sizeof value);
    if (value >= b->min || failed(r))
        return;
    text_printf(&r->error,
                "WW%d: launch argument %s of kernel %s is %d, below the minimum that was proved, %d",
                WW_BELOW_MINIMUM, b->name, r->kernel->name, value, b->min);
}

static void check_minima(ww_run *r, const void *params)
{
    const ir_program *p = r->kernel->program;
    for (size_t t = 0; t < p->tasks.len; t++)
        for (size_t i = 0; i < p->tasks.at[t].ops.len; i++) {
            const ir_op *op = &p->tasks.at[t].ops.at[i];
            if (op->kind != IR_LOOP)
                continue;
            check_minimum(r, &op->start, params);
            check_minimum(r, &op->end, params);
            check_minimum(r, &op->stride, params);
        }
}

static void check_grid(ww_run *r, const ww_launch *l, const uint32_t cluster[3])
{
    for (int i = 0; i < 3 && !failed(r); i++)
        if (!l->grid[i] || l->grid[i] % cluster[i])
            text_printf(
                &r->error,
                "WW%d: grid (%u, %u, %u) of kernel %s: expected multiples of its cluster, (%u, %u, %u)",
                WW_BAD_VALUE, l->grid[0], l->grid[1], l->grid[2], r->kernel->name, cluster[0], cluster[1],
                cluster[2]);
}

static bool waits_for_the_grid_before(const ww_kernel *k)
{
    for (size_t t = 0; t < k->program->tasks.len; t++)
        for (size_t i = 0; i < k->program->tasks.at[t].ops.len; i++)
            if (k->program->tasks.at[t].ops.at[i].kind == IR_GRIDDEP_WAIT)
                return true;
    return k->options.pdl_wait_done;
}

/* A kernel that runs beside the one before it must wait for what that one writes. */
static void check_overlap(ww_run *r, const ww_launch *l)
{
    if (!l->overlap_previous || failed(r) || waits_for_the_grid_before(r->kernel))
        return;
    text_printf(&r->error,
                "WW%d: kernel %s is to overlap the launch before it and never waits for that: expected "
                "ww_griddep_wait in a task, .pdl_wait_done, or no .overlap_previous",
                WW_PDL, r->kernel->name);
}

bool run_fill_launch(ww_run *r, const ww_launch *l, device_launch *launch)
{
    const ww_cluster *c = &r->kernel->program->cluster;
    const uint32_t cluster[3] = {(uint32_t)(c->v * c->m), (uint32_t)c->n, (uint32_t)c->k};
    check_grid(r, l, cluster);
    check_overlap(r, l);
    *launch = (device_launch){.kernel = r->kernel->name,
                              .grid = {l->grid[0], l->grid[1], l->grid[2]},
                              .block = {32 * (uint32_t)r->kernel->program->warps, 1, 1},
                              .cluster = {cluster[0], cluster[1], cluster[2]},
                              .overlap_previous = l->overlap_previous,
                              .dynamic_shared_bytes = r->kernel->smem_bytes,
                              .params = l->params,
                              .param_bytes = r->kernel->options.params_bytes};
    return !failed(r);
}

void ww_run_launch(ww_run *r, const ww_launch *l)
{
    device_launch launch;
    if (!usable(r))
        return;
    check_minima(r, l->params);
    if (!failed(r) && run_fill_launch(r, l, &launch) && !device_launch_kernel(r->device, r->module, &launch))
        fail_device(r);
}

void ww_run_wait(ww_run *r)
{
    if (usable(r) && !device_sync(r->device))
        fail_device(r);
}

/* ---- measuring -------------------------------------------------------------------------------------- */

typedef struct measured {
    ww_run *run;
    const ww_measurement *what;
    cublas *cublas;
} measured;

static bool run_ours(void *context, uint32_t set)
{
    measured *m = context;
    ww_run_launch(m->run, &m->what->launches[set]);
    return !failed(m->run);
}

static bool run_theirs(void *context, uint32_t set)
{
    measured *m = context;
    const ww_gemm *g = &m->what->peers[set];
    cublas_gemm gemm = {g->m, g->n, g->k, run_element(g->element), run_element(g->element), g->a, g->b, g->d};
    text error = {0};
    bool ok = cublas_run(m->cublas, &gemm, &error);
    if (!ok)
        fail(m->run, text_str(&error));
    text_free(&error);
    return ok;
}

unsigned ww_run_input_sets(const ww_run *r, double bytes_per_set)
{
    return r->device ? bench_input_sets(device_describe(r->device), (size_t)bytes_per_set) : 1;
}

static ww_figures figures_of(bench_figures f)
{
    return (ww_figures){f.median_ms, f.min_ms, f.p90_ms};
}

/* The peer, or NULL with why there is none. */
static cublas *open_peer(ww_run *r, ww_measurement *m)
{
    text why_not = {0};
    m->why_no_peer = NULL;
    cublas *peer = m->peers ? cublas_open(r->device, &why_not) : NULL;
    if (!m->peers)
        m->why_no_peer = "cuBLAS has nothing like this kernel";
    else if (!peer)
        m->why_no_peer = arena_strdup(&r->kernel->arena, text_str(&why_not));
    text_free(&why_not);
    return peer;
}

void ww_run_measure(ww_run *r, ww_measurement *m)
{
    if (!usable(r))
        return;
    measured context = {r, m, open_peer(r, m)};
    bench_subject subjects[] = {{"ours", run_ours, &context}, {"cuBLAS", run_theirs, &context}};
    bench_figures figures[ARRAY_LEN(subjects)] = {{0}};
    bench_options options = {m->sets, m->warm_up, m->repetitions};
    if (!bench_compare(r->device, subjects, context.cublas ? 2 : 1, &options, figures) && !failed(r))
        fail_device(r);
    m->ours = figures_of(figures[0]);
    m->theirs = figures_of(figures[1]);
    if (context.cublas)
        cublas_close(context.cublas);
}
