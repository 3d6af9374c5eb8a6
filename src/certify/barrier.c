/* mbarriers (PTX ISA, "mbarrier"). A phase completes when no arrival is missing and the bytes announced have come. What is
 * checked, and why one execution then stands for all, is docs/prover.md, section 2:
 *
 *   who contributes to a phase knows that the last one is complete
 *   who waits knows of all completions but the one it waits for
 *   when a phase completes, it knows of all who have waited for the last one */
#include "certify/state.h"

/* ---- being sure of a completion ------------------------------------------------------------------------ */

/* Copies that had completed `age` phases of the stage ago are over, for whoever knows that phase. */
static void learn_copies(const state *s, int holder, int stage, int age)
{
    for (int slot = 0; slot < s->world->slot_count; slot++)
        for (int kind = 0; s->world->slots[slot].completes == stage && kind < ABOUT_COPIES; kind++)
            if (s->copies[slot].age[kind] >= age)
                state_learn(s, holder, copy_fact(s->world, slot, kind));
}

static void learn_phase(const state *s, int holder, int stage, int age)
{
    state_learn(s, holder, stage_fact(s->world, stage, ABOUT_PHASE_BEFORE));
    if (age == 1)
        state_learn(s, holder, stage_fact(s->world, stage, ABOUT_LAST_PHASE));
    learn_copies(s, holder, stage, age);
}

/* A phase to which all contributed at once is complete when all have contributed: who has heard of something later of each of
 * them knows it. Of who did not contribute to it all know. */
static bool has_heard_all(const state *s, int agent, int stage, int age)
{
    for (int place = 0; place < world_places(s->world, stage); place++)
        if (!state_knows(s, agent, warp_fact(s->world, stage, (about_stage)(ABOUT_TOLD + age), place)))
            return false;
    return true;
}

int state_behind(state *s, int agent, int stage)
{
    for (int age = 1; age <= 2; age++) {
        int fact = stage_fact(s->world, stage, age == 1 ? ABOUT_LAST_PHASE : ABOUT_PHASE_BEFORE);
        if (!state_knows(s, agent, fact) && has_heard_all(s, agent, stage, age))
            learn_phase(s, agent, stage, age);
        if (state_knows(s, agent, fact))
            return age - 1;
    }
    return 2;
}

/* ---- waiting ------------------------------------------------------------------------------------------- */

static void pass(state *s, int agent, int stage)
{
    int place = s->world->agents[agent].place;
    state_learn_all(s, agent, holder_done(s, stage));
    state_happens(s, warp_fact(s->world, stage, ABOUT_WAIT, place), agent);
    s->stages[stage].owed = false;
}

wait_result state_wait_for(state *s, int agent, int stage, uint32_t parity)
{
    bool over = (s->stages[stage].count & 1) != parity;
    if (state_behind(s, agent, stage) > (over ? 1 : 0)) {
        (void)state_wrong(s, agent, "a wait may be let through by an earlier phase");
        return WAIT_WRONG;
    }
    if (!over)
        return WAIT_BLOCKS;
    pass(s, agent, stage);
    return WAIT_PASSES;
}

/* ---- completion ---------------------------------------------------------------------------------------- */

static bool all_waits_known(state *s, int agent, int stage)
{
    const world *w = s->world;
    for (int place = 0; place < world_places(w, stage); place++)
        if (!state_knows(s, holder_gathered(s, stage), warp_fact(w, stage, ABOUT_WAIT, place)))
            return state_wrong(s, agent, "a phase may complete before a waiter has seen the last");
    return true;
}

/* The last phase becomes the one before, and the current one the last. */
static void grow_older(state *s, int stage)
{
    const world *w = s->world;
    int last = stage_fact(w, stage, ABOUT_LAST_PHASE);
    state_move_fact(s, last, stage_fact(w, stage, ABOUT_PHASE_BEFORE));
    state_happens(s, last, -1);
    state_move_facts(s, stage, ABOUT_TOLD_1, ABOUT_TOLD_2);
    state_move_facts(s, stage, ABOUT_TOLD, ABOUT_TOLD_1);
    state_reveal_facts(s, stage, ABOUT_TOLD);
    state_reveal_facts(s, stage, ABOUT_WAIT);
    for (int slot = 0; slot < w->slot_count; slot++)
        for (int kind = 0; w->slots[slot].completes == stage && kind < ABOUT_COPIES; kind++)
            s->copies[slot].age[kind] += s->copies[slot].age[kind] < 3;
}

static void count_phase(state *s, int stage)
{
    state_stage *b = &s->stages[stage];
    b->count++;
    b->pending = world_barrier(s->world, stage)->arrivals;
    b->owed = b->engines || world_barrier(s->world, stage)->side == IR_FULL;
    b->engines = false;
    for (int i = 0; i < s->world->stage_count; i++)
        s->stages[i].lead -= s->world->stages[i].partner == stage;
    b->lead += s->world->stages[stage].partner >= 0;
}

static void let_through(state *s, int stage)
{
    for (int i = 0; i < s->world->agent_count; i++)
        if (s->agents[i].status == STATE_WAITS && s->agents[i].stage == stage) {
            pass(s, i, stage);
            s->agents[i].status = STATE_RUNS;
            s->agents[i].pc++;
        }
}

static bool complete(state *s, int agent, int stage)
{
    int done = holder_done(s, stage), gathered = holder_gathered(s, stage);
    if (!all_waits_known(s, agent, stage))
        return false;
    count_phase(s, stage);
    grow_older(s, stage);
    state_fill(s, done, false);
    state_learn_all(s, done, gathered);
    state_fill(s, gathered, false);
    learn_phase(s, done, stage, 1);
    for (int i = 0; i < s->world->probe_count; i++)
        s->probes[i].behind += s->probes[i].stage == stage && s->probes[i].behind < 2;
    let_through(s, stage);
    return true;
}

static bool settle(state *s, int agent, int stage)
{
    const state_stage *b = &s->stages[stage];
    if (!b->pending && b->bytes < 0)
        return state_wrong(s, agent, "more bytes come than are announced");
    return b->pending || b->bytes || complete(s, agent, stage);
}

/* ---- contributing -------------------------------------------------------------------------------------- */

static bool contribute(state *s, int agent, int stage)
{
    const world_agent *a = &s->world->agents[agent];
    bool here = s->world->stages[stage].rank == a->rank;
    if (state_behind(s, agent, stage))
        return state_wrong(s, agent, "an arrival may fall into an earlier phase");
    state_learn_all(s, holder_gathered(s, stage), agent);
    int place = here ? a->place : world_places(s->world, stage) - 1;
    state_happens(s, warp_fact(s->world, stage, ABOUT_TOLD, place), -1);
    return true;
}

void state_has_told(state *s, int agent)
{
    const world *w = s->world;
    int place = w->agents[agent].place;
    for (int i = 0; i < w->stage_count; i++)
        for (int age = 0; age < 3 && w->stages[i].rank == w->agents[agent].rank; age++)
            state_learn(s, agent, warp_fact(w, i, (about_stage)(ABOUT_TOLD + age), place));
}

static bool take_arrivals(state *s, int agent, int stage, uint32_t arrivals)
{
    if (arrivals > s->stages[stage].pending)
        return state_wrong(s, agent, "more arrivals than a phase expects");
    s->stages[stage].pending -= arrivals;
    return settle(s, agent, stage);
}

bool state_arrive(state *s, int agent, int stage, uint32_t arrivals, int64_t bytes)
{
    if (!contribute(s, agent, stage))
        return false;
    s->stages[stage].bytes += bytes;
    return take_arrivals(s, agent, stage, arrivals);
}

/* ---- what arrives later -------------------------------------------------------------------------------- */

static bool take_off(state *s, state_flight f)
{
    if (!contribute(s, f.agent, f.stage))
        return false;
    int others = world_places(s->world, f.stage) - 1;
    state_happens(s, warp_fact(s->world, f.stage, ABOUT_TOLD, others), -1);
    s->stages[f.stage].engines = true;
    f.phase = s->stages[f.stage].count + 1;
    vec_push(&s->flights, f);
    return true;
}

bool state_copy_issued(state *s, int agent, int stage, uint32_t bytes)
{
    return take_off(s, (state_flight){.agent = agent, .stage = stage, .bytes = bytes});
}

/* A pipe knows what it did itself. */
bool state_pipe_arrives(state *s, int agent, world_pipe pipe, int stage, uint32_t arrivals)
{
    if (!take_off(s, (state_flight){.agent = agent, .stage = stage, .arrivals = arrivals}))
        return false;
    state_learn_all(s, holder_gathered(s, stage), s->world->agents[agent].pipes[pipe]);
    return true;
}

bool state_flight_lands(state *s)
{
    state_flight f = s->flights.at[s->first_flight++];
    if (s->stages[f.stage].count + 1 != f.phase)
        return state_wrong(s, f.agent, "what a copy or a pipe brings is more than its phase expects");
    s->stages[f.stage].bytes -= f.bytes;
    return take_arrivals(s, f.agent, f.stage, f.arrivals);
}

/* ---- the end ------------------------------------------------------------------------------------------- */

static bool stage_is_clean(state *s, int stage)
{
    const state_stage *b = &s->stages[stage];
    if (b->pending != world_barrier(s->world, stage)->arrivals || b->bytes)
        return state_wrong(s, -1, "the end leaves a phase half done");
    if (b->owed)
        return state_wrong(s, -1, "the end leaves a phase that nobody has waited for");
    if (b->lead)
        return state_wrong(s, -1, "the end leaves more fills than releases, or fewer");
    return true;
}

bool state_is_finished(const state *s, int pipe)
{
    for (int i = 0; i < s->world->agent_count; i++)
        if (i != pipe && state_knows(s, i, s->world->agents[pipe].last_fact))
            return true;
    return false;
}

bool state_end_is_clean(state *s)
{
    for (int i = 0; i < s->world->stage_count; i++)
        if (!stage_is_clean(s, i))
            return false;
    for (int i = 0; i < s->world->agent_count; i++)
        if (s->world->agents[i].is_pipe ? !state_is_finished(s, i) : s->agents[i].groups[GROUPS_BULK])
            return state_wrong(s, -1, "the end leaves a pipe or bulk stores at work");
    return true;
}
