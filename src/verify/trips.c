/* Reading loop bounds; see trips.h for the normal form. */
#include "verify/trips.h"

static bool symbolic(const ww_bound *b)
{
    return b->kind != WW_BOUND_IMMEDIATE;
}

static int64_t immediate_count(int64_t start, int64_t end, int64_t step)
{
    if (step == 0 || (step > 0 ? start >= end : start <= end))
        return 0;
    return step > 0 ? (end - start + step - 1) / step : (start - end - step - 1) / -step;
}

/* The bound that alone is symbolic and rules the loop, or NULL. */
static const ww_bound *ruling_bound(const ir_op *loop)
{
    if (symbolic(&loop->stride))
        return NULL;
    if (symbolic(&loop->end) && !symbolic(&loop->start) && loop->stride.value > 0)
        return &loop->end;
    if (symbolic(&loop->start) && !symbolic(&loop->end) && loop->stride.value < 0)
        return &loop->start;
    return NULL;
}

trips trips_of(const ir_op *loop)
{
    if (!symbolic(&loop->start) && !symbolic(&loop->end) && !symbolic(&loop->stride))
        return (trips){.count = immediate_count(loop->start.value, loop->end.value, loop->stride.value)};
    const ww_bound *ruling = ruling_bound(loop);
    if (ruling == &loop->end)
        return (trips){.symbolic = true, .offset = loop->start.value, .step = loop->stride.value};
    if (ruling)
        return (trips){.symbolic = true, .offset = loop->end.value, .step = -(int64_t)loop->stride.value};
    return (trips){.symbolic = true, .step = 1, .combined = true};
}

static bool same_bound(const ww_bound *a, const ww_bound *b)
{
    if (a->kind != b->kind)
        return false;
    return a->kind == WW_BOUND_IMMEDIATE ? a->value == b->value : strcmp(a->name, b->name) == 0;
}

bool trips_same_value(const ir_op *a, const ir_op *b)
{
    const ww_bound *rule_a = ruling_bound(a), *rule_b = ruling_bound(b);
    if (rule_a && rule_b)
        return same_bound(rule_a, rule_b);
    return !rule_a && !rule_b && same_bound(&a->start, &b->start) && same_bound(&a->end, &b->end) &&
           same_bound(&a->stride, &b->stride);
}

int64_t trips_least_value(const ir_op *loop)
{
    const ww_bound *ruling = ruling_bound(loop);
    return ruling && ruling->kind == WW_BOUND_ARGUMENT ? ruling->min : 0;
}

bool trips_on_device(const ir_op *loop)
{
    return loop->start.kind == WW_BOUND_DEVICE || loop->end.kind == WW_BOUND_DEVICE ||
           loop->stride.kind == WW_BOUND_DEVICE;
}

int64_t trips_for_value(const trips *t, int64_t value)
{
    if (!t->symbolic)
        return t->count;
    return value <= t->offset ? 0 : (value - t->offset + t->step - 1) / t->step;
}

void trips_value_text(const ir_op *loop, text *out)
{
    const ww_bound *ruling = ruling_bound(loop);
    if (ruling) {
        ir_bound_text(ruling, out);
        return;
    }
    text_add(out, "trips of [");
    ir_bound_text(&loop->start, out);
    text_add(out, ", ");
    ir_bound_text(&loop->end, out);
    text_add(out, ") step ");
    ir_bound_text(&loop->stride, out);
}
