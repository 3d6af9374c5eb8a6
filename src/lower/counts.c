/* How many arrivals the schedules make per phase, and how many bytes their copies bring.
 *
 * A barrier's arrivals are counted by walking over everybody who may act on it: each kind of arrival that the protocol
 * has (one, or one a member of a group), each task with that verb, each CTA where the verb runs and whose destinations
 * include the barrier's CTA. One formula for all types; with one CTA it is warps, or threads, of the tasks. */
#include "lower/lowering.h"

enum { WARP_LANES = 32 };

bool lower_task_does(const ww_task *t, const ww_resource *r, ww_verb verb)
{
    if (!model_is_queue(r))
        return capture_has_verb(t->schedule, r, verb);
    capture_kind kind = capture_verb_side(verb) == WW_PRODUCER ? CAPTURE_FETCH_TILE : CAPTURE_NEXT_TILE;
    for (size_t i = 0; i < t->schedule->steps.len; i++)
        if (t->schedule->steps.at[i].kind == kind && t->schedule->steps.at[i].resource == r)
            return true;
    return false;
}

/* Where a task is pinned to one CTA, no other gate applies. */
model_gate lower_gate(const ww_task *t, const ww_pipeline *p, model_end end)
{
    return t->options.only_cta ? MODEL_EVERYWHERE : model_gate_of(p, end);
}

/* ---- which arrivals there are ------------------------------------------------------------------------- */

const ww_resource *lower_armer(const ww_resource *r)
{
    const ww_resource *owner = model_full_owner(r);
    if (owner->kind != MODEL_GROUP || owner->mode != WW_FORK)
        return model_protocol_of(r->pipeline.type)->full_by == MODEL_BY_EXPECT ? r : NULL;
    for (int i = 0; i < owner->member_count; i++)
        if (model_protocol_of(owner->members[i]->pipeline.type)->full_by == MODEL_BY_EXPECT)
            return owner->members[i];
    return NULL;
}

/* A commit tells all CTAs of the MMA where all of them wait; where only leaders do, an arrival in a follower would come
 * to a barrier that nobody watches. */
static model_to where_waited(const ww_pipeline *p, model_to to, model_end waiter)
{
    return to == MODEL_TO_PAIR && model_gate_of(p, waiter) == MODEL_LEADERS ? MODEL_TO_LEADER : to;
}

/* What r's producer does to the full barrier; `committed` is what commit is called on. */
static lower_arrival full_arrival(const ww_resource *r, const ww_resource *committed)
{
    const model_protocol *protocol = model_protocol_of(r->pipeline.type);
    lower_arrival a = {.verb_on = committed,
                       .pipeline = r,
                       .verb = WW_COMMIT,
                       .by = protocol->full_by,
                       .to = protocol->full_to,
                       .gate = model_gate_of(&r->pipeline, MODEL_END_COMMIT),
                       .end = MODEL_END_COMMIT};
    if (protocol->full_verb == MODEL_ACQUIRE) {
        a.verb_on = r;
        a.verb = WW_ACQUIRE;
        a.end = MODEL_END_ACQUIRE;
        a.gate = model_gate_of(&r->pipeline, MODEL_END_ACQUIRE);
    }
    a.to = where_waited(&r->pipeline, a.to, MODEL_END_WAIT);
    if (a.by == MODEL_BY_THREADS && r->pipeline.producer_op == WW_ASYNC_LOAD)
        a.to = MODEL_TO_OWN; /* the copies' own arrival does not leave the CTA */
    if (a.by == MODEL_BY_EXPECT && a.to == MODEL_TO_LEADER) { /* only leaders announce, for both */
        a.to = MODEL_TO_OWN;
        a.gate = MODEL_LEADERS;
    }
    return a;
}

static lower_arrival empty_arrival(const ww_resource *r)
{
    const model_protocol *protocol = model_protocol_of(r->pipeline.type);
    return (lower_arrival){.verb_on = r,
                           .pipeline = r,
                           .verb = WW_RELEASE,
                           .by = protocol->empty_by,
                           .to = where_waited(&r->pipeline, protocol->empty_to, MODEL_END_ACQUIRE),
                           .gate = model_gate_of(&r->pipeline, MODEL_END_RELEASE),
                           .end = MODEL_END_RELEASE};
}

int lower_arrivals_on(const ww_resource *owner, ir_side side, lower_arrival arrivals[WW_MAX_MEMBERS])
{
    if (side == IR_EMPTY || owner->kind != MODEL_GROUP) {
        arrivals[0] = side == IR_EMPTY ? empty_arrival(owner) : full_arrival(owner, owner);
        return 1;
    }
    if (owner->mode == WW_FORK) {
        const ww_resource *armer = lower_armer(owner->members[0]);
        arrivals[0] = full_arrival(armer ? armer : owner->members[0], owner);
        return 1;
    }
    for (int i = 0; i < owner->member_count; i++)
        arrivals[i] = full_arrival(owner->members[i], owner->members[i]);
    return owner->member_count;
}

/* ---- counting ------------------------------------------------------------------------------------------ */

static uint32_t of_warps(const lower_arrival *a, uint32_t warps)
{
    if (a->by == MODEL_BY_THREADS)
        return WARP_LANES * warps;
    bool first_only =
        a->by == MODEL_BY_EXPECT && (model_signaling(&a->pipeline->pipeline, a->end) & WW_SIGNAL_WARP_LEADER);
    return first_only ? 1 : warps;
}

/* Arrivals of one task in one CTA on a barrier of that lane. */
static uint32_t of_task(const lower_arrival *a, const ww_task *t, int stride, int lane)
{
    if (!lower_task_does(t, a->verb_on, a->verb))
        return 0;
    int first = 0;
    if (lower_lane(t, stride, &first) == IR_LANE_BY_WARP)
        return of_warps(a, 1);
    return stride > 1 && first != lane ? 0 : of_warps(a, (uint32_t)t->options.warps);
}

static bool reaches(const ww_kernel *k, const lower_arrival *a, const ww_task *t, int from, int to)
{
    const ww_cluster *c = &k->options.cluster;
    if (t->options.only_cta && t->options.only_cta - 1 != from)
        return false;
    if (!t->options.only_cta && !model_gate_open(c, a->gate, from))
        return false;
    return model_targets(c, a->to, &a->pipeline->pipeline, from) >> to & 1;
}

static uint32_t at_barrier(const ww_kernel *k, const lower_arrival *arrivals, int n, int rank, int lane)
{
    uint32_t sum = 0;
    for (int i = 0; i < n; i++)
        for (size_t t = 0; t < k->tasks.len; t++) {
            int stride = model_stride(&arrivals[i].pipeline->pipeline, arrivals[i].end);
            uint32_t made = of_task(&arrivals[i], k->tasks.at[t], stride, lane);
            for (int from = 0; made && from < model_cluster_size(&k->options.cluster); from++)
                if (reaches(k, &arrivals[i], k->tasks.at[t], from, rank))
                    sum += made;
        }
    return sum;
}

/* All barriers of an array get one count, and all CTAs the same: that of the lane and the CTA with the most arrivals
 * (the others receive none: follower CTAs, unused lanes). */
uint32_t lower_arrivals(const ww_kernel *k, const ww_resource *r, ir_side side)
{
    lower_arrival arrivals[WW_MAX_MEMBERS];
    const ww_resource *owner = side == IR_FULL ? model_full_owner(r) : model_empty_owner(r);
    int n = lower_arrivals_on(owner, side, arrivals);
    int lanes = model_stride(&arrivals[0].pipeline->pipeline, arrivals[0].end);
    uint32_t most = 0;
    for (int rank = 0; rank < model_cluster_size(&k->options.cluster); rank++)
        for (int lane = 0; lane < lanes; lane++) {
            uint32_t sum = at_barrier(k, arrivals, n, rank, lane);
            most = sum > most ? sum : most;
        }
    return most;
}

/* ---- bytes --------------------------------------------------------------------------------------------- */

static int extent(int e)
{
    return e > 1 ? e : 1;
}

/* What arrives at one CTA's barrier when every CTA issues the copy. */
static uint32_t arriving(const ww_kernel *k, const ww_copy *copy)
{
    const ww_cluster *c = &k->options.cluster;
    uint32_t from = copy->reach == WW_REACH_A   ? (uint32_t)extent(c->n)
                    : copy->reach == WW_REACH_B ? (uint32_t)extent(c->m)
                                                : 1;
    return copy->bytes * from;
}

static uint32_t step_bytes(const ww_kernel *k, const capture_step *step)
{
    uint32_t bytes = 0;
    for (int i = 0; i < step->work->copy_count; i++)
        bytes += arriving(k, &step->work->declared->copies[i]);
    return bytes;
}

static bool commits(const capture_step *step, const ww_resource *r)
{
    return step->kind == CAPTURE_VERB && step->verb == WW_COMMIT && step->resource == model_produce_owner(r);
}

/* The copies of a schedule's work into r's full barrier from its first acquire to the commit, or to the next acquire
 * (which opens another slot), of one warp; 0 when it never acquires. */
static uint32_t bracket_bytes(const ww_kernel *k, const ww_schedule *s, const ww_resource *r)
{
    bool open = false;
    uint32_t bytes = 0;
    const ww_resource *armer = lower_armer(r);
    for (size_t i = 0; i < s->steps.len; i++) {
        const capture_step *step = &s->steps.at[i];
        bool acquires = step->kind == CAPTURE_VERB && step->verb == WW_ACQUIRE && step->resource == armer;
        if (open && (acquires || commits(step, r)))
            return bytes;
        open |= acquires;
        if (open && step->kind == CAPTURE_WORK && model_full_owner(step->resource) == model_full_owner(r) &&
            (step->resource == r || model_full_owner(r)->mode == WW_FORK))
            bytes += step_bytes(k, step);
    }
    return open ? bytes : 0;
}

uint32_t lower_task_bytes(const ww_task *t, const ww_resource *r)
{
    const ww_kernel *k = r->kernel;
    const model_protocol *protocol = model_protocol_of(r->pipeline.type);
    if (protocol->full_by != MODEL_BY_EXPECT)
        return 0;
    if (model_is_queue(r))
        return r->buffers[0].bytes;
    uint32_t bytes = bracket_bytes(k, t->schedule, r);
    if (protocol->full_to == MODEL_TO_LEADER && !t->options.only_cta)
        bytes *= (uint32_t)extent(k->options.cluster.v);
    if (model_signaling(&r->pipeline, MODEL_END_ACQUIRE) & WW_SIGNAL_WARP_LEADER)
        bytes *= (uint32_t)t->options.warps;
    return bytes;
}

/* Of one arriving kind, over the tasks that announce. */
static uint32_t announced(const ww_kernel *k, const lower_arrival *a)
{
    uint32_t sum = 0;
    int stride = model_stride(&a->pipeline->pipeline, a->end);
    for (size_t t = 0; t < k->tasks.len; t++) {
        int first;
        if (!lower_task_does(k->tasks.at[t], a->verb_on, a->verb))
            continue;
        uint32_t one = lower_task_bytes(k->tasks.at[t], a->pipeline);
        if (stride > 1) { /* each lane's barriers hear one warp, or one task */
            uint32_t lane = one * (lower_lane(k->tasks.at[t], stride, &first) == IR_LANE_BY_WARP
                                       ? 1
                                       : of_warps(a, (uint32_t)k->tasks.at[t]->options.warps));
            sum = lane > sum ? lane : sum;
        } else {
            sum += one * of_warps(a, (uint32_t)k->tasks.at[t]->options.warps);
        }
    }
    return sum;
}

uint32_t lower_stage_bytes(const ww_kernel *k, const ww_resource *r)
{
    lower_arrival arrivals[WW_MAX_MEMBERS];
    uint32_t sum = 0;
    int n = lower_arrivals_on(model_full_owner(r), IR_FULL, arrivals);
    for (int i = 0; i < n; i++)
        if (arrivals[i].by == MODEL_BY_EXPECT)
            sum += announced(k, &arrivals[i]);
    return sum;
}

bool lower_split_consumer(const ww_kernel *k, const ww_resource *r)
{
    const ww_resource *owner = model_consume_owner(r);
    for (size_t i = 0; i < k->tasks.len; i++)
        if (lower_task_does(k->tasks.at[i], r, WW_WAIT) &&
            !lower_task_does(k->tasks.at[i], owner, WW_RELEASE))
            return true;
    return false;
}
