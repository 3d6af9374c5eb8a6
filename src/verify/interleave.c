/* Interleaving: with a stride of k the stages are dealt out to k lanes. A lane is a warp of a task of k warps, or a task
 * whose domain loop has an immediate start and the step k. That all lanes are served on both sides is seen by counting
 * arrivals lane by lane (arrivals.c). */
#include "verify/rules.h"

static const char *const end_names[] = {[MODEL_END_ACQUIRE] = "acquire",
                                        [MODEL_END_COMMIT] = "commit",
                                        [MODEL_END_WAIT] = "wait",
                                        [MODEL_END_RELEASE] = "release"};
static const ww_verb verbs[] = {[MODEL_END_ACQUIRE] = WW_ACQUIRE,
                                [MODEL_END_COMMIT] = WW_COMMIT,
                                [MODEL_END_WAIT] = WW_WAIT,
                                [MODEL_END_RELEASE] = WW_RELEASE};

/* The task's operation of that verb on r, or on r's group, that moves or follows a cursor; NULL: none. */
static const ir_op *op_of(const rule_run *run, const ir_task *t, const ww_resource *r, model_end end)
{
    ww_side side = end == MODEL_END_ACQUIRE || end == MODEL_END_COMMIT ? WW_PRODUCER : WW_CONSUMER;
    rule_event event = end == MODEL_END_ACQUIRE || end == MODEL_END_WAIT ? RULE_OPEN : RULE_CLOSE;
    int op = rule_first_event(run->program, t, r->index, side, event);
    return op >= 0 && t->ops.at[op].verb == (int)verbs[end] ? &t->ops.at[op] : NULL;
}

static ir_lane lane_of(const ir_task *t, const ir_op *op)
{
    return t->cursors.at[op->cursor].lane;
}

/* ---- each task has its lanes ------------------------------------------------------------------------ */

static bool has_no_lane(const rule_run *run, const ir_task *t, const ww_resource *r, model_end end)
{
    int stride = model_stride(&r->pipeline, end);
    const ir_op *op = stride > 1 ? op_of(run, t, r, end) : NULL;
    return op && lane_of(t, op) == IR_LANE_BY_WARP && t->warps != stride;
}

static bool lacks_lane(const rule_run *run, const ir_task *t, const ww_resource *r, model_end *end)
{
    for (int e = MODEL_END_ACQUIRE; e <= MODEL_END_RELEASE; e++) {
        *end = (model_end)e;
        if (has_no_lane(run, t, r, *end))
            return true;
    }
    return false;
}

bool rule_lanes_misfit(const rule_run *run, const ww_resource *r)
{
    model_end end;
    for (size_t i = 0; rule_is_ring(r) && i < run->program->tasks.len; i++)
        if (lacks_lane(run, &run->program->tasks.at[i], r, &end))
            return true;
    return false;
}

static void check_lane(const rule_run *run, const ir_task *t, const ww_resource *r)
{
    model_end end;
    if (!lacks_lane(run, t, r, &end))
        return;
    int stride = model_stride(&r->pipeline, end);
    ww_diag *d = rule_finding(run, WW_INTERLEAVE, op_of(run, t, r, end)->place, ON({t}, {r}),
                              "task %s: %s(%s) has a stride of %d, and the task no lane", t->name,
                              end_names[end], r->name, stride);
    diag_expected(run->diags, d, "%d warps, or a domain loop with an immediate start and the step %d", stride,
                  stride);
    diag_found(run->diags, d, "%d warp%s, and no such loop", t->warps, t->warps > 1 ? "s" : "");
    diag_hint(run->diags, d,
              ".warps = %d, each warp a lane; or one task a lane, from start = lane by step %d", stride,
              stride);
    diag_related(run->diags, d, r->place, "%s is declared here", r->name);
}

/* The first domain loop picks the lane, and items are dealt out by loop index: in every other loop the task must have the
 * same one. NULL: it has. */
static const capture_step *other_lane(const ir_task *t, int stride, int lane)
{
    for (size_t i = 0; i < t->task->schedule->steps.len; i++) {
        const capture_step *s = &t->task->schedule->steps.at[i];
        if (s->kind == CAPTURE_DOMAIN_LOOP && lower_loop_lane(s, stride) != lane)
            return s;
    }
    return NULL;
}

static void check_loops(const rule_run *run, const ir_task *t, const ww_resource *r)
{
    for (int e = MODEL_END_ACQUIRE; e <= MODEL_END_RELEASE; e++) {
        int stride = model_stride(&r->pipeline, (model_end)e);
        const ir_op *op = stride > 1 ? op_of(run, t, r, (model_end)e) : NULL;
        if (!op || lane_of(t, op) != IR_LANE_FIXED)
            continue;
        int lane = t->cursors.at[op->cursor].first;
        const capture_step *loop = other_lane(t, stride, lane);
        if (!loop)
            continue;
        ww_diag *d = rule_finding(run, WW_INTERLEAVE, loop->place, ON({t}, {r}),
                                  "task %s: this loop is not on the lane of %s that the first loop picks",
                                  t->name, r->name);
        diag_expected(run->diags, d, "an immediate start that leaves %d by %d, and the step %d", lane, stride,
                      stride);
        if (loop->start.kind == WW_BOUND_IMMEDIATE && loop->stride.kind == WW_BOUND_IMMEDIATE)
            diag_found(run->diags, d, "a loop from %d by %d", loop->start.value, loop->stride.value);
        else
            diag_found(run->diags, d, "a start or step that is known at launch only");
        diag_hint(run->diags, d,
                  "start all loops of a lane's task alike, or give the task %d warps, each a lane", stride);
        diag_related(run->diags, d, r->place, "%s is declared here", r->name);
        return;
    }
}

/* ---- both ends of a side ---------------------------------------------------------------------------- */

static void report_ends(const rule_run *run, const ir_task *t, const ww_resource *r, model_end open,
                        bool by_loop)
{
    model_end close = (model_end)(open + 1);
    int a = model_stride(&r->pipeline, open), b = model_stride(&r->pipeline, close);
    const ir_op *op = op_of(run, t, r, open) ? op_of(run, t, r, open) : op_of(run, t, r, close);
    ww_diag *d;
    if (by_loop)
        d = rule_finding(run, WW_INTERLEAVE, op->place, ON({t}, {r}),
                         "task %s: its domain loop picks a lane of %s, whose strides of %s and %s differ",
                         t->name, r->name, end_names[open], end_names[close]);
    else
        d = rule_finding(run, WW_INTERLEAVE, op->place, ON({t}, {r}),
                         "task %s uses both %s and %s of %s, whose strides differ", t->name, end_names[open],
                         end_names[close], r->name);
    diag_expected(run->diags, d,
                  by_loop ? "equal strides" : "equal strides, or one task for each of the two verbs");
    diag_found(run->diags, d, "%s by %d, %s by %d", end_names[open], a, end_names[close], b);
    diag_hint(run->diags, d, ".stride = {%d}, for all verbs", a > b ? a : b);
    diag_related(run->diags, d, r->place, "%s is declared here", r->name);
}

static bool lane_by_loop(const rule_run *run, const ir_task *t, const ww_resource *r, model_end end)
{
    const ir_op *op = op_of(run, t, r, end);
    return op && lane_of(t, op) == IR_LANE_FIXED;
}

static bool check_ends(const rule_run *run, const ir_task *t, const ww_resource *r, model_end open)
{
    model_end close = (model_end)(open + 1);
    bool by_loop = lane_by_loop(run, t, r, open) || lane_by_loop(run, t, r, close);
    if (!by_loop && !(op_of(run, t, r, open) && op_of(run, t, r, close)))
        return true;
    report_ends(run, t, r, open, by_loop);
    return false;
}

/* The strides are to blame, so the first task is enough. */
static void check_side(const rule_run *run, const ww_resource *r, model_end open)
{
    if (model_stride(&r->pipeline, open) == model_stride(&r->pipeline, (model_end)(open + 1)))
        return;
    for (size_t t = 0; t < run->program->tasks.len; t++)
        if (!check_ends(run, &run->program->tasks.at[t], r, open))
            return;
}

/* ---- clusters --------------------------------------------------------------------------------------- */

/* Releases that are told to other CTAs are dealt out to the lanes of a warp, not to warps. */
static void check_cluster(const rule_run *run, const ww_resource *r)
{
    const model_protocol *protocol = model_protocol_of(r->pipeline.type);
    int most = 1;
    for (int e = MODEL_END_ACQUIRE; e <= MODEL_END_RELEASE; e++)
        if (model_stride(&r->pipeline, (model_end)e) > most)
            most = model_stride(&r->pipeline, (model_end)e);
    if (most == 1 || run->program->cluster_size == 1 || protocol->empty_by != MODEL_BY_WARPS ||
        protocol->empty_to != MODEL_TO_PEERS)
        return;
    ww_diag *d =
        rule_finding(run, WW_INTERLEAVE, r->place, ON(.resources = {r}),
                     "%s: a pipeline of type %s is not interleaved in a cluster", r->name, protocol->label);
    diag_expected(run->diags, d, "stride 1, or a cluster of one CTA");
    diag_found(run->diags, d, "stride %d, %d CTAs", most, run->program->cluster_size);
    diag_hint(run->diags, d, "leave out .stride");
}

void verify_interleave(const rule_run *run)
{
    for (size_t i = 0; i < run->kernel->resources.len; i++) {
        const ww_resource *r = run->kernel->resources.at[i];
        if (!rule_is_ring(r))
            continue;
        check_cluster(run, r);
        for (size_t t = 0; t < run->program->tasks.len; t++) {
            check_lane(run, &run->program->tasks.at[t], r);
            check_loops(run, &run->program->tasks.at[t], r);
        }
        check_side(run, r, MODEL_END_ACQUIRE);
        check_side(run, r, MODEL_END_WAIT);
    }
}
