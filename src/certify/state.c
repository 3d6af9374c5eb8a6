/* The block of state, facts, and what is known of values. */
#include "certify/state.h"

/* ---- the block ----------------------------------------------------------------------------------------- */

static void *take(char *base, size_t *used, size_t count, size_t size)
{
    void *at = base ? base + *used : NULL;
    *used += (count * size + 15) / 16 * 16;
    return at;
}

static size_t lay_out(state *s, char *base)
{
    const world *w = s->world;
    size_t used = 0, stages = (size_t)w->stage_count, slots = (size_t)w->slot_count;
    size_t groups = (size_t)w->agent_count * GROUP_KINDS * MOST_OPEN_GROUPS;
    s->block = base;
    s->agents = take(base, &used, (size_t)w->agent_count, sizeof(state_agent));
    s->cursors = take(base, &used, (size_t)w->cursor_count, sizeof(state_cursor));
    s->probes = take(base, &used, (size_t)w->probe_count, sizeof(state_probe));
    s->stages = take(base, &used, stages, sizeof(state_stage));
    s->laps = take(base, &used, (size_t)w->access_count, sizeof(int64_t));
    s->copies = take(base, &used, slots, sizeof(state_copy));
    s->gone = take(base, &used, slots, sizeof(bool));
    s->values = take(base, &used, (size_t)w->instance_count, sizeof(state_value));
    s->newest = take(base, &used, w->values.len, sizeof(int64_t));
    s->groups = take(base, &used, groups * s->slot_words, sizeof(uint64_t));
    s->knows = take(base, &used, (size_t)s->holders * s->fact_words, sizeof(uint64_t));
    s->told_of = take(base, &used, s->fact_words, sizeof(uint64_t));
    return used;
}

void state_new(state *s, const world *w)
{
    *s = (state){.world = w, .most_events = UINT64_MAX};
    s->fact_words = world_fact_words(w);
    s->slot_words = ((size_t)w->slot_count + WORD_BITS - 1) / WORD_BITS;
    s->holders = w->agent_count + 2 * w->stage_count;
    s->block_bytes = lay_out(s, NULL);
    (void)lay_out(s, base_alloc(s->block_bytes + 1));
}

void state_free(state *s)
{
    free(s->block);
    vec_free(&s->flights);
}

static void begin_agent(state *s, int agent)
{
    const world_agent *a = &s->world->agents[agent];
    const ir_task *t = world_task_of(s->world, agent);
    s->agents[agent].status = a->is_pipe ? STATE_DONE : STATE_RUNS;
    state_fill(s, agent, !a->is_pipe);
    for (int slot = 0; a->is_pipe && slot < s->world->slot_count; slot++)
        for (int kind = 0; world_may_access(s->world, slot, agent) && kind < ABOUT_OWN_KINDS; kind++)
            state_learn(s, agent, access_fact(s->world, slot, (about_slot)kind, agent));
    if (a->is_pipe)
        state_learn(s, agent, a->last_fact);
    for (size_t i = 0; !a->is_pipe && i < t->cursors.len; i++) {
        const ir_cursor *c = &t->cursors.at[i];
        int slot = c->lane == IR_LANE_FIXED     ? c->first
                   : c->lane == IR_LANE_BY_WARP ? a->warp / c->lane_warps
                                                : 0;
        *state_cursor_of(s, agent, (int)i) = (state_cursor){.slot = slot, .held = slot, .parity = c->parity};
    }
}

static void begin_value(state *s, int value)
{
    const world_value *v = &s->world->values.at[value];
    for (int i = 0; i < value_instances(v); i++)
        s->values[v->first + i] = (state_value){.from = v->least, .step = 1, .choice = -1};
    s->newest[value] = -1;
}

/* All but what fences after a thread synchronisation say. */
static void find_told_of(const state *s)
{
    memset(s->told_of, 0xff, s->fact_words * sizeof(uint64_t));
    for (int slot = 0; slot < s->world->slot_count; slot++) {
        const world_slot *of = &s->world->slots[slot];
        for (int agent = of->first_agent; agent < of->first_agent + of->agents; agent++)
            for (int kind = ABOUT_CLEAR_WRITE; kind <= ABOUT_CLEAR_READ; kind++)
                bits_remove(s->told_of, access_fact(s->world, slot, (about_slot)kind, agent));
    }
}

void state_begin(state *s)
{
    const world *w = s->world;
    memset(s->block, 0, s->block_bytes);
    s->flights.len = s->first_flight = 0;
    s->wrong = NULL;
    find_told_of(s);
    for (int i = 0; i < w->stage_count; i++) {
        s->stages[i].pending = world_barrier(w, i)->arrivals;
    }
    for (int i = 0; i < w->access_count; i++)
        s->laps[i] = NO_LAP;
    for (int i = 0; i < w->slot_count; i++)
        s->copies[i] = (state_copy){.age = {3, 3}, .lap = NO_LAP};
    for (int i = 0; i < w->probe_count; i++)
        s->probes[i].stage = -1;
    for (size_t i = 0; i < w->values.len; i++)
        begin_value(s, (int)i);
    for (int i = 0; i < w->agent_count; i++)
        begin_agent(s, i);
}

bool state_wrong(state *s, int agent, const char *what)
{
    if (!s->wrong) {
        s->wrong = what;
        s->wrong_agent = agent;
        s->wrong_pc = agent < 0 ? -1 : s->agents[agent].pc;
    }
    return false;
}

/* ---- facts --------------------------------------------------------------------------------------------- */

void state_learn_all(const state *s, int holder, int of)
{
    uint64_t *into = state_holder(s, holder);
    const uint64_t *from = state_holder(s, of);
    for (size_t i = 0; i < s->fact_words; i++)
        into[i] |= from[i] & s->told_of[i];
}

void state_fill(const state *s, int holder, bool with)
{
    memset(state_holder(s, holder), with ? 0xff : 0, s->fact_words * sizeof(uint64_t));
}

void state_happens(const state *s, int fact, int by)
{
    for (int i = 0; i < s->holders; i++)
        bits_remove(state_holder(s, i), fact);
    if (by >= 0)
        state_learn(s, by, fact);
}

void state_move_fact(const state *s, int from, int to)
{
    for (int i = 0; i < s->holders; i++)
        (state_knows(s, i, from) ? bits_add : bits_remove)(state_holder(s, i), to);
}

void state_move_facts(const state *s, int stage, about_stage from, about_stage to)
{
    int places = world_places(s->world, stage), first = warp_fact(s->world, stage, to, 0);
    for (int i = 0; i < s->holders; i++) {
        uint64_t known = bits_get(state_holder(s, i), warp_fact(s->world, stage, from, 0), places);
        bits_put(state_holder(s, i), first, places, known);
    }
}

void state_reveal_facts(const state *s, int stage, about_stage kind)
{
    int places = world_places(s->world, stage), first = warp_fact(s->world, stage, kind, 0);
    for (int i = 0; i < s->world->agent_count; i++)
        bits_put(state_holder(s, i), first, places, (UINT64_C(1) << places) - 1);
}

/* ---- values -------------------------------------------------------------------------------------------- */

static state_answer forgotten(state *s, int agent)
{
    (void)state_wrong(s, agent, "asks about a value that was forgotten");
    return ANSWER_WRONG;
}

/* Of a test whose number is known: whether the value is greater. */
static state_answer greater(state *s, int agent, const state_value *v, int64_t test)
{
    if (v->dead || v->any)
        return forgotten(s, agent);
    if (test < v->from)
        return ANSWER_YES;
    return v->step || v->every ? ANSWER_OPEN : ANSWER_NO;
}

state_answer state_has_trip(state *s, int agent, const world_op *loop, int ahead)
{
    const state_agent *a = &s->agents[agent];
    if (!loop->symbolic)
        return a->trip + ahead < loop->count ? ANSWER_YES : ANSWER_NO;
    const state_value *v = &s->values[value_instance(s->world, loop->value, a->tile)];
    int64_t distance = a->distance + ahead * loop->step;
    switch (a->mode) {
    case TRIP_COUNTED: return greater(s, agent, v, loop->offset + (a->trip + ahead) * loop->step);
    case TRIP_LEFT: return distance < 0 ? ANSWER_YES : ANSWER_NO;
    case TRIP_FROM: break;
    }
    if (v->dead)
        return forgotten(s, agent);
    return distance < 0 ? ANSWER_YES : v->step ? ANSWER_OPEN : ANSWER_NO;
}

state_answer state_has_tile(state *s, int agent, int value)
{
    return greater(s, agent, &s->values[s->world->values.at[value].first], s->agents[agent].tile);
}

/* What is not remembered of a trip is asked again: then both answers are followed, and one of them is right. */
static state_answer choice_of_trip(const state *s, const state_agent *a, int value)
{
    const state_value *v = &s->values[turn_instance(s->world, value, a->tile, a->turn)];
    bool known = v->choice >= 0 && v->turn == a->turn;
    return !known ? ANSWER_OPEN : v->choice ? ANSWER_YES : ANSWER_NO;
}

state_answer state_choice(state *s, int agent, int value)
{
    const state_agent *a = &s->agents[agent];
    if (s->world->values.at[value].of_trip)
        return choice_of_trip(s, a, value);
    const state_value *v = &s->values[value_instance(s->world, value, a->tile)];
    if (v->dead)
        return forgotten(s, agent);
    return v->choice < 0 ? ANSWER_OPEN : v->choice ? ANSWER_YES : ANSWER_NO;
}

/* Values of a tile are kept for two tiles. Nobody who may ask may be further behind. */
static bool nobody_is_behind(state *s, int queue, int64_t newest)
{
    for (int i = 0; i < s->world->agent_count; i++)
        if (state_has_tiles_ahead(s, i, queue) && s->agents[i].tile <= newest - 2 &&
            s->world->tasks[s->world->agents[i].task].asks_by_tile)
            return state_wrong(s, i, "is two tiles behind");
    return true;
}

bool state_enter_tile(state *s, int agent, int value)
{
    int64_t tile = s->agents[agent].tile;
    int queue = s->world->values.at[value].queue;
    if (tile <= s->newest[value])
        return true;
    if (!nobody_is_behind(s, queue, tile))
        return false;
    s->newest[value] = tile;
    for (size_t i = 0; i < s->world->values.len; i++) {
        const world_value *v = &s->world->values.at[i];
        state_value *known = &s->values[value_instance(s->world, (int)i, tile)];
        for (int n = 0; value_of_tile(v) && v->queue == queue && n < value_instances(v) / 2; n++)
            known[n] = (state_value){.from = v->least, .step = 1, .choice = -1};
    }
    return true;
}

int64_t state_newest_tile(const state *s, int queue)
{
    for (size_t i = 0; i < s->world->values.len; i++)
        if (s->world->values.at[i].kind == VALUE_TILES && s->world->values.at[i].queue == queue)
            return s->newest[i];
    return -1;
}

static bool is_in_loop_of(const state *s, int agent, const question *q)
{
    const state_agent *a = &s->agents[agent];
    if (!state_alive(s, agent) || !a->in_loop)
        return false;
    const world_op *loop = state_loop(s, agent);
    return loop && loop->value == q->value && value_instance(s->world, q->value, a->tile) == q->instance;
}

/* The value is the least that it can be: what is left is which one that is. */
static void close_value(state *s, const question *q)
{
    state_value *v = &s->values[q->instance];
    v->step = v->any ? 0 : v->every;
    v->every = 0;
    for (int i = 0; i < s->world->agent_count; i++)
        if (is_in_loop_of(s, i, q) && s->agents[i].mode == TRIP_FROM)
            s->agents[i].mode = TRIP_LEFT;
}

static void raise_value(state *s, const question *q)
{
    state_value *v = &s->values[q->instance];
    v->from += v->step;
    for (int i = 0; i < s->world->agent_count; i++)
        if (is_in_loop_of(s, i, q) && s->agents[i].mode == TRIP_FROM)
            s->agents[i].distance -= v->step;
}

void state_give(state *s, const question *q, bool more)
{
    if (value_is_choice(&s->world->values.at[q->value]))
        s->values[q->instance] = (state_value){.choice = more, .turn = q->turn};
    else if (more)
        raise_value(s, q);
    else
        close_value(s, q);
    for (int i = 0; i < s->world->agent_count; i++)
        if (s->agents[i].status == STATE_ASKS)
            s->agents[i].status = STATE_RUNS;
}

question state_asked(const state *s, int agent)
{
    const world_op *o = state_op(s, agent);
    int value = o->value;
    if (value < 0 && o->loop >= 0) /* a guard for the last trip */
        value = state_loop(s, agent)->value;
    const state_agent *a = &s->agents[agent];
    if (value < 0)
        return (question){-1, -1, 0};
    if (s->world->values.at[value].of_trip)
        return (question){value, turn_instance(s->world, value, a->tile, a->turn), a->turn};
    return (question){value, value_instance(s->world, value, a->tile), 0};
}

int state_first_to_ask(const state *s, const question *q)
{
    for (int i = 0; i < s->world->agent_count; i++) {
        question asked = s->agents[i].status == STATE_ASKS ? state_asked(s, i) : (question){-1, -1, 0};
        if (same_question(&asked, q))
            return i;
    }
    return -1;
}

int64_t state_alike_trip(const world_op *loop, int64_t trip)
{
    return trip < loop->first ? trip : loop->first + (trip - loop->first) % loop->period;
}
