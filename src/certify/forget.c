/* A weaker machine that many come to have: facts that nobody will be asked about any more are unknown, and so are those that all
 * who may be asked know, but to them. Who may be asked is read off the program. Nothing here need be right: whatever machine a
 * text stands for, the checker runs it, and sees that it covers those that lead to it. */
#include "certify/state.h"

/* ---- who may be asked ---------------------------------------------------------------------------------- */

static uint64_t *asked_of(const state *s, int agent)
{
    return s->asked + (size_t)agent * s->fact_words;
}

static bool is_asked(const world *w, int agent, int slot, about_slot kind, int of)
{
    bool of_read = kind == ABOUT_READ || kind == ABOUT_WGMMA || kind == ABOUT_BULK ||
                   kind == ABOUT_FENCED_READ || kind == ABOUT_CLEAR_READ;
    if (!world_touches(w, agent, slot, of_read ? MAY_WRITE : MAY_READ | MAY_WRITE))
        return false;
    if (kind < ABOUT_FENCED_WRITE)
        return true;
    if (!world_in_tensor_memory(w, slot))
        return kind < ABOUT_FENCED_READ && world_touches(w, agent, slot, MAY_ENGINE);
    return !world_same_warp(w, agent, of) && (kind >= ABOUT_CLEAR_WRITE || !w->agents[of].is_pipe);
}

static void find_asked_of_slot(const state *s, int agent, int slot)
{
    const world *w = s->world;
    const world_slot *of = &w->slots[slot];
    if (!world_touches(w, agent, slot, MAY_READ | MAY_WRITE))
        return;
    for (int kind = 0; kind < ABOUT_SLOT_KINDS; kind++)
        for (int i = of->first_agent; i < of->first_agent + of->agents; i++)
            if (is_asked(w, agent, slot, (about_slot)kind, i))
                bits_add(asked_of(s, agent), access_fact(w, slot, (about_slot)kind, i));
    for (int kind = 0; kind < ABOUT_COPIES; kind++)
        bits_add(asked_of(s, agent), copy_fact(w, slot, kind));
}

static void find_asked_of_stage(const state *s, int agent, int stage)
{
    const world *w = s->world;
    bool uses = world_acts(w, agent, stage, MAY_USE), arrives = world_acts(w, agent, stage, MAY_ARRIVE);
    for (int kind = 0; uses && kind < ABOUT_STAGE; kind++)
        bits_add(asked_of(s, agent), stage_fact(w, stage, kind));
    for (int kind = 0; kind < ABOUT_STAGE_KINDS; kind++)
        for (int place = 0; (kind == ABOUT_WAIT ? arrives : uses) && place < world_places(w, stage); place++)
            bits_add(asked_of(s, agent), warp_fact(w, stage, (about_stage)kind, place));
}

void state_find_asked(state *s)
{
    size_t bytes = (size_t)s->world->agent_count * s->fact_words * sizeof(uint64_t);
    s->asked = base_alloc(bytes + 1);
    memset(s->asked, 0, bytes);
    for (int i = 0; i < s->world->agent_count; i++) {
        for (int slot = 0; !s->world->agents[i].is_pipe && slot < s->world->slot_count; slot++)
            find_asked_of_slot(s, i, slot);
        for (int stage = 0; !s->world->agents[i].is_pipe && stage < s->world->stage_count; stage++)
            find_asked_of_stage(s, i, stage);
    }
}

/* Who fences what others write asks whether the writes are over, as long as somebody may ask for the fence. */
static bool fences_in(const state *s, int agent, int slot)
{
    const world_agent *a = &s->world->agents[agent];
    return state_alive(s, agent) && s->world->fences[a->crew] && a->rank == s->world->slots[slot].rank;
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

/* Who has told a phase is of use only if somebody may yet have to conclude that it is complete, and can. */
static bool is_told_of_use(const state *s, int stage, int age, const uint64_t *kept)
{
    const world *w = s->world;
    about_stage told = (about_stage)(ABOUT_TOLD + age);
    if (bits_has(kept, warp_fact(w, stage, told, world_places(w, stage) - 1)))
        return false;
    return !age || bits_has(kept, stage_fact(w, stage, age == 1 ? ABOUT_LAST_PHASE : ABOUT_PHASE_BEFORE));
}

static void drop_told(const state *s, int stage, int age, uint64_t *kept)
{
    const world *w = s->world;
    int fact = warp_fact(w, stage, (about_stage)(ABOUT_TOLD + age), 0), others = world_places(w, stage) - 1;
    bool of_use = is_told_of_use(s, stage, age, kept);
    bool phase =
        !age || bits_has(kept, stage_fact(w, stage, age == 1 ? ABOUT_LAST_PHASE : ABOUT_PHASE_BEFORE));
    for (int place = 0; !of_use && place < others; place++)
        bits_remove(kept, fact + place);
    if (!phase)
        bits_remove(kept, fact + others);
}

void state_find_kept(const state *s, uint64_t *kept)
{
    const world *w = s->world;
    memset(kept, 0, s->fact_words * sizeof(uint64_t));
    for (int i = 0; i < w->agent_count; i++)
        for (size_t word = 0; state_alive(s, i) && word < s->fact_words; word++)
            kept[word] |= asked_of(s, i)[word] & ~state_holder(s, i)[word];
    for (int i = 0; i < w->slot_count; i++)
        if (!world_in_tensor_memory(w, i))
            keep_fenced(s, i, kept);
    for (int i = 0; i < w->stage_count; i++)
        for (int age = 0; age < 3; age++)
            drop_told(s, i, age, kept);
    for (int i = 0; i < w->agent_count; i++)
        if (w->agents[i].is_pipe && !state_is_finished(s, i))
            bits_add(kept, w->agents[i].last_fact);
}

/* ---- the rest ------------------------------------------------------------------------------------------ */

static void know_what_is_fenced(const state *s, int slot, const uint64_t *kept)
{
    const world_slot *of = &s->world->slots[slot];
    for (int agent = 0; agent < s->world->agent_count; agent++)
        for (int i = of->first_agent; fences_in(s, agent, slot) && i < of->first_agent + of->agents; i++)
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
    for (int i = 0; i < s->world->agent_count && !is_told_of_use(s, stage, age, kept); i++)
        for (int place = 0; place < world_places(s->world, stage); place++)
            bits_remove(state_holder(s, i), fact + place);
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
        knows[word] =
            state_alive(s, agent) ? (knows[word] & kept[word]) | (asked_of(s, agent)[word] & ~kept[word]) : 0;
    for (int pipe = 0; pipe < PIPES; pipe++)
        if (a->pipes[pipe] >= 0 && !bits_has(kept, s->world->agents[a->pipes[pipe]].last_fact))
            state_learn(s, agent, s->world->agents[a->pipes[pipe]].last_fact);
}

void state_forget_but(state *s, const uint64_t *kept)
{
    const world *w = s->world;
    for (int i = 0; i < w->agent_count; i++)
        if (!w->agents[i].is_pipe)
            forget_agent(s, i, kept);
    for (int i = 0; i < w->slot_count; i++)
        if (!world_in_tensor_memory(w, i))
            know_what_is_fenced(s, i, kept);
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
    for (int i = of->first_access; i < of->first_access + of->agents; i++)
        s->laps[i] = state_is_past(s, slot, s->laps[i]) ? NO_LAP : s->laps[i];
    for (int kind = 0; kind < ABOUT_COPIES; kind++)
        c->age[kind] = bits_has(kept, copy_fact(s->world, slot, kind)) ? c->age[kind] : 0;
    if (state_is_past(s, slot, c->lap)) {
        c->lap = NO_LAP;
        c->whole = false;
    }
}

void state_forget(state *s)
{
    uint64_t *kept = base_alloc(s->fact_words * sizeof(uint64_t) + 1);
    state_find_kept(s, kept);
    for (int i = 0; i < s->world->slot_count; i++)
        forget_laps(s, i, kept);
    state_forget_but(s, kept);
    free(kept);
}
