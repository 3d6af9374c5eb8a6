/* Alignment: memory that an engine reads or writes lies at multiples of 16 bytes. PTX ISA, "cp.async.bulk": addresses of
 * shared memory; descriptors of wgmma and tcgen05 have no lower bits of an address. Swizzled buffers have more, always. */
#include "verify/rules.h"

enum { ENGINE_ALIGN = 16 };

/* Bits of r's buffers that the work lets an engine touch, and which. */
static uint32_t touched_by_engine(const ir_op *op, const ww_resource *r, const char **engine)
{
    uint32_t all = (1u << r->buffer_count) - 1, touched = 0;
    if (rule_engine_reads(op, r->index, MODEL_WGMMA) || rule_engine_reads(op, r->index, MODEL_UMMA)) {
        *engine = "a tensor core reads it";
        return all;
    }
    if (rule_engine_reads(op, r->index, MODEL_TMA)) {
        *engine = "a bulk store reads it";
        return op->work->touched & all;
    }
    *engine = "a bulk copy fills it";
    for (int i = 0; op->resource == r->index && i < op->work->copy_count; i++)
        touched |= 1u << op->work->copy_buffer[i];
    return touched;
}

static void report(const rule_run *run, const ww_resource *r, const model_buffer *b, const ir_op *op,
                   const char *engine)
{
    ww_diag *d = rule_finding(run, WW_BAD_VALUE, r->place, ON(.resources = {r}),
                              "alignment of buffer %s of resource %s: %s", b->name, r->name, engine);
    diag_expected(run->diags, d, "at least %d", ENGINE_ALIGN);
    diag_found(run->diags, d, "%u", b->align);
    diag_hint(run->diags, d, "leave the alignment out");
    diag_related(run->diags, d, op->place, "the work is called here");
}

static const ir_op *misaligned(const rule_run *run, const ww_resource *r, int buffer, const char **engine)
{
    for (size_t i = 0; i < run->program->tasks.len; i++) {
        const ir_task *t = &run->program->tasks.at[i];
        for (size_t at = 0; at < t->ops.len; at++)
            if (t->ops.at[at].kind == IR_WORK && touched_by_engine(&t->ops.at[at], r, engine) >> buffer & 1)
                return &t->ops.at[at];
    }
    return NULL;
}

void verify_alignment(const rule_run *run)
{
    for (size_t i = 0; i < run->kernel->resources.len; i++) {
        const ww_resource *r = run->kernel->resources.at[i];
        for (int b = 0; b < r->buffer_count; b++) {
            const char *engine;
            const ir_op *op = r->buffers[b].align < ENGINE_ALIGN ? misaligned(run, r, b, &engine) : NULL;
            if (op)
                report(run, r, &r->buffers[b], op, engine);
        }
    }
}
