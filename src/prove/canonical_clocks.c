/* Barriers, accesses and clocks of a configuration, without absolute numbers.
 *
 * An entry of a clock is only ever compared with thresholds: epochs of accesses, waits and contributions, and the last
 * phases of a stage. A threshold that all who could ask have passed can never fail a comparison again and is left out.
 * So an entry is written as the set of thresholds it reaches. That keeps every comparison, now and later: entries
 * change by becoming the greater of two, which reaches what either reaches, and new thresholds are above all entries
 * but their owner's. */
#include "prove/canonical.h"
#include "prove/heard.h"

/* What of a stage can still matter: the clock of a phase that has begun; the clock of the last completion, while
 * someone who waits on the barrier does not know it (who knows it has joined that clock, or all that went into it);
 * contributions to a phase of a given age, while someone could still learn from them that it is complete, or would if
 * it were not for its bytes. */
enum { USE_GATHERED = 1, USE_DONE = 2, USE_AGE_0 = 4, BY_BYTES_0 = 32 };

enum {
    MARK_WRITE,
    MARK_WRITE_BEFORE,
    MARK_READ,
    MARK_WGMMA,
    MARK_WAIT,
    MARK_AGE_0,
    MARK_COPY = MARK_AGE_0 + 3,
    MARK_WHOLE_COPY,
    MARK_COPY_BEFORE,
    MARK_PHASE
};

/* ---- thresholds -------------------------------------------------------------------------------------------------------------- */

static void clear_marks(canonical *c)
{
    c->marks.len = c->thresholds.len = 0;
}

/* Keeps the thresholds sorted, each once. */
static void add_threshold(canonical *c, int64_t threshold)
{
    size_t i = c->thresholds.len;
    while (i && c->thresholds.at[i - 1] > threshold)
        i--;
    if (i && c->thresholds.at[i - 1] == threshold)
        return;
    vec_push(&c->thresholds, threshold);
    memmove(&c->thresholds.at[i + 1], &c->thresholds.at[i], (c->thresholds.len - 1 - i) * sizeof(int64_t));
    c->thresholds.at[i] = threshold;
}

static canonical_mark *mark(canonical *c, int kind, int place, int64_t threshold)
{
    canonical_mark m = {kind, place, threshold, -1, 0};
    vec_push(&c->marks, m);
    add_threshold(c, threshold);
    return vec_last(&c->marks);
}

/* Which marks are reached by a value that reaches the first n thresholds, as a bit string; for each n. */
static void find_reached(canonical *c)
{
    c->reached.len = 0;
    c->mark_words = (c->marks.len + 31) / 32;
    for (size_t n = 0; n <= c->thresholds.len; n++)
        for (size_t w = 0; w < c->mark_words; w++) {
            uint32_t word = 0;
            for (size_t i = 32 * w; i < c->marks.len && i < 32 * w + 32; i++)
                if (n && c->marks.at[i].threshold <= c->thresholds.at[n - 1])
                    word |= 1u << (i % 32);
            vec_push(&c->reached, word);
        }
}

/* An entry of a clock, as the marks it reaches. */
static void put_value(canonical *c, int64_t value)
{
    size_t n = c->thresholds.len;
    while (n && c->thresholds.at[n - 1] > value)
        n--;
    for (size_t w = 0; w < c->mark_words; w++)
        canonical_put(c, c->reached.at[n * c->mark_words + w]);
}

/* ---- what matters of a stage ---------------------------------------------------------------------------------------------------- */

static uint8_t stage_use(const machine *m, int stage)
{
    const plan *p = m->plan;
    const barrier_state *b = &m->now.barriers[stage];
    int barrier = p->stages[stage].barrier, use = 0;
    if (b->by_bytes[0] || b->pending != p->program->barriers.at[barrier].arrivals)
        use |= USE_GATHERED | USE_AGE_0;
    for (int i = 0; i < p->agent_count; i++) {
        uint32_t known = machine_clock(m, i)[stage_entry(m, stage)];
        if (!machine_alive(m, i) || !*plan_uses(p, p->agents[i].task, barrier))
            continue;
        use |= known < b->count ? USE_AGE_0 << 1 : 0;
        use |= known < b->count && *plan_waits_on(p, p->agents[i].task, barrier) ? USE_DONE : 0;
        use |= known + 1 < b->count ? USE_AGE_0 << 2 : 0;
    }
    for (int age = 0; age < 3; age++)
        if ((b->by_bytes[age] || p->loose) && use & USE_AGE_0 << age)
            use ^= (USE_AGE_0 | BY_BYTES_0) << age;
    return (uint8_t)use;
}

/* ---- marks of an agent: its accesses, waits and contributions that someone has not heard of -------------------------------------------- */

static void mark_accesses(canonical *c, const machine *m, const heard *h, int agent_index, int lane)
{
    for (int i = 0; i < c->plan->slot_count; i++) {
        int slot = c->slot_order[i], buffer = c->plan->slots[slot].buffer;
        if (!m->now.touched[slot] || c->plan->lane_of[plan_slot_resource(c->plan, slot)] != lane)
            continue;
        const access *a = &slot_accesses(m, slot)[agent_index];
        uint32_t by_writers = heard_touching(h, buffer, PLAN_WRITES);
        uint32_t by_all = heard_touching(h, buffer, PLAN_READS | PLAN_WRITES);
        if (a->write_before > by_all)
            (void)mark(c, MARK_WRITE_BEFORE, i, a->write_before);
        if (a->read > by_writers)
            (void)mark(c, MARK_READ, i, a->read);
        if (a->wgmma_done > by_writers)
            (void)mark(c, MARK_WGMMA, i, a->wgmma_done);
        if (a->write <= by_all)
            continue;
        canonical_mark *written = mark(c, MARK_WRITE, i, a->write);
        written->slot = slot;
        written->lap = a->write_lap;
    }
}

static void mark_wait(canonical *c, const machine *m, const heard *h, int agent_index, int place)
{
    int stage = c->stage_order[place];
    uint32_t waited = m->now.waited[(size_t)stage * (size_t)m->plan->agent_count + (size_t)agent_index];
    if (waited <=
        stage_gathered(m, stage)[plan_entry(m->plan, agent_index, plan_stage_resource(m->plan, stage))])
        return;
    if (waited > heard_arriving(h, c->plan->stages[stage].barrier) || !m->now.barriers[stage].pending)
        (void)mark(c, MARK_WAIT, place, waited);
}

static void mark_contributions(canonical *c, const machine *m, const heard *h, int agent_index, int place)
{
    int stage = c->stage_order[place];
    for (int age = 0; age < 3; age++) {
        uint32_t epoch = stage_contributions(m, stage, age)[agent_index];
        if ((c->stage_use[stage] & USE_AGE_0 << age) &&
            epoch > heard_using(h, c->plan->stages[stage].barrier))
            (void)mark(c, MARK_AGE_0 + age, place, epoch);
    }
}

static void mark_agent(canonical *c, const machine *m, const heard *h, int agent_index, int lane)
{
    clear_marks(c);
    mark_accesses(c, m, h, agent_index, lane);
    for (int i = 0; i < c->plan->stage_count; i++) {
        if (c->plan->lane_of[plan_stage_resource(c->plan, c->stage_order[i])] != lane)
            continue;
        mark_wait(c, m, h, agent_index, i);
        mark_contributions(c, m, h, agent_index, i);
    }
}

/* ---- marks of a stage: its last phases, and those of bulk copies ------------------------------------------------------------------------- */

static void mark_stage(canonical *c, const machine *m, const heard *h, int stage)
{
    const plan_stage *of = &c->plan->stages[stage];
    int resource = c->plan->program->barriers.at[of->barrier].resource;
    int64_t count = m->now.barriers[stage].count;
    clear_marks(c);
    (void)mark(c, MARK_PHASE, 0, count);
    (void)mark(c, MARK_PHASE, 1, count - 1);
    for (int i = 0; i < c->plan->slot_count; i++) {
        int slot = c->slot_order[i];
        const copied *copy = &m->now.copies[slot];
        uint32_t least = heard_touching(h, c->plan->slots[slot].buffer, PLAN_READS | PLAN_WRITES);
        if (copy->stage != stage || copy->phase <= least ||
            c->plan->program->buffers.at[c->plan->slots[slot].buffer].resource != resource)
            continue;
        if (copy->phase_before > least)
            (void)mark(c, MARK_COPY_BEFORE, i, copy->phase_before);
        canonical_mark *written = mark(c, copy->whole ? MARK_WHOLE_COPY : MARK_COPY, i, copy->phase);
        written->slot = slot;
        written->lap = copy->lap;
    }
}

/* ---- writing --------------------------------------------------------------------------------------------------------------------------------- */

/* How a lap that was recorded for a slot relates to the laps in which producers may touch the slot next. */
static void put_laps(canonical *c, const machine *m, int slot, int64_t lap)
{
    const plan_slot *of = &c->plan->slots[slot];
    int resource = c->plan->program->buffers.at[of->buffer].resource;
    for (int i = 0; of->pipelined && i < c->plan->agent_count; i++) {
        const ir_task *t = plan_task_of(c->plan, i);
        for (size_t j = 0; machine_alive(m, i) && j < t->cursors.len; j++) {
            if (t->cursors.at[j].resource != resource || t->cursors.at[j].role != IR_PRODUCE)
                continue;
            const cursor *at = agent_cursor(m, i, (int)j);
            int64_t ahead = lap - (at->lap + (of->stage < at->slot));
            canonical_put(c, ahead < -2 ? -2 : ahead > 3 ? 3 : ahead);
        }
    }
}

static void put_marks(canonical *c, const machine *m)
{
    find_reached(c);
    canonical_put(c, (int64_t)c->marks.len);
    for (size_t i = 0; i < c->marks.len; i++) {
        const canonical_mark *at = &c->marks.at[i];
        canonical_put(c, at->kind);
        canonical_put(c, at->place);
        if (at->slot >= 0)
            put_laps(c, m, at->slot, at->lap);
    }
}

/* What a stage's clock has to tell its waiters: nothing, if they all know as much. */
static int64_t news(const machine *m, const heard *h, int stage, uint32_t entry)
{
    return entry > heard_waiting(h, m->plan->stages[stage].barrier) ? entry : 0;
}

/* One entry of every clock there is. */
static void put_entry(canonical *c, const machine *m, const heard *h, int entry)
{
    int owner = entry < plan_stage_entry(c->plan, 0) ? entry / c->plan->lanes : -1;
    for (int i = 0; i < c->plan->agent_count; i++)
        if (i != owner && machine_alive(m, i))
            put_value(c, machine_clock(m, i)[entry]);
    for (int i = 0; i < c->plan->stage_count; i++) {
        int stage = c->stage_order[i];
        if (c->stage_use[stage] & USE_GATHERED)
            put_value(c, news(m, h, stage, stage_gathered(m, stage)[entry]));
        if (c->stage_use[stage] & USE_DONE)
            put_value(c, news(m, h, stage, stage_done(m, stage)[entry]));
    }
}

static void put_barrier(canonical *c, const machine *m, int stage)
{
    const barrier_state *b = &m->now.barriers[stage];
    canonical_put(c, c->stage_use[stage]);
    canonical_put(c, b->pending);
    canonical_put(c, b->tx);
    canonical_put(c, b->count - b->waited > 2 ? 2 : b->count - b->waited);
}

static void put_probes(canonical *c, const machine *m, int stage)
{
    for (int i = 0; i < c->plan->agent_count; i++) {
        const ir_task *t = plan_task_of(c->plan, i);
        for (int s = 0; machine_alive(m, i) && s < t->status_count; s++) {
            const probe *asked = &m->now.probes[c->plan->agents[i].statuses + s];
            if (asked->stage == stage)
                put_value(c, asked->known);
        }
    }
}

void canonical_clocks(canonical *c, const machine *m)
{
    for (int i = 0; i < c->plan->stage_count; i++)
        c->stage_use[i] = stage_use(m, i);
    for (int i = 0; i < c->plan->agent_count * c->plan->lanes; i++) {
        heard h = heard_of(m, i);
        mark_agent(c, m, &h, i / c->plan->lanes, i % c->plan->lanes);
        put_marks(c, m);
        if (c->marks.len)
            put_entry(c, m, &h, i);
    }
    for (int i = 0; i < c->plan->stage_count; i++) {
        int stage = c->stage_order[i];
        heard h = heard_of(m, stage_entry(m, stage));
        put_barrier(c, m, stage);
        mark_stage(c, m, &h, stage);
        put_marks(c, m);
        put_entry(c, m, &h, stage_entry(m, stage));
        put_probes(c, m, stage);
    }
}
