/* Stages, and facts that somebody who may be asked about them does not know. */
#include "certify/print.h"

/* ---- who may be asked ---------------------------------------------------------------------------------- */

/* All agents that may act on the stage like that know the fact. */
bool printer_all_know(const printer *p, int stage, uint8_t how, int fact)
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

/* Who fences what others write asks, too. */
static bool all_fencing_know(const printer *p, int slot, int fact)
{
    for (int i = 0; i < p->w->agent_count; i++)
        if (state_alive(p->s, i) && p->w->fences[p->w->agents[i].crew] &&
            p->w->agents[i].rank == p->w->slots[slot].rank && !state_knows(p->s, i, fact))
            return false;
    return true;
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
    return !printer_all_know(p, stage, MAY_USE, stage_fact(p->w, stage, kind));
}

/* ---- stages -------------------------------------------------------------------------------------------- */

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
    uint32_t parity =
        printer_parity(p, printer_stage_ring(p, stage), p->w->stages[stage].number, b->count & 1);
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
        text_printf(p->out, "stage %s%s\n", printer_stage_name(p, stage), text_str(&line));
    text_free(&line);
}

/* ---- facts --------------------------------------------------------------------------------------------- */

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
    bool is_told_of = p->s->told_of[fact / 64] >> (fact % 64) & 1;
    for (int stage = 0; is_told_of && stage < p->w->stage_count; stage++) {
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
            printer_put(p, p->w->agents[i].name);
    for (int place = 0; place < p->w->stage_count; place++) {
        int stage = printer_stage_at(p, place);
        if (is_in(group, holder_gathered(p->s, stage))) {
            printer_put(p, "gathered");
            printer_put(p, printer_stage_name(p, stage));
        }
        if (is_in(group, holder_done(p->s, stage))) {
            printer_put(p, "told");
            printer_put(p, printer_stage_name(p, stage));
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

static bool others_touching_know(const printer *p, int slot, uint8_t how, int agent, int fact)
{
    const world_agent *of = &p->w->agents[agent];
    for (int i = 0; i < p->w->agent_count; i++) {
        const world_agent *a = &p->w->agents[i];
        bool same_warp = a->crew == of->crew && a->warp == of->warp;
        if (!same_warp && state_alive(p->s, i) && world_touches(p->w, i, slot, how) &&
            !state_knows(p->s, i, fact))
            return false;
    }
    return true;
}

/* Whether all know who may be asked where a fence must stand. */
static bool fences_are_known(const printer *p, int slot, about_slot kind, int agent)
{
    int fact = access_fact(p->w, slot, kind, agent);
    bool of_read = kind == ABOUT_FENCED_READ || kind == ABOUT_CLEAR_READ, clear = kind >= ABOUT_CLEAR_WRITE;
    if (!world_in_tensor_memory(p->w, slot))
        return clear || of_read || all_touching_know(p, slot, MAY_ENGINE, -1, fact);
    if (!clear && p->w->agents[agent].is_pipe)
        return true; /* its commits are the fence */
    return others_touching_know(p, slot, of_read ? MAY_WRITE : MAY_READ | MAY_WRITE, agent, fact);
}

/* Whether all know who may ever be asked about the access. */
static bool is_known(const printer *p, int slot, about_slot kind, int agent)
{
    int fact = access_fact(p->w, slot, kind, agent);
    if (kind >= ABOUT_FENCED_WRITE)
        return fences_are_known(p, slot, kind, agent);
    if (kind > ABOUT_WRITE_BEFORE)
        return all_touching_know(p, slot, MAY_WRITE, agent, fact);
    about_slot fence = (about_slot)(kind + ABOUT_FENCED_WRITE - ABOUT_WRITE);
    return all_touching_know(p, slot, MAY_READ | MAY_WRITE, agent, fact) &&
           (all_fencing_know(p, slot, fact) || fences_are_known(p, slot, fence, agent));
}

static void print_accesses(printer *p, int slot, int agent)
{
    static const struct {
        const char *word;
        bool by_lap;
    } kinds[] = {[ABOUT_WRITE] = {"write", true},
                 [ABOUT_WRITE_BEFORE] = {"write-before", true},
                 [ABOUT_READ] = {"read", false},
                 [ABOUT_WGMMA] = {"wgmma", false},
                 [ABOUT_BULK] = {"bulk", false},
                 [ABOUT_FENCED_WRITE] = {"fenced-write", true},
                 [ABOUT_FENCED_WRITE_BEFORE] = {"fenced-write-before", true},
                 [ABOUT_FENCED_READ] = {"fenced-read", false},
                 [ABOUT_CLEAR_WRITE] = {"clear-write", true},
                 [ABOUT_CLEAR_WRITE_BEFORE] = {"clear-write-before", true},
                 [ABOUT_CLEAR_READ] = {"clear-read", false}};
    int ring = printer_slot_ring(p, slot), number = p->w->slots[slot].number;
    for (int kind = 0; kind < ABOUT_SLOT_KINDS; kind++) {
        if (is_known(p, slot, (about_slot)kind, agent))
            continue;
        spell(p, kinds[kind].word, printer_slot_name(p, slot), p->w->agents[agent].name);
        if (kinds[kind].by_lap)
            text_printf(p->fact, " lap %lld",
                        (long long)printer_lap(p, ring, number, *state_lap(p->s, slot, agent)));
        put_missing(p, access_fact(p->w, slot, (about_slot)kind, agent));
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
        text_printf(p->fact, "%s %s %s age %d lap %lld%s", words[kind], printer_slot_name(p, slot),
                    printer_stage_name(p, c->stage), c->age[kind],
                    (long long)printer_lap(p, printer_slot_ring(p, slot), of->number, c->lap),
                    c->whole ? " whole" : "");
        put_missing(p, fact);
    }
}

static void print_slot(printer *p, int slot)
{
    const world_slot *of = &p->w->slots[slot];
    if (p->s->gone[slot])
        text_printf(p->out, "gone %s\n", printer_slot_name(p, slot));
    for (int i = 0; i < of->agents; i++)
        print_accesses(p, slot, of->first_agent + i);
    print_copies(p, slot);
}

static void print_phases(printer *p, int stage)
{
    static const char *const words[] = {[ABOUT_LAST_PHASE] = "phase", [ABOUT_PHASE_BEFORE] = "phase-before"};
    for (int kind = 0; kind < ABOUT_STAGE; kind++) {
        int fact = stage_fact(p->w, stage, kind);
        if (printer_all_know(p, stage, MAY_USE, fact))
            continue;
        spell(p, words[kind], printer_stage_name(p, stage), NULL);
        put_missing(p, fact);
    }
}

static void print_wait(printer *p, int stage, int agent)
{
    int fact = warp_fact(p->w, stage, ABOUT_WAIT, p->w->agents[agent].place);
    if (!*state_wait(p->s, stage, p->w->agents[agent].place) ||
        state_knows(p->s, holder_gathered(p->s, stage), fact))
        return;
    if (p->s->stages[stage].pending && printer_all_know(p, stage, MAY_ARRIVE, fact))
        return;
    spell(p, "wait", printer_stage_name(p, stage), p->w->agents[agent].name);
    put_missing(p, fact);
}

static void print_told(printer *p, int stage, int agent)
{
    static const char *const words[] = {"told", "told-last", "told-before"};
    int place = p->w->agents[agent].place;
    for (int age = 0; age < 3; age++) {
        int fact = warp_fact(p->w, stage, (about_stage)(ABOUT_TOLD + age), place);
        if (!*state_told(p->s, stage, age, place) || p->s->stages[stage].mute[age] ||
            !is_needed(p, stage, age) || printer_all_know(p, stage, MAY_USE, fact))
            continue;
        spell(p, words[age], printer_stage_name(p, stage), p->w->agents[agent].name);
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

void print_facts(printer *p)
{
    const world *w = p->w;
    for (int i = 0; i < w->stage_count; i++)
        print_stage(p, printer_stage_at(p, i));
    for (int i = 0; i < w->slot_count; i++)
        print_slot(p, printer_slot_at(p, i));
    for (int i = 0; i < w->stage_count; i++)
        print_stage_facts(p, printer_stage_at(p, i));
    for (int i = 0; i < w->agent_count; i++)
        if (w->agents[i].is_pipe)
            print_pipe(p, i);
    for (size_t i = 0; i < p->groups.len; i++)
        print_group(p, &p->groups.at[i]);
}
