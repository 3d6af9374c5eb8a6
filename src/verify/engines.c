/* Engines: what work bodies say of tensor cores and bulk stores fits the pipeline types and the tasks. */
#include "verify/rules.h"

enum { GROUP_WARPS = 4 };

static const ir_op *next_work(const ir_task *t, size_t *at)
{
    while (*at < t->ops.len)
        if (t->ops.at[(*at)++].kind == IR_WORK)
            return &t->ops.at[*at - 1];
    return NULL;
}

static ww_diag *add(const rule_run *run, const ir_task *t, const ir_op *op, const char *what)
{
    text step = {0};
    rule_step_text(t, op, &step);
    ww_diag *d = rule_finding(run, WW_TENSOR_CORE, op->place, ON({t}, {rule_resource(run, op->resource)}),
                              "task %s: %s %s", t->name, text_str(&step), what);
    text_free(&step);
    return d;
}

/* ---- who may issue ------------------------------------------------------------------------------------ */

/* One thread issues tcgen05 work and commits it; of several warps each would. */
static bool check_umma_task(const rule_run *run, const ir_task *t, const ir_op *op)
{
    if (t->warps == 1)
        return true;
    ww_diag *d = add(run, t, op, "is tcgen05 work, and each warp of the task would issue it");
    diag_expected(run->diags, d, "a task of one warp");
    diag_found(run->diags, d, "%d warps", t->warps);
    diag_hint(run->diags, d, "move it into a task of its own with .warps = 1");
    return false;
}

/* PTX ISA, "Warpgroup": four warps, the first of a rank that is a multiple of four. */
static bool check_wgmma_task(const rule_run *run, const ir_task *t, const ir_op *op)
{
    if (t->first_warp % GROUP_WARPS == 0 && t->warps % GROUP_WARPS == 0)
        return true;
    ww_diag *d = add(run, t, op, "is wgmma work, and the task is no whole number of warpgroups");
    diag_expected(run->diags, d, "first_warp and warps that are multiples of 4");
    diag_found(run->diags, d, "first_warp = %d, warps = %d", t->first_warp, t->warps);
    diag_hint(run->diags, d, ".first_warp = %d, .warps = %d",
              (int)round_up((uint32_t)t->first_warp, GROUP_WARPS),
              (int)round_up((uint32_t)t->warps, GROUP_WARPS));
    return false;
}

/* ---- what tcgen05 writes ------------------------------------------------------------------------------ */

/* Threads that commit cannot know when tcgen05 has finished. */
static bool check_umma_writes(const rule_run *run, const ir_task *t, const ir_op *op)
{
    const ww_resource *r = rule_resource(run, op->resource);
    if (!rule_is_ring(r) || model_protocol_of(r->pipeline.type)->producer == MODEL_UMMA)
        return true;
    ww_diag *d = add(run, t, op, "is tcgen05 work, and threads commit what it writes before it has finished");
    diag_expected(run->diags, d, "a pipeline type whose producer is UMMA: its commit is a tcgen05.commit");
    diag_found(run->diags, d, "%s", model_protocol_of(r->pipeline.type)->label);
    diag_hint(run->diags, d, "UmmaAsync or UmmaUmma as the type of %s", r->name);
    return false;
}

/* What a pipeline says the tensor core fills, it fills. */
static bool check_umma_producer(const rule_run *run, const ir_task *t, const ir_op *op)
{
    const ww_resource *r = rule_resource(run, op->resource);
    const model_work *w = op->work;
    if (!rule_is_ring(r) || model_protocol_of(r->pipeline.type)->producer != MODEL_UMMA ||
        w->declared->side != WW_PRODUCER || w->declared->auxiliary || op->umma)
        return true;
    ww_diag *d = add(run, t, op, "fills a slot that tcgen05 commits, and is no tcgen05 work");
    diag_expected(run->diags, d, "umma_reads naming what its tcgen05 instructions read (pipeline type %s)",
                  model_protocol_of(r->pipeline.type)->label);
    diag_found(run->diags, d, "work without umma_reads");
    diag_hint(run->diags, d, ".umma_reads = {...}, or AsyncAsync or AsyncUmma as the type of %s", r->name);
    return false;
}

/* The first mistake of a task. */
static void check_task(const rule_run *run, const ir_task *t)
{
    const ir_op *op;
    for (size_t at = 0; (op = next_work(t, &at));) {
        if (op->umma && !(check_umma_task(run, t, op) && check_umma_writes(run, t, op)))
            return;
        if (op->wgmma_groups && !check_wgmma_task(run, t, op))
            return;
        if (!check_umma_producer(run, t, op))
            return;
    }
}

/* ---- what an engine is said to consume ----------------------------------------------------------------- */

static const struct {
    model_agent consumer;
    const char *member, *name, *instead, *filled_by_threads;
} engines[] = {
    {MODEL_UMMA, "umma_reads naming it", "tcgen05", "a type whose consumer is Async", "AsyncUmma"},
    {MODEL_WGMMA, "wgmma_reads naming it", "wgmma", "a type whose consumer is Async", "AsyncWgmma"},
    {MODEL_TMA, "bulk_store", "bulk stores", "the type AsyncAsync", "AsyncTma"},
};

/* A task that releases a slot lets the engine read it first; a task that only releases, or only waits, may leave that to
 * others. */
static void check_consumer(const rule_run *run, const ir_task *t, const ww_resource *r, size_t engine)
{
    size_t at = 0;
    const ir_op *op;
    int release = rule_first_event(run->program, t, r->index, WW_CONSUMER, RULE_CLOSE);
    if (release < 0 || rule_part_of(run->program, t, r, WW_CONSUMER) != RULE_WHOLE)
        return;
    while ((op = next_work(t, &at)))
        if (rule_engine_reads(op, r->index, engines[engine].consumer))
            return;
    ww_diag *d = rule_finding(run, WW_TENSOR_CORE, t->ops.at[release].place, ON({t}, {r}),
                              "task %s consumes %s, and none of its work lets %s read it", t->name, r->name,
                              engines[engine].name);
    diag_expected(run->diags, d, "work with %s (pipeline type %s)", engines[engine].member,
                  model_protocol_of(r->pipeline.type)->label);
    diag_found(run->diags, d, "no such work in task %s", t->name);
    diag_hint(run->diags, d, "declare it in the work table, or give %s %s", r->name, engines[engine].instead);
    diag_related(run->diags, d, r->place, "%s is declared here", r->name);
}

/* Of split consumers, somebody's work must. */
static bool read_by_someone(const rule_run *run, const ww_resource *r, size_t engine)
{
    const ir_op *op;
    for (size_t t = 0; t < run->program->tasks.len; t++)
        for (size_t at = 0; (op = next_work(&run->program->tasks.at[t], &at));)
            if (rule_engine_reads(op, r->index, engines[engine].consumer))
                return true;
    return false;
}

static void check_split(const rule_run *run, const ww_resource *r, size_t engine)
{
    if (read_by_someone(run, r, engine) || !lower_split_consumer(run->kernel, r))
        return;
    ww_diag *d = rule_finding(run, WW_TENSOR_CORE, r->place, ON(.resources = {r}), "no work lets %s read %s",
                              engines[engine].name, r->name);
    diag_expected(run->diags, d, "work with %s (pipeline type %s)", engines[engine].member,
                  model_protocol_of(r->pipeline.type)->label);
    diag_found(run->diags, d, "no such work in any task");
    diag_hint(run->diags, d, "declare it in the work table, or give %s %s", r->name, engines[engine].instead);
}

/* ---- who fences ---------------------------------------------------------------------------------------- */

/* Threads that commit fence the async proxy where the type says that an engine consumes; PTX ISA, "Async proxy". */
static void check_fence(const rule_run *run, const ir_task *t, const ww_resource *r)
{
    const model_protocol *p = model_protocol_of(r->pipeline.type);
    const ir_op *op;
    if (p->producer != MODEL_ASYNC || p->consumer != MODEL_ASYNC)
        return;
    for (size_t at = 0; (op = next_work(t, &at));)
        for (size_t e = 0; e < ARRAY_LEN(engines); e++) {
            if (!rule_engine_reads(op, r->index, engines[e].consumer))
                continue;
            text what = {0};
            text_printf(&what,
                        "lets %s read %s, and nobody fences the async proxy after threads have filled it",
                        engines[e].name, r->name);
            ww_diag *d = add(run, t, op, text_str(&what));
            text_free(&what);
            rule_rests_on(run, d, r);
            diag_expected(run->diags, d, "a type whose consumer is the engine: its commit fences");
            diag_found(run->diags, d, "%s", p->label);
            diag_hint(run->diags, d, "%s as the type of %s", engines[e].filled_by_threads, r->name);
            return;
        }
}

void verify_engines(const rule_run *run)
{
    for (size_t t = 0; t < run->program->tasks.len; t++)
        check_task(run, &run->program->tasks.at[t]);
    for (size_t i = 0; i < run->kernel->resources.len; i++) {
        const ww_resource *r = run->kernel->resources.at[i];
        for (size_t t = 0; rule_is_ring(r) && t < run->program->tasks.len; t++)
            check_fence(run, &run->program->tasks.at[t], r);
        for (size_t e = 0; e < ARRAY_LEN(engines); e++) {
            if (!rule_is_ring(r) || model_protocol_of(r->pipeline.type)->consumer != engines[e].consumer)
                continue;
            check_split(run, r, e);
            for (size_t t = 0; t < run->program->tasks.len; t++)
                check_consumer(run, &run->program->tasks.at[t], r, e);
        }
    }
}
