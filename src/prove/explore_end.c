/* Ends, as the explorer judges them: what is left over; and after all states what waits and arrivals have met. */
#include "prove/explore_events.h"

/* Whether someone has waited for completion `count` of the stage, or for a later one if `later`. */
static bool waited_for(const explorer *x, int stage, uint32_t count, bool later)
{
    for (int a = 0; a < x->plan->agent_count; a++)
        for (size_t i = 0; i < x->actors[a].events.len; i++) {
            const event *e = &x->actors[a].events.at[i];
            if (e->kind == EVENT_WAIT && e->stage == stage && e->passed.low <= e->passed.high &&
                e->passed.high >= count && (later || e->passed.low <= count))
                return true;
        }
    return false;
}

/* Whether something asynchronous came with the last completed phase. */
static bool ended_by_engine(const explorer *x, int stage, uint32_t count)
{
    for (size_t i = 0; i < x->flights.len; i++) {
        const explore_flight *f = &x->flights.at[i];
        if (f->kind != FLIGHT_REMOTE && f->stage == stage && f->fell.high + 1 == count)
            return true;
    }
    return false;
}

static bool is_used(const explorer *x, int stage)
{
    for (int crew = 0; crew < x->plan->crew_count; crew++)
        if (plan_acts(x->plan, crew, stage, PLAN_USES))
            return true;
    return false;
}

static bool balances(const explorer *x, const state *s, int stage)
{
    const plan_stage *at = &x->plan->stages[stage];
    int partner = plan_barrier_of(x->plan, stage)->balance;
    if (partner < 0)
        return true;
    int other = plan_stage_at(x->plan, partner, at->rank) + at->stage;
    if (x->plan->ranks > 1 && !(is_used(x, stage) && is_used(x, other)))
        return true;
    return s->stages[other].count == s->stages[stage].count;
}

static bool stage_is_clean(const explorer *x, const state *s, int stage)
{
    const ir_barrier *b = plan_barrier_of(x->plan, stage);
    uint32_t count = s->stages[stage].count;
    bool must_be_seen = count && (b->side == IR_FULL || ended_by_engine(x, stage, count));
    return s->stages[stage].pending == b->arrivals && !s->stages[stage].tx && balances(x, s, stage) &&
           (!must_be_seen || waited_for(x, stage, count, false));
}

static int last_touch(const explorer *x, int agent_index, ir_maker of)
{
    const actor *a = &x->actors[agent_index];
    int last = -1;
    for (size_t i = 0; i < a->events.len; i++)
        for (int j = 0; j < a->events.at[i].touches; j++)
            if (ir_effects[x->touches.at[a->events.at[i].first_touch + j].kind].maker == of)
                last = (int)i;
    return last;
}

/* Whether someone has waited for what an engine was given last. */
static bool engine_is_idle(const explorer *x, int agent_index, ir_maker of, flight_kind kind)
{
    int last = last_touch(x, agent_index, of);
    for (size_t i = 0; last >= 0 && i < x->flights.len; i++) {
        const explore_flight *f = &x->flights.at[i];
        if (f->kind == kind && f->agent == agent_index && f->event > last &&
            waited_for(x, f->stage, f->fell.high + 1, true))
            return true;
    }
    return last < 0;
}

void explore_check_end(explorer *x, const state *s)
{
    for (int i = 0; i < x->plan->stage_count; i++)
        x->result.leftover |= !stage_is_clean(x, s, i);
    for (int i = 0; i < x->plan->agent_count; i++)
        x->result.leftover |= x->actors[i].bulk_left ||
                              !engine_is_idle(x, i, IR_BY_TENSOR_PIPE, FLIGHT_TENSOR) ||
                              !engine_is_idle(x, i, IR_BY_COPY_PIPE, FLIGHT_LOADS);
}

bool explore_is_end(const explorer *x, const state *s)
{
    for (int i = 0; i < x->plan->agent_count; i++)
        if (explore_next(x, s, i))
            return false;
    for (size_t i = 0; i < x->flights.len; i++)
        if (!s->landed[i])
            return false;
    return true;
}

void explore_judge_sightings(explorer *x)
{
    for (int a = 0; a < x->plan->agent_count; a++)
        for (size_t i = 0; i < x->actors[a].events.len; i++) {
            const event *e = &x->actors[a].events.at[i];
            bool met = e->met.low <= e->met.high, passed = e->passed.low <= e->passed.high;
            if (e->kind == EVENT_ARRIVE && met && e->met.low != e->met.high)
                x->result.over_arrival = true;
            if (e->kind != EVENT_WAIT || !met)
                continue;
            uint32_t target = e->met.high + ((e->met.high & 1) == e->parity);
            if (e->met.low + 1 < target || e->met.high > target)
                x->result.lapped = true;
            if (passed && (e->passed.low != target || e->passed.high != target))
                x->result.lapped = true;
        }
    for (size_t i = 0; i < x->flights.len; i++) {
        const seen *f = &x->flights.at[i].fell;
        if (f->low < f->high)
            x->result.over_arrival = true;
    }
}
