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
 * some of them did not arrive later. */
enum { USE_GATHERED = 1, USE_DONE = 2, USE_AGE_0 = 4, DEFERRED_0 = 32 };

enum {
    MARK_WRITE,
    MARK_WRITE_BEFORE,
    MARK_READ,
    MARK_GROUPS,
    MARK_WAIT = MARK_GROUPS + GROUP_KINDS,
    MARK_LAST,
    MARK_AGE_0,
    MARK_COPY = MARK_AGE_0 + 3,
    MARK_WHOLE_COPY,
    MARK_COPY_BEFORE,
    MARK_PHASE,
    MARK_FENCE_WRITE,
    MARK_FENCE_WRITE_BEFORE,
    MARK_FENCE_READ
};

/* ---- thresholds ---------------------------------------------------------------------------------------- */

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

/* How many thresholds a value reaches. */
static size_t reaches(const canonical *c, int64_t value)
{
    size_t least = 0, most = c->thresholds.len;
    while (least < most) {
        size_t middle = (least + most) / 2;
        if (c->thresholds.at[middle] > value)
            most = middle;
        else
            least = middle + 1;
    }
    return least;
}

/* Which marks are reached by a value that reaches the first n thresholds, as a bit string; for each n: those of n - 1, and
 * those of its own threshold. */
static void find_reached(canonical *c)
{
    size_t words = c->mark_words = (c->marks.len + 31) / 32, all = (c->thresholds.len + 1) * words;
    while (c->reached.cap < all)
        vec_grow((void **)&c->reached.at, &c->reached.cap, sizeof *c->reached.at);
    c->reached.len = all;
    if (all)
        memset(c->reached.at, 0, all * sizeof *c->reached.at);
    for (size_t i = 0; i < c->marks.len; i++)
        c->reached.at[reaches(c, c->marks.at[i].threshold) * words + i / 32] |= 1u << (i % 32);
    for (size_t i = words; i < all; i++)
        c->reached.at[i] |= c->reached.at[i - words];
}

static void put_reached(canonical *c, size_t n)
{
    for (size_t w = 0; w < c->mark_words; w++)
        canonical_put(c, c->reached.at[n * c->mark_words + w]);
}

/* An entry of a clock, as the marks it reaches. */
static void put_value(canonical *c, int64_t value)
{
    put_reached(c, reaches(c, value));
}

/* ---- what matters of a stage --------------------------------------------------------------------------- */

static uint8_t stage_use(const machine *m, int stage)
{
    const plan *p = m->plan;
    const barrier_state *b = &m->now.barriers[stage];
    int use = 0;
    if (b->deferred[0] || b->pending != plan_barrier_of(p, stage)->arrivals)
        use |= USE_GATHERED | USE_AGE_0;
    heard h = heard_of(m, stage_entry(m, stage));
    uint32_t known = heard_acting(&h, stage, PLAN_USES);
    use |= known < b->count ? USE_AGE_0 << 1 : 0;
    use |= heard_acting(&h, stage, PLAN_WAITS) < b->count ? USE_DONE : 0;
    use |= b->count && known < b->count - 1 ? USE_AGE_0 << 2 : 0;
    for (int age = 0; age < 3; age++)
        if ((b->deferred[age] || p->loose) && use & USE_AGE_0 << age)
            use ^= (USE_AGE_0 | DEFERRED_0) << age;
    return (uint8_t)use;
}

/* ---- marks of an agent: its accesses, waits and contributions that someone has not heard of ------------ */

static void mark_access(canonical *c, const heard *h, const access *a, int place)
{
    int slot = c->slot_order[place];
    uint32_t by_writers = heard_touching(h, slot, PLAN_WRITES);
    uint32_t by_all = heard_touching(h, slot, PLAN_READS | PLAN_WRITES);
    if (a->write_before > by_all)
        (void)mark(c, MARK_WRITE_BEFORE, place, a->write_before);
    if (a->read > by_writers)
        (void)mark(c, MARK_READ, place, a->read);
    for (int kind = 0; kind < GROUP_KINDS; kind++)
        if (a->by_groups[kind].done > by_writers)
            (void)mark(c, MARK_GROUPS + kind, place, a->by_groups[kind].done);
    if (a->write <= by_all)
        return;
    canonical_mark *written = mark(c, MARK_WRITE, place, a->write);
    written->slot = slot;
    written->lap = a->write_lap;
}

/* Accesses that someone may yet come upon who does not know of a fence behind them. */
static void mark_unfenced(canonical *c, const machine *m, int owner, int fence, int place)
{
    int slot = c->slot_order[place];
    const access *a = slot_access(m, slot, owner);
    bool tensor = plan_buffer_of(c->plan, slot)->space == IR_TENSOR;
    if (!a || (!a->fence_write && !a->fence_read) || tensor != (fence == c->plan->after_fence[owner]))
        return;
    uint32_t known = fence_known_to_all(m, fence, slot);
    if (a->fence_write_before > known)
        (void)mark(c, MARK_FENCE_WRITE_BEFORE, place, a->fence_write_before);
    if (tensor && a->fence_read > known)
        (void)mark(c, MARK_FENCE_READ, place, a->fence_read);
    if (a->fence_write <= known)
        return;
    canonical_mark *written = mark(c, MARK_FENCE_WRITE, place, a->fence_write);
    written->slot = slot;
    written->lap = a->write_lap;
}

/* Those that entries of the owner's own epochs must tell apart, for a fence to come: of the tensor memory, where their
 * thresholds are others than those of mark_access, in loose plans alone, as everybody fences for himself. */
static void mark_sources(canonical *c, const machine *m, int owner, int place)
{
    if (c->plan->proxy_fence[owner] >= 0)
        mark_unfenced(c, m, owner, c->plan->proxy_fence[owner], place);
    if (c->plan->after_fence[owner] >= 0 && c->plan->loose)
        mark_unfenced(c, m, owner, c->plan->after_fence[owner], place);
}

static void mark_accesses(canonical *c, const machine *m, const heard *h, int agent_index, int lane)
{
    const plan_crews *of = &c->plan->crew_slots;
    int crew = c->plan->agents[agent_index].crew;
    for (int n = of->first[crew]; n < of->first[crew + 1]; n++) {
        int slot = c->slot_order[of->at[n]];
        const access *a = slot_access(m, slot, agent_index);
        if (a && m->now.touched[slot] && plan_in_lane(c->plan, plan_slot_ring(c->plan, slot), lane)) {
            mark_access(c, h, a, of->at[n]);
            mark_sources(c, m, agent_index, of->at[n]);
        }
    }
}

static void mark_wait(canonical *c, const machine *m, const heard *h, int agent_index, int place)
{
    int stage = c->stage_order[place];
    uint32_t waited = stage_waits(m, stage)[plan_use(m->plan, stage, agent_index)];
    if (waited <= stage_gathered(m, stage)[plan_entry(m->plan, agent_index, plan_stage_ring(m->plan, stage))])
        return;
    if (waited > heard_acting(h, stage, PLAN_ARRIVES) || !m->now.barriers[stage].pending)
        (void)mark(c, MARK_WAIT, place, waited);
}

static void mark_contributions(canonical *c, const machine *m, const heard *h, int agent_index, int place)
{
    int stage = c->stage_order[place];
    for (int age = 0; age < 3; age++) {
        uint32_t epoch = stage_contributions(m, stage, age)[plan_use(m->plan, stage, agent_index)];
        if ((c->stage_use[stage] & USE_AGE_0 << age) && epoch && epoch >= heard_acting(h, stage, PLAN_USES))
            (void)mark(c, MARK_AGE_0 + age, place, (int64_t)epoch + 1); /* known who has heard of more */
    }
}

/* At the end somebody must know that a pipe is idle: what it did last, unless that is known already. */
static void mark_last(canonical *c, const machine *m, int agent_index, int lane)
{
    uint32_t last = m->now.last[agent_index];
    for (int i = 0; last && i < m->plan->agent_count; i++)
        if (i != agent_index && machine_clock(m, i)[agent_index * m->plan->lanes + lane] >= last)
            return;
    if (last)
        (void)mark(c, MARK_LAST, 0, last);
}

static void mark_agent(canonical *c, const machine *m, const heard *h, int agent_index, int lane)
{
    clear_marks(c);
    mark_accesses(c, m, h, agent_index, lane);
    mark_last(c, m, agent_index, lane);
    const plan_crews *of = &c->plan->crew_stages;
    int crew = c->plan->agents[agent_index].crew;
    for (int n = of->first[crew]; n < of->first[crew + 1]; n++) {
        int place = of->at[n];
        if (!plan_in_lane(c->plan, plan_stage_ring(c->plan, c->stage_order[place]), lane))
            continue;
        mark_wait(c, m, h, agent_index, place);
        mark_contributions(c, m, h, agent_index, place);
    }
}

/* ---- marks of a stage: its last phases, and those of bulk copies --------------------------------------- */

/* Copies by the stage that they complete on, for each in the order of their slots. */
static void list_copies(canonical *c, const machine *m)
{
    for (int i = 0; i < c->plan->stage_count; i++)
        c->first_copy[i] = -1;
    for (int i = c->plan->slot_count - 1; i >= 0; i--) {
        const copied *copy = &m->now.copies[c->slot_order[i]];
        if (!copy->phase)
            continue;
        c->next_copy[i] = c->first_copy[copy->stage];
        c->first_copy[copy->stage] = i;
    }
}

static void mark_stage(canonical *c, const machine *m, const heard *h, int stage)
{
    int64_t count = m->now.barriers[stage].count;
    clear_marks(c);
    (void)mark(c, MARK_PHASE, 0, count);
    (void)mark(c, MARK_PHASE, 1, count - 1);
    for (int i = c->first_copy[stage]; i >= 0; i = c->next_copy[i]) {
        int slot = c->slot_order[i];
        const copied *copy = &m->now.copies[slot];
        uint32_t least = heard_touching(h, slot, PLAN_READS | PLAN_WRITES);
        if (copy->phase <= least)
            continue;
        if (copy->phase_before > least)
            (void)mark(c, MARK_COPY_BEFORE, i, copy->phase_before);
        canonical_mark *written = mark(c, copy->whole ? MARK_WHOLE_COPY : MARK_COPY, i, copy->phase);
        written->slot = slot;
        written->lap = copy->lap;
    }
}

/* ---- news: what the clock of a stage has to tell its waiters, where they do not all know as much ------- */

static void find_news(canonical *c, const uint32_t *clock, const uint32_t *known, int from)
{
    for (int entry = 0; entry < c->plan->width; entry++)
        if (clock[entry] > known[entry]) {
            canonical_news n = {entry, from, clock[entry]};
            vec_push(&c->news, n);
        }
}

/* By entry, and for each in the order of the stages. */
static void sort_news(canonical *c)
{
    int width = c->plan->width;
    memset(c->first_news, 0, ((size_t)width + 2) * sizeof *c->first_news);
    for (size_t i = 0; i < c->news.len; i++)
        c->first_news[c->news.at[i].entry + 2]++;
    for (int entry = 0; entry < width; entry++)
        c->first_news[entry + 2] += c->first_news[entry + 1];
    while (c->sorted.cap < c->news.len)
        vec_grow((void **)&c->sorted.at, &c->sorted.cap, sizeof *c->sorted.at);
    c->sorted.len = c->news.len;
    for (size_t i = 0; i < c->news.len; i++)
        c->sorted.at[c->first_news[c->news.at[i].entry + 1]++] = c->news.at[i];
}

static void gather_news(canonical *c, const machine *m)
{
    c->news.len = 0;
    for (int i = 0; i < c->plan->stage_count; i++) {
        int stage = c->stage_order[i];
        if (!(c->stage_use[stage] & (USE_GATHERED | USE_DONE)))
            continue;
        const uint32_t *known = heard_clock(m, stage, PLAN_WAITS, c->known);
        if (c->stage_use[stage] & USE_GATHERED)
            find_news(c, stage_gathered(m, stage), known, 2 * i);
        if (c->stage_use[stage] & USE_DONE)
            find_news(c, stage_done(m, stage), known, 2 * i + 1);
    }
    sort_news(c);
}

/* ---- writing ------------------------------------------------------------------------------------------- */

/* How a lap that was recorded for a slot relates to the laps in which producers may touch the slot next. */
static void put_laps(canonical *c, const machine *m, int slot, int64_t lap)
{
    const plan_slot *of = &c->plan->slots[slot];
    int ring = plan_slot_ring(c->plan, slot);
    for (int i = 0; of->pipelined && i < c->plan->agent_count; i++) {
        size_t cursors = plan_task_of(c->plan, i)->cursors.len;
        for (size_t j = 0; machine_alive(m, i) && j < cursors; j++) {
            const plan_cursor *known = plan_cursor_of(c->plan, i, (int)j);
            if (known->ring != ring || !known->writes)
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

/* Agents in their order: how many in a row reach the same marks, and those. (Who is alive has been told.) */
static void put_agents(canonical *c, const machine *m, int entry)
{
    int owner = entry < plan_stage_entry(c->plan, 0) ? entry / c->plan->lanes : -1;
    int64_t in_a_row = 0;
    size_t last = 0;
    for (int i = 0; i < c->plan->agent_count; i++) {
        if (i == owner || !machine_alive(m, i))
            continue;
        size_t n = reaches(c, machine_clock(m, i)[entry]);
        if (in_a_row && n != last) {
            canonical_put(c, in_a_row);
            put_reached(c, last);
            in_a_row = 0;
        }
        in_a_row++;
        last = n;
    }
    canonical_put(c, in_a_row);
    put_reached(c, last);
}

/* One entry of every clock there is. Clocks of stages tell no more than zeros where they have no news. */
static void put_entry(canonical *c, const machine *m, int entry)
{
    size_t nothing = reaches(c, 0);
    put_agents(c, m, entry);
    for (int i = c->first_news[entry]; i < c->first_news[entry + 1]; i++) {
        const canonical_news *at = &c->sorted.at[i];
        size_t n = reaches(c, at->value);
        if (n == nothing)
            continue;
        canonical_put(c, at->from);
        put_reached(c, n);
    }
    canonical_put(c, -1);
}

static void put_barrier(canonical *c, const machine *m, int stage)
{
    const barrier_state *b = &m->now.barriers[stage];
    canonical_put(c, c->stage_use[stage]);
    canonical_put(c, b->pending);
    canonical_put(c, b->tx);
    canonical_put(c, b->count - b->waited > 2 ? 2 : b->count - b->waited);
    canonical_put(c, b->deferred[0]);
    canonical_put(c, b->waited < b->count ? b->deferred[1] : 0);
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

static void put_clobbers(canonical *c, const machine *m)
{
    for (int i = 0; i < c->plan->slot_count; i++)
        if (c->plan->slots[c->slot_order[i]].overlaps > 1)
            canonical_put(c, m->now.clobbers[c->slot_order[i]].gone);
}

/* A fence's entries: those before a thread synchronisation are looked at by those after it. */
static void put_fence(canonical *c, const machine *m, int fence, int lane)
{
    const plan_fence *f = &c->plan->fences[fence];
    bool tensor = f->by != IR_FENCE_PROXY;
    int entry = plan_fence_entry(c->plan, fence, lane);
    clear_marks(c);
    for (int i = 0; i < c->plan->slot_count; i++)
        if (plan_in_lane(c->plan, plan_slot_ring(c->plan, c->slot_order[i]), lane))
            mark_unfenced(c, m, f->owner, tensor ? c->plan->after_fence[f->owner] : fence, i);
    put_marks(c, m);
    if (c->marks.len)
        put_entry(c, m, entry);
}

void canonical_clocks(canonical *c, const machine *m)
{
    put_clobbers(c, m);
    heard_listen(m);
    list_copies(c, m);
    for (int i = 0; i < c->plan->stage_count; i++)
        c->stage_use[i] = stage_use(m, i);
    gather_news(c, m);
    for (int i = 0; i < c->plan->agent_count * c->plan->lanes; i++) {
        heard h = heard_of(m, i);
        mark_agent(c, m, &h, i / c->plan->lanes, i % c->plan->lanes);
        put_marks(c, m);
        if (c->marks.len)
            put_entry(c, m, i);
    }
    for (int i = 0; i < c->plan->fence_count * c->plan->lanes; i++)
        put_fence(c, m, i / c->plan->lanes, i % c->plan->lanes);
    for (int i = 0; i < c->plan->stage_count; i++) {
        int stage = c->stage_order[i];
        heard h = heard_of(m, stage_entry(m, stage));
        put_barrier(c, m, stage);
        mark_stage(c, m, &h, stage);
        put_marks(c, m);
        put_entry(c, m, stage_entry(m, stage));
        put_probes(c, m, stage);
    }
}
