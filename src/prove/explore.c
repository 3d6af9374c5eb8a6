/* The explorer: states are visited breadth first. A state is the place of each agent in its list of events, the barriers,
 * the answers of probes and which flights have landed. */
#include "prove/explore_events.h"

static state state_at(const explorer *x, char *bytes)
{
    size_t agents = (size_t)x->plan->agent_count;
    state s;
    s.fences = bytes;
    s.at = (uint32_t *)(void *)(bytes + explore_fence_bytes(x));
    s.answers = s.at + agents;
    s.stages = (stage_state *)(void *)(s.answers + agents * MOST_STATUSES);
    s.landed = (uint8_t *)(s.stages + x->plan->stage_count);
    s.gone = s.landed + x->flights.len;
    return s;
}

/* ---- states -------------------------------------------------------------------------------------------- */

static uint64_t hash_state(const char *bytes, size_t n)
{
    uint64_t h = HASH_SEED;
    const uint32_t *words = (const uint32_t *)(const void *)bytes;
    for (size_t i = 0; i < n / sizeof(uint32_t); i++)
        h = (h ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15) ^ h >> 31;
    return h ^ h >> 29;
}

static void rehash(explorer *x)
{
    if (2 * x->result.states < x->table_size)
        return;
    x->table_size = x->table_size ? 4 * x->table_size : 1024;
    x->table = base_realloc(x->table, x->table_size * sizeof(uint32_t));
    memset(x->table, 0, x->table_size * sizeof(uint32_t));
    for (uint64_t i = 0; i < x->result.states; i++) {
        size_t place = hash_state(x->states.at + i * x->state_bytes, x->state_bytes) & (x->table_size - 1);
        while (x->table[place])
            place = (place + 1) & (x->table_size - 1);
        x->table[place] = (uint32_t)i + 1;
    }
}

static void add_state(explorer *x, const char *bytes)
{
    size_t place = hash_state(bytes, x->state_bytes) & (x->table_size - 1);
    const char *known = x->states.at; /* NULL: none yet */
    for (; known && x->table[place]; place = (place + 1) & (x->table_size - 1))
        if (memcmp(known + (x->table[place] - 1) * x->state_bytes, bytes, x->state_bytes) == 0)
            return;
    x->table[place] = (uint32_t)++x->result.states;
    while (x->states.len + x->state_bytes > x->states.cap || !x->states.at)
        vec_grow((void **)&x->states.at, &x->states.cap, 1);
    memcpy(x->states.at + x->states.len, bytes, x->state_bytes);
    x->states.len += x->state_bytes;
    rehash(x);
}

/* ---- the search ---------------------------------------------------------------------------------------- */

/* All steps, or those of the set (NULL: all). Whether there was one. */
static bool follow(explorer *x, const char *bytes, char *scratch, const explore_set *set)
{
    bool any = false;
    for (int a = 0; a < x->plan->agent_count; a++) {
        if (set && !set->agents[a])
            continue;
        memcpy(scratch, bytes, x->state_bytes);
        state t = state_at(x, scratch);
        if (!explore_next(x, &t, a) || !explore_step_event(x, &t, a))
            continue;
        any = true;
        add_state(x, scratch);
    }
    for (size_t i = 0; i < x->flights.len; i++) {
        if (set && !set->flights[i])
            continue;
        memcpy(scratch, bytes, x->state_bytes);
        state t = state_at(x, scratch);
        if (!explore_step_flight(x, &t, (int)i))
            continue;
        any = true;
        add_state(x, scratch);
    }
    return any;
}

/* Steps that end in a fault lead nowhere: then all others are followed, too. */
static bool follow_enough(explorer *x, const char *bytes, char *scratch, explore_set *set)
{
    state s = state_at(x, (char *)bytes);
    bool over_before = x->result.over_arrival;
    if (!x->reduction)
        return follow(x, bytes, scratch, NULL);
    reduction_choose(x->reduction, &s, set);
    x->result.over_arrival = false;
    bool any = set->size && follow(x, bytes, scratch, set) && !x->result.over_arrival;
    x->result.over_arrival |= over_before;
    return any || follow(x, bytes, scratch, NULL);
}

static void expand(explorer *x, char *bytes, char *scratch, explore_set *set)
{
    state s = state_at(x, bytes);
    if (explore_is_end(x, &s)) {
        explore_check_end(x, &s);
        return;
    }
    x->result.race |= explore_has_race(x, &s);
    x->result.deadlock |= !follow_enough(x, bytes, scratch, set);
}

static void search(explorer *x, uint64_t most_states)
{
    char *bytes = base_alloc(x->state_bytes), *scratch = base_alloc(x->state_bytes);
    memset(bytes, 0, x->state_bytes);
    state first = state_at(x, bytes);
    explore_set set = {base_alloc((size_t)x->plan->agent_count + 1), base_alloc(x->flights.len + 1), 0};
    for (int i = 0; i < x->plan->stage_count; i++)
        first.stages[i].pending = plan_barrier_of(x->plan, i)->arrivals;
    rehash(x);
    add_state(x, bytes);
    for (uint64_t i = 0; i < x->result.states && !x->result.capped; i++) {
        memcpy(bytes, x->states.at + i * x->state_bytes, x->state_bytes);
        expand(x, bytes, scratch, &set);
        x->result.capped = x->result.states > most_states;
    }
    free(bytes);
    free(scratch);
    free(set.agents);
    free(set.flights);
}

static bool buffers_overlap(const explorer *x)
{
    for (int i = 0; i < x->plan->slot_count; i++)
        if (x->plan->slots[i].overlaps > 1)
            return true;
    return false;
}

static void number_steps(explorer *x)
{
    int agents = x->plan->agent_count;
    x->first_step = base_alloc(((size_t)agents + 1) * sizeof(int));
    for (int a = 0; a < agents; a++) {
        x->first_step[a] = x->step_count;
        x->step_count += (int)x->actors[a].events.len;
    }
    x->first_step[agents] = x->step_count;
    x->step_count += (int)x->flights.len;
}

explore_result explore_program(ww_kernel *k, const ir_program *p, explore_values values,
                               explore_options options)
{
    explorer x = {.plan = plan_new(k, p, false), .values = values};
    x.actors = base_alloc(((size_t)x.plan->agent_count + 1) * sizeof(actor));
    memset(x.actors, 0, ((size_t)x.plan->agent_count + 1) * sizeof(actor));
    for (int i = 0; i < x.plan->agent_count; i++)
        explore_unroll(&x, i);
    number_steps(&x);
    x.overlapping = buffers_overlap(&x);
    explore_find_places(&x);
    x.state_bytes =
        explore_fence_bytes(&x) + (size_t)x.plan->agent_count * (1 + MOST_STATUSES) * sizeof(uint32_t) +
        (size_t)x.plan->stage_count * sizeof(stage_state) +
        round_up((uint32_t)x.flights.len + (x.overlapping ? (uint32_t)x.plan->slot_count : 0) + 1, 4);
    for (int i = 0; i < x.plan->agent_count; i++)
        for (size_t j = 0; j < x.actors[i].events.len; j++)
            x.actors[i].events.at[j].lingers = explore_lingers(&x, &x.actors[i].events.at[j]);
    x.reduction = options.reduced ? reduction_new(&x) : NULL;
    search(&x, options.most_states);
    reduction_free(x.reduction);
    explore_judge_sightings(&x);
    for (int i = 0; i < x.plan->agent_count; i++)
        vec_free(&x.actors[i].events);
    free(x.actors);
    free(x.first_step);
    free(x.places);
    free(x.table);
    vec_free(&x.touches);
    vec_free(&x.flights);
    vec_free(&x.states);
    return x.result;
}

int explore_trips(const ir_program *p, bool greatest)
{
    int most = 0, least = INT32_MAX;
    for (size_t t = 0; t < p->tasks.len; t++)
        for (size_t i = 0; i < p->tasks.at[t].ops.len; i++) {
            const ir_op *op = &p->tasks.at[t].ops.at[i];
            const ww_bound *bounds[] = {&op->start, &op->end, &op->stride};
            for (size_t b = 0; op->kind == IR_LOOP && b < ARRAY_LEN(bounds); b++) {
                if (bounds[b]->kind == WW_BOUND_IMMEDIATE)
                    continue;
                most = bounds[b]->min > most ? bounds[b]->min : most;
                least = bounds[b]->min < least ? bounds[b]->min : least;
            }
        }
    return greatest ? most : least == INT32_MAX ? 0 : least;
}
