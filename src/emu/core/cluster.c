/* cluster.c: the CTAs of a cluster from launch to end: their memory, and what a warp starts with. */
#define _POSIX_C_SOURCE 200809L
#include "emu/check/fences.h"
#include "emu/check/races.h"

/* What nobody has written reads as NaN in every float format, and as -1: a read too early shows. */
enum { POISON = 0xff };

/* Sizes of what a CTA needs, each a multiple of the alignment. */
typedef struct cta_layout {
    size_t registers, local; /* of a warp */
    size_t shared, barrier_words, tmem;
    size_t total; /* of a CTA */
    uint32_t warps, shared_bytes;
} cta_layout;

enum { MEMORY_ALIGNMENT = 1024 };

static size_t aligned(size_t bytes)
{
    return (bytes + MEMORY_ALIGNMENT - 1) / MEMORY_ALIGNMENT * MEMORY_ALIGNMENT;
}

static cta_layout layout(const grid *g)
{
    const program *p = g->program;
    uint32_t shared = g->dynamic_shared_bytes ? p->dynamic_base + g->dynamic_shared_bytes : p->static_shared;
    cta_layout l = {.warps = ceil_div(g->threads, WARP_LANES), .shared_bytes = shared};
    l.registers = aligned(p->register_bytes);
    l.local = aligned((size_t)p->local_bytes * WARP_LANES);
    l.shared = aligned(shared);
    l.barrier_words = l.shared;
    l.tmem = p->uses_tcgen05 ? sizeof(uint32_t) * TMEM_LANES * TMEM_COLUMNS : 0;
    l.total = l.shared + l.barrier_words + l.tmem + l.warps * (l.registers + l.local);
    return l;
}

static void start_warp(warp *w, cta *c, uint32_t index, uint32_t threads, uint8_t *registers, uint8_t *local)
{
    uint32_t first = index * WARP_LANES, lanes = threads - first;
    *w = (warp){.cta = c, .index = index, .local = local};
    w->file[0] = registers;
    w->file[1] = c->cluster->grid->program->constants;
    w->launched = lanes >= WARP_LANES ? ALL_LANES : (UINT32_C(1) << lanes) - 1;
    divergence_start(w);
    warp_set_specials(w);
}

static void start_cta(cta *c, const cta_layout *l, uint8_t *memory, uint32_t threads)
{
    c->shared = memory;
    c->shared_bytes = l->shared_bytes;
    c->barrier_words = (uint64_t *)(void *)(memory + l->shared);
    memory += l->shared + l->barrier_words;
    c->tmem = (tensor_memory){.words = l->tmem ? (uint32_t *)(void *)memory : NULL};
    memset(memory, POISON, l->tmem);
    memory += l->tmem;
    memset(c->shared, POISON, l->shared);
    memset(c->barrier_words, 0, l->barrier_words);
    memset(memory, POISON, l->warps * (l->registers + l->local));
    c->warps = base_alloc(sizeof(warp) * l->warps);
    c->warp_count = c->live_warps = l->warps;
    for (uint32_t i = 0; i < l->warps; i++) {
        start_warp(&c->warps[i], c, i, threads, memory, memory + l->registers);
        memory += l->registers + l->local;
    }
}

/* Clusters are numbered along x first, and so are the CTAs in one (PTX ISA, section 10, %cluster_ctarank). */
void cluster_first_cta(const grid *g, uint32_t index, uint32_t at[3])
{
    uint32_t across = g->grid[0] / g->cluster[0], down = g->grid[1] / g->cluster[1];
    at[0] = index % across * g->cluster[0];
    at[1] = index / across % down * g->cluster[1];
    at[2] = index / across / down * g->cluster[2];
}

static void place_cta(cta *c, const grid *g, uint32_t index, uint32_t rank)
{
    uint32_t at[3];
    cluster_first_cta(g, index, at);
    uint32_t within[3] = {rank % g->cluster[0], rank / g->cluster[0] % g->cluster[1],
                          rank / g->cluster[0] / g->cluster[1]};
    for (int i = 0; i < 3; i++)
        c->ctaid[i] = at[i] + within[i];
    c->linear = (c->ctaid[2] * g->grid[1] + c->ctaid[1]) * g->grid[0] + c->ctaid[0];
    c->rank = rank;
}

static uint8_t *cluster_memory(cluster *c, size_t bytes)
{
    if (bytes > c->memory_bytes) {
        void *p = NULL;
        free(c->memory);
        if (posix_memalign(&p, MEMORY_ALIGNMENT, bytes) != 0)
            base_oom(bytes);
        c->memory = p;
        c->memory_bytes = bytes;
    }
    return c->memory;
}

static void free_warps(cluster *c)
{
    for (uint32_t i = 0; i < c->cta_count; i++)
        free(c->ctas[i].warps);
    c->cta_count = 0;
}

/* c is zero, or was used for an earlier cluster, whose memory is then used again. */
void cluster_start(cluster *c, grid *g, uint32_t index)
{
    cta_layout l = layout(g);
    uint32_t count = g->cluster[0] * g->cluster[1] * g->cluster[2];
    fences_free(c);
    races_free(c);
    free_warps(c);
    arena_free(&c->script.scratch);
    uint8_t *memory = cluster_memory(c, l.total * count);
    *c = (cluster){.grid = g,
                   .index = index,
                   .cta_count = count,
                   .probe = c->probe,
                   .probe_bytes = c->probe_bytes,
                   .queue = c->queue ? c->queue : async_queue_new(),
                   .memory = c->memory,
                   .memory_bytes = c->memory_bytes};
    async_queue_clear(c->queue);
    script_start(c);
    c->random = g->launch->seed * UINT64_C(0x9e3779b97f4a7c15) + index + 1;
    for (uint32_t rank = 0; rank < count; rank++) {
        cta *at = &c->ctas[rank];
        at->cluster = c;
        place_cta(at, g, index, rank);
        start_cta(at, &l, memory + rank * l.total, g->threads);
    }
    fences_start(c);
    races_start(c);
}

void cluster_release(cluster *c)
{
    fences_free(c);
    races_free(c);
    free_warps(c);
    async_queue_free(c->queue);
    text_free(&c->report);
    arena_free(&c->script.scratch);
    free(c->probe);
    free(c->memory);
    *c = (cluster){0};
}

/* SplitMix64 (Steele, Lea and Flood): a state that counts, and a mixing function. */
uint64_t cluster_random(cluster *c)
{
    uint64_t z = c->random += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}
