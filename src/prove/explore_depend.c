/* Two steps depend on each other if they
 *
 *   act on one stage of a barrier, and one of them is an arrival or brings bytes
 *   touch the same bytes, and one of them writes; a landing counts as all the accesses that it ends, and so does the body in
 *   which a group is waited for
 *   are a fence and what it may find or not, and that decides whether an access is fenced (explore_order.c) */
#include "prove/explore_reduce.h"

static bool acts(const event *e)
{
    return e->kind == EVENT_WAIT || e->kind == EVENT_PROBE || e->kind == EVENT_ARRIVE;
}

static bool any_meet(const explorer *x, const touch *t, const event *e)
{
    for (int i = 0; i < e->touches; i++)
        if (explore_meets(x, t, &x->touches.at[e->first_touch + i]))
            return true;
    return false;
}

/* Accesses of the first, those that it starts and those that it ends, against what the second starts. */
static bool works_meet(const explorer *x, int agent, int number, const event *other)
{
    const actor *a = &x->actors[agent];
    const event *e = &a->events.at[number];
    for (int i = 0; i < e->touches; i++)
        if (any_meet(x, &x->touches.at[e->first_touch + i], other))
            return true;
    for (int i = 0; i < number; i++)
        for (int j = 0; j < a->events.at[i].touches; j++) {
            const touch *t = &x->touches.at[a->events.at[i].first_touch + j];
            if (t->until == number && any_meet(x, t, other))
                return true;
        }
    return false;
}

static int events_depend(const struct reduction *r, int agent_a, int a, int agent_b, int b)
{
    const explorer *x = r->x;
    const event *e = &x->actors[agent_a].events.at[a], *f = &x->actors[agent_b].events.at[b];
    bool depend =
        acts(e) && acts(f) && e->stage == f->stage && (e->kind == EVENT_ARRIVE || f->kind == EVENT_ARRIVE);
    if (e->kind == EVENT_WORK && f->kind == EVENT_WORK)
        depend = works_meet(x, agent_a, a, f) || works_meet(x, agent_b, b, e);
    return depend ? BY_STAGE : NEVER;
}

/* MMAs of one warp are in order. */
static bool only_tensor(const explorer *x, const event *e)
{
    for (int i = 0; i < e->touches; i++)
        if (!explore_is_tensor(&x->touches.at[e->first_touch + i]))
            return false;
    return true;
}

/* The last event whose accesses the landing ends and that meet those of the event; ANY_TIME: those of a copy, which nothing
 * else ends; NEVER: there are none. */
static int last_met(const explorer *x, int number, int agent, const event *e)
{
    const explore_flight *f = &x->flights.at[number];
    const actor *a = &x->actors[f->agent];
    if (f->kind == FLIGHT_REMOTE || (f->kind == FLIGHT_TENSOR && f->agent == agent && only_tensor(x, e)))
        return NEVER;
    for (int i = f->event; i >= 0; i--)
        for (int j = 0; j < a->events.at[i].touches; j++) {
            const touch *t = &x->touches.at[a->events.at[i].first_touch + j];
            if (explore_ends(f, number, t) && any_meet(x, t, e))
                return f->kind == FLIGHT_COPY ? ANY_TIME : i;
        }
    return NEVER;
}

static int flight_depends(const struct reduction *r, int number, int agent, const event *e)
{
    const explorer *x = r->x;
    if (acts(e))
        return e->stage == x->flights.at[number].stage ? BY_STAGE : NEVER;
    return e->kind == EVENT_WORK && e->touches ? last_met(x, number, agent, e) : NEVER;
}

static void add_dependent(dependents *d, bool flight, int number, int last)
{
    dependent at = {number, last};
    if (last == NEVER)
        return;
    if (flight)
        vec_push(&d->flights, at);
    else
        vec_push(&d->events, at);
}

/* For two reasons. */
static int both(int last, int linked)
{
    if (last == NEVER || linked == NEVER)
        return last == NEVER ? linked : last;
    return last == BY_STAGE || linked > last ? ANY_TIME : last;
}

static void note_links(struct reduction *r, int step, bool linked)
{
    for (size_t i = 0; i < r->fences[step].len; i++)
        r->linked[r->fences[step].at[i].step] = linked ? r->fences[step].at[i].last : NEVER;
}

static void find_dependents_of_event(struct reduction *r, dependents *d, int agent, int number)
{
    const explorer *x = r->x;
    for (int q = 0; q < x->plan->agent_count; q++) {
        d->first[q] = (int)d->events.len;
        for (int i = 0; q != agent && i < (int)x->actors[q].events.len; i++)
            add_dependent(d, false, i,
                          both(events_depend(r, agent, number, q, i), r->linked[explore_step_of(x, q, i)]));
    }
    for (int f = 0; f < (int)x->flights.len; f++)
        add_dependent(d, true, f,
                      both(flight_depends(r, f, agent, &x->actors[agent].events.at[number]),
                           r->linked[explore_flight_step(x, f)]));
}

static void find_dependents_of_flight(struct reduction *r, dependents *d, int flight)
{
    const explorer *x = r->x;
    for (int q = 0; q < x->plan->agent_count; q++) {
        d->first[q] = (int)d->events.len;
        for (int i = 0; i < (int)x->actors[q].events.len; i++)
            add_dependent(d, false, i,
                          both(flight_depends(r, flight, q, &x->actors[q].events.at[i]),
                               r->linked[explore_step_of(x, q, i)]));
    }
    for (int f = 0; f < (int)x->flights.len; f++)
        if (f != flight && x->flights.at[f].stage == x->flights.at[flight].stage)
            add_dependent(d, true, f, BY_STAGE);
}

const dependents *reduction_dependents(struct reduction *r, int step)
{
    dependents *d = &r->of[step];
    int agents = r->x->plan->agent_count, agent = 0;
    if (d->known)
        return d;
    while (agent < agents && step >= r->x->first_step[agent + 1])
        agent++;
    d->first = base_alloc(((size_t)agents + 1) * sizeof(int));
    note_links(r, step, true);
    if (agent < agents)
        find_dependents_of_event(r, d, agent, step - r->x->first_step[agent]);
    else
        find_dependents_of_flight(r, d, step - r->x->first_step[agents]);
    note_links(r, step, false);
    d->first[agents] = (int)d->events.len;
    d->known = true;
    return d;
}
