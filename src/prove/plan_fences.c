/* Which agents make accesses that others must not follow without a fence. The rest have no entries for them. */
#include "prove/plan.h"

/* Whether an engine accesses a stage of the buffer, in any CTA. */
static bool meets_engine(const plan *p, int buffer)
{
    const ir_buffer *b = &p->program->buffers.at[buffer];
    for (int rank = 0; rank < p->ranks; rank++)
        for (int s = 0; s < b->stages; s++)
            for (int crew = 0; crew < p->crew_count; crew++)
                if (plan_touches(p, crew, plan_slot_at(p, buffer, rank) + s, PLAN_ENGINES))
                    return true;
    return false;
}

static bool is_made_by(const plan_agent *a, ir_effect_kind kind)
{
    ir_maker maker = ir_effects[kind].maker;
    bool by_pipe = maker == IR_BY_TENSOR_PIPE || maker == IR_BY_COPY_PIPE;
    return a->warp_itself ? !by_pipe : maker == plan_maker_of(a->kind);
}

/* Whether it writes what an engine accesses by another proxy. */
static bool takes_proxy_fence(const plan *p, const ir_effect *e)
{
    bool generic = ir_effects[e->kind].writes && !ir_effects[e->kind].async;
    return generic && p->program->buffers.at[e->buffer].space == IR_SHARED && meets_engine(p, e->buffer);
}

static bool takes_tensor_fence(const plan *p, const ir_effect *e)
{
    return p->program->buffers.at[e->buffer].space == IR_TENSOR;
}

static bool some_access(const plan *p, int agent, bool (*takes)(const plan *p, const ir_effect *e))
{
    const plan_task *t = &p->tasks[p->agents[agent].task];
    for (int i = 0; i < t->count; i++)
        for (int n = 0; n < t->ops[i].op->effect_count; n++) {
            const ir_effect *e = &t->ops[i].op->effects[n];
            if (is_made_by(&p->agents[agent], e->kind) && takes(p, e))
                return true;
        }
    return false;
}

static int add_fence(plan *p, ir_fence by, int owner, int source)
{
    p->fences[p->fence_count] = (plan_fence){by, owner, source};
    return p->fence_count++;
}

void plan_find_fences(plan *p)
{
    arena *a = &p->kernel->arena;
    size_t agents = (size_t)p->agent_count;
    int *before = arena_array(a, int, agents + 1);
    p->fences = arena_array(a, plan_fence, 3 * agents + 1);
    p->proxy_fence = arena_array(a, int, agents + 1);
    p->after_fence = arena_array(a, int, agents + 1);
    for (int i = 0; i < p->agent_count; i++) {
        bool tensor = some_access(p, i, takes_tensor_fence), proxy = some_access(p, i, takes_proxy_fence);
        p->after_fence[i] = tensor ? 0 : -1;
        p->proxy_fence[i] = proxy ? add_fence(p, IR_FENCE_PROXY, i, i * p->lanes) : -1;
        before[i] =
            tensor && p->agents[i].warp_itself ? add_fence(p, IR_FENCE_TCGEN05_BEFORE, i, i * p->lanes) : -1;
    }
    p->told = plan_fence_entry(p, p->fence_count, 0);
    for (int i = 0; i < p->agent_count; i++) {
        int source = before[i] < 0 ? i * p->lanes : plan_fence_entry(p, before[i], 0);
        if (p->after_fence[i] == 0)
            p->after_fence[i] = add_fence(p, IR_FENCE_TCGEN05_AFTER, i, source);
    }
    p->width = plan_fence_entry(p, p->fence_count, 0);
}
