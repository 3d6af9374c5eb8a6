/* What all warps do together: before the tasks, barriers come to life, tensor memory is allocated and the cluster's
 * constants are computed; after them, tensor memory goes back and no CTA leaves while its cluster needs it.
 *
 * All mbarriers are one array, however many pipelines they belong to: the lanes of warp 0 make them side by side. */
#include "emit/writer.h"

#include <assert.h>

enum { WARP_LANES = 32, BARRIER_BYTES = 8 };

/* ---- the cluster's constants ------------------------------------------------------------------------ */

static const struct {
    cluster_mask mask;
    const char *name, *value;
} masks[] = {
    {CLUSTER_PAIR, "pair_mask", "cluster::pair_mask(cta_rank)"},
    {CLUSTER_RELEASE_M, "release_mask_m", "cluster::release_mask_m(cta_rank)"},
    {CLUSTER_RELEASE_N, "release_mask_n", "cluster::release_mask_n(cta_rank)"},
    {CLUSTER_RELEASE_MN, "release_mask_mn", "cluster::release_mask_mn(cta_rank)"},
    {CLUSTER_SHARE_M, "share_mask_m", "cluster::tma_mask_a(cta_rank)"},
    {CLUSTER_SHARE_N, "share_mask_n", "cluster::tma_mask_b(cta_rank)"},
    {CLUSTER_SHARE_MN, "share_mask_mn", "cluster::tma_mask_a(cta_rank) | cluster::tma_mask_b(cta_rank)"},
};

const char *writer_mask(writer *w, cluster_mask mask)
{
    size_t i = 0;
    while (masks[i].mask != mask)
        i++;
    w->used |= (unsigned)mask;
    return masks[i].name;
}

static void emit_cluster_constants(writer *w)
{
    const ww_cluster *c = &w->program->cluster;
    if (!writer_clustered(w))
        return;
    writer_line(w, "const uint32_t cta_rank = ww::cluster_rank();");
    if (w->used)
        writer_line(w, "using cluster = ww::cluster_layout<%d, %d, %d, %d>;", c->v, c->m, c->n, c->k);
    for (size_t i = 0; i < ARRAY_LEN(masks); i++)
        if (w->used & (unsigned)masks[i].mask)
            writer_line(w, "const uint16_t %s = %s;", masks[i].name, masks[i].value);
}

/* ---- barriers --------------------------------------------------------------------------------------- */

/* Barriers of equal count that follow each other in the array. */
typedef struct run {
    int end; /* index of the first one after it */
    uint32_t count;
} run;

typedef struct barrier_array {
    VEC(const ir_barrier *) parts; /* by offset */
    VEC(run) runs;
} barrier_array;

static int offset_order(const void *a, const void *b)
{
    const ir_barrier *x = *(const ir_barrier *const *)a, *y = *(const ir_barrier *const *)b;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

static barrier_array barrier_array_of(const ir_program *p)
{
    barrier_array a = {0};
    const ir_barrier *b;
    vec_each(b, &p->barriers)
        if (b->side != IR_NAMED)
            vec_push(&a.parts, b);
    if (a.parts.len)
        qsort(a.parts.at, a.parts.len, sizeof(a.parts.at[0]), offset_order);
    int end = 0;
    for (size_t i = 0; i < a.parts.len; i++) {
        b = a.parts.at[i];
        assert(b->offset == a.parts.at[0]->offset + BARRIER_BYTES * (uint32_t)end);
        end += b->stages;
        if (a.runs.len && vec_last(&a.runs)->count == b->arrivals)
            vec_last(&a.runs)->end = end;
        else
            vec_push(&a.runs, ((run){end, b->arrivals}));
    }
    return a;
}

static void barrier_array_free(barrier_array *a)
{
    vec_free(&a->parts);
    vec_free(&a->runs);
}

/* "i < 6 ? 1 : i < 12 ? 8 : 128" */
static void print_count(const barrier_array *a, text *out)
{
    for (size_t i = 0; i + 1 < a->runs.len; i++)
        text_printf(out, "i < %d ? %u : ", a->runs.at[i].end, a->runs.at[i].count);
    text_printf(out, "%u", vec_last(&a->runs)->count);
}

static void emit_by_lanes(writer *w, const barrier_array *a)
{
    writer_line(w, "for (uint32_t i = lane; i < %d; i += %d)", vec_last(&a->runs)->end, WARP_LANES);
    text *line = writer_begin(w);
    text_printf(line, "    ww::mbarrier_init(smem_base + %s_map::ww_barriers + %d * i, ",
                w->program->kernel->name, BARRIER_BYTES);
    print_count(a, line);
    writer_end(w, ");");
    writer_line(w, "ww::fence_mbarrier_init();");
}

static void emit_by_one_lane(writer *w, const barrier_array *a)
{
    int from = 0;
    writer_open(w, "if (ww::elect_one())");
    for (size_t i = 0; i < a->runs.len; i++) {
        writer_line(w, "for (uint32_t i = %d; i < %d; i++)", from, a->runs.at[i].end);
        writer_line(w, "    ww::mbarrier_init(smem_base + %s_map::ww_barriers + %d * i, %u);",
                    w->program->kernel->name, BARRIER_BYTES, a->runs.at[i].count);
        from = a->runs.at[i].end;
    }
    writer_line(w, "ww::fence_mbarrier_init();");
    writer_close(w);
}

/* Hopper initialises barriers through uniform registers, so that ptxas would turn lanes side by side into lanes one after
 * the other, with a fence each; there one lane makes all. */
static void emit_barriers(writer *w)
{
    barrier_array a = barrier_array_of(w->program);
    bool uniform = model_arch_of(w->program->kernel->options.arch)->features & MODEL_WGMMA_UNIT;
    if (a.parts.len && uniform)
        emit_by_one_lane(w, &a);
    else if (a.parts.len)
        emit_by_lanes(w, &a);
    barrier_array_free(&a);
}

/* ---- before the tasks ------------------------------------------------------------------------------- */

/* tcgen05.alloc is executed by a converged warp, with a pair of CTAs by one of each. */
static void emit_tmem_alloc(writer *w)
{
    const ww_kernel *k = w->program->kernel;
    writer_line(w, "ww::syncwarp();");
    writer_line(w, "ww::tcgen05_alloc<%d>(smem_base + %s_map::ww_tmem_slot, %d);", w->program->cluster.v,
                k->name, k->tmem_columns);
    writer_line(w, "ww::tcgen05_relinquish<%d>();", w->program->cluster.v);
}

/* A relaxed arrival is enough for barriers, which their fence has released; the address of tensor memory is not. */
static void emit_setup_sync(writer *w)
{
    bool tmem = w->program->kernel->tmem_columns > 0;
    if (tmem)
        writer_line(w, "ww::tcgen05_fence_before_thread_sync();");
    if (writer_clustered(w)) {
        writer_line(w, tmem ? "ww::cluster_arrive();" : "ww::cluster_arrive_relaxed();");
        writer_line(w, "ww::cluster_wait(); // no warp of the cluster touches a barrier before it exists");
    } else {
        writer_line(w, "__syncthreads(); // no warp touches a barrier before it exists");
    }
    if (tmem)
        writer_line(w, "ww::tcgen05_fence_after_thread_sync();");
}

void emit_setup(writer *w)
{
    const ww_kernel *k = w->program->kernel;
    emit_cluster_constants(w);
    text_add(w->out, "\n");
    if (!writer_has_mbarriers(w) && !k->tmem_columns)
        return;
    writer_open(w, "if (warp == 0)");
    emit_barriers(w);
    if (k->tmem_columns)
        emit_tmem_alloc(w);
    writer_close(w);
    emit_setup_sync(w);
    if (k->tmem_columns)
        writer_line(w,
                    "const uint32_t tmem_base = *reinterpret_cast<const uint32_t *>(ww_smem + "
                    "%s_map::ww_tmem_slot);",
                    k->name);
    text_add(w->out, "\n");
}

/* ---- after the tasks -------------------------------------------------------------------------------- */

void emit_teardown(writer *w)
{
    const ww_kernel *k = w->program->kernel;
    bool tmem = k->tmem_columns > 0;
    if (!tmem && !writer_clustered(w))
        return;
    text_add(w->out, "\n");
    if (tmem)
        writer_line(w, "ww::tcgen05_fence_before_thread_sync();");
    if (writer_clustered(w)) {
        writer_line(w, "ww::cluster_arrive();");
        writer_line(w,
                    "ww::cluster_wait(); // peers may still arrive at our barriers or copy into our memory");
    } else {
        writer_line(w, "__syncthreads(); // all are done with tensor memory");
    }
    if (!tmem)
        return;
    writer_open(w, "if (warp == 0)");
    writer_line(w, "ww::tcgen05_fence_after_thread_sync();");
    writer_line(w, "ww::tcgen05_dealloc<%d>(tmem_base, %d);", w->program->cluster.v, k->tmem_columns);
    writer_close(w);
}
