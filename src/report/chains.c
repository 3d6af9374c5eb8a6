/* A search in breadth over tasks: an event is followed in its task by arrivals, an arrival in other tasks by the first wait
 * for that completion of that stage, or a later one.
 *
 * An engine speaks through its own arrivals: the bytes of a bulk copy through the barrier that counts them, tcgen05 through
 * a later tcgen05.commit, cp.async through the arrival that is made of it. Once a wait has been passed, whatever the task
 * does next comes after it, copies included. CTAs of a cluster are taken to do the same in step: a barrier stands for that of
 * each of them. */
#include "report/chains.h"

#include <limits.h>

typedef struct step {
    chain_hop hop;
    int event;  /* of hop.to_task */
    int before; /* the step that led to hop.from_task; -1: the first access */
} step;

typedef struct search {
    const run *run;
    const chain_end *from;
    int to_task, to_event;
    VEC(step) steps;
    int *best; /* by task: the earliest event reached */
} search;

/* An event that makes an access, and how often the access's cursor had gone round. */
typedef struct visit {
    int event, lap;
} visit;

typedef VEC(visit) visit_list;

static const ir_op *op_of(const run *r, int task, int event)
{
    return &r->p->tasks.at[task].ops.at[r->tasks[task].events.at[event].op];
}

/* ---- one step ----------------------------------------------------------------------------------------- */

/* Whether an arrival says that the access is done. */
static bool speaks_for(const ir_op *arrival, const ir_effect *e)
{
    switch (e->kind) {
    case IR_COPY_IN: return false; /* its bytes do */
    case IR_LOAD_IN: return arrival->kind == IR_COPY_ARRIVE;
    case IR_UMMA_READ:
    case IR_UMMA_WRITE: return arrival->kind == IR_UMMA_COMMIT;
    default: return arrival->kind == IR_ARRIVE || arrival->kind == IR_EXPECT;
    }
}

/* The first event of the task that waits for that completion, or for a later one of the same stage; -1: none. */
static int wait_for(const run *r, int task, int barrier, int slot, int number)
{
    for (int i = 0; i < (int)r->tasks[task].events.len; i++) {
        const run_event *e = &r->tasks[task].events.at[i];
        const ir_op *op = op_of(r, task, i);
        if (op->kind == IR_WAIT && op->barrier == barrier && e->slot == slot && e->number >= number)
            return i;
    }
    return -1;
}

/* Follows an arrival into the tasks that wait for it. True: the end is reached. */
static bool follow_barrier(search *s, chain_hop hop, int slot, int number, int before)
{
    int tasks = (int)s->run->p->tasks.len;
    for (int i = 0; i < tasks; i++) {
        hop.to_task = (s->to_task + i) % tasks; /* the one that is looked for first */
        int event = wait_for(s->run, hop.to_task, hop.barrier, slot, number);
        if (event < 0 || event >= s->best[hop.to_task])
            continue;
        bool reached = hop.to_task == s->to_task && event < s->to_event;
        hop.to_op = s->run->tasks[hop.to_task].events.at[event].op;
        s->best[hop.to_task] = event;
        vec_push(&s->steps, ((step){hop, event, before}));
        if (reached)
            return true;
    }
    return false;
}

static bool is_own(const search *s, int barrier)
{
    const ir_program *p = s->run->p;
    const ww_resource *r = p->kernel->resources.at[p->buffers.at[s->from->effect->buffer].resource];
    const ww_resource *b = p->kernel->resources.at[p->barriers.at[barrier].resource];
    return r == b || r->in_group == b;
}

/* Arrivals of a task after an event: `own`, those of the buffer's pipeline, or the others. */
static bool follow_arrivals(search *s, int task, int event, const ir_effect *only_of, bool own, int before)
{
    const run_task *t = &s->run->tasks[task];
    for (int i = event + 1; i < (int)t->events.len; i++) {
        const ir_op *op = op_of(s->run, task, i);
        if (!run_arrives(op) || is_own(s, op->barrier) != own || (only_of && !speaks_for(op, only_of)))
            continue;
        chain_hop hop = {op->barrier, task, t->events.at[i].op, 0, 0};
        if (follow_barrier(s, hop, t->events.at[i].slot, t->events.at[i].number, before))
            return true;
    }
    return false;
}

static bool follow_bytes(search *s, int task, int event, const ir_effect *e, int before)
{
    run_place at = run_effect_place(s->run, &s->run->tasks[task].events.at[event], e);
    return follow_barrier(s, (chain_hop){e->barrier, task, -1, 0, 0}, at.slot, at.lap + 1, before);
}

/* Copies that a task issues after an event. */
static bool follow_copies(search *s, int task, int event, int before)
{
    for (int i = event + 1; i < (int)s->run->tasks[task].events.len; i++) {
        const ir_op *op = op_of(s->run, task, i);
        for (int e = 0; e < op->effect_count; e++)
            if (op->effects[e].kind == IR_COPY_IN && follow_bytes(s, task, i, &op->effects[e], before))
                return true;
    }
    return false;
}

/* ---- the search --------------------------------------------------------------------------------------- */

static bool begin(search *s, int event)
{
    const ir_effect *e = s->from->effect;
    if (e->kind == IR_COPY_IN)
        return follow_bytes(s, s->from->task, event, e, -1);
    return follow_arrivals(s, s->from->task, event, e, true, -1) ||
           follow_arrivals(s, s->from->task, event, e, false, -1);
}

static bool go_on(search *s, int i)
{
    chain_hop hop = s->steps.at[i].hop;
    int event = s->steps.at[i].event;
    return follow_arrivals(s, hop.to_task, event, NULL, true, i) ||
           follow_arrivals(s, hop.to_task, event, NULL, false, i) || follow_copies(s, hop.to_task, event, i);
}

/* The hops that led to the last step, first to last. */
static void take_path(const search *s, chain_hops *hops)
{
    for (int i = (int)s->steps.len - 1; i >= 0; i = s->steps.at[i].before)
        vec_push(hops, s->steps.at[i].hop);
    for (size_t i = 0; i < hops->len / 2; i++) {
        chain_hop other = hops->at[hops->len - 1 - i];
        hops->at[hops->len - 1 - i] = hops->at[i];
        hops->at[i] = other;
    }
}

static bool find(const run *r, const chain_end *from, int event, int to_task, int to_event, chain_hops *hops)
{
    search s = {.run = r, .from = from, .to_task = to_task, .to_event = to_event};
    s.best = base_alloc((r->p->tasks.len + 1) * sizeof *s.best);
    for (size_t i = 0; i < r->p->tasks.len; i++)
        s.best[i] = INT_MAX;
    bool reached = begin(&s, event);
    for (int i = 0; !reached && i < (int)s.steps.len; i++)
        reached = go_on(&s, i);
    if (reached)
        take_path(&s, hops);
    vec_free(&s.steps);
    free(s.best);
    return reached;
}

/* ---- which visits belong together --------------------------------------------------------------------- */

/* The access that a call of the same work makes, peeled off the loop or guarded; NULL: the operation is another call. */
static const ir_effect *same_access(const run *r, const chain_end *a, const ir_op *op)
{
    if (op->kind != IR_WORK || op->work != r->p->tasks.at[a->task].ops.at[a->op].work)
        return NULL;
    for (int e = 0; e < op->effect_count; e++)
        if (op->effects[e].buffer == a->effect->buffer && op->effects[e].kind == a->effect->kind)
            return &op->effects[e];
    return NULL;
}

/* The events of an access at a slot of its buffer. */
static visit_list visits(const run *r, const chain_end *a, int slot)
{
    visit_list list = {0};
    for (int i = 0; i < (int)r->tasks[a->task].events.len; i++) {
        const run_event *event = &r->tasks[a->task].events.at[i];
        const ir_effect *e = same_access(r, a, op_of(r, a->task, i));
        run_place at = e ? run_effect_place(r, event, e) : (run_place){0};
        if (e && at.slot == slot)
            vec_push(&list, ((visit){i, at.lap}));
    }
    return list;
}

/* Writes and reads of one slot; of those that belong together, the last write, the first and last read, and the write that
 * follows. -1: there is none. */
typedef struct meeting {
    visit_list writes, reads;
    int write, read, last_read, next_write;
} meeting;

static void meeting_free(meeting *m)
{
    vec_free(&m->writes);
    vec_free(&m->reads);
}

/* The first or last visit of a lap. */
static int visit_of_lap(const visit_list *list, int lap, bool last)
{
    int found = -1;
    for (size_t i = 0; i < list->len; i++)
        if (list->at[i].lap == lap && (last || found < 0))
            found = list->at[i].event;
    return found;
}

/* Cursors number the visits of a ring. */
static void choose_laps(meeting *m)
{
    for (int lap = 0, most = vec_last(&m->writes)->lap; lap <= most; lap++) {
        int write = visit_of_lap(&m->writes, lap, true), read = visit_of_lap(&m->reads, lap, false);
        if (write < 0 || read < 0)
            continue;
        m->write = write;
        m->read = read;
        m->last_read = visit_of_lap(&m->reads, lap, true);
        m->next_write = visit_of_lap(&m->writes, lap + 1, false);
        if (m->next_write >= 0)
            return;
    }
}

/* Without a cursor: of several writes to a read, or reads to a write, all counts alike, those at the border. */
static void choose_counts(meeting *m)
{
    size_t writes = m->writes.len, reads = m->reads.len;
    size_t of_write = writes > reads ? writes / reads : 1, of_read = reads > writes ? reads / writes : 1;
    size_t rounds = writes / of_write, round = rounds > 1 ? (rounds - 1) / 2 : 0;
    size_t write = round * of_write + of_write - 1, read = round * of_read;
    m->write = m->writes.at[write].event;
    m->next_write = write + 1 < writes ? m->writes.at[write + 1].event : -1;
    m->read = m->reads.at[read].event;
    m->last_read = m->reads.at[read + of_read - 1].event;
}

/* At the first slot that both visit. */
static bool meet(const run *r, const chain_end *write, const chain_end *read, meeting *m)
{
    int stages = r->p->buffers.at[write->effect->buffer].stages;
    for (int slot = 0; slot < stages; slot++) {
        *m = (meeting){visits(r, write, slot), visits(r, read, slot), -1, -1, -1, -1};
        bool ring = write->effect->cursor >= 0 && read->effect->cursor >= 0;
        if (m->writes.len && m->reads.len)
            (ring ? choose_laps : choose_counts)(m);
        if (m->write >= 0)
            return true;
        meeting_free(m);
    }
    return false;
}

bool chain_meets(const run *r, const chain_end *write, const chain_end *read)
{
    meeting m = {0};
    bool meets = meet(r, write, read, &m);
    meeting_free(&m);
    return meets;
}

bool chain_is_reused(const run *r, const chain_end *write, const chain_end *read)
{
    meeting m = {0};
    bool reused = meet(r, write, read, &m) && m.next_write >= 0;
    meeting_free(&m);
    return reused;
}

bool chain_full(const run *r, const chain_end *write, const chain_end *read, chain_hops *hops)
{
    meeting m;
    if (!meet(r, write, read, &m))
        return false;
    bool found = find(r, write, m.write, read->task, m.read, hops);
    meeting_free(&m);
    return found;
}

bool chain_empty(const run *r, const chain_end *read, const chain_end *write, chain_hops *hops)
{
    meeting m;
    if (!meet(r, write, read, &m))
        return false;
    bool found = m.next_write >= 0 && find(r, read, m.last_read, write->task, m.next_write, hops);
    meeting_free(&m);
    return found;
}

bool chain_over(const run *r, const chain_end *last, const chain_end *write, chain_hops *hops)
{
    visit_list from = visits(r, last, 0), to = visits(r, write, 0);
    bool found = false;
    for (size_t i = 0; from.len && !found && i < to.len; i++)
        found = find(r, last, from.at[(from.len - 1) / 2].event, write->task, to.at[i].event, hops);
    vec_free(&from);
    vec_free(&to);
    return found;
}
