/* pending.c: the queue of a cluster's asynchronous operations, see pending.h. */
#include "emu/core/pending.h"
#include "emu/check/races.h"

typedef struct async_queue {
    pending *first, *last;
    pending *free;
    uint32_t count;
} async_queue;

struct async_queue *async_queue_new(void)
{
    async_queue *q = base_alloc(sizeof *q);
    *q = (async_queue){0};
    return q;
}

/* ---- the list ----------------------------------------------------------------------------------------- */

static void append(async_queue *q, pending *p)
{
    p->next = NULL;
    p->previous = q->last;
    if (q->last)
        q->last->next = p;
    else
        q->first = p;
    q->last = p;
    q->count++;
}

static void take_out(async_queue *q, pending *p)
{
    if (p->previous)
        p->previous->next = p->next;
    else
        q->first = p->next;
    if (p->next)
        p->next->previous = p->previous;
    else
        q->last = p->previous;
    q->count--;
}

static void recycle(async_queue *q, pending *p)
{
    free(p->copy);
    free(p->clock);
    p->copy = NULL;
    p->clock = NULL;
    p->next = q->free;
    q->free = p;
}

void async_queue_clear(struct async_queue *q)
{
    while (q->first) {
        pending *p = q->first;
        take_out(q, p);
        recycle(q, p);
    }
}

void async_queue_free(struct async_queue *q)
{
    if (!q)
        return;
    async_queue_clear(q);
    while (q->free) {
        pending *next = q->free->next;
        free(q->free);
        q->free = next;
    }
    free(q);
}

/* ---- carrying out ------------------------------------------------------------------------------------- */

static uint32_t *counter(pending *p)
{
    switch (p->kind) {
    case PENDING_COPY: return &p->warp->pending_copies;
    case PENDING_BULK: return &p->warp->pending_bulk;
    case PENDING_WGMMA: return &p->warp->pending_wgmma;
    case PENDING_TMEM_LOAD: return &p->warp->pending_tmem_loads;
    case PENDING_TMEM_STORE: return &p->warp->pending_tmem_stores;
    default: return NULL;
    }
}

/* A fault on the way is reported at the instruction that issued the operation. */
static void act(pending *p, pending_run *run)
{
    warp *w = p->warp;
    uint32_t pc = w->pc;
    w->pc = p->pc + 1;
    const uint32_t *outer = CLUSTER(w)->races ? races_carry_out(CLUSTER(w), p->clock) : NULL;
    run(p);
    if (CLUSTER(w)->races)
        (void)races_carry_out(CLUSTER(w), outer);
    w->pc = pc;
}

/* The operation stays in the queue until it is done, so that a fault leaves nothing behind. */
static void carry_out(async_queue *q, pending *p)
{
    act(p, p->run);
    cluster_effect(CLUSTER(p->warp));
    if (counter(p))
        --*counter(p);
    take_out(q, p);
    recycle(q, p);
}

pending *pending_new(warp *w, uint32_t lanes, const char *what, pending_run *run)
{
    async_queue *q = CLUSTER(w)->queue;
    pending *p = q->free;
    if (p)
        q->free = p->next;
    else
        p = base_alloc(sizeof *p);
    memset(p, 0, offsetof(pending, bulk));
    p->warp = w;
    p->pc = w->pc - 1;
    p->step = w->step;
    p->lanes = lanes;
    p->what = what;
    p->run = run;
    append(q, p); /* at once, so that it is never lost by a fault */
    if (CLUSTER(w)->races)
        races_issued(p);
    return p;
}

void pending_issue(pending *p)
{
    cluster *c = CLUSTER(p->warp);
    if (counter(p))
        ++*counter(p);
    if (c->grid->launch->async_order == EMU_ASYNC_EARLY && !c->script.script)
        carry_out(c->queue, p);
}

static pending *oldest_of(const async_queue *q, pending_kind kind)
{
    pending *p = q->first;
    while (p && p->kind != kind)
        p = p->next;
    return p;
}

/* The oldest of those that barriers hear of, as only they can let others go on; without any, the oldest of all. So
 * a multiply that nobody waited for comes after the load that overwrites its operands. For the same reason arrivals
 * that tensor cores make come after all others. */
bool async_queue_advance(cluster *c)
{
    pending *p = oldest_of(c->queue, PENDING_LOOSE);
    if (!p)
        p = oldest_of(c->queue, PENDING_UMMA_ARRIVE);
    if (!p)
        p = c->queue->first;
    if (p)
        carry_out(c->queue, p);
    return p != NULL;
}

uint32_t pending_told(const pending *p, uint32_t rank)
{
    return p->tell == TELL_ITSELF ? rank : (rank & ~UINT32_C(1)) | (p->tell == TELL_ODD);
}

/* Those of the CTAs it goes to whose barrier is in CTA `to`. */
static uint32_t part_for(const pending *p, uint32_t to)
{
    uint32_t part = 0;
    for (uint32_t rank = 0; rank < CLUSTER_MAX; rank++)
        if (*p->ctas >> rank & 1 && (to == EVERY_CTA || pending_told(p, rank) == to))
            part |= UINT32_C(1) << rank;
    return part;
}

/* What is left of it stays in the queue. False: there is nothing for that CTA. */
static bool carry_out_part(async_queue *q, pending *p, uint32_t to)
{
    uint32_t part = p->ctas ? part_for(p, to) : 0, rest = p->ctas ? *p->ctas & ~part : 0;
    if (p->ctas && !part)
        return false;
    if (!rest) {
        carry_out(q, p);
        return true;
    }
    *p->ctas = part;
    act(p, p->run);
    cluster_effect(CLUSTER(p->warp));
    *p->ctas = p->writes = rest;
    for (uint32_t rank = 0; rank < CLUSTER_MAX; rank++)
        if (rest >> rank & 1)
            p->writes |= UINT32_C(1) << pending_told(p, rank);
    return true;
}

static pending *next_landing(const async_queue *q, size_t step, const pending *after)
{
    pending *p = after ? after->next : q->first;
    while (p && (p->step != step || (step && p->kind != PENDING_LOOSE && p->kind != PENDING_UMMA_ARRIVE)))
        p = p->next;
    return p;
}

/* Carrying one out may finish others, too: the search begins anew behind what stays. */
bool async_queue_land(cluster *c, size_t step, uint32_t to)
{
    bool any = false;
    pending *last = NULL; /* of those that stay */
    for (pending *p; (p = next_landing(c->queue, step, last));) {
        bool whole = !p->ctas || part_for(p, to) == *p->ctas;
        any |= carry_out_part(c->queue, p, to);
        if (!whole)
            last = p;
    }
    return any;
}

bool async_queue_has(const cluster *c, size_t step)
{
    for (const pending *p = c->queue->first; p; p = p->next)
        if (p->step == step)
            return true;
    return false;
}

/* wgmma of one warp keep their order, and so do tcgen05.mma and .cp ("tcgen05 pipelined instructions"); all
 * others may overtake. */
static pending *earliest_like(const async_queue *q, pending *p)
{
    if (p->kind != PENDING_WGMMA && p->kind != PENDING_UMMA)
        return p;
    pending *e = q->first;
    while (e->kind != p->kind || e->warp != p->warp)
        e = e->next;
    return e;
}

void async_queue_turn(cluster *c)
{
    async_queue *q = c->queue;
    if (script_runs(c) || c->grid->launch->async_order != EMU_ASYNC_RANDOM || !q->count ||
        cluster_random(c) % 4)
        return;
    pending *p = q->first;
    for (uint64_t n = cluster_random(c) % q->count; n > 0; n--)
        p = p->next;
    carry_out(q, earliest_like(q, p));
}

/* ---- groups ------------------------------------------------------------------------------------------- */

/* Groups that the lane has committed. */
static uint32_t committed(const warp *w, pending_kind kind, uint32_t lane)
{
    return kind == PENDING_COPY   ? w->copy_group[lane]
           : kind == PENDING_BULK ? w->bulk_group[lane]
                                  : w->wgmma_group;
}

static bool waited_for(const pending *p, const warp *w, pending_kind kind, uint32_t lanes, uint32_t keep)
{
    if (p->warp != w || p->kind != kind || !(p->lanes & lanes))
        return false;
    uint32_t groups = committed(w, kind, (uint32_t)__builtin_ctz(p->lanes & lanes));
    return groups > keep && p->group < groups - keep;
}

void pending_wait(warp *w, pending_kind kind, uint32_t lanes, uint32_t keep, bool all)
{
    async_queue *q = CLUSTER(w)->queue;
    for (pending *p = q->first, *next; p; p = next) {
        next = p->next;
        bool mine = all && p->warp == w && p->kind == kind && (p->lanes & lanes);
        if (mine || waited_for(p, w, kind, lanes, keep))
            carry_out(q, p);
    }
}

uint32_t pending_first_sequence(const warp *w, uint8_t pipe)
{
    uint32_t first = 0;
    for (const pending *p = CLUSTER(w)->queue->first; p; p = p->next) {
        bool over = p->kind == PENDING_BULK && !p->reads;
        if (p->warp == w && p->pipe == pipe && !over && (!first || p->sequence < first))
            first = p->sequence;
    }
    return first;
}

void pending_wait_read(warp *w, uint32_t lanes, uint32_t keep)
{
    for (pending *p = CLUSTER(w)->queue->first; p; p = p->next)
        if (p->read && p->reads && waited_for(p, w, PENDING_BULK, lanes, keep)) {
            act(p, p->read);
            p->reads = 0;
        }
}

void pending_finish_before(pending *last, pending_kind kind)
{
    async_queue *q = CLUSTER(last->warp)->queue;
    for (pending *p = q->first, *next; p != last; p = next) {
        next = p->next;
        if (p->warp == last->warp && p->kind == kind && (p->lanes & last->lanes))
            carry_out(q, p);
    }
}

const char *pending_on_tmem(const cta *c, uint32_t first, uint32_t end)
{
    for (const pending *p = c->cluster->queue->first; p; p = p->next)
        if ((p->tmem_ctas >> c->rank & 1) && p->tmem_first < end && p->tmem_end > first)
            return p->what;
    return NULL;
}

/* ---- the end of a CTA --------------------------------------------------------------------------------- */

static void report_unfinished(pending *p)
{
    warp_fault(p->warp, "%s has not been waited for: the CTA has exited while it still %s shared memory",
               p->what, p->reads ? "reads" : "writes");
}

/* Shared memory goes with its CTA. An operation that still needs it was not waited for; those that only need
 * registers, or nothing of the CTA any more, end quietly. */
void async_queue_check_exit(cta *c)
{
    async_queue *q = c->cluster->queue;
    uint32_t rank = UINT32_C(1) << c->rank;
    for (pending *p = q->first, *next; p; p = next) {
        next = p->next;
        if (p->kind == PENDING_COPY || p->kind == PENDING_WGMMA || p->kind == PENDING_TMEM_LOAD ||
            p->kind == PENDING_TMEM_STORE) {
            if (p->warp->cta == c)
                carry_out(q, p);
        } else if ((p->reads | p->writes) & rank) {
            act(p, report_unfinished);
        } else if (p->warp->cta == c && !p->writes) {
            carry_out(q, p);
        }
    }
}
