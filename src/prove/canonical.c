/* Canonical words of a configuration: rings, agents, values; canonical_clocks.c does the clocks. Order of the parts does
 * not matter, as long as it is always the same. */
#include "prove/canonical.h"

/* ---- rings ------------------------------------------------------------------------------------------------------------------- */

static bool advances(const ir_task *t, int cursor_index)
{
    for (size_t i = 0; i < t->ops.len; i++)
        if (t->ops.at[i].kind == IR_ADVANCE && t->ops.at[i].cursor == cursor_index)
            return true;
    return false;
}

static bool ring_is_alone(const plan *p, int resource)
{
    for (int i = 0; i < p->slot_count; i++)
        if (p->program->buffers.at[p->slots[i].buffer].resource == resource && p->slots[i].overlaps > 1)
            return false;
    return true;
}

static void choose_ring_cursor(canonical *c, int resource)
{
    const plan *p = c->plan;
    c->ring_agent[resource] = -1;
    for (int i = 0; i < p->agent_count && ring_is_alone(p, resource); i++) {
        const ir_task *t = plan_task_of(p, i);
        for (size_t j = 0; j < t->cursors.len; j++)
            if (t->cursors.at[j].resource == resource && advances(t, (int)j)) {
                c->ring_agent[resource] = i;
                c->ring_cursor[resource] = (int)j;
                return;
            }
    }
}

static int ring_begin(const canonical *c, const machine *m, int resource)
{
    int i = c->ring_agent[resource];
    return i < 0 ? 0 : agent_cursor(m, i, c->ring_cursor[resource])->slot;
}

static void order_rings(canonical *c, const machine *m)
{
    const plan *p = c->plan;
    for (size_t b = 0; b < p->program->barriers.len; b++) {
        const ir_barrier *of = &p->program->barriers.at[b];
        int begin = ring_begin(c, m, of->resource);
        for (int s = 0; s < of->stages; s++) {
            c->stage_order[p->stage_base[b] + s] = p->stage_base[b] + (s + begin) % of->stages;
            c->stage_place[p->stage_base[b] + (s + begin) % of->stages] = p->stage_base[b] + s;
        }
    }
    for (size_t b = 0; b < p->program->buffers.len; b++) {
        const ir_buffer *of = &p->program->buffers.at[b];
        int begin = of->stages > 1 ? ring_begin(c, m, of->resource) : 0;
        for (int s = 0; s < of->stages; s++)
            c->slot_order[p->slot_base[b] + s] = p->slot_base[b] + (s + begin) % of->stages;
    }
}

/* ---- agents --------------------------------------------------------------------------------------------------------------------- */

static const plan_op *loop_of(const machine *m, int agent_index)
{
    const plan_op *at = agent_op(m, agent_index);
    return &m->plan->tasks[m->plan->agents[agent_index].task].ops[at->loop];
}

/* Where in its loop: the trip, counted from what is known of the value that rules it. For the value asked about this is
 * kept apart: along a chain, agents may move with the value or stay where they are. */
static void put_loop(canonical *c, const machine *m, int agent_index)
{
    const agent *a = &m->now.agents[agent_index];
    const plan_op *loop = loop_of(m, agent_index);
    if (loop->value < 0) {
        canonical_put(c, a->trip);
        return;
    }
    int instance = value_instance(m, agent_index, loop->value);
    int64_t test = loop->trips.offset + a->trip * loop->trips.step;
    int64_t from = a->pinned ? a->pin : value_known(m, loop->value, instance)->from;
    canonical_put(c, a->pinned + 2 * (a->trip == 0));
    if (!a->pinned && loop->value == c->asked->value && instance == c->asked->instance) {
        canonical_place at = {agent_index, test, test - from};
        vec_push(&c->places, at);
    } else {
        canonical_put(c, test - from);
    }
}

static int tiles_value(const plan *p, int queue)
{
    for (int i = 0; i < p->value_count; i++)
        if (p->values[i].kind == PLAN_TILES && p->values[i].queue == queue)
            return i;
    return -1;
}

static void put_tile(canonical *c, const machine *m, int agent_index)
{
    const agent *a = &m->now.agents[agent_index];
    int value = tiles_value(c->plan, plan_task_of(c->plan, agent_index)->queue);
    canonical_put(c, m->now.newest_tile[value] - a->tile);
    canonical_put(c, value_known(m, value, 0)->from - a->tile);
}

/* What the agent asks, counted from what is known. */
static void put_asked(canonical *c, const machine *m, int agent_index)
{
    const agent *a = &m->now.agents[agent_index];
    const plan_op *at = agent_op(m, agent_index);
    int value = at->value >= 0 ? at->value : loop_of(m, agent_index)->value;
    canonical_put(c, a->asked - value_known(m, value, value_instance(m, agent_index, value))->from);
}

static void put_cursor(canonical *c, const machine *m, const ir_cursor *of, const cursor *at)
{
    int begin = ring_begin(c, m, of->resource);
    canonical_put(c, (at->slot - begin + of->stages) % of->stages);
    canonical_put(c, (at->held - begin + of->stages) % of->stages);
    if (of->role != IR_PRODUCE && of->role != IR_CONSUME)
        return;
    ir_side side = of->role == IR_PRODUCE ? IR_EMPTY : IR_FULL;
    uint32_t word = 0;
    for (size_t b = 0; b < c->plan->program->barriers.len; b++) {
        const ir_barrier *barrier = &c->plan->program->barriers.at[b];
        if (barrier->resource != of->resource || barrier->side != side)
            continue;
        for (int s = 0; s < of->stages; s++) {
            int stage = c->stage_order[c->plan->stage_base[b] + s];
            uint32_t parity = at->parity ^ (uint32_t)(c->plan->stages[stage].stage < at->slot);
            word = word << 1 | (parity ^ (m->now.barriers[stage].count & 1));
            if (s % 32 == 31)
                canonical_put(c, word);
        }
    }
    canonical_put(c, word);
}

static void put_groups(canonical *c, const machine *m, int agent_index)
{
    for (int g = 0; g < m->now.agents[agent_index].groups; g++) {
        for (int i = 0; i < c->plan->slot_count; i++) {
            int slot = c->slot_order[i];
            if (agent_group(m, agent_index, g)[slot / 32] >> (slot % 32) & 1)
                canonical_put(c, i);
        }
        canonical_put(c, -1);
    }
}

static void put_agent(canonical *c, const machine *m, int agent_index)
{
    const agent *a = &m->now.agents[agent_index];
    const ir_task *t = plan_task_of(c->plan, agent_index);
    canonical_put(c, a->status);
    canonical_put(c, a->groups);
    put_groups(c, m, agent_index);
    if (a->status == AGENT_DONE)
        return;
    canonical_put(c, a->pc);
    canonical_put(c, a->in_loop + 2 * a->in_tile_loop);
    if (a->in_loop)
        put_loop(c, m, agent_index);
    if (a->in_tile_loop)
        put_tile(c, m, agent_index);
    if (a->status == AGENT_ASKS)
        put_asked(c, m, agent_index);
    for (size_t i = 0; i < t->cursors.len; i++)
        put_cursor(c, m, &t->cursors.at[i], agent_cursor(m, agent_index, (int)i));
    for (int i = 0; i < t->status_count; i++) {
        const probe *asked = &m->now.probes[c->plan->agents[agent_index].statuses + i];
        canonical_put(c, asked->stage < 0 ? -1 : c->stage_place[asked->stage]);
        if (asked->stage >= 0)
            canonical_put(c, (int64_t)(asked->parity ^ (m->now.barriers[asked->stage].count & 1)));
    }
}

/* ---- values ------------------------------------------------------------------------------------------------------------------------ */

/* Bits of the values that loops not yet started may ask about, in the launch or in the tiles with that parity. */
static uint64_t asked_later(const machine *m, bool of_tile, int instance)
{
    uint64_t mask = 0;
    for (int i = 0; i < m->plan->agent_count; i++) {
        const agent *a = &m->now.agents[i];
        if (machine_alive(m, i) && (!of_tile || (a->in_tile_loop && (a->tile & 1) == instance)))
            mask |= agent_op(m, i)->later;
    }
    return mask;
}

/* Someone is in a loop that the value rules. */
static bool asked_now(const machine *m, int value, int instance)
{
    for (int i = 0; i < m->plan->agent_count; i++) {
        const agent *a = &m->now.agents[i];
        if (!machine_alive(m, i))
            continue;
        if (m->plan->values[value].kind == PLAN_TILES) {
            if (a->in_tile_loop && plan_task_of(m->plan, i)->queue == m->plan->values[value].queue)
                return true;
            continue;
        }
        bool in_loop = a->in_loop && !a->pinned && loop_of(m, i)->value == value;
        bool asks = a->status == AGENT_ASKS && agent_op(m, i)->value == value;
        if ((in_loop || asks) && value_instance(m, i, value) == instance)
            return true;
    }
    return false;
}

/* Whether the agents of a tile-scoped value are in different tiles, newest first. */
static int first_instance(const machine *m, int value)
{
    const plan_value *v = &m->plan->values[value];
    if (v->kind == PLAN_TILES || v->queue < 0)
        return 0;
    return (int)(m->now.newest_tile[tiles_value(m->plan, v->queue)] & 1);
}

static void put_values(canonical *c, const machine *m, const question *q)
{
    uint64_t launch = asked_later(m, false, 0);
    const uint64_t tiles[] = {asked_later(m, true, 0), asked_later(m, true, 1)};
    int64_t asked_from = 0;
    c->asked_again = false;
    for (int value = 0; value < c->plan->value_count; value++) {
        const plan_value *v = &c->plan->values[value];
        bool of_tile = v->kind != PLAN_TILES && v->queue >= 0;
        for (int n = 0; n < (of_tile ? 2 : 1); n++) {
            int instance = first_instance(m, value) ^ n;
            const knowledge *k = value_known(m, value, instance);
            bool later = (of_tile ? tiles[instance] : launch) >> value & 1;
            bool asked = value == q->value && instance == q->instance;
            canonical_put(c, later || asked_now(m, value, instance) ? k->period : -1);
            canonical_put(c, later && !asked ? k->from : -1);
            if (asked && later) {
                c->asked_again = true;
                asked_from = k->from;
            }
        }
    }
    canonical_put(c, q->value);
    canonical_put(c, q->instance == first_instance(m, q->value));
    canonical_put(c, c->asked_again);
    c->chain_length = c->words.len;
    for (size_t i = 0; i < c->places.len; i++)
        canonical_put(c, c->places.at[i].distance);
    canonical_put(c, asked_from);
}

/* ---- the whole ---------------------------------------------------------------------------------------------------------------------- */

void canonical_init(canonical *c, const plan *p)
{
    arena *a = &p->kernel->arena;
    size_t resources = p->kernel->resources.len;
    *c = (canonical){.plan = p};
    c->ring_agent = arena_array(a, int, resources + 1);
    c->ring_cursor = arena_array(a, int, resources + 1);
    c->stage_order = arena_array(a, int, p->stage_count + 1);
    c->stage_place = arena_array(a, int, p->stage_count + 1);
    c->stage_use = arena_array(a, uint8_t, p->stage_count + 1);
    c->slot_order = arena_array(a, int, p->slot_count + 1);
    for (size_t r = 0; r < resources; r++)
        choose_ring_cursor(c, (int)r);
}

void canonical_free(canonical *c)
{
    vec_free(&c->marks);
    vec_free(&c->thresholds);
    vec_free(&c->reached);
    vec_free(&c->words);
    vec_free(&c->places);
}

void canonical_of(canonical *c, const machine *m, const question *q)
{
    c->words.len = c->places.len = 0;
    c->asked = q;
    order_rings(c, m);
    for (int i = 0; i < c->plan->agent_count; i++)
        put_agent(c, m, i);
    canonical_clocks(c, m);
    put_values(c, m, q);
}
