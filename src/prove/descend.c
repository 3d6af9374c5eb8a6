/* See descend.h. */
#include "prove/descend.h"

/* No ring is deeper, and each trip forgets something about some slot. */
enum { MOST_TRIPS = 8192 };

static bool same_question(const question *a, const question *b)
{
    return a->value == b->value && a->instance == b->instance;
}

/* "The value is greater", so many times. */
static descent go_on(machine *m, const question *q, int64_t times, uint32_t *runs)
{
    for (int64_t i = 0; i < times; i++) {
        question next;
        value_is_greater(m, q);
        ++*runs;
        outcome o = machine_run(m, q->value, &next);
        if (o == OUTCOME_FAULT || o == OUTCOME_TOO_LONG)
            return DESCENT_FOUND;
        if (o != OUTCOME_ASKS || !same_question(&next, q))
            return DESCENT_NONE;
    }
    return DESCENT_LIMIT;
}

/* Equal, but for how far the value has grown. */
static bool repeats(const canonical *a, const canonical *b)
{
    if (a->chain_length != b->chain_length || a->places.len != b->places.len ||
        memcmp(a->words.at, b->words.at, a->chain_length * sizeof *a->words.at) != 0)
        return false;
    for (size_t i = 0; i < a->places.len; i++)
        if (a->places.at[i].distance != b->places.at[i].distance)
            return false;
    return true;
}

static void make_form(canonical *form, const machine *m, const question *q, bool keep)
{
    form->keep = keep;
    canonical_of(form, m, q);
}

/* From a chain that descends: to where it repeats, which is looked for after 2, 4, 8, ... trips. */
static descent find_limit(machine *m, canonical *form, canonical *room, const question *q, uint32_t *runs)
{
    for (int64_t done = 1, next = 2; next <= MOST_TRIPS; done = next + 1, next *= 2) {
        descent d = go_on(m, q, next - done, runs);
        if (d != DESCENT_LIMIT)
            return d;
        make_form(room, m, q, false);
        d = go_on(m, q, 1, runs);
        if (d != DESCENT_LIMIT)
            return d;
        make_form(form, m, q, false);
        if (repeats(room, form))
            return DESCENT_LIMIT;
    }
    return DESCENT_NONE;
}

descent descend(machine *m, canonical *form, canonical *room, const question *q, uint32_t *runs)
{
    descent d = go_on(m, q, 1, runs);
    if (d != DESCENT_LIMIT)
        return d;
    make_form(room, m, q, true);
    if (!canonical_knows_more(form, room))
        return DESCENT_NONE;
    return find_limit(m, form, room, q, runs);
}
