/* A machine at rest as text. Machines that behave alike print alike:
 *
 *   rings       are turned so that the first cursor that moves in them stands at slot 0 of lap 0
 *   tiles       are counted from the newest, which is -1
 *   values      that nobody will ask about are left out; of one that only agents in its loops ask about, it is said how far
 *               they are from it
 *   facts       that all who may ever be asked about them know are left out; of the others, who does not know them
 *   stages      whose last completion all who may wait for it know tell nothing new
 *
 * Whatever is left out either is never asked for again or can only help those who ask. */
#include "certify/state.h"

/* Facts that the same agents and stages do not know. */
typedef struct fact_group {
    uint64_t *holders; /* bits */
    text facts;
} fact_group;

typedef struct printer {
    const state *s;
    const world *w;
    text *out;
    text *fact;        /* the one at hand, spelled */
    uint64_t *holders; /* who does not know it */
    size_t holder_words;
    VEC(fact_group) groups;
    print_places *places;
    int *turn;     /* by ring: the slot that is called 0 */
    int64_t *laps; /* by ring: the lap that is called 0 */
    bool *tells;   /* by stage: its last completion has something to tell */
} printer;

/* ---- rings ------------------------------------------------------------------------------------------------------------- */

static void find_turns(printer *p)
{
    const world *w = p->w;
    bool *found = base_alloc((size_t)w->ring_count + 1);
    memset(found, 0, (size_t)w->ring_count + 1);
    memset(p->turn, 0, (size_t)w->ring_count * sizeof(int));
    memset(p->laps, 0, (size_t)w->ring_count * sizeof(int64_t));
    for (int i = 0; i < w->agent_count; i++) {
        const world_task *t = &w->tasks[w->agents[i].task];
        for (size_t j = 0; state_alive(p->s, i) && j < t->task->cursors.len; j++) {
            int ring = t->cursor_ring[j];
            const state_cursor *c = state_cursor_of(p->s, i, (int)j);
            if (found[ring] || !t->cursor_moves[j])
                continue;
            found[ring] = true;
            p->turn[ring] = w->rings[ring].turns ? c->slot : 0;
            p->laps[ring] = c->lap;
        }
    }
    free(found);
}

/* The new number of a slot or stage of a ring, and by how much laps there are counted less. */
static int turned(const printer *p, int ring, int number)
{
    int stages = p->w->rings[ring].stages, n = number - p->turn[ring];
    return n < 0 ? n + stages : n;
}

static int64_t laps_less(const printer *p, int ring, int number)
{
    return p->laps[ring] + (number < p->turn[ring]);
}

/* The reverse of turned. */
static int number_at(const printer *p, int ring, int place)
{
    int stages = p->w->rings[ring].stages, n = place + p->turn[ring];
    return p->turn[ring] && n >= stages ? n - stages : n;
}

static int stage_ring(const printer *p, int stage)
{
    return p->w->barrier_ring[p->w->stages[stage].barrier];
}

static int slot_ring(const printer *p, int slot)
{
    return p->w->buffer_ring[p->w->slots[slot].buffer];
}

/* The stage (slot) that is printed at that place, and the name it gets there. */
static int stage_at(const printer *p, int place)
{
    int number = p->w->stages[place].number;
    return place - number + number_at(p, stage_ring(p, place), number);
}

static int slot_at(const printer *p, int place)
{
    int number = p->w->slots[place].number;
    return place - number + number_at(p, slot_ring(p, place), number);
}

static const char *stage_name(const printer *p, int stage)
{
    int number = p->w->stages[stage].number;
    return p->w->stages[stage - number + turned(p, stage_ring(p, stage), number)].name;
}

static const char *slot_name(const printer *p, int slot)
{
    int number = p->w->slots[slot].number;
    return p->w->slots[slot - number + turned(p, slot_ring(p, slot), number)].name;
}

static int64_t lap_there(const printer *p, int ring, int number, int64_t lap)
{
    return lap - laps_less(p, ring, number);
}

static uint32_t parity_there(const printer *p, int ring, int number, uint32_t parity)
{
    return parity ^ (uint32_t)(laps_less(p, ring, number) & 1);
}

static void put(const printer *p, const char *word)
{
    text_add(p->out, " ");
    text_add(p->out, word);
}

static void put_number(const printer *p, const char *word, int64_t number)
{
    text_printf(p->out, " %s %lld", word, (long long)number);
}

/* ---- agents ------------------------------------------------------------------------------------------------------------- */

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
    put_number(p, "trip", counted && !p->places ? a->trip : state_alike_trip(loop, a->trip));
    if (counted && p->places && p->places->of.instance == instance) {
        print_place at = {agent, test};
        vec_push(&p->places->at, at);
        put(p, "somewhere");
    } else if (counted && p->places) {
        put_number(p, "exactly", a->trip);
    } else if (!counted) {
        put_number(p, a->mode == TRIP_LEFT || is_closed(v) ? "left" : "from", distance);
    }
}

static void put_loop(const printer *p, int agent)
{
    const state_agent *a = &p->s->agents[agent];
    const world_op *loop = a->in_loop ? state_loop(p->s, agent) : NULL;
    if (loop && loop->symbolic)
        put_ruled(p, agent, loop);
    else if (loop)
        put_number(p, "trip", a->trip);
}

static void put_cursors(const printer *p, int agent)
{
    const world_task *t = &p->w->tasks[p->w->agents[agent].task];
    for (size_t i = 0; i < t->task->cursors.len; i++) {
        int ring = t->cursor_ring[i];
        const state_cursor *c = state_cursor_of(p->s, agent, (int)i);
        text_printf(p->out, " cursor %d %lld %u %d %lld", turned(p, ring, c->slot),
                    (long long)lap_there(p, ring, c->slot, c->lap), parity_there(p, ring, c->slot, c->parity),
                    turned(p, ring, c->held), (long long)lap_there(p, ring, c->held, c->held_lap));
    }
}

static void put_probes(const printer *p, int agent)
{
    const world_agent *a = &p->w->agents[agent];
    for (int i = 0; i < world_task_of(p->w, agent)->status_count; i++) {
        const state_probe *asked = &p->s->probes[a->first_probe + i];
        if (asked->stage < 0)
            continue;
        int ring = stage_ring(p, asked->stage), number = p->w->stages[asked->stage].number;
        text_printf(p->out, " probe %d %s %u %d", i, stage_name(p, asked->stage),
                    parity_there(p, ring, number, asked->parity), asked->behind);
    }
}

static void put_groups(const printer *p, int agent, group_kind kind, const char *word)
{
    for (int g = 0; g < p->s->agents[agent].groups[kind]; g++) {
        text_printf(p->out, " %s (", word);
        for (int place = 0; place < p->w->slot_count; place++) {
            int slot = slot_at(p, place);
            if (state_group(p->s, agent, kind, g)[slot / 32] >> (slot % 32) & 1)
                put(p, slot_name(p, slot));
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
    put_number(p, "pc", a->pc);
    if (a->status == STATE_WAITS)
        text_printf(p->out, " waits %s", stage_name(p, a->stage));
    else
        put(p, "asks");
    put_loop(p, agent);
    if (queue >= 0 && state_has_tiles_ahead(p->s, agent, queue))
        put_number(p, "tile", a->tile - tile_zero(p, queue));
    put_cursors(p, agent);
    put_probes(p, agent);
    text_add(p->out, "\n");
}

/* ---- values ------------------------------------------------------------------------------------------------------------------ */

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
        put(p, value_instance(p->w, value, newest) == instance ? "newest" : "before");
    }
    if (value_is_choice(v))
        put(p, known->choice < 0 ? "open" : known->choice ? "yes" : "no");
    else if (p->places && p->places->of.instance == instance)
        put_number(p, "from somewhere step", known->step);
    else if (v->kind == VALUE_BOUND && (known->any || (!later && !known->every)))
        put_number(p, "any step", known->step);
    else
        text_printf(p->out, " from %lld every %lld step %lld",
                    (long long)(known->from - (v->kind == VALUE_TILES ? tile_zero(p, v->queue) : 0)),
                    (long long)known->every, (long long)known->step);
    text_add(p->out, "\n");
}

static void print_values(const printer *p)
{
    for (int i = 0; i < (int)p->w->values.len; i++) {
        const world_value *v = &p->w->values.at[i];
        int64_t newest = value_of_tile(v) ? tile_zero(p, v->queue) - 1 : 0;
        print_value(p, i, value_instance(p->w, i, newest));
        if (value_of_tile(v))
            print_value(p, i, value_instance(p->w, i, newest - 1));
    }
}

/* ---- who may be asked -------------------------------------------------------------------------------------------------------- */

/* All agents that may act on the stage like that know the fact. */
static bool all_acting_know(const printer *p, int stage, uint8_t how, int fact)
{
    for (int i = 0; i < p->w->agent_count; i++)
        if (state_alive(p->s, i) && world_acts(p->w, i, stage, how) && !state_knows(p->s, i, fact))
            return false;
    return true;
}

static bool somebody_may(const printer *p, int stage, uint8_t how)
{
    for (int i = 0; i < p->w->agent_count; i++)
        if (state_alive(p->s, i) && world_acts(p->w, i, stage, how))
            return true;
    return false;
}

static bool all_touching_know(const printer *p, int slot, uint8_t how, int but, int fact)
{
    for (int i = 0; i < p->w->agent_count; i++)
        if (i != but && state_alive(p->s, i) && world_touches(p->w, i, slot, how) &&
            !state_knows(p->s, i, fact))
            return false;
    return true;
}

/* Whether somebody may yet have to conclude that a phase of that age is complete. */
static bool is_needed(const printer *p, int stage, int age)
{
    if (age == 0)
        return p->s->stages[stage].begun;
    int kind = age == 1 ? ABOUT_LAST_PHASE : ABOUT_PHASE_BEFORE;
    return !all_acting_know(p, stage, MAY_USE, stage_fact(p->w, stage, kind));
}

/* ---- stages --------------------------------------------------------------------------------------------------------------------- */

static bool must_be_seen(const printer *p, int stage)
{
    const state_stage *b = &p->s->stages[stage];
    return !b->seen && (world_barrier(p->w, stage)->side == IR_FULL || b->engines[1]);
}

static void print_stage(const printer *p, int stage)
{
    static const char *const mutes[] = {"mute", "mute-last", "mute-before"};
    const state_stage *b = &p->s->stages[stage];
    text line = {0};
    uint32_t parity = parity_there(p, stage_ring(p, stage), p->w->stages[stage].number, b->count & 1);
    if (parity && somebody_may(p, stage, MAY_LOOK))
        text_add(&line, " odd");
    if (b->pending != world_barrier(p->w, stage)->arrivals)
        text_printf(&line, " pending %u", b->pending);
    if (b->bytes)
        text_printf(&line, " bytes %lld", (long long)b->bytes);
    if (b->lead)
        text_printf(&line, " lead %lld", (long long)b->lead);
    if (b->begun)
        text_add(&line, " begun");
    if (must_be_seen(p, stage))
        text_add(&line, " unseen");
    if (b->engines[0])
        text_add(&line, " engines");
    if (must_be_seen(p, stage) && b->engines[1])
        text_add(&line, " engines-last");
    for (int age = 0; age < 3; age++)
        if (b->mute[age] && is_needed(p, stage, age))
            text_printf(&line, " %s", mutes[age]);
    if (line.len)
        text_printf(p->out, "stage %s%s\n", stage_name(p, stage), text_str(&line));
    text_free(&line);
}

/* ---- facts ------------------------------------------------------------------------------------------------------------------------ */

static void note_holder(const printer *p, int holder, int fact)
{
    if (!state_knows(p->s, holder, fact))
        p->holders[holder / 64] |= UINT64_C(1) << (holder % 64);
}

static fact_group *group_of_holders(printer *p)
{
    size_t bytes = p->holder_words * sizeof(uint64_t);
    for (size_t i = p->groups.len; i > 0; i--)
        if (memcmp(p->groups.at[i - 1].holders, p->holders, bytes) == 0)
            return &p->groups.at[i - 1];
    fact_group group = {.holders = base_alloc(bytes)};
    memcpy(group.holders, p->holders, bytes);
    vec_push(&p->groups, group);
    return vec_last(&p->groups);
}

/* The fact that is spelled goes to those of the same who do not know it. */
static void put_missing(printer *p, int fact)
{
    memset(p->holders, 0, p->holder_words * sizeof(uint64_t));
    for (int i = 0; i < p->w->agent_count; i++)
        if (state_alive(p->s, i))
            note_holder(p, i, fact);
    for (int stage = 0; stage < p->w->stage_count; stage++) {
        if (p->s->stages[stage].begun)
            note_holder(p, holder_gathered(p->s, stage), fact);
        if (p->tells[stage])
            note_holder(p, holder_done(p->s, stage), fact);
    }
    fact_group *group = group_of_holders(p);
    text_add_n(&group->facts, text_str(p->fact), p->fact->len);
    text_add(&group->facts, "\n");
    p->fact->len = 0;
}

static bool is_in(const fact_group *group, int holder)
{
    return group->holders[holder / 64] >> (holder % 64) & 1;
}

static void print_group(const printer *p, const fact_group *group)
{
    text_add(p->out, "unknown to");
    for (int i = 0; i < p->w->agent_count; i++)
        if (is_in(group, i))
            put(p, p->w->agents[i].name);
    for (int place = 0; place < p->w->stage_count; place++) {
        int stage = stage_at(p, place);
        if (is_in(group, holder_gathered(p->s, stage))) {
            put(p, "gathered");
            put(p, stage_name(p, stage));
        }
        if (is_in(group, holder_done(p->s, stage))) {
            put(p, "told");
            put(p, stage_name(p, stage));
        }
    }
    text_add(p->out, "\n");
    text_add_n(p->out, text_str(&group->facts), group->facts.len);
}

static void spell(const printer *p, const char *kind, const char *of, const char *by)
{
    text_add(p->fact, kind);
    text_add(p->fact, " ");
    text_add(p->fact, of);
    if (by) {
        text_add(p->fact, " ");
        text_add(p->fact, by);
    }
}

static void print_accesses(printer *p, int slot, int agent)
{
    static const char *const words[] = {[ABOUT_WRITE] = "write",
                                        [ABOUT_WRITE_BEFORE] = "write-before",
                                        [ABOUT_READ] = "read",
                                        [ABOUT_WGMMA] = "wgmma",
                                        [ABOUT_BULK] = "bulk"};
    const world_slot *of = &p->w->slots[slot];
    for (int kind = 0; kind < ABOUT_SLOT_KINDS; kind++) {
        int fact = access_fact(p->w, slot, (about_slot)kind, agent);
        bool write = kind == ABOUT_WRITE || kind == ABOUT_WRITE_BEFORE;
        if (all_touching_know(p, slot, write ? MAY_READ | MAY_WRITE : MAY_WRITE, agent, fact))
            continue;
        spell(p, words[kind], slot_name(p, slot), p->w->agents[agent].name);
        if (write)
            text_printf(
                p->fact, " lap %lld",
                (long long)lap_there(p, slot_ring(p, slot), of->number, *state_lap(p->s, slot, agent)));
        put_missing(p, fact);
    }
}

static void print_copies(printer *p, int slot)
{
    static const char *const words[] = {[ABOUT_COPY] = "copy", [ABOUT_COPY_BEFORE] = "copy-before"};
    const state_copy *c = &p->s->copies[slot];
    const world_slot *of = &p->w->slots[slot];
    for (int kind = 0; c->stage >= 0 && kind < ABOUT_COPIES; kind++) {
        int fact = copy_fact(p->w, slot, kind);
        if (all_touching_know(p, slot, MAY_READ | MAY_WRITE, -1, fact))
            continue;
        text_printf(p->fact, "%s %s %s age %d lap %lld%s", words[kind], slot_name(p, slot),
                    stage_name(p, c->stage), c->age[kind],
                    (long long)lap_there(p, slot_ring(p, slot), of->number, c->lap),
                    c->whole ? " whole" : "");
        put_missing(p, fact);
    }
}

static void print_slot(printer *p, int slot)
{
    const world_slot *of = &p->w->slots[slot];
    if (p->s->gone[slot])
        text_printf(p->out, "gone %s\n", slot_name(p, slot));
    for (int i = 0; i < of->agents; i++)
        print_accesses(p, slot, of->first_agent + i);
    print_copies(p, slot);
}

static void print_phases(printer *p, int stage)
{
    static const char *const words[] = {[ABOUT_LAST_PHASE] = "phase", [ABOUT_PHASE_BEFORE] = "phase-before"};
    for (int kind = 0; kind < ABOUT_STAGE; kind++) {
        int fact = stage_fact(p->w, stage, kind);
        if (all_acting_know(p, stage, MAY_USE, fact))
            continue;
        spell(p, words[kind], stage_name(p, stage), NULL);
        put_missing(p, fact);
    }
}

static void print_wait(printer *p, int stage, int agent)
{
    int fact = warp_fact(p->w, stage, ABOUT_WAIT, p->w->agents[agent].place);
    if (!*state_wait(p->s, stage, p->w->agents[agent].place) ||
        state_knows(p->s, holder_gathered(p->s, stage), fact))
        return;
    if (p->s->stages[stage].pending && all_acting_know(p, stage, MAY_ARRIVE, fact))
        return;
    spell(p, "wait", stage_name(p, stage), p->w->agents[agent].name);
    put_missing(p, fact);
}

static void print_told(printer *p, int stage, int agent)
{
    static const char *const words[] = {"told", "told-last", "told-before"};
    int place = p->w->agents[agent].place;
    for (int age = 0; age < 3; age++) {
        int fact = warp_fact(p->w, stage, (about_stage)(ABOUT_TOLD + age), place);
        if (!*state_told(p->s, stage, age, place) || p->s->stages[stage].mute[age] ||
            !is_needed(p, stage, age) || all_acting_know(p, stage, MAY_USE, fact))
            continue;
        spell(p, words[age], stage_name(p, stage), p->w->agents[agent].name);
        put_missing(p, fact);
    }
}

static void print_stage_facts(printer *p, int stage)
{
    int rank = p->w->stages[stage].rank;
    print_phases(p, stage);
    for (int i = 0; i < p->w->rank_warps[rank]; i++) {
        print_wait(p, stage, p->w->rank_first[rank] + i);
        print_told(p, stage, p->w->rank_first[rank] + i);
    }
}

static void print_pipe(printer *p, int pipe)
{
    int fact = p->w->agents[pipe].last_fact;
    for (int i = 0; i < p->w->agent_count; i++)
        if (i != pipe && state_knows(p->s, i, fact))
            return;
    spell(p, "last", p->w->agents[pipe].name, NULL);
    put_missing(p, fact);
}

/* ---- the whole ------------------------------------------------------------------------------------------------------------------- */

static void print_all(printer *p)
{
    const world *w = p->w;
    print_values(p);
    for (int i = 0; i < w->agent_count; i++)
        if (!w->agents[i].is_pipe)
            print_agent(p, i);
    for (int i = 0; i < w->stage_count; i++)
        print_stage(p, stage_at(p, i));
    for (int i = 0; i < w->slot_count; i++)
        print_slot(p, slot_at(p, i));
    for (int i = 0; i < w->stage_count; i++)
        print_stage_facts(p, stage_at(p, i));
    for (int i = 0; i < w->agent_count; i++)
        if (w->agents[i].is_pipe)
            print_pipe(p, i);
    for (size_t i = 0; i < p->groups.len; i++)
        print_group(p, &p->groups.at[i]);
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
    find_turns(&p);
    for (int i = 0; i < w->stage_count; i++)
        p.tells[i] = !all_acting_know(&p, i, MAY_WAIT, stage_fact(w, i, ABOUT_LAST_PHASE));
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
