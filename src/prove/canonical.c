/* Canonical words of a configuration: rings, agents, values; canonical_clocks.c does the clocks. Order of the parts does
 * not matter, as long as it is always the same. */
#include "prove/canonical.h"

/* ---- rings --------------------------------------------------------------------------------------------- */

/* Any cursor will do that moves: turning a ring by some slots shifts the places of all its cursors alike. */
static void choose_ring_cursor(canonical *c, int ring)
{
    const plan *p = c->plan;
    c->ring_agent[ring] = -1;
    for (int i = 0; i < p->agent_count && p->rings[ring].turns; i++) {
        size_t cursors = plan_task_of(p, i)->cursors.len;
        for (size_t j = 0; p->agents[i].warp_itself && j < cursors; j++) {
            const plan_cursor *known = plan_cursor_of(p, i, (int)j);
            if (known->ring != ring || !known->advances)
                continue;
            c->ring_agent[ring] = i;
            c->ring_cursor[ring] = (int)j;
            return;
        }
    }
}

static int ring_begin(const canonical *c, const machine *m, int ring)
{
    int i = c->ring_agent[ring];
    return i < 0 ? 0 : agent_cursor(m, i, c->ring_cursor[ring])->slot;
}

static void order_rings(canonical *c, const machine *m)
{
    const plan *p = c->plan;
    for (int i = 0; i < p->stage_count; i++) {
        const plan_stage *s = &p->stages[i];
        int base = i - s->stage, stages = plan_barrier_of(p, i)->stages;
        int stage = base + (s->stage + ring_begin(c, m, plan_stage_ring(p, i))) % stages;
        c->stage_order[i] = stage;
        c->stage_place[stage] = i;
    }
    for (int i = 0; i < p->slot_count; i++) {
        const plan_slot *s = &p->slots[i];
        int stages = plan_buffer_of(p, i)->stages;
        int slot = i - s->stage + (s->stage + ring_begin(c, m, plan_slot_ring(p, i))) % stages;
        c->slot_order[i] = slot;
        c->slot_place[slot] = i;
    }
}

/* ---- agents -------------------------------------------------------------------------------------------- */

static const plan_op *loop_of(const machine *m, int agent_index)
{
    const plan_op *at = agent_op(m, agent_index);
    return &m->plan->tasks[m->plan->agents[agent_index].task].ops[at->loop];
}

/* Guards by the number of the trip hold alike in trips of the same class. */
static int64_t every_class(const plan_op *loop, int64_t trip)
{
    return trip < loop->every_first ? trip
                                    : loop->every_first + (trip - loop->every_first) % loop->every_period;
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
    if (loop->every_period)
        canonical_put(c, every_class(loop, a->trip));
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

/* Lanes of an interleaved ring never come to each other's stages. */
static bool comes_to(const ir_cursor *of, const cursor *at, int stage)
{
    return of->stages % of->stride || (stage - at->slot) % of->stride == 0;
}

/* The parity with which the cursor comes to each stage that it may wait on next, relative to the stage's own. */
static void put_parities(canonical *c, const machine *m, const ir_cursor *of, const cursor *at,
                         int first_stage)
{
    uint32_t word = 0;
    for (int s = 0; s < of->stages; s++) {
        int stage = c->stage_order[first_stage + s], number = c->plan->stages[stage].stage;
        uint32_t parity = at->parity ^ (uint32_t)(number < at->slot);
        word = word << 1 | (comes_to(of, at, number) & (parity ^ (m->now.barriers[stage].count & 1)));
        if (s % 32 == 31)
            canonical_put(c, word);
    }
    canonical_put(c, word);
}

static void put_cursor(canonical *c, const machine *m, int agent_index, int cursor_index)
{
    const ir_cursor *of = &plan_task_of(c->plan, agent_index)->cursors.at[cursor_index];
    const plan_cursor *known = plan_cursor_of(c->plan, agent_index, cursor_index);
    const cursor *at = agent_cursor(m, agent_index, cursor_index);
    int begin = ring_begin(c, m, known->ring);
    canonical_put(c, (at->slot - begin + of->stages) % of->stages);
    canonical_put(c, (at->held - begin + of->stages) % of->stages);
    for (const int *barrier = known->waits; *barrier >= 0; barrier++) {
        int first = plan_stage_at(c->plan, *barrier, c->plan->agents[agent_index].rank);
        if (plan_acts(c->plan, c->plan->agents[agent_index].crew, first,
                      PLAN_USES)) /* not in the other CTAs alone */
            put_parities(c, m, of, at, first);
    }
}

static void put_groups(canonical *c, const machine *m, int agent_index, group_kind kind)
{
    canonical_put(c, m->now.agents[agent_index].groups[kind]);
    for (int g = 0; g < m->now.agents[agent_index].groups[kind]; g++) {
        for (int i = 0; i < c->plan->slot_count; i++) {
            int slot = c->slot_order[i];
            if (agent_group(m, agent_index, kind, g)[slot / 32] >> (slot % 32) & 1)
                canonical_put(c, i);
        }
        canonical_put(c, -1);
    }
}

/* What is known of a condition in PLAN_TRIPS trips of a tile: 0 for nothing, 3 where something later has taken the place. */
static void put_trips(canonical *c, const machine *m, int value, int64_t tile, int64_t from)
{
    uint32_t word = 0;
    for (int64_t trip = from; trip < from + PLAN_TRIPS; trip++) {
        int instance = (int)(tile & 1) * PLAN_TRIPS + (int)(trip % PLAN_TRIPS);
        const moment *at = &m->now.moments[c->plan->values[value].first_known + instance];
        const knowledge *k = value_known(m, value, instance);
        bool same = at->tile == tile && at->trip == trip;
        bool later = at->tile > tile || (at->tile == tile && at->trip > trip);
        word = word << 2 | (later ? 3 : !same || k->period ? 0 : k->from ? 2 : 1);
    }
    canonical_put(c, word);
}

/* Whether the agent will come to the condition in that tile from its first trip on. */
static bool comes_to_trip_0(const machine *m, int agent_index, int value, int64_t tile)
{
    const agent *a = &m->now.agents[agent_index];
    const plan_task *t = &m->plan->tasks[m->plan->agents[agent_index].task];
    if (!machine_alive(m, agent_index) || !(t->of_trip >> value & 1))
        return false;
    return a->tile == tile ? agent_op(m, agent_index)->later_by_trip >> value & 1 : a->tile < tile;
}

/* Where to count an agent's trips from: the trip of the first agent that a condition is for in this tile; 0 while some have not
 * begun, for they count from there. */
static int64_t first_trip(const machine *m, int value, int64_t tile)
{
    int64_t first = -1;
    for (int i = 0; i < m->plan->agent_count; i++) {
        const agent *a = &m->now.agents[i];
        if (comes_to_trip_0(m, i, value, tile))
            return 0;
        if (first < 0 && machine_alive(m, i) && a->tile == tile && agent_op(m, i)->loop_by_trip >> value & 1)
            first = a->trip;
    }
    return first < 0 ? 0 : first;
}

/* Conditions of trips that the agent may yet ask about: from the trip it is in, or the next; in loops to come; in the next
 * tile. */
static void put_conditions(canonical *c, const machine *m, int agent_index)
{
    const agent *a = &m->now.agents[agent_index];
    const plan_task *t = &m->plan->tasks[m->plan->agents[agent_index].task];
    const plan_op *at = agent_op(m, agent_index);
    for (int value = 0; t->of_trip >> value; value++) {
        if (at->loop_by_trip >> value & 1) {
            canonical_put(c, a->trip - first_trip(m, value, a->tile));
            put_trips(c, m, value, a->tile, a->trip + !(at->now_by_trip >> value & 1));
        }
        if (at->later_by_trip >> value & 1)
            put_trips(c, m, value, a->tile, 0);
        if (t->of_trip >> value & 1 && a->pc <= t->tile_end)
            put_trips(c, m, value, a->tile + 1, 0);
    }
}

static void put_probe(canonical *c, const machine *m, const probe *asked)
{
    canonical_put(c, asked->stage < 0 ? -1 : c->stage_place[asked->stage]);
    if (asked->stage >= 0)
        canonical_put(c, (int64_t)(asked->parity ^ (m->now.barriers[asked->stage].count & 1)));
}

static void put_agent(canonical *c, const machine *m, int agent_index)
{
    const agent *a = &m->now.agents[agent_index];
    const ir_task *t = plan_task_of(c->plan, agent_index);
    canonical_put(c, a->status);
    for (int kind = 0; kind < GROUP_KINDS; kind++)
        put_groups(c, m, agent_index, (group_kind)kind);
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
    put_conditions(c, m, agent_index);
    for (size_t i = 0; i < t->cursors.len; i++)
        put_cursor(c, m, agent_index, (int)i);
    for (int i = 0; i < t->status_count; i++)
        put_probe(c, m, &m->now.probes[c->plan->agents[agent_index].statuses + i]);
}

/* ---- values -------------------------------------------------------------------------------------------- */

/* Bits of the values of the launch that loops not yet started may ask about. */
static uint64_t of_launch_later(const machine *m)
{
    uint64_t mask = 0;
    for (int i = 0; i < m->plan->agent_count; i++)
        if (machine_alive(m, i))
            mask |= agent_op(m, i)->later;
    return mask;
}

/* Of the two tiles whose values are known, the one with that parity. */
static int64_t tile_of(const machine *m, int tiles, int instance)
{
    int64_t newest = m->now.newest_tile[tiles];
    return (newest & 1) == instance ? newest : newest - 1;
}

/* Whether a value of that tile may yet be asked about: by loops that start later in the tile, or by agents that have
 * not come to the tile. */
static bool of_tile_later(const machine *m, int value, int instance)
{
    int queue = m->plan->values[value].queue, tiles = tiles_value(m->plan, queue);
    int64_t tile = tiles < 0 ? -1 : tile_of(m, tiles, instance);
    for (int i = 0; i < m->plan->agent_count; i++) {
        const agent *a = &m->now.agents[i];
        if (!value_has_tiles_ahead(m, i, queue))
            continue;
        bool there = a->in_tile_loop && a->tile == tile;
        bool before = tile >= 0 && (a->in_tile_loop ? a->tile < tile : a->tile <= tile);
        uint64_t mask = there    ? agent_op(m, i)->later
                        : before ? m->plan->tasks[m->plan->agents[i].task].of_tile
                                 : 0;
        if (mask >> value & 1)
            return true;
    }
    return false;
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
    return plan_of_tile(v) ? (int)(m->now.newest_tile[tiles_value(m->plan, v->queue)] & 1) : 0;
}

/* Which of a value's instances the question is about, not as a number: that of the newest tile; that of the first agent who
 * asks. */
static int asked_instance(const machine *m, const question *q)
{
    if (!m->plan->values[q->value].of_trip)
        return q->instance == first_instance(m, q->value);
    int i = 0;
    while (m->now.agents[i].status != AGENT_ASKS || agent_op(m, i)->value != q->value ||
           value_instance(m, i, q->value) != q->instance)
        i++;
    return i;
}

static void put_values(canonical *c, const machine *m, const question *q)
{
    uint64_t launch = of_launch_later(m);
    c->asked_again = false;
    c->asked_from = 0;
    for (int value = 0; value < c->plan->value_count; value++) {
        const plan_value *v = &c->plan->values[value];
        bool of_tile = plan_of_tile(v);
        if (v->of_trip)
            continue; /* the agents have told */
        for (int n = 0; n < (of_tile ? 2 : 1); n++) {
            int instance = first_instance(m, value) ^ n;
            const knowledge *k = value_known(m, value, instance);
            bool later = of_tile ? of_tile_later(m, value, instance) : launch >> value & 1;
            bool asked = value == q->value && instance == q->instance;
            canonical_put(c, later || asked_now(m, value, instance) ? k->period : -1);
            canonical_put(c, later && !asked ? k->from : -1);
            if (asked && later) {
                c->asked_again = true;
                c->asked_from = k->from;
            }
        }
    }
    canonical_put(c, q->value);
    canonical_put(c, asked_instance(m, q));
    canonical_put(c, c->asked_again);
}

static void put_places(canonical *c)
{
    for (size_t i = 0; i < c->places.len; i++)
        canonical_put(c, c->places.at[i].distance);
    canonical_put(c, c->asked_from);
}

/* ---- who writes in a ring ------------------------------------------------------------------------------ */

static void add_writers(canonical *c, int ring, int *found)
{
    const plan *p = c->plan;
    for (int i = 0; i < p->agent_count; i++) {
        size_t cursors = p->agents[i].warp_itself ? plan_task_of(p, i)->cursors.len : 0;
        for (size_t j = 0; j < cursors; j++) {
            const plan_cursor *known = plan_cursor_of(p, i, (int)j);
            if (known->ring == ring && known->writes)
                c->writers[(*found)++] = (canonical_writer){i, (int)j};
        }
    }
}

static void list_writers(canonical *c)
{
    const plan *p = c->plan;
    int found = 0;
    c->writers = arena_array(&p->kernel->arena, canonical_writer, p->cursor_count + 1);
    c->first_writer = arena_array(&p->kernel->arena, int, p->ring_count + 2);
    for (int ring = 0; ring < p->ring_count; ring++) {
        c->first_writer[ring] = found;
        add_writers(c, ring, &found);
    }
    c->first_writer[p->ring_count] = found;
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

void canonical_init(canonical *c, const plan *p)
{
    arena *a = &p->kernel->arena;
    *c = (canonical){.plan = p};
    c->ring_agent = arena_array(a, int, p->ring_count + 1);
    c->ring_cursor = arena_array(a, int, p->ring_count + 1);
    c->stage_order = arena_array(a, int, p->stage_count + 1);
    c->stage_place = arena_array(a, int, p->stage_count + 1);
    c->stage_use = arena_array(a, uint8_t, p->stage_count + 1);
    c->slot_use = arena_array(a, uint8_t, p->slot_count + 1);
    c->first_news = arena_array(a, int, p->width + 2);
    c->known = arena_array(a, uint32_t, p->width + 1);
    c->slot_order = arena_array(a, int, p->slot_count + 1);
    c->slot_place = arena_array(a, int, p->slot_count + 1);
    c->kept_copies = arena_array(a, canonical_kept_copy, p->slot_count + 1);
    for (int ring = 0; ring < p->ring_count; ring++)
        choose_ring_cursor(c, ring);
    list_writers(c);
}

void canonical_free(canonical *c)
{
    vec_free(&c->marks);
    vec_free(&c->thresholds);
    vec_free(&c->merged);
    vec_free(&c->values);
    vec_free(&c->classes);
    vec_free(&c->news);
    vec_free(&c->sorted);
    vec_free(&c->words);
    vec_free(&c->places);
    vec_free(&c->kept);
    vec_free(&c->kept_marks);
    vec_free(&c->kept_classes);
    vec_free(&c->kept_news);
    vec_free(&c->worries);
}

void canonical_of(canonical *c, const machine *m, const question *q)
{
    c->words.len = c->places.len = 0;
    c->asked = q;
    order_rings(c, m);
    for (int i = 0; i < c->plan->agent_count; i++)
        put_agent(c, m, i);
    put_values(c, m, q);
    canonical_barriers(c, m);
    c->control_length = c->words.len;
    canonical_clocks(c, m);
    c->chain_length = c->words.len;
    put_places(c);
}
