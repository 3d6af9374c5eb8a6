/* How many arrivals the schedules make per phase, and how many bytes their copies bring. */
#include "lower/lower.h"
#include "capture/capture.h"

enum { WARP_LANES = 32 };

static bool task_has_verb(const ww_task *t, const ww_resource *r, ww_verb verb)
{
    for (size_t i = 0; i < t->schedule->steps.len; i++) {
        const capture_step *s = &t->schedule->steps.at[i];
        if (s->kind == CAPTURE_VERB && s->verb == verb && s->resource == r)
            return true;
    }
    return false;
}

uint32_t lower_arrivals(const ww_kernel *k, const ww_resource *r, ir_side side)
{
    const model_protocol *protocol = model_protocol_of(r->pipeline.type);
    ww_verb verb = WW_RELEASE;
    model_lanes lanes = protocol->empty_lanes;
    if (side == IR_FULL) {
        verb = protocol->full_verb == MODEL_FULL_BY_COMMIT ? WW_COMMIT : WW_ACQUIRE;
        lanes = protocol->full_lanes;
    }
    uint32_t warps = 0;
    for (size_t i = 0; i < k->tasks.len; i++)
        if (task_has_verb(k->tasks.at[i], r, verb))
            warps += (uint32_t)k->tasks.at[i]->options.warps;
    return lanes == MODEL_LANES_ALL ? WARP_LANES * warps : warps;
}

/* The copies of a schedule's work on r from its first acquire to the commit; false when it never acquires. */
static bool bracket_bytes(const ww_schedule *s, const ww_resource *r, uint32_t *bytes)
{
    bool open = false;
    *bytes = 0;
    for (size_t i = 0; i < s->steps.len; i++) {
        const capture_step *step = &s->steps.at[i];
        if (step->resource != r)
            continue;
        if (step->kind == CAPTURE_VERB && step->verb == WW_ACQUIRE)
            open = true;
        else if (step->kind == CAPTURE_VERB && step->verb == WW_COMMIT && open)
            return true;
        else if (step->kind == CAPTURE_WORK && open)
            *bytes += step->work->copy_bytes;
    }
    return open;
}

uint32_t lower_stage_bytes(const ww_kernel *k, const ww_resource *r)
{
    uint32_t bytes = 0;
    if (!model_protocol_of(r->pipeline.type)->full_tx)
        return 0;
    for (size_t i = 0; i < k->tasks.len; i++)
        if (bracket_bytes(k->tasks.at[i]->schedule, r, &bytes))
            return bytes;
    return 0;
}
