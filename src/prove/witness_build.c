/* A finding as a ww_witness: the execution is run again with a log, what the fault depends on is put in order, and each
 * event told in words. What barriers miss is counted along that order, which need not be the order of the run. */
#include "prove/events.h"
#include "prove/witness.h"

#include <stdio.h>

/* Longer ones are not shown: ordering them takes time that grows with their square. */
enum { MOST_EVENTS = 6000 };

/* A barrier stage, along the order shown. */
typedef struct stage_state {
    uint32_t completed, pending;
    int64_t bytes;
} stage_state;

typedef struct builder {
    machine *m;
    const plan *p;
    event_log *log;
    const shown *shown;
    arena *arena;
    stage_state *stages;
    int *place; /* [event of the log]: its number in the witness; -1 */
    ww_witness *w;
} builder;

static const char *keep(const builder *b, text *t)
{
    const char *s = arena_strdup(b->arena, text_str(t));
    text_free(t);
    return s;
}

static const char *stage_name(const builder *b, int stage)
{
    text name = {0};
    witness_stage_name(b->p, stage, &name);
    return keep(b, &name);
}

static const char *slot_name(const builder *b, int slot)
{
    text name = {0};
    witness_slot_name(b->p, slot, &name);
    return keep(b, &name);
}

static uint32_t offset_of(const builder *b, int stage)
{
    const ir_barrier *barrier = plan_barrier_of(b->p, stage);
    return barrier->side == IR_NAMED ? UINT32_MAX : barrier->offset + 8 * (uint32_t)b->p->stages[stage].stage;
}

/* ---- barriers ------------------------------------------------------------------------------------------ */

static void missing_text(const stage_state *s, uint32_t expected, text *out)
{
    if (s->pending)
        text_printf(out, "%u of %u arrivals", s->pending, expected);
    if (s->bytes)
        text_printf(out, "%s%lld bytes", s->pending ? " and " : "", (long long)s->bytes);
    text_add(out, " missing");
}

/* Takes a contribution; says what the phase then lacks, or that it is complete. */
static void contribute(const builder *b, const event_edge *edge, text *out)
{
    stage_state *s = &b->stages[edge->stage];
    uint32_t expected = plan_barrier_of(b->p, edge->stage)->arrivals;
    s->pending -= edge->arrivals < s->pending ? edge->arrivals : s->pending;
    s->bytes += edge->bytes;
    text_printf(out, "%s%s, phase %u: ", out->len ? "; " : "", stage_name(b, edge->stage), s->completed + 1);
    if (s->pending || s->bytes) {
        missing_text(s, expected, out);
        return;
    }
    text_add(out, "complete");
    s->completed++;
    s->pending = expected;
}

static void contributions(const builder *b, int number, text *out)
{
    for (size_t i = 0; i < b->log->edges.len; i++)
        if (b->log->edges.at[i].event == number)
            contribute(b, &b->log->edges.at[i], out);
}

/* ---- events -------------------------------------------------------------------------------------------- */

static void wait_text(const builder *b, const event *e, text *out)
{
    text_printf(out, "waits for %s", stage_name(b, e->stage));
    if (e->phase)
        text_printf(out, ", phase %u%s", e->phase, e->blocked ? ", for ever" : "");
    else
        text_add(out, ", which is free at the start");
}

/* The CTA whose memory an effect touches, the first of several. */
static int reached(const builder *b, const event *e, int effect)
{
    const plan_agent *a = &b->p->agents[e->agent];
    const plan_op *op = &b->p->tasks[a->task].ops[e->op];
    uint32_t reach = op->reach ? op->reach[effect * b->p->ranks + a->rank] : 0;
    return reach ? __builtin_ctz(reach) : a->rank;
}

static void work_text(const builder *b, const event *e, const ir_op *op, text *out)
{
    for (int i = 0; i < e->touched; i++) {
        const event_touch *t = &b->log->touches.at[e->touches + i];
        int slot = plan_slot_at(b->p, t->buffer, reached(b, e, i)) + t->stage;
        text_printf(out, "%s%s %s", i ? ", " : "", ir_effects[op->effects[i].kind].verb, slot_name(b, slot));
    }
}

static const char *does_text(const builder *b, int number, const ir_op *op)
{
    const event *e = &b->log->events.at[number];
    text out = {0}, told = {0};
    contributions(b, number, &told);
    if (e->kind == EVENT_LANDING)
        text_add(&out, "arrives");
    else if (op->kind == IR_WAIT && e->stage >= 0)
        wait_text(b, e, &out);
    else if (op->kind == IR_WORK || op->kind == IR_NEXT_TILE)
        work_text(b, e, op, &out);
    else if (op->kind == IR_EXPECT)
        text_printf(&out, "announces %u bytes", op->bytes);
    if (told.len)
        text_printf(&out, "%s%s", out.len ? "; " : "", text_str(&told));
    else if (op->kind != IR_WAIT && e->kind == EVENT_OP && e->stage >= 0)
        text_printf(&out, "%sarrives on %s, in phase %u", out.len ? "; " : "", stage_name(b, e->stage),
                    b->stages[e->stage].completed + 1);
    text_free(&told);
    return keep(b, &out);
}

static void add_event(const builder *b, int number)
{
    const event *e = &b->log->events.at[number];
    const plan_agent *a = &b->p->agents[e->agent];
    const ir_op *op = &plan_task_of(b->p, e->agent)->ops.at[e->op];
    text step = {0};
    witness_step_name(b->p, e->agent, e->op, &step);
    b->place[number] = b->w->event_count;
    b->w->events[b->w->event_count++] =
        (ww_event){.kind = e->kind == EVENT_LANDING ? WW_EVENT_LANDING : WW_EVENT_STEP,
                   .cta = a->rank,
                   .task = a->task,
                   .warp = plan_task_of(b->p, e->agent)->first_warp + a->warp,
                   .op = e->op,
                   .of = e->kind == EVENT_LANDING ? b->place[e->cause] : -1,
                   .to = e->kind == EVENT_LANDING ? b->p->stages[e->stage].rank : -1,
                   .trip = e->trip,
                   .tile = e->tile,
                   .blocked = e->blocked,
                   .text = keep(b, &step),
                   .does = does_text(b, number, op),
                   .file = op->place.file,
                   .line = op->place.line};
}

/* ---- the fault ----------------------------------------------------------------------------------------- */

/* The state before the last event. */
static void set_barrier(const builder *b)
{
    const finding *f = &b->m->finding;
    ww_witness *w = b->w;
    if (f->stage < 0 || w->fault == WW_FAULT_DEADLOCK)
        return;
    const stage_state *s = &b->stages[f->stage];
    w->barrier = stage_name(b, f->stage);
    w->barrier_cta = b->p->stages[f->stage].rank;
    w->barrier_offset = offset_of(b, f->stage);
    w->barrier_completed = s->completed;
    w->barrier_pending = s->pending;
    w->wanted = w->fault == WW_FAULT_LAPPED ? (uint32_t)f->number - 1 : (uint32_t)f->number;
    if (w->fault == WW_FAULT_TOO_MANY_ARRIVALS || w->fault == WW_FAULT_TOO_MANY_BYTES)
        w->wanted = s->completed + 1;
}

static void set_memory(const builder *b)
{
    const finding *f = &b->m->finding;
    if (f->fault != FAULT_RACE && f->fault != FAULT_CLOBBERED && f->fault != FAULT_UNFENCED)
        return;
    const plan_slot *slot = &b->p->slots[f->slot], *other = &b->p->slots[f->other_slot];
    const ir_buffer *mine = plan_buffer_of(b->p, f->slot), *theirs = plan_buffer_of(b->p, f->other_slot);
    uint32_t from = mine->offset + (uint32_t)slot->stage * mine->stage_bytes, end = from + mine->bytes;
    uint32_t other_from = theirs->offset + (uint32_t)other->stage * theirs->stage_bytes,
             other_end = other_from + theirs->bytes;
    b->w->memory = slot_name(b, f->slot);
    b->w->other_memory = slot_name(b, f->other_slot);
    b->w->tensor = mine->space == IR_TENSOR;
    b->w->memory_cta = slot->rank;
    b->w->memory_offset = from > other_from ? from : other_from;
    end = end < other_end ? end : other_end;
    b->w->memory_bytes = end > b->w->memory_offset ? end - b->w->memory_offset : 0;
    b->w->in_flight = f->fault == FAULT_RACE && f->other_kind != IR_READ && f->other_kind != IR_WRITE;
}

static bool is_waiting(const builder *b, const ww_event *e)
{
    const ww_witness *w = b->w;
    for (int i = 0; i < w->waiter_count; i++) {
        const ww_event *told = &w->events[w->waiters[i].event];
        if (told->cta == e->cta && told->task == e->task && told->op == e->op)
            return true;
    }
    return false;
}

/* One a task and place: its warps wait for the same. */
static void set_waiters(const builder *b)
{
    ww_witness *w = b->w;
    w->waiters = arena_array(b->arena, ww_witness_waiter, w->event_count + 1);
    for (size_t i = 0; i < b->shown->order.len; i++) {
        const event *e = &b->log->events.at[b->shown->order.at[i]];
        int number = b->place[b->shown->order.at[i]];
        if (!e->blocked || is_waiting(b, &w->events[number]))
            continue;
        const barrier_state *s = &b->m->now.barriers[e->stage];
        text arrivers = {0};
        witness_arrivers(b->m, e->stage, &arrivers);
        w->waiters[w->waiter_count++] = (ww_witness_waiter){.event = number,
                                                            .barrier = stage_name(b, e->stage),
                                                            .barrier_cta = b->p->stages[e->stage].rank,
                                                            .barrier_offset = offset_of(b, e->stage),
                                                            .phase = s->count + 1,
                                                            .pending = s->pending,
                                                            .bytes = s->tx,
                                                            .arrivers = keep(b, &arrivers)};
    }
}

/* ---- the rest ------------------------------------------------------------------------------------------ */

static ww_value_kind value_kind(const plan_value *v)
{
    switch (v->kind) {
    case PLAN_TILES: return WW_VALUE_TILES;
    case PLAN_SKIP: return WW_VALUE_SKIP;
    case PLAN_KEY: return WW_VALUE_CONDITION;
    default: return trips_on_device(v->loop) ? WW_VALUE_DEVICE : WW_VALUE_LAUNCH;
    }
}

static void set_values(const builder *b, const given_values *values)
{
    b->w->values = arena_array(b->arena, ww_witness_value, values->len + 1);
    for (size_t i = 0; i < values->len; i++) {
        const given_value *g = &values->at[i];
        const plan_value *v = &b->p->values[g->value];
        text name = {0};
        witness_value_name(b->p, g->value, &name);
        b->w->values[b->w->value_count++] = (ww_witness_value){.kind = value_kind(v),
                                                               .name = keep(b, &name),
                                                               .key = v->kind == PLAN_KEY ? v->key : -1,
                                                               .value = g->number,
                                                               .tile = g->tile,
                                                               .trip = g->trip};
    }
}

static void set_tasks(const builder *b)
{
    const ir_program *p = b->p->program;
    b->w->tasks = arena_array(b->arena, ww_witness_task, p->tasks.len + 1);
    for (size_t i = 0; i < p->tasks.len; i++)
        b->w->tasks[b->w->task_count++] =
            (ww_witness_task){p->tasks.at[i].name, p->tasks.at[i].first_warp, p->tasks.at[i].warps};
}

static ww_fault_kind fault_kind(fault f)
{
    static const ww_fault_kind kinds[] = {
        [FAULT_STUCK] = WW_FAULT_DEADLOCK,
        [FAULT_TOO_MANY] = WW_FAULT_TOO_MANY_ARRIVALS,
        [FAULT_WRONG_PHASE] = WW_FAULT_EARLIER_PHASE,
        [FAULT_TOO_MANY_BYTES] = WW_FAULT_TOO_MANY_BYTES,
        [FAULT_EARLY_WAIT] = WW_FAULT_EARLY_WAIT,
        [FAULT_LAPPED] = WW_FAULT_LAPPED,
        [FAULT_UNFENCED] = WW_FAULT_UNFENCED,
        [FAULT_RACE] = WW_FAULT_RACE,
        [FAULT_CLOBBERED] = WW_FAULT_CLOBBERED,
    };
    return f < ARRAY_LEN(kinds) && f != FAULT_OTHER_PROBE ? kinds[f] : WW_FAULT_LEFTOVER;
}

static void add_events(const builder *b)
{
    for (size_t i = 0; i < b->log->events.len; i++)
        b->place[i] = -1;
    b->w->events = arena_array(b->arena, ww_event, b->shown->order.len + 1);
    for (size_t i = 0; i < b->shown->order.len; i++) {
        int number = b->shown->order.at[i];
        if (number == b->shown->second)
            set_barrier(b);
        if (b->log->events.at[number].kind != EVENT_COMPLETION)
            add_event(b, number);
    }
    if (b->shown->second < 0)
        set_barrier(b);
    b->w->first = b->shown->first < 0 ? -1 : b->place[b->shown->first];
    b->w->second = b->shown->second < 0 ? -1 : b->place[b->shown->second];
}

static void build(builder *b, const given_values *values)
{
    size_t stages = (size_t)b->p->stage_count;
    b->stages = base_alloc((stages + 1) * sizeof *b->stages);
    b->place = base_alloc((b->log->events.len + 1) * sizeof *b->place);
    for (size_t i = 0; i < stages; i++)
        b->stages[i] = (stage_state){.pending = plan_barrier_of(b->p, (int)i)->arrivals};
    set_tasks(b);
    set_values(b, values);
    add_events(b);
    set_memory(b);
    if (b->w->fault == WW_FAULT_DEADLOCK)
        set_waiters(b);
    free(b->stages);
    free(b->place);
}

static ww_witness *start(const machine *m, const ww_diag *refutation)
{
    ww_witness *w = arena_new(&m->plan->kernel->arena, ww_witness);
    *w = (ww_witness){.kernel = m->plan->kernel->name,
                      .declaration = ir_hash(m->plan->program),
                      .ctas = m->plan->ranks,
                      .fault = fault_kind(m->finding.fault),
                      .code = refutation->code,
                      .message = refutation->message,
                      .first = -1,
                      .second = -1};
    return w;
}

static const ww_witness *build_from(machine *again, const given_values *values, const ww_diag *refutation)
{
    shown order;
    if (again->log->events.len > MOST_EVENTS)
        return NULL;
    ww_witness *w = NULL;
    if (cone_of(again, &order)) {
        w = start(again, refutation);
        builder b = {again, again->plan, again->log, &order, &again->plan->kernel->arena, NULL, NULL, w};
        build(&b, values);
    }
    vec_free(&order.order);
    return w;
}

const ww_witness *witness_events(const machine *m, const steady_result *result, const ww_diag *refutation)
{
    if (result->entangled >= 0 || result->too_long || refutation->code == WW_UNPROVABLE)
        return NULL;
    given_values values = {0};
    event_log log;
    machine again;
    rerun_values(m, result, &values);
    machine_init(&again, m->plan);
    events_init(&log, m->plan);
    again.log = &log;
    again.most_events = m->most_events;
    const ww_witness *w = NULL;
    if (rerun(&again, &values, m->finding.fault))
        w = build_from(&again, &values, refutation);
    events_free(&log);
    machine_free(&again);
    vec_free(&values);
    return w;
}
