/* Questions that several rules ask about a task's program. */
#include "verify/rules.h"

static bool reads_by_wgmma(const ir_program *p, const ir_op *op, int r)
{
    for (int i = 0; i < op->effect_count; i++)
        if (op->effects[i].kind == IR_WGMMA_READ && p->buffers.at[op->effects[i].buffer].resource == r)
            return true;
    return false;
}

rule_event rule_event_of(const ir_program *p, const ir_op *op, int r, ww_side side)
{
    bool producer = side == WW_PRODUCER;
    if (op->kind == IR_WORK) {
        bool own = op->resource == r && op->work->declared->side == side && !op->work->declared->auxiliary;
        return own || (!producer && reads_by_wgmma(p, op, r)) ? RULE_WORK : RULE_NOTHING;
    }
    if (op->resource != r || op->verb < 0)
        return RULE_NOTHING;
    if (op->kind == IR_WAIT && op->verb == (producer ? WW_ACQUIRE : WW_WAIT))
        return RULE_OPEN;
    if (op->kind == IR_ADVANCE && op->verb == (producer ? WW_COMMIT : WW_RELEASE))
        return RULE_CLOSE;
    return RULE_NOTHING;
}

int rule_first_event(const ir_program *p, const ir_task *t, int r, ww_side side, rule_event event)
{
    for (size_t i = 0; i < t->ops.len; i++)
        if (rule_event_of(p, &t->ops.at[i], r, side) == event)
            return (int)i;
    return -1;
}

bool rule_runs_ahead(const ww_resource *r, ww_side side)
{
    return side == WW_PRODUCER ? r->pipeline.advance_on_acquire : r->pipeline.advance_on_wait;
}

int rule_first_use(const ir_program *p, const ir_task *t, int r, ww_side side)
{
    for (size_t i = 0; i < t->ops.len; i++) {
        const ir_op *op = &t->ops.at[i];
        bool verb = op->verb >= 0 && op->resource == r && capture_verb_side((ww_verb)op->verb) == side;
        bool work = op->kind == IR_WORK && op->resource == r && op->work->declared->side == side;
        if (verb || work || (op->kind == IR_WORK && side == WW_CONSUMER && reads_by_wgmma(p, op, r)))
            return (int)i;
    }
    return -1;
}

const char *rule_open_name(ww_side side)
{
    return side == WW_PRODUCER ? "acquire" : "wait";
}

const char *rule_close_name(ww_side side)
{
    return side == WW_PRODUCER ? "commit" : "release";
}
