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
    size_t width = (size_t)p->width, values = (size_t)p->value_count;
    c->block = block;
    c->agents = take(&l, agents, sizeof(agent));
    c->cursors = take(&l, (size_t)p->cursor_count, sizeof(cursor));
    c->probes = take(&l, (size_t)p->status_count, sizeof(probe));
    c->barriers = take(&l, stages, sizeof(barrier_state));
    c->accesses = take(&l, slots * agents, sizeof(access));
    c->copies = take(&l, slots, sizeof(copied));
    c->touched = take(&l, slots, 1);
    c->known = take(&l, 2 * values, sizeof(knowledge));
    c->newest_tile = take(&l, values, sizeof(int64_t));
    c->clocks = take(&l, agents * width, sizeof(uint32_t));
    c->gathered = take(&l, stages * width, sizeof(uint32_t));
    c->done = take(&l, stages * width, sizeof(uint32_t));
    c->waited = take(&l, stages * agents, sizeof(uint32_t));
    c->contributed = take(&l, 3 * stages * agents, sizeof(uint32_t));
    c->groups = take(&l, agents * MOST_GROUPS * (size_t)slot_words, sizeof(uint32_t));
    c->in_flight_first = take(&l, 1, sizeof(int));
    c->in_flight_count = take(&l, 1, sizeof(int));
    c->in_flight = take(&l, MOST_COPIES, sizeof(copy_in_flight));
    return l.used;
}

static void set_cursors(machine *m)
{
    for (int i = 0; i < m->plan->agent_count; i++) {
        const ir_task *t = plan_task_of(m->plan, i);
        for (size_t c = 0; c < t->cursors.len; c++)
            agent_cursor(m, i, (int)c)->parity = t->cursors.at[c].parity;
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
        m->now.barriers[i].pending = p->program->barriers.at[p->stages[i].barrier].arrivals;
    for (int i = 0; i < p->status_count; i++)
        m->now.probes[i].stage = -1;
    for (int i = 0; i < p->value_count; i++) {
        m->now.known[2 * i] = m->now.known[2 * i + 1] = (knowledge){p->values[i].least, 1};
        m->now.newest_tile[i] = -1;
    }
    set_cursors(m);
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
