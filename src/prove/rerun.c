/* The execution that led to a finding, once more, with the values that the search had chosen. Questions come as they did
 * there and are answered from a list; where the search took a class of values together, its smallest member is meant. */
#include "prove/events.h"

/* ---- the values ---------------------------------------------------------------------------------------- */

static given_value *find(const given_values *values, int value, int64_t tile, int64_t trip)
{
    for (size_t i = 0; i < values->len; i++)
        if (values->at[i].value == value && values->at[i].tile == tile && values->at[i].trip == trip)
            return &values->at[i];
    return NULL;
}

static void give(given_values *values, given_value v)
{
    given_value *old = find(values, v.value, v.tile, v.trip);
    if (old)
        *old = v;
    else
        vec_push(values, v);
}

/* The tile that answer `at`, about a value of a tile, is for: the queue's newest one then, or the one before it. */
static int64_t tile_of(const machine *m, const steady_result *result, size_t at)
{
    const steady_answer *a = &result->path.at[at];
    int64_t newest = 0;
    for (size_t i = 0; i < at; i++) {
        const steady_answer *b = &result->path.at[i];
        const plan_value *v = &m->plan->values[b->value];
        if (v->kind == PLAN_TILES && b->more && v->queue == m->plan->values[a->value].queue)
            newest = b->from;
    }
    return (newest & 1) == a->instance ? newest : newest - 1;
}

static int64_t answered(const plan_value *v, const steady_answer *a)
{
    if (plan_is_choice(v))
        return a->more;
    return a->more ? a->from + (a->period ? a->period : 1) : a->from;
}

void rerun_values(const machine *m, const steady_result *result, given_values *out)
{
    for (size_t i = 0; i < result->path.len; i++) {
        const steady_answer *a = &result->path.at[i];
        const plan_value *v = &m->plan->values[a->value];
        given_value g = {a->value, -1, -1, answered(v, a)};
        if (v->of_trip) {
            g.tile = a->at.tile;
            g.trip = a->at.trip;
        } else if (plan_of_tile(v)) {
            g.tile = tile_of(m, result, i);
        }
        give(out, g);
    }
}

/* ---- running ------------------------------------------------------------------------------------------- */

/* The value an agent that asks is about: its tile and trip tell which one. */
static const given_value *asked_about(const machine *m, const question *q, const given_values *values)
{
    const plan_value *v = &m->plan->values[q->value];
    const moment *at = &m->now.moments[v->first_known + q->instance];
    if (v->of_trip)
        return find(values, q->value, at->tile, at->trip);
    if (!plan_of_tile(v))
        return find(values, q->value, -1, -1);
    for (int i = 0; i < m->plan->agent_count; i++) {
        const agent *a = &m->now.agents[i];
        if (a->status == AGENT_ASKS && value_instance(m, i, q->value) == q->instance && a->in_tile_loop)
            return find(values, q->value, a->tile, -1);
    }
    return NULL;
}

static bool answer_from(machine *m, const question *q, const given_values *values)
{
    const given_value *g = asked_about(m, q, values);
    knowledge *k = value_known(m, q->value, q->instance);
    if (!g)
        return false;
    if (plan_is_choice(&m->plan->values[q->value]))
        *k = (knowledge){g->number, 0};
    else if (k->from < g->number)
        k->from++;
    else
        k->period = 0;
    for (int i = 0; i < m->plan->agent_count; i++)
        if (m->now.agents[i].status == AGENT_ASKS)
            m->now.agents[i].status = AGENT_RUNS;
    return true;
}

bool rerun(machine *m, const given_values *values, fault expected)
{
    question q;
    int prefer = -1;
    outcome o = machine_run(m, prefer, &q);
    while (o == OUTCOME_ASKS && answer_from(m, &q, values)) {
        prefer = q.value;
        o = machine_run(m, prefer, &q);
    }
    return o == OUTCOME_FAULT && m->finding.fault == expected;
}
