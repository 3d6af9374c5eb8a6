/* Groups: resources whose pipelines share barriers. Construction looks at every member before it claims one, so a
 * failed group leaves its members as they were. The shared barriers' pipeline is derived when the declaration is
 * complete, because multicast modes are. */
#include "model/model.h"

static const char *mode_name(ww_group_mode mode)
{
    static const char *const names[] = {
        [WW_MERGE] = "merge", [WW_FORK] = "fork", [WW_FUSED_MERGE] = "fused merge"};
    return names[mode];
}

/* Its hint and what was expected are those of all misfits; who knows more says so afterwards. */
static ww_diag *misfit(const ww_resource *g, const ww_resource *member, const char *what)
{
    diag_list *diags = &g->kernel->diags;
    ww_diag *d = diag_add(diags, WW_GROUP, g->place, "group %s: member %s %s", g->name, member->name, what);
    diag_related(diags, d, member->place, "%s is declared here", member->name);
    diag_expected(diags, d,
                  "members that are resources of this kernel with pipelines, each once and in one group");
    diag_found(diags, d, "%s, which %s", member->name, what);
    diag_hint(diags, d, "leave %s out of the group", member->name);
    return d;
}

/* ---- members one by one ------------------------------------------------------------------------------- */

static bool is_fit(ww_resource *g, const ww_resource *member)
{
    if (member->kernel != g->kernel)
        misfit(g, member, "belongs to another kernel");
    else if (member->kind != MODEL_MEMORY || !model_pipelined(member))
        misfit(g, member, "has no pipeline");
    else if (member->in_group)
        misfit(g, member, "is already a member of another group");
    else if (member->pipeline.type == WW_CLC_FETCH_ASYNC || member->pipeline.type == WW_PEER_ASYNC)
        misfit(g, member, "is of a type that groups do not take");
    else
        return true;
    return false;
}

static bool equal_strides(const ww_pipeline *a, const ww_pipeline *b)
{
    for (int end = MODEL_END_ACQUIRE; end <= MODEL_END_RELEASE; end++)
        if (model_stride(a, (model_end)end) != model_stride(b, (model_end)end))
            return false;
    return true;
}

/* The verb of the side that members share, as one task calls it for all of them. */
static model_end shared_end(const ww_resource *g)
{
    return g->mode == WW_FORK ? MODEL_END_ACQUIRE : MODEL_END_RELEASE;
}

static bool compare_members(ww_resource *g, const ww_resource *first, const ww_resource *other)
{
    const ww_pipeline *a = &first->pipeline, *b = &other->pipeline;
    const char *what = NULL;
    if (a->stages != b->stages)
        what = "has another number of stages";
    else if (!equal_strides(a, b))
        what = "has other strides";
    else if (a->advance_on_wait != b->advance_on_wait)
        what = "differs in advance_on_wait";
    else if (a->advance_on_acquire != b->advance_on_acquire)
        what = "differs in advance_on_acquire";
    else if (a->wait_signaling != b->wait_signaling)
        what = "differs in wait_signaling";
    else if (model_signaling(a, shared_end(g)) != model_signaling(b, shared_end(g)))
        what = g->mode == WW_FORK ? "differs in producer_signaling" : "differs in consumer_signaling";
    else if (g->mode == WW_FORK && a->producer_op != b->producer_op)
        what = "differs in producer_op, and one commit speaks for both";
    else if (g->mode == WW_MERGE && b->advance_on_wait)
        what = "waits ahead, and the members of a merge share one wait cursor";
    else if (g->mode == WW_FORK && b->advance_on_acquire)
        what = "acquires ahead, and the members of a fork share one acquire cursor";
    if (!what)
        return true;
    diag_list *diags = &g->kernel->diags;
    ww_diag *d = misfit(g, other, what);
    diag_expected(diags, d, "as member %s: %d stages, stride %d, advance_on_wait %d, advance_on_acquire %d",
                  first->name, a->stages, model_stride(a, MODEL_END_ACQUIRE), a->advance_on_wait,
                  a->advance_on_acquire);
    diag_found(diags, d, "%d stages, stride %d, advance_on_wait %d, advance_on_acquire %d", b->stages,
               model_stride(b, MODEL_END_ACQUIRE), b->advance_on_wait, b->advance_on_acquire);
    diag_hint(diags, d, "declare the pipeline of %s as that of %s", other->name, first->name);
    return false;
}

/* The shared side is one agent's doing: its kind must be the same in all members. */
static bool check_topology(ww_resource *g, const ww_resource *first, const ww_resource *other)
{
    const model_protocol *a = model_protocol_of(first->pipeline.type),
                         *b = model_protocol_of(other->pipeline.type);
    bool fork = g->mode == WW_FORK;
    if (fork ? a->producer == b->producer : a->consumer == b->consumer)
        return true;
    diag_list *diags = &g->kernel->diags;
    ww_diag *d = misfit(g, other, fork ? "has another kind of producer" : "has another kind of consumer");
    diag_expected(diags, d, "types that differ on the %s side only, in a %s", fork ? "consumer" : "producer",
                  mode_name(g->mode));
    diag_found(diags, d, "%s and %s", a->label, b->label);
    diag_hint(diags, d, "a %s, if it is the %s that differ", fork ? "merge" : "fork",
              fork ? "producers" : "consumers");
    return false;
}

static int read_members(ww_resource *g, const ww_group_options *o)
{
    int n = 0;
    bool ok = true;
    for (; n < WW_MAX_MEMBERS && o->members[n]; n++) {
        ok &= is_fit(g, o->members[n]);
        for (int i = 0; i < n; i++)
            if (o->members[i] == o->members[n]) {
                misfit(g, o->members[n], "is listed twice");
                ok = false;
            }
    }
    for (int i = 1; ok && i < n; i++)
        ok = check_topology(g, o->members[0], o->members[i]) &&
             compare_members(g, o->members[0], o->members[i]);
    if (o->members[n]) {
        ww_diag *d = diag_add(&g->kernel->diags, WW_TOO_MANY, g->place, "members of group %s", g->name);
        diag_expected(&g->kernel->diags, d, "at most %d", WW_MAX_MEMBERS);
        diag_found(&g->kernel->diags, d, "more");
        diag_hint(&g->kernel->diags, d, "end the list by NULL; several buffers may be one resource's");
        ok = false;
    }
    if (!n)
        diag_texts(&g->kernel->diags,
                   diag_add(&g->kernel->diags, WW_GROUP, g->place, "group %s has no members", g->name),
                   "at least one resource with a pipeline", "none", ".members = {first, second}");
    return ok ? n : 0;
}

ww_resource *ww_group_new_at(ww_place place, ww_kernel *k, const char *name, const ww_group_options *options)
{
    static const ww_group_options none;
    const ww_group_options *o = options ? options : &none;
    ww_resource *g = model_resource_new(place, k, name, NULL, MODEL_GROUP);
    g->mode = o->mode;
    g->pipeline = o->pipeline;
    if ((unsigned)g->mode > WW_FUSED_MERGE) {
        ww_diag *d = diag_add(&k->diags, WW_BAD_VALUE, place, "mode of group %s", g->name);
        diag_expected(&k->diags, d, "WW_MERGE, WW_FORK or WW_FUSED_MERGE");
        diag_found(&k->diags, d, "%d", (int)g->mode);
        diag_hint(&k->diags, d, ".mode = WW_MERGE for several producers, WW_FORK for several consumers");
        g->mode = WW_MERGE;
    }
    int n = k->closed ? 0 : read_members(g, o); /* a checked kernel's members stay as they were */
    for (int i = 0; i < n; i++) {
        g->members[g->member_count++] = o->members[i];
        o->members[i]->in_group = g;
    }
    return g;
}

/* ---- the shared pipeline ------------------------------------------------------------------------------- */

static ww_multicast joined(ww_multicast a, ww_multicast b)
{
    if (a == WW_MULTICAST_NONE || a == b)
        return b;
    return b == WW_MULTICAST_NONE ? a : WW_MULTICAST_MN;
}

/* Where members differ the group's type is that of the member whose differing side counts bytes, if any: only the
 * shared side is read from it. */
static ww_pipeline_type shared_type(const ww_resource *g)
{
    for (int i = 0; i < g->member_count; i++)
        if (model_protocol_of(g->members[i]->pipeline.type)->full_by == MODEL_BY_EXPECT)
            return g->members[i]->pipeline.type;
    return g->members[0]->pipeline.type;
}

static void check_given_type(const ww_resource *g, ww_pipeline_type derived)
{
    if (!g->pipeline.type || g->pipeline.type == derived)
        return;
    diag_list *diags = &g->kernel->diags;
    ww_diag *d = diag_add(diags, WW_GROUP, g->place,
                          "group %s: its pipeline has another type than its members", g->name);
    diag_expected(diags, d, "%s, or left out", model_protocol_of(derived)->label);
    diag_found(diags, d, "%s",
               model_pipeline_known(g->pipeline.type) ? model_protocol_of(g->pipeline.type)->label : "?");
    diag_hint(diags, d, "leave .pipeline.type of the group out");
}

static void check_given_stages(const ww_resource *g)
{
    int stages = g->members[0]->pipeline.stages;
    if (!g->pipeline.stages || g->pipeline.stages == stages)
        return;
    diag_list *diags = &g->kernel->diags;
    ww_diag *d = diag_add(diags, WW_GROUP, g->place, "group %s has another number of stages than its members",
                          g->name);
    diag_expected(diags, d, "%d, or left out", stages);
    diag_found(diags, d, "%d", g->pipeline.stages);
    diag_hint(diags, d, "leave .pipeline.stages of the group out");
}

/* How the shared barriers are used is the members' to say: a group has counts and bytes. */
static void check_given_options(const ww_resource *g)
{
    const ww_pipeline *p = &g->pipeline;
    const ww_stride *s = &p->stride;
    const struct {
        bool given;
        const char *member;
    } options[] = {{p->producer_signaling || p->consumer_signaling || p->wait_signaling, "signaling"},
                   {p->producer_op, "producer_op"},
                   {p->advance_on_wait || p->advance_on_acquire, "advance_on_wait or advance_on_acquire"},
                   {s->all || s->acquire || s->commit || s->wait || s->release, "stride"},
                   {p->multicast, "multicast"},
                   {p->peer_shift, "peer_shift"}};
    for (size_t i = 0; i < ARRAY_LEN(options); i++) {
        if (!options[i].given)
            continue;
        ww_diag *d = diag_add(&g->kernel->diags, WW_OPTION, g->place,
                              "group %s: %s belongs to the members' pipelines", g->name, options[i].member);
        diag_expected(&g->kernel->diags, d, "counts and bytes of the shared barriers, or nothing");
        diag_found(&g->kernel->diags, d, "%s", options[i].member);
        diag_hint(&g->kernel->diags, d, "move it to the pipelines of the members");
    }
}

static void derive_pipeline(ww_resource *g)
{
    ww_pipeline derived = g->members[0]->pipeline, given = g->pipeline;
    ww_pipeline_type type = shared_type(g);
    check_given_type(g, type);
    check_given_stages(g);
    check_given_options(g);
    derived.type = type;
    derived.tx_bytes = given.tx_bytes;
    derived.producer_arrivals = given.producer_arrivals;
    derived.consumer_arrivals = given.consumer_arrivals;
    derived.bytes_per_warp_per_cta = given.bytes_per_warp_per_cta;
    for (int i = 1; i < g->member_count; i++)
        derived.multicast = joined(derived.multicast, g->members[i]->pipeline.multicast);
    g->pipeline = derived;
}

void model_resolve_groups(ww_kernel *k)
{
    for (size_t i = 0; i < k->resources.len; i++) {
        ww_resource *r = k->resources.at[i];
        if (r->kind == MODEL_GROUP && r->member_count)
            derive_pipeline(r);
    }
}
