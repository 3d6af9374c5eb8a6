/* Races: two accesses to the same bytes, one of which writes, that are both possible, or under way, in one state. */
#include "prove/explore_events.h"

static bool bytes_overlap(const explorer *x, int a, int b)
{
    const plan_slot *s = &x->plan->slots[a];
    for (int i = 0; i < s->overlaps; i++)
        if (x->plan->overlaps[s->first_overlap + i] == b)
            return true;
    return false;
}

static bool is_grouped(const touch *t)
{
    return t->kind == IR_WGMMA_READ || t->kind == IR_BULK_READ;
}

/* Without a pipeline, warps of a task keep to their parts of a buffer; and what a warp's threads do is in order, but not
 * with its own groups or engines. */
static bool one_body(const explorer *x, int agent_a, const touch *a, int agent_b, const touch *b)
{
    if (x->plan->agents[agent_a].crew != x->plan->agents[agent_b].crew)
        return false;
    if (agent_a == agent_b)
        return ir_effects[a->kind].maker == ir_effects[b->kind].maker && !is_grouped(a) && !is_grouped(b);
    return !plan_parts_meet(x->plan, x->plan->slots[a->slot].buffer, agent_a, plan_doing_of(a->kind), agent_b,
                            plan_doing_of(b->kind));
}

bool explore_meets(const explorer *x, const touch *a, const touch *b)
{
    return (ir_effects[a->kind].writes || ir_effects[b->kind].writes) && bytes_overlap(x, a->slot, b->slot);
}

bool explore_is_tensor(const touch *t)
{
    return ir_effects[t->kind].maker == IR_BY_TENSOR_PIPE;
}

bool explore_ends(const explore_flight *f, int number, const touch *t)
{
    switch (f->kind) {
    case FLIGHT_COPY: return t->flight == number;
    case FLIGHT_TENSOR: return ir_effects[t->kind].maker == IR_BY_TENSOR_PIPE;
    case FLIGHT_LOADS: return ir_effects[t->kind].maker == IR_BY_COPY_PIPE;
    default: return false;
    }
}

/* The exceptions are those of accesses.c: producers of the same lap divide a slot, warps of a task a buffer. */
static bool conflict(const explorer *x, int agent_a, const touch *a, int agent_b, const touch *b)
{
    if (!explore_meets(x, a, b))
        return false;
    if (agent_a == agent_b && ir_effects[a->kind].maker == IR_BY_TENSOR_PIPE &&
        ir_effects[b->kind].maker == IR_BY_TENSOR_PIPE)
        return false;
    if (a->slot != b->slot)
        return true;
    if (!x->plan->slots[a->slot].pipelined)
        return !one_body(x, agent_a, a, agent_b, b);
    return !(ir_effects[a->kind].writes && ir_effects[b->kind].writes && a->lap == b->lap && !a->whole &&
             !b->whole);
}

bool explore_is_committed(const explorer *x, const uint8_t *landed, int agent_index, int event_index,
                          flight_kind kind)
{
    for (size_t i = 0; i < x->flights.len; i++) {
        const explore_flight *f = &x->flights.at[i];
        if (f->kind == kind && f->agent == agent_index && f->event > event_index && landed[i])
            return true;
    }
    return false;
}

/* Whether a past access of the agent, in that event, is still under way. */
static bool under_way(const explorer *x, const state *s, int agent_index, int event_index, const touch *t)
{
    switch (ir_effects[t->kind].maker) {
    case IR_BY_COPY: return !s->landed[t->flight];
    case IR_BY_TENSOR_PIPE:
        return !explore_is_committed(x, s->landed, agent_index, event_index, FLIGHT_TENSOR);
    case IR_BY_COPY_PIPE: return !explore_is_committed(x, s->landed, agent_index, event_index, FLIGHT_LOADS);
    default: return is_grouped(t) && (int64_t)s->at[agent_index] <= t->until;
    }
}

/* An event that is possible now against one that is, too (past: NULL), or that is past. */
static bool conflicts_with_event(const explorer *x, int agent_a, const event *a, int agent_b, const event *b,
                                 const state *past)
{
    int event_b = (int)(b - x->actors[agent_b].events.at);
    for (int j = 0; j < b->touches; j++) {
        const touch *t = &x->touches.at[b->first_touch + j];
        if (past && !under_way(x, past, agent_b, event_b, t))
            continue;
        for (int i = 0; i < a->touches; i++)
            if (conflict(x, agent_a, &x->touches.at[a->first_touch + i], agent_b, t))
                return true;
    }
    return false;
}

bool explore_lingers(const explorer *x, const event *e)
{
    for (int i = 0; i < e->touches; i++) {
        const touch *t = &x->touches.at[e->first_touch + i];
        if (ir_effects[t->kind].maker != IR_BY_WARP || is_grouped(t))
            return true;
    }
    return false;
}

bool explore_has_race(const explorer *x, const state *s)
{
    for (int a = 0; a < x->plan->agent_count; a++) {
        const event *mine = explore_next(x, s, a);
        if (!mine || mine->kind != EVENT_WORK || !mine->touches)
            continue;
        for (int b = 0; b < x->plan->agent_count; b++) {
            const event *other = explore_next(x, s, b);
            if (b != a && other && other->kind == EVENT_WORK &&
                conflicts_with_event(x, a, mine, b, other, NULL))
                return true;
            const event *past = x->actors[b].events.at;
            for (uint32_t i = 0; past && i < s->at[b]; i++)
                if (past[i].lingers && conflicts_with_event(x, a, mine, b, &past[i], s))
                    return true;
        }
    }
    return false;
}
