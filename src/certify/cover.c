/* Whether a machine may stand for another: whatever passes its checks in the weak one does so in the other, now and later. They
 * agree in where everybody is and what is under way; the weak one knows no fact that the other does not know, and less, or
 * nothing, of values. docs/certificate.md, "Less knowledge is weaker". */
#include "certify/state.h"

/* ---- agents -------------------------------------------------------------------------------------------- */

static bool same_groups(const state *weak, const state *s, int agent)
{
    for (int kind = 0; kind < GROUP_KINDS; kind++) {
        int count = s->agents[agent].groups[kind];
        if (weak->agents[agent].groups[kind] != count ||
            memcmp(state_group(weak, agent, (group_kind)kind, 0), state_group(s, agent, (group_kind)kind, 0),
                   (size_t)count * s->slot_words * sizeof(uint64_t)) != 0)
            return false;
    }
    return true;
}

static bool same_cursors(const state *weak, const state *s, int agent)
{
    const world_agent *a = &s->world->agents[agent];
    const ir_task *t = world_task_of(s->world, agent);
    for (int i = a->first_cursor; i < a->first_cursor + (int)t->cursors.len; i++) {
        const state_cursor *x = &weak->cursors[i], *y = &s->cursors[i];
        if (x->slot != y->slot || x->lap != y->lap || x->parity != y->parity || x->held != y->held ||
            x->held_lap != y->held_lap)
            return false;
    }
    for (int i = a->first_probe; i < a->first_probe + t->status_count; i++) {
        const state_probe *x = &weak->probes[i], *y = &s->probes[i];
        if (x->stage != y->stage || (x->stage >= 0 && (x->parity != y->parity || x->behind != y->behind)))
            return false;
    }
    return true;
}

/* How far the test of an agent's trip is from the least that the value can be; or from the value itself. */
static bool same_distance(const state *s, const state_agent *a, const world_op *loop, trip_mode mode,
                          int64_t distance)
{
    const state_value *v = &s->values[value_instance(s->world, loop->value, a->tile)];
    bool closed = !v->step && !v->every;
    if (a->mode == mode)
        return a->distance == distance;
    if (v->dead || (mode == TRIP_LEFT && !closed))
        return false;
    if (a->mode == TRIP_FROM)
        return mode == TRIP_LEFT && a->distance == distance;
    return a->mode == TRIP_COUNTED && !v->any && !v->every &&
           loop->offset + a->trip * loop->step - v->from == distance;
}

static bool same_trip(const state *weak, const state *s, int agent)
{
    const state_agent *x = &weak->agents[agent], *y = &s->agents[agent];
    if (!x->in_loop || !y->in_loop)
        return x->in_loop == y->in_loop;
    const world_op *loop = state_loop(s, agent);
    if (!loop || (loop->family >= 0 && x->turn != y->turn))
        return false;
    if (!loop->symbolic || x->mode == TRIP_COUNTED)
        return x->mode == y->mode && x->trip == y->trip;
    return state_alike_trip(loop, x->trip) == state_alike_trip(loop, y->trip) &&
           same_distance(s, y, loop, x->mode, x->distance);
}

static bool covers_agent(const state *weak, const state *s, int agent)
{
    const state_agent *x = &weak->agents[agent], *y = &s->agents[agent];
    if (x->status != y->status || !same_groups(weak, s, agent))
        return false;
    if (x->status == STATE_DONE)
        return true;
    return x->pc == y->pc && (x->status != STATE_WAITS || x->stage == y->stage) && x->tile == y->tile &&
           same_trip(weak, s, agent) && same_cursors(weak, s, agent);
}

/* ---- values -------------------------------------------------------------------------------------------- */

/* Of a value that is dead, or of which anything may be the least, nobody can ask in the weak machine. What is not known of a
 * condition is asked again. */
static bool covers_value(const state *weak, const state *s, int instance)
{
    const state_value *x = &weak->values[instance], *y = &s->values[instance];
    if (value_is_choice(&s->world->values.at[s->world->value_of[instance]]))
        return x->choice < 0 || (x->choice == y->choice && x->turn == y->turn);
    if (x->dead || y->dead)
        return x->dead;
    if (x->step != y->step || x->any || y->any)
        return x->step == y->step && x->any;
    if (!x->every)
        return x->from == y->from && !y->every;
    return y->from >= x->from && (y->from - x->from) % x->every == 0 && y->every % x->every == 0;
}

/* ---- stages, slots, facts ------------------------------------------------------------------------------ */

bool state_is_looked_at(const state *s, int stage)
{
    for (int i = 0; i < s->world->agent_count; i++)
        if (state_alive(s, i) && world_acts(s->world, i, stage, MAY_LOOK))
            return true;
    return false;
}

static bool same_stage(const state *weak, const state *s, int stage)
{
    const state_stage *x = &weak->stages[stage], *y = &s->stages[stage];
    bool parity = (x->count & 1) == (y->count & 1) || !state_is_looked_at(s, stage);
    return parity && x->pending == y->pending && x->bytes == y->bytes && x->engines == y->engines &&
           x->owed == y->owed && x->lead == y->lead;
}

int64_t state_least_lap(const state *s, int slot)
{
    const world_slot *of = &s->world->slots[slot];
    int64_t least = INT64_MAX;
    for (int i = 0; of->pipelined && i < s->world->agent_count; i++) {
        const world_task *t = &s->world->tasks[s->world->agents[i].task];
        for (int j = 0; state_alive(s, i) && j < (int)t->task->cursors.len; j++) {
            const state_cursor *c = state_cursor_of(s, i, j);
            int64_t lap = c->lap < c->held_lap ? c->lap : c->held_lap;
            if (t->cursor_ring[j] == s->world->buffer_ring[of->buffer] && lap < least)
                least = lap;
        }
    }
    return least;
}

/* Laps that nobody is in any more are alike. */
static bool same_lap(int64_t weak, int64_t lap, int64_t least)
{
    return weak == lap || (weak == NO_LAP && lap < least);
}

static bool covers_slot(const state *weak, const state *s, int slot)
{
    const world_slot *of = &s->world->slots[slot];
    const state_copy *x = &weak->copies[slot], *y = &s->copies[slot];
    int64_t least = state_least_lap(s, slot);
    for (int i = of->first_access; i < of->first_access + of->agents; i++)
        if (!same_lap(weak->laps[i], s->laps[i], least))
            return false;
    return weak->gone[slot] == s->gone[slot] && same_lap(x->lap, y->lap, least) &&
           (x->lap == NO_LAP || x->whole == y->whole) && x->age[ABOUT_COPY] <= y->age[ABOUT_COPY] &&
           x->age[ABOUT_COPY_BEFORE] <= y->age[ABOUT_COPY_BEFORE];
}

/* Of the last work of a pipe it is enough that somebody knows that it is finished. */
static bool covers_pipe(const state *weak, const state *s, int pipe)
{
    int fact = s->world->agents[pipe].last_fact;
    for (int i = 0; i < s->holders && !state_is_finished(s, pipe); i++)
        if (state_knows(weak, i, fact) && !state_knows(s, i, fact))
            return false;
    return true;
}

static bool covers_facts(const state *weak, const state *s)
{
    for (int i = 0; i < s->holders; i++)
        for (int word = 0; word < s->world->last_facts / WORD_BITS; word++)
            if (state_holder(weak, i)[word] & ~state_holder(s, i)[word])
                return false;
    for (int i = 0; i < s->world->agent_count; i++)
        if (s->world->agents[i].is_pipe && !covers_pipe(weak, s, i))
            return false;
    return true;
}

bool state_covers(const state *weak, const state *s)
{
    const world *w = s->world;
    bool covers = covers_facts(weak, s);
    for (int i = 0; covers && i < w->agent_count; i++)
        covers = covers_agent(weak, s, i);
    for (int i = 0; covers && i < w->instance_count; i++)
        covers = covers_value(weak, s, i);
    for (int i = 0; covers && i < w->stage_count; i++)
        covers = same_stage(weak, s, i);
    for (int i = 0; covers && i < w->slot_count; i++)
        covers = covers_slot(weak, s, i);
    for (size_t i = 0; covers && i < w->values.len; i++)
        covers = w->values.at[i].kind != VALUE_TILES || weak->newest[i] == s->newest[i];
    return covers;
}
