/* Rules on work queues: who synchronises with each other walks the same tiles. */
#include "verify/rules.h"

/* ---- one advance a tile ----------------------------------------------------------------------------- */

static int tile_loop_of(const ir_task *t)
{
    for (size_t i = 0; i < t->ops.len; i++)
        if (t->ops.at[i].kind == IR_TILE_LOOP)
            return (int)i;
    return -1;
}

static void report_advance(const rule_run *run, const ir_task *t, ww_place place, const char *found)
{
    int loop = tile_loop_of(t);
    const char *queue = loop >= 0 ? rule_resource(run, t->queue)->name : "queue";
    ww_diag *d =
        diag_add(run->diags, WW_QUEUE, place, "task %s does not advance its work queue once a tile", t->name);
    diag_expected(run->diags, d, "ww_advance_tile(s, %s) once, as the last step of the tile loop", queue);
    diag_found(run->diags, d, "%s", found);
    diag_hint(run->diags, d,
              "write ww_advance_tile(s, %s) before the tile loop's closing brace, and nowhere else", queue);
    if (loop >= 0)
        diag_related(run->diags, d, t->ops.at[loop].place, "the tile loop");
}

static void check_advance(const rule_run *run, const ir_task *t)
{
    int loop = tile_loop_of(t), seen = 0;
    int last = loop >= 0 ? t->ops.at[loop].match - 1 : -1;
    for (size_t i = 0; i < t->ops.len; i++) {
        const ir_op *op = &t->ops.at[i];
        if (op->kind != IR_NEXT_TILE)
            continue;
        seen++;
        if (loop < 0 || (int)i < loop || (int)i > last)
            report_advance(run, t, op->place, "an advance outside a tile loop");
        else if (op->resource != t->queue)
            report_advance(run, t, op->place, "an advance of another queue");
        else if ((int)i != last)
            report_advance(run, t, op->place, "an advance before other steps, or in an inner block");
    }
    if (loop >= 0 && !seen)
        report_advance(run, t, t->ops.at[loop].place, "no advance: the first tile would repeat for ever");
}

/* ---- the same queue among those that synchronise ---------------------------------------------------- */

static bool shares_pipeline(const rule_run *run, const ir_task *a, const ir_task *b,
                            const ww_resource **shared)
{
    for (size_t r = 0; r < run->kernel->resources.len; r++) {
        const ww_resource *resource = run->kernel->resources.at[r];
        bool in_a = false, in_b = false;
        for (int side = WW_CONSUMER; model_pipelined(resource) && side <= WW_PRODUCER; side++) {
            in_a |= rule_first_use(run->program, a, (int)r, (ww_side)side) >= 0;
            in_b |= rule_first_use(run->program, b, (int)r, (ww_side)side) >= 0;
        }
        *shared = resource;
        if (in_a && in_b)
            return true;
    }
    return false;
}

static const char *queue_name(const rule_run *run, const ir_task *t)
{
    return t->queue < 0 ? "none" : rule_resource(run, t->queue)->name;
}

static void check_agreement(const rule_run *run, const ir_task *a, const ir_task *b)
{
    const ww_resource *shared;
    if (a->queue == b->queue || !shares_pipeline(run, a, b, &shared))
        return;
    const ir_task *odd = a->queue < 0 ? a : b, *other = odd == a ? b : a;
    ww_diag *d = diag_add(run->diags, WW_QUEUE, odd->task->place,
                          "tasks %s and %s synchronise on %s and do not loop over the same work queue",
                          a->name, b->name, shared->name);
    diag_expected(run->diags, d, "a tile loop over %s in task %s", queue_name(run, other), odd->name);
    diag_found(run->diags, d, "%s", queue_name(run, odd));
    diag_hint(run->diags, d, "ww_work_tile_loop (s, %s) around the schedule of task %s",
              queue_name(run, other), odd->name);
    diag_related(run->diags, d, other->task->place, "task %s loops over %s", other->name,
                 queue_name(run, other));
}

void verify_queues(const rule_run *run)
{
    const ir_program *p = run->program;
    for (size_t i = 0; i < p->tasks.len; i++) {
        check_advance(run, &p->tasks.at[i]);
        for (size_t j = 0; j < i; j++)
            check_agreement(run, &p->tasks.at[j], &p->tasks.at[i]);
    }
}
