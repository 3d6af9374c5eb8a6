/* Which orders decide what fences find. States remember fences, so the order of a fence and what it may find is one that
 * must be kept; but of most fences it is known beforehand what they find, and those need no keeping.
 *
 * An access is found unfenced from an earlier one of another agent, exactly if the two come in that order, and
 *
 *   tensor memory  the first fence before a synchronisation that the earlier one's warp executes after it (of a pipe: each
 *                  landing of a commit after it) does not come before the last fence after one that the later one's warp
 *                  executes before it
 *   shared memory  no proxy fence in the CTA comes between the two (of cp.async: after the landing of a commit and before
 *                  the access)
 *
 * The order of the accesses is kept for other reasons. So it is enough to keep these, and only of pairs of accesses that are
 * not fenced in every order anyway (is_fenced_anyway): docs/prover.md, section 7. */
#include "prove/explore_events.h"

/* An access of an agent. */
typedef struct spot {
    int agent, event;
    const touch *touch;
} spot;

typedef VEC(spot) spots;

typedef struct finder {
    const explorer *x;
    spots *by_slot;
    fence_links *links; /* by step */
    int *heard_from;    /* by agent: its first event after which it may know; INT_MAX: none */
    int *spread_from;   /* what it does from there on has been looked at */
    uint8_t *told;      /* by stage: may tell of the access at hand */
} finder;

/* ---- what can be heard of an access -------------------------------------------------------------------- */

static bool fences(const event *e, ir_fence fence)
{
    return e->fences >> fence & 1;
}

static bool is_issued_by(const explore_flight *f, int agent, int number)
{
    return f->agent == agent && f->event == number;
}

static bool contributes(const explorer *x, int agent, int number)
{
    bool issues = x->actors[agent].events.at[number].kind == EVENT_ARRIVE;
    for (size_t i = 0; i < x->flights.len && !issues; i++)
        issues = is_issued_by(&x->flights.at[i], agent, number);
    return issues;
}

/* Stages at which the agent contributes from its event `from` on, and before `to`. */
static bool tell(finder *f, int agent, int from, int to)
{
    const actor *a = &f->x->actors[agent];
    bool new = false;
    for (int i = from; i < to && i < (int)a->events.len; i++)
        if (a->events.at[i].kind == EVENT_ARRIVE) {
            new |= !f->told[a->events.at[i].stage];
            f->told[a->events.at[i].stage] = 1;
        }
    for (size_t i = 0; i < f->x->flights.len; i++) {
        const explore_flight *of = &f->x->flights.at[i];
        if (of->agent != agent || of->event < from || of->event >= to)
            continue;
        new |= !f->told[of->stage];
        f->told[of->stage] = 1;
    }
    return new;
}

/* The agent's first wait from its event `from` on, before `most`, at a stage that may tell. */
static int first_hearing(const finder *f, int agent, int from, int most)
{
    const actor *a = &f->x->actors[agent];
    for (int i = from; i < most && i < (int)a->events.len; i++)
        if (a->events.at[i].kind == EVENT_WAIT && f->told[a->events.at[i].stage])
            return i;
    return most;
}

static bool is_engine(const spot *s)
{
    return ir_effects[s->touch->kind].maker != IR_BY_WARP;
}

/* Whether the commit tells, when it lands, that the access of its pipe is finished. */
static bool is_commit_of(const explore_flight *f, const spot *s)
{
    flight_kind kind = explore_is_tensor(s->touch) ? FLIGHT_TENSOR : FLIGHT_LOADS;
    return f->kind == kind && f->agent == s->agent && f->event > s->event;
}

/* Where news of the access may come to, in any order, without passing through agent `but`: from contributions of its agent
 * after it, or from commits of its pipe, by way of others who wait and then contribute. Whether it is the same phase is not
 * asked. */
static void spread_news(finder *f, const spot *of, int but)
{
    const explorer *x = f->x;
    int agents = x->plan->agent_count;
    memset(f->told, 0, (size_t)x->plan->stage_count);
    for (int a = 0; a < agents; a++)
        f->heard_from[a] = f->spread_from[a] = INT32_MAX;
    if (!is_engine(of))
        (void)tell(f, of->agent, of->event, INT32_MAX);
    for (size_t i = 0; is_engine(of) && i < x->flights.len; i++)
        if (is_commit_of(&x->flights.at[i], of))
            f->told[x->flights.at[i].stage] = 1;
    for (bool more = true; more;) {
        more = false;
        for (int a = 0; a < agents; a++)
            if (a != but)
                f->heard_from[a] = first_hearing(f, a, a == of->agent ? of->event : 0, f->heard_from[a]);
        for (int a = 0; a < agents; a++) {
            more |= tell(f, a, f->heard_from[a], f->spread_from[a]);
            f->spread_from[a] = f->heard_from[a];
        }
    }
}

/* ---- pairs that are fenced in every order -------------------------------------------------------------- */

/* The agent's last event with such a fence, not after `from`; -1: none. */
static int last_fence(const explorer *x, int agent, int from, ir_fence fence)
{
    int i = from;
    while (i >= 0 && !fences(&x->actors[agent].events.at[i], fence))
        i--;
    return i;
}

/* Its first after event `from`; INT_MAX: none. */
static int next_fence(const explorer *x, int agent, int from, ir_fence fence)
{
    for (int i = from + 1; i < (int)x->actors[agent].events.len; i++)
        if (fences(&x->actors[agent].events.at[i], fence))
            return i;
    return INT32_MAX;
}

/* Whether the agent fences after the access, before it contributes to anything. */
static bool is_told_fenced(const explorer *x, const spot *s, int fence)
{
    for (int i = s->event; i < fence && i < (int)x->actors[s->agent].events.len; i++)
        if (contributes(x, s->agent, i))
            return false;
    return fence != INT32_MAX;
}

/* Whether the agent can hear of the earlier access by a wait after its fence and before the later access only. */
static bool may_hear_after(finder *f, const spot *earlier, const spot *later, int fence)
{
    const actor *a = &f->x->actors[later->agent];
    bool waits = false;
    for (int i = fence + 1; i <= later->event; i++)
        waits |= a->events.at[i].kind == EVENT_WAIT;
    if (!waits)
        return false;
    spread_news(f, earlier, later->agent);
    for (int i = fence + 1; i <= later->event; i++)
        if (a->events.at[i].kind == EVENT_WAIT && f->told[a->events.at[i].stage])
            return true;
    return false;
}

/* ---- tensor memory ------------------------------------------------------------------------------------- */

static void add_link(finder *f, int step, int other, int last)
{
    fence_links *of = &f->links[step];
    fence_link link = {other, last};
    for (size_t i = 0; i < of->len; i++)
        if (of->at[i].step == other) {
            of->at[i].last = last > of->at[i].last ? last : of->at[i].last;
            return;
        }
    vec_push(of, link);
}

static void link_steps(finder *f, int step, int other, int last)
{
    add_link(f, step, other, last);
    add_link(f, other, step, last);
}

static void link_landings(finder *f, const spot *earlier, int step)
{
    for (int i = 0; i < (int)f->x->flights.len; i++)
        if (is_commit_of(&f->x->flights.at[i], earlier))
            link_steps(f, explore_flight_step(f->x, i), step, earlier->event);
}

static void link_in_tensor_memory(finder *f, const spot *earlier, const spot *later)
{
    const explorer *x = f->x;
    int before = next_fence(x, earlier->agent, earlier->event, IR_FENCE_TCGEN05_BEFORE);
    int after = last_fence(x, later->agent, later->event, IR_FENCE_TCGEN05_AFTER);
    bool pipe = is_engine(earlier);
    if (after < 0 || (!pipe && before == INT32_MAX))
        return; /* it is never fenced */
    if ((pipe || is_told_fenced(x, earlier, before)) && !may_hear_after(f, earlier, later, after))
        return;
    if (pipe)
        link_landings(f, earlier, explore_step_of(x, later->agent, after));
    else
        link_steps(f, explore_step_of(x, earlier->agent, before), explore_step_of(x, later->agent, after),
                   ANY_TIME);
}

/* ---- shared memory ------------------------------------------------------------------------------------- */

static bool is_always_fenced(finder *f, const spot *earlier, const spot *later)
{
    const explorer *x = f->x;
    int next = next_fence(x, earlier->agent, earlier->event, IR_FENCE_PROXY);
    int last = last_fence(x, later->agent, later->event, IR_FENCE_PROXY);
    if (earlier->agent == later->agent && !is_engine(earlier))
        return next <= later->event;
    return (!is_engine(earlier) && is_told_fenced(x, earlier, next)) ||
           (last >= 0 && !may_hear_after(f, earlier, later, last));
}

/* Each proxy fence of the CTA may come between the two, or not. */
static void link_in_shared_memory(finder *f, const spot *earlier, const spot *later)
{
    const explorer *x = f->x;
    int rank = x->plan->slots[earlier->touch->slot].rank;
    if (is_always_fenced(f, earlier, later))
        return;
    for (int a = 0; a < x->plan->agent_count; a++)
        for (int i = next_fence(x, a, -1, IR_FENCE_PROXY); x->plan->agents[a].rank == rank && i != INT32_MAX;
             i = next_fence(x, a, i, IR_FENCE_PROXY)) {
            int fence = explore_step_of(x, a, i);
            if (a != later->agent)
                link_steps(f, explore_step_of(x, later->agent, later->event), fence, ANY_TIME);
            if (is_engine(earlier))
                link_landings(f, earlier, fence);
            else if (a != earlier->agent)
                link_steps(f, explore_step_of(x, earlier->agent, earlier->event), fence, ANY_TIME);
        }
}

/* ---- all pairs ----------------------------------------------------------------------------------------- */

static void look_at(finder *f, const spot *earlier, const spot *later)
{
    if (earlier->agent == later->agent && earlier->event >= later->event)
        return;
    if (!explore_takes_fence(f->x, earlier->agent, earlier->touch, later->agent, later->touch))
        return;
    if (explore_is_tensor_memory(f->x, later->touch->slot))
        link_in_tensor_memory(f, earlier, later);
    else
        link_in_shared_memory(f, earlier, later);
}

static void look_at_all(finder *f, const spot *later)
{
    const plan_slot *s = &f->x->plan->slots[later->touch->slot];
    for (int i = 0; i < s->overlaps; i++) {
        const spots *at = &f->by_slot[f->x->plan->overlaps[s->first_overlap + i]];
        for (size_t j = 0; j < at->len; j++)
            look_at(f, &at->at[j], later);
    }
}

static void list_by_slot(finder *f)
{
    const explorer *x = f->x;
    size_t bytes = ((size_t)x->plan->slot_count + 1) * sizeof *f->by_slot;
    f->by_slot = base_alloc(bytes);
    memset(f->by_slot, 0, bytes);
    for (int a = 0; a < x->plan->agent_count; a++)
        for (int i = 0; i < (int)x->actors[a].events.len; i++) {
            const event *e = &x->actors[a].events.at[i];
            for (int j = 0; j < e->touches; j++) {
                const touch *t = &x->touches.at[e->first_touch + j];
                spot at = {a, i, t};
                vec_push(&f->by_slot[t->slot], at);
            }
        }
}

fence_links *explore_link_fences(const explorer *x)
{
    finder f = {.x = x};
    size_t bytes = ((size_t)x->step_count + 1) * sizeof *f.links, agents = (size_t)x->plan->agent_count;
    f.links = base_alloc(bytes);
    memset(f.links, 0, bytes);
    if (!x->plan->fence_count)
        return f.links;
    f.heard_from = base_alloc((agents + 1) * sizeof(int));
    f.spread_from = base_alloc((agents + 1) * sizeof(int));
    f.told = base_alloc((size_t)x->plan->stage_count + 1);
    list_by_slot(&f);
    for (int slot = 0; slot < x->plan->slot_count; slot++)
        for (size_t i = 0; i < f.by_slot[slot].len; i++)
            look_at_all(&f, &f.by_slot[slot].at[i]);
    for (int slot = 0; slot < x->plan->slot_count; slot++)
        vec_free(&f.by_slot[slot]);
    free(f.by_slot);
    free(f.heard_from);
    free(f.spread_from);
    free(f.told);
    return f.links;
}
