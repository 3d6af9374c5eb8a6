#include "spec_kernel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>

/* ---- declaring ------------------------------------------------------------------------------------------ */

ww_kernel *spec_kernel(const char *arch, ww_cluster cluster)
{
    return ww_kernel_new("k", &(ww_kernel_options){.arch = arch,
                                                   .body = "k.cuh",
                                                   .params = "core_params",
                                                   .params_bytes = sizeof(struct core_params),
                                                   .cluster = cluster});
}

ww_resource *spec_ring(ww_kernel *k, const char *name, ww_pipeline pipeline)
{
    static const ww_work threads[] = {
        {.name = "fill", .side = WW_PRODUCER}, {.name = "use", .side = WW_CONSUMER}, {0}};
    static const ww_work copies[] = {
        {.name = "fill", .side = WW_PRODUCER, .copies = {{.buffer = "data", .bytes = 1024}}},
        {.name = "use", .side = WW_CONSUMER},
        {0}};
    bool bytes = model_protocol_of(pipeline.type)->full_by == MODEL_BY_EXPECT;
    return ww_resource_new(k, name,
                           &(ww_resource_options){.pipeline = pipeline,
                                                  .buffers = {{.name = "data", .bytes = 1024}},
                                                  .work = bytes ? copies : threads});
}

ww_resource *spec_plain(ww_kernel *k, const char *name, const ww_work *work)
{
    return ww_resource_new(k, name, &(ww_resource_options){.work = work});
}

ww_resource *spec_sums(ww_kernel *k, const char *name, const char *operand)
{
    const ww_work work[] = {{.name = "mma", .side = WW_PRODUCER, .umma_reads = {operand}}, {0}};
    return ww_resource_new(k, name, &(ww_resource_options){.tmem = {{"acc", 32}}, .work = work});
}

ww_resource *spec_queue(ww_kernel *k)
{
    return ww_queue_static(k, "queue", &(ww_queue_options){.tiles = {ww_arg(struct core_params, tiles, 0)}});
}

void spec_task(ww_kernel *k, const char *name, int first_warp, int warps, ww_schedule_function *schedule,
               void *context)
{
    (void)ww_task_new(
        k, name,
        &(ww_task_options){
            .first_warp = first_warp, .warps = warps, .schedule = schedule, .context = context});
}

void spec_fill(ww_schedule *s, void *ring)
{
    SPEC_LOOP(s)
    {
        ww_acquire(s, ring);
        ww_produce(s, ring, "fill");
        ww_commit(s, ring);
    }
}

void spec_use(ww_schedule *s, void *ring)
{
    SPEC_LOOP(s)
    {
        ww_wait(s, ring);
        ww_consume(s, ring, "use");
        ww_release(s, ring);
    }
}

/* ---- what comes of it ----------------------------------------------------------------------------------- */

void spec_accept(ww_kernel *k)
{
    const ww_diag *found = ww_kernel_check(k);
    ww_diag_print(stderr, found);
    assert_null(found);
    ww_verdict v = ww_kernel_prove(k);
    bool unmodelled = v.refutation && v.refutation->code == WW_UNPROVABLE;
    if (!v.proved && !unmodelled)
        ww_diag_print(stderr, v.refutation);
    assert_true(v.proved || unmodelled);
}

const ww_diag *spec_refuse(ww_kernel *k, ww_code code)
{
    const ww_diag *all = ww_kernel_check(k);
    for (const ww_diag *d = all; d; d = d->next)
        if (d->code == code)
            return d;
    ww_diag_print(stderr, all);
    fail_msg("no WW%d", (int)code);
    return NULL;
}

const char *spec_emit(ww_kernel *k)
{
    ww_kernel_unchecked(k);
    const char *cuda = ww_kernel_emit(k);
    if (!cuda)
        ww_diag_print(stderr, ww_kernel_check(k));
    assert_non_null(cuda);
    return cuda;
}

void spec_in_order(const char *cuda, const char *const *texts)
{
    const char *at = cuda;
    for (; *texts; texts++) {
        const char *found = strstr(at, *texts);
        if (!found)
            fail_msg("\"%s\" is missing, or out of order, in\n%s", *texts, cuda);
        else
            at = found + strlen(*texts);
    }
}

int spec_count(const char *cuda, const char *task, const char *wanted)
{
    char head[64];
    (void)snprintf(head, sizeof head, "// task %s\n", task);
    const char *at = strstr(cuda, head);
    assert_non_null(at);
    const char *end = strstr(at + strlen(head), "// task ");
    int n = 0;
    for (at = strstr(at, wanted); at && (!end || at < end); at = strstr(at + 1, wanted))
        n++;
    return n;
}

/* ---- the lowered program -------------------------------------------------------------------------------- */

const ir_task *spec_ir_task(const ww_kernel *k, const char *name)
{
    for (size_t i = 0; i < k->program->tasks.len; i++)
        if (strcmp(k->program->tasks.at[i].name, name) == 0)
            return &k->program->tasks.at[i];
    fail_msg("no task %s", name);
    return NULL;
}

const ir_op *spec_op(const ir_task *t, ir_kind kind, int n)
{
    for (size_t i = 0; i < t->ops.len; i++)
        if (t->ops.at[i].kind == kind && n-- == 0)
            return &t->ops.at[i];
    fail_msg("task %s has no such %s", t->name, ir_kind_text(kind));
    return NULL;
}

int spec_ops(const ir_task *t, ir_kind kind)
{
    int n = 0;
    for (size_t i = 0; i < t->ops.len; i++)
        n += t->ops.at[i].kind == kind;
    return n;
}

const ir_barrier *spec_barrier(const ww_kernel *k, const ww_resource *r, ir_side side)
{
    for (size_t i = 0; i < k->program->barriers.len; i++)
        if (k->program->barriers.at[i].resource == r->index && k->program->barriers.at[i].side == side)
            return &k->program->barriers.at[i];
    fail_msg("%s has no such barrier", r->name);
    return NULL;
}
