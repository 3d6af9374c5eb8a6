/* The block of state: layout, first state, snapshots. */
#include "prove/machine.h"

typedef struct layout {
    char *base; /* NULL while measuring */
    size_t used;
} layout;

static void *take(layout *l, size_t count, size_t size)
{
    void *at = l->base ? l->base + l->used : NULL;
    l->used += (count * size + 15) / 16 * 16;
    return at;
}

static size_t lay_out(config *c, const plan *p, int slot_words, char *block)
{
    layout l = {block, 0};
    size_t agents = (size_t)p->agent_count, stages = (size_t)p->stage_count, slots = (size_t)p->slot_count;
    size_t groups = agents * GROUP_KINDS * MOST_GROUPS;
    size_t width = (size_t)p->width, values = (size_t)p->value_count;
    c->block = block;
    c->agents = take(&l, agents, sizeof(agent));
    c->cursors = take(&l, (size_t)p->cursor_count, sizeof(cursor));
    c->probes = take(&l, (size_t)p->status_count, sizeof(probe));
    c->barriers = take(&l, stages, sizeof(barrier_state));
    c->accesses = take(&l, (size_t)p->access_count, sizeof(access));
    c->copies = take(&l, slots, sizeof(copied));
    c->clobbers = take(&l, slots, sizeof(clobber));
    c->touched = take(&l, slots, 1);
    c->known = take(&l, (size_t)p->known_count, sizeof(knowledge));
    c->moments = take(&l, (size_t)p->known_count, sizeof(moment));
    c->newest_tile = take(&l, values, sizeof(int64_t));
    c->clocks = take(&l, agents * width, sizeof(uint32_t));
    c->waited = take(&l, (size_t)p->user_count, sizeof(uint32_t));
    c->contributed = take(&l, 3 * (size_t)p->user_count, sizeof(uint32_t));
    c->last = take(&l, agents, sizeof(uint32_t));
    c->groups = take(&l, groups * (size_t)slot_words, sizeof(uint32_t));
    c->in_flight_first = take(&l, 1, sizeof(int));
    c->in_flight_count = take(&l, 1, sizeof(int));
    c->gathered = take(&l, stages * width, sizeof(uint32_t)); /* from here on, snapshots are choosy */
    c->done = take(&l, stages * width, sizeof(uint32_t));
    c->in_flight = take(&l, MOST_FLIGHTS, sizeof(flight));
    return l.used;
}

static cursor first_place(const ir_cursor *c, int warp)
{
    int slot = c->lane == IR_LANE_BY_WARP ? warp / c->lane_warps : c->lane == IR_LANE_FIXED ? c->first : 0;
    return (cursor){.slot = slot, .held = slot, .parity = c->parity};
}

/* Pipes have nothing to run. */
static void set_agents(machine *m)
{
    for (int i = 0; i < m->plan->agent_count; i++) {
        const ir_task *t = plan_task_of(m->plan, i);
        if (!m->plan->agents[i].warp_itself) {
            m->now.agents[i].status = AGENT_DONE;
            continue;
        }
        for (size_t c = 0; c < t->cursors.len; c++)
            *agent_cursor(m, i, (int)c) = first_place(&t->cursors.at[c], m->plan->agents[i].warp);
    }
}

static void set_values(machine *m)
{
    const plan *p = m->plan;
    for (int i = 0; i < p->value_count; i++) {
        int end = i + 1 < p->value_count ? p->values[i + 1].first_known : p->known_count;
        for (int n = p->values[i].first_known; n < end; n++) {
            m->now.known[n] = (knowledge){p->values[i].least, 1};
            m->now.moments[n] = (moment){-1, -1};
        }
        m->now.newest_tile[i] = -1;
    }
}

void machine_init(machine *m, const plan *p)
{
    *m = (machine){.plan = p, .slot_words = (p->slot_count + 31) / 32, .most_events = UINT64_MAX};
    m->block_bytes = lay_out(&m->now, p, m->slot_words, NULL);
    char *block = base_alloc(m->block_bytes);
    memset(block, 0, m->block_bytes);
    m->kept = base_alloc((size_t)p->stage_count + 1);
    m->least = base_alloc(((size_t)p->crew_count * (size_t)p->width + 1) * sizeof(uint32_t));
    (void)lay_out(&m->now, p, m->slot_words, block);
    for (int i = 0; i < p->agent_count; i++)
        for (int lane = 0; lane < p->lanes; lane++)
            machine_clock(m, i)[i * p->lanes + lane] = 1;
    for (int i = 0; i < p->stage_count; i++)
        m->now.barriers[i].pending = plan_barrier_of(p, i)->arrivals;
    for (int i = 0; i < p->status_count; i++)
        m->now.probes[i].stage = -1;
    set_values(m);
    set_agents(m);
}

void machine_free(machine *m)
{
    free(m->now.block);
    free(m->least);
    free(m->kept);
}

/* ---- snapshots ----------------------------------------------------------------------------------------- */

/* What lies before the clocks of stages is copied as a whole. Of those only what can matter: of phases that have begun, and
 * of completions that a user of the stage does not know (who knows one has joined its clock, or all that went into it);
 * the others become zeros, which tell nothing. Copies in flight are not kept: a machine at rest has none. */
enum { KEPT_GATHERED = 1, KEPT_DONE = 2 };

static size_t fixed_bytes(const machine *m)
{
    return (size_t)((char *)m->now.gathered - m->now.block);
}

static size_t row_bytes(const machine *m)
{
    return (size_t)m->plan->width * sizeof(uint32_t);
}

static uint8_t kept_of(const machine *m, int stage)
{
    const barrier_state *b = &m->now.barriers[stage];
    const int *users = stage_users(m, stage);
    uint8_t kept =
        b->deferred[0] || b->pending != plan_barrier_of(m->plan, stage)->arrivals ? KEPT_GATHERED : 0;
    for (int i = 0; i < m->plan->stages[stage].users; i++)
        if (machine_alive(m, users[i]) && machine_clock(m, users[i])[stage_entry(m, stage)] < b->count)
            kept |= KEPT_DONE;
    return kept;
}

static char *put_row(char *to, const machine *m, const uint32_t *row)
{
    memcpy(to, row, row_bytes(m));
    return to + row_bytes(m);
}

char *machine_snapshot(const machine *m)
{
    size_t stages = (size_t)m->plan->stage_count, rows = 0;
    for (size_t i = 0; i < stages; i++) {
        m->kept[i] = kept_of(m, (int)i);
        rows += (m->kept[i] & KEPT_GATHERED) + (size_t)(m->kept[i] / KEPT_DONE);
    }
    char *copy = base_alloc(fixed_bytes(m) + stages + rows * row_bytes(m)), *to = copy;
    memcpy(to, m->now.block, fixed_bytes(m));
    to += fixed_bytes(m);
    memcpy(to, m->kept, stages);
    to += stages;
    for (size_t i = 0; i < stages; i++) {
        if (m->kept[i] & KEPT_GATHERED)
            to = put_row(to, m, stage_gathered(m, (int)i));
        if (m->kept[i] & KEPT_DONE)
            to = put_row(to, m, stage_done(m, (int)i));
    }
    return copy;
}

static const char *take_row(const machine *m, uint32_t *row, const char *from, bool kept)
{
    if (!kept) {
        memset(row, 0, row_bytes(m));
        return from;
    }
    memcpy(row, from, row_bytes(m));
    return from + row_bytes(m);
}

void machine_restore(machine *m, const char *snapshot)
{
    size_t stages = (size_t)m->plan->stage_count;
    memcpy(m->now.block, snapshot, fixed_bytes(m));
    const char *kept = snapshot + fixed_bytes(m), *from = kept + stages;
    for (size_t i = 0; i < stages; i++) {
        from = take_row(m, stage_gathered(m, (int)i), from, kept[i] & KEPT_GATHERED);
        from = take_row(m, stage_done(m, (int)i), from, kept[i] & KEPT_DONE);
    }
}

bool machine_fault(machine *m, finding f)
{
    if (!m->finding.fault)
        m->finding = f;
    return false;
}
