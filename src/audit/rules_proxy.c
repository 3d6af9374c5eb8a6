/* Memory without a pipeline that threads write and an engine reads: bulk stores, wgmma and tcgen05 see it through another
 * proxy, so that whoever writes has to fence (PTX ISA, "Async proxy"). In rings the framework does; elsewhere it is the
 * bodies' business, and no single body can tell. */
#include "audit/body.h"

/* Bits of the buffers of r that engines read, by the rows of what is called. */
static uint32_t read_by_engines(const body_list *bodies, const ww_resource *r)
{
    uint32_t read = 0;
    const body *b;
    vec_each(b, &bodies->list) {
        if (b->resource == r && b->work->declared->bulk_store)
            read |= b->work->touched;
        for (int i = 0; i < b->work->wgmma_read_count; i++)
            read |= b->work->wgmma_reads[i] == r->index ? UINT32_MAX : 0;
        for (int i = 0; i < b->work->umma_read_count; i++)
            read |= b->work->umma_reads[i] == r->index ? UINT32_MAX : 0;
    }
    return read & ((1u << WW_MAX_BUFFERS) - 1);
}

static bool calls(const ir_task *t, const body *b)
{
    for (size_t i = 0; i < t->ops.len; i++)
        if (t->ops.at[i].kind == IR_WORK && t->ops.at[i].work == b->work &&
            t->ops.at[i].resource == b->resource->index)
            return true;
    return false;
}

static bool has_fence(const ir_task *t)
{
    for (size_t i = 0; i < t->ops.len; i++)
        if (t->ops.at[i].kind == IR_FENCE && t->ops.at[i].fence == IR_FENCE_PROXY)
            return true;
    return false;
}

/* Whether something else in the task, a body or the framework, fences: where it stands is not asked. */
static bool fenced_elsewhere(const body_list *bodies, const ir_task *t)
{
    bool fenced = has_fence(t);
    const body *b;
    vec_each(b, &bodies->list)
        fenced |=
            body_has(b, EFFECT_BIT(PROXY_FENCE) | EFFECT_BIT(WIDE_FENCE) | EFFECT_BIT(CALL)) && calls(t, b);
    return fenced;
}

static void unfenced(body *b, const site *s, const ir_task *t)
{
    ww_diag *d = body_finding(b, WW_BODY_PROXY,
                              "work %s writes memory that an engine reads, and nobody in task %s fences",
                              b->name, t->name);
    body_expected(b, d, "fence.proxy.async.shared::cta behind the writes, before the barrier");
    body_found(b, d, "%s, and the end of the body", site_code(b, s)->opcode);
    body_hint(b, d, "ww::fence_proxy_async_shared() at the end of the body, by the threads that write");
}

static void check_tasks(const body_list *bodies, body *b, const site *s)
{
    const ir_task *t;
    vec_each(t, &b->program->tasks) {
        if (!calls(t, b))
            continue;
        if (!fenced_elsewhere(bodies, t)) {
            unfenced(b, s, t);
            return;
        }
        body_undecided(b, "whether task %s fences behind its writes", t->name);
    }
}

/* The first write to what engines read that no fence follows. */
static const site *unfenced_write(const body *b, uint32_t read)
{
    const effect_set fences = EFFECT_BIT(PROXY_FENCE) | EFFECT_BIT(WIDE_FENCE);
    const site *s;
    vec_each(s, &b->sites) {
        bool writes = s->effect == EFFECT_SHARED_STORE || s->effect == EFFECT_GENERIC_STORE ||
                      s->effect == EFFECT_THREAD_COPY;
        uint32_t to = (uint32_t)(site_origins(b, s, 0) >> EMIT_BUFFER_0 & 15);
        if (writes && (to & read) && !flow_meets(b, s, fences))
            return s;
    }
    return NULL;
}

void audit_proxies(body_list *bodies)
{
    body *b;
    vec_each(b, &bodies->list) {
        if (model_pipelined(b->resource))
            continue;
        const site *s = unfenced_write(b, read_by_engines(bodies, b->resource));
        if (s)
            check_tasks(bodies, b, s);
    }
}
