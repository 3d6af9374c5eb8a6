/* Work queues: static, and the two dynamic ones, which carry a ring of 16-byte responses. */
#include "model/model.h"
#include "model/names.h"

enum { MAX_SWIZZLE = 1024, DEFAULT_STAGES = 2, RESPONSE_BYTES = 16 };

static void check_extents(ww_resource *r)
{
    diag_list *diags = &r->kernel->diags;
    for (int i = 0; i < 3; i++) {
        ww_bound *tiles = &r->queue.tiles[i];
        if (tiles->name)
            tiles->name = arena_strdup(&r->kernel->arena, tiles->name);
        if (tiles->kind != WW_BOUND_IMMEDIATE)
            (void)model_name_taken(r->kernel, r->place, "an extent of a work queue", tiles->name);
        if (tiles->kind == WW_BOUND_IMMEDIATE && tiles->value == 0)
            tiles->value = 1;
        if (tiles->kind == WW_BOUND_IMMEDIATE && tiles->value < 0) {
            ww_diag *d = diag_add(diags, WW_BAD_VALUE, r->place, "extents of work queue %s", r->name);
            diag_expected(diags, d, "at least 0 tiles (a zero-initialised entry means 1)");
            diag_found(diags, d, "%d", tiles->value);
            diag_hint(diags, d, "ww_arg(type, field, 0), if the number is known at launch");
            tiles->value = 1;
        }
        bool named = tiles->kind == WW_BOUND_ARGUMENT && tiles->name && *tiles->name;
        if (tiles->kind != WW_BOUND_IMMEDIATE && !named) {
            ww_diag *d = diag_add(diags, WW_BAD_VALUE, r->place, "extents of work queue %s", r->name);
            diag_expected(diags, d, "immediates (ww_imm) or launch arguments (ww_arg)");
            diag_found(diags, d, "%s",
                       tiles->kind == WW_BOUND_DEVICE     ? "a device function"
                       : tiles->kind == WW_BOUND_ARGUMENT ? "an argument without a name"
                                                          : "no kind of bound");
            diag_hint(diags, d, "ww_arg(type, field, least), with the extent computed by the host");
        }
    }
    if (r->queue.swizzle < 0 || r->queue.swizzle > MAX_SWIZZLE) {
        ww_diag *d = diag_add(diags, WW_BAD_VALUE, r->place, "swizzle of work queue %s", r->name);
        diag_expected(diags, d, "0 to %d tiles", MAX_SWIZZLE);
        diag_found(diags, d, "%d", r->queue.swizzle);
        diag_hint(diags, d, "leave it out for none; 8 suits most");
        r->queue.swizzle = 0;
    }
}

static ww_resource *queue_new(ww_place place, ww_kernel *k, const char *name, const ww_queue_options *options,
                              model_kind kind)
{
    ww_resource *r = model_resource_new(place, k, name, NULL, kind);
    if (options)
        r->queue = *options;
    if (r->queue.skip)
        r->queue.skip = arena_strdup(&k->arena, r->queue.skip);
    if (r->queue.skip && !*r->queue.skip)
        diag_texts(
            &k->diags,
            diag_add(&k->diags, WW_BAD_NAME, place, "work queue %s: its skip predicate has no name", r->name),
            "a function of the body header: bool NAME(const INFO &info)", "\"\"",
            "name it, or leave .skip out");
    (void)model_name_taken(k, place, "the skip predicate of a work queue", r->queue.skip);
    check_extents(r);
    if (k->options.cluster.k > 1) {
        ww_diag *d = diag_add(&k->diags, WW_BAD_CLUSTER, place,
                              "work queue %s: the cluster has an extent along k", r->name);
        diag_expected(&k->diags, d, "k = 1: tiles are dealt along m and n");
        diag_found(&k->diags, d, "k = %d", k->options.cluster.k);
        diag_hint(&k->diags, d, "loop over k in one CTA, or do without a work queue");
        diag_related(&k->diags, d, k->place, "the cluster is given here");
    }
    return r;
}

ww_resource *ww_queue_static_at(ww_place place, ww_kernel *k, const char *name,
                                const ww_queue_options *options)
{
    ww_resource *r = queue_new(place, k, name, options, MODEL_QUEUE_STATIC);
    const ww_pipeline *p = &r->queue.pipeline;
    bool piped = p->type || p->stages || p->tx_bytes || p->producer_arrivals || p->consumer_arrivals;
    if (r->queue.stages || r->queue.counter || piped)
        diag_texts(&k->diags,
                   diag_add(&k->diags, WW_OPTION, place,
                            "work queue %s: a static queue has no pipeline, stages or counter", r->name),
                   "tiles, swizzle, raster and skip alone",
                   r->queue.counter ? "a counter" : "stages or a pipeline",
                   "leave them out, or declare it by ww_queue_clc or ww_queue_counter");
    return r;
}

/* Memory is no measure of how far a queue should fetch ahead: tiles fetched early are not dealt to those that end first. */
static int queue_stages(ww_resource *r)
{
    int stages = r->queue.stages ? r->queue.stages : r->queue.pipeline.stages;
    if (!stages)
        return DEFAULT_STAGES;
    if (stages >= 1 && stages <= WW_MAX_STAGES)
        return stages;
    diag_list *diags = &r->kernel->diags;
    ww_diag *d = diag_add(diags, WW_BAD_VALUE, r->place, "stages of work queue %s", r->name);
    diag_expected(diags, d, "1 to %d tiles fetched ahead, or nothing for %d", WW_MAX_STAGES, DEFAULT_STAGES);
    diag_found(diags, d, stages == WW_STAGES_MAX ? "WW_STAGES_MAX" : "%d", stages);
    if (stages == WW_STAGES_MAX)
        diag_hint(diags, d, "leave .stages out: a tile's record has 16 bytes, so room does not decide");
    else
        diag_hint(diags, d, "leave .stages out");
    return DEFAULT_STAGES;
}

/* The record of a tile: 16 bytes that the hardware (or the scheduler's st.async) writes into every CTA. */
static void add_responses(ww_resource *r)
{
    ww_pipeline *p = &r->pipeline;
    *p = r->queue.pipeline;
    diag_list *diags = &r->kernel->diags;
    if (p->type && p->type != WW_CLC_FETCH_ASYNC)
        diag_texts(diags,
                   diag_add(diags, WW_BAD_VALUE, r->place,
                            "work queue %s: the pipeline of a dynamic queue is of type ClcFetchAsync",
                            r->name),
                   "WW_CLC_FETCH_ASYNC, or left out",
                   model_pipeline_known(p->type) ? model_protocol_of(p->type)->label : "no type",
                   "leave .pipeline.type of the queue out");
    if (r->queue.stages && p->stages && p->stages != r->queue.stages) {
        ww_diag *d =
            diag_add(diags, WW_BAD_VALUE, r->place, "work queue %s: %d stages, and its pipeline has %d",
                     r->name, r->queue.stages, p->stages);
        diag_texts(diags, d, "the same number in .stages and .pipeline.stages, or one of them",
                   "two that differ", "leave .pipeline.stages out");
    }
    p->type = WW_CLC_FETCH_ASYNC;
    p->stages = queue_stages(r);
    if (p->tx_bytes && p->tx_bytes != RESPONSE_BYTES) {
        ww_diag *d =
            diag_add(&r->kernel->diags, WW_TX_BYTES, r->place, "work queue %s: bytes of a response", r->name);
        diag_expected(&r->kernel->diags, d, "%d, or left out", RESPONSE_BYTES);
        diag_found(&r->kernel->diags, d, ".tx_bytes = %u", p->tx_bytes);
        diag_hint(&r->kernel->diags, d, "leave .tx_bytes out");
        p->tx_bytes = RESPONSE_BYTES;
    }
    r->buffers[r->buffer_count++] =
        (model_buffer){.name = "response", .bytes = RESPONSE_BYTES, .align = RESPONSE_BYTES};
    model_check_pipeline(r);
}

ww_resource *ww_queue_clc_at(ww_place place, ww_kernel *k, const char *name, const ww_queue_options *options)
{
    ww_resource *r = queue_new(place, k, name, options, MODEL_QUEUE_CLC);
    bool clustered = model_cluster_size(&k->options.cluster) > 1;
    (void)model_needs(k, place, clustered ? MODEL_CLC_MULTICAST : MODEL_CLC, "a CLC work queue");
    if (r->queue.counter)
        diag_texts(
            &k->diags,
            diag_add(&k->diags, WW_OPTION, place, "work queue %s: a CLC queue has no counter", r->name),
            "no .counter: the hardware deals the tiles", "a counter",
            "leave .counter out, or declare it by ww_queue_counter");
    add_responses(r);
    return r;
}

ww_resource *ww_queue_counter_at(ww_place place, ww_kernel *k, const char *name,
                                 const ww_queue_options *options)
{
    ww_resource *r = queue_new(place, k, name, options, MODEL_QUEUE_COUNTER);
    (void)model_needs(k, place, MODEL_BULK, "a counter work queue");
    if (!r->queue.counter || !name_is_identifier(r->queue.counter)) {
        ww_diag *d = diag_add(&k->diags, WW_BAD_NAME, place, "counter of work queue %s", r->name);
        diag_expected(&k->diags, d,
                      "the member of the parameter struct that points to it: .counter = \"tile_counter\"");
        if (r->queue.counter)
            diag_found(&k->diags, d, "\"%s\"", r->queue.counter);
        else
            diag_found(&k->diags, d, "none");
        diag_hint(&k->diags, d, "an unsigned *tile_counter in %s, and its name here",
                  k->options.params ? k->options.params : "the parameter struct");
        r->queue.counter = "counter";
    }
    r->queue.counter = arena_strdup(&k->arena, r->queue.counter);
    (void)model_name_taken(k, place, "the counter of a work queue", r->queue.counter);
    add_responses(r);
    return r;
}
