/* The fields of a pipeline: which of them its type offers, their ranges, their defaults. Tables say which member
 * belongs to which option. What takes the schedules to judge (counts, bytes, lanes) is left to the rules. */
#include "model/model.h"

/* ---- defaults ----------------------------------------------------------------------------------------- */

int model_stride(const ww_pipeline *p, model_end end)
{
    const int own[] = {[MODEL_END_ACQUIRE] = p->stride.acquire,
                       [MODEL_END_COMMIT] = p->stride.commit,
                       [MODEL_END_WAIT] = p->stride.wait,
                       [MODEL_END_RELEASE] = p->stride.release};
    int stride = own[end] ? own[end] : p->stride.all;
    return stride > 1 ? stride : 1;
}

ww_signaling model_signaling(const ww_pipeline *p, model_end end)
{
    ww_signaling given = p->consumer_signaling;
    if (end == MODEL_END_ACQUIRE || end == MODEL_END_COMMIT)
        given = p->producer_signaling;
    else if (end == MODEL_END_WAIT && p->wait_signaling)
        given = p->wait_signaling;
    if (given)
        return given;
    const model_protocol *protocol = model_protocol_of(p->type);
    bool producer = end == MODEL_END_ACQUIRE || end == MODEL_END_COMMIT;
    bool pair = protocol->full_to == MODEL_TO_LEADER || protocol->full_to == MODEL_TO_PAIR;
    model_agent agent = producer ? protocol->producer : protocol->consumer;
    if (agent == MODEL_FETCH && producer)
        return WW_SIGNAL_CTA_LEADER;
    return pair && agent == MODEL_UMMA ? WW_SIGNAL_CTA_LEADER : WW_SIGNAL_ALL;
}

/* TmaUmma's producers wait in every CTA, for each fills its own half; only the announcement is the leader's, and that is
 * not for signalling to say. */
model_gate model_gate_of(const ww_pipeline *p, model_end end)
{
    const model_protocol *protocol = model_protocol_of(p->type);
    bool producer = end == MODEL_END_ACQUIRE || end == MODEL_END_COMMIT;
    if (!(model_signaling(p, end) & WW_SIGNAL_CTA_LEADER))
        return MODEL_EVERYWHERE;
    if (protocol->producer == MODEL_FETCH)
        return producer ? MODEL_RANK_0 : MODEL_EVERYWHERE;
    return producer && protocol->producer == MODEL_TMA && protocol->consumer == MODEL_UMMA ? MODEL_EVERYWHERE
                                                                                           : MODEL_LEADERS;
}

/* ---- whose barriers and cursors ------------------------------------------------------------------------ */

const ww_resource *model_full_owner(const ww_resource *r)
{
    return r->in_group && r->in_group->mode != WW_MERGE ? r->in_group : r;
}

const ww_resource *model_empty_owner(const ww_resource *r)
{
    return r->in_group && r->in_group->mode != WW_FORK ? r->in_group : r;
}

const ww_resource *model_produce_owner(const ww_resource *r)
{
    return r->in_group && r->in_group->mode == WW_FORK ? r->in_group : r;
}

const ww_resource *model_consume_owner(const ww_resource *r)
{
    return r->in_group && r->in_group->mode != WW_FORK ? r->in_group : r;
}

/* ---- members against the type -------------------------------------------------------------------------- */

static bool strides_in(const ww_pipeline *p)
{
    return model_stride(p, MODEL_END_ACQUIRE) > 1 || model_stride(p, MODEL_END_COMMIT) > 1;
}

static bool strides_out(const ww_pipeline *p)
{
    return model_stride(p, MODEL_END_WAIT) > 1 || model_stride(p, MODEL_END_RELEASE) > 1;
}

static bool loads(const ww_pipeline *p)
{
    return p->producer_op != WW_ASYNC_THREAD;
}

static bool shifts(const ww_pipeline *p)
{
    return p->peer_shift != 0;
}

static bool multicasts(const ww_pipeline *p)
{
    return p->multicast > WW_MULTICAST_NONE;
}

static bool waits_apart(const ww_pipeline *p)
{
    return p->wait_signaling != WW_SIGNAL_DEFAULT;
}

static bool leads_by_warp(const ww_pipeline *p)
{
    return p->producer_signaling & WW_SIGNAL_WARP_LEADER;
}

static bool counts_bytes(const ww_pipeline *p)
{
    return p->bytes_per_warp_per_cta != 0;
}

static bool waits_ahead(const ww_pipeline *p)
{
    return p->advance_on_wait;
}

static bool acquires_ahead(const ww_pipeline *p)
{
    return p->advance_on_acquire;
}

static const struct {
    model_option option;
    bool (*given)(const ww_pipeline *p);
    const char *member;
} offered[] = {
    {MODEL_OPTION_BYTES, counts_bytes, "bytes_per_warp_per_cta"},
    {MODEL_OPTION_LOAD, loads, "producer_op"},
    {MODEL_OPTION_WAIT_AHEAD, waits_ahead, "advance_on_wait"},
    {MODEL_OPTION_ACQUIRE_AHEAD, acquires_ahead, "advance_on_acquire"},
    {MODEL_OPTION_STRIDE_IN, strides_in, "stride of acquire and commit"},
    {MODEL_OPTION_STRIDE_OUT, strides_out, "stride of wait and release"},
    {MODEL_OPTION_MULTICAST, multicasts, "multicast"},
    {MODEL_OPTION_WAIT_SIGNALS, waits_apart, "wait_signaling"},
    {MODEL_OPTION_WARP_LEADER, leads_by_warp, "producer_signaling with WW_SIGNAL_WARP_LEADER"},
    {MODEL_OPTION_SHIFT, shifts, "peer_shift"},
};

static void types_offering(const ww_resource *r, ww_diag *d, model_option option)
{
    text types = {0};
    for (int t = WW_NO_PIPELINE + 1; model_pipeline_known((ww_pipeline_type)t); t++)
        if (model_protocol_of((ww_pipeline_type)t)->options & option)
            text_printf(&types, "%s%s", types.len ? ", " : "", model_protocol_of((ww_pipeline_type)t)->label);
    diag_expected(&r->kernel->diags, d, "the default, or one of the types %s", text_str(&types));
    text_free(&types);
}

static void check_offered(ww_resource *r)
{
    const model_protocol *protocol = model_protocol_of(r->pipeline.type);
    for (size_t i = 0; i < ARRAY_LEN(offered); i++) {
        if (protocol->options & offered[i].option || !offered[i].given(&r->pipeline))
            continue;
        ww_diag *d = diag_add(&r->kernel->diags, WW_OPTION, r->place,
                              "resource %s: a pipeline of type %s does not offer %s", r->name,
                              protocol->label, offered[i].member);
        types_offering(r, d, offered[i].option);
        diag_found(&r->kernel->diags, d, "%s given", offered[i].member);
        diag_hint(&r->kernel->diags, d, "leave it out");
    }
}

/* cp.async arrives at a barrier of its own CTA; a leader that reads a follower's stage would not hear of it. */
static void check_pair_loads(const ww_resource *r)
{
    const model_protocol *protocol = model_protocol_of(r->pipeline.type);
    if (!loads(&r->pipeline) || protocol->full_to != MODEL_TO_LEADER || r->kernel->options.cluster.v < 2)
        return;
    diag_list *diags = &r->kernel->diags;
    ww_diag *d = diag_add(
        diags, WW_OPTION, r->place,
        "resource %s: WW_ASYNC_LOAD in a pair of CTAs, and cp.async arrives in its own CTA only", r->name);
    diag_expected(diags, d,
                  "WW_ASYNC_THREAD: the threads arrive at the pair's leader when their stores are done");
    diag_found(diags, d, "WW_ASYNC_LOAD");
    diag_hint(diags, d, "let the work wait for its cp.async and leave out .producer_op, or take TmaUmma");
}

/* PTX ISA, "tcgen05: cta_group": one CTA of a pair issues for both, and here that is the leader. */
static void check_pair_issue(const ww_resource *r)
{
    if (model_protocol_of(r->pipeline.type)->producer != MODEL_UMMA || r->kernel->options.cluster.v < 2 ||
        r->pipeline.producer_signaling != WW_SIGNAL_ALL)
        return;
    diag_list *diags = &r->kernel->diags;
    ww_diag *d =
        diag_add(diags, WW_OPTION, r->place,
                 "resource %s: both CTAs of a pair would issue the tcgen05 work that fills it", r->name);
    diag_expected(diags, d, "producer_signaling WW_SIGNAL_CTA_LEADER, or left out");
    diag_found(diags, d, "WW_SIGNAL_ALL");
    diag_hint(diags, d, "leave it out: the leader issues, and its commits arrive in both CTAs");
}

/* ---- ranges -------------------------------------------------------------------------------------------- */

static void check_signaling(ww_resource *r, const char *member, ww_signaling *given)
{
    static const ww_signaling legal[] = {WW_SIGNAL_DEFAULT, WW_SIGNAL_ALL, WW_SIGNAL_CTA_LEADER,
                                         WW_SIGNAL_WARP_LEADER,
                                         (ww_signaling)(WW_SIGNAL_CTA_LEADER | WW_SIGNAL_WARP_LEADER)};
    for (size_t i = 0; i < ARRAY_LEN(legal); i++)
        if (*given == legal[i])
            return;
    ww_diag *d = diag_add(&r->kernel->diags, WW_BAD_VALUE, r->place, "%s of the pipeline of resource %s",
                          member, r->name);
    diag_expected(&r->kernel->diags, d,
                  "WW_SIGNAL_ALL, or WW_SIGNAL_CTA_LEADER, WW_SIGNAL_WARP_LEADER or both (ALL stands alone)");
    diag_found(&r->kernel->diags, d, "%d", (int)*given);
    diag_hint(&r->kernel->diags, d, "leave it out for the type's default");
    *given = WW_SIGNAL_DEFAULT;
}

static void check_consumer_leader(ww_resource *r, const char *member, ww_signaling *given)
{
    if (!(*given & WW_SIGNAL_WARP_LEADER))
        return;
    ww_diag *d =
        diag_add(&r->kernel->diags, WW_OPTION, r->place,
                 "resource %s: WW_SIGNAL_WARP_LEADER in %s: only producers of bulk copies announce bytes",
                 r->name, member);
    diag_expected(&r->kernel->diags, d, "WW_SIGNAL_ALL or WW_SIGNAL_CTA_LEADER");
    diag_found(&r->kernel->diags, d, "%d, with WW_SIGNAL_WARP_LEADER in it", (int)*given);
    diag_hint(&r->kernel->diags, d, "leave it out, or give it to producer_signaling");
    *given = WW_SIGNAL_DEFAULT;
}

/* Of the stride of all verbs the first speaks for the others. */
static void check_one_stride(ww_resource *r, const char *verb, int *stride, model_end end)
{
    ww_pipeline *p = &r->pipeline;
    diag_list *diags = &r->kernel->diags;
    int effective = model_stride(p, end);
    bool negative = *stride < 0 || p->stride.all < 0;
    bool divides = p->stages == WW_STAGES_MAX || p->stages % effective == 0;
    if (!negative && divides)
        return;
    ww_diag *d =
        diag_add(diags, WW_STRIDE, r->place, "stride of %s of the pipeline of resource %s", verb, r->name);
    if (negative)
        diag_expected(diags, d, "at least 1 (0: 1)");
    else
        diag_expected(diags, d, "a divisor of the number of stages, %d", p->stages);
    diag_found(diags, d, "%d", negative ? (*stride < 0 ? *stride : p->stride.all) : effective);
    if (negative)
        diag_hint(diags, d, "leave it out for 1");
    else
        diag_hint(diags, d, ".stages = %d, or another stride", (p->stages / effective + 1) * effective);
    int *given = p->stride.all < 0 || !*stride ? &p->stride.all : stride;
    *given = 1;
}

static void check_stride_pair(ww_resource *r, model_end open, model_end close, bool ahead, const char *flag)
{
    static const char *const verbs[] = {[MODEL_END_ACQUIRE] = "acquire",
                                        [MODEL_END_COMMIT] = "commit",
                                        [MODEL_END_WAIT] = "wait",
                                        [MODEL_END_RELEASE] = "release"};
    int opening = model_stride(&r->pipeline, open), closing = model_stride(&r->pipeline, close);
    if (opening == closing || ahead)
        return;
    diag_list *diags = &r->kernel->diags;
    ww_diag *d = diag_add(diags, WW_STRIDE, r->place,
                          "resource %s: strides of %s and %s differ, and one cursor serves both", r->name,
                          verbs[open], verbs[close]);
    diag_expected(diags, d, "equal strides, or .%s = true", flag);
    diag_found(diags, d, "%d and %d", opening, closing);
    diag_hint(diags, d, ".stride = {%d}, for all verbs", opening > closing ? opening : closing);
}

static void check_strides(ww_resource *r)
{
    ww_stride *s = &r->pipeline.stride;
    check_one_stride(r, "acquire", &s->acquire, MODEL_END_ACQUIRE);
    check_one_stride(r, "commit", &s->commit, MODEL_END_COMMIT);
    check_one_stride(r, "wait", &s->wait, MODEL_END_WAIT);
    check_one_stride(r, "release", &s->release, MODEL_END_RELEASE);
    check_stride_pair(r, MODEL_END_ACQUIRE, MODEL_END_COMMIT, r->pipeline.advance_on_acquire,
                      "advance_on_acquire");
    check_stride_pair(r, MODEL_END_WAIT, MODEL_END_RELEASE, r->pipeline.advance_on_wait, "advance_on_wait");
}

static void check_stages(ww_resource *r)
{
    ww_pipeline *p = &r->pipeline;
    diag_list *diags = &r->kernel->diags;
    bool fills_memory = p->stages == WW_STAGES_MAX && r->buffer_count;
    if (fills_memory || (p->stages >= 1 && p->stages <= WW_MAX_STAGES))
        return;
    ww_diag *d = diag_add(diags, WW_BAD_VALUE, r->place, "stages of the pipeline of resource %s", r->name);
    diag_expected(diags, d, "1 to %d%s", WW_MAX_STAGES,
                  r->buffer_count ? ", or WW_STAGES_MAX" : " (WW_STAGES_MAX needs a buffer to size by)");
    diag_found(diags, d, "%d", p->stages);
    diag_hint(diags, d, "%s",
              r->buffer_count ? ".stages = WW_STAGES_MAX, as many as fit" : ".stages = 1 or more");
    p->stages = 1;
}

static void check_bytes(ww_resource *r)
{
    if (!r->pipeline.tx_bytes || model_protocol_of(r->pipeline.type)->full_by == MODEL_BY_EXPECT)
        return;
    diag_list *diags = &r->kernel->diags;
    ww_diag *d = diag_add(diags, WW_TX_BYTES, r->place, "resource %s: a pipeline of type %s carries no bytes",
                          r->name, model_protocol_of(r->pipeline.type)->label);
    diag_expected(diags, d, "tx_bytes = 0");
    diag_found(diags, d, "%u", r->pipeline.tx_bytes);
    diag_hint(diags, d, "leave .tx_bytes out, or take a type that bulk copies fill, such as TmaAsync");
}

static void check_enumerators(ww_resource *r)
{
    ww_pipeline *p = &r->pipeline;
    diag_list *diags = &r->kernel->diags;
    if ((unsigned)p->producer_op > WW_ASYNC_LOAD) {
        ww_diag *d =
            diag_add(diags, WW_BAD_VALUE, r->place, "producer_op of the pipeline of resource %s", r->name);
        diag_expected(diags, d, "WW_ASYNC_THREAD or WW_ASYNC_LOAD");
        diag_found(diags, d, "%d", (int)p->producer_op);
        diag_hint(diags, d, "WW_ASYNC_LOAD where the work copies by cp.async; else leave it out");
        p->producer_op = WW_ASYNC_THREAD;
    }
    if ((unsigned)p->multicast > WW_MULTICAST_MN) {
        ww_diag *d =
            diag_add(diags, WW_BAD_VALUE, r->place, "multicast of the pipeline of resource %s", r->name);
        diag_expected(diags, d, "WW_MULTICAST_AUTO to WW_MULTICAST_MN");
        diag_found(diags, d, "%d", (int)p->multicast);
        diag_hint(diags, d, "leave it out, to have it derived from the copies' reach");
        p->multicast = WW_MULTICAST_AUTO;
    }
}

static int extent(int e)
{
    return e > 1 ? e : 1;
}

/* A pipeline's own cluster is there to be checked: all of a kernel agree. */
static void check_cluster(ww_resource *r)
{
    const ww_cluster *given = &r->pipeline.cluster, *all = &r->kernel->options.cluster;
    if (!given->v && !given->m && !given->n && !given->k)
        return;
    if (extent(given->v) == extent(all->v) && extent(given->m) == extent(all->m) &&
        extent(given->n) == extent(all->n) && extent(given->k) == extent(all->k))
        return;
    diag_list *diags = &r->kernel->diags;
    ww_diag *d = diag_add(diags, WW_BAD_CLUSTER, r->place,
                          "resource %s: its pipeline has another cluster than the kernel", r->name);
    diag_expected(diags, d, "(v, m, n, k) = (%d, %d, %d, %d), as the kernel, or left out", extent(all->v),
                  extent(all->m), extent(all->n), extent(all->k));
    diag_found(diags, d, "(%d, %d, %d, %d)", given->v, given->m, given->n, given->k);
    diag_hint(diags, d, "leave .cluster of the pipeline out");
    diag_related(diags, d, r->kernel->place, "the kernel's cluster is given here");
}

/* A ring between CTAs needs a second CTA, and a way to it that is not the way home. */
static void check_shift(ww_resource *r)
{
    ww_pipeline *p = &r->pipeline;
    int size = model_cluster_size(&r->kernel->options.cluster);
    if (model_protocol_of(p->type)->producer != MODEL_PEER)
        return;
    int shift = p->peer_shift ? p->peer_shift : 1;
    if (size > 1 && shift >= 1 && shift < size)
        return;
    ww_diag *d = diag_add(&r->kernel->diags, WW_BAD_CLUSTER, r->place,
                          "resource %s: a PeerAsync pipeline has no other CTA to reach", r->name);
    diag_expected(&r->kernel->diags, d, "a cluster of at least 2 CTAs and 1 <= peer_shift < its size");
    diag_found(&r->kernel->diags, d, "%d CTA%s, peer_shift %d", size, size > 1 ? "s" : "", shift);
    diag_hint(&r->kernel->diags, d, "%s",
              size > 1 ? "leave .peer_shift out, for 1" : ".cluster = {.m = 2} in the kernel's options");
    p->peer_shift = 0;
}

void model_check_pipeline(ww_resource *r)
{
    ww_pipeline *p = &r->pipeline;
    if (!model_pipeline_known(p->type)) {
        ww_diag *d =
            diag_add(&r->kernel->diags, WW_BAD_VALUE, r->place, "pipeline type of resource %s", r->name);
        diag_expected(&r->kernel->diags, d, "one of the types that `ww pipelines` lists");
        diag_found(&r->kernel->diags, d, "%d", (int)p->type);
        diag_hint(&r->kernel->diags, d, "ww_pipeline_async_async(...) and its like write the type");
        p->type = WW_NO_PIPELINE;
    }
    if (p->type == WW_CLC_FETCH_ASYNC && !model_is_dynamic_queue(r)) {
        ww_diag *d =
            diag_add(&r->kernel->diags, WW_BAD_VALUE, r->place,
                     "resource %s: a pipeline of type ClcFetchAsync belongs to a work queue", r->name);
        diag_texts(&r->kernel->diags, d, "a resource made by ww_queue_clc or ww_queue_counter",
                   "one made by ww_resource_new or ww_queue_static", "ww_queue_clc or ww_queue_counter");
        p->type = WW_NO_PIPELINE;
    }
    if (p->type == WW_NO_PIPELINE)
        return;
    const model_protocol *protocol = model_protocol_of(p->type);
    text what = {0};
    text_printf(&what, "resource %s: a pipeline of type %s", r->name, protocol->label);
    (void)model_needs(r->kernel, r->place, protocol->needs, text_str(&what));
    text_free(&what);
    check_stages(r);
    check_enumerators(r);
    check_signaling(r, "producer_signaling", &p->producer_signaling);
    check_signaling(r, "consumer_signaling", &p->consumer_signaling);
    check_signaling(r, "wait_signaling", &p->wait_signaling);
    check_consumer_leader(r, "consumer_signaling", &p->consumer_signaling);
    check_consumer_leader(r, "wait_signaling", &p->wait_signaling);
    check_offered(r);
    check_pair_loads(r);
    check_pair_issue(r);
    check_strides(r);
    check_bytes(r);
    check_cluster(r);
    check_shift(r);
}
