/* Steps of the explorer: an agent's next event, or the landing of a flight. Each works on a copy of a state and says whether
 * there is a successor. */
#include "prove/explore_events.h"

static void see(seen *s, uint32_t count)
{
    s->low = count < s->low ? count : s->low;
    s->high = count > s->high ? count : s->high;
}

const event *explore_next(const explorer *x, const state *s, int agent_index)
{
    const actor *a = &x->actors[agent_index];
    return s->at[agent_index] < a->events.len ? &a->events.at[s->at[agent_index]] : NULL;
}

static bool settle(explorer *x, stage_state *b, int stage)
{
    if (b->pending)
        return true;
    if (b->tx < 0)
        x->result.over_arrival = true;
    if (b->tx == 0) {
        b->count++;
        b->pending = plan_barrier_of(x->plan, stage)->arrivals;
    }
    return b->tx >= 0;
}

static uint32_t *answer_of(const state *s, int agent_index, int status)
{
    return &s->answers[agent_index * MOST_STATUSES + status];
}

/* A probe's yes lets a wait through only if the wait itself would have passed then, unless it asked about another stage or
 * parity. */
static bool answer_may_come(const explorer *x, const state *s, int agent_index, int number)
{
    const event *events = x->actors[agent_index].events.at, *wait = &events[number];
    if (wait->status < 0)
        return false;
    if (*answer_of(s, agent_index, wait->status))
        return true;
    for (int i = (int)s->at[agent_index]; i < number; i++)
        if (events[i].kind == EVENT_PROBE && events[i].status == wait->status &&
            (events[i].stage != wait->stage || events[i].parity != wait->parity))
            return true;
    return false;
}

bool explore_is_blocked(const explorer *x, const state *s, int agent_index, int number)
{
    const event *e = &x->actors[agent_index].events.at[number];
    return e->kind == EVENT_WAIT && (s->stages[e->stage].count & 1) == e->parity &&
           !answer_may_come(x, s, agent_index, number);
}

/* A wait is seen by the count it meets; one that a probe's answer lets through, by the count the probe met. */
static bool step_wait(explorer *x, state *s, int agent_index, event *e)
{
    stage_state *b = &s->stages[e->stage];
    bool passes = (b->count & 1) != e->parity;
    uint32_t count = b->count;
    uint32_t *held = e->status >= 0 ? answer_of(s, agent_index, e->status) : NULL;
    see(&e->met, b->count);
    if (held && *held) {
        if ((int)((*held - 1) % (uint32_t)x->plan->stage_count) != e->stage)
            x->result.lapped = true;
        count = (*held - 1) / (uint32_t)x->plan->stage_count;
        passes = true;
        *held = 0;
    }
    if (passes)
        see(&e->passed, count);
    return passes;
}

/* False: it arrives once too often. */
static bool take_arrivals(explorer *x, stage_state *b, int stage, uint32_t arrivals, uint32_t expected)
{
    if (arrivals > b->pending) {
        x->result.over_arrival = true;
        return false;
    }
    b->tx += (int32_t)expected;
    b->pending -= arrivals;
    return settle(x, b, stage);
}

static bool step_fences(explorer *x, const state *s, int agent_index, const event *e)
{
    fence_view view = {s->at, s->landed, s->fences};
    return explore_fences(x, &view, agent_index, e);
}

/* Reads must find what was written through the same memory, not what an alias has put there. */
static void step_work(explorer *x, const state *s, const event *e)
{
    for (int i = 0; x->overlapping && i < e->touches; i++) {
        const touch *t = &x->touches.at[e->first_touch + i];
        const plan_slot *p = &x->plan->slots[t->slot];
        if (!ir_effects[t->kind].writes) {
            x->result.race |= s->gone[t->slot];
            continue;
        }
        for (int j = 0; j < p->overlaps; j++) {
            int other = x->plan->overlaps[p->first_overlap + j];
            s->gone[other] = x->plan->slots[other].owner != p->owner;
        }
    }
}

bool explore_step_event(explorer *x, state *s, int agent_index)
{
    event *e = &x->actors[agent_index].events.at[s->at[agent_index]];
    stage_state *b = &s->stages[e->stage];
    x->result.unfenced |= !step_fences(x, s, agent_index, e);
    switch (e->kind) {
    case EVENT_WAIT:
        if (!step_wait(x, s, agent_index, e))
            return false;
        break;
    case EVENT_PROBE:
        *answer_of(s, agent_index, e->status) =
            (b->count & 1) != e->parity ? 1 + (uint32_t)e->stage + (uint32_t)x->plan->stage_count * b->count
                                        : 0;
        break;
    case EVENT_FORGET: *answer_of(s, agent_index, e->status) = 0; break;
    case EVENT_ARRIVE:
        see(&e->met, b->count);
        if (!take_arrivals(x, b, e->stage, e->arrivals, e->bytes))
            return false;
        break;
    case EVENT_WORK: step_work(x, s, e); break;
    }
    s->at[agent_index]++;
    return true;
}

bool explore_step_flight(explorer *x, state *s, int number)
{
    explore_flight *f = &x->flights.at[number];
    if (s->landed[number] || s->at[f->agent] <= (uint32_t)f->event)
        return false;
    stage_state *b = &s->stages[f->stage];
    see(&f->fell, b->count);
    b->tx -= (int32_t)f->bytes;
    s->landed[number] = 1;
    return take_arrivals(x, b, f->stage, f->arrivals, f->expected);
}
