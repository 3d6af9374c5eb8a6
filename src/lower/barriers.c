/* The arrays of barriers: two a pipeline, fewer where a group's members share them, one a participant of an ordered
 * sequence; hardware barriers apart. mbarriers lie one after the other in shared memory in this order. */
#include "lower/lowering.h"

enum { BARRIER_BYTES = 8, WARP_LANES = 32 };

int lower_barrier_of(const ir_program *p, int resource, ir_side side, int member)
{
    for (size_t i = 0; i < p->barriers.len; i++) {
        const ir_barrier *b = &p->barriers.at[i];
        if (b->resource == resource && b->side == side && b->member == member)
            return (int)i;
    }
    return -1;
}

static uint32_t count_of(const ww_kernel *k, const ww_resource *owner, ir_side side)
{
    const ww_pipeline *p = &owner->pipeline;
    uint32_t declared = side == IR_FULL ? p->producer_arrivals : p->consumer_arrivals;
    return declared ? declared : lower_arrivals(k, owner, side);
}

static int add_array(lowering *l, const ww_resource *owner, ir_side side, int balance)
{
    ir_barrier b = {.resource = owner->index,
                    .side = side,
                    .member = -1,
                    .stages = owner->pipeline.stages,
                    .arrivals = count_of(l->kernel, owner, side),
                    .balance = balance};
    if (side == IR_FULL)
        b.tx_bytes =
            owner->pipeline.tx_bytes ? owner->pipeline.tx_bytes : lower_stage_bytes(l->kernel, owner);
    vec_push(&l->program->barriers, b);
    return (int)l->program->barriers.len - 1;
}

/* Members' own arrays first or last, as their side says; shared ones belong to the group. */
static void add_group(lowering *l, const ww_resource *g)
{
    int next = (int)l->program->barriers.len;
    if (g->mode == WW_FORK) {
        (void)add_array(l, g, IR_FULL, -1);
        for (int i = 0; i < g->member_count; i++)
            (void)add_array(l, g->members[i], IR_EMPTY, next);
        return;
    }
    if (g->mode == WW_FUSED_MERGE)
        (void)add_array(l, g, IR_FULL, next + 1);
    for (int i = 0; g->mode == WW_MERGE && i < g->member_count; i++)
        (void)add_array(l, g->members[i], IR_FULL, next + g->member_count);
    (void)add_array(l, g, IR_EMPTY, -1);
}

/* Who acquires the sequence, in the order of the tasks. */
static int participants(const ww_kernel *k, const ww_resource *r, const ww_task **tasks)
{
    int n = 0;
    for (size_t i = 0; i < k->tasks.len; i++)
        if (capture_has_verb(k->tasks.at[i]->schedule, r, WW_ACQUIRE))
            tasks[n++] = k->tasks.at[i];
    return n;
}

/* The turn of participant i begins when all warps of the one before it have passed it on. */
static void add_turns(lowering *l, const ww_resource *r)
{
    const ww_task *tasks[WW_MAX_TASKS + WW_MAX_WARPS];
    int n = participants(l->kernel, r, tasks);
    for (int i = 0; i < n; i++) {
        ir_barrier b = {.resource = r->index, .side = IR_TURN, .member = i, .stages = 1, .balance = -1};
        b.arrivals = (uint32_t)tasks[(i + n - 1) % n]->options.warps;
        vec_push(&l->program->barriers, b);
    }
}

static void add_named(lowering *l, const ww_resource *r)
{
    uint32_t warps = 0;
    for (size_t i = 0; i < l->kernel->tasks.len && !r->by_warpgroup; i++) {
        const ww_task *t = l->kernel->tasks.at[i];
        if (capture_has_verb(t->schedule, r, WW_SYNC) || capture_has_verb(t->schedule, r, WW_SYNC_ARRIVE))
            warps += (uint32_t)t->options.warps;
    }
    ir_barrier b = {.resource = r->index,
                    .side = IR_NAMED,
                    .member = -1,
                    .stages = r->barrier_ids,
                    .arrivals = r->threads ? (uint32_t)r->threads : warps * WARP_LANES,
                    .named_id = r->barrier_id,
                    .balance = -1};
    vec_push(&l->program->barriers, b);
}

static void add_resource(lowering *l, const ww_resource *r)
{
    if (r->kind == MODEL_GROUP && r->member_count)
        add_group(l, r);
    else if (r->kind == MODEL_ORDERED)
        add_turns(l, r);
    else if (r->kind == MODEL_NAMED_BARRIER)
        add_named(l, r);
    else if (r->kind != MODEL_GROUP && model_pipelined(r) && !r->in_group)
        (void)add_array(l, r, IR_EMPTY, add_array(l, r, IR_FULL, -1));
}

void lower_barriers(lowering *l)
{
    ir_program *p = l->program;
    for (size_t i = 0; i < l->kernel->resources.len; i++)
        add_resource(l, l->kernel->resources.at[i]);
    uint32_t at = l->kernel->barriers_offset;
    for (size_t i = 0; i < p->barriers.len; i++) {
        ir_barrier *b = &p->barriers.at[i];
        if (b->side == IR_NAMED)
            continue;
        b->offset = at;
        at += BARRIER_BYTES * (uint32_t)b->stages;
    }
}
