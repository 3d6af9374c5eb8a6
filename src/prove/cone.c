/* What a fault depends on, in an order that shows it.
 *
 * Each event depends on the one before it of its agent, a wait on the completion that let it through, a completion on
 * what was contributed to its phase, a landing on its issue. Every order of a set of events that is closed downwards under
 * this is an execution, as long as no check fails among them (docs/prover.md). So:
 *
 *   a race         all that the two accesses depend on, and then the two; if the first is asynchronous and was issued
 *                  before something the second depends on, it stays there: it is still under way when the second comes
 *   no fence       all that the second access depends on; what does not depend on the first comes before it, so that no fence
 *                  is executed between the two
 *   a wrong phase  all that the contribution depends on, the completion that it should have waited for not among it
 *   an early wait  likewise
 *   a lap          all that the completing contribution depends on, and what the waiter did before its wait; then the
 *                  contribution, then the wait
 *   a deadlock     all that those who wait for each other have done */
#include "prove/events.h"

typedef struct cone {
    machine *m;
    event_log *log;
    bool *in;     /* [event]: to be shown, and not in the order yet */
    int *missing; /* [event]: how many of those it depends on are not in the order yet */
    shown *out;
} cone;

/* ---- what depends on what ------------------------------------------------------------------------------ */

static void add_contributors(cone *c, int stage, uint32_t phase)
{
    for (size_t i = 0; i < c->log->edges.len; i++)
        if (c->log->edges.at[i].stage == stage && c->log->edges.at[i].phase == phase)
            c->in[c->log->edges.at[i].event] = true;
}

/* Whatever an event depends on was logged before it. */
static void close_downwards(cone *c)
{
    for (size_t i = c->log->events.len; i-- > 0;) {
        const event *e = &c->log->events.at[i];
        if (!c->in[i])
            continue;
        if (e->before >= 0)
            c->in[e->before] = true;
        if (e->cause >= 0)
            c->in[e->cause] = true;
        if (e->kind == EVENT_COMPLETION)
            add_contributors(c, e->stage, e->phase);
    }
}

static void add(cone *c, int number)
{
    if (number >= 0)
        c->in[number] = true;
}

/* What an event depends on, and not itself. */
static void add_causes(cone *c, int number)
{
    const event_log *log = c->log;
    add(c, log->events.at[number].before);
    add(c, log->events.at[number].cause);
}

/* ---- the events of a finding --------------------------------------------------------------------------- */

/* Pipes act for their warps. */
static int warp_of(const plan *p, int agent_index)
{
    const plan_agent *a = &p->agents[agent_index];
    for (int i = 0; i < p->agent_count; i++)
        if (p->agents[i].warp_itself && p->agents[i].crew == a->crew && p->agents[i].warp == a->warp)
            return i;
    return agent_index;
}

static bool touches_slot(const cone *c, const event *e, int slot)
{
    const plan_slot *s = &c->m->plan->slots[slot];
    for (int i = 0; i < e->touched; i++) {
        const event_touch *t = &c->log->touches.at[e->touches + i];
        if (t->buffer == s->buffer && t->stage == s->stage)
            return true;
    }
    return false;
}

/* The newest event of that operation that touched the slot; -1. */
static int last_access(const cone *c, int agent_index, int op, int slot)
{
    int warp = warp_of(c->m->plan, agent_index);
    for (int i = (int)c->log->events.len - 1; i >= 0; i--) {
        const event *e = &c->log->events.at[i];
        if (e->kind == EVENT_OP && e->agent == warp && e->op == op && i != c->log->current &&
            touches_slot(c, e, slot))
            return i;
    }
    return -1;
}

static int last_wait(const cone *c, int agent_index, int stage)
{
    for (int i = c->log->last[agent_index]; i >= 0; i = c->log->events.at[i].before) {
        const event *e = &c->log->events.at[i];
        if (e->stage == stage && plan_task_of(c->m->plan, agent_index)->ops.at[e->op].kind == IR_WAIT)
            return i;
    }
    return -1;
}

/* ---- orders -------------------------------------------------------------------------------------------- */

/* The same operation of another warp of the task, in the same trip. */
static bool is_alike(const cone *c, int a, int b)
{
    if (a < 0)
        return false;
    const event *x = &c->log->events.at[a], *y = &c->log->events.at[b];
    return x->kind == EVENT_OP && y->kind == EVENT_OP && x->op == y->op && x->trip == y->trip &&
           x->tile == y->tile && c->m->plan->agents[x->agent].crew == c->m->plan->agents[y->agent].crew;
}

/* Adds `by` to what the dependents of an event miss. */
static void change_missing(cone *c, int number, int by)
{
    for (size_t i = (size_t)number + 1; i < c->log->events.len; i++)
        c->missing[i] += (c->log->events.at[i].before == number ? by : 0) +
                         (c->log->events.at[i].cause == number ? by : 0);
    for (size_t i = 0; i < c->log->edges.len; i++)
        if (c->log->edges.at[i].event == number && c->log->edges.at[i].completion >= 0)
            c->missing[c->log->edges.at[i].completion] += by;
}

/* Of the events that can come next, one like the last of another warp of its task, so that they make one row; else the
 * earliest. `in` marks what is still to come. */
static int next_event(const cone *c, int last)
{
    int best = -1;
    for (int i = 0; i < (int)c->log->events.len; i++) {
        if (!c->in[i] || c->missing[i])
            continue;
        if (is_alike(c, last, i))
            return i;
        if (best < 0)
            best = i;
    }
    return best;
}

static void put(cone *c, int number)
{
    if (c->in[number])
        change_missing(c, number, -1);
    c->in[number] = false;
    vec_push(&c->out->order, number);
}

static void put_in_order(cone *c)
{
    int last = -1;
    for (int i = 0; i < (int)c->log->events.len; i++)
        if (c->in[i])
            change_missing(c, i, 1);
    for (int next; (next = next_event(c, last)) >= 0; last = next)
        put(c, next);
}

/* ---- by kind of fault ---------------------------------------------------------------------------------- */

/* The last two events are the accesses, unless the first has to be earlier. */
static bool show_race(cone *c)
{
    const finding *f = &c->m->finding;
    int second = c->log->current, first = last_access(c, f->other_agent, f->other_op, f->other_slot);
    if (first < 0 || second < 0)
        return false;
    add_causes(c, second);
    close_downwards(c);
    bool earlier = c->in[first];
    add(c, first);
    close_downwards(c);
    c->in[first] = earlier;
    put_in_order(c);
    if (!earlier)
        put(c, first);
    put(c, second);
    c->out->first = first;
    c->out->second = second;
    return true;
}

/* Whether an event depends on `first`, by those that are known to (`after`). */
static bool follows(const cone *c, int number, int first, const bool *after)
{
    const event *e = &c->log->events.at[number];
    if ((e->before >= 0 && after[e->before]) || (e->cause >= 0 && after[e->cause]))
        return true;
    for (size_t i = 0; i < c->log->edges.len; i++)
        if (c->log->edges.at[i].completion == number && after[c->log->edges.at[i].event])
            return true;
    return number == first;
}

/* All that need not come after the first access comes before it, with its fences: none is then left between the two. */
static void put_around(cone *c, int first)
{
    size_t events = c->log->events.len;
    bool *after = base_alloc(events * sizeof *after);
    for (size_t i = 0; i < events; i++) {
        bool later = follows(c, (int)i, first, after);
        after[i] = later && c->in[i];
        c->in[i] = !later && c->in[i];
    }
    put_in_order(c);
    memcpy(c->in, after, events * sizeof *after);
    put_in_order(c);
    free(after);
}

/* The two are ordered. */
static bool show_unfenced(cone *c)
{
    const finding *f = &c->m->finding;
    int second = c->log->current, first = last_access(c, f->other_agent, f->other_op, f->other_slot);
    if (first < 0 || second < 0)
        return false;
    add_causes(c, second);
    add(c, first);
    close_downwards(c);
    put_around(c, first);
    put(c, second);
    c->out->first = first;
    c->out->second = second;
    return true;
}

/* What the operation depends on does not include what it should have waited for. A landing depends on its issue. */
static bool show_one(cone *c)
{
    int number = c->log->current;
    if (number < 0)
        return false;
    add_causes(c, number);
    close_downwards(c);
    put_in_order(c);
    put(c, number);
    c->out->second = number;
    return true;
}

/* As many arrivals as there were before it are needed to see that it is one too many. */
static bool show_too_many(cone *c)
{
    const finding *f = &c->m->finding;
    if (c->log->current < 0)
        return false;
    const event *e = &c->log->events.at[c->log->current];
    bool late = e->kind == EVENT_LANDING; /* its phase may be over */
    add_contributors(c, f->stage, late ? e->phase : c->m->now.barriers[f->stage].count + 1);
    c->in[c->log->current] = false;
    return show_one(c);
}

static bool show_lap(cone *c)
{
    const finding *f = &c->m->finding;
    int completing = c->log->current, wait = last_wait(c, f->other_agent, f->stage);
    if (completing < 0 || wait < 0)
        return false;
    add_contributors(c, f->stage, c->m->now.barriers[f->stage].count + 1);
    add(c, c->log->events.at[wait].before);
    add_causes(c, completing);
    close_downwards(c);
    if (c->in[wait])
        return false;
    c->in[completing] = false;
    put_in_order(c);
    put(c, completing);
    put(c, wait);
    c->out->first = completing;
    c->out->second = wait;
    return true;
}

/* ---- deadlocks ----------------------------------------------------------------------------------------- */

/* Marks those who might let a waiter go on; whether there were new ones. */
static bool add_arrivers(const cone *c, int waiter, bool *involved)
{
    const plan *p = c->m->plan;
    bool any = false;
    for (int i = 0; i < p->agent_count; i++) {
        if (involved[i] || !p->agents[i].warp_itself ||
            !plan_acts(p, p->agents[i].crew, c->m->now.agents[waiter].stage, PLAN_ARRIVES))
            continue;
        involved[i] = any = true;
    }
    return any;
}

/* The wait is noted as an event that never passes. */
static int push_blocked(const cone *c, int agent_index)
{
    const agent *a = &c->m->now.agents[agent_index];
    event e = {.kind = EVENT_OP,
               .agent = agent_index,
               .op = a->pc,
               .trip = a->in_loop ? a->trip : -1,
               .tile = a->in_tile_loop ? a->tile : -1,
               .stage = a->stage,
               .phase = c->m->now.barriers[a->stage].count + 1,
               .blocked = true,
               .before = c->log->last[agent_index],
               .cause = -1};
    vec_push(&c->log->events, e);
    return (int)c->log->events.len - 1;
}

static bool show_deadlock(cone *c)
{
    const plan *p = c->m->plan;
    bool *involved = base_alloc((size_t)p->agent_count * sizeof *involved);
    memset(involved, 0, (size_t)p->agent_count * sizeof *involved);
    involved[c->m->finding.agent] = true;
    for (bool grows = true; grows;) {
        grows = false;
        for (int i = 0; i < p->agent_count; i++)
            if (involved[i] && c->m->now.agents[i].status == AGENT_BLOCKED)
                grows |= add_arrivers(c, i, involved);
    }
    size_t happened = c->log->events.len;
    for (int i = 0; i < p->agent_count; i++)
        if (involved[i])
            add(c, c->log->last[i]);
    close_downwards(c);
    put_in_order(c);
    for (int i = 0; i < p->agent_count; i++)
        if (involved[i] && c->m->now.agents[i].status == AGENT_BLOCKED)
            vec_push(&c->out->order, push_blocked(c, i));
    free(involved);
    c->out->second = (int)happened;
    return true;
}

/* ---- leftovers of the end ------------------------------------------------------------------------------ */

/* Everything that happened to the barrier. */
static bool show_end(cone *c)
{
    const plan *p = c->m->plan;
    const finding *f = &c->m->finding;
    for (int i = 0; i < p->agent_count; i++)
        if (f->stage >= 0 ? plan_acts(p, p->agents[i].crew, f->stage, PLAN_USES)
                          : p->agents[i].crew == p->agents[f->agent].crew)
            add(c, c->log->last[i]);
    for (size_t i = 0; i < c->log->edges.len; i++)
        if (c->log->edges.at[i].stage == f->stage)
            add(c, c->log->edges.at[i].event);
    close_downwards(c);
    put_in_order(c);
    return c->out->order.len > 0;
}

static bool (*const show[])(cone *) = {
    [FAULT_STUCK] = show_deadlock,    [FAULT_TOO_MANY] = show_too_many,
    [FAULT_WRONG_PHASE] = show_one,   [FAULT_TOO_MANY_BYTES] = show_too_many,
    [FAULT_EARLY_WAIT] = show_one,    [FAULT_LAPPED] = show_lap,
    [FAULT_RACE] = show_race,         [FAULT_CLOBBERED] = show_race,
    [FAULT_UNFENCED] = show_unfenced, [FAULT_HALF_PHASE] = show_end,
    [FAULT_UNSEEN] = show_end,        [FAULT_UNBALANCED] = show_end,
    [FAULT_UNFINISHED] = show_end,
};

bool cone_of(machine *m, shown *out)
{
    fault f = m->finding.fault;
    *out = (shown){.first = -1, .second = -1};
    if (f >= ARRAY_LEN(show) || !show[f])
        return false;
    cone c = {m, m->log, NULL, NULL, out};
    size_t room = m->log->events.len + (size_t)m->plan->agent_count + 1;
    c.in = base_alloc(room * sizeof *c.in);
    c.missing = base_alloc(room * sizeof *c.missing);
    memset(c.in, 0, room * sizeof *c.in);
    memset(c.missing, 0, room * sizeof *c.missing);
    bool ok = show[f](&c);
    free(c.in);
    free(c.missing);
    return ok;
}
