/* What a schedule verb becomes: waits and arrivals on the barriers of the pipeline (or of its group), the fences that
 * the protocol's agents need around them, and the cursors' steps. */
#include "lower/lowering.h"

/* ---- cursors and lanes -------------------------------------------------------------------------------- */

/* The loop that picks a task's lane. NULL: none. */
static const capture_step *first_loop(const ww_task *t)
{
    for (size_t i = 0; i < t->schedule->steps.len; i++)
        if (t->schedule->steps.at[i].kind == CAPTURE_DOMAIN_LOOP)
            return &t->schedule->steps.at[i];
    return NULL;
}

int lower_loop_lane(const capture_step *loop, int stride)
{
    bool immediate = loop->start.kind == WW_BOUND_IMMEDIATE && loop->stride.kind == WW_BOUND_IMMEDIATE;
    if (!immediate || loop->stride.value != stride)
        return -1;
    return (loop->start.value % stride + stride) % stride;
}

ir_lane lower_lane(const ww_task *t, int stride, int *first)
{
    *first = 0;
    if (stride == 1)
        return IR_LANE_NONE;
    const capture_step *loop = first_loop(t);
    int lane = loop ? lower_loop_lane(loop, stride) : -1;
    if (t->options.warps == stride || lane < 0)
        return IR_LANE_BY_WARP;
    *first = lane;
    return IR_LANE_FIXED;
}

static model_end end_of_role(ir_role role, bool ahead)
{
    switch (role) {
    case IR_PRODUCE: return ahead ? MODEL_END_ACQUIRE : MODEL_END_COMMIT;
    case IR_COMMIT_BEHIND: return MODEL_END_COMMIT;
    case IR_CONSUME: return ahead ? MODEL_END_WAIT : MODEL_END_RELEASE;
    default: return MODEL_END_RELEASE;
    }
}

int lower_cursor_of(lowering *l, const ww_resource *r, ir_role role)
{
    bool producer = role == IR_PRODUCE || role == IR_COMMIT_BEHIND;
    const ww_resource *owner = producer ? model_produce_owner(r) : model_consume_owner(r);
    for (size_t i = 0; i < l->task->cursors.len; i++)
        if (l->task->cursors.at[i].resource == owner->index && l->task->cursors.at[i].role == role)
            return (int)i;
    bool ahead = producer ? owner->pipeline.advance_on_acquire : owner->pipeline.advance_on_wait;
    ir_cursor c = {.resource = owner->index,
                   .role = role,
                   .stages = owner->pipeline.stages,
                   .parity = producer,
                   .lane_warps = 1};
    c.stride = model_stride(&owner->pipeline, end_of_role(role, ahead));
    c.lane = lower_lane(l->task->task, c.stride, &c.first);
    vec_push(&l->task->cursors, c);
    return (int)l->task->cursors.len - 1;
}

static ir_role commit_role(const ww_resource *r)
{
    return r->pipeline.advance_on_acquire ? IR_COMMIT_BEHIND : IR_PRODUCE;
}

static ir_role release_role(const ww_resource *r)
{
    return r->pipeline.advance_on_wait ? IR_RELEASE_BEHIND : IR_CONSUME;
}

/* ---- statuses of probes ------------------------------------------------------------------------------- */

/* The status variable of a resource's side; -1 when the schedule never probes it. */
static int status_of(const lowering *l, const ww_resource *r, ww_side side)
{
    for (size_t i = 0; i < l->probed.len; i++)
        if (l->probed.at[i].resource == r && l->probed.at[i].side == side)
            return (int)i;
    return -1;
}

/* Known before the walk, because a wait in a loop may stand before the probe that the next trip uses. */
void lower_find_probes(lowering *l)
{
    l->probed.len = 0;
    for (size_t i = 0; i < l->schedule->steps.len; i++) {
        const capture_step *s = &l->schedule->steps.at[i];
        if (s->kind != CAPTURE_VERB || (s->verb != WW_TRY_ACQUIRE && s->verb != WW_TRY_WAIT))
            continue;
        probed_side probed = {s->resource, capture_verb_side(s->verb)};
        if (status_of(l, probed.resource, probed.side) < 0)
            vec_push(&l->probed, probed);
    }
}

/* ---- operations --------------------------------------------------------------------------------------- */

static ir_op *add_barrier_op(lowering *l, ir_kind kind, int barrier, int cursor)
{
    ir_op *op = lower_add_op(l, kind);
    op->barrier = barrier;
    op->cursor = cursor;
    return op;
}

static int full_of(const lowering *l, const ww_resource *r)
{
    return lower_barrier_of(l->program, model_full_owner(r)->index, IR_FULL, -1);
}

static int empty_of(const lowering *l, const ww_resource *r)
{
    return lower_barrier_of(l->program, model_empty_owner(r)->index, IR_EMPTY, -1);
}

static void add_fence(lowering *l, ir_fence fence)
{
    lower_add_op(l, IR_FENCE)->fence = fence;
}

/* A cursor moves: answers about its old slot are forgotten, those of all members where it is shared. */
static void add_advance(lowering *l, const ww_resource *r, ir_role role)
{
    int cursor = lower_cursor_of(l, r, role);
    bool waits = role == IR_PRODUCE || role == IR_CONSUME;
    ww_side side = role == IR_PRODUCE ? WW_PRODUCER : WW_CONSUMER;
    const ww_resource *owner = l->kernel->resources.at[l->task->cursors.at[cursor].resource];
    ir_op *op = lower_add_op(l, IR_ADVANCE);
    op->cursor = cursor;
    op->status = waits ? status_of(l, owner, side) : -1;
    for (int i = 0; waits && i < owner->member_count; i++)
        if (status_of(l, owner->members[i], side) >= 0)
            lower_add_op(l, IR_FORGET)->status = status_of(l, owner->members[i], side);
}

/* Whether threads and the tensor core share tensor memory through r, or through a member of r. */
static bool shares_tensor_memory(const ww_resource *r)
{
    for (int i = 0; i < r->member_count; i++)
        if (shares_tensor_memory(r->members[i]))
            return true;
    return r->tmem_count ||
           (r->kind == MODEL_MEMORY && model_protocol_of(r->pipeline.type)->producer == MODEL_UMMA);
}

static bool is_engine(model_agent a)
{
    return a == MODEL_TMA || a == MODEL_UMMA || a == MODEL_WGMMA;
}

/* Whether threads fill shared memory that an engine reads through the async proxy. */
static bool hands_to_engine(const ww_resource *r)
{
    const model_protocol *protocol = model_protocol_of(r->pipeline.type);
    for (int i = 0; i < r->member_count; i++)
        if (hands_to_engine(r->members[i]))
            return true;
    return r->kind == MODEL_MEMORY && protocol->producer == MODEL_ASYNC && is_engine(protocol->consumer) &&
           (r->buffer_count || !r->tmem_count);
}

static bool loads(const ww_resource *r)
{
    for (int i = 0; i < r->member_count; i++)
        if (loads(r->members[i]))
            return true;
    return r->pipeline.producer_op == WW_ASYNC_LOAD;
}

/* ---- the producer's verbs ----------------------------------------------------------------------------- */

/* All warps together announce what is declared, in proportion to what their copies bring. */
static uint32_t announced_bytes(const lowering *l, const ww_resource *r)
{
    const ww_resource *owner = model_full_owner(r);
    uint32_t declared = owner->pipeline.tx_bytes, own = lower_task_bytes(l->task->task, r);
    uint32_t derived = declared ? lower_stage_bytes(l->kernel, r) : 0;
    if (!declared)
        return own;
    return derived ? (uint32_t)((uint64_t)declared * own / derived) : declared;
}

static void add_expect(lowering *l, const ww_resource *r)
{
    const model_protocol *protocol = model_protocol_of(r->pipeline.type);
    bool leader = protocol->full_to == MODEL_TO_LEADER;
    ir_op *op = add_barrier_op(l, IR_EXPECT, full_of(l, r), lower_cursor_of(l, r, IR_PRODUCE));
    op->lanes = model_signaling(&r->pipeline, MODEL_END_ACQUIRE) & WW_SIGNAL_WARP_LEADER ? MODEL_LANES_FIRST
                                                                                         : MODEL_LANES_WARP;
    op->to = leader ? MODEL_TO_OWN : protocol->full_to;
    op->gate = lower_gate(l->task->task, &r->pipeline, MODEL_END_ACQUIRE);
    if (leader && !l->task->task->options.only_cta)
        op->gate = MODEL_LEADERS;
    op->bytes = announced_bytes(l, r);
}

static void lower_acquire_of(lowering *l, const ww_resource *r)
{
    ir_op *op = add_barrier_op(l, IR_WAIT, empty_of(l, r), lower_cursor_of(l, r, IR_PRODUCE));
    op->status = status_of(l, r, WW_PRODUCER);
    op->gate = lower_gate(l->task->task, &r->pipeline, MODEL_END_ACQUIRE);
    if (shares_tensor_memory(r))
        add_fence(l, IR_FENCE_TCGEN05_AFTER);
    if (model_protocol_of(r->pipeline.type)->full_by == MODEL_BY_EXPECT && lower_armer(r) == r)
        add_expect(l, r);
    if (r->pipeline.advance_on_acquire)
        add_advance(l, r, IR_PRODUCE);
}

/* The arrival on the full barrier; with bulk copies there is none: their bytes and the announcement are all. */
static void add_full_arrival(lowering *l, const ww_resource *r, ir_role role)
{
    lower_arrival arrivals[WW_MAX_MEMBERS];
    const ww_resource *owner = r->kind == MODEL_GROUP ? r : model_full_owner(r);
    int n = lower_arrivals_on(owner, IR_FULL, arrivals), mine = 0;
    for (int i = 0; i < n; i++)
        mine = arrivals[i].verb_on == r ? i : mine;
    const lower_arrival *a = &arrivals[mine];
    if (a->verb != WW_COMMIT)
        return;
    bool loading = a->by == MODEL_BY_THREADS && loads(a->pipeline);
    if (!loading && hands_to_engine(r))
        add_fence(l, IR_FENCE_PROXY);
    if (a->by == MODEL_BY_THREADS && shares_tensor_memory(r))
        add_fence(l, IR_FENCE_TCGEN05_BEFORE);
    ir_kind kind = a->by == MODEL_BY_UMMA ? IR_UMMA_COMMIT : loading ? IR_COPY_ARRIVE : IR_ARRIVE;
    ir_op *op = add_barrier_op(l, kind, lower_barrier_of(l->program, owner->index, IR_FULL, -1),
                               lower_cursor_of(l, r, role));
    op->lanes = a->by == MODEL_BY_THREADS ? MODEL_LANES_ALL : MODEL_LANES_WARP;
    op->to = loading ? MODEL_TO_OWN : a->to;
    op->gate = lower_gate(l->task->task, &a->pipeline->pipeline, MODEL_END_COMMIT);
}

static void lower_commit_of(lowering *l, const ww_resource *r)
{
    ir_role role = commit_role(r);
    add_full_arrival(l, r, role);
    add_advance(l, r, role);
}

/* ---- the consumer's verbs ----------------------------------------------------------------------------- */

static void lower_wait_of(lowering *l, const ww_resource *r)
{
    ir_op *op = add_barrier_op(l, IR_WAIT, full_of(l, r), lower_cursor_of(l, r, IR_CONSUME));
    op->status = status_of(l, r, WW_CONSUMER);
    op->gate = lower_gate(l->task->task, &r->pipeline, MODEL_END_WAIT);
    if (shares_tensor_memory(r))
        add_fence(l, IR_FENCE_TCGEN05_AFTER);
    if (hands_to_engine(r) && loads(r))
        add_fence(l, IR_FENCE_PROXY); /* the copies' own arrival cannot fence: the reader does */
    if (r->pipeline.advance_on_wait)
        add_advance(l, r, IR_CONSUME);
}

/* On release, one lane a warp arrives, or all do, when the author's count says so. Where releases tell peers, all
 * threads tell the own CTA alone. */
static bool all_threads_release(const lowering *l, const ww_resource *r)
{
    const model_protocol *protocol = model_protocol_of(r->pipeline.type);
    uint32_t declared = r->pipeline.consumer_arrivals;
    bool at_home = protocol->empty_to == MODEL_TO_OWN || protocol->empty_to == MODEL_TO_PEERS;
    if (protocol->empty_by != MODEL_BY_WARPS || !declared || !at_home)
        return false;
    uint32_t derived = lower_arrivals(l->kernel, r, IR_EMPTY), warps = 0;
    for (size_t i = 0; i < l->kernel->tasks.len; i++)
        if (lower_task_does(l->kernel->tasks.at[i], r, WW_RELEASE))
            warps += (uint32_t)l->kernel->tasks.at[i]->options.warps;
    return declared == 32 * warps && declared != derived;
}

static void add_release_arrival(lowering *l, const ww_resource *r, ir_role role)
{
    const model_protocol *protocol = model_protocol_of(r->pipeline.type);
    lower_arrival arrivals[WW_MAX_MEMBERS];
    (void)lower_arrivals_on(r, IR_EMPTY, arrivals);
    if (protocol->empty_by != MODEL_BY_UMMA && shares_tensor_memory(r))
        add_fence(l, IR_FENCE_TCGEN05_BEFORE);
    ir_op *op = add_barrier_op(l, protocol->empty_by == MODEL_BY_UMMA ? IR_UMMA_COMMIT : IR_ARRIVE,
                               empty_of(l, r), lower_cursor_of(l, r, role));
    bool all = all_threads_release(l, r);
    op->lanes = all || protocol->empty_by == MODEL_BY_THREADS ? MODEL_LANES_ALL : MODEL_LANES_WARP;
    op->to = all ? MODEL_TO_OWN : arrivals[0].to;
    op->gate = lower_gate(l->task->task, &r->pipeline, MODEL_END_RELEASE);
}

static void lower_release_of(lowering *l, const ww_resource *r)
{
    ir_role role = release_role(r);
    add_release_arrival(l, r, role);
    add_advance(l, r, role);
}

static void lower_probe(lowering *l, const ww_resource *r, ww_side side)
{
    bool producer = side == WW_PRODUCER;
    int cursor = lower_cursor_of(l, r, producer ? IR_PRODUCE : IR_CONSUME);
    ir_op *op = add_barrier_op(l, IR_PROBE, producer ? empty_of(l, r) : full_of(l, r), cursor);
    op->status = status_of(l, r, side);
    op->gate = lower_gate(l->task->task, &r->pipeline, producer ? MODEL_END_ACQUIRE : MODEL_END_WAIT);
}

static void lower_try_acquire(lowering *l, const ww_resource *r)
{
    lower_probe(l, r, WW_PRODUCER);
}

static void lower_try_wait(lowering *l, const ww_resource *r)
{
    lower_probe(l, r, WW_CONSUMER);
}

/* ---- barriers without data ---------------------------------------------------------------------------- */

static int named_cursor(lowering *l, const ww_resource *r)
{
    for (size_t i = 0; i < l->task->cursors.len; i++)
        if (l->task->cursors.at[i].resource == r->index)
            return (int)i;
    ir_cursor c = {.resource = r->index, .role = IR_CONSUME, .stages = 1, .stride = 1, .lane_warps = 1};
    if (r->by_warpgroup) { /* a barrier for each, and each stays with its own */
        c.stages = c.stride =
            l->program->barriers.at[lower_barrier_of(l->program, r->index, IR_NAMED, -1)].stages;
        c.lane = IR_LANE_BY_WARP;
        c.lane_warps = 4;
    }
    vec_push(&l->task->cursors, c);
    return (int)l->task->cursors.len - 1;
}

static void lower_sync_arrive(lowering *l, const ww_resource *r)
{
    int cursor = named_cursor(l, r), barrier = lower_barrier_of(l->program, r->index, IR_NAMED, -1);
    add_barrier_op(l, IR_ARRIVE, barrier, cursor)->lanes = MODEL_LANES_ALL;
    if (l->verb == WW_SYNC)
        add_barrier_op(l, IR_WAIT, barrier, cursor);
    lower_add_op(l, IR_ADVANCE)->cursor = cursor;
}

/* The task's place among those that take turns. */
static int position_of(const lowering *l, const ww_resource *r, int *count)
{
    int position = 0;
    *count = 0;
    for (size_t i = 0; i < l->kernel->tasks.len; i++) {
        if (!capture_has_verb(l->kernel->tasks.at[i]->schedule, r, WW_ACQUIRE))
            continue;
        if (l->kernel->tasks.at[i] == l->task->task)
            position = *count;
        ++*count;
    }
    return position;
}

/* The first participant's first turn is there from the start: it waits for the phase before the first. */
static int turn_cursor(lowering *l, const ww_resource *r, int position)
{
    for (size_t i = 0; i < l->task->cursors.len; i++)
        if (l->task->cursors.at[i].resource == r->index)
            return (int)i;
    ir_cursor c = {
        .resource = r->index, .role = IR_PRODUCE, .stages = 1, .stride = 1, .parity = position == 0};
    vec_push(&l->task->cursors, c);
    return (int)l->task->cursors.len - 1;
}

static void lower_turn(lowering *l, const ww_resource *r)
{
    int count, position = position_of(l, r, &count);
    int cursor = turn_cursor(l, r, position);
    if (l->verb == WW_ACQUIRE) {
        add_barrier_op(l, IR_WAIT, lower_barrier_of(l->program, r->index, IR_TURN, position), cursor);
        return;
    }
    int next = lower_barrier_of(l->program, r->index, IR_TURN, count ? (position + 1) % count : 0);
    if (next < 0)
        return; /* nobody takes turns: reported by the rules */
    add_barrier_op(l, IR_ARRIVE, next, cursor)->lanes = MODEL_LANES_WARP;
    lower_add_op(l, IR_ADVANCE)->cursor = cursor;
}

static void lower_griddep_wait(lowering *l, const ww_resource *r)
{
    (void)r;
    (void)lower_add_op(l, IR_GRIDDEP_WAIT);
}

static void lower_griddep_launch(lowering *l, const ww_resource *r)
{
    (void)r;
    (void)lower_add_op(l, IR_GRIDDEP_LAUNCH);
}

static void (*const verb_steps[])(lowering *, const ww_resource *) = {
    [WW_TRY_ACQUIRE] = lower_try_acquire,
    [WW_ACQUIRE] = lower_acquire_of,
    [WW_COMMIT] = lower_commit_of,
    [WW_TRY_WAIT] = lower_try_wait,
    [WW_WAIT] = lower_wait_of,
    [WW_RELEASE] = lower_release_of,
    [WW_SYNC] = lower_sync_arrive,
    [WW_SYNC_ARRIVE] = lower_sync_arrive,
    [WW_GRIDDEP_WAIT] = lower_griddep_wait,
    [WW_GRIDDEP_LAUNCH] = lower_griddep_launch,
};

/* A verb that a group does not share, called on the group: the rules report it; here it stands for nothing. */
static bool has_barriers(const lowering *l, const ww_resource *r)
{
    return full_of(l, r) >= 0 && empty_of(l, r) >= 0;
}

static bool lowers(const lowering *l, const ww_resource *r)
{
    if (r->kind != MODEL_GROUP)
        return r->kind != MODEL_MEMORY || has_barriers(l, r);
    switch (l->verb) {
    case WW_RELEASE: return r->mode != WW_FORK && empty_of(l, r) >= 0;
    case WW_COMMIT: return r->mode == WW_FORK && full_of(l, r) >= 0;
    case WW_WAIT:
    case WW_TRY_WAIT: return r->mode == WW_FUSED_MERGE && full_of(l, r) >= 0;
    default: return false;
    }
}

void lower_verb_step(lowering *l)
{
    const ww_resource *r = l->step->resource;
    l->verb = (int)l->step->verb;
    if (r->kind == MODEL_ORDERED)
        lower_turn(l, r);
    else if (lowers(l, r))
        verb_steps[l->verb](l, r);
}

/* ---- dynamic queues ----------------------------------------------------------------------------------- */

static void add_response(lowering *l, ir_op *op, ir_effect_kind kind)
{
    const ww_resource *q = l->step->resource;
    int buffer = -1;
    for (size_t i = 0; i < l->program->buffers.len; i++)
        if (l->program->buffers.at[i].resource == q->index)
            buffer = (int)i;
    op->effects = arena_array(&l->kernel->arena, ir_effect, 1);
    op->effects[0] = (ir_effect){.kind = kind, .buffer = buffer, .cursor = op->cursor, .barrier = -1};
    op->effect_count = 1;
    if (kind != IR_COPY_IN)
        return;
    op->effects[0].barrier = op->barrier;
    op->effects[0].bytes = q->buffers[0].bytes;
    op->effects[0].to = MODEL_TO_EVERY;
}

void lower_fetch_tile(lowering *l)
{
    const ww_resource *q = l->step->resource;
    l->verb = WW_ACQUIRE;
    lower_acquire_of(l, q);
    l->verb = -1;
    ir_op *fetch = add_barrier_op(l, IR_FETCH, full_of(l, q), lower_cursor_of(l, q, IR_PRODUCE));
    fetch->gate = lower_gate(l->task->task, &q->pipeline, MODEL_END_ACQUIRE);
    add_response(l, fetch, IR_COPY_IN);
    l->verb = WW_COMMIT;
    lower_commit_of(l, q);
}

void lower_next_tile(lowering *l)
{
    const ww_resource *q = l->step->resource;
    if (!model_is_dynamic_queue(q)) {
        (void)lower_add_op(l, IR_NEXT_TILE);
        return;
    }
    l->verb = WW_WAIT;
    lower_wait_of(l, q);
    l->verb = -1;
    ir_op *next = lower_add_op(l, IR_NEXT_TILE);
    next->cursor = lower_cursor_of(l, q, IR_CONSUME);
    add_response(l, next, IR_READ);
    l->verb = WW_RELEASE;
    lower_release_of(l, q);
}

/* ---- drains -------------------------------------------------------------------------------------------- */

/* Arrivals of the tensor core come when they come: the CTA must not end before them. Arrivals of threads are over when
 * the threads are, those from other CTAs before the cluster's last barrier. */
static bool arrives_late(const ww_resource *r)
{
    return model_protocol_of(model_empty_owner(r)->pipeline.type)->empty_by == MODEL_BY_UMMA;
}

static void drain_once(lowering *l, const ww_resource *const *rings, int n)
{
    for (int i = 0; i < n; i++) {
        ir_op *op =
            add_barrier_op(l, IR_WAIT, empty_of(l, rings[i]), lower_cursor_of(l, rings[i], IR_PRODUCE));
        op->drain = true;
        op->gate = lower_gate(l->task->task, &rings[i]->pipeline, MODEL_END_ACQUIRE);
        op->resource = rings[i]->index;
    }
    ir_op *op = lower_add_op(l, IR_ADVANCE);
    op->drain = true;
    op->cursor = lower_cursor_of(l, rings[0], IR_PRODUCE);
    op->resource = rings[0]->index;
}

static void drain(lowering *l, const ww_resource *const *rings, int n)
{
    const ww_resource *owner = model_produce_owner(rings[0]);
    model_end end = owner->pipeline.advance_on_acquire ? MODEL_END_ACQUIRE : MODEL_END_COMMIT;
    int steps = owner->pipeline.stages / model_stride(&owner->pipeline, end);
    for (int i = 0; i < steps; i++)
        drain_once(l, rings, n);
}

/* Members of a fork share the cursor and are drained together. */
void lower_drains(lowering *l)
{
    l->verb = -1;
    for (size_t i = 0; i < l->kernel->resources.len; i++) {
        const ww_resource *rings[WW_MAX_MEMBERS], *owner = l->kernel->resources.at[i];
        int n = 0;
        if (owner->kind == MODEL_GROUP && owner->mode == WW_FORK) {
            for (int m = 0; m < owner->member_count; m++)
                if (arrives_late(owner->members[m]) &&
                    capture_has_verb(l->schedule, owner->members[m], WW_ACQUIRE))
                    rings[n++] = owner->members[m];
        } else if (owner->kind == MODEL_MEMORY && model_pipelined(owner) &&
                   model_produce_owner(owner) == owner && arrives_late(owner) &&
                   capture_has_verb(l->schedule, owner, WW_ACQUIRE)) {
            rings[n++] = owner;
        }
        if (n)
            drain(l, rings, n);
    }
}
