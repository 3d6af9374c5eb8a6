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
    c->passed = take(&l, 2 * (size_t)p->user_count, sizeof(uint32_t));
    c->seen = take(&l, 2 * (size_t)p->copy_user_count, sizeof(uint32_t));
    c->contributed = take(&l, 3 * (size_t)p->user_count, sizeof(uint32_t));
    c->last = take(&l, agents, sizeof(uint32_t));
    c->groups = take(&l, groups * (size_t)slot_words, sizeof(uint32_t));
    c->in_flight_first = take(&l, 1, sizeof(int));
    c->in_flight_count = take(&l, 1, sizeof(int));
    c->done = take(&l, stages, sizeof(done_row *));
    c->gathered = take(&l, stages * width, sizeof(uint32_t)); /* from here on, snapshots are choosy */
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

/* ---- clocks of completions, shared -------------------------------------------------------------------------- */

static done_row *new_row(machine *m)
{
    done_row *r = m->free_rows;
    if (r) {
        m->free_rows = r->next_free;
    } else {
        r = base_alloc(sizeof *r + (size_t)m->plan->width * sizeof(uint32_t));
        r->next = m->rows;
        m->rows = r;
    }
    r->references = 1;
    return r;
}

static void drop_row(machine *m, done_row *r)
{
    if (--r->references)
        return;
    r->next_free = m->free_rows;
    m->free_rows = r;
}

static void free_rows(machine *m)
{
    for (done_row *r = m->rows, *next; r; r = next) {
        next = r->next;
        free(r);
    }
}

uint32_t *stage_own_done(machine *m, int stage, bool copy)
{
    done_row *shared = m->now.done[stage];
    if (shared->references == 1)
        return shared->clock;
    done_row *own = m->now.done[stage] = new_row(m);
    if (copy)
        memcpy(own->clock, shared->clock, (size_t)m->plan->width * sizeof(uint32_t));
    drop_row(m, shared);
    return own->clock;
}

static void init_rows(machine *m)
{
    m->zeros = new_row(m);
    memset(m->zeros->clock, 0, (size_t)m->plan->width * sizeof(uint32_t));
    for (int i = 0; i < m->plan->stage_count; i++)
        m->now.done[i] = m->zeros;
    m->zeros->references += (uint32_t)m->plan->stage_count;
}

/* ---- the first state ------------------------------------------------------------------------------------ */

void machine_init(machine *m, const plan *p)
{
    *m = (machine){.plan = p, .slot_words = (p->slot_count + 31) / 32, .most_events = UINT64_MAX};
    m->block_bytes = lay_out(&m->now, p, m->slot_words, NULL);
    char *block = base_alloc(m->block_bytes);
    memset(block, 0, m->block_bytes);
    m->kept = base_alloc((size_t)p->stage_count + 1);
    m->least = base_alloc(((size_t)p->crew_count * (size_t)p->width + 1) * sizeof(uint32_t));
    m->begun = base_alloc((size_t)p->stage_count + 1);
    memset(m->begun, 0, (size_t)p->stage_count + 1);
    (void)lay_out(&m->now, p, m->slot_words, block);
    init_rows(m);
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
    free(m->begun);
    free_rows(m);
}

/* ---- snapshots ----------------------------------------------------------------------------------------- */

/* What lies before `gathered` is copied as a whole; the clocks of completions are shared. Of the clocks of stages only what
 * can matter is kept: of phases that have begun, and of completions that a user of the stage does not know (who knows one
 * has joined its clock, or all that went into it); the others become zeros, which tell nothing. Copies in flight are not
 * kept: a machine at rest has none. */
enum { KEPT_GATHERED = 1, KEPT_DONE = 2 };

static size_t fixed_bytes(const machine *m)
{
    return (size_t)((char *)m->now.gathered - m->now.block);
}

static size_t row_bytes(const machine *m)
{
    return (size_t)m->plan->width * sizeof(uint32_t);
}

/* Of a snapshot. */
static done_row **shared_rows(const machine *m, char *snapshot)
{
    return (done_row **)(void *)(snapshot + ((char *)m->now.done - m->now.block));
}

static uint8_t kept_of(const machine *m, int stage)
{
    const barrier_state *b = &m->now.barriers[stage];
    bool gathered = b->deferred[0] || b->pending != plan_barrier_of(m->plan, stage)->arrivals;
    bool done = !completion_known_to_all(m, stage, 1, PLAN_USES);
    return (uint8_t)((gathered ? KEPT_GATHERED : 0) | (done ? KEPT_DONE : 0));
}

static void share_rows(const machine *m, done_row **rows)
{
    for (int i = 0; i < m->plan->stage_count; i++) {
        if (!(m->kept[i] & KEPT_DONE))
            rows[i] = m->zeros;
        rows[i]->references++;
    }
}

char *machine_snapshot(const machine *m)
{
    size_t stages = (size_t)m->plan->stage_count, rows = 0;
    for (size_t i = 0; i < stages; i++) {
        m->kept[i] = kept_of(m, (int)i);
        rows += m->kept[i] & KEPT_GATHERED;
    }
    char *copy = base_alloc(fixed_bytes(m) + stages + rows * row_bytes(m)), *to = copy;
    memcpy(to, m->now.block, fixed_bytes(m));
    share_rows(m, shared_rows(m, copy));
    to += fixed_bytes(m);
    memcpy(to, m->kept, stages);
    to += stages;
    for (size_t i = 0; i < stages; i++)
        if (m->kept[i] & KEPT_GATHERED) {
            memcpy(to, stage_gathered(m, (int)i), row_bytes(m));
            to += row_bytes(m);
        }
    return copy;
}

void machine_forget(machine *m, char *snapshot)
{
    for (int i = 0; snapshot && i < m->plan->stage_count; i++)
        drop_row(m, shared_rows(m, snapshot)[i]);
    free(snapshot);
}

static const char *take_row(machine *m, int stage, const char *from, bool kept)
{
    if (!kept && m->begun[stage])
        memset(stage_gathered(m, stage), 0, row_bytes(m));
    if (kept)
        memcpy(stage_gathered(m, stage), from, row_bytes(m));
    m->begun[stage] = kept;
    return from + (kept ? row_bytes(m) : 0);
}

void machine_restore(machine *m, const char *snapshot)
{
    size_t stages = (size_t)m->plan->stage_count;
    for (size_t i = 0; i < stages; i++)
        drop_row(m, m->now.done[i]);
    memcpy(m->now.block, snapshot, fixed_bytes(m));
    for (size_t i = 0; i < stages; i++)
        m->now.done[i]->references++;
    const char *kept = snapshot + fixed_bytes(m), *from = kept + stages;
    for (size_t i = 0; i < stages; i++)
        from = take_row(m, (int)i, from, kept[i] & KEPT_GATHERED);
}

bool machine_fault(machine *m, finding f)
{
    if (!m->finding.fault)
        m->finding = f;
    return false;
}
