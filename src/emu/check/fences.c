/* fences.c: see fences.h. */
#include "emu/check/fences.h"
#include "emu/check/races.h"

/* Who did something to memory. */
typedef struct trace {
    size_t step; /* of the script, plus 1 */
    uint32_t pc;
    uint8_t rank, warp;
} trace;

typedef struct granule {
    uint32_t fences; /* proxy fences when it was written, plus 1; 0: by no thread */
    trace by;
} granule;

typedef struct access {
    uint64_t time; /* 0: none */
    trace by;
} access;

typedef struct column_part {
    access written, read; /* the last ones */
} column_part;

typedef struct warp_fences {
    uint64_t before[FENCE_BEFORES]; /* times of the last ones, a ring */
    uint32_t befores;
    uint64_t after; /* of the last one */
} warp_fences;

typedef struct cta_fences {
    uint32_t proxy;
    granule *granules;
    column_part *columns; /* [column][part]; NULL: there is no tensor memory */
    warp_fences *warps;
} cta_fences;

typedef struct fence_state {
    uint64_t time; /* counts accesses to tensor memory and its fences */
    cta_fences ctas[CLUSTER_MAX];
    text told; /* of the last finding */
} fence_state;

static cta_fences *of_cta(const cta *c)
{
    return &c->cluster->fences->ctas[c->rank];
}

static warp_fences *of_warp(const warp *w)
{
    return &of_cta(w->cta)->warps[w->index];
}

static void *zeros(size_t bytes)
{
    void *p = base_alloc(bytes);
    memset(p, 0, bytes);
    return p;
}

void fences_start(cluster *c)
{
    if (!c->grid->launch->check_fences)
        return;
    c->fences = zeros(sizeof *c->fences);
    for (uint32_t i = 0; i < c->cta_count; i++) {
        const cta *at = &c->ctas[i];
        cta_fences *f = &c->fences->ctas[i];
        f->granules = zeros(sizeof(granule) * (at->shared_bytes / FENCE_GRANULE + 1));
        f->columns = at->tmem.words ? zeros(sizeof(column_part) * TMEM_COLUMNS * FENCE_PARTS) : NULL;
        f->warps = zeros(sizeof(warp_fences) * at->warp_count);
    }
}

void fences_free(cluster *c)
{
    for (uint32_t i = 0; c->fences && i < CLUSTER_MAX; i++) {
        free(c->fences->ctas[i].granules);
        free(c->fences->ctas[i].columns);
        free(c->fences->ctas[i].warps);
    }
    if (c->fences)
        text_free(&c->fences->told);
    free(c->fences);
    c->fences = NULL;
}

/* The instruction that a warp is at; pc is that of the next one. */
static trace trace_of(const warp *w, size_t step)
{
    return (trace){step, w->pc - 1, (uint8_t)w->cta->rank, (uint8_t)w->index};
}

/* ---- what is told -------------------------------------------------------------------------------------- */

/* Who did it before: "warp 3 (task fill) wrote that\n    line 57: st.shared.u32 ..." */
static void tell_who(const cluster *c, const trace *by, const char *did, text *out)
{
    report_warp(&c->ctas[by->rank].warps[by->warp], out);
    text_printf(out, " %s\n    ", did);
    report_line(&c->ctas[by->rank].warps[by->warp], by->pc, out);
}

/* A script asks for two of its steps; without one it is a fault. */
static void stale(warp *w, const cta *c, const trace *by, emu_touch where)
{
    script_unfenced(w, c, by->step, where);
    if (!CLUSTER(w)->script.script)
        warp_fault(w, "X-PROXY-STALE: %s", text_str(&CLUSTER(w)->fences->told));
}

/* ---- shared memory ------------------------------------------------------------------------------------- */

/* The CTA whose shared memory the host has there, and where in it; NULL: none. */
static const cta *cta_at(const warp *w, const uint8_t *at, uint32_t *offset)
{
    const cluster *c = CLUSTER(w);
    for (uint32_t i = 0; i < c->cta_count; i++) {
        const cta *to = &c->ctas[(w->cta->rank + i) % c->cta_count]; /* most often one's own */
        uintptr_t from_start = (uintptr_t)at - (uintptr_t)to->shared;
        if (from_start < to->shared_bytes) {
            *offset = (uint32_t)from_start;
            return to;
        }
    }
    return NULL;
}

void fences_written(const warp *w, size_t step, uint32_t mask, uint8_t *const *at, uint32_t bytes)
{
    const trace by = trace_of(w, step);
    EACH_LANE(mask)
    {
        uint32_t offset;
        const cta *to = cta_at(w, at[lane], &offset);
        if (!to)
            continue;
        cta_fences *f = of_cta(to);
        for (uint32_t g = offset / FENCE_GRANULE; g * FENCE_GRANULE < offset + bytes; g++)
            f->granules[g] = (granule){f->proxy + 1, by};
    }
}

void fences_proxy(const warp *w, bool all_ctas)
{
    const cluster *c = CLUSTER(w);
    for (uint32_t rank = 0; rank < c->cta_count; rank++)
        if (all_ctas || rank == w->cta->rank)
            c->fences->ctas[rank].proxy++;
}

static void tell_granule(warp *w, const cta *c, uint32_t offset, const granule *g, const char *doing)
{
    text *told = &CLUSTER(w)->fences->told;
    text_free(told);
    text_printf(told, "%s shared memory ", doing);
    report_shared_address(c, offset, told);
    if (CLUSTER(w)->cta_count > 1)
        text_printf(told, " of CTA rank %u", c->rank);
    text_add(told, ", and no thread of that CTA has executed fence.proxy.async since ");
    tell_who(CLUSTER(w), &g->by, "wrote there", told);
    emu_touch where = {.cta = c->rank, .offset = offset, .bytes = FENCE_GRANULE};
    stale(w, c, &g->by, where);
}

void fences_engine(warp *w, const cta *c, uint32_t offset, uint32_t bytes, const char *doing)
{
    const cta_fences *f = of_cta(c);
    uint32_t end = offset + bytes < c->shared_bytes ? offset + bytes : c->shared_bytes;
    for (uint32_t g = offset / FENCE_GRANULE; g * FENCE_GRANULE < end; g++)
        if (f->granules[g].fences == f->proxy + 1)
            tell_granule(w, c, g * FENCE_GRANULE, &f->granules[g], doing);
}

void fences_chunk(void *matrix, uint32_t address)
{
    const fences_matrix *m = matrix;
    if (address >= m->cta->shared_bytes)
        return;
    if (script_runs(CLUSTER(m->warp)))
        script_touch(m->warp, m->cta, address, FENCE_GRANULE, false, false);
    if (CLUSTER(m->warp)->fences)
        fences_engine(m->warp, m->cta, address, FENCE_GRANULE, m->doing);
    if (CLUSTER(m->warp)->races)
        races_by_pipe(m->warp, (race_pipe)m->pipe, m->cta, address, FENCE_GRANULE, false);
}

/* ---- tensor memory ------------------------------------------------------------------------------------- */

void fences_before_sync(const warp *w)
{
    warp_fences *f = of_warp(w);
    f->before[f->befores++ % FENCE_BEFORES] = ++CLUSTER(w)->fences->time;
}

void fences_after_sync(const warp *w)
{
    of_warp(w)->after = ++CLUSTER(w)->fences->time;
}

/* When the warp first fenced after that time; 0: it has not. Where that is forgotten, the time itself, as no fence after the
 * first may be taken for it. */
static uint64_t fenced_after(const warp_fences *f, uint64_t time)
{
    uint32_t kept = f->befores < FENCE_BEFORES ? f->befores : FENCE_BEFORES;
    uint64_t first = 0;
    for (uint32_t i = 1; i <= kept; i++) {
        uint64_t at = f->before[(f->befores - i) % FENCE_BEFORES];
        if (at < time)
            return first;
        first = at;
    }
    return first && kept == FENCE_BEFORES ? time : first;
}

static void tell_access(warp *w, const cta *c, const access *a, uint32_t column, const char *doing,
                        bool a_writes, bool before)
{
    text *told = &CLUSTER(w)->fences->told;
    text_free(told);
    text_printf(told, "%s column %u of tensor memory", doing, column);
    if (CLUSTER(w)->cta_count > 1)
        text_printf(told, " of CTA rank %u", c->rank);
    text_add(told, before ? ", and there is no tcgen05.fence::before_thread_sync, nor a commit, behind what "
                          : ", and its warp has executed no tcgen05.fence::after_thread_sync behind what ");
    tell_who(CLUSTER(w), &a->by, a_writes ? "wrote there" : "read there", told);
    emu_touch where = {.tensor = true, .cta = c->rank, .offset = column, .bytes = 1};
    stale(w, c, &a->by, where);
}

/* What another warp did there must be fenced by it, and then by this one. */
static void look_at_access(warp *w, const cta *c, const access *a, uint32_t column, const char *doing,
                           bool a_writes)
{
    if (!a->time || (a->by.rank == w->cta->rank && a->by.warp == w->index))
        return;
    uint64_t before = fenced_after(&CLUSTER(w)->fences->ctas[a->by.rank].warps[a->by.warp], a->time);
    if (!before || of_warp(w)->after < before)
        tell_access(w, c, a, column, doing, a_writes, !before);
}

void fences_tensor(warp *w, const cta *c, uint32_t parts, uint32_t first, uint32_t count, bool writes,
                   const char *doing)
{
    column_part *columns = of_cta(c)->columns;
    const access now = {++CLUSTER(w)->fences->time, trace_of(w, w->step)};
    for (uint32_t column = first; column < first + count && column < TMEM_COLUMNS; column++)
        for (uint32_t part = 0; part < FENCE_PARTS; part++) {
            column_part *p = &columns[column * FENCE_PARTS + part];
            if (!(parts >> part & 1))
                continue;
            look_at_access(w, c, &p->written, column, doing, true);
            if (writes)
                look_at_access(w, c, &p->read, column, doing, false);
            *(writes ? &p->written : &p->read) = now;
        }
}

void fences_allocated(const cta *c, uint32_t first, uint32_t count)
{
    memset(&of_cta(c)->columns[first * FENCE_PARTS], 0, sizeof(column_part) * count * FENCE_PARTS);
}
