/* Barriers, accesses and clocks of a configuration, without absolute numbers.
 *
 * An entry of a clock is only ever compared with thresholds: epochs of accesses, waits and contributions, and the last
 * phases of a stage. A threshold that all who could ask have passed can never fail a comparison again and is left out.
 * So an entry is written as the set of thresholds it reaches. That keeps every comparison, now and later: entries
 * change by becoming the greater of two, which reaches what either reaches, and new thresholds are above all entries
 * but their owner's. */
#include "prove/canonical.h"
#include "prove/heard.h"

/* ---- what matters of a stage --------------------------------------------------------------------------- */

static uint8_t stage_use(const machine *m, int stage)
{
    const plan *p = m->plan;
    const barrier_state *b = &m->now.barriers[stage];
    int use = 0;
    if (b->deferred[0] || b->pending != plan_barrier_of(p, stage)->arrivals)
        use |= USE_GATHERED | USE_AGE_0;
    for (int age = 1; age <= 2; age++)
        if (!completion_known_to_all(m, stage, age, PLAN_USES))
            use |= USE_AGE_0 << age;
    if (use & USE_AGE_0 << 1 && !completion_known_to_all(m, stage, 1, PLAN_WAITS))
        use |= USE_DONE;
    for (int age = 0; age < 3; age++)
        if ((b->deferred[age] || p->loose) && use & USE_AGE_0 << age)
            use ^= (USE_AGE_0 | DEFERRED_0) << age;
    return (uint8_t)use;
}

static uint8_t slot_use(const machine *m, int slot)
{
    const copied *copy = &m->now.copies[slot];
    if (!copy->phase || copy_known_to_all(m, slot, false))
        return 0;
    return !copy->phase_before || copy_known_to_all(m, slot, true) ? USE_COPY : USE_COPY | USE_COPY_BEFORE;
}

/* ---- marks of an agent: its accesses, waits and contributions that someone has not heard of ------------ */

static void mark_access(canonical *c, const heard *h, const access *a, int place)
{
    int slot = c->slot_order[place];
    uint32_t by_writers = heard_touching(h, slot, PLAN_WRITES);
    uint32_t by_all = heard_touching(h, slot, PLAN_READS | PLAN_WRITES);
    if (a->write_before > by_all)
        (void)canonical_mark_at(c, MARK_WRITE_BEFORE, place, a->write_before);
    if (a->read > by_writers)
        (void)canonical_mark_at(c, MARK_READ, place, a->read);
    for (int kind = 0; kind < GROUP_KINDS; kind++)
        if (a->by_groups[kind].done > by_writers)
            (void)canonical_mark_at(c, MARK_GROUPS + kind, place, a->by_groups[kind].done);
    if (a->write <= by_all)
        return;
    canonical_mark *written = canonical_mark_at(c, MARK_WRITE, place, a->write);
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
        (void)canonical_mark_at(c, MARK_FENCE_WRITE_BEFORE, place, a->fence_write_before);
    if (tensor && a->fence_read > known)
        (void)canonical_mark_at(c, MARK_FENCE_READ, place, a->fence_read);
    if (a->fence_write <= known)
        return;
    canonical_mark *written = canonical_mark_at(c, MARK_FENCE_WRITE, place, a->fence_write);
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
        (void)canonical_mark_at(c, MARK_WAIT, place, waited);
}

static void mark_contributions(canonical *c, const machine *m, const heard *h, int agent_index, int place)
{
    int stage = c->stage_order[place];
    for (int age = 0; age < 3; age++) {
        uint32_t epoch = stage_contributions(m, stage, age)[plan_use(m->plan, stage, agent_index)];
        if ((c->stage_use[stage] & USE_AGE_0 << age) && epoch && epoch >= heard_acting(h, stage, PLAN_USES))
            (void)canonical_mark_at(c, MARK_AGE_0 + age, place, epoch + 1); /* known who has heard of more */
    }
}

static void mark_passes(canonical *c, const machine *m, int agent_index, int place)
{
    int stage = c->stage_order[place], use = plan_use(m->plan, stage, agent_index);
    for (int age = 1; age <= 2; age++)
        if (canonical_is_unknown(c->stage_use[stage], age) && stage_passes(m, stage, age)[use])
            (void)canonical_mark_at(c, MARK_PASSED + age - 1, place, stage_passes(m, stage, age)[use]);
}

static void mark_sightings(canonical *c, const machine *m, int agent_index, int stage)
{
    const plan_crews *copies = &c->plan->copies_on;
    int use = plan_use(m->plan, stage, agent_index);
    for (int i = copies->first[stage]; i < copies->first[stage + 1]; i++) {
        int slot = copies->at[i], place = c->slot_place[slot];
        if (c->slot_use[slot] & USE_COPY && slot_sightings(m, slot, false)[use])
            (void)canonical_mark_at(c, MARK_COPY, place, slot_sightings(m, slot, false)[use]);
        if (c->slot_use[slot] & USE_COPY_BEFORE && slot_sightings(m, slot, true)[use])
            (void)canonical_mark_at(c, MARK_COPY_BEFORE, place, slot_sightings(m, slot, true)[use]);
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
        (void)canonical_mark_at(c, MARK_LAST, 0, last);
}

static void mark_agent(canonical *c, const machine *m, const heard *h, int agent_index, int lane)
{
    canonical_clear_marks(c);
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
        mark_passes(c, m, agent_index, place);
        mark_sightings(c, m, agent_index, c->stage_order[place]);
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
    for (int i = c->first_writer[ring]; of->pipelined && i < c->first_writer[ring + 1]; i++) {
        const canonical_writer *w = &c->writers[i];
        if (!machine_alive(m, w->agent))
            continue;
        const cursor *at = agent_cursor(m, w->agent, w->cursor);
        int64_t ahead = lap - (at->lap + (of->stage < at->slot));
        canonical_put(c, ahead < -2 ? -2 : ahead > 3 ? 3 : ahead);
    }
}

/* A mark and a value are told apart from others by whether this value reaches that mark, and by nothing else. So values
 * that reach as many thresholds are of one class; so are marks that the same values reach. */
static void put_marks(canonical *c, const machine *m)
{
    canonical_put(c, (int64_t)c->marks.len);
    for (size_t i = 0; i < c->marks.len; i++) {
        canonical_mark *at = &c->marks.at[i];
        at->class = canonical_class_of_mark(c, at);
        canonical_put(c, at->kind);
        canonical_put(c, at->place);
        canonical_put(c, at->class);
        at->laps.at = c->words.len;
        if (at->slot >= 0)
            put_laps(c, m, at->slot, at->lap);
        at->laps.words = c->words.len - at->laps.at;
    }
}

/* Agents in their order, but for the owner: how many in a row are of one class, and that. (Who is alive has been told.) */
static void add_agents(canonical *c, const machine *m, int entry)
{
    for (int i = 0; i < c->plan->agent_count; i++)
        if (canonical_is_told(c, m, entry, i))
            (void)canonical_add_value(c, machine_clock(m, i)[entry]);
}

static void put_agents(canonical *c, size_t agents)
{
    size_t first = 0;
    for (size_t i = 0; i <= agents; i++) {
        if (i < agents && c->values.at[i] == c->values.at[first])
            continue;
        canonical_put(c, (int64_t)(i - first));
        canonical_put(c, first < agents ? c->classes.at[c->values.at[first]] : 0);
        first = i;
    }
}

static void put_news(canonical *c, int entry, const uint32_t *values)
{
    for (int i = c->first_news[entry]; i < c->first_news[entry + 1]; i++, values++) {
        if (!*values)
            continue;
        canonical_put(c, c->sorted.at[i].from);
        canonical_put(c, c->classes.at[*values]);
    }
    canonical_put(c, -1);
}

/* One entry of every clock there is, and the marks at hand. Clocks of stages tell no more than zeros where they have no
 * news. */
static void put_entry(canonical *c, const machine *m, int entry)
{
    if (!c->marks.len) {
        canonical_put(c, 0);
        if (c->keep)
            canonical_keep_entry(c, m, entry);
        return;
    }
    canonical_begin_values(c);
    add_agents(c, m, entry);
    size_t agents = c->values.len;
    for (int i = c->first_news[entry]; i < c->first_news[entry + 1]; i++)
        (void)canonical_add_value(c, c->sorted.at[i].value);
    canonical_end_values(c);
    put_marks(c, m);
    put_agents(c, agents);
    put_news(c, entry, c->values.at + agents);
    if (c->keep)
        canonical_keep_entry(c, m, entry);
}

static void put_barrier(canonical *c, const machine *m, int stage)
{
    const barrier_state *b = &m->now.barriers[stage];
    canonical_put(c, b->pending);
    canonical_put(c, b->tx);
    canonical_put(c, b->deferred[0]);
    canonical_put(c, barrier_lead(m, stage));
}

void canonical_barriers(canonical *c, const machine *m)
{
    for (int i = 0; i < c->plan->stage_count; i++)
        put_barrier(c, m, c->stage_order[i]);
}

/* ---- what is worse if it is so --------------------------------------------------------------------------- */

static void put_worry(canonical *c, uint32_t how_much)
{
    canonical_put(c, how_much);
    vec_push(&c->worries, (uint8_t)how_much);
}

/* The last completion has been waited for by nobody, and it must be (barriers.c). */
static bool is_unseen(const machine *m, int stage)
{
    const barrier_state *b = &m->now.barriers[stage];
    return b->waited < b->count && barrier_must_be_seen(m, stage);
}

/* How many of the last completions the agent was not sure of when it asked. */
static void put_unsure(canonical *c, const machine *m, const probe *asked)
{
    if (asked->stage < 0)
        return;
    uint32_t unsure = m->now.barriers[asked->stage].count - asked->known;
    put_worry(c, unsure > 2 ? 2 : unsure);
}

static void put_worries(canonical *c, const machine *m)
{
    c->worries.len = 0;
    for (int i = 0; i < c->plan->stage_count; i++)
        put_worry(c, is_unseen(m, c->stage_order[i]));
    for (int i = 0; i < c->plan->slot_count; i++)
        if (c->plan->slots[c->slot_order[i]].overlaps > 1)
            put_worry(c, m->now.clobbers[c->slot_order[i]].gone);
    for (int i = 0; i < c->plan->agent_count; i++)
        for (int s = 0; machine_alive(m, i) && s < plan_task_of(c->plan, i)->status_count; s++)
            put_unsure(c, m, &m->now.probes[c->plan->agents[i].statuses + s]);
}

/* ---- copies ---------------------------------------------------------------------------------------------- */

/* How old a phase is: not over, the last one, or older. */
static uint32_t phase_age(const machine *m, int stage, uint32_t phase)
{
    uint32_t age = m->now.barriers[stage].count + 1 - phase;
    return age > 2 ? 2 : age;
}

/* Copies that somebody may come upon who does not know that they are over. */
static void put_copy(canonical *c, const machine *m, int place)
{
    int slot = c->slot_order[place], stage = c->plan->slots[slot].copy_stage;
    const copied *copy = &m->now.copies[slot];
    canonical_kept_copy *kept = &c->kept_copies[place];
    bool before = c->slot_use[slot] & USE_COPY_BEFORE;
    kept->whole = copy->whole;
    kept->age = phase_age(m, stage, copy->phase);
    kept->age_before = before ? 1 + phase_age(m, stage, copy->phase_before) : 0;
    canonical_put(c, place);
    canonical_put(c, kept->whole);
    canonical_put(c, kept->age);
    canonical_put(c, kept->age_before);
    kept->laps.at = c->words.len;
    put_laps(c, m, slot, copy->lap);
    kept->laps.words = c->words.len - kept->laps.at;
}

static void put_copies(canonical *c, const machine *m)
{
    for (int i = 0; i < c->plan->slot_count; i++)
        if (c->slot_use[c->slot_order[i]])
            put_copy(c, m, i);
    canonical_put(c, -1);
}

/* A fence's entries: those before a thread synchronisation are looked at by those after it. */
static void put_fence(canonical *c, const machine *m, int fence, int lane)
{
    const plan_fence *f = &c->plan->fences[fence];
    bool tensor = f->by != IR_FENCE_PROXY;
    int entry = plan_fence_entry(c->plan, fence, lane);
    canonical_clear_marks(c);
    const plan_crews *of = &c->plan->crew_slots;
    int crew = c->plan->agents[f->owner].crew;
    for (int n = of->first[crew]; n < of->first[crew + 1]; n++)
        if (plan_in_lane(c->plan, plan_slot_ring(c->plan, c->slot_order[of->at[n]]), lane))
            mark_unfenced(c, m, f->owner, tensor ? c->plan->after_fence[f->owner] : fence, of->at[n]);
    put_entry(c, m, entry);
}

static void find_uses(canonical *c, const machine *m)
{
    for (int i = 0; i < c->plan->stage_count; i++)
        c->stage_use[i] = stage_use(m, i);
    for (int i = 0; i < c->plan->slot_count; i++)
        c->slot_use[i] = slot_use(m, i);
}

void canonical_clocks(canonical *c, const machine *m)
{
    heard_listen(m);
    find_uses(c, m);
    put_worries(c, m);
    for (int i = 0; i < c->plan->stage_count; i++)
        canonical_put(c, c->stage_use[c->stage_order[i]]);
    put_copies(c, m);
    c->kept.len = c->kept_marks.len = c->kept_classes.len = c->kept_news.len = 0;
    gather_news(c, m);
    for (int i = 0; i < c->plan->agent_count * c->plan->lanes; i++) {
        heard h = heard_of(m, i);
        mark_agent(c, m, &h, i / c->plan->lanes, i % c->plan->lanes);
        put_entry(c, m, i);
    }
    for (int i = 0; i < c->plan->fence_count * c->plan->lanes; i++)
        put_fence(c, m, i / c->plan->lanes, i % c->plan->lanes);
}
