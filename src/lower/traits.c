/* What the rows of ops.def and effects.def say of their kinds. */
#include "lower/lower.h"

const ir_kind_row ir_kinds[] = {
#define IR_OP(name, text, trait, meaning) [IR_##name] = {text, trait},
#include "lower/ops.def"
#undef IR_OP
};

const ir_effect_row ir_effects[] = {
#define IR_EFFECT(name, writes, async, maker, by, verb, until) [IR_##name] = {writes, async, maker, by, verb},
#include "lower/effects.def"
#undef IR_EFFECT
};

bool ir_is_arrival(const ir_op *op)
{
    return ir_kinds[op->kind].trait == IR_ARRIVES;
}

bool ir_has_effect(const ir_op *op)
{
    return op->effect_count || op->wgmma_groups || op->bulk_groups || op->wgmma_wait >= 0 ||
           op->bulk_wait >= 0;
}

bool ir_is_event(const ir_op *op)
{
    switch (ir_kinds[op->kind].trait) {
    case IR_ARRIVES:
    case IR_SYNCS: return true;
    case IR_ACTS: return ir_has_effect(op);
    default: return false;
    }
}

ir_op ir_blank_op(ir_kind kind)
{
    ir_op op = {.kind = kind,
                .verb = -1,
                .match = -1,
                .resource = -1,
                .barrier = -1,
                .cursor = -1,
                .status = -1,
                .condition = -1,
                .key = -1,
                .wgmma_wait = -1,
                .bulk_wait = -1};
    memset(op.out, -1, sizeof op.out);
    memset(op.in, -1, sizeof op.in);
    return op;
}
