/* Other names for a machine at rest. What it does depends on none of them:
 *
 *   trips  with conditions of their own are counted from that of the first agent in such a loop
 *   tiles  are counted from the newest, which is -1
 *   rings  turn.c */
#include "certify/state.h"

/* ---- trips --------------------------------------------------------------------------------------------- */

static void rename_conditions(state *s, int value, int64_t tile, int64_t zero)
{
    state_value *known = &s->values[value_instance(s->world, value, tile)], old[WORLD_TRIPS];
    memcpy(old, known, sizeof old);
    for (int i = 0; i < WORLD_TRIPS; i++) {
        state_value *to = &known[(i - zero) & (WORLD_TRIPS - 1)];
        *to = old[i];
        to->turn -= zero;
    }
}

static void rename_family(state *s, int family, int64_t tile)
{
    int64_t zero = state_turn_zero(s, family, tile);
    for (size_t i = 0; i < s->world->values.len; i++)
        if (s->world->values.at[i].of_trip && s->world->values.at[i].family == family)
            rename_conditions(s, (int)i, tile, zero);
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

static void rename_tiles(state *s, int tiles)
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

void state_rename(state *s)
{
    int values = (int)s->world->values.len;
    for (int i = 0; i < values; i++) {
        const world_value *v = &s->world->values.at[i];
        int64_t newest = value_of_tile(v) ? state_newest_tile(s, v->queue) : 0;
        for (int back = 0; v->of_trip && v->family == i && back < (value_of_tile(v) ? 2 : 1); back++)
            rename_family(s, i, newest - back);
    }
    for (int i = 0; i < values; i++)
        if (s->world->values.at[i].kind == VALUE_TILES)
            rename_tiles(s, i);
    state_turn_rings(s);
}
