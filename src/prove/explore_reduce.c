/* Which steps from a state are enough: a stubborn set (Valmari), smaller than all that is possible where steps of different
 * agents cannot see each other.
 *
 * A set T of steps is stubborn in a state if: each step that depends on a possible one of T is in T, at any time from now on,
 * not only now; and for each one of T that is not possible now, T has all steps one of which must come first. Then whatever is
 * done outside T first, the possible steps of T stay possible, and come to the same in either order; so it is enough to follow
 * those. Every order of dependent steps is still seen, and every end. What is judged is only what such orders tell
 * (docs/prover.md, section 7), so verdicts are those of the search without reduction.
 *
 * Two steps depend on each other if they
 *
 *   act on one stage of a barrier, and one of them is an arrival or brings bytes
 *   touch the same bytes, and one of them writes; a landing counts as all the accesses that it ends, and so does the body in
 *   which a group is waited for
 *   are a fence and what it may find or not, and that decides whether an access is fenced (explore_order.c)
 *
 * What must come before an operation of an agent: what the agent does now; or, if it must pass a wait on the way for a
 * phase that is not over, an arrival at that stage. Nothing else can end the phase. */
#include "prove/explore_events.h"

enum { BY_STAGE = -1, NEVER = -2 };

typedef struct dependent {
    int number; /* an event, within its agent; a flight */
    /* Of a flight and an access, or a fence: the last event whose accesses the landing ends; ANY_TIME: however many
     * have landed. Of what acts on the same stage, or on the same memory: BY_STAGE. */
    int last;
} dependent;

typedef struct dependents {
    bool known;
    int *first;            /* [agent + 1]: range of events */
    VEC(dependent) events; /* in order */
    VEC(dependent) flights;
} dependents;

typedef struct arrival {
    int agent, event;
} arrival;

/* What can end a phase of a stage. */
typedef struct stage_steps {
    VEC(arrival) arrivals;
    VEC(int) flights;
} stage_steps;

struct reduction {
    const explorer *x;
    dependents *of; /* by step */
    stage_steps *stages;
    int *next_wait; /* by agent, by event and one more */
    /* [agent][2]: the last event of a commit of its tensor pipe, of its copies, that has landed. */
    int *landed;
    uint8_t *in_agents, *in_flights, *in_stages; /* of the set at hand */
    fence_links *fences;                         /* by step */
    int *linked;                                 /* by step: how to the one at hand; NEVER: not */
    uint8_t *exact;                              /* [stage], of the state at hand: see is_exact */
    VEC(int) pending;                            /* possible steps whose dependents are not in yet */
    int possible;
};

/* ---- which steps depend on each other ------------------------------------------------------------------ */

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

/* ---- phases that take just what is on its way ---------------------------------------------------------- */

/* The agent's first wait from that event on; INT32_MAX: there is none. */
static int next_wait(const struct reduction *r, int agent, int number)
{
    return r->next_wait[r->x->first_step[agent] + agent + number];
}

/* Whether the agent waits for the phase of the stage before it comes to that event. */
static bool is_behind(const struct reduction *r, const state *s, int agent, int number, int stage)
{
    const actor *a = &r->x->actors[agent];
    for (int i = next_wait(r, agent, (int)s->at[agent]); i <= number; i = next_wait(r, agent, i + 1))
        if (a->events.at[i].stage == stage && explore_is_blocked(r->x, s, agent, i))
            return true;
    return false;
}

/* Whether nothing can arrive at a stage before the phase of the other one is over. */
static bool is_fed_by(const struct reduction *r, const state *s, int stage, int by)
{
    const stage_steps *at = &r->stages[stage];
    for (size_t i = 0; i < at->arrivals.len; i++) {
        const arrival *a = &at->arrivals.at[i];
        if (s->at[a->agent] <= (uint32_t)a->event && !is_behind(r, s, a->agent, a->event, by))
            return false;
    }
    for (size_t i = 0; i < at->flights.len; i++) {
        const explore_flight *f = &r->x->flights.at[at->flights.at[i]];
        bool issued = s->at[f->agent] > (uint32_t)f->event;
        if (!s->landed[at->flights.at[i]] && (issued || !is_behind(r, s, f->agent, f->event, by)))
            return false;
    }
    return true;
}

/* Whether the agent comes to that event only when the phase is over. */
static bool comes_after(const struct reduction *r, const state *s, int agent, int number, int stage)
{
    const actor *a = &r->x->actors[agent];
    for (int i = next_wait(r, agent, (int)s->at[agent]); i <= number; i = next_wait(r, agent, i + 1))
        if (explore_is_blocked(r->x, s, agent, i) &&
            (a->events.at[i].stage == stage || is_fed_by(r, s, a->events.at[i].stage, stage)))
            return true;
    return false;
}

/* Whether all that can contribute to the phase before it is over is no more than it waits for. Then each of that is
 * needed, and it does not matter in which order it comes. */
static bool takes_all(const struct reduction *r, const state *s, int stage)
{
    const stage_steps *at = &r->stages[stage];
    uint64_t arrivals = 0;
    int64_t tx = s->stages[stage].tx;
    for (size_t i = 0; i < at->arrivals.len; i++) {
        const arrival *a = &at->arrivals.at[i];
        const event *e = &r->x->actors[a->agent].events.at[a->event];
        if (s->at[a->agent] > (uint32_t)a->event || comes_after(r, s, a->agent, a->event, stage))
            continue;
        arrivals += e->arrivals;
        tx += e->bytes;
    }
    for (size_t i = 0; i < at->flights.len; i++) {
        const explore_flight *f = &r->x->flights.at[at->flights.at[i]];
        bool issued = s->at[f->agent] > (uint32_t)f->event;
        if (s->landed[at->flights.at[i]] || (!issued && comes_after(r, s, f->agent, f->event, stage)))
            continue;
        arrivals += f->arrivals;
        tx += (int64_t)f->expected - (int64_t)f->bytes;
    }
    return arrivals <= s->stages[stage].pending && tx >= 0;
}

enum { NOT_ASKED, TAKES_ALL, TAKES_LESS };

static bool is_exact(struct reduction *r, const state *s, int stage)
{
    if (r->exact[stage] == NOT_ASKED)
        r->exact[stage] = takes_all(r, s, stage) ? TAKES_ALL : TAKES_LESS;
    return r->exact[stage] == TAKES_ALL;
}

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

/* A contribution to the phase at hand of an exact stage: one that is in already, if there is one (then true), else any. */
static bool find_contribution(const struct reduction *r, const state *s, int stage, const arrival **arriving,
                              int *flight)
{
    const stage_steps *at = &r->stages[stage];
    *arriving = NULL;
    *flight = -1;
    for (size_t i = 0; i < at->flights.len; i++) {
        int f = at->flights.at[i];
        const explore_flight *of = &r->x->flights.at[f];
        bool issued = s->at[of->agent] > (uint32_t)of->event;
        if (s->landed[f] || (!issued && comes_after(r, s, of->agent, of->event, stage)))
            continue;
        *flight = f;
        if (r->in_flights[f] || (!issued && r->in_agents[of->agent]))
            return true;
    }
    for (size_t i = 0; i < at->arrivals.len; i++) {
        const arrival *a = &at->arrivals.at[i];
        if (s->at[a->agent] > (uint32_t)a->event || comes_after(r, s, a->agent, a->event, stage))
            continue;
        *arriving = a;
        if (r->in_agents[a->agent])
            return true;
    }
    return false;
}

/* How many agents and flights would be added with the arrivals at a stage, at least. */
static int price(struct reduction *r, const state *s, int stage)
{
    const stage_steps *at = &r->stages[stage];
    const arrival *arriving;
    int agents = 0, flights = 0, flight;
    if (r->in_stages[stage])
        return 0;
    if (is_exact(r, s, stage))
        return !find_contribution(r, s, stage, &arriving, &flight);
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
    for (int i = next_wait(r, agent, (int)s->at[agent]); i <= number && least;
         i = next_wait(r, agent, i + 1)) {
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
    if (find_contribution(r, s, stage, &arriving, &flight))
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
    if (is_exact(r, s, stage)) {
        add_one(r, s, stage);
        return;
    }
    for (size_t i = 0; i < at->arrivals.len; i++)
        if (s->at[at->arrivals.at[i].agent] <= (uint32_t)at->arrivals.at[i].event)
            add_event(r, s, at->arrivals.at[i].agent, at->arrivals.at[i].event);
    for (size_t i = 0; i < at->flights.len; i++)
        add_flight(r, s, at->flights.at[i]);
}

static dependents *dependents_of(struct reduction *r, int step)
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
    for (int i = next_wait(r, agent, (int)s->at[agent]); i <= event_number; i = next_wait(r, agent, i + 1))
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
    const dependents *d = dependents_of(r, step);
    int agents = r->x->plan->agent_count, flight = step - r->x->first_step[agents];
    int stage = contributes_to(r, step);
    bool exact = stage >= 0 && is_exact(r, s, stage);
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
    memset(r->exact, NOT_ASKED, (size_t)r->x->plan->stage_count);
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

static void list_by_stage(struct reduction *r)
{
    size_t bytes = ((size_t)r->x->plan->stage_count + 1) * sizeof *r->stages;
    r->stages = base_alloc(bytes);
    memset(r->stages, 0, bytes);
    for (int a = 0; a < r->x->plan->agent_count; a++)
        for (int i = 0; i < (int)r->x->actors[a].events.len; i++) {
            const event *e = &r->x->actors[a].events.at[i];
            arrival at = {a, i};
            if (e->kind == EVENT_ARRIVE)
                vec_push(&r->stages[e->stage].arrivals, at);
        }
    for (int f = 0; f < (int)r->x->flights.len; f++)
        vec_push(&r->stages[r->x->flights.at[f].stage].flights, f);
}

static void find_waits(struct reduction *r)
{
    int agents = r->x->plan->agent_count;
    r->next_wait = base_alloc(((size_t)r->x->step_count + (size_t)agents + 1) * sizeof(int));
    for (int a = 0; a < agents; a++) {
        int *next = r->next_wait + r->x->first_step[a] + a, last = (int)r->x->actors[a].events.len;
        next[last] = INT32_MAX;
        for (int i = last - 1; i >= 0; i--)
            next[i] = r->x->actors[a].events.at[i].kind == EVENT_WAIT ? i : next[i + 1];
    }
}

struct reduction *reduction_new(const explorer *x)
{
    struct reduction *r = base_alloc(sizeof *r);
    size_t agents = (size_t)x->plan->agent_count;
    *r = (struct reduction){.x = x};
    r->of = base_alloc(((size_t)r->x->step_count + 1) * sizeof *r->of);
    memset(r->of, 0, ((size_t)r->x->step_count + 1) * sizeof *r->of);
    list_by_stage(r);
    find_waits(r);
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
