/* launch.c: emu_run: a grid from its launch to its result.
 *
 * Clusters start in the order of their numbers. Host threads take them one by one; a cluster that has not ended after
 * a while goes to the back of the line, so that clusters which wait for each other through global memory all
 * move, as many at a time as the device has SMs for. The first cluster by number that fails gives the result. */
#include "emu/core/core.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum {
    DEFAULT_SMS = 4,
    SLICE_INSTRUCTIONS = 1 << 20, /* a slice, usually */
    GRACE = 1 << 24,              /* instructions a cluster may still run after another one failed */
    HOST_THREADS_MAX = 64,
    HUNG_ROUNDS = 4,
    SHORT_SLICE = 1 << 11, /* where clusters take each other's work over: all shall get some */
};

/* Clusters that have started and not ended. */
typedef struct resident {
    cluster cluster;
    bool used, busy, started;
    uint64_t grace; /* instructions left, once another cluster has failed */
} resident;

typedef struct launch_state {
    grid grid;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    resident *residents;
    uint32_t resident_count, next_resident;
    uint32_t next_cluster; /* to be started */
    uint32_t running;      /* residents in use */
    uint32_t failed;       /* lowest cluster that has failed; UINT32_MAX: none */
    bool given_up;         /* all clusters spin in vain */
    uint32_t slice;        /* instructions before another cluster has its turn */
    uint32_t hung_slices;  /* slices in a row in which clusters only spun */
    emu_status status;
    text report;
    uint64_t instructions;
} launch_state;

/* ---- checks ----------------------------------------------------------------------------------------- */

static emu_status bad_launch(emu_result *result, const char *fmt, ...) PRINTF_LIKE(2, 3);
static emu_status bad_launch(emu_result *result, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    text_vprintf(&result->report, fmt, args);
    text_add(&result->report, "\n");
    va_end(args);
    return result->status = EMU_BAD_LAUNCH;
}

static const program *find_program(const emu_module *module, const char *name)
{
    program **p;
    vec_each(p, &module->programs)
        if (name && strcmp((*p)->name, name) == 0)
            return *p;
    return NULL;
}

static bool any_zero(const uint32_t dims[3])
{
    return !dims[0] || !dims[1] || !dims[2];
}

static void choose_cluster(grid *g, const emu_launch *launch, const ptx_function *f)
{
    const uint32_t one[3] = {1, 1, 1};
    bool given = !any_zero(launch->cluster), required = !any_zero(f->cluster);
    memcpy(g->cluster, given ? launch->cluster : required ? f->cluster : one, sizeof one);
    g->explicit_cluster =
        f->explicit_cluster || required || (given && memcmp(g->cluster, one, sizeof one) != 0);
}

static emu_status check_block(const grid *g, const ptx_function *f, emu_result *result)
{
    uint32_t limit = WARPS_MAX * WARP_LANES;
    if (any_zero(g->block) || g->block[0] > limit || g->block[1] > limit || g->block[2] > 64 ||
        g->threads > limit)
        return bad_launch(result, "a block of %u x %u x %u threads; 1 to 1024 are possible", g->block[0],
                          g->block[1], g->block[2]);
    if (f->max_threads && g->threads > f->max_threads)
        return bad_launch(result, "%u threads a block; %s has .maxntid %u", g->threads, f->name,
                          f->max_threads);
    if (!any_zero(f->required) && memcmp(f->required, g->block, sizeof g->block) != 0)
        return bad_launch(result, "%s requires a block of %u x %u x %u threads", f->name, f->required[0],
                          f->required[1], f->required[2]);
    return EMU_OK;
}

static emu_status check_grid(const grid *g, const ptx_function *f, emu_result *result)
{
    if (any_zero(g->cluster) || any_zero(g->grid) || g->grid[0] > INT32_MAX || g->grid[1] > UINT16_MAX ||
        g->grid[2] > UINT16_MAX || (uint64_t)g->grid[0] * g->grid[1] * g->grid[2] > UINT32_MAX)
        return bad_launch(result, "a grid of %u x %u x %u blocks", g->grid[0], g->grid[1], g->grid[2]);
    for (int i = 0; i < 3; i++)
        if (g->grid[i] % g->cluster[i])
            return bad_launch(result, "the grid's dimension %d, %u, is not a multiple of the cluster's, %u",
                              i, g->grid[i], g->cluster[i]);
    uint64_t ctas = (uint64_t)g->cluster[0] * g->cluster[1] * g->cluster[2];
    if (ctas > CLUSTER_MAX)
        return bad_launch(result, "a cluster of %llu blocks; up to %d are possible", (unsigned long long)ctas,
                          CLUSTER_MAX);
    if (!any_zero(f->cluster) && memcmp(f->cluster, g->cluster, sizeof g->cluster) != 0)
        return bad_launch(result, "%s requires clusters of %u x %u x %u blocks", f->name, f->cluster[0],
                          f->cluster[1], f->cluster[2]);
    return EMU_OK;
}

static emu_status check_memory(const grid *g, const emu_launch *launch, emu_result *result)
{
    const program *p = g->program;
    uint64_t shared = (uint64_t)p->static_shared - SHARED_RESERVED + launch->dynamic_shared_bytes;
    if (shared > SHARED_MAX)
        return bad_launch(result, "%llu bytes of shared memory; a block has up to %d",
                          (unsigned long long)shared, SHARED_MAX);
    uint64_t want = p->function->param_bytes;
    if (launch->param_bytes < want || launch->param_bytes > (want + 63) / 64 * 64 + 64)
        return bad_launch(result, "%zu bytes of parameters; %s takes %llu", launch->param_bytes, p->name,
                          (unsigned long long)want);
    return EMU_OK;
}

static emu_status check_launch(const grid *g, const emu_launch *launch, emu_result *result)
{
    const ptx_function *f = g->program->function;
    if (check_block(g, f, result) || check_grid(g, f, result) || check_memory(g, launch, result))
        return result->status;
    return EMU_OK;
}

/* ---- memory ----------------------------------------------------------------------------------------- */

static int by_address(const void *a, const void *b)
{
    const memory_block *left = a, *right = b;
    return (left->address > right->address) - (left->address < right->address);
}

/* The blocks that exist now: those of the machine and of the module. */
static memory_map snapshot(const emu_machine *m, const emu_module *module)
{
    memory_map map = {base_alloc(sizeof(memory_block) * (m->blocks.len + module->blocks.len)), 0};
    if (m->blocks.len)
        memcpy(map.blocks, m->blocks.at, sizeof(memory_block) * m->blocks.len);
    map.count = m->blocks.len;
    const module_block *b;
    vec_each(b, &module->blocks)
        map.blocks[map.count++] =
            (memory_block){b->variable->address, b->variable->bytes, b->variable->space == PTX_CONST};
    qsort(map.blocks, map.count, sizeof(memory_block), by_address);
    return map;
}

/* ---- host threads ----------------------------------------------------------------------------------- */

static bool all_started(const launch_state *s)
{
    return s->next_cluster >= s->grid.cluster_count || s->next_cluster > s->failed;
}

bool grid_cancel(grid *g, uint32_t *index)
{
    launch_state *s = g->state;
    pthread_mutex_lock(&s->lock);
    bool any = !all_started(s);
    if (any)
        *index = s->next_cluster++;
    pthread_mutex_unlock(&s->lock);
    return any;
}

static void seat(launch_state *s, resident *r)
{
    r->used = true;
    r->started = false;
    r->grace = GRACE;
    r->cluster.index = s->next_cluster++;
    s->running++;
}

/* A resident that can run, or a free one for a new cluster; called with the lock held. */
static resident *take(launch_state *s)
{
    for (uint32_t n = 0; n < s->resident_count; n++) {
        uint32_t i = (s->next_resident + n) % s->resident_count;
        resident *r = &s->residents[i];
        if (r->busy || (!r->used && all_started(s)))
            continue;
        s->next_resident = i + 1;
        if (!r->used)
            seat(s, r);
        r->busy = true;
        return r;
    }
    return NULL;
}

/* A cluster has ended; called with the lock held. */
static void retire(launch_state *s, resident *r)
{
    cluster *c = &r->cluster;
    s->instructions += c->instructions;
    if (c->status != EMU_OK && c->index < s->failed) {
        s->failed = c->index;
        s->status = c->status;
        text_free(&s->report);
        s->report = c->report;
        c->report = (text){0};
        atomic_store(&s->grid.stopping, true);
    }
    if (s->grid.launch->script) /* no other cluster is started */
        s->failed = 0;
    text_free(&c->report);
    r->used = false;
    s->running--;
}

/* True when the cluster has ended, or need not go on since an earlier one has failed. */
static bool run_resident(launch_state *s, resident *r)
{
    if (!r->started)
        cluster_start(&r->cluster, &s->grid, r->cluster.index);
    r->started = true;
    bool ended = cluster_run(&r->cluster, s->slice);
    if (ended || !atomic_load(&s->grid.stopping))
        return ended;
    r->grace -= r->grace < s->slice ? r->grace : s->slice;
    return r->grace == 0;
}

/* All clusters spin on each other's memory, nothing has happened for several rounds of them, and no other cluster can
 * start: nothing ever will. Called with the lock held. */
static bool all_hung(launch_state *s, const resident *r)
{
    s->hung_slices = r->cluster.hung ? s->hung_slices + 1 : 0;
    bool full = s->running == s->resident_count || all_started(s);
    s->given_up =
        s->given_up || (full && s->hung_slices > HUNG_ROUNDS * s->running * (SLICE_INSTRUCTIONS / s->slice));
    return s->given_up;
}

static void *host_thread(void *state)
{
    launch_state *s = state;
    pthread_mutex_lock(&s->lock);
    while (!(all_started(s) && s->running == 0)) {
        resident *r = take(s);
        if (!r) {
            pthread_cond_wait(&s->changed, &s->lock);
            continue;
        }
        pthread_mutex_unlock(&s->lock);
        bool ended = run_resident(s, r);
        pthread_mutex_lock(&s->lock);
        r->busy = false;
        if (!ended && all_hung(s, r)) {
            cluster_give_up(&r->cluster);
            ended = true;
        }
        if (ended)
            retire(s, r);
        pthread_cond_broadcast(&s->changed);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

static uint32_t host_threads(const launch_state *s)
{
    uint32_t threads = s->grid.launch->host_threads;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (!threads)
        threads = cores > 0 ? (uint32_t)cores : 1;
    if (threads > HOST_THREADS_MAX)
        threads = HOST_THREADS_MAX;
    return threads < s->grid.cluster_count ? threads : s->grid.cluster_count;
}

static void run_grid(launch_state *s)
{
    uint32_t threads = host_threads(s), clusters_at_once = s->grid.sm_count;
    s->resident_count = threads > clusters_at_once ? threads : clusters_at_once;
    if (s->grid.launch->script) /* the first cluster alone */
        s->resident_count = threads = 1;
    if (s->resident_count > s->grid.cluster_count)
        s->resident_count = s->grid.cluster_count;
    s->residents = base_alloc(sizeof(resident) * s->resident_count);
    memset(s->residents, 0, sizeof(resident) * s->resident_count);
    s->slice = s->grid.program->uses_clc ? SHORT_SLICE : SLICE_INSTRUCTIONS;
    /* The first wave starts as one, on a GPU: no cluster of it can be taken over. */
    for (uint32_t i = 0; i < s->resident_count && s->grid.program->uses_clc; i++)
        seat(s, &s->residents[i]);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    pthread_t helpers[HOST_THREADS_MAX];
    uint32_t started = 0;
    while (started + 1 < threads && pthread_create(&helpers[started], NULL, host_thread, s) == 0)
        started++;
    (void)host_thread(s);
    for (uint32_t i = 0; i < started; i++)
        pthread_join(helpers[i], NULL);
    for (uint32_t i = 0; i < s->resident_count; i++)
        cluster_release(&s->residents[i].cluster);
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
    free(s->residents);
}

/* ---- the face --------------------------------------------------------------------------------------- */

static void fill_grid(grid *g, const emu_launch *launch, const program *p)
{
    *g = (grid){.launch = launch, .program = p, .dynamic_shared_bytes = launch->dynamic_shared_bytes};
    memcpy(g->grid, launch->grid, sizeof g->grid);
    memcpy(g->block, launch->block, sizeof g->block);
    g->threads = g->block[0] * g->block[1] * g->block[2];
    g->sm_count = launch->sm_count ? launch->sm_count : DEFAULT_SMS;
    choose_cluster(g, launch, p->function);
}

static const uint8_t *copy_params(const emu_launch *launch, const program *p)
{
    size_t bytes =
        launch->param_bytes > p->function->param_bytes ? launch->param_bytes : p->function->param_bytes;
    uint8_t *params = base_alloc(bytes + 16);
    if (launch->param_bytes)
        memcpy(params, launch->params, launch->param_bytes);
    return params;
}

/* check_grid: dimensions are multiples of the cluster's, and all of the product's factors fit. */
static uint32_t clusters_of(const grid *g)
{
    uint32_t size = g->cluster[0] * g->cluster[1] * g->cluster[2];
    return size ? g->grid[0] * g->grid[1] * g->grid[2] / size : 0;
}

emu_status emu_run(emu_machine *m, const emu_module *module, const emu_launch *launch, emu_result *result)
{
    *result = (emu_result){0};
    const program *p = find_program(module, launch->kernel);
    if (!p)
        return bad_launch(result, "the module has no kernel %s",
                          launch->kernel ? launch->kernel : "(no name)");
    launch_state s = {.failed = UINT32_MAX};
    fill_grid(&s.grid, launch, p);
    if (check_launch(&s.grid, launch, result))
        return result->status;
    s.grid.cluster_count = clusters_of(&s.grid);
    s.grid.params = copy_params(launch, p);
    s.grid.memory = snapshot(m, module);
    s.grid.state = &s;
    run_grid(&s);
    free(s.grid.memory.blocks);
    free((void *)(uintptr_t)s.grid.params);
    if (launch->told)
        launch->told->status = s.status;
    *result = (emu_result){.status = s.status, .report = s.report, .instructions = s.instructions};
    return result->status;
}
