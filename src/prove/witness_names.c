/* Steps, barrier stages, slots and accesses as messages and timelines call them. */
#include "capture/capture.h"
#include "prove/witness.h"

void witness_step_name(const plan *p, int agent_index, int op, text *out)
{
    const ir_task *task = plan_task_of(p, agent_index);
    if (task->ops.at[op].drain) {
        text_printf(out, "the end, for the last releases of %s",
                    plan_resource_name(p, task->ops.at[op].resource));
        return;
    }
    capture_step_text(&task->task->schedule->steps.at[task->ops.at[op].step], out);
}

/* In a cluster, " of CTA 1". */
static void rank_text(const plan *p, int rank, text *out)
{
    if (p->ranks > 1)
        text_printf(out, " of CTA %d", rank);
}

void witness_stage_name(const plan *p, int stage, text *out)
{
    const ir_barrier *b = plan_barrier_of(p, stage);
    const char *name = plan_resource_name(p, b->resource);
    switch (b->side) {
    case IR_TURN: text_printf(out, "%s.turn %d", name, b->member); break;
    case IR_NAMED: text_add(out, name); break;
    default:
        text_printf(out, "%s.%s[%d]", name, b->side == IR_FULL ? "full" : "empty", p->stages[stage].stage);
    }
    rank_text(p, p->stages[stage].rank, out);
}

void witness_slot_name(const plan *p, int slot, text *out)
{
    const ir_buffer *b = plan_buffer_of(p, slot);
    text_printf(out, "%s.%s", plan_resource_name(p, b->resource), b->name);
    if (p->slots[slot].pipelined)
        text_printf(out, "[%d]", p->slots[slot].stage);
    rank_text(p, p->slots[slot].rank, out);
}
