/* The log of an execution: an entry for each operation that matters (ir_is_event), each landing, each completion. */
#include "prove/events.h"

void events_init(event_log *log, const plan *p)
{
    *log = (event_log){.op = -1, .current = -1};
    log->last = base_alloc(sizeof(int) * (size_t)(p->agent_count + p->stage_count));
    log->completed = log->last + p->agent_count;
    for (int i = 0; i < p->agent_count + p->stage_count; i++)
        log->last[i] = -1;
}

void events_free(event_log *log)
{
    vec_free(&log->events);
    vec_free(&log->edges);
    vec_free(&log->touches);
    vec_free(&log->issued);
    free(log->last);
}

static int push(event_log *log, event e)
{
    vec_push(&log->events, e);
    return (int)log->events.len - 1;
}

/* ---- operations ---------------------------------------------------------------------------------------- */

static const cursor *cursor_of(const machine *m, int agent_index, int cursor_index)
{
    return cursor_index < 0 ? NULL : agent_cursor(m, agent_index, cursor_index);
}

static void note_touches(machine *m, int agent_index, const ir_op *op, event *e)
{
    e->touches = (int)m->log->touches.len;
    e->touched = op->effect_count;
    for (int i = 0; i < op->effect_count; i++) {
        const cursor *c = cursor_of(m, agent_index, op->effects[i].cursor);
        event_touch t = {op->effects[i].buffer, !c ? 0 : op->effects[i].held ? c->held : c->slot};
        vec_push(&m->log->touches, t);
    }
}

/* The barrier stage that an operation waits on, or acts at first. */
static int stage_of(const machine *m, int agent_index, const plan_op *p)
{
    int rank = m->plan->agents[agent_index].rank;
    uint32_t targets = p->targets && p->op->kind != IR_WAIT ? p->targets[rank] : 0;
    const cursor *c = cursor_of(m, agent_index, p->op->cursor);
    if (p->op->barrier < 0 || !c)
        return -1;
    if (targets)
        rank = __builtin_ctz(targets);
    return plan_stage_at(m->plan, p->op->barrier, rank) + c->slot;
}

static event op_event(machine *m, int agent_index, const plan_op *p)
{
    const agent *a = &m->now.agents[agent_index];
    event e = {.kind = EVENT_OP,
               .agent = agent_index,
               .op = a->pc,
               .trip = a->in_loop ? a->trip : -1,
               .tile = a->in_tile_loop ? a->tile : -1,
               .stage = stage_of(m, agent_index, p),
               .before = m->log->last[agent_index],
               .cause = -1};
    if (e.stage >= 0)
        e.phase = m->now.barriers[e.stage].count + 1;
    note_touches(m, agent_index, p->op, &e);
    return e;
}

void events_begin(machine *m, int agent_index, const plan_op *p)
{
    event_log *log = m->log;
    if (!ir_is_event(p->op))
        return;
    log->op = log->current = push(log, op_event(m, agent_index, p));
    log->last[agent_index] = log->op;
}

/* A wait that blocks becomes an event when it passes (events_passed), or at the end of the execution (cone.c). */
void events_stopped(machine *m, int agent_index)
{
    event_log *log = m->log;
    if (m->now.agents[agent_index].status != AGENT_BLOCKED)
        return;
    log->last[agent_index] = log->events.at[log->op].before;
    log->events.len--;
    log->op = log->current = -1;
}

void events_passed(machine *m, int agent_index, int stage)
{
    event_log *log = m->log;
    if (m->now.agents[agent_index].status == AGENT_BLOCKED) {
        const plan_op *p = agent_op(m, agent_index);
        log->last[agent_index] = push(log, op_event(m, agent_index, p));
    }
    event *e = &log->events.at[log->last[agent_index]];
    e->stage = stage;
    e->phase = m->now.barriers[stage].count;
    e->cause = log->completed[stage];
}

/* ---- barriers ------------------------------------------------------------------------------------------ */

void events_contributed(machine *m, int stage, uint32_t arrivals, int64_t bytes)
{
    event_log *log = m->log;
    event_edge edge = {log->current, stage, m->now.barriers[stage].count + 1, arrivals, bytes, -1};
    vec_push(&log->edges, edge);
}

void events_completed(machine *m, int stage)
{
    event e = {.kind = EVENT_COMPLETION,
               .agent = -1,
               .op = -1,
               .trip = -1,
               .tile = -1,
               .stage = stage,
               .phase = m->now.barriers[stage].count,
               .before = -1,
               .cause = -1};
    int completion = m->log->completed[stage] = push(m->log, e);
    event_edge *edge;
    vec_each(edge, &m->log->edges)
        if (edge->stage == stage && edge->phase == e.phase)
            edge->completion = completion;
}

void events_issued(machine *m)
{
    m->log->current = m->log->op;
    vec_push(&m->log->issued, m->log->op);
}

void events_landed(machine *m, const flight *f)
{
    event_log *log = m->log;
    event e = {.kind = EVENT_LANDING,
               .agent = f->agent,
               .op = f->op,
               .trip = -1,
               .tile = -1,
               .stage = f->stage,
               .phase = f->phase,
               .before = -1,
               .cause = log->issued.at[log->landed++]};
    e.trip = log->events.at[e.cause].trip;
    e.tile = log->events.at[e.cause].tile;
    log->current = push(log, e);
    events_contributed(m, f->stage, f->arrivals, -(int64_t)f->bytes);
}
