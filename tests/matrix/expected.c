/* expected: what ought to come of a combination, reason by reason.
 *
 * Each reason is a function of its own: the construction checks of a pipeline (which member a type
 * offers, ranges, strides), what an architecture has, and what the gates of signalling mean to the CTAs
 * that they leave out. Tables are those of the public headers; nothing here calls the library. */
#include "matrix.h"

#include <stdio.h>

/* ---- the public tables ----------------------------------------------------------------------------- */

enum {
    BYTES = OFFERS_BYTES,
    LOAD = OFFERS_LOAD,
    WAIT_AHEAD = OFFERS_WAIT_AHEAD,
    ACQUIRE_AHEAD = OFFERS_ACQUIRE_AHEAD,
    STRIDE_IN = OFFERS_STRIDE_IN,
    STRIDE_OUT = OFFERS_STRIDE_OUT,
    MULTICAST = OFFERS_MULTICAST,
    WAIT_SIGNALS = OFFERS_WAIT_SIGNALS,
    WARP_LEADER = OFFERS_WARP_LEADER,
    SHIFT = OFFERS_SHIFT,
};

enum {
    MBARRIER = ARCH_MBARRIER,
    BULK = ARCH_BULK,
    CLUSTERS = ARCH_CLUSTER,
    WGMMA = ARCH_WGMMA,
    TCGEN05 = ARCH_TCGEN05,
    CLC = ARCH_CLC,
    CLC_MULTICAST = ARCH_CLC_MULTICAST,
    SETMAXNREG = ARCH_SETMAXNREG,
};

static const struct type_facts {
    const char *label;
    agent producer, consumer;
    arrival full, empty;
    unsigned options, needs;
} types[] = {
#define WW_PIPELINE(name, label, producer, consumer, full_verb, full_by, full_to, empty_by, empty_to,        \
                    options, needs)                                                                          \
    [WW_##name] = {label,                                                                                    \
                   AGENT_##producer,                                                                         \
                   AGENT_##consumer,                                                                         \
                   {BY_##full_by, TO_##full_to},                                                             \
                   {BY_##empty_by, TO_##empty_to},                                                           \
                   (options),                                                                                \
                   ARCH_##needs},
#include "warpwright/pipelines.def"
#undef WW_PIPELINE
};

#define CLUSTER CLUSTERS /* the feature here, the dimension elsewhere */
static const struct arch_facts {
    const char *name;
    unsigned features;
} archs[] = {
#define WW_ARCH(name, smem_bytes, features) {name, (features)},
#include "warpwright/archs.def"
#undef WW_ARCH
};
#undef CLUSTER

bool type_offers(ww_pipeline_type type, unsigned option)
{
    return types[type].options & option;
}

agent type_producer(ww_pipeline_type type)
{
    return types[type].producer;
}

agent type_consumer(ww_pipeline_type type)
{
    return types[type].consumer;
}

arrival type_full(ww_pipeline_type type)
{
    return types[type].full;
}

arrival type_empty(ww_pipeline_type type)
{
    return types[type].empty;
}

const char *type_label(ww_pipeline_type type)
{
    return types[type].label;
}

bool arch_has(const char *arch, unsigned features)
{
    for (size_t i = 0; i < ARRAY_LEN(archs); i++)
        if (strcmp(archs[i].name, arch) == 0)
            return (archs[i].features & features) == features;
    return false;
}

bool arch_has_type(const char *arch, ww_pipeline_type type)
{
    return arch_has(arch, types[type].needs);
}

int arch_count(void)
{
    return (int)ARRAY_LEN(archs);
}

const char *arch_name(int index)
{
    return archs[index].name;
}

const char *arch_for(ww_pipeline_type type, int v)
{
    for (size_t i = 0; i < ARRAY_LEN(archs); i++)
        if (arch_has_type(archs[i].name, type) && arch_has(archs[i].name, v > 1 ? TCGEN05 : 0))
            return archs[i].name;
    return NULL;
}

/* ---- sets of codes --------------------------------------------------------------------------------- */

bool codes_have(const code_set *set, ww_code code)
{
    for (int i = 0; i < set->count; i++)
        if (set->at[i] == code)
            return true;
    return false;
}

void codes_add(code_set *set, ww_code code)
{
    if (!codes_have(set, code) && set->count < MOST_CODES)
        set->at[set->count++] = code;
}

void codes_text(const code_set *set, text *out)
{
    for (int i = 0; i < set->count; i++)
        text_printf(out, "%sWW%d %s", i ? ", " : "", (int)set->at[i], ww_code_name(set->at[i]));
    if (!set->count)
        text_add(out, "legal");
}

/* ---- strides, signalling: as the pipeline says them ------------------------------------------------ */

static int stride(int own, int all)
{
    int given = own ? own : all;
    return given > 1 ? given : 1;
}

typedef struct four {
    int acquire, commit, wait, release;
} four;

static four strides_of(const form *f)
{
    const ww_stride *s = &f->pipeline.stride;
    return (four){stride(s->acquire, s->all), stride(s->commit, s->all), stride(s->wait, s->all),
                  stride(s->release, s->all)};
}

int form_stride_in(const form *f)
{
    four s = strides_of(f);
    return s.acquire > s.commit ? s.acquire : s.commit;
}

int form_stride_out(const form *f)
{
    four s = strides_of(f);
    return s.wait > s.release ? s.wait : s.release;
}

static bool offers(const form *f, unsigned option)
{
    return type_offers(f->pipeline.type, option);
}

static bool leads_by_warp(const form *f)
{
    return f->pipeline.producer_signaling & WW_SIGNAL_WARP_LEADER;
}

/* ---- reasons of declaring (1xx) -------------------------------------------------------------------- */

static bool lacks_unit(const form *f)
{
    return !arch_has(f->arch, types[f->pipeline.type].needs);
}

static bool lacks_clusters(const form *f)
{
    return form_cluster_size(f) > 1 && !arch_has(f->arch, CLUSTERS);
}

/* Pairs share an MMA: cta_group::2. */
static bool lacks_pairs(const form *f)
{
    return f->cluster.v > 1 && !arch_has(f->arch, TCGEN05);
}

static bool lacks_launch_control(const form *f)
{
    bool queue = f->pipeline.type == WW_CLC_FETCH_ASYNC && !f->counter;
    return queue && !arch_has(f->arch, form_cluster_size(f) > 1 ? CLC_MULTICAST : CLC);
}

static bool has_no_peer(const form *f)
{
    return types[f->pipeline.type].producer == AGENT_PEER && form_cluster_size(f) == 1;
}

/* ALL stands alone. */
static bool signals_nonsense(const form *f)
{
    int both = WW_SIGNAL_ALL | WW_SIGNAL_CTA_LEADER;
    return f->pipeline.producer_signaling == (ww_signaling)both;
}

static bool warp_leader_not_offered(const form *f)
{
    return leads_by_warp(f) && !offers(f, WARP_LEADER);
}

/* Only who announces bytes has a leading warp. */
static bool consumer_leads_by_warp(const form *f)
{
    return f->pipeline.consumer_signaling & WW_SIGNAL_WARP_LEADER;
}

static bool load_not_offered(const form *f)
{
    return f->pipeline.producer_op == WW_ASYNC_LOAD && !offers(f, LOAD);
}

static bool look_ahead_not_offered(const form *f)
{
    return (f->pipeline.advance_on_wait && !offers(f, WAIT_AHEAD)) ||
           (f->pipeline.advance_on_acquire && !offers(f, ACQUIRE_AHEAD));
}

static bool stride_not_offered(const form *f)
{
    return (form_stride_in(f) > 1 && !offers(f, STRIDE_IN)) ||
           (form_stride_out(f) > 1 && !offers(f, STRIDE_OUT));
}

static bool multicast_not_offered(const form *f)
{
    return f->pipeline.multicast != WW_MULTICAST_AUTO && !offers(f, MULTICAST);
}

static bool stride_negative(const form *f)
{
    return f->pipeline.stride.all < 0;
}

static bool stride_does_not_divide(const form *f)
{
    four s = strides_of(f);
    int n = f->pipeline.stages;
    return n % s.acquire || n % s.commit || n % s.wait || n % s.release;
}

/* Ends of a side at different strides take two cursors. */
static bool strides_need_two_cursors(const form *f)
{
    four s = strides_of(f);
    return (s.acquire != s.commit && !f->pipeline.advance_on_acquire) ||
           (s.wait != s.release && !f->pipeline.advance_on_wait);
}

/* ---- reasons of using: rules and prover ------------------------------------------------------------ */

static bool reaches_nobody(const form *f)
{
    return (f->share_a && f->cluster.n == 1) || (f->share_b && f->cluster.m == 1);
}

/* Several warps of bulk copies: a lane each, or one that announces for all; not both. */
static bool lanes_have_a_leader(const form *f)
{
    return leads_by_warp(f) && form_stride_in(f) > 1;
}

/* No task may schedule both ends where they go at different strides; ours do. */
static bool one_task_at_two_strides(const form *f)
{
    four s = strides_of(f);
    return s.acquire != s.commit || s.wait != s.release;
}

/* Where warps release to all CTAs that multicast to them, lanes are for one CTA. */
static bool lanes_between_ctas(const form *f)
{
    bool lanes = form_stride_in(f) > 1 || form_stride_out(f) > 1;
    bool warps_release = f->pipeline.type == WW_TMA_ASYNC || f->pipeline.type == WW_TMA_WGMMA;
    return warps_release && lanes && form_cluster_size(f) > 1;
}

/* A queue's tiles are fetched by rank 0: no other CTA's empty barrier is arrived at. */
static bool everyone_fetches(const form *f)
{
    ww_signaling given = f->pipeline.producer_signaling;
    bool everyone = given && !(given & WW_SIGNAL_CTA_LEADER);
    return f->pipeline.type == WW_CLC_FETCH_ASYNC && everyone && form_cluster_size(f) > 1;
}

/* Everybody reads the tile; who is not rank 0 would not wait for it. A rule may say so, or the prover. */
static bool tiles_taken_unseen(const form *f)
{
    bool leader = f->pipeline.consumer_signaling & WW_SIGNAL_CTA_LEADER;
    return f->pipeline.type == WW_CLC_FETCH_ASYNC && leader && form_cluster_size(f) > 1;
}

/* With pairs, gates leave follower CTAs out. Who waits where, and what reaches whom: */
typedef struct pair_model {
    const struct type_facts *type;
    bool produces[WW_MAX_CLUSTER]; /* acquires; work is never gated, but for tcgen05's */
    bool announces[WW_MAX_CLUSTER];
    bool consumes[WW_MAX_CLUSTER];
    bool full[WW_MAX_CLUSTER], empty[WW_MAX_CLUSTER]; /* whose barriers are arrived at */
    int size;
} pair_model;

/* What is not said: leaders where the tensor core acts, everyone else. */
static bool only_leaders(ww_signaling given, agent who)
{
    return given ? given & WW_SIGNAL_CTA_LEADER : who == AGENT_UMMA;
}

static void arrive(bool *barriers, target to, int from, int size)
{
    int leader = from / 2 * 2;
    switch (to) {
    case TO_LEADER: barriers[leader] = true; break;
    case TO_PAIR: barriers[leader] = barriers[leader + 1] = true; break;
    case TO_NEXT: barriers[(from + 1) % size] = true; break;
    case TO_PREVIOUS: barriers[(from + size - 1) % size] = true; break;
    default: barriers[from] = true;
    }
}

static pair_model pair_of(const form *f)
{
    pair_model m = {.type = &types[f->pipeline.type], .size = form_cluster_size(f)};
    bool to_umma = m.type->producer == AGENT_TMA && m.type->consumer == AGENT_UMMA;
    bool in = only_leaders(f->pipeline.producer_signaling, m.type->producer);
    bool out = only_leaders(f->pipeline.consumer_signaling, m.type->consumer);
    target full_to = f->pipeline.producer_op == WW_ASYNC_LOAD ? TO_OWN : m.type->full.to;
    target empty_to =
        m.type->empty.to == TO_PEERS && m.type->consumer == AGENT_UMMA ? TO_PAIR : m.type->empty.to;
    for (int rank = 0; rank < m.size; rank++) {
        bool leader = rank % 2 == 0;
        m.produces[rank] = to_umma || !in || leader; /* each CTA of a pair fills its half */
        m.announces[rank] = to_umma ? leader : !in || leader;
        m.consumes[rank] = !out || leader;
        if (m.announces[rank])
            arrive(m.full, full_to, rank, m.size);
        if (m.consumes[rank])
            arrive(m.empty, empty_to, rank, m.size);
    }
    return m;
}

/* Queues are apart: only rank 0 fetches, everybody takes what it fetched. */
static bool has_followers(const form *f)
{
    return f->cluster.v == 2 && f->pipeline.type != WW_CLC_FETCH_ASYNC;
}

static bool waits_for_nobody(const form *f)
{
    if (!has_followers(f))
        return false;
    pair_model m = pair_of(f);
    for (int rank = 0; rank < m.size; rank++)
        if ((m.consumes[rank] && !m.full[rank]) || (m.produces[rank] && !m.empty[rank]))
            return true;
    return false;
}

/* Work of a CTA that does not wait is not ordered with the other side. Tensor cores act in leaders alone. */
static bool works_without_waiting(const form *f)
{
    if (!has_followers(f))
        return false;
    pair_model m = pair_of(f);
    for (int rank = 0; rank < m.size; rank++)
        if ((m.type->producer != AGENT_UMMA && !m.produces[rank]) ||
            (m.type->consumer != AGENT_UMMA && !m.consumes[rank]))
            return true;
    return false;
}

/* cp.async arrives at home: a leader does not hear of what its follower loads, and reads it. */
static bool loads_unheard(const form *f)
{
    return has_followers(f) && f->pipeline.type == WW_ASYNC_UMMA && f->pipeline.producer_op == WW_ASYNC_LOAD;
}

/* tcgen05 work of a pair is its leader's to issue. */
static bool issued_by_both(const form *f)
{
    return has_followers(f) && pair_of(f).type->producer == AGENT_UMMA &&
           f->pipeline.producer_signaling == WW_SIGNAL_ALL;
}

static bool copies_unannounced(const form *f)
{
    if (!has_followers(f))
        return false;
    pair_model m = pair_of(f);
    bool copies = m.type->producer == AGENT_TMA || m.type->producer == AGENT_PEER;
    for (int rank = 0; copies && rank < m.size; rank++)
        if (m.type->consumer != AGENT_UMMA && !m.announces[rank])
            return true;
    return false;
}

/* Who multicasts into a follower must hear that it has read its stage. */
static bool releases_unheard(const form *f)
{
    if (!has_followers(f) || !(f->share_a || f->share_b))
        return false;
    pair_model m = pair_of(f);
    for (int rank = 0; rank < m.size; rank++)
        if (m.type->consumer != AGENT_UMMA && !m.consumes[rank])
            return true;
    return false;
}

/* ---- together -------------------------------------------------------------------------------------- */

static const struct {
    ww_code code;
    bool (*holds)(const form *f);
} declaring[] = {{WW_NEEDS_ARCH, lacks_unit},          {WW_NEEDS_ARCH, lacks_clusters},
                 {WW_NEEDS_ARCH, lacks_pairs},         {WW_NEEDS_ARCH, lacks_launch_control},
                 {WW_BAD_CLUSTER, has_no_peer},        {WW_BAD_VALUE, signals_nonsense},
                 {WW_OPTION, warp_leader_not_offered}, {WW_OPTION, consumer_leads_by_warp},
                 {WW_OPTION, load_not_offered},        {WW_OPTION, look_ahead_not_offered},
                 {WW_OPTION, stride_not_offered},      {WW_OPTION, multicast_not_offered},
                 {WW_OPTION, loads_unheard},           {WW_OPTION, issued_by_both},
                 {WW_STRIDE, stride_negative},         {WW_STRIDE, stride_does_not_divide},
                 {WW_STRIDE, strides_need_two_cursors}},
  use[] = {{WW_CLUSTER, reaches_nobody},
           {WW_SIGNALING, lanes_have_a_leader},
           {WW_INTERLEAVE, one_task_at_two_strides},
           {WW_INTERLEAVE, lanes_between_ctas},
           {WW_ARRIVALS, everyone_fetches},
           {WW_RACE, tiles_taken_unseen},
           {WW_SIGNALING, tiles_taken_unseen},
           {WW_ARRIVALS, waits_for_nobody},
           {WW_CLUSTER, releases_unheard},
           {WW_RACE, works_without_waiting},
           {WW_TX_BYTES, copies_unannounced}};

expectation matrix_expected(const combination *c)
{
    form f = matrix_form(c);
    expectation e = {0};
    for (size_t i = 0; i < ARRAY_LEN(declaring); i++)
        if (declaring[i].holds(&f))
            codes_add(&e.codes, declaring[i].code);
    e.declared = e.codes.count > 0;
    for (size_t i = 0; !e.declared && i < ARRAY_LEN(use); i++)
        if (use[i].holds(&f))
            codes_add(&e.codes, use[i].code);
    return e;
}
