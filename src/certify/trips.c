/* Conditions that are made anew in each trip of a domain loop. Trips are counted from the first of the loop, and answers are
 * remembered by the remainder of that number: a later one takes the place of one that is WORLD_TRIPS older, which is asked again
 * if anybody still needs it. That is weaker, as both answers are followed then.
 *
 * Only how far agents and answers are apart means something, so trips of a tile can be given other numbers; but if an agent
 * will begin such a loop in that tile, its first trip has number 0. */
#include "certify/state.h"

static const world_task *task_of(const state *s, int agent)
{
    return &s->world->tasks[s->world->agents[agent].task];
}

const world_op *state_loop_of_family(const state *s, int agent, int family, int64_t tile)
{
    const state_agent *a = &s->agents[agent];
    bool of_tile = s->world->values.at[family].queue >= 0;
    const world_op *loop = state_alive(s, agent) && a->in_loop ? state_loop(s, agent) : NULL;
    return loop && loop->family == family && (!of_tile || a->tile == tile) ? loop : NULL;
}

/* The first operation that the agent has not come to in that tile; behind the last: it has left it. */
static int first_ahead(const state *s, int agent, int family, int64_t tile)
{
    const world_task *t = task_of(s, agent);
    const state_agent *a = &s->agents[agent];
    int queue = s->world->values.at[family].queue;
    if (!state_alive(s, agent))
        return t->count;
    if (queue < 0)
        return a->pc + 1;
    if (!state_has_tiles_ahead(s, agent, queue) || a->tile > tile)
        return t->count;
    return a->tile == tile && a->pc > t->tile_loop && a->pc < t->tile_end ? a->pc + 1 : t->tile_loop + 1;
}

bool state_will_begin(const state *s, int agent, int family, int value, int64_t tile)
{
    const world_task *t = task_of(s, agent);
    for (int i = first_ahead(s, agent, family, tile); i < t->count; i++) {
        const world_op *loop = &t->ops[i];
        for (int j = i; loop->op->kind == IR_LOOP && loop->family == family && j < loop->op->match; j++)
            if (value < 0 || t->ops[j].value == value)
                return true;
    }
    return false;
}

int64_t state_turn_zero(const state *s, int family, int64_t tile)
{
    int first = -1;
    for (int i = s->world->agent_count - 1; i >= 0; i--)
        if (state_will_begin(s, i, family, -1, tile))
            return 0;
        else if (state_loop_of_family(s, i, family, tile))
            first = i;
    return first < 0 ? 0 : s->agents[first].turn;
}
