/* Advice on rings: memory left that would hold more stages than a ring has, if it can fill them. No finding: the kernel is
 * right. Stages that are never in use: credits.c. */
#include "report/summary.h"

#include "model/layout.h"

enum { SMALL_STAGE = 1024 }; /* rings of less a stage are not what memory is kept for */

/* ---- how many slots are filled ----------------------------------------------------------------------- */

/* Trips of a loop, -1: known at launch only. */
static int64_t trips_of(const ir_op *loop)
{
    if (loop->start.kind != WW_BOUND_IMMEDIATE || loop->end.kind != WW_BOUND_IMMEDIATE ||
        loop->stride.kind != WW_BOUND_IMMEDIATE || loop->stride.value == 0)
        return -1;
    int64_t step = loop->stride.value, span = (int64_t)loop->end.value - loop->start.value;
    int64_t trips = step > 0 ? (span + step - 1) / step : (span + step + 1) / step;
    return trips > 0 ? trips : 0;
}

/* How often a task comes to an operation at most; -1: any number of times. */
static int64_t most_times(const ir_task *t, int at)
{
    int64_t times = 1;
    for (int i = 0; i < at; i++) {
        const ir_op *op = &t->ops.at[i];
        if (op->match < at || (op->kind != IR_LOOP && op->kind != IR_TILE_LOOP))
            continue;
        int64_t trips = op->kind == IR_LOOP ? trips_of(op) : -1;
        if (trips < 0)
            return -1;
        times *= trips;
    }
    return times;
}

/* Slots that the task acquires of a ring, at most; -1: any number. */
static int64_t task_slots(const ir_program *p, const ir_task *t, const ww_resource *r)
{
    int64_t slots = 0;
    for (int i = 0; i < (int)t->ops.len; i++) {
        const ir_op *op = &t->ops.at[i];
        if (op->kind != IR_WAIT || op->drain || op->resource != r->index ||
            p->barriers.at[op->barrier].side != IR_EMPTY)
            continue;
        int64_t times = most_times(t, i);
        if (times < 0)
            return -1;
        slots += times;
    }
    return slots;
}

/* The most over the tasks: those that fill a ring together go through the same slots. */
static int64_t most_slots(const ir_program *p, const ww_resource *r)
{
    int64_t most = 0;
    for (size_t i = 0; i < p->tasks.len; i++) {
        int64_t slots = task_slots(p, &p->tasks.at[i], r);
        if (slots < 0)
            return -1;
        most = slots > most ? slots : most;
    }
    return most;
}

static bool is_interleaved(const ww_resource *r)
{
    for (int end = MODEL_END_ACQUIRE; end <= MODEL_END_RELEASE; end++)
        if (model_stride(&r->pipeline, (model_end)end) > 1)
            return true;
    return false;
}

/* ---- memory for more stages --------------------------------------------------------------------------- */

static uint32_t stage_bytes(const ir_program *p, const ww_resource *r)
{
    uint32_t bytes = 0;
    const ir_buffer *b;
    vec_each(b, &p->buffers)
        if (b->resource == r->index && b->space == IR_SHARED)
            bytes += b->stage_bytes;
    return bytes;
}

static void advise_more(const ir_program *p, const ww_resource *r, text *out)
{
    int fits = layout_fitting_stages(p->kernel, r), stages = r->pipeline.stages;
    int64_t slots = is_interleaved(r) ? -1 : most_slots(p, r);
    if (stage_bytes(p, r) < SMALL_STAGE || fits <= stages || (slots >= 0 && slots <= stages))
        return;
    text_printf(out, "  %s: %d stage%s, and memory for %d; WW_STAGES_MAX takes what fits\n", r->name, stages,
                stages == 1 ? "" : "s", fits);
}

void summary_advice(const ir_program *p, FILE *out)
{
    text advice = {0};
    for (size_t i = 0; i < p->kernel->resources.len; i++) {
        const ww_resource *r = p->kernel->resources.at[i];
        if (r->kind != MODEL_MEMORY || !model_pipelined(r))
            continue;
        advise_more(p, r, &advice);
    }
    if (advice.len)
        (void)fprintf(out, "\nadvice\n%s", text_str(&advice));
    text_free(&advice);
}
