/* A weaker machine that many come to have. Nothing here need be right, as in forget.c.
 *
 *   loops, values  where nobody but agents in its loops will ask about a value, only their distance from it is kept; what nobody
 *                  will ask about is dead
 *   conditions     of trips that nobody will ask about are not known
 *   facts, laps    forget.c */
#include "certify/weaken.h"

/* ---- who may ask later --------------------------------------------------------------------------------- */

static bool begins(const world_op *o)
{
    return o->value >= 0 &&
           (o->op->kind == IR_LOOP || o->op->kind == IR_TILE_LOOP || o->op->kind == IR_GUARD);
}

static bool inside(const world_task *t, int pc)
{
    return pc > t->tile_loop && pc < t->tile_end;
}

/* Whether both are in the body of one domain loop: there guards come again with the next trip. */
static bool in_one_loop(const world_task *t, int a, int b)
{
    int loop = t->ops[a].loop;
    return loop >= 0 && loop == t->ops[b].loop && a > loop && b > loop;
}

/* Behind the operation it is at, or in the same domain loop; in a tile loop, for values that outlive the tile, anywhere in
 * the loop. */
static bool comes_to(const world_task *t, int pc, int value, bool of_tile)
{
    bool again = !of_tile && (inside(t, pc) || pc == t->tile_end);
    for (int i = 0; i < t->count; i++)
        if (t->ops[i].value == value && begins(&t->ops[i]) && (!of_tile || inside(t, i)) &&
            (i > pc || (again && inside(t, i)) || in_one_loop(t, pc, i)))
            return true;
    return false;
}

static bool asks_in_tile(const state *s, int agent, int value, int64_t tile)
{
    const world_task *t = &s->world->tasks[s->world->agents[agent].task];
    const state_agent *a = &s->agents[agent];
    if (!state_has_tiles_ahead(s, agent, s->world->values.at[value].queue) || a->tile > tile)
        return false;
    bool there = a->tile == tile && inside(t, a->pc);
    return comes_to(t, there ? a->pc : t->tile_loop, value, true);
}

bool weaken_asked_later(const state *s, int value, int instance)
{
    const world_value *v = &s->world->values.at[value];
    bool of_tile = value_of_tile(v);
    int64_t tile = 0;
    if (of_tile) {
        int64_t newest = state_newest_tile(s, v->queue);
        tile = v->first + (int)(newest & 1) == instance ? newest : newest - 1;
    }
    for (int i = 0; i < s->world->agent_count; i++) {
        const world_task *t = &s->world->tasks[s->world->agents[i].task];
        if (state_alive(s, i) &&
            (of_tile ? asks_in_tile(s, i, value, tile) : comes_to(t, s->agents[i].pc, value, false)))
            return true;
    }
    return false;
}

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
        (v->every || weaken_asked_later(s, loop->value, instance)))
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
    bool later = v->kind != VALUE_TILES && weaken_asked_later(s, value, instance);
    bool open = v->kind != VALUE_BOUND || !is_closed(known);
    if (known->dead || (!later && !(open && is_asked_now(s, value, instance))))
        *known = (state_value){.dead = true, .choice = -1};
    else if (v->kind == VALUE_BOUND && (known->any || (!later && !known->every)))
        *known = (state_value){.any = true, .step = known->step, .choice = -1};
}

/* ---- conditions of trips ------------------------------------------------------------------------------- */

/* Whether an agent in a loop asks about the value in that trip or a later one: it may have passed the guards of its own. */
static bool asks_on(const state *s, int agent, const world_op *loop, int value, int64_t turn)
{
    const world_task *t = &s->world->tasks[s->world->agents[agent].task];
    const state_agent *a = &s->agents[agent];
    for (int i = loop->loop; i < loop->op->match; i++)
        if (t->ops[i].value == value && (turn > a->turn || (turn == a->turn && i >= a->pc)))
            return true;
    return false;
}

static bool may_be_asked(const state *s, int value, int64_t tile, int64_t turn)
{
    int family = s->world->values.at[value].family;
    for (int i = 0; i < s->world->agent_count; i++) {
        const world_op *loop = state_loop_of_family(s, i, family, tile);
        if ((loop && asks_on(s, i, loop, value, turn)) || state_will_begin(s, i, family, value, tile))
            return true;
    }
    return false;
}

static void weaken_condition(state *s, int value, int instance)
{
    const world_value *of = &s->world->values.at[value];
    state_value *v = &s->values[instance];
    bool before = value_of_tile(of) && instance < value_instance(s->world, value, -1);
    if (v->choice < 0 || !may_be_asked(s, value, value_of_tile(of) ? -1 - before : 0, v->turn))
        *v = (state_value){.dead = true, .choice = -1};
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

void weaken_machine(state *s)
{
    const world *w = s->world;
    for (int i = 0; i < w->agent_count; i++)
        weaken_loop(s, i);
    for (int i = 0; i < w->instance_count; i++)
        (w->values.at[w->value_of[i]].of_trip ? weaken_condition : weaken_value)(s, w->value_of[i], i);
    for (int i = 0; i < w->stage_count; i++)
        s->stages[i].count = s->stages[i].count & 1 && state_is_looked_at(s, i);
    weaken_facts(s);
}
