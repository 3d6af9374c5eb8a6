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
    c->gathered = take(&l, stages * width, sizeof(uint32_t));
    c->done = take(&l, stages * width, sizeof(uint32_t));
    c->waited = take(&l, stages * agents, sizeof(uint32_t));
    c->contributed = take(&l, 3 * stages * agents, sizeof(uint32_t));
    c->last = take(&l, agents, sizeof(uint32_t));
    c->groups = take(&l, groups * (size_t)slot_words, sizeof(uint32_t));
    c->in_flight_first = take(&l, 1, sizeof(int));
    c->in_flight_count = take(&l, 1, sizeof(int));
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
}

/* The copies in flight lie at the end of the block: a quiescent machine has none, and their room is not copied. */
static size_t live_bytes(const machine *m)
{
    return (size_t)((char *)m->now.in_flight - m->now.block);
}

char *machine_snapshot(const machine *m)
{
    char *copy = base_alloc(live_bytes(m));
    memcpy(copy, m->now.block, live_bytes(m));
    return copy;
}

void machine_restore(machine *m, const char *snapshot)
{
    memcpy(m->now.block, snapshot, live_bytes(m));
}

bool machine_fault(machine *m, finding f)
{
    if (!m->finding.fault)
        m->finding = f;
    return false;
}
