/* What nobody will ask about again. Of a fact that all who may ever be asked about it know, it is taken that everybody knows it:
 * who may is read off the program. They know it until the thing happens anew, and then nobody does. */
#include "certify/state.h"

typedef struct memory {
    state *s;
    const world *w;
    uint64_t *kept;   /* facts that are not forgotten */
    uint64_t *common; /* that all agents know */
} memory;

/* ---- who may be asked ---------------------------------------------------------------------------------- */

/* Of all agents that live and may act on the stage like that. */
static bool all_know(const state *s, int stage, uint8_t how, int fact)
{
    for (int i = 0; i < s->world->agent_count; i++)
        if (state_alive(s, i) && world_acts(s->world, i, stage, how) && !state_knows(s, i, fact))
            return false;
    return true;
}

/* Of all that may access the slot like that, but for the warp of `but` (-1: for none). */
static bool all_accessing_know(const state *s, int slot, uint8_t how, int but, int fact)
{
    for (int i = 0; i < s->world->agent_count; i++)
        if (state_alive(s, i) && world_touches(s->world, i, slot, how) && !state_knows(s, i, fact) &&
            (but < 0 || !world_same_warp(s->world, i, but)))
            return false;
    return true;
}

/* Who fences what others write asks, too. */
static bool all_fencing_know(const state *s, int slot, int fact)
{
    const world *w = s->world;
    for (int i = 0; i < w->agent_count; i++)
        if (state_alive(s, i) && w->fences[w->agents[i].crew] && w->agents[i].rank == w->slots[slot].rank &&
            !state_knows(s, i, fact))
            return false;
    return true;
}

/* Whether all know who may be asked where a fence must stand. */
static bool fence_is_known(const state *s, int slot, about_slot kind, int agent)
{
    int fact = access_fact(s->world, slot, kind, agent);
    bool of_read = kind == ABOUT_FENCED_READ || kind == ABOUT_CLEAR_READ, clear = kind >= ABOUT_CLEAR_WRITE;
    if (!world_in_tensor_memory(s->world, slot))
        return clear || of_read || all_accessing_know(s, slot, MAY_ENGINE, -1, fact);
    if (!clear && s->world->agents[agent].is_pipe)
        return true; /* its commits are the fence */
    return all_accessing_know(s, slot, of_read ? MAY_WRITE : MAY_READ | MAY_WRITE, agent, fact);
}

/* Whether all know who may ever be asked about the access. */
static bool access_is_known(const state *s, int slot, about_slot kind, int agent)
{
    int fact = access_fact(s->world, slot, kind, agent);
    if (kind >= ABOUT_FENCED_WRITE)
        return fence_is_known(s, slot, kind, agent);
    if (kind >= ABOUT_READ)
        return all_accessing_know(s, slot, MAY_WRITE, -1, fact);
    return all_accessing_know(s, slot, MAY_READ | MAY_WRITE, -1, fact) &&
           (all_fencing_know(s, slot, fact) || fence_is_known(s, slot, state_fenced(kind), agent));
}

/* ---- slots --------------------------------------------------------------------------------------------- */

static bool keep(const memory *m, int fact, bool known)
{
    if (!known)
        bits_add(m->kept, fact);
    return !known;
}

static bool keep_access(const memory *m, int slot, about_slot kind, int agent)
{
    int fact = access_fact(m->w, slot, kind, agent);
    return !bits_has(m->common, fact) && keep(m, fact, access_is_known(m->s, slot, kind, agent));
}

/* Laps are of writes. */
static void forget_accesses(const memory *m, int slot, int agent)
{
    bool of_lap = false;
    for (int kind = 0; kind < ABOUT_SLOT_KINDS; kind++) {
        bool of_write = kind != ABOUT_READ && kind != ABOUT_WGMMA && kind != ABOUT_BULK &&
                        kind != ABOUT_FENCED_READ && kind != ABOUT_CLEAR_READ;
        of_lap |= keep_access(m, slot, (about_slot)kind, agent) && of_write;
    }
    if (!of_lap)
        *state_lap(m->s, slot, agent) = 0;
}

static void forget_copies(const memory *m, int slot)
{
    state_copy *c = &m->s->copies[slot];
    bool some = false;
    for (int kind = 0; c->some && kind < ABOUT_COPIES; kind++) {
        int fact = copy_fact(m->w, slot, kind);
        if (keep(m, fact, all_accessing_know(m->s, slot, MAY_READ | MAY_WRITE, -1, fact)))
            some = true;
        else
            c->age[kind] = 3;
    }
    if (!some)
        *c = (state_copy){.some = false};
}

/* ---- stages -------------------------------------------------------------------------------------------- */

static bool somebody_looks(const state *s, int stage)
{
    for (int i = 0; i < s->world->agent_count; i++)
        if (state_alive(s, i) && world_acts(s->world, i, stage, MAY_LOOK))
            return true;
    return false;
}

/* That an agent has waited, once the phase has been told; or if all know that still may tell it. */
static void forget_wait(const memory *m, int stage, int place)
{
    state_stage *b = &m->s->stages[stage];
    int fact = warp_fact(m->w, stage, ABOUT_WAIT, place);
    if (!bits_has(&b->waits, place))
        return;
    bool told = state_knows(m->s, holder_gathered(m->s, stage), fact);
    if (!keep(m, fact, told || (b->pending && all_know(m->s, stage, MAY_ARRIVE, fact))))
        bits_remove(&b->waits, place);
}

/* Who has contributed to a phase, if somebody may yet have to conclude that it is complete. */
static void forget_told(const memory *m, int stage, int age, bool needed)
{
    state_stage *b = &m->s->stages[stage];
    for (int place = 0; b->told[age] && place < m->w->rank_warps[m->w->stages[stage].rank]; place++) {
        int fact = warp_fact(m->w, stage, (about_stage)(ABOUT_TOLD + age), place);
        bool of_use = needed && !b->mute[age] && bits_has(&b->told[age], place);
        if (!keep(m, fact, !of_use || all_know(m->s, stage, MAY_USE, fact)))
            bits_remove(&b->told[age], place);
    }
    b->mute[age] &= needed;
}

static void forget_stage(const memory *m, int stage)
{
    state_stage *b = &m->s->stages[stage];
    bool needed[3] = {b->begun};
    for (int kind = 0; kind < ABOUT_STAGE; kind++) {
        int fact = stage_fact(m->w, stage, kind);
        needed[1 + kind] = keep(m, fact, all_know(m->s, stage, MAY_USE, fact));
    }
    for (int age = 0; age < 3; age++)
        forget_told(m, stage, age, needed[age]);
    for (int place = 0; b->waits && place < m->w->rank_warps[m->w->stages[stage].rank]; place++)
        forget_wait(m, stage, place);
    b->seen |= world_barrier(m->w, stage)->side != IR_FULL && !b->engines[1];
    b->engines[1] &= !b->seen;
    b->count = b->count & 1 && somebody_looks(m->s, stage);
}

/* That a pipe has finished, once somebody knows. */
static void forget_pipe(const memory *m, int pipe)
{
    int fact = m->w->agents[pipe].last_fact;
    bool known = false;
    for (int i = 0; i < m->w->agent_count; i++)
        known |= i != pipe && state_knows(m->s, i, fact);
    (void)keep(m, fact, known);
}

/* ---- who knows anything -------------------------------------------------------------------------------- */

bool state_hears(const state *s, int holder)
{
    const world *w = s->world;
    if (holder < w->agent_count)
        return state_alive(s, holder);
    if (holder < holder_done(s, 0))
        return s->stages[holder - w->agent_count].begun;
    int stage = holder - holder_done(s, 0);
    return !all_know(s, stage, MAY_WAIT, stage_fact(w, stage, ABOUT_LAST_PHASE));
}

static void tidy_pipe(const state *s, int pipe)
{
    const world *w = s->world;
    for (int slot = 0; slot < w->slot_count; slot++)
        for (int kind = 0; world_may_access(w, slot, pipe) && kind < ABOUT_OWN_KINDS; kind++)
            state_learn(s, pipe, access_fact(w, slot, (about_slot)kind, pipe));
    state_learn(s, pipe, w->agents[pipe].last_fact);
}

/* Stages from the last, for what they tell is read off agents. */
void state_tidy(state *s)
{
    for (int i = s->holders - 1; i >= 0; i--) {
        if (!state_hears(s, i))
            state_fill(s, i, false);
        for (size_t word = 0; i >= s->world->agent_count && word < s->fact_words; word++)
            state_holder(s, i)[word] &= s->told_of[word];
    }
    for (int i = 0; i < s->world->agent_count; i++)
        if (s->world->agents[i].is_pipe)
            tidy_pipe(s, i);
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static void find_common(const memory *m)
{
    memset(m->common, 0xff, m->s->fact_words * sizeof(uint64_t));
    for (int i = 0; i < m->w->agent_count; i++)
        for (size_t word = 0; state_alive(m->s, i) && word < m->s->fact_words; word++)
            m->common[word] &= state_holder(m->s, i)[word];
}

void state_forget(state *s)
{
    const world *w = s->world;
    size_t bytes = s->fact_words * sizeof(uint64_t);
    memory m = {.s = s, .w = w, .kept = base_alloc(bytes + 1), .common = base_alloc(bytes + 1)};
    memset(m.kept, 0, bytes);
    find_common(&m);
    for (int slot = 0; slot < w->slot_count; slot++) {
        for (int i = 0; i < w->slots[slot].agents; i++)
            forget_accesses(&m, slot, w->slots[slot].first_agent + i);
        forget_copies(&m, slot);
    }
    for (int i = 0; i < w->stage_count; i++)
        forget_stage(&m, i);
    for (int i = 0; i < w->agent_count; i++)
        if (w->agents[i].is_pipe)
            forget_pipe(&m, i);
    for (int i = 0; i < s->holders; i++)
        for (size_t word = 0; word < s->fact_words; word++)
            state_holder(s, i)[word] |= ~m.kept[word];
    free(m.kept);
    free(m.common);
    state_tidy(s);
}
