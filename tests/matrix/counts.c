/* counts: arrivals and bytes that the author states. The right ones are computed here by the formulas of
 * the pipeline types; one more is refused. */
#include "matrix.h"
#include "matrix_params.h"

enum {
    LANES = 32,
    RING_STAGES = 2,
    STAGE_BYTES = 2 * MATRIX_TILE_BYTES,
    RESPONSE_BYTES = 16,
    QUEUE_WARPS = 4, /* of the tasks of kernel.c that take tiles: 2, 1 and the scheduler's */
};

static const ww_cluster clusters[] = {{1, 1, 1, 1}, {2, 1, 1, 1}, {1, 2, 1, 1}, {1, 2, 2, 1}, {2, 2, 1, 1}};

/* As kernel.c makes its tasks, without strides and leaders. */
static uint32_t warps_of(agent who)
{
    return who == AGENT_WGMMA ? 4 : who == AGENT_UMMA || who == AGENT_PEER || who == AGENT_FETCH ? 1 : 2;
}

/* CTAs whose copies land in mine: all that multicast tile A along n, tile B along m, and I. */
static uint32_t peers_of(const form *f)
{
    int along_n = f->share_a ? f->cluster.n : 1, along_m = f->share_b ? f->cluster.m : 1;
    return (uint32_t)(along_n + along_m - 1);
}

/* ---- right counts -------------------------------------------------------------------------------- */

/* Of one side in one CTA. Bytes are announced by one warp, and tcgen05.commit by one lane. */
static uint32_t of_cta(arrive_by by, uint32_t warps)
{
    return by == BY_THREADS ? LANES * warps : by == BY_WARPS ? warps : 1;
}

/* CTAs that arrive at one barrier. Tensor cores act in leaders, whose commits go to both; the queue's rank 0
 * announces to all. */
static uint32_t ctas_at(const form *f, arrival a)
{
    switch (a.to) {
    case TO_LEADER: return a.by == BY_EXPECT ? 1 : (uint32_t)f->cluster.v;
    case TO_PEERS: return peers_of(f);
    case TO_FIRST: return (uint32_t)form_cluster_size(f);
    default: return 1;
    }
}

static uint32_t full_arrivals(const form *f)
{
    arrival a = type_full(f->pipeline.type);
    return of_cta(a.by, warps_of(type_producer(f->pipeline.type))) * ctas_at(f, a);
}

static uint32_t empty_arrivals(const form *f)
{
    arrival a = type_empty(f->pipeline.type);
    bool queue = f->pipeline.type == WW_CLC_FETCH_ASYNC;
    return of_cta(a.by, queue ? QUEUE_WARPS : warps_of(type_consumer(f->pipeline.type))) * ctas_at(f, a);
}

static uint32_t stage_bytes(const form *f)
{
    switch (type_producer(f->pipeline.type)) {
    case AGENT_TMA: return STAGE_BYTES * (f->pipeline.type == WW_TMA_UMMA ? (uint32_t)f->cluster.v : 1);
    case AGENT_PEER: return STAGE_BYTES;
    case AGENT_FETCH: return RESPONSE_BYTES;
    default: return 0;
    }
}

/* ---- rows ------------------------------------------------------------------------------------------ */

static void declare(ww_kernel *k, const row *r)
{
    kernel_declare(k, &r->forms[0]);
}

static void add(row_list *rows, const form *f, const char *what, ww_code expected)
{
    row r = {.arch = f->arch, .cluster = f->cluster, .declare = declare, .forms = {*f}};
    if (expected != WW_NO_CODE)
        codes_add(&r.expected.codes, expected);
    const ww_cluster *c = &f->cluster;
    text_printf(&r.name, "%s, cluster (%d,%d,%d,%d)%s%s, stated %s, %s", type_label(f->pipeline.type), c->v,
                c->m, c->n, c->k, f->share_a ? ", A multicast" : "", f->share_b ? ", B multicast" : "", what,
                f->arch);
    vec_push(rows, r);
}

static void add_arrivals(row_list *rows, const form *f)
{
    form stated = *f;
    stated.pipeline.producer_arrivals = full_arrivals(f);
    stated.pipeline.consumer_arrivals = empty_arrivals(f);
    add(rows, &stated, "arrivals", WW_NO_CODE);
    stated.pipeline.producer_arrivals++;
    add(rows, &stated, "one producer's arrival too many", WW_ARRIVALS);
    stated.pipeline.producer_arrivals--;
    stated.pipeline.consumer_arrivals++;
    add(rows, &stated, "one consumer's arrival too many", WW_ARRIVALS);
}

static void add_bytes(row_list *rows, const form *f)
{
    form stated = *f;
    stated.pipeline.tx_bytes = stage_bytes(f);
    if (stated.pipeline.tx_bytes)
        add(rows, &stated, "bytes", WW_NO_CODE);
    stated.pipeline.tx_bytes += 16;
    add(rows, &stated, "16 bytes too many", WW_TX_BYTES);
    bool declared = !stage_bytes(f); /* a type without bytes says so at once */
    rows->at[rows->len - 1].expected.declared = declared;
}

/* What one warp brings to a barrier, where copies stay at home. */
static void add_bytes_per_warp(row_list *rows, const form *f)
{
    form stated = *f;
    if (!type_offers(f->pipeline.type, OFFERS_BYTES) || f->share_a || f->share_b ||
        f->pipeline.type == WW_CLC_FETCH_ASYNC)
        return;
    stated.pipeline.bytes_per_warp_per_cta = STAGE_BYTES;
    add(rows, &stated, "bytes of a warp", WW_NO_CODE);
    stated.pipeline.bytes_per_warp_per_cta = STAGE_BYTES / 2;
    add(rows, &stated, "half the bytes of a warp", WW_TX_BYTES);
}

static void add_form(row_list *rows, const form *f)
{
    add_arrivals(rows, f);
    add_bytes(rows, f);
    add_bytes_per_warp(rows, f);
}

/* Where warps release, an author may have all their threads do it: in one CTA. */
static void add_all_threads(row_list *rows, const form *f)
{
    form stated = *f;
    if (f->pipeline.type != WW_TMA_ASYNC || form_cluster_size(f) > 1)
        return;
    stated.pipeline.consumer_arrivals = LANES * empty_arrivals(f);
    add(rows, &stated, "an arrival of every consuming thread", WW_NO_CODE);
}

static void add_type(row_list *rows, ww_pipeline_type type, ww_cluster cluster)
{
    form f = {.arch = arch_for(type, cluster.v),
              .cluster = cluster,
              .counter = true,
              .pipeline = {.type = type, .stages = RING_STAGES}};
    if (!f.arch || (form_cluster_size(&f) > 1 && !arch_has(f.arch, ARCH_CLUSTER)) ||
        (type_producer(type) == AGENT_PEER && form_cluster_size(&f) == 1))
        return;
    add_form(rows, &f);
    add_all_threads(rows, &f);
    f.share_a = cluster.n > 1;
    f.share_b = cluster.m > 1;
    if (type_offers(type, OFFERS_MULTICAST) && (f.share_a || f.share_b))
        add_form(rows, &f);
}

void rows_add_counts(row_list *rows)
{
    for (int type = WW_ASYNC_ASYNC; type <= WW_PEER_ASYNC; type++)
        for (size_t i = 0; i < ARRAY_LEN(clusters); i++)
            add_type(rows, (ww_pipeline_type)type, clusters[i]);
}
