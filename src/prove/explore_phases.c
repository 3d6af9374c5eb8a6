/* What a phase needs to be over. Where all that can still contribute to it is no more than it waits for, each of that is needed:
 * then it does not matter in which order it comes, and any one of it is what must come before. */
#include "prove/explore_reduce.h"

int reduction_next_wait(const struct reduction *r, int agent, int number)
{
    return r->next_wait[r->x->first_step[agent] + agent + number];
}

/* Whether the agent waits for the phase of the stage before it comes to that event. */
static bool is_behind(const struct reduction *r, const state *s, int agent, int number, int stage)
{
    const actor *a = &r->x->actors[agent];
    for (int i = reduction_next_wait(r, agent, (int)s->at[agent]); i <= number;
         i = reduction_next_wait(r, agent, i + 1))
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
    for (int i = reduction_next_wait(r, agent, (int)s->at[agent]); i <= number;
         i = reduction_next_wait(r, agent, i + 1))
        if (explore_is_blocked(r->x, s, agent, i) &&
            (a->events.at[i].stage == stage || is_fed_by(r, s, a->events.at[i].stage, stage)))
            return true;
    return false;
}

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

void reduction_begin_state(struct reduction *r)
{
    memset(r->exact, NOT_ASKED, (size_t)r->x->plan->stage_count);
}

bool reduction_is_exact(struct reduction *r, const state *s, int stage)
{
    if (r->exact[stage] == NOT_ASKED)
        r->exact[stage] = takes_all(r, s, stage) ? TAKES_ALL : TAKES_LESS;
    return r->exact[stage] == TAKES_ALL;
}

bool reduction_contribution(const struct reduction *r, const state *s, int stage, const arrival **arriving,
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

void reduction_list_steps(struct reduction *r)
{
    list_by_stage(r);
    find_waits(r);
}
