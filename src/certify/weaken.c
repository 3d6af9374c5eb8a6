/* A weaker machine that many come to have. Nothing here need be right, as in forget.c.
 *
 *   loops, values  where nobody but agents in its loops will ask about a value, only their distance from it is kept; what nobody
 *                  will ask about is dead
 *   conditions     of trips that nobody will ask about are not known
 *   facts, laps    forget.c */
#include "certify/state.h"

/* ---- loops and values ---------------------------------------------------------------------------------- */

static bool is_closed(const state_value *v)
{
    return !v->step && !v->every;
}

static void weaken_loop(state *s, int agent)
{
    state_agent *a = &s->agents[agent];
    const world_op *loop = state_alive(s, agent) && a->in_loop ? state_loop(s, agent) : NULL;
    if (!loop || !loop->symbolic)
        return;
    int instance = value_instance(s->world, loop->value, a->tile);
    const state_value *v = &s->values[instance];
    if (a->mode == TRIP_COUNTED && !v->any && !is_closed(v) &&
        (v->every || state_asked_later(s, loop->value, instance)))
        return;
    if (a->mode == TRIP_COUNTED)
        a->distance = loop->offset + a->trip * loop->step - v->from;
    a->mode = a->mode == TRIP_LEFT || is_closed(v) ? TRIP_LEFT : TRIP_FROM;
    a->trip = state_alike_trip(loop, a->trip);
}

static bool asks_about(const state *s, int agent, int value, int instance)
{
    const world_value *v = &s->world->values.at[value];
    const state_agent *a = &s->agents[agent];
    if (v->kind == VALUE_TILES)
        return state_has_tiles_ahead(s, agent, v->queue);
    if (!state_alive(s, agent))
        return false;
    const world_op *loop = a->in_loop && a->mode != TRIP_LEFT ? state_loop(s, agent) : NULL;
    bool ruled = loop && loop->value == value && value_instance(s->world, value, a->tile) == instance;
    return ruled || (a->status == STATE_ASKS && state_asked(s, agent).instance == instance);
}

static bool is_asked_now(const state *s, int value, int instance)
{
    for (int i = 0; i < s->world->agent_count; i++)
        if (asks_about(s, i, value, instance))
            return true;
    return false;
}

static void weaken_value(state *s, int value, int instance)
{
    const world_value *v = &s->world->values.at[value];
    state_value *known = &s->values[instance];
    bool later = v->kind != VALUE_TILES && state_asked_later(s, value, instance);
    bool open = v->kind != VALUE_BOUND || !is_closed(known);
    if (known->dead || (!later && !(open && is_asked_now(s, value, instance))))
        *known = (state_value){.dead = true, .choice = -1};
    else if (v->kind == VALUE_BOUND && (known->any || (!later && !known->every)))
        *known = (state_value){.any = true, .step = known->step, .choice = -1};
}

static void weaken_condition(state *s, int value, int instance)
{
    const world_value *of = &s->world->values.at[value];
    state_value *v = &s->values[instance];
    bool before = value_of_tile(of) && instance < value_instance(s->world, value, -1);
    if (v->choice < 0 || !state_may_ask(s, value, value_of_tile(of) ? -1 - before : 0, v->turn))
        *v = (state_value){.dead = true, .choice = -1};
}

void state_weaken(state *s)
{
    const world *w = s->world;
    for (int i = 0; i < w->agent_count; i++)
        weaken_loop(s, i);
    for (int i = 0; i < w->instance_count; i++)
        (w->values.at[w->value_of[i]].of_trip ? weaken_condition : weaken_value)(s, w->value_of[i], i);
    for (int i = 0; i < w->stage_count; i++)
        s->stages[i].count = s->stages[i].count & 1 && state_is_looked_at(s, i);
    state_forget(s);
}
