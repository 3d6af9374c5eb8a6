/* Edits of what is declared beside schedules: pipelines, buffers, work tables, groups, aliases, queues, tasks, the graph.
 * A count that the author leaves to be derived is edited by stating one beside it. */
#include "mutate.h"
#include "schedule.h"

/* ---- numbers ------------------------------------------------------------------------------------------- */

static void edit_count(const char *of, const char *what, uint32_t *count, uint32_t derived)
{
    uint32_t now = *count ? *count : derived;
    if (!now)
        return;
    if (mutate_here("%s: %s %u + 1", of, what, now))
        *count = now + 1;
    if (now > 1 && mutate_here("%s: %s %u - 1", of, what, now))
        *count = now - 1;
    if (mutate_here("%s: %s %u x 32", of, what, now))
        *count = now * 32;
    if (now >= 32 && mutate_here("%s: %s %u / 32", of, what, now))
        *count = now / 32;
}

static void edit_bytes(const char *of, const char *what, uint32_t *bytes, uint32_t derived)
{
    uint32_t now = *bytes ? *bytes : derived;
    if (!now)
        return;
    if (mutate_here("%s: %s %u x 2", of, what, now))
        *bytes = now * 2;
    if (mutate_here("%s: %s %u / 2", of, what, now))
        *bytes = now / 2;
    if (mutate_here("%s: %s %u + 16", of, what, now))
        *bytes = now + 16;
}

static void edit_int(const char *of, const char *what, int *value, int least)
{
    if (mutate_here("%s: %s %d + 1", of, what, *value))
        ++*value;
    if (*value > least && mutate_here("%s: %s %d - 1", of, what, *value))
        --*value;
}

static void edit_flag(const char *of, const char *what, bool *flag)
{
    if (mutate_here("%s: %s %s", of, what, *flag ? "off" : "on"))
        *flag = !*flag;
}

/* Every value of an enumeration but the present one. */
static int edit_choice(const char *of, const char *what, int now, int first, int last)
{
    int chosen = now;
    for (int i = first; i <= last; i++)
        if (i != now && mutate_here("%s: %s %d for %d", of, what, i, now))
            chosen = i;
    return chosen;
}

/* ---- pipelines ----------------------------------------------------------------------------------------- */

static ww_signaling edit_signaling(const char *of, const char *what, ww_signaling now)
{
    static const ww_signaling values[] = {WW_SIGNAL_ALL, WW_SIGNAL_CTA_LEADER, WW_SIGNAL_WARP_LEADER,
                                          WW_SIGNAL_DEFAULT};
    ww_signaling chosen = now;
    for (size_t i = 0; i < ARRAY_LEN(values); i++)
        if (values[i] != now && mutate_here("%s: %s %d for %d", of, what, (int)values[i], (int)now))
            chosen = values[i];
    return chosen;
}

static void edit_stride(const char *of, ww_stride *s)
{
    edit_int(of, "stride", &s->all, 0);
    edit_int(of, "stride of acquire", &s->acquire, 0);
    edit_int(of, "stride of commit", &s->commit, 0);
    edit_int(of, "stride of wait", &s->wait, 0);
    edit_int(of, "stride of release", &s->release, 0);
}

static void edit_counts(const char *of, ww_pipeline *p)
{
    const ww_resource *r = mutate_original_resource(of);
    if (!r || !mutate_original())
        return;
    edit_count(of, "producer_arrivals", &p->producer_arrivals, lower_arrivals(mutate_original(), r, IR_FULL));
    edit_count(of, "consumer_arrivals", &p->consumer_arrivals,
               lower_arrivals(mutate_original(), r, IR_EMPTY));
    edit_bytes(of, "tx_bytes", &p->tx_bytes, lower_stage_bytes(mutate_original(), r));
}

static void edit_stages(const char *of, int *stages)
{
    const ww_resource *r = mutate_original_resource(of);
    int now = *stages == WW_STAGES_MAX && r ? model_stages(r) : *stages;
    if (mutate_here("%s: stages %d + 1", of, now))
        *stages = now + 1;
    if (mutate_here("%s: stages %d - 1", of, now))
        *stages = now - 1;
}

static void edit_pipeline(const char *of, ww_pipeline *p)
{
    if (p->type == WW_NO_PIPELINE)
        return;
    edit_counts(of, p);
    edit_stages(of, &p->stages);
    p->type = (ww_pipeline_type)edit_choice(of, "type", (int)p->type, WW_ASYNC_ASYNC, WW_PEER_ASYNC);
    p->producer_signaling = edit_signaling(of, "producer_signaling", p->producer_signaling);
    p->consumer_signaling = edit_signaling(of, "consumer_signaling", p->consumer_signaling);
    p->wait_signaling = edit_signaling(of, "wait_signaling", p->wait_signaling);
    p->producer_op =
        (ww_producer_op)edit_choice(of, "producer_op", (int)p->producer_op, WW_ASYNC_THREAD, WW_ASYNC_LOAD);
    edit_flag(of, "advance_on_wait", &p->advance_on_wait);
    edit_flag(of, "advance_on_acquire", &p->advance_on_acquire);
    edit_stride(of, &p->stride);
    p->multicast =
        (ww_multicast)edit_choice(of, "multicast", (int)p->multicast, WW_MULTICAST_AUTO, WW_MULTICAST_MN);
    edit_int(of, "peer_shift", &p->peer_shift, 0);
}

/* ---- memory and work ----------------------------------------------------------------------------------- */

static void edit_buffers(const char *of, ww_buffer *buffers)
{
    for (int i = 0; i < WW_MAX_BUFFERS && buffers[i].name; i++) {
        char what[96];
        (void)snprintf(what, sizeof what, "bytes of buffer %s", buffers[i].name);
        edit_bytes(of, what, &buffers[i].bytes, 0);
        if (buffers[i].shares && mutate_here("%s: buffer %s no longer shared", of, buffers[i].name))
            buffers[i].shares = NULL;
    }
}

static void edit_copies(const char *of, ww_work *w)
{
    for (int i = 0; i < WW_MAX_COPIES && w->copies[i].buffer; i++) {
        char what[96];
        (void)snprintf(what, sizeof what, "bytes that %s copies into %s", w->name, w->copies[i].buffer);
        edit_bytes(of, what, &w->copies[i].bytes, 0);
        (void)snprintf(what, sizeof what, "reach of %s's copy into %s", w->name, w->copies[i].buffer);
        w->copies[i].reach =
            (ww_reach)edit_choice(of, what, (int)w->copies[i].reach, WW_REACH_OWN, WW_REACH_B);
    }
}

static void edit_work(const char *of, ww_work *w)
{
    char what[96];
    edit_copies(of, w);
    (void)snprintf(what, sizeof what, "wgmma_wait of %s", w->name);
    if (w->wgmma_wait)
        edit_int(of, what, &w->wgmma_wait, 0);
    (void)snprintf(what, sizeof what, "bulk_wait of %s", w->name);
    if (w->bulk_wait)
        edit_int(of, what, &w->bulk_wait, 0);
}

/* The work table is kept by the library, so a mutant's copy lives as long as its kernel. */
static const ww_work *edited_work(ww_kernel *k, const char *of, const ww_work *table)
{
    size_t rows = 0;
    while (table && table[rows].name)
        rows++;
    if (!rows)
        return table;
    ww_work *copy = arena_array(&k->arena, ww_work, rows + 1);
    memcpy(copy, table, (rows + 1) * sizeof *table);
    for (size_t i = 0; i < rows; i++)
        edit_work(of, &copy[i]);
    return copy;
}

ww_resource *mutate_resource_new_at(ww_place place, ww_kernel *k, const char *name,
                                    const ww_resource_options *options)
{
    ww_resource_options o = *options;
    edit_pipeline(name, &o.pipeline);
    edit_buffers(name, o.buffers);
    for (int i = 0; i < WW_MAX_BUFFERS && o.tmem[i].name; i++)
        edit_int(name, "columns", &o.tmem[i].columns, 1);
    o.work = edited_work(k, name, o.work);
    return ww_resource_new_at(place, k, name, &o);
}

/* ---- groups, aliases, barriers, queues ------------------------------------------------------------------ */

ww_resource *mutate_group_new_at(ww_place place, ww_kernel *k, const char *name,
                                 const ww_group_options *options)
{
    ww_group_options o = *options;
    edit_counts(name, &o.pipeline);
    o.mode = (ww_group_mode)edit_choice(name, "mode", (int)o.mode, WW_MERGE, WW_FUSED_MERGE);
    for (int i = 0; i < WW_MAX_MEMBERS && o.members[i]; i++)
        if (mutate_here("%s: without member %s", name, o.members[i]->name))
            for (int j = i; j < WW_MAX_MEMBERS; j++)
                o.members[j] = o.members[j + 1];
    return ww_group_new_at(place, k, name, &o);
}

void mutate_alias_at(ww_place place, ww_kernel *k, const ww_phase *phases)
{
    ww_phase merged[WW_MAX_PHASES + 1] = {{{NULL}}};
    int count = 0;
    while (count < WW_MAX_PHASES && phases[count].resources[0]) {
        merged[count] = phases[count];
        count++;
    }
    if (mutate_here("alias: dropped"))
        return;
    for (int i = 0; i < count; i++)
        if (mutate_here("alias: without phase %d", i))
            for (int j = i; j < count; j++)
                merged[j] = merged[j + 1];
    ww_alias_at(place, k, merged);
}

ww_resource *mutate_named_barrier_new_at(ww_place place, ww_kernel *k, const char *name, int threads)
{
    const ww_kernel *original = mutate_original();
    int now = threads;
    for (size_t i = 0; original && !now && original->program && i < original->program->barriers.len; i++) {
        const ir_barrier *b = &original->program->barriers.at[i];
        if (b->side == IR_NAMED && strcmp(original->resources.at[b->resource]->name, name) == 0)
            now = (int)b->arrivals;
    }
    if (now && mutate_here("%s: threads %d + 32", name, now))
        threads = now + 32;
    if (now > 32 && mutate_here("%s: threads %d - 32", name, now))
        threads = now - 32;
    if (now && mutate_here("%s: threads %d x 2", name, now))
        threads = now * 2;
    return ww_named_barrier_new_at(place, k, name, threads);
}

static void edit_queue(const char *of, ww_queue_options *o)
{
    edit_int(of, "swizzle", &o->swizzle, 0);
    edit_flag(of, "raster_along_n", &o->raster_along_n);
    if (o->skip && mutate_here("%s: no skip predicate", of))
        o->skip = NULL;
}

static void edit_dynamic_queue(const char *of, ww_queue_options *o)
{
    edit_queue(of, o);
    edit_int(of, "stages", &o->stages, 0);
    edit_counts(of, &o->pipeline);
}

ww_resource *mutate_queue_static_at(ww_place place, ww_kernel *k, const char *name,
                                    const ww_queue_options *options)
{
    ww_queue_options o = *options;
    edit_queue(name, &o);
    return ww_queue_static_at(place, k, name, &o);
}

ww_resource *mutate_queue_clc_at(ww_place place, ww_kernel *k, const char *name,
                                 const ww_queue_options *options)
{
    ww_queue_options o = *options;
    edit_dynamic_queue(name, &o);
    return ww_queue_clc_at(place, k, name, &o);
}

ww_resource *mutate_queue_counter_at(ww_place place, ww_kernel *k, const char *name,
                                     const ww_queue_options *options)
{
    ww_queue_options o = *options;
    edit_dynamic_queue(name, &o);
    return ww_queue_counter_at(place, k, name, &o);
}

/* ---- graph and tasks ------------------------------------------------------------------------------------ */

void mutate_depends_at(ww_place place, ww_kernel *k, ww_resource *downstream, ww_resource *upstream)
{
    const char *from = upstream ? upstream->name : "nothing";
    if (downstream && mutate_here("graph: %s no longer from %s", downstream->name, from))
        return;
    if (downstream && upstream && mutate_here("graph: %s from %s, not the reverse", from, downstream->name)) {
        ww_depends_at(place, k, upstream, downstream);
        return;
    }
    ww_depends_at(place, k, downstream, upstream);
}

ww_task *mutate_task_new_at(ww_place place, ww_kernel *k, const char *name, const ww_task_options *options)
{
    ww_task_options o = *options;
    edit_int(name, "first_warp", &o.first_warp, 0);
    edit_int(name, "warps", &o.warps, 1);
    edit_int(name, "only_cta", &o.only_cta, 0);
    if (o.registers && mutate_here("%s: registers %d + 8", name, o.registers))
        o.registers += 8;
    if (o.registers && mutate_here("%s: registers %d - 8", name, o.registers))
        o.registers -= 8;
    schedule_source source = {options->schedule, options->context, k, name};
    if (o.schedule) {
        o.schedule = schedule_replay;
        o.context = &source;
    }
    return ww_task_new_at(place, k, name, &o);
}

/* The hooks must keep the faces of the calls that they stand for. */
#define SAME_FACE(call)                                                                                      \
    _Static_assert(_Generic(&mutate_##call, __typeof__(&ww_##call) : 1), "face of ww_" #call)
SAME_FACE(task_new_at);
SAME_FACE(resource_new_at);
SAME_FACE(group_new_at);
SAME_FACE(alias_at);
SAME_FACE(named_barrier_new_at);
SAME_FACE(queue_static_at);
SAME_FACE(queue_clc_at);
SAME_FACE(queue_counter_at);
SAME_FACE(depends_at);
