/* What the checker of certificates relies on: one machine may stand for another only if it knows nothing that the other does not
 * know, and agrees with it in all else. Machines of small kernels are altered, one thing at a time. */
#include "certify/state.h"
#include "kernels.h"
#include "model/model.h"
#include "rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

enum { MOST_RESTS = 12, SOME_FACTS = 40, SOME_RUNS = 6, MOST_EVENTS = 100000 };

typedef struct pair {
    state strong, weak, other; /* copies of each other before one is altered */
    uint64_t random;
} pair;

static unsigned draw(pair *p, int below)
{
    p->random = p->random * UINT64_C(6364136223846793005) + 1442695040888963407;
    return below ? (unsigned)(p->random >> 33) % (unsigned)below : 0;
}

static void copy(const state *from, state *to)
{
    memcpy(to->block, from->block, from->block_bytes);
    to->flights.len = to->first_flight = 0;
    to->wrong = NULL;
    to->events = 0;
    to->most_events = MOST_EVENTS;
}

/* An alteration of the weak machine; false: there is nothing to alter. */
typedef bool alter(pair *p);

/* ---- agents ------------------------------------------------------------------------------------------------------------- */

static int living(pair *p)
{
    const world *w = p->strong.world;
    for (int i = 0, first = (int)draw(p, w->agent_count); i < w->agent_count; i++)
        if (state_alive(&p->strong, (first + i) % w->agent_count))
            return (first + i) % w->agent_count;
    return -1;
}

/* What is changed of an agent, if there is one of which that holds. */
#define OF_AGENT(name, holds, change)                                                                        \
    static bool name(pair *p)                                                                                \
    {                                                                                                        \
        int i = living(p);                                                                                   \
        state_agent *a = &p->weak.agents[i < 0 ? 0 : i];                                                     \
        if (i < 0 || !(holds))                                                                               \
            return false;                                                                                    \
        change;                                                                                              \
        return true;                                                                                         \
    }

OF_AGENT(stands_elsewhere, true, a->pc++)
OF_AGENT(has_ended, true, a->status = STATE_DONE)
OF_AGENT(waits_elsewhere, a->status == STATE_WAITS, a->stage++)
OF_AGENT(asks_instead, a->status == STATE_WAITS, a->status = STATE_ASKS)
OF_AGENT(is_in_another_tile, true, a->tile++)
OF_AGENT(is_in_another_trip, a->in_loop && a->mode == TRIP_COUNTED, a->trip++)
OF_AGENT(is_in_no_loop, a->in_loop, a->in_loop = false)
OF_AGENT(is_in_another_turn, a->in_loop &&state_loop(&p->weak, i)->family >= 0, a->turn++)
OF_AGENT(has_a_group_more, true, a->groups[GROUPS_WGMMA]++)
OF_AGENT(has_another_group, a->groups[GROUPS_BULK], *state_group(&p->weak, i, GROUPS_BULK, 0) ^= 1)

static state_cursor *some_cursor(pair *p)
{
    int i = living(p), cursors = i < 0 ? 0 : (int)world_task_of(p->strong.world, i)->cursors.len;
    return cursors ? state_cursor_of(&p->weak, i, (int)draw(p, cursors)) : NULL;
}

#define OF_CURSOR(name, change)                                                                              \
    static bool name(pair *p)                                                                                \
    {                                                                                                        \
        state_cursor *c = some_cursor(p);                                                                    \
        if (!c)                                                                                              \
            return false;                                                                                    \
        change;                                                                                              \
        return true;                                                                                         \
    }

OF_CURSOR(points_elsewhere, c->slot++)
OF_CURSOR(is_a_lap_ahead, c->lap++)
OF_CURSOR(has_another_parity, c->parity ^= 1)
OF_CURSOR(holds_another, c->held++)
OF_CURSOR(holds_of_another_lap, c->held_lap++)

static bool has_probed(pair *p)
{
    int i = living(p);
    if (i < 0 || !world_task_of(p->strong.world, i)->status_count)
        return false;
    state_probe *asked = &p->weak.probes[p->strong.world->agents[i].first_probe];
    asked->stage = asked->stage < 0 ? 0 : -1;
    return true;
}

/* ---- stages and slots --------------------------------------------------------------------------------------------------- */

#define OF_STAGE(name, holds, change)                                                                        \
    static bool name(pair *p)                                                                                \
    {                                                                                                        \
        int stages = p->strong.world->stage_count, i = stages ? (int)draw(p, stages) : 0;                    \
        state_stage *b = &p->weak.stages[i];                                                                 \
        if (!stages || !(holds))                                                                             \
            return false;                                                                                    \
        change;                                                                                              \
        return true;                                                                                         \
    }

OF_STAGE(is_a_phase_ahead, state_is_looked_at(&p->strong, i), b->count++)
OF_STAGE(misses_more, true, b->pending++)
OF_STAGE(expects_bytes, true, b->bytes++)
OF_STAGE(has_engines, true, b->engines = !b->engines)
OF_STAGE(owes_a_wait, true, b->owed = !b->owed)
OF_STAGE(leads, true, b->lead++)

static bool is_past(const pair *p, int slot)
{
    return p->strong.copies[slot].lap < state_least_lap(&p->strong, slot);
}

#define OF_SLOT(name, holds, change)                                                                         \
    static bool name(pair *p)                                                                                \
    {                                                                                                        \
        int slots = p->strong.world->slot_count, i = slots ? (int)draw(p, slots) : 0;                        \
        state_copy *c = &p->weak.copies[i];                                                                  \
        (void)c;                                                                                             \
        if (!slots || !(holds))                                                                              \
            return false;                                                                                    \
        change;                                                                                              \
        return true;                                                                                         \
    }

OF_SLOT(is_gone, true, p->weak.gone[i] = !p->weak.gone[i])
OF_SLOT(was_copied_earlier, c->age[ABOUT_COPY] < 3, c->age[ABOUT_COPY]++)
OF_SLOT(was_copied_later, c->age[ABOUT_COPY] > 0, c->age[ABOUT_COPY]--)
OF_SLOT(was_copied_in_another_lap, true, c->lap = c->lap == NO_LAP ? 0 : c->lap + 1)
OF_SLOT(was_copied_in_no_lap, !is_past(p, i), c->lap = NO_LAP)
OF_SLOT(was_copied_in_a_past_lap, is_past(p, i), c->lap = NO_LAP)
OF_SLOT(was_covered, c->lap != NO_LAP, c->whole = !c->whole)
OF_SLOT(was_written_in_another_lap, true, p->weak.laps[p->strong.world->slots[i].first_access] = 77)

/* ---- values ------------------------------------------------------------------------------------------------------------- */

#define OF_VALUE(name, of_choice, holds, change)                                                             \
    static bool name(pair *p)                                                                                \
    {                                                                                                        \
        const world *w = p->strong.world;                                                                    \
        int i = w->instance_count ? (int)draw(p, w->instance_count) : 0;                                     \
        state_value *v = &p->weak.values[i];                                                                 \
        if (!w->instance_count || value_is_choice(&w->values.at[w->value_of[i]]) != (of_choice) || !(holds)) \
            return false;                                                                                    \
        change;                                                                                              \
        return true;                                                                                         \
    }

OF_VALUE(is_greater, false, true, v->from++)
OF_VALUE(has_another_step, false, true, v->step++)
OF_VALUE(is_any_but_steps, false, true, (v->any = true, v->step++))
OF_VALUE(is_dead, false, true, v->dead = true)
OF_VALUE(is_of_its_class, false, true, (v->every = 3, v->from -= 6))
OF_VALUE(is_of_another_class, false, true, (v->every = 3, v->from -= 5))
OF_VALUE(is_known, true, v->choice < 0, v->choice = 1)
OF_VALUE(is_the_other, true, v->choice >= 0, v->choice = !v->choice)
OF_VALUE(is_not_known, true, v->choice >= 0, v->choice = -1)

/* ---- facts -------------------------------------------------------------------------------------------------------------- */

/* One that the holder knows, or does not, but for what pipes were given last. */
static bool find_fact(pair *p, bool known, int *holder, int *fact)
{
    for (int i = 0; i < 100 * SOME_FACTS; i++) {
        *holder = (int)draw(p, p->strong.holders);
        *fact = (int)draw(p, p->strong.world->fact_count);
        if (*fact < p->strong.world->last_facts && state_knows(&p->strong, *holder, *fact) == known)
            return true;
    }
    return false;
}

static bool knows_more(pair *p)
{
    int holder, fact;
    if (!find_fact(p, false, &holder, &fact))
        return false;
    state_learn(&p->weak, holder, fact);
    return true;
}

static bool knows_less(pair *p)
{
    int holder, fact;
    if (!find_fact(p, true, &holder, &fact))
        return false;
    bits_remove(state_holder(&p->weak, holder), fact);
    return true;
}

static size_t runs[2]; /* that end well, or find a fault */
static size_t renamed;

/* ---- all of them -------------------------------------------------------------------------------------------------------- */

typedef struct alteration {
    const char *name;
    alter *alter;
    bool covers;
    size_t tried;
} alteration;

#define REFUSED(name)                                                                                        \
    {                                                                                                        \
#name, name, false, 0                                                                                \
    }
#define COVERED(name)                                                                                        \
    {                                                                                                        \
#name, name, true, 0                                                                                 \
    }

static alteration alterations[] = {REFUSED(stands_elsewhere),
                                   REFUSED(has_ended),
                                   REFUSED(waits_elsewhere),
                                   REFUSED(asks_instead),
                                   REFUSED(is_in_another_tile),
                                   REFUSED(is_in_another_trip),
                                   REFUSED(is_in_no_loop),
                                   REFUSED(is_in_another_turn),
                                   REFUSED(has_a_group_more),
                                   REFUSED(has_another_group),
                                   REFUSED(points_elsewhere),
                                   REFUSED(is_a_lap_ahead),
                                   REFUSED(has_another_parity),
                                   REFUSED(holds_another),
                                   REFUSED(holds_of_another_lap),
                                   REFUSED(has_probed),
                                   REFUSED(is_a_phase_ahead),
                                   REFUSED(misses_more),
                                   REFUSED(expects_bytes),
                                   REFUSED(has_engines),
                                   REFUSED(owes_a_wait),
                                   REFUSED(leads),
                                   REFUSED(is_gone),
                                   REFUSED(was_copied_earlier),
                                   COVERED(was_copied_later),
                                   REFUSED(was_copied_in_another_lap),
                                   REFUSED(was_copied_in_no_lap),
                                   COVERED(was_copied_in_a_past_lap),
                                   REFUSED(was_covered),
                                   REFUSED(was_written_in_another_lap),
                                   REFUSED(is_greater),
                                   REFUSED(has_another_step),
                                   REFUSED(is_any_but_steps),
                                   COVERED(is_dead),
                                   COVERED(is_of_its_class),
                                   REFUSED(is_of_another_class),
                                   REFUSED(is_known),
                                   REFUSED(is_the_other),
                                   COVERED(is_not_known),
                                   REFUSED(knows_more),
                                   COVERED(knows_less)};

static void alter_each(const char *name, pair *p)
{
    copy(&p->strong, &p->weak);
    assert_true(state_covers(&p->weak, &p->strong));
    for (size_t i = 0; i < sizeof alterations / sizeof *alterations; i++) {
        alteration *a = &alterations[i];
        for (int n = 0; n < (a->alter == knows_more || a->alter == knows_less ? SOME_FACTS : 1); n++) {
            copy(&p->strong, &p->weak);
            if (!a->alter(p))
                continue;
            if (state_covers(&p->weak, &p->strong) != a->covers) {
                print_message("%s: %s, and is %s\n", name, a->name, a->covers ? "refused" : "covered");
                fail();
            }
            a->tried++;
        }
    }
}

/* What knows less finds every fault that the other finds, goes to the same rest, and knows less there. */
static void run_both(const char *name, pair *p, const question *q)
{
    for (int n = 0; n < SOME_RUNS; n++) {
        bool more = draw(p, 2);
        copy(&p->strong, &p->weak);
        copy(&p->strong, &p->other);
        for (int facts = 1 + (int)draw(p, 300); facts; facts--)
            (void)knows_less(p);
        (void)was_copied_later(p);
        state_give(&p->weak, q, more);
        state_give(&p->other, q, more);
        state_outcome weak = state_run(&p->weak), strong = state_run(&p->other);
        runs[weak == STATE_IS_WRONG]++;
        if (weak == STATE_IS_WRONG)
            continue;
        state_rename(&p->weak);
        state_rename(&p->other);
        if (weak != strong || !state_covers(&p->weak, &p->other)) {
            print_message("%s: a machine that knows less does not go the same way\n", name);
            fail();
        }
    }
}

/* ---- names -------------------------------------------------------------------------------------------------------------- */

static bool all_live(const state *s)
{
    for (int i = 0; i < s->world->agent_count; i++)
        if (!s->world->agents[i].is_pipe && !state_alive(s, i))
            return false;
    return true;
}

/* A machine that goes by its first names all the way is the same, once it has been renamed. (A ring in which nobody is any more
 * keeps the names that it had.) */
static void is_the_same(const char *name, pair *p, const state *plain)
{
    if (!all_live(plain))
        return;
    copy(plain, &p->other);
    state_rename(&p->other);
    if (!state_covers(&p->other, &p->strong) || !state_covers(&p->strong, &p->other)) {
        print_message("%s: renamed at each rest, the machine is another\n", name);
        fail();
    }
    renamed++;
}

/* Some of the machines at rest of a kernel, whatever is answered. */
static void alter_machines(const char *name, pair *p, state *plain)
{
    state_begin(&p->strong);
    state_begin(plain);
    for (int rests = 0; rests < MOST_RESTS && state_run(&p->strong) == STATE_RESTS; rests++) {
        assert_int_equal(state_run(plain), STATE_RESTS);
        state_rename(&p->strong);
        is_the_same(name, p, plain);
        alter_each(name, p);
        int asker = 0;
        while (p->strong.agents[asker].status != STATE_ASKS)
            asker++;
        question q = state_asked(&p->strong, asker), same = state_asked(plain, asker);
        run_both(name, p, &q);
        bool more = draw(p, 4) != 0;
        state_give(&p->strong, &q, more);
        state_give(plain, &same, more);
    }
}

static void visit_kernel(const char *name, ww_kernel *k)
{
    pair p = {.random = hash_text(HASH_SEED, name)};
    state plain;
    world *w = world_new(k, k->program);
    if (!w->refused && w->agent_count) {
        state *const all[] = {&p.strong, &p.weak, &p.other, &plain};
        for (int i = 0; i < 4; i++) {
            state_new(all[i], w);
            all[i]->most_events = MOST_EVENTS;
        }
        alter_machines(name, &p, &plain);
        for (int i = 0; i < 4; i++)
            state_free(all[i]);
    }
    world_free(w);
}

static void visit_feature(const char *name, ww_kernel *k, void *context)
{
    (void)context;
    assert_true(ww_kernel_prove(k).proved);
    visit_kernel(name, k);
}

static void covers_what_is_stronger(void **unused)
{
    (void)unused;
    each_feature(visit_feature, NULL);
    for (size_t i = 0; row_at(i); i++) {
        mini m;
        bool proved;
        if (row_prove(row_at(i), &m, &proved) && proved)
            visit_kernel(row_at(i)->name, m.kernel);
        mini_free(&m);
    }
    for (size_t i = 0; i < sizeof alterations / sizeof *alterations; i++) {
        print_message("%-28s %6zu %s\n", alterations[i].name, alterations[i].tried,
                      alterations[i].covers ? "covered" : "refused");
        assert_true(alterations[i].tried >= 5);
    }
    print_message("%zu runs of machines that know less, and %zu that find a fault\n", runs[0], runs[1]);
    print_message("%zu machines are the same under other names\n", renamed);
    assert_true(runs[0] > 300 && runs[1] > 300 && renamed > 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(covers_what_is_stronger)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
