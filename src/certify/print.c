/* A machine at rest as text. Machines that behave alike print alike:
 *
 *   rings       are turned so that the first cursor that moves in them stands at slot 0 of lap 0
 *   tiles       are counted from the newest, which is -1
 *   trips       with conditions of their own are counted from that of the first agent in such a loop
 *   values      that nobody will ask about are left out; of one that only agents in its loops ask about, it is said how far
 *               they are from it
 *   facts       that all who may ever be asked about them know are left out; of the others, who does not know them
 *   stages      whose last completion all who may wait for it know tell nothing new
 *
 * Whatever is left out either is never asked for again or can only help those who ask. */
#include "certify/print.h"

/* ---- agents -------------------------------------------------------------------------------------------- */

static int64_t tile_zero(const printer *p, int queue)
{
    for (size_t i = 0; i < p->w->values.len; i++)
        if (p->w->values.at[i].kind == VALUE_TILES && p->w->values.at[i].queue == queue)
            return p->s->newest[i] + 1;
    return 0;
}

static bool is_closed(const state_value *v)
{
    return !v->step && !v->every;
}

/* Where in a loop that a value rules. */
static void put_ruled(const printer *p, int agent, const world_op *loop)
{
    const state_agent *a = &p->s->agents[agent];
    int instance = value_instance(p->w, loop->value, a->tile);
    const state_value *v = &p->s->values[instance];
    int64_t test = loop->offset + a->trip * loop->step;
    int64_t distance = a->mode == TRIP_COUNTED ? test - v->from : a->distance;
    bool counted = a->mode == TRIP_COUNTED && !v->any && !is_closed(v) &&
                   (v->every || state_asked_later(p->s, loop->value, instance));
    printer_put_number(p, "trip", counted && !p->places ? a->trip : state_alike_trip(loop, a->trip));
    if (counted && p->places && p->places->of.instance == instance) {
        print_place at = {agent, test};
        vec_push(&p->places->at, at);
        printer_put(p, "somewhere");
    } else if (counted && p->places) {
        printer_put_number(p, "exactly", a->trip);
    } else if (!counted) {
        printer_put_number(p, a->mode == TRIP_LEFT || is_closed(v) ? "left" : "from", distance);
    }
}

static void put_loop(const printer *p, int agent)
{
    const state_agent *a = &p->s->agents[agent];
    const world_op *loop = a->in_loop ? state_loop(p->s, agent) : NULL;
    if (loop && loop->symbolic)
        put_ruled(p, agent, loop);
    else if (loop)
        printer_put_number(p, "trip", a->trip);
    if (loop && loop->family >= 0)
        printer_put_number(p, "turn", a->turn - state_turn_zero(p->s, loop->family, a->tile));
}

static void put_cursors(const printer *p, int agent)
{
    const world_task *t = &p->w->tasks[p->w->agents[agent].task];
    for (size_t i = 0; i < t->task->cursors.len; i++) {
        int ring = t->cursor_ring[i];
        const state_cursor *c = state_cursor_of(p->s, agent, (int)i);
        text_printf(p->out, " cursor %d %lld %u %d %lld", printer_turned(p, ring, c->slot),
                    (long long)printer_lap(p, ring, c->slot, c->lap),
                    printer_parity(p, ring, c->slot, c->parity), printer_turned(p, ring, c->held),
                    (long long)printer_lap(p, ring, c->held, c->held_lap));
    }
}

static void put_probes(const printer *p, int agent)
{
    const world_agent *a = &p->w->agents[agent];
    for (int i = 0; i < world_task_of(p->w, agent)->status_count; i++) {
        const state_probe *asked = &p->s->probes[a->first_probe + i];
        if (asked->stage < 0)
            continue;
        int ring = printer_stage_ring(p, asked->stage), number = p->w->stages[asked->stage].number;
        text_printf(p->out, " probe %d %s %u %d", i, printer_stage_name(p, asked->stage),
                    printer_parity(p, ring, number, asked->parity), asked->behind);
    }
}

static void put_groups(const printer *p, int agent, group_kind kind, const char *word)
{
    for (int g = 0; g < p->s->agents[agent].groups[kind]; g++) {
        text_printf(p->out, " %s (", word);
        for (int place = 0; place < p->w->slot_count; place++) {
            int slot = printer_slot_at(p, place);
            if (state_group(p->s, agent, kind, g)[slot / 32] >> (slot % 32) & 1)
                printer_put(p, printer_slot_name(p, slot));
        }
        text_add(p->out, " )");
    }
}

static void print_agent(const printer *p, int agent)
{
    const state_agent *a = &p->s->agents[agent];
    const world_agent *of = &p->w->agents[agent];
    int queue = world_task_of(p->w, agent)->queue;
    text_printf(p->out, "agent %s", of->name);
    put_groups(p, agent, GROUPS_WGMMA, "wgmma");
    put_groups(p, agent, GROUPS_BULK, "bulk");
    if (a->status == STATE_DONE) {
        text_add(p->out, " done\n");
        return;
    }
    printer_put_number(p, "pc", a->pc);
    if (a->status == STATE_WAITS)
        text_printf(p->out, " waits %s", printer_stage_name(p, a->stage));
    else
        printer_put(p, "asks");
    put_loop(p, agent);
    if (queue >= 0 && state_has_tiles_ahead(p->s, agent, queue))
        printer_put_number(p, "tile", a->tile - tile_zero(p, queue));
    put_cursors(p, agent);
    put_probes(p, agent);
    text_add(p->out, "\n");
}

/* ---- values -------------------------------------------------------------------------------------------- */

static bool somebody_asks(const printer *p, int value, int instance)
{
    const world_value *v = &p->w->values.at[value];
    for (int i = 0; i < p->w->agent_count; i++) {
        if (!state_alive(p->s, i))
            continue;
        const world_op *loop = state_loop(p->s, i);
        bool rules = v->kind == VALUE_BOUND && p->s->agents[i].in_loop && loop && loop->value == value &&
                     p->s->agents[i].mode != TRIP_LEFT;
        bool asks = p->s->agents[i].status == STATE_ASKS && state_asked(p->s, i).instance == instance;
        if (asks || (rules && value_instance(p->w, value, p->s->agents[i].tile) == instance) ||
            (v->kind == VALUE_TILES && state_has_tiles_ahead(p->s, i, v->queue)))
            return true;
    }
    return false;
}

static void print_value(const printer *p, int value, int instance)
{
    const world_value *v = &p->w->values.at[value];
    const state_value *known = &p->s->values[instance];
    bool later = v->kind == VALUE_TILES || state_asked_later(p->s, value, instance);
    bool open = value_is_choice(v) || !is_closed(known) || v->kind == VALUE_TILES;
    if (known->dead || (!later && !(open && somebody_asks(p, value, instance))))
        return;
    if (v->kind == VALUE_TILES && !somebody_asks(p, value, instance))
        return;
    text_printf(p->out, "value %d", value);
    if (value_of_tile(v)) {
        int64_t newest = tile_zero(p, v->queue) - 1;
        printer_put(p, value_instance(p->w, value, newest) == instance ? "newest" : "before");
    }
    if (value_is_choice(v))
        printer_put(p, known->choice < 0 ? "open" : known->choice ? "yes" : "no");
    else if (p->places && p->places->of.instance == instance)
        printer_put_number(p, "from somewhere step", known->step);
    else if (v->kind == VALUE_BOUND && (known->any || (!later && !known->every)))
        printer_put_number(p, "any step", known->step);
    else
        text_printf(p->out, " from %lld every %lld step %lld",
                    (long long)(known->from - (v->kind == VALUE_TILES ? tile_zero(p, v->queue) : 0)),
                    (long long)known->every, (long long)known->step);
    text_add(p->out, "\n");
}

static void print_trips(const printer *p, int value, int64_t tile, const char *which)
{
    int64_t zero = state_turn_zero(p->s, p->w->values.at[value].family, tile);
    const state_value *v = state_next_condition(p->s, value, tile, INT64_MIN);
    for (; v; v = state_next_condition(p->s, value, tile, v->turn + 1))
        text_printf(p->out, "value %d%s turn %lld %s\n", value, which, (long long)(v->turn - zero),
                    v->choice ? "yes" : "no");
}

static void print_values(const printer *p)
{
    for (int i = 0; i < (int)p->w->values.len; i++) {
        const world_value *v = &p->w->values.at[i];
        int64_t newest = value_of_tile(v) ? tile_zero(p, v->queue) - 1 : 0;
        for (int back = 0; back < (value_of_tile(v) ? 2 : 1); back++)
            if (v->of_trip)
                print_trips(p, i, newest - back, !value_of_tile(v) ? "" : back ? " before" : " newest");
            else
                print_value(p, i, value_instance(p->w, i, newest - back));
    }
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static void print_all(printer *p)
{
    print_values(p);
    for (int i = 0; i < p->w->agent_count; i++)
        if (!p->w->agents[i].is_pipe)
            print_agent(p, i);
    print_facts(p);
}

void state_print_without(const state *s, print_places *places, text *out)
{
    const world *w = s->world;
    text fact = {0};
    printer p = {.s = s, .w = w, .out = out, .places = places, .fact = &fact};
    p.holder_words = ((size_t)s->holders + 63) / 64;
    p.holders = base_alloc(p.holder_words * sizeof(uint64_t));
    p.turn = base_alloc(((size_t)w->ring_count + 1) * sizeof(int));
    p.laps = base_alloc(((size_t)w->ring_count + 1) * sizeof(int64_t));
    p.tells = base_alloc((size_t)w->stage_count + 1);
    printer_turn(&p);
    for (int i = 0; i < w->stage_count; i++)
        p.tells[i] = !printer_all_know(&p, i, MAY_WAIT, stage_fact(w, i, ABOUT_LAST_PHASE));
    if (places)
        places->at.len = 0;
    print_all(&p);
    free(p.turn);
    free(p.laps);
    free(p.tells);
    free(p.holders);
    text_free(&fact);
    for (size_t i = 0; i < p.groups.len; i++) {
        free(p.groups.at[i].holders);
        text_free(&p.groups.at[i].facts);
    }
    vec_free(&p.groups);
}

void state_print(const state *s, text *out)
{
    state_print_without(s, NULL, out);
}
