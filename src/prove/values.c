/* What is known of symbolic values. Nobody chooses a value beforehand: an agent that must know whether a value is
 * greater than some number asks, and the search over questions (steady.c) tries both answers. */
#include "prove/machine.h"

int value_instance(const machine *m, int agent_index, int value)
{
    const plan_value *v = &m->plan->values[value];
    return v->kind == PLAN_TILES || v->queue < 0 ? 0 : (int)(m->now.agents[agent_index].tile & 1);
}

knowledge *value_known(const machine *m, int value, int instance)
{
    return &m->now.known[2 * value + instance];
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

answer value_skipped(const machine *m, int agent_index, int value)
{
    const knowledge *k = value_known(m, value, value_instance(m, agent_index, value));
    if (k->period)
        return ANSWER_UNKNOWN;
    return k->from ? ANSWER_YES : ANSWER_NO;
}

/* Values of a tile are kept for two tiles: the newest, and the one before it. */
static bool nobody_is_two_tiles_behind(machine *m, int agent_index, int value)
{
    int64_t tile = m->now.agents[agent_index].tile;
    int queue = m->plan->values[value].queue;
    for (int i = 0; i < m->plan->agent_count; i++) {
        const agent *other = &m->now.agents[i];
        if (other->in_tile_loop && plan_task_of(m->plan, i)->queue == queue && other->tile <= tile - 2)
            return machine_fault(m, (finding){FAULT_DRIFT, .agent = i, .op = other->pc, .stage = -1,
                                              .other_agent = agent_index, .number = tile});
    }
    return true;
}

bool value_enter_tile(machine *m, int agent_index, int value)
{
    int64_t tile = m->now.agents[agent_index].tile;
    if (tile <= m->now.newest_tile[value])
        return true;
    if (!nobody_is_two_tiles_behind(m, agent_index, value))
        return false;
    m->now.newest_tile[value] = tile;
    for (int i = 0; i < m->plan->value_count; i++) {
        const plan_value *v = &m->plan->values[i];
        if (v->kind != PLAN_TILES && v->queue == m->plan->values[value].queue)
            *value_known(m, i, (int)(tile & 1)) = (knowledge){v->least, 1};
    }
    return true;
}
