/* What is known of symbolic values. Nobody chooses a value beforehand: an agent that must know whether a value is
 * greater than some number asks, and the search over questions (steady.c) tries both answers. */
#include "prove/machine.h"

int value_instance(const machine *m, int agent_index, int value)
{
    const plan_value *v = &m->plan->values[value];
    const agent *a = &m->now.agents[agent_index];
    if (v->of_trip)
        return (int)(a->tile & 1) * PLAN_TRIPS + (int)(a->trip % PLAN_TRIPS);
    return plan_of_tile(v) ? (int)(a->tile & 1) : 0;
}

knowledge *value_known(const machine *m, int value, int instance)
{
    return &m->now.known[m->plan->values[value].first_known + instance];
}

answer value_greater(machine *m, int agent_index, int value, int64_t than)
{
    const agent *a = &m->now.agents[agent_index];
    if (a->pinned && m->plan->values[value].kind == PLAN_BOUND)
        return a->pin > than ? ANSWER_YES : ANSWER_NO;
    const knowledge *k = value_known(m, value, value_instance(m, agent_index, value));
    if (than < k->from)
        return ANSWER_YES;
    return k->period ? ANSWER_UNKNOWN : ANSWER_NO;
}

answer value_choice(const machine *m, int agent_index, int value)
{
    const knowledge *k = value_known(m, value, value_instance(m, agent_index, value));
    if (k->period)
        return ANSWER_UNKNOWN;
    return k->from ? ANSWER_YES : ANSWER_NO;
}

void value_answered(const machine *m)
{
    for (int i = 0; i < m->plan->agent_count; i++)
        if (m->now.agents[i].status == AGENT_ASKS)
            m->now.agents[i].status = AGENT_RUNS;
}

void value_is_greater(const machine *m, const question *q)
{
    knowledge *k = value_known(m, q->value, q->instance);
    k->from += k->period;
    value_answered(m);
}

/* ---- trips --------------------------------------------------------------------------------------------- */

/* What is known of an older trip makes room. */
bool value_enter_trip(machine *m, int agent_index, int value)
{
    const agent *a = &m->now.agents[agent_index];
    int instance = value_instance(m, agent_index, value);
    moment *at = &m->now.moments[m->plan->values[value].first_known + instance];
    if (at->tile == a->tile && at->trip == a->trip)
        return true;
    if (at->tile > a->tile || (at->tile == a->tile && at->trip > a->trip))
        return machine_fault(m, (finding){FAULT_TRIP_DRIFT, .agent = agent_index, .op = a->pc, .stage = -1});
    *at = (moment){a->tile, a->trip};
    *value_known(m, value, instance) = (knowledge){0, 1};
    return true;
}

/* ---- tiles --------------------------------------------------------------------------------------------- */

bool value_has_tiles_ahead(const machine *m, int agent_index, int queue)
{
    const plan_task *t = &m->plan->tasks[m->plan->agents[agent_index].task];
    return machine_alive(m, agent_index) && t->task->queue == queue &&
           m->now.agents[agent_index].pc <= t->tile_end;
}

/* Values of a tile are kept for two tiles: the newest, and the one before it. Nobody may ask about an older one. */
static bool nobody_is_two_tiles_behind(machine *m, int agent_index, int value, int64_t newest)
{
    for (int i = 0; i < m->plan->agent_count; i++) {
        const agent *other = &m->now.agents[i];
        if (value_has_tiles_ahead(m, i, m->plan->values[value].queue) &&
            m->plan->tasks[m->plan->agents[i].task].of_tile && other->tile <= newest - 2)
            return machine_fault(m, (finding){FAULT_DRIFT, .agent = i, .op = other->pc, .stage = -1,
                                              .other_agent = agent_index, .number = newest});
    }
    return true;
}

bool value_enter_tile(machine *m, int agent_index, int value)
{
    int64_t tile = m->now.agents[agent_index].tile;
    if (tile <= m->now.newest_tile[value])
        return true;
    if (!nobody_is_two_tiles_behind(m, agent_index, value, tile))
        return false;
    m->now.newest_tile[value] = tile;
    for (int i = 0; i < m->plan->value_count; i++) {
        const plan_value *v = &m->plan->values[i];
        if (plan_of_tile(v) && v->queue == m->plan->values[value].queue)
            *value_known(m, i, (int)(tile & 1)) = (knowledge){v->least, 1};
    }
    return true;
}
