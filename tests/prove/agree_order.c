/* Which of two machines knows more (src/prove/canonical_order.c), on machines that are made to know less at random.
 *
 * A walk through a declaration's questions is halted at each rest. Copies of the machine there lose something: an entry of a
 * clock becomes lower, a wait is forgotten or seems to last longer, an access seems later, an end seems unseen. Wherever it
 * is said of two of them that one knows more, both are given the same answers: as long as the one that knows less goes on,
 * the other must come to the same questions, and still know more. */
#include "agree.h"

#include "prove/canonical.h"

#include <stdio.h>
#include <string.h>

enum { RESTS = 10, COPIES = 4, STEPS = 5, LOSSES = 3 };

typedef struct pair {
    machine *m;
    canonical a, b; /* of the one that knows more, of the other */
    char *why;
    size_t why_bytes;
} pair;

/* ---- random numbers, apart from those that draw declarations --------------------------------------------- */

static uint64_t state;

static unsigned draw(unsigned below)
{
    return agree_draw(&state, below);
}

/* ---- losing --------------------------------------------------------------------------------------------- */

/* Each returns what it has lost, or NULL where there was nothing to lose. */
typedef const char *lose(machine *m);

static const char *lose_entry(machine *m)
{
    int agent_index = (int)draw((unsigned)m->plan->agent_count);
    int entry = (int)draw((unsigned)m->plan->width);
    uint32_t *at = &machine_clock(m, agent_index)[entry];
    if (!*at || !machine_alive(m, agent_index) || entry / m->plan->lanes == agent_index)
        return NULL;
    *at = draw(*at);
    return "an entry of an agent";
}

static const char *lose_news(machine *m)
{
    int stage = (int)draw((unsigned)m->plan->stage_count);
    int entry = (int)draw((unsigned)m->plan->width);
    bool gathered = m->begun[stage] && draw(2);
    uint32_t *at = gathered ? &stage_gathered(m, stage)[entry] : &stage_own_done(m, stage, true)[entry];
    if (!*at)
        return NULL;
    *at = draw(*at);
    return "an entry of a stage";
}

static uint32_t *some_user(const machine *m, uint32_t *epochs, int stage, int *user)
{
    int users = m->plan->stages[stage].users, use = users ? (int)draw((unsigned)users) : 0;
    if (!users || !epochs[use])
        return NULL;
    *user = stage_users(m, stage)[use];
    return &epochs[use];
}

/* Its own wait somebody does not forget: the operation is behind him. */
static const char *lose_pass(machine *m)
{
    int stage = (int)draw((unsigned)m->plan->stage_count), user = 0;
    uint32_t *at = some_user(m, stage_passes(m, stage, 1 + (int)draw(2)), stage, &user);
    if (!at)
        return NULL;
    *at = machine_epoch(m, user);
    return "when a wait began to be told of";
}

static const char *lose_sighting(machine *m)
{
    if (!m->plan->slot_count)
        return NULL;
    int slot = (int)draw((unsigned)m->plan->slot_count), user = 0;
    int stage = m->plan->slots[slot].copy_stage;
    uint32_t *at = stage < 0 ? NULL : some_user(m, slot_sightings(m, slot, draw(2)), stage, &user);
    if (!at)
        return NULL;
    *at = draw(2) ? 0 : machine_epoch(m, user);
    return "who has waited for a copy";
}

static const char *lose_wait(machine *m)
{
    int stage = (int)draw((unsigned)m->plan->stage_count), user = 0;
    uint32_t *at = some_user(m, stage_waits(m, stage), stage, &user);
    if (!at)
        return NULL;
    *at = machine_epoch(m, user);
    return "when a wait ended";
}

static const char *lose_contribution(machine *m)
{
    int stage = (int)draw((unsigned)m->plan->stage_count), age = 1 + (int)draw(2);
    m->now.barriers[stage].deferred[age] |= DEFERRED_ASYNC;
    return "that contributions came at once";
}

static const char *lose_sight(machine *m)
{
    barrier_state *b = &m->now.barriers[draw((unsigned)m->plan->stage_count)];
    if (!b->count || b->waited < b->count)
        return NULL;
    b->waited--;
    return "that somebody has waited for the last completion";
}

static const char *lose_access(machine *m)
{
    if (!m->plan->access_count)
        return NULL;
    int slot = (int)draw((unsigned)m->plan->slot_count);
    const plan_slot *s = &m->plan->slots[slot];
    int owner = s->first_agent + (int)draw((unsigned)s->agents);
    if (!s->agents)
        return NULL;
    access *a = slot_access(m, slot, owner);
    uint32_t *epochs[] = {
        &a->write,       &a->write_before,       &a->read,      &a->by_groups[GROUP_BULK].done,
        &a->fence_write, &a->fence_write_before, &a->fence_read};
    uint32_t *at = epochs[draw(sizeof epochs / sizeof *epochs)];
    if (!*at)
        return NULL;
    *at = machine_epoch(m, owner);
    return "when an access was over";
}

/* Not less, but other things: nothing of this may be taken for more. */
static const char *lose_lap(machine *m)
{
    if (!m->plan->access_count)
        return NULL;
    int slot = (int)draw((unsigned)m->plan->slot_count);
    const plan_slot *s = &m->plan->slots[slot];
    access *a = slot_access(m, slot, s->first_agent + (int)draw((unsigned)s->agents));
    if (!a || !s->pipelined)
        return NULL;
    int64_t *lap = draw(2) ? &a->write_lap : &m->now.copies[slot].lap;
    *lap += draw(2) ? 1 : -1;
    return "in which lap a slot was written";
}

static const char *lose_answer(machine *m)
{
    if (!m->plan->status_count)
        return NULL;
    probe *p = &m->now.probes[draw((unsigned)m->plan->status_count)];
    if (p->stage < 0 || !p->known)
        return NULL;
    p->known--;
    return "what an agent knew when it probed";
}

static lose *const losses[] = {lose_entry,        lose_news,  lose_pass,   lose_sighting, lose_wait,
                               lose_contribution, lose_sight, lose_access, lose_lap,      lose_answer};

static const char *lose_something(machine *m)
{
    const char *what = NULL;
    for (int tries = 0; !what && tries < 20; tries++)
        what = losses[draw(ARRAY_LEN(losses))](m);
    return what;
}

/* ---- going on ------------------------------------------------------------------------------------------- */

static outcome answer_with(machine *m, const question *q, bool more, question *next)
{
    knowledge *k = value_known(m, q->value, q->instance);
    if (plan_is_choice(&m->plan->values[q->value])) {
        *k = (knowledge){more, 0};
        value_answered(m);
    } else if (more) {
        value_is_greater(m, q);
    } else {
        k->period = 0;
        value_answered(m);
    }
    return machine_run(m, -1, next);
}

/* A machine that begins anew: faults of another one are forgotten. */
static void stand_at(machine *m, const char *snapshot)
{
    machine_restore(m, snapshot);
    m->finding = (finding){.fault = FAULT_NONE};
    *m->now.in_flight_count = 0;
}

static void form_of(canonical *c, machine *m, const question *q)
{
    c->keep = true;
    canonical_of(c, m, q);
}

static bool complains(const pair *p, const char *what, int step)
{
    (void)snprintf(p->why, p->why_bytes, "the machine that knows more %s after %d answers (fault %d)", what,
                   step, (int)p->m->finding.fault);
    return false;
}

/* One answer for both. True: they go on, from *more_at and *less_at. */
static bool step(pair *p, char **more_at, char **less_at, question *q, int number, bool *fine)
{
    bool more = draw(4) != 0;
    question less_asks, more_asks;
    stand_at(p->m, *less_at);
    outcome less = answer_with(p->m, q, more, &less_asks);
    machine_forget(p->m, *less_at);
    *less_at = NULL;
    if (less != OUTCOME_ASKS && less != OUTCOME_FINISHED)
        return false;
    if (less == OUTCOME_ASKS) {
        form_of(&p->b, p->m, &less_asks);
        *less_at = machine_snapshot(p->m);
    }
    stand_at(p->m, *more_at);
    outcome most = answer_with(p->m, q, more, &more_asks);
    machine_forget(p->m, *more_at);
    *more_at = NULL;
    if (most != less)
        return *fine = complains(p, most == OUTCOME_FAULT ? "meets a fault" : "does something else", number);
    if (less == OUTCOME_FINISHED)
        return false;
    form_of(&p->a, p->m, &more_asks);
    *more_at = machine_snapshot(p->m);
    if (more_asks.value != less_asks.value || !canonical_knows_more(&p->a, &p->b))
        return *fine = complains(p, "knows less", number);
    *q = more_asks;
    return true;
}

static bool goes_on_alike(pair *p, char *more_at, char *less_at, question q)
{
    bool fine = true;
    for (int i = 1; i <= STEPS && step(p, &more_at, &less_at, &q, i, &fine); i++)
        ;
    machine_forget(p->m, more_at);
    machine_forget(p->m, less_at);
    return fine;
}

/* ---- one rest ------------------------------------------------------------------------------------------- */

/* The machine as it is in the snapshot, and as the copy is. */
static bool compare(pair *p, const char *whole, const char *less, const question *q, order_count *count)
{
    bool fine = true;
    for (int turned = 0; fine && turned < 2; turned++) {
        const char *more_at = turned ? less : whole, *less_at = turned ? whole : less;
        stand_at(p->m, more_at);
        form_of(&p->a, p->m, q);
        char *own_more = machine_snapshot(p->m);
        stand_at(p->m, less_at);
        form_of(&p->b, p->m, q);
        char *own_less = machine_snapshot(p->m);
        bool knows_more = canonical_knows_more(&p->a, &p->b);
        count->compared++;
        count->more += knows_more;
        count->turned += turned && knows_more;
        if (knows_more) {
            fine = goes_on_alike(p, own_more, own_less, *q);
            continue;
        }
        machine_forget(p->m, own_more);
        machine_forget(p->m, own_less);
    }
    return fine;
}

static bool rest_holds(pair *p, const question *q, order_count *count)
{
    bool fine = true;
    char *whole = machine_snapshot(p->m);
    for (int i = 0; fine && i < COPIES; i++) {
        const char *lost = NULL;
        stand_at(p->m, whole);
        for (int n = 1 + (int)draw(LOSSES); n; n--)
            lost = lose_something(p->m);
        char *less = machine_snapshot(p->m);
        fine = compare(p, whole, less, q, count);
        size_t told = strlen(p->why);
        if (!fine)
            (void)snprintf(p->why + told, p->why_bytes - told, "; lost was, last, %s",
                           lost ? lost : "nothing");
        machine_forget(p->m, less);
    }
    stand_at(p->m, whole);
    machine_forget(p->m, whole);
    return fine;
}

bool order_holds(const mini *m, uint64_t seed, order_count *count, char *why, size_t why_bytes)
{
    machine walk;
    state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    const plan *p = plan_new(m->kernel, m->kernel->program, false);
    if (p->unprovable)
        return true;
    machine_init(&walk, p);
    pair both = {.m = &walk, .why = why, .why_bytes = why_bytes};
    canonical_init(&both.a, p);
    canonical_init(&both.b, p);
    question q;
    bool fine = true;
    outcome o = machine_run(&walk, -1, &q);
    for (int i = 0; fine && i < RESTS && o == OUTCOME_ASKS; i++) {
        fine = rest_holds(&both, &q, count);
        o = answer_with(&walk, &q, draw(4) != 0, &q);
    }
    canonical_free(&both.a);
    canonical_free(&both.b);
    machine_free(&walk);
    return fine;
}
