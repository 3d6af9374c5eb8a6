/* Canonical words of a configuration. Clock entries are compared with thresholds only: the epochs of accesses and waits
 * that someone has not heard of, and the last phases of a stage. So an entry is written as the number of thresholds it
 * reaches. Order of the parts does not matter, as long as it is always the same. */
#include "prove/canonical.h"

static void put(canonical *c, int64_t word)
{
    vec_push(&c->words, (uint32_t)word);
}

static bool alive(const machine *m, int agent_index)
{
    return m->now.agents[agent_index].status != AGENT_DONE;
}

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

/* Where in its loop: the trip, counted from what is known of the value that rules it. */
static void put_loop(canonical *c, const machine *m, int agent_index)
{
    const agent *a = &m->now.agents[agent_index];
    const plan_op *loop = loop_of(m, agent_index);
    if (loop->value < 0) {
        put(c, a->trip);
        return;
    }
    int instance = value_instance(m, agent_index, loop->value);
    int64_t from = a->pinned ? a->pin : value_known(m, loop->value, instance)->from;
    put(c, loop->trips.offset + a->trip * loop->trips.step - from);
    put(c, a->pinned + 2 * (a->trip == 0));
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
    put(c, m->now.newest_tile[value] - a->tile);
    put(c, value_known(m, value, 0)->from - a->tile);
}

/* What the agent asks, counted from what is known. */
static void put_asked(canonical *c, const machine *m, int agent_index)
{
    const agent *a = &m->now.agents[agent_index];
    const plan_op *at = agent_op(m, agent_index);
    int value = at->value >= 0 ? at->value : loop_of(m, agent_index)->value;
    put(c, a->asked - value_known(m, value, value_instance(m, agent_index, value))->from);
}

static void put_cursor(canonical *c, const machine *m, const ir_cursor *of, const cursor *at)
{
    int begin = ring_begin(c, m, of->resource);
    put(c, (at->slot - begin + of->stages) % of->stages);
    put(c, (at->held - begin + of->stages) % of->stages);
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
                put(c, word);
        }
    }
    put(c, word);
}

static void put_groups(canonical *c, const machine *m, int agent_index)
{
    for (int g = 0; g < m->now.agents[agent_index].groups; g++) {
        for (int i = 0; i < c->plan->slot_count; i++) {
            int slot = c->slot_order[i];
            if (agent_group(m, agent_index, g)[slot / 32] >> (slot % 32) & 1)
                put(c, i);
        }
        put(c, -1);
    }
}

static void put_agent(canonical *c, const machine *m, int agent_index)
{
    const agent *a = &m->now.agents[agent_index];
    const ir_task *t = plan_task_of(c->plan, agent_index);
    put(c, a->status);
    put(c, a->groups);
    put_groups(c, m, agent_index);
    if (a->status == AGENT_DONE)
        return;
    put(c, a->pc);
    put(c, a->in_loop + 2 * a->in_tile_loop);
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
        put(c, asked->stage < 0 ? -1 : c->stage_place[asked->stage]);
        if (asked->stage >= 0)
            put(c, (int64_t)(asked->parity ^ (m->now.barriers[asked->stage].count & 1)));
    }
}

/* ---- clock entries ---------------------------------------------------------------------------------------------------------------- */

static int64_t rank(const canonical *c, int64_t value)
{
    int64_t n = 0;
    for (size_t i = 0; i < c->thresholds.len; i++)
        n += c->thresholds.at[i] <= value;
    return n;
}

/* The smallest entry among agents that can still act, other than the one whose epoch it is. */
static uint32_t least_known(const machine *m, int entry)
{
    uint32_t least = UINT32_MAX;
    for (int i = 0; i < m->plan->agent_count; i++)
        if (i != entry && alive(m, i) && machine_clock(m, i)[entry] < least)
            least = machine_clock(m, i)[entry];
    return least;
}

static uint32_t waited_epoch(const machine *m, int stage, int agent_index)
{
    return m->now.waited[(size_t)stage * (size_t)m->plan->agent_count + (size_t)agent_index];
}

static bool wait_matters(const machine *m, int stage, int agent_index, uint32_t least)
{
    uint32_t waited = waited_epoch(m, stage, agent_index);
    if (waited <= stage_gathered(m, stage)[agent_index])
        return false;
    return waited > least || !m->now.barriers[stage].pending;
}

static void gather_agent_thresholds(canonical *c, const machine *m, int agent_index, uint32_t least)
{
    c->thresholds.len = 0;
    for (int slot = 0; slot < c->plan->slot_count; slot++) {
        if (!m->now.touched[slot])
            continue;
        const access *a = &slot_accesses(m, slot)[agent_index];
        const uint32_t epochs[] = {a->write, a->write_before, a->read, a->wgmma_done};
        for (size_t i = 0; i < ARRAY_LEN(epochs); i++)
            if (epochs[i] > least)
                vec_push(&c->thresholds, epochs[i]);
    }
    for (int stage = 0; stage < c->plan->stage_count; stage++)
        if (wait_matters(m, stage, agent_index, least))
            vec_push(&c->thresholds, waited_epoch(m, stage, agent_index));
}

static void put_entry_of_all(canonical *c, const machine *m, int entry)
{
    for (int i = 0; i < c->plan->agent_count; i++)
        if (i != entry && alive(m, i))
            put(c, rank(c, machine_clock(m, i)[entry]));
    for (int i = 0; i < c->plan->stage_count; i++) {
        put(c, rank(c, stage_gathered(m, c->stage_order[i])[entry]));
        put(c, rank(c, stage_done(m, c->stage_order[i])[entry]));
    }
}

/* How a lap that was recorded for a slot relates to the laps in which producers may touch the slot next. */
static void put_laps(canonical *c, const machine *m, int slot, int64_t lap)
{
    const plan_slot *of = &c->plan->slots[slot];
    int resource = c->plan->program->buffers.at[of->buffer].resource;
    for (int i = 0; of->pipelined && i < c->plan->agent_count; i++) {
        const ir_task *t = plan_task_of(c->plan, i);
        for (size_t j = 0; alive(m, i) && j < t->cursors.len; j++) {
            if (t->cursors.at[j].resource != resource || t->cursors.at[j].role != IR_PRODUCE)
                continue;
            const cursor *at = agent_cursor(m, i, (int)j);
            int64_t ahead = lap - (at->lap + (of->stage < at->slot));
            put(c, ahead < -2 ? -2 : ahead > 3 ? 3 : ahead);
        }
    }
}

static void put_threshold(canonical *c, int kind, int place, int64_t epoch)
{
    put(c, kind);
    put(c, place);
    put(c, rank(c, epoch));
}

static void put_agent_entry(canonical *c, const machine *m, int agent_index)
{
    uint32_t least = least_known(m, agent_index);
    gather_agent_thresholds(c, m, agent_index, least);
    put(c, (int64_t)c->thresholds.len);
    for (int i = 0; i < c->plan->slot_count; i++) {
        int slot = c->slot_order[i];
        if (!m->now.touched[slot])
            continue;
        const access *a = &slot_accesses(m, slot)[agent_index];
        const uint32_t epochs[] = {a->write, a->write_before, a->read, a->wgmma_done};
        for (size_t e = 0; e < ARRAY_LEN(epochs); e++)
            if (epochs[e] > least)
                put_threshold(c, (int)e, i, epochs[e]);
        if (a->write > least)
            put_laps(c, m, slot, a->write_lap);
    }
    if (!c->thresholds.len)
        return;
    for (int i = 0; i < c->plan->stage_count; i++) {
        int stage = c->stage_order[i];
        if (wait_matters(m, stage, agent_index, least))
            put_threshold(c, -1, i, waited_epoch(m, stage, agent_index));
    }
    put_entry_of_all(c, m, agent_index);
}

static void put_stage_entry(canonical *c, const machine *m, int stage)
{
    int entry = stage_entry(m, stage);
    uint32_t least = least_known(m, entry);
    const barrier_state *b = &m->now.barriers[stage];
    c->thresholds.len = 0;
    vec_push(&c->thresholds, (int64_t)b->count);
    vec_push(&c->thresholds, (int64_t)b->count - 1);
    for (int slot = 0; slot < c->plan->slot_count; slot++) {
        const copied *copy = &m->now.copies[slot];
        if (copy->stage == stage && copy->phase > least)
            vec_push(&c->thresholds, copy->phase);
        if (copy->stage == stage && copy->phase_before > least)
            vec_push(&c->thresholds, copy->phase_before);
    }
    put(c, (int64_t)c->thresholds.len);
    put(c, b->pending);
    put(c, b->tx);
    put(c, rank(c, b->count));
    put(c, rank(c, (int64_t)b->count - 1));
    put(c, rank(c, m->now.ended[stage]));
    for (int i = 0; i < c->plan->slot_count; i++) {
        int slot = c->slot_order[i];
        const copied *copy = &m->now.copies[slot];
        if (copy->stage != stage || copy->phase <= least)
            continue;
        put_threshold(c, copy->whole, i, copy->phase);
        put(c, copy->phase_before > least ? rank(c, copy->phase_before) : 0);
        put_laps(c, m, slot, copy->lap);
    }
    put_entry_of_all(c, m, entry);
    for (int i = 0; i < c->plan->agent_count; i++) {
        const ir_task *t = plan_task_of(c->plan, i);
        for (int s = 0; alive(m, i) && s < t->status_count; s++) {
            const probe *asked = &m->now.probes[c->plan->agents[i].statuses + s];
            if (asked->stage == stage)
                put(c, rank(c, asked->known));
        }
    }
}

/* ---- values ------------------------------------------------------------------------------------------------------------------------ */

/* Bits of the values that loops not yet started may ask about, in the launch or in the tiles with that parity. */
static uint64_t asked_later(const machine *m, bool of_tile, int instance)
{
    uint64_t mask = 0;
    for (int i = 0; i < m->plan->agent_count; i++) {
        const agent *a = &m->now.agents[i];
        if (alive(m, i) && (!of_tile || (a->in_tile_loop && (a->tile & 1) == instance)))
            mask |= agent_op(m, i)->later;
    }
    return mask;
}

/* Someone is in a loop that the value rules. */
static bool asked_now(const machine *m, int value, int instance)
{
    for (int i = 0; i < m->plan->agent_count; i++) {
        const agent *a = &m->now.agents[i];
        if (!alive(m, i))
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
        for (int n = 0; n <= of_tile; n++) {
            int instance = first_instance(m, value) ^ n;
            const knowledge *k = value_known(m, value, instance);
            bool later = (of_tile ? tiles[instance] : launch) >> value & 1;
            bool asked = value == q->value && instance == q->instance;
            put(c, later || asked_now(m, value, instance) ? k->period : -1);
            put(c, later && !asked ? k->from : -1);
            if (asked && later) {
                c->asked_again = true;
                asked_from = k->from;
            }
        }
    }
    put(c, q->value);
    put(c, q->instance == first_instance(m, q->value));
    put(c, c->asked_again);
    c->chain_length = c->words.len;
    put(c, asked_from);
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
    c->slot_order = arena_array(a, int, p->slot_count + 1);
    for (size_t r = 0; r < resources; r++)
        choose_ring_cursor(c, (int)r);
}

void canonical_free(canonical *c)
{
    vec_free(&c->thresholds);
    vec_free(&c->words);
}

void canonical_of(canonical *c, const machine *m, const question *q)
{
    c->words.len = 0;
    order_rings(c, m);
    for (int i = 0; i < c->plan->agent_count; i++)
        put_agent(c, m, i);
    for (int i = 0; i < c->plan->agent_count; i++)
        put_agent_entry(c, m, i);
    for (int i = 0; i < c->plan->stage_count; i++)
        put_stage_entry(c, m, c->stage_order[i]);
    put_values(c, m, q);
}
