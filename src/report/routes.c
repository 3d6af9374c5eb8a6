/* Which value goes from which work call to which. */
#include "report/report.h"

static const char *resource_name(const ir_program *p, int resource)
{
    return p->kernel->resources.at[resource]->name;
}

static void put_call(const ir_program *p, const ir_op *op, FILE *out)
{
    (void)fprintf(out, "%s.%s", resource_name(p, op->resource), op->work->declared->name);
}

/* "smem_ab.tma_load as k (line 35)" for each input that takes the value. */
static void put_inputs(const ir_program *p, const ir_op *op, int value, const char **before, FILE *out)
{
    for (int i = 0; i < op->work->in_count; i++) {
        if (op->in[i] != value)
            continue;
        (void)fputs(*before, out);
        put_call(p, op, out);
        (void)fprintf(out, " as %s (line %d)", op->work->in[i].name, op->place.line);
        *before = ", ";
    }
}

static void put_condition(const ir_op *op, int value, const char **before, FILE *out)
{
    bool reads = (op->guard == IR_GUARD_TRUE || op->guard == IR_GUARD_FALSE) && op->condition == value;
    if (!reads)
        return;
    (void)fprintf(out, "%swhen %s (line %d)", *before, op->guard == IR_GUARD_TRUE ? "true" : "false",
                  op->place.line);
    *before = ", ";
}

static void put_uses(const ir_program *p, const ir_task *t, int value, FILE *out)
{
    const char *before = " -> ";
    const ir_op *op;
    vec_each(op, &t->ops)
        if (op->kind == IR_WORK)
            put_inputs(p, op, value, &before, out);
        else if (op->kind == IR_GUARD)
            put_condition(op, value, &before, out);
    if (before[1] == '-')
        (void)fputs(" -> nobody", out);
}

static void put_value(const ir_program *p, const ir_task *t, int value, FILE *out)
{
    const ir_value *v = &t->values.at[value];
    const ir_op *maker = &t->ops.at[v->producer];
    (void)fprintf(out, "  %s: %s %s = ", t->name, v->type, v->name);
    put_call(p, maker, out);
    (void)fprintf(out, " (line %d)", maker->place.line);
    put_uses(p, t, value, out);
    (void)fputs(v->hoisted ? ", outlives its block" : "", out);
    if (v->hoisted && v->initial)
        (void)fprintf(out, ", at first %s", v->initial);
    (void)fputs("\n", out);
}

bool report_has_routes(const ir_program *p)
{
    for (size_t i = 0; i < p->tasks.len; i++)
        if (p->tasks.at[i].values.len)
            return true;
    return false;
}

void report_routes(const ir_program *p, FILE *out)
{
    (void)fputs(report_has_routes(p) ? "values between work calls\n" : "no values between work calls\n", out);
    for (size_t i = 0; i < p->tasks.len; i++)
        for (size_t v = 0; v < p->tasks.at[i].values.len; v++)
            put_value(p, &p->tasks.at[i], (int)v, out);
}
