/* Machines at rest that behave alike take one form:
 *
 *   loops, values  where nobody but agents in its loops will ask about a value, only their distance from it is kept; what nobody
 *                  will ask about is dead
 *   trips          with conditions of their own are counted from that of the first agent in such a loop
 *   tiles          are counted from the newest, which is -1
 *   rings          turn.c
 *   facts          forget.c
 *
 * Whatever is dropped either is never asked for again or can only help those who ask. */
#include "certify/state.h"

/* ---- loops and values ---------------------------------------------------------------------------------- */

static bool is_closed(const state_value *v)
{
    return !v->step && !v->every;
}

static void settle_loop(state *s, int agent)
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

static void settle_value(state *s, int value, int instance)
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

/* ---- trips --------------------------------------------------------------------------------------------- */

static void settle_conditions(state *s, int value, int64_t tile, int64_t zero)
{
    state_value *known = &s->values[value_instance(s->world, value, tile)], old[WORLD_TRIPS];
    for (int i = 0; i < WORLD_TRIPS; i++) {
        old[i] = known[i];
        known[i] = (state_value){.dead = true, .choice = -1};
    }
    for (int i = 0; i < WORLD_TRIPS; i++) {
        int64_t turn = old[i].turn - zero;
        if (old[i].choice >= 0 && state_may_ask(s, value, tile, old[i].turn))
            known[turn & (WORLD_TRIPS - 1)] = (state_value){.choice = old[i].choice, .turn = turn};
    }
}

static void settle_family(state *s, int family, int64_t tile)
{
    int64_t zero = state_turn_zero(s, family, tile);
    for (size_t i = 0; i < s->world->values.len; i++)
        if (s->world->values.at[i].of_trip && s->world->values.at[i].family == family)
            settle_conditions(s, (int)i, tile, zero);
    for (int i = 0; i < s->world->agent_count; i++)
        if (state_loop_of_family(s, i, family, tile))
            s->agents[i].turn -= zero;
}

/* ---- tiles --------------------------------------------------------------------------------------------- */

static void swap_tiles(state *s, int value)
{
    const world_value *v = &s->world->values.at[value];
    int count = value_instances(v) / 2;
    for (int i = v->first; i < v->first + count; i++) {
        state_value even = s->values[i];
        s->values[i] = s->values[i + count];
        s->values[i + count] = even;
    }
}

static void settle_tiles(state *s, int tiles)
{
    int queue = s->world->values.at[tiles].queue;
    int64_t zero = s->newest[tiles] + 1;
    for (int i = 0; i < s->world->agent_count; i++)
        if (world_task_of(s->world, i)->queue == queue)
            s->agents[i].tile = state_has_tiles_ahead(s, i, queue) ? s->agents[i].tile - zero : 0;
    for (int i = 0; zero & 1 && i < (int)s->world->values.len; i++)
        if (value_of_tile(&s->world->values.at[i]) && s->world->values.at[i].queue == queue)
            swap_tiles(s, i);
    s->values[s->world->values.at[tiles].first].from -= zero;
    s->newest[tiles] = -1;
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

void state_settle(state *s)
{
    const world *w = s->world;
    int values = (int)w->values.len;
    for (int i = 0; i < w->agent_count; i++)
        settle_loop(s, i);
    for (int i = 0; i < w->instance_count; i++)
        if (!w->values.at[w->value_of[i]].of_trip)
            settle_value(s, w->value_of[i], i);
    for (int i = 0; i < values; i++) {
        const world_value *v = &w->values.at[i];
        int64_t newest = value_of_tile(v) ? state_newest_tile(s, v->queue) : 0;
        for (int back = 0; v->of_trip && v->family == i && back < (value_of_tile(v) ? 2 : 1); back++)
            settle_family(s, i, newest - back);
    }
    for (int i = 0; i < values; i++)
        if (w->values.at[i].kind == VALUE_TILES)
            settle_tiles(s, i);
    state_turn_rings(s);
    state_forget(s);
}
