/* Counting arrivals from the operations of the task program. */
#include "verify/arrivers.h"

enum { WARP_LANES = 32 };

/* A task arrives once a phase by each verb; what it has in several places counts once. */
static bool is_listed(const arrivers *a, const ir_task *t, const ir_op *op)
{
    for (int i = 0; i < a->count; i++)
        if (a->at[i].task == t && a->at[i].op->resource == op->resource)
            return true;
    return false;
}

static int common_multiple(int a, int b)
{
    int m = a;
    while (m % b)
        m += a;
    return m;
}

static int stride_of(const ir_task *t, const ir_op *op)
{
    return op->cursor < 0 ? 1 : t->cursors.at[op->cursor].stride;
}

arrivers arrivers_of(const ir_program *p, int barrier)
{
    arrivers a = {.program = p, .barrier = barrier, .lanes = 1};
    for (size_t i = 0; i < p->tasks.len; i++) {
        const ir_task *t = &p->tasks.at[i];
        for (size_t j = 0; j < t->ops.len; j++) {
            const ir_op *op = &t->ops.at[j];
            if (op->barrier != barrier)
                continue;
            a.lanes = common_multiple(a.lanes, stride_of(t, op));
            if (ir_is_arrival(op) && !is_listed(&a, t, op) && a.count < MOST_ARRIVERS)
                a.at[a.count++] = (arriver){t, op};
        }
    }
    return a;
}

static bool runs_in(const ir_program *p, const ir_task *t, const ir_op *op, int rank)
{
    if (t->only_cta >= 0)
        return t->only_cta == rank;
    return model_gate_open(&p->cluster, op->gate, rank);
}

/* Warps of the task whose cursor visits the lane. */
static int warps_on(const ir_task *t, const ir_op *op, int lane)
{
    const ir_cursor *c = op->cursor < 0 ? NULL : &t->cursors.at[op->cursor];
    if (!c || c->lane == IR_LANE_NONE || c->stride == 1)
        return t->warps;
    if (c->lane == IR_LANE_BY_WARP)
        return lane % c->stride < t->warps;
    return c->first == lane % c->stride ? t->warps : 0;
}

bool arrivers_runs(const ir_program *p, const ir_task *t, const ir_op *op, int rank, int lane)
{
    return runs_in(p, t, op, rank) && warps_on(t, op, lane) > 0;
}

static const ww_pipeline *pipeline_of(const ir_program *p, const ir_op *op)
{
    return &p->kernel->resources.at[op->resource]->pipeline;
}

/* CTAs whose arrivals come to `rank`. */
static int ctas_reaching(const arrivers *a, const arriver *who, int rank)
{
    int n = 0;
    const ir_program *p = a->program;
    for (int from = 0; from < p->cluster_size; from++)
        n += runs_in(p, who->task, who->op, from) &&
             (model_targets(&p->cluster, who->op->to, pipeline_of(p, who->op), from) >> rank & 1);
    return n;
}

static bool by_all_lanes(const ir_op *op)
{
    return op->kind == IR_COPY_ARRIVE || (op->kind == IR_ARRIVE && op->lanes == MODEL_LANES_ALL);
}

/* In one CTA. */
static int arrivals_of(const arriver *who, int lane)
{
    int warps = warps_on(who->task, who->op, lane);
    if (by_all_lanes(who->op))
        return warps * WARP_LANES;
    return who->op->kind != IR_UMMA_COMMIT && who->op->lanes == MODEL_LANES_FIRST ? warps > 0 : warps;
}

uint32_t arrivers_count(const arrivers *a, int rank, int lane)
{
    int sum = 0;
    for (int i = 0; i < a->count; i++)
        sum += arrivals_of(&a->at[i], lane) * ctas_reaching(a, &a->at[i], rank);
    return (uint32_t)sum;
}

uint32_t arrivers_most(const arrivers *a, int *rank, int *lane)
{
    uint32_t most = 0;
    *rank = *lane = 0;
    for (int r = 0; r < a->program->cluster_size; r++)
        for (int l = 0; l < a->lanes; l++) {
            uint32_t n = arrivers_count(a, r, l);
            if (n <= most)
                continue;
            most = n;
            *rank = r;
            *lane = l;
        }
    return most;
}

static void who_text(const arriver *who, int lane, text *out)
{
    int warps = warps_on(who->task, who->op, lane);
    bool first = who->op->kind != IR_UMMA_COMMIT && who->op->lanes == MODEL_LANES_FIRST;
    if (first && who->task->warps > 1)
        text_printf(out, "first warp of %s", who->task->name);
    else if (warps < who->task->warps)
        text_printf(out, "%d of the %d warps of %s", warps, who->task->warps, who->task->name);
    else
        text_printf(out, "%d warp%s of %s", warps, warps > 1 ? "s" : "", who->task->name);
    if (who->op->kind == IR_UMMA_COMMIT)
        text_add(out, " x 1 tcgen05.commit");
    else
        text_printf(out, " x %s", by_all_lanes(who->op) ? "32 lanes" : "1 lane");
}

void arrivers_text(const arrivers *a, int rank, int lane, text *out)
{
    bool empty = true;
    for (int i = 0; i < a->count; i++) {
        int ctas = ctas_reaching(a, &a->at[i], rank);
        if (!ctas || !arrivals_of(&a->at[i], lane))
            continue;
        text_add(out, empty ? "" : " + ");
        who_text(&a->at[i], lane, out);
        if (ctas > 1)
            text_printf(out, " x %d CTAs", ctas);
        empty = false;
    }
    if (empty)
        text_add(out, "no arrivals");
}
