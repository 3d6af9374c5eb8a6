/* races.c: see races.h. */
#include "emu/check/races.h"
#include "emu/core/pending.h"

enum { GRANULE = 16, KEPT = 2, MOST_BARRIERS = 512, PARTS = 8 };

/* An access by an agent in one of its epochs; `mask`: bytes of the granule, 0: none. */
typedef struct record {
    uint32_t agent, epoch, pc;
    uint16_t mask;
    uint8_t rank, warp; /* whose instruction */
} record;

typedef struct granule {
    record written[KEPT], read[KEPT];
    uint32_t next; /* to be forgotten */
} granule;

/* A barrier of any kind. */
typedef struct meeting {
    uint32_t *gathered, *known; /* by those who have arrived in this phase; by those who pass */
    uint32_t phases;
} meeting;

typedef struct cta_races {
    granule *granules;
    granule *columns;   /* [column][part], of 16 lanes; NULL: there is no tensor memory */
    uint16_t *barriers; /* [offset / 8]: number of an mbarrier, from 1 */
    uint32_t first;     /* warp of the CTA, among all of the cluster */
} cta_races;

typedef struct race_state {
    arena arena;
    uint32_t warps, width;
    cta_races ctas[CLUSTER_MAX];
    uint32_t **clocks; /* [warp] */
    uint32_t *issued;  /* [warp][pipe]: so many so far */
    uint32_t *strong;
    meeting barriers[MOST_BARRIERS];
    uint32_t barrier_count;
    meeting named[CLUSTER_MAX][NAMED_BARRIERS + 1]; /* the cluster's is in row 0 */
    const uint32_t *landing;                        /* clock of what is carried out; NULL: nothing is */
    bool given_up;                                  /* more barriers than there is room for */
    text told;
} race_state;

static race_state *races_of(const warp *w)
{
    return CLUSTER(w)->races;
}

/* ---- clocks -------------------------------------------------------------------------------------------- */

static uint32_t *new_clock(race_state *s)
{
    uint32_t *clock = arena_alloc(&s->arena, s->width * sizeof *clock);
    memset(clock, 0, s->width * sizeof *clock);
    return clock;
}

/* Entries of barriers that are not there yet are 0. */
static void merge(const race_state *s, uint32_t *to, const uint32_t *from)
{
    uint32_t used = s->warps * (1 + RACE_PIPES) + s->barrier_count;
    for (uint32_t i = 0; i < used; i++)
        to[i] = to[i] > from[i] ? to[i] : from[i];
}

static uint32_t number_of(const warp *w)
{
    return races_of(w)->ctas[w->cta->rank].first + w->index;
}

static uint32_t *clock_of(const warp *w)
{
    return races_of(w)->clocks[number_of(w)];
}

static uint32_t pipe_agent(const warp *w, race_pipe pipe)
{
    return races_of(w)->warps + number_of(w) * RACE_PIPES + pipe;
}

static uint32_t *issued_by(const warp *w, race_pipe pipe)
{
    return &races_of(w)->issued[number_of(w) * RACE_PIPES + pipe];
}

static uint32_t barrier_agent(const race_state *s, const meeting *b)
{
    return s->warps * (1 + RACE_PIPES) + (uint32_t)(b - s->barriers);
}

/* What the warp did so far is told; what it does next is of another epoch. */
static void tell(const warp *w, uint32_t *to)
{
    uint32_t *clock = clock_of(w);
    merge(races_of(w), to, clock);
    clock[number_of(w)]++;
}

/* ---- start and end ------------------------------------------------------------------------------------- */

static granule *new_granules(race_state *s, size_t count)
{
    granule *g = arena_alloc(&s->arena, count * sizeof *g);
    memset(g, 0, count * sizeof *g);
    return g;
}

static void start_cta(race_state *s, const cta *c)
{
    cta_races *r = &s->ctas[c->rank];
    size_t granules = c->shared_bytes / GRANULE + 1, barriers = c->shared_bytes / 8 + 1;
    r->granules = new_granules(s, granules);
    r->barriers = arena_alloc(&s->arena, barriers * sizeof *r->barriers);
    memset(r->barriers, 0, barriers * sizeof *r->barriers);
    if (c->tmem.words)
        r->columns = new_granules(s, TMEM_COLUMNS * PARTS);
    r->first = s->warps;
    s->warps += c->warp_count;
}

void races_start(cluster *c)
{
    if (!c->grid->launch->check_races)
        return;
    race_state *s = c->races = base_alloc(sizeof *s);
    memset(s, 0, sizeof *s);
    for (uint32_t i = 0; i < c->cta_count; i++)
        start_cta(s, &c->ctas[i]);
    s->width = s->warps * (1 + RACE_PIPES) + MOST_BARRIERS;
    s->clocks = arena_alloc(&s->arena, s->warps * sizeof *s->clocks);
    s->issued = arena_alloc(&s->arena, s->warps * RACE_PIPES * sizeof *s->issued);
    memset(s->issued, 0, s->warps * RACE_PIPES * sizeof *s->issued);
    s->strong = new_clock(s);
    for (uint32_t i = 0; i < s->warps; i++) {
        s->clocks[i] = new_clock(s);
        s->clocks[i][i] = 1;
    }
}

void races_free(cluster *c)
{
    if (!c->races)
        return;
    text_free(&c->races->told);
    arena_free(&c->races->arena);
    free(c->races);
    c->races = NULL;
}

/* ---- barriers ------------------------------------------------------------------------------------------ */

static void open_meeting(race_state *s, meeting *m)
{
    if (m->known)
        return;
    m->gathered = new_clock(s);
    m->known = new_clock(s);
}

static void complete_meeting(const race_state *s, meeting *m)
{
    merge(s, m->known, m->gathered);
    memset(m->gathered, 0, s->width * sizeof *m->gathered);
    m->phases++;
}

/* NULL: there are too many. */
static meeting *find_barrier(race_state *s, const cta *owner, uint32_t barrier)
{
    uint16_t *number = &s->ctas[owner->rank].barriers[barrier / 8];
    if (!*number && s->barrier_count < MOST_BARRIERS)
        *number = (uint16_t)++s->barrier_count;
    s->given_up |= !*number;
    if (!*number)
        return NULL;
    open_meeting(s, &s->barriers[*number - 1]);
    return &s->barriers[*number - 1];
}

void races_arrived(warp *w, const cta *owner, uint32_t barrier)
{
    race_state *s = races_of(w);
    meeting *m = find_barrier(s, owner, barrier);
    if (m && s->landing)
        merge(s, m->gathered, s->landing);
    else if (m)
        tell(w, m->gathered);
}

void races_completed(const cta *owner, uint32_t barrier)
{
    race_state *s = owner->cluster->races;
    meeting *m = find_barrier(s, owner, barrier);
    if (!m)
        return;
    complete_meeting(s, m);
    m->known[barrier_agent(s, m)] = m->phases;
}

void races_passed(warp *w, const cta *owner, uint32_t barrier)
{
    meeting *m = find_barrier(races_of(w), owner, barrier);
    if (m)
        merge(races_of(w), clock_of(w), m->known);
}

static meeting *find_named(const cta *c, uint32_t id)
{
    race_state *s = c->cluster->races;
    meeting *m = &s->named[id == RACE_CLUSTER ? 0 : c->rank][id];
    open_meeting(s, m);
    return m;
}

void races_met(warp *w, uint32_t id, bool arrives)
{
    meeting *m = find_named(w->cta, id);
    if (arrives)
        tell(w, m->gathered);
    else
        merge(races_of(w), clock_of(w), m->known);
}

void races_all_met(const cta *c, uint32_t id)
{
    complete_meeting(c->cluster->races, find_named(c, id));
}

void races_ended(warp *w)
{
    for (uint32_t id = 0; id <= RACE_CLUSTER; id++)
        races_met(w, id, true);
}

/* ---- pipes --------------------------------------------------------------------------------------------- */

void races_issued(pending *p)
{
    const race_state *s = races_of(p->warp);
    p->clock = base_alloc(s->width * sizeof *p->clock);
    memcpy(p->clock, clock_of(p->warp), s->width * sizeof *p->clock);
}

void races_tells_pipe(pending *p, race_pipe pipe)
{
    p->clock[pipe_agent(p->warp, pipe)] = *issued_by(p->warp, pipe);
}

const uint32_t *races_carry_out(cluster *c, const uint32_t *clock)
{
    const uint32_t *before = c->races->landing;
    c->races->landing = clock;
    return before;
}

void races_next(pending *p, race_pipe pipe)
{
    p->pipe = (uint8_t)(pipe + 1);
    p->sequence = ++*issued_by(p->warp, pipe);
}

void races_waited(warp *w, race_pipe pipe)
{
    uint32_t left = pending_first_sequence(w, (uint8_t)(pipe + 1));
    uint32_t *known = &clock_of(w)[pipe_agent(w, pipe)];
    uint32_t done = left ? left - 1 : *issued_by(w, pipe);
    *known = *known > done ? *known : done;
}

/* ---- accesses ------------------------------------------------------------------------------------------ */

/* Where an access is: in shared memory from `offset` on, or a column of tensor memory. */
typedef struct place {
    const cta *cta;
    uint32_t offset;
    bool tensor;
} place;

static void tell_place(const warp *w, const place *p, uint32_t byte, text *out)
{
    if (p->tensor)
        text_printf(out, "column %u of tensor memory", p->offset);
    else
        text_add(out, "shared memory ");
    if (!p->tensor)
        report_shared_address(p->cta, p->offset + byte, out);
    if (CLUSTER(w)->cta_count > 1)
        text_printf(out, " of CTA rank %u", p->cta->rank);
}

static void tell_race(warp *w, const place *p, const record *old, uint32_t byte, bool old_writes, bool writes)
{
    const warp *other = &CLUSTER(w)->ctas[old->rank].warps[old->warp];
    text *told = &races_of(w)->told;
    text_free(told);
    text_add(told, writes ? "writes " : "reads ");
    tell_place(w, p, byte, told);
    text_add(told, ", and nothing orders that behind what ");
    report_warp(other, told);
    text_add(told, old_writes ? " has written there\n    " : " has read there\n    ");
    report_line(other, old->pc, told);
    warp_fault(w, "X-%s-RACE: %s", p->tensor ? "TMEM" : "SMEM", text_str(told));
}

/* Copies to one barrier are of one kind, and a pipe keeps its order. */
static bool are_one(const race_state *s, const record *a, const record *b)
{
    bool pipe = a->agent < s->warps * (1 + RACE_PIPES);
    return a->agent == b->agent && (pipe || a->epoch == b->epoch);
}

static void look(warp *w, const place *p, const record *kept, bool kept_writes, const record *now,
                 bool writes)
{
    const uint32_t *clock = clock_of(w);
    for (uint32_t i = 0; i < KEPT; i++)
        if ((kept[i].mask & now->mask) && clock[kept[i].agent] < kept[i].epoch &&
            !are_one(races_of(w), &kept[i], now))
            tell_race(w, p, &kept[i], (uint32_t)__builtin_ctz(kept[i].mask & now->mask), kept_writes, writes);
}

/* In the place of one that is known to whoever will know this one, if there is any. */
static void keep(const warp *w, granule *g, record *kept, const record *now)
{
    const uint32_t *clock = clock_of(w);
    uint32_t at = g->next++ % KEPT;
    for (uint32_t i = 0; i < KEPT; i++)
        if (!kept[i].mask || clock[kept[i].agent] >= kept[i].epoch)
            at = i;
    for (uint32_t i = 0; i < KEPT; i++)
        if (kept[i].mask && kept[i].agent == now->agent && kept[i].epoch == now->epoch) {
            kept[i].mask |= now->mask;
            kept[i].pc = now->pc;
            return;
        }
    kept[at] = *now;
}

static void touch_granule(warp *w, const place *p, granule *g, bool writes, const record *now)
{
    if (races_of(w)->given_up)
        return;
    look(w, p, g->written, true, now, writes);
    if (writes)
        look(w, p, g->read, false, now, writes);
    keep(w, g, writes ? g->written : g->read, now);
}

static void touch(warp *w, const cta *c, uint32_t offset, uint32_t bytes, bool writes, record now)
{
    granule *granules = races_of(w)->ctas[c->rank].granules;
    uint32_t end = offset + bytes < c->shared_bytes ? offset + bytes : c->shared_bytes;
    for (uint32_t at = offset, count; at < end; at += count) {
        uint32_t from = at % GRANULE;
        place p = {.cta = c, .offset = at - from};
        count = GRANULE - from < end - at ? GRANULE - from : end - at;
        now.mask = (uint16_t)(((UINT32_C(1) << count) - 1) << from);
        touch_granule(w, &p, &granules[at / GRANULE], writes, &now);
    }
}

static record record_of(const warp *w, uint32_t agent, uint32_t epoch)
{
    return (record){.agent = agent,
                    .epoch = epoch,
                    .pc = w->pc - 1,
                    .rank = (uint8_t)w->cta->rank,
                    .warp = (uint8_t)w->index};
}

void races_by_pipe(warp *w, race_pipe pipe, const cta *c, uint32_t offset, uint32_t bytes, bool writes)
{
    touch(w, c, offset, bytes, writes, record_of(w, pipe_agent(w, pipe), *issued_by(w, pipe)));
}

void races_by_barrier(warp *w, const cta *owner, uint32_t barrier, const cta *c, uint32_t offset,
                      uint32_t bytes, bool writes)
{
    race_state *s = races_of(w);
    const meeting *m = find_barrier(s, owner, barrier);
    if (m)
        touch(w, c, offset, bytes, writes, record_of(w, barrier_agent(s, m), m->phases + 1));
}

static void touch_columns(warp *w, const cta *c, uint32_t parts, uint32_t first, uint32_t count, bool writes,
                          record now)
{
    now.mask = 1;
    for (uint32_t column = first; column < first + count && column < TMEM_COLUMNS; column++)
        for (uint32_t part = 0; part < PARTS; part++) {
            place p = {.cta = c, .offset = column, .tensor = true};
            if (parts >> part & 1)
                touch_granule(w, &p, &races_of(w)->ctas[c->rank].columns[column * PARTS + part], writes,
                              &now);
        }
}

void races_tensor(warp *w, race_pipe pipe, const cta *c, uint32_t parts, uint32_t first, uint32_t count,
                  bool writes)
{
    touch_columns(w, c, parts, first, count, writes, record_of(w, pipe_agent(w, pipe), *issued_by(w, pipe)));
}

void races_given_back(warp *w, uint32_t first, uint32_t count)
{
    touch_columns(w, w->cta, (1 << PARTS) - 1, first, count, true,
                  record_of(w, number_of(w), clock_of(w)[number_of(w)]));
}

void races_allocated(const cta *c, uint32_t first, uint32_t count)
{
    memset(&c->cluster->races->ctas[c->rank].columns[first * PARTS], 0, sizeof(granule) * count * PARTS);
}

/* The CTA whose shared memory the host has there; NULL: none. */
static const cta *cta_at(const warp *w, const uint8_t *at, uint32_t *offset)
{
    const cluster *c = CLUSTER(w);
    for (uint32_t i = 0; i < c->cta_count; i++) {
        const cta *to = &c->ctas[(w->cta->rank + i) % c->cta_count];
        uintptr_t from_start = (uintptr_t)at - (uintptr_t)to->shared;
        if (from_start < to->shared_bytes) {
            *offset = (uint32_t)from_start;
            return to;
        }
    }
    return NULL;
}

void races_lanes(warp *w, const op *o, bool writes, uint32_t mask, uint8_t *const *at, uint32_t bytes)
{
    race_state *s = races_of(w);
    bool strong = (o->modifiers & MOD_STRONG) != 0,
         shared = o->space == PTX_SHARED || o->space == PTX_GENERIC;
    if (strong)
        merge(s, clock_of(w), s->strong);
    EACH_LANE(shared ? mask : 0)
    {
        uint32_t offset;
        const cta *to = cta_at(w, at[lane], &offset);
        if (to)
            touch(w, to, offset, bytes, writes, record_of(w, number_of(w), clock_of(w)[number_of(w)]));
    }
    if (strong)
        tell(w, s->strong);
}
