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
        rule_finding(run, WW_QUEUE, place, ON({t}, {loop >= 0 ? rule_resource(run, t->queue) : NULL}),
                     "task %s does not advance its work queue once a tile", t->name);
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
        else if (op->step != t->ops.at[last].step)
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
        for (int side = WW_CONSUMER; rule_is_ring(resource) && side <= WW_PRODUCER; side++) {
            in_a |= rule_first_use(run->program, a, (int)r, (ww_side)side) >= 0;
            in_b |= rule_first_use(run->program, b, (int)r, (ww_side)side) >= 0;
        }
        *shared = resource;
        if (in_a && in_b)
            return true;
    }
    return false;
}

static const ww_resource *queue_of(const rule_run *run, const ir_task *t)
{
    return t->queue < 0 ? NULL : rule_resource(run, t->queue);
}

static const char *queue_name(const rule_run *run, const ir_task *t)
{
    return t->queue < 0 ? "none" : queue_of(run, t)->name;
}

static void check_agreement(const rule_run *run, const ir_task *a, const ir_task *b)
{
    const ww_resource *shared;
    if (a->queue == b->queue || !shares_pipeline(run, a, b, &shared))
        return;
    const ir_task *odd = a->queue < 0 ? a : b, *other = odd == a ? b : a;
    ww_diag *d = rule_finding(run, WW_QUEUE, odd->task->place,
                              ON({a, b}, {shared, queue_of(run, a), queue_of(run, b)}),
                              "tasks %s and %s synchronise on %s and do not loop over the same work queue",
                              a->name, b->name, shared->name);
    diag_expected(run->diags, d, "a tile loop over %s in task %s", queue_name(run, other), odd->name);
    diag_found(run->diags, d, "%s", queue_name(run, odd));
    diag_hint(run->diags, d, "ww_work_tile_loop (s, %s) around the schedule of task %s",
              queue_name(run, other), odd->name);
    diag_related(run->diags, d, other->task->place, "task %s loops over %s", other->name,
                 queue_name(run, other));
}

/* ---- dynamic queues: one scheduler task fetches ------------------------------------------------------ */

static const ir_op *first_of(const ir_task *t, ir_kind kind)
{
    for (size_t i = 0; i < t->ops.len; i++)
        if (t->ops.at[i].kind == kind)
            return &t->ops.at[i];
    return NULL;
}

static void report_fetch(const rule_run *run, const ir_task *t, const ir_op *fetch, const char *found)
{
    const char *queue = rule_resource(run, fetch->resource)->name;
    ww_diag *d = rule_finding(run, WW_QUEUE, fetch->place, ON({t}, {rule_resource(run, fetch->resource)}),
                              "task %s does not fetch the tiles of %s once a tile, right before it advances",
                              t->name, queue);
    diag_expected(run->diags, d, "ww_fetch_tile(s, %s) once, as the step before ww_advance_tile", queue);
    diag_found(run->diags, d, "%s", found);
    diag_hint(run->diags, d, "write ww_fetch_tile(s, %s) right before ww_advance_tile, and nowhere else",
              queue);
}

/* The advance is known to be the tile loop's last step, so its neighbour stands in no inner block. */
static void check_fetches(const rule_run *run, const ir_task *t)
{
    const ir_op *advance = first_of(t, IR_NEXT_TILE), *fetch = first_of(t, IR_FETCH), *second = NULL;
    for (size_t i = 0; i < t->ops.len; i++)
        if (t->ops.at[i].kind == IR_FETCH && &t->ops.at[i] != fetch)
            second = &t->ops.at[i];
    if (fetch && fetch->resource != t->queue)
        report_fetch(run, t, fetch, "a fetch from a queue that the task does not loop over");
    else if (second)
        report_fetch(run, t, second, "a second fetch");
    else if (fetch && (!advance || fetch->step + 1 != advance->step))
        report_fetch(run, t, fetch, "a fetch that other steps, or the end of a block, part from the advance");
}

static void report_second_scheduler(const rule_run *run, const ir_task *t, const ir_task *first, int queue)
{
    const char *name = rule_resource(run, queue)->name;
    ww_diag *d =
        rule_finding(run, WW_QUEUE, first_of(t, IR_FETCH)->place, ON({first, t}, {rule_resource(run, queue)}),
                     "tasks %s and %s both fetch the tiles of %s", first->name, t->name, name);
    diag_expected(run->diags, d, "one scheduler task");
    diag_found(run->diags, d, "%s and %s", first->name, t->name);
    diag_hint(run->diags, d, "remove ww_fetch_tile from task %s", t->name);
    diag_related(run->diags, d, first_of(first, IR_FETCH)->place, "task %s fetches here", first->name);
}

/* The scheduler runs ahead by the queue's stages; what it produced besides would hold it back, or run past the others. */
static void check_scheduler(const rule_run *run, const ir_task *t)
{
    if (t->warps > 1) {
        const ir_op *fetch = first_of(t, IR_FETCH);
        ww_diag *d = rule_finding(run, WW_QUEUE, fetch->place, ON({t}, {rule_resource(run, fetch->resource)}),
                                  "task %s: each of its %d warps fetches a tile of %s", t->name, t->warps,
                                  rule_resource(run, fetch->resource)->name);
        diag_expected(run->diags, d, "a scheduler task of one warp");
        diag_found(run->diags, d, "%d warps", t->warps);
        diag_hint(run->diags, d, ".warps = 1");
    }
    for (size_t r = 0; r < run->kernel->resources.len; r++) {
        const ww_resource *resource = run->kernel->resources.at[r];
        int use = rule_first_use(run->program, t, (int)r, WW_PRODUCER);
        if (use < 0 || resource->kind != MODEL_MEMORY)
            continue;
        ww_diag *d = rule_finding(run, WW_QUEUE, t->ops.at[use].place,
                                  ON({t}, {resource, rule_resource(run, t->queue)}),
                                  "task %s fetches the tiles of %s and produces %s as well", t->name,
                                  rule_resource(run, t->queue)->name, resource->name);
        diag_expected(run->diags, d, "a scheduler task that produces nothing else");
        diag_found(run->diags, d, "producer verbs or work on %s", resource->name);
        diag_hint(run->diags, d, "move ww_fetch_tile into a task of its own, of one warp");
        return;
    }
}

static void report_no_scheduler(const rule_run *run, const ww_resource *queue)
{
    ww_diag *d = rule_finding(run, WW_QUEUE, queue->place, ON(.resources = {queue}),
                              "no task fetches the tiles of %s", queue->name);
    diag_expected(run->diags, d, "one scheduler task with ww_fetch_tile(s, %s) before its ww_advance_tile",
                  queue->name);
    diag_found(run->diags, d, "no ww_fetch_tile(s, %s)", queue->name);
    diag_hint(run->diags, d,
              "a task of one warp: ww_work_tile_loop (s, %s) { ww_fetch_tile; ww_advance_tile }",
              queue->name);
}

/* Every task gives each tile's slot back, and learns from it that no tile is left. */
static void report_untiled(const rule_run *run, const ir_task *t, const ww_resource *queue)
{
    ww_diag *d =
        rule_finding(run, WW_QUEUE, t->task->place, ON({t}, {queue, queue_of(run, t)}),
                     "task %s does not loop over the tiles of %s, a dynamic queue", t->name, queue->name);
    diag_expected(run->diags, d, "a tile loop over %s in every task that has a schedule", queue->name);
    diag_found(run->diags, d, "%s", queue_name(run, t));
    diag_hint(run->diags, d, "ww_work_tile_loop (s, %s) around the schedule of task %s", queue->name,
              t->name);
}

static void check_dynamic(const rule_run *run, const ww_resource *queue)
{
    const ir_task *scheduler = NULL;
    bool used = false;
    for (size_t i = 0; i < run->program->tasks.len; i++)
        used |= run->program->tasks.at[i].queue == queue->index;
    for (size_t i = 0; used && i < run->program->tasks.len; i++) {
        const ir_task *t = &run->program->tasks.at[i];
        if (t->ops.len && t->queue != queue->index)
            report_untiled(run, t, queue);
        if (t->queue != queue->index || !first_of(t, IR_FETCH))
            continue;
        if (scheduler)
            report_second_scheduler(run, t, scheduler, queue->index);
        else
            check_scheduler(run, t);
        scheduler = t;
    }
    if (used && !scheduler)
        report_no_scheduler(run, queue);
}

/* ---- all of it ---------------------------------------------------------------------------------------- */

static bool has_dynamic_queue(const rule_run *run, const ir_task *t)
{
    return t->queue >= 0 && model_is_dynamic_queue(rule_resource(run, t->queue));
}

void verify_queues(const rule_run *run)
{
    const ir_program *p = run->program;
    for (size_t i = 0; i < p->tasks.len; i++) {
        const ir_task *t = &p->tasks.at[i];
        check_advance(run, t);
        check_fetches(run, t);
        for (size_t j = 0; j < i; j++)
            if (!has_dynamic_queue(run, t) && !has_dynamic_queue(run, &p->tasks.at[j]))
                check_agreement(run, &p->tasks.at[j], t);
    }
    for (size_t i = 0; i < run->kernel->resources.len; i++)
        if (model_is_dynamic_queue(run->kernel->resources.at[i]))
            check_dynamic(run, run->kernel->resources.at[i]);
}
