/* Which steps from a state are enough: a stubborn set (Valmari), smaller than all that is possible where steps of different
 * agents cannot see each other.
 *
 * A set T of steps is stubborn in a state if: each step that depends on a possible one of T is in T, at any time from now on,
 * not only now; and for each one of T that is not possible now, T has all steps one of which must come first. Then whatever is
 * done outside T first, the possible steps of T stay possible, and come to the same in either order; so it is enough to follow
 * those. Every order of dependent steps is still seen, and every end. What is judged is only what such orders tell
 * (docs/prover.md, section 7), so verdicts are those of the search without reduction.
 *
 * What must come before an operation of an agent: what the agent does now; or, if it must pass a wait on the way for a
 * phase that is not over, an arrival at that stage. Nothing else can end the phase. */
#include "prove/explore_reduce.h"

/* ---- building a set ------------------------------------------------------------------------------------ */

static void add_step(struct reduction *r, int step)
{
    r->possible++;
    vec_push(&r->pending, step);
}

static void add_arrivals(struct reduction *r, const state *s, int stage);

static void add_agent(struct reduction *r, const state *s, int agent)
{
    if (r->in_agents[agent] || !explore_next(r->x, s, agent))
        return;
    r->in_agents[agent] = 1;
    int at = (int)s->at[agent];
    if (explore_is_blocked(r->x, s, agent, at))
        add_arrivals(r, s, r->x->actors[agent].events.at[at].stage);
    else
        add_step(r, r->x->first_step[agent] + at);
}

/* How many agents and flights would be added with the arrivals at a stage, at least. */
static int price(struct reduction *r, const state *s, int stage)
{
    const stage_steps *at = &r->stages[stage];
    const arrival *arriving;
    int agents = 0, flights = 0, flight;
    if (r->in_stages[stage])
        return 0;
    if (reduction_is_exact(r, s, stage))
        return !reduction_contribution(r, s, stage, &arriving, &flight);
    for (size_t i = 0; i < at->arrivals.len; i++) {
        const arrival *a = &at->arrivals.at[i];
        agents += !r->in_agents[a->agent] && s->at[a->agent] <= (uint32_t)a->event;
    }
    for (size_t i = 0; i < at->flights.len; i++) {
        int f = at->flights.at[i];
        const explore_flight *of = &r->x->flights.at[f];
        bool issued = s->at[of->agent] > (uint32_t)of->event;
        flights += !s->landed[f] && (issued ? !r->in_flights[f] : !r->in_agents[of->agent]);
    }
    return agents + flights;
}

/* One of the agent's events from now on. Of what must come before it, what adds the least. */
static void add_event(struct reduction *r, const state *s, int agent, int number)
{
    const actor *a = &r->x->actors[agent];
    int best = -1, least = INT32_MAX;
    if (r->in_agents[agent])
        return;
    for (int i = reduction_next_wait(r, agent, (int)s->at[agent]); i <= number && least;
         i = reduction_next_wait(r, agent, i + 1)) {
        if (!explore_is_blocked(r->x, s, agent, i))
            continue;
        int of_this = price(r, s, a->events.at[i].stage);
        if (of_this < least) {
            least = of_this;
            best = a->events.at[i].stage;
        }
    }
    if (best >= 0)
        add_arrivals(r, s, best);
    else
        add_agent(r, s, agent);
}

static void add_flight(struct reduction *r, const state *s, int number)
{
    const explore_flight *f = &r->x->flights.at[number];
    if (s->landed[number] || r->in_flights[number])
        return;
    if (s->at[f->agent] <= (uint32_t)f->event) {
        add_event(r, s, f->agent, f->event);
        return;
    }
    r->in_flights[number] = 1;
    add_step(r, r->x->first_step[r->x->plan->agent_count] + number);
}

/* Any one of what a phase needs; nothing, if one is in already. */
static void add_one(struct reduction *r, const state *s, int stage)
{
    const arrival *arriving;
    int flight;
    if (reduction_contribution(r, s, stage, &arriving, &flight))
        return;
    if (arriving)
        add_event(r, s, arriving->agent, arriving->event);
    else if (flight >= 0)
        add_flight(r, s, flight);
}

static void add_arrivals(struct reduction *r, const state *s, int stage)
{
    const stage_steps *at = &r->stages[stage];
    if (r->in_stages[stage])
        return;
    r->in_stages[stage] = 1;
    if (reduction_is_exact(r, s, stage)) {
        add_one(r, s, stage);
        return;
    }
    for (size_t i = 0; i < at->arrivals.len; i++)
        if (s->at[at->arrivals.at[i].agent] <= (uint32_t)at->arrivals.at[i].event)
            add_event(r, s, at->arrivals.at[i].agent, at->arrivals.at[i].event);
    for (size_t i = 0; i < at->flights.len; i++)
        add_flight(r, s, at->flights.at[i]);
}

/* ---- landings of commits: what they end may have been ended by another --------------------------------- */

static bool is_commit(const explore_flight *f)
{
    return f->kind == FLIGHT_TENSOR || f->kind == FLIGHT_LOADS;
}

static int *latest_landed(const struct reduction *r, const explore_flight *f)
{
    return &r->landed[2 * f->agent + (f->kind == FLIGHT_TENSOR)];
}

static void note_landed(struct reduction *r, const state *s)
{
    for (int i = 0; i < 2 * r->x->plan->agent_count; i++)
        r->landed[i] = -1;
    for (int i = 0; i < (int)r->x->flights.len; i++) {
        const explore_flight *f = &r->x->flights.at[i];
        int *latest = latest_landed(r, f);
        if (s->landed[i] && is_commit(f) && f->event > *latest)
            *latest = f->event;
    }
}

/* A commit after those accesses has landed already. */
static bool is_old_news(const struct reduction *r, int number, int last)
{
    const explore_flight *f = &r->x->flights.at[number];
    return last != BY_STAGE && is_commit(f) && *latest_landed(r, f) > last;
}

static bool only_later_commits(const struct reduction *r, const state *s, int stage, const explore_flight *f,
                               int last)
{
    const stage_steps *at = &r->stages[stage];
    for (size_t i = 0; i < at->arrivals.len; i++)
        if (s->at[at->arrivals.at[i].agent] <= (uint32_t)at->arrivals.at[i].event)
            return false;
    for (size_t i = 0; i < at->flights.len; i++) {
        const explore_flight *g = &r->x->flights.at[at->flights.at[i]];
        if (!s->landed[at->flights.at[i]] && (g->kind != f->kind || g->agent != f->agent || g->event <= last))
            return false;
    }
    return true;
}

/* On its way to the event the agent must pass a wait that only such commits can let it through. */
static bool will_be_old_news(const struct reduction *r, const state *s, int number, int last, int agent,
                             int event_number)
{
    const explore_flight *f = &r->x->flights.at[number];
    const actor *a = &r->x->actors[agent];
    if (last == BY_STAGE || !is_commit(f))
        return false;
    for (int i = reduction_next_wait(r, agent, (int)s->at[agent]); i <= event_number;
         i = reduction_next_wait(r, agent, i + 1))
        if (explore_is_blocked(r->x, s, agent, i) && only_later_commits(r, s, a->events.at[i].stage, f, last))
            return true;
    return false;
}

static bool is_past(const struct reduction *r, const state *s, int flight, int agent, const dependent *d)
{
    return d->number < (int)s->at[agent] || (flight >= 0 && is_old_news(r, flight, d->last)) ||
           (flight >= 0 && will_be_old_news(r, s, flight, d->last, agent, d->number));
}

/* The stage at which the step arrives or brings bytes; -1: at none. */
static int contributes_to(const struct reduction *r, int step)
{
    int agents = r->x->plan->agent_count, agent = 0;
    if (step >= r->x->first_step[agents])
        return r->x->flights.at[step - r->x->first_step[agents]].stage;
    while (step >= r->x->first_step[agent + 1])
        agent++;
    const event *e = &r->x->actors[agent].events.at[step - r->x->first_step[agent]];
    return e->kind == EVENT_ARRIVE ? e->stage : -1;
}

static bool is_arrival(const struct reduction *r, int agent, int number)
{
    return r->x->actors[agent].events.at[number].kind == EVENT_ARRIVE;
}

static void add_dependents(struct reduction *r, const state *s, int step)
{
    const dependents *d = reduction_dependents(r, step);
    int agents = r->x->plan->agent_count, flight = step - r->x->first_step[agents];
    int stage = contributes_to(r, step);
    bool exact = stage >= 0 && reduction_is_exact(r, s, stage);
    if (exact)
        r->in_stages[stage] = 1; /* without this step the phase does not end */
    for (int q = 0; q < agents; q++) {
        int i = d->first[q];
        while (i < d->first[q + 1] &&
               (is_past(r, s, flight, q, &d->events.at[i]) ||
                (exact && d->events.at[i].last == BY_STAGE && is_arrival(r, q, d->events.at[i].number))))
            i++;
        if (i < d->first[q + 1])
            add_event(r, s, q, d->events.at[i].number);
    }
    for (size_t i = 0; i < d->flights.len; i++)
        if (!is_old_news(r, d->flights.at[i].number, d->flights.at[i].last) &&
            !(exact && d->flights.at[i].last == BY_STAGE))
            add_flight(r, s, d->flights.at[i].number);
}

static void begin_set(struct reduction *r)
{
    memset(r->in_agents, 0, (size_t)r->x->plan->agent_count);
    memset(r->in_flights, 0, r->x->flights.len);
    memset(r->in_stages, 0, (size_t)r->x->plan->stage_count);
    r->pending.len = 0;
    r->possible = 0;
}

static void close_set(struct reduction *r, const state *s, const explore_set *best)
{
    for (size_t i = 0; i < r->pending.len && (!best->size || r->possible < best->size); i++)
        add_dependents(r, s, r->pending.at[i]);
}

/* ---- the smallest, of those that begin with one possible step ------------------------------------------ */

static void keep_if_smaller(struct reduction *r, explore_set *best)
{
    if (best->size && r->possible >= best->size)
        return;
    best->size = r->possible;
    memcpy(best->agents, r->in_agents, (size_t)r->x->plan->agent_count);
    memcpy(best->flights, r->in_flights, r->x->flights.len);
}

void reduction_choose(struct reduction *r, const state *s, explore_set *best)
{
    best->size = 0;
    note_landed(r, s);
    reduction_begin_state(r);
    for (int a = 0; a < r->x->plan->agent_count && best->size != 1; a++) {
        if (!explore_next(r->x, s, a) || explore_is_blocked(r->x, s, a, (int)s->at[a]))
            continue;
        begin_set(r);
        add_agent(r, s, a);
        close_set(r, s, best);
        keep_if_smaller(r, best);
    }
    for (int f = 0; f < (int)r->x->flights.len && best->size != 1; f++) {
        if (s->landed[f] || s->at[r->x->flights.at[f].agent] <= (uint32_t)r->x->flights.at[f].event)
            continue;
        begin_set(r);
        add_flight(r, s, f);
        close_set(r, s, best);
        keep_if_smaller(r, best);
    }
}

struct reduction *reduction_new(const explorer *x)
{
    struct reduction *r = base_alloc(sizeof *r);
    size_t agents = (size_t)x->plan->agent_count;
    *r = (struct reduction){.x = x};
    r->of = base_alloc(((size_t)r->x->step_count + 1) * sizeof *r->of);
    memset(r->of, 0, ((size_t)r->x->step_count + 1) * sizeof *r->of);
    reduction_list_steps(r);
    r->fences = explore_link_fences(x);
    r->linked = base_alloc(((size_t)x->step_count + 1) * sizeof(int));
    for (int i = 0; i < x->step_count; i++)
        r->linked[i] = NEVER;
    r->landed = base_alloc((2 * agents + 1) * sizeof(int));
    r->in_agents = base_alloc(agents + 1);
    r->in_flights = base_alloc(x->flights.len + 1);
    r->in_stages = base_alloc((size_t)x->plan->stage_count + 1);
    r->exact = base_alloc((size_t)x->plan->stage_count + 1);
    return r;
}

void reduction_free(struct reduction *r)
{
    if (!r)
        return;
    for (int i = 0; i < r->x->step_count; i++) {
        vec_free(&r->fences[i]);
        free(r->of[i].first);
        vec_free(&r->of[i].events);
        vec_free(&r->of[i].flights);
    }
    for (int i = 0; i < r->x->plan->stage_count; i++) {
        vec_free(&r->stages[i].arrivals);
        vec_free(&r->stages[i].flights);
    }
    free(r->stages);
    free(r->landed);
    free(r->next_wait);
    free(r->of);
    free(r->in_agents);
    free(r->in_flights);
    free(r->in_stages);
    free(r->exact);
    free(r->fences);
    free(r->linked);
    vec_free(&r->pending);
    free(r);
}
