/* Facts that nobody will be asked about any more are unknown, and so are those that all who may be asked know, but to them. Who
 * may be asked is read off the program. */
#include "certify/weaken.h"

enum { MAY_READ = 1, MAY_WRITE = 2, MAY_ENGINE = 4 }; /* a crew and a slot; ENGINE: by the async proxy */

typedef struct asking {
    world *w;
    uint8_t *touches; /* [slot][crew] */
} asking;

/* ---- who touches what ---------------------------------------------------------------------------------- */

static void may_touch(const asking *a, int crew, const ir_effect *e, int rank)
{
    const world *w = a->w;
    uint8_t how = (uint8_t)((ir_effects[e->kind].writes ? MAY_WRITE : MAY_READ) |
                            (ir_effects[e->kind].async ? MAY_ENGINE : 0));
    for (int n = 0; n < w->program->buffers.at[e->buffer].stages; n++) {
        const world_slot *s = &w->slots[world_slot_at(w, e->buffer, rank) + n];
        for (int i = 0; i < s->overlap_count; i++)
            a->touches[(size_t)s->overlaps[i] * (size_t)w->crew_count + (size_t)crew] |= how;
    }
}

static void find_touched(const asking *a, int crew, const world_op *o)
{
    int ranks = a->w->ranks, rank = crew / (int)a->w->program->tasks.len;
    bool here = o->ranks >> rank & 1;
    a->w->fences[crew] |= here && o->op->kind == IR_FENCE && o->op->fence == IR_FENCE_PROXY;
    for (int i = 0; here && i < o->op->effect_count; i++)
        for (int at = 0; at < ranks; at++)
            if (o->reach[i * ranks + rank] >> at & 1)
                may_touch(a, crew, &o->op->effects[i], at);
}

/* ---- who may be asked ---------------------------------------------------------------------------------- */

static uint64_t *asked_of(const world *w, int agent)
{
    return w->asked + (size_t)agent * world_fact_words(w);
}

static bool touches(const asking *a, int agent, int slot, uint8_t how)
{
    return a->touches[(size_t)slot * (size_t)a->w->crew_count + (size_t)a->w->agents[agent].crew] & how;
}

static bool is_asked(const asking *a, int agent, int slot, about_slot kind, int of)
{
    bool of_read = kind == ABOUT_READ || kind == ABOUT_WGMMA || kind == ABOUT_BULK ||
                   kind == ABOUT_FENCED_READ || kind == ABOUT_CLEAR_READ;
    if (!touches(a, agent, slot, of_read ? MAY_WRITE : MAY_READ | MAY_WRITE))
        return false;
    if (kind < ABOUT_FENCED_WRITE)
        return true;
    if (!world_in_tensor_memory(a->w, slot))
        return kind < ABOUT_FENCED_READ && touches(a, agent, slot, MAY_ENGINE);
    return !world_same_warp(a->w, agent, of) && (kind >= ABOUT_CLEAR_WRITE || !a->w->agents[of].is_pipe);
}

static void find_asked_of_slot(const asking *a, int agent, int slot)
{
    const world_slot *of = &a->w->slots[slot];
    if (!touches(a, agent, slot, MAY_READ | MAY_WRITE))
        return;
    for (int kind = 0; kind < ABOUT_SLOT_KINDS; kind++)
        for (int i = of->first_agent; i < of->first_agent + of->agents; i++)
            if (is_asked(a, agent, slot, (about_slot)kind, i))
                bits_add(asked_of(a->w, agent), access_fact(a->w, slot, (about_slot)kind, i));
    for (int kind = 0; kind < ABOUT_COPIES; kind++)
        bits_add(asked_of(a->w, agent), copy_fact(a->w, slot, kind));
}

static void find_asked_of_stage(const world *w, int agent, int stage)
{
    bool uses = world_acts(w, agent, stage, MAY_USE), arrives = world_acts(w, agent, stage, MAY_ARRIVE);
    for (int kind = 0; uses && kind < ABOUT_STAGE; kind++)
        bits_add(asked_of(w, agent), stage_fact(w, stage, kind));
    for (int kind = 0; kind < ABOUT_STAGE_KINDS; kind++)
        for (int place = 0; (kind == ABOUT_WAIT ? arrives : uses) && place < world_places(w, stage); place++)
            bits_add(asked_of(w, agent), warp_fact(w, stage, (about_stage)kind, place));
}

void weaken_prepare(world *w)
{
    int tasks = (int)w->program->tasks.len;
    asking a = {.w = w};
    a.touches = arena_array(w->arena, uint8_t, w->slot_count * w->crew_count + 1);
    w->fences = arena_array(w->arena, bool, w->crew_count + 1);
    w->asked = arena_array(w->arena, uint64_t, (size_t)w->agent_count * world_fact_words(w) + 1);
    for (int crew = 0; crew < w->crew_count; crew++)
        for (int i = 0; i < w->tasks[crew % tasks].count; i++)
            find_touched(&a, crew, &w->tasks[crew % tasks].ops[i]);
    for (int i = 0; i < w->agent_count; i++) {
        for (int slot = 0; !w->agents[i].is_pipe && slot < w->slot_count; slot++)
            find_asked_of_slot(&a, i, slot);
        for (int stage = 0; !w->agents[i].is_pipe && stage < w->stage_count; stage++)
            find_asked_of_stage(w, i, stage);
    }
}

/* Who fences what others write asks whether the writes are over, as long as somebody may ask for the fence. */
static bool fences_in(const state *s, int agent, int slot)
{
    const world_agent *a = &s->world->agents[agent];
    return s->world->fences[a->crew] && state_alive(s, agent) && a->rank == s->world->slots[slot].rank &&
           !world_in_tensor_memory(s->world, slot);
}

/* ---- what is kept -------------------------------------------------------------------------------------- */

static bool all_fencing_know(const state *s, int slot, int fact)
{
    for (int i = 0; i < s->world->agent_count; i++)
        if (fences_in(s, i, slot) && !state_knows(s, i, fact))
            return false;
    return true;
}

static void keep_fenced(const state *s, int slot, uint64_t *kept)
{
    const world_slot *of = &s->world->slots[slot];
    for (int i = of->first_agent; i < of->first_agent + of->agents; i++)
        for (int kind = ABOUT_WRITE; kind <= ABOUT_WRITE_BEFORE; kind++) {
            int fact = access_fact(s->world, slot, (about_slot)kind, i);
            if (bits_has(kept, access_fact(s->world, slot, state_fenced((about_slot)kind), i)) &&
                !all_fencing_know(s, slot, fact))
                bits_add(kept, fact);
        }
}

/* Whether somebody may yet have to conclude that a phase of that age is complete. */
static bool is_needed(const state *s, int stage, int age, const uint64_t *kept)
{
    return !age ||
           bits_has(kept, stage_fact(s->world, stage, age == 1 ? ABOUT_LAST_PHASE : ABOUT_PHASE_BEFORE));
}

/* Whether it can be concluded: not if nobody knows of all that it has been told. */
static bool is_told_of_use(const state *s, int stage, int age, const uint64_t *kept)
{
    int others = world_places(s->world, stage) - 1;
    return is_needed(s, stage, age, kept) &&
           !bits_has(kept, warp_fact(s->world, stage, (about_stage)(ABOUT_TOLD + age), others));
}

static void drop_told(const state *s, int stage, int age, uint64_t *kept)
{
    int fact = warp_fact(s->world, stage, (about_stage)(ABOUT_TOLD + age), 0);
    int others = world_places(s->world, stage) - 1;
    bool of_use = is_told_of_use(s, stage, age, kept);
    for (int place = 0; !of_use && place < others; place++)
        bits_remove(kept, fact + place);
    if (!is_needed(s, stage, age, kept))
        bits_remove(kept, fact + others);
}

void weaken_find_kept(const state *s, uint64_t *kept)
{
    const world *w = s->world;
    memset(kept, 0, s->fact_words * sizeof(uint64_t));
    for (int i = 0; i < w->agent_count; i++)
        for (size_t word = 0; state_alive(s, i) && word < s->fact_words; word++)
            kept[word] |= asked_of(s->world, i)[word] & ~state_holder(s, i)[word];
    for (int i = 0; i < w->slot_count; i++)
        keep_fenced(s, i, kept);
    for (int i = 0; i < w->stage_count; i++)
        for (int age = 0; age < 3; age++)
            drop_told(s, i, age, kept);
    for (int i = 0; i < w->agent_count; i++)
        if (w->agents[i].is_pipe && !state_is_finished(s, i))
            bits_add(kept, w->agents[i].last_fact);
}

/* ---- the rest ------------------------------------------------------------------------------------------ */

static void know_what_is_fenced(const state *s, int agent, int slot, const uint64_t *kept)
{
    const world_slot *of = &s->world->slots[slot];
    for (int i = of->first_agent; i < of->first_agent + of->agents; i++)
        for (int kind = ABOUT_WRITE; kind <= ABOUT_WRITE_BEFORE; kind++) {
            int fact = access_fact(s->world, slot, (about_slot)kind, i);
            int fence = access_fact(s->world, slot, state_fenced((about_slot)kind), i);
            if (!bits_has(kept, fact) && bits_has(kept, fence))
                state_learn(s, agent, fact);
        }
}

static void forget_told(const state *s, int stage, int age, const uint64_t *kept)
{
    int fact = warp_fact(s->world, stage, (about_stage)(ABOUT_TOLD + age), 0);
    bool of_use = is_told_of_use(s, stage, age, kept);
    for (int i = 0; i < s->world->agent_count && !of_use; i++)
        bits_put(state_holder(s, i), fact, world_places(s->world, stage), 0);
}

static bool tells_something(const state *s, int stage)
{
    for (int i = 0; i < s->world->agent_count; i++)
        if (state_alive(s, i) && world_acts(s->world, i, stage, MAY_WAIT) &&
            !state_knows(s, i, stage_fact(s->world, stage, ABOUT_LAST_PHASE)))
            return true;
    return false;
}

static void forget_agent(const state *s, int agent, const uint64_t *kept)
{
    uint64_t *knows = state_holder(s, agent);
    const world_agent *a = &s->world->agents[agent];
    for (size_t word = 0; word < s->fact_words; word++)
        knows[word] = state_alive(s, agent)
                          ? (knows[word] & kept[word]) | (asked_of(s->world, agent)[word] & ~kept[word])
                          : 0;
    for (int pipe = 0; pipe < PIPES; pipe++)
        if (a->pipes[pipe] >= 0 && !bits_has(kept, s->world->agents[a->pipes[pipe]].last_fact))
            state_learn(s, agent, s->world->agents[a->pipes[pipe]].last_fact);
}

void weaken_forget_but(state *s, const uint64_t *kept)
{
    const world *w = s->world;
    for (int i = 0; i < w->agent_count; i++)
        if (!w->agents[i].is_pipe)
            forget_agent(s, i, kept);
    for (int i = 0; i < w->agent_count; i++)
        for (int slot = 0; slot < w->slot_count; slot++)
            if (fences_in(s, i, slot))
                know_what_is_fenced(s, i, slot, kept);
    for (int i = w->agent_count; i < s->holders; i++)
        for (size_t word = 0; word < s->fact_words; word++)
            state_holder(s, i)[word] &= kept[word] & s->told_of[word];
    for (int i = 0; i < w->stage_count; i++) {
        if (!tells_something(s, i))
            state_fill(s, holder_done(s, i), false);
        for (int age = 0; age < 3; age++)
            forget_told(s, i, age, kept);
    }
}

static void forget_laps(state *s, int slot, const uint64_t *kept)
{
    const world_slot *of = &s->world->slots[slot];
    state_copy *c = &s->copies[slot];
    int64_t least = state_least_lap(s, slot);
    for (int i = of->first_access; i < of->first_access + of->agents; i++)
        s->laps[i] = s->laps[i] < least ? NO_LAP : s->laps[i];
    for (int kind = 0; kind < ABOUT_COPIES; kind++)
        c->age[kind] = bits_has(kept, copy_fact(s->world, slot, kind)) ? c->age[kind] : 0;
    c->whole &= c->lap >= least;
    c->lap = c->lap < least ? NO_LAP : c->lap;
}

void weaken_facts(state *s)
{
    uint64_t *kept = base_alloc(s->fact_words * sizeof(uint64_t) + 1);
    weaken_find_kept(s, kept);
    for (int i = 0; i < s->world->slot_count; i++)
        forget_laps(s, i, kept);
    weaken_forget_but(s, kept);
    free(kept);
}
