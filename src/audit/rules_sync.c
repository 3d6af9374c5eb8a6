/* What is the framework's business and not a body's: barriers, registers, dependent grids, tensor memory; fences that are
 * wider than they need be, and calls where few registers are. */
#include "audit/body.h"

/* ---- hardware barriers --------------------------------------------------------------------------------- */

/* The resource whose named barrier has that id, or NULL. */
static const ww_resource *owner_of(const body *b, int64_t id)
{
    const ir_barrier *barrier;
    vec_each(barrier, &b->program->barriers)
        if (barrier->side == IR_NAMED && id >= barrier->named_id && id < barrier->named_id + barrier->stages)
            return b->program->kernel->resources.at[barrier->resource];
    return NULL;
}

static void other_warps(body *b, const site *s)
{
    ww_diag *d = body_finding(b, WW_BODY_SYNC,
                              "work %s waits at the barrier of the whole CTA, in a task of %d of its %d "
                              "warps",
                              b->name, b->called->task->warps, b->program->warps);
    body_expected(b, d, "no __syncthreads(): warps of other tasks never come");
    body_found(b, d, "%s", site_code(b, s)->opcode);
    body_hint(b, d, "declare a named barrier (ww_named_barrier_new) and ww_sync it in the schedule");
}

static void taken_barrier(body *b, const site *s, int64_t id, const ww_resource *owner)
{
    ww_diag *d = body_finding(b, WW_BODY_SYNC, "work %s uses hardware barrier %lld, which is that of %s",
                              b->name, (long long)id, owner->name);
    body_expected(b, d, "an id that no named barrier of the kernel has");
    body_found(b, d, "%s %lld", site_code(b, s)->opcode, (long long)id);
}

static void unseen_barrier(body *b, const site *s)
{
    ww_diag *d = body_finding(b, WW_BODY_BARRIER,
                              "work %s uses a hardware barrier that the kernel does not declare", b->name);
    body_expected(b, d, "a named barrier, which is counted and proved");
    body_found(b, d, "%s", site_code(b, s)->opcode);
    body_hint(b, d,
              "ww_named_barrier_new, and ww_sync in the schedule; or suppress this, saying who meets there");
}

static void check_barrier(body *b, const site *s)
{
    const ptx_instruction *i = site_code(b, s);
    int64_t id = i->operand_count ? operand_constant(b, &i->operands[0]) : 0;
    const ww_resource *owner = owner_of(b, id);
    if (id == 0 && b->called->task->warps < b->program->warps)
        other_warps(b, s);
    else if (owner)
        taken_barrier(b, s, id, owner);
    else
        unseen_barrier(b, s);
}

/* ---- all else ------------------------------------------------------------------------------------------ */

static const struct {
    effect effect;
    const char *what, *instead;
} reserved[] = {
    {EFFECT_MBARRIER, "operates on an mbarrier", "verbs of the schedule, which are counted and proved"},
    {EFFECT_UMMA_COMMIT, "commits tcgen05 work to an mbarrier", "ww_commit or ww_release in the schedule"},
    {EFFECT_CLUSTER_BARRIER, "meets at the barrier of the cluster",
     "no barrier.cluster: all threads of it would have to come"},
    {EFFECT_GRID, "waits for, or lets start, another grid",
     "ww_griddep_wait or ww_griddep_launch in the schedule"},
    {EFFECT_REGISTERS, "changes its warps' registers", ".registers of the task"},
    {EFFECT_LAUNCH, "asks for the next cluster of the launch", "a queue (ww_queue_clc)"},
    {EFFECT_TMEM_ALLOC, "allocates or frees tensor memory", "tmem of a resource"},
    {EFFECT_EXIT, "ends its threads", "to return: others wait for these threads"},
};

static void check_reserved(body *b, const site *s)
{
    for (size_t i = 0; i < ARRAY_LEN(reserved); i++)
        if (reserved[i].effect == s->effect) {
            ww_diag *d = body_finding(b, WW_BODY_SYNC, "work %s %s", b->name, reserved[i].what);
            body_expected(b, d, "%s", reserved[i].instead);
            body_found(b, d, "%s", site_code(b, s)->opcode);
        }
}

void audit_sync(body *b)
{
    const site *s;
    vec_each(s, &b->sites)
        if (s->effect == EFFECT_CTA_BARRIER)
            check_barrier(b, s);
        else
            check_reserved(b, s);
}

void audit_fences(body *b)
{
    if (!body_has(b, EFFECT_BIT(WIDE_FENCE)))
        return;
    ww_diag *d = body_finding(b, WW_BODY_FENCE, "work %s fences more than shared memory", b->name);
    body_expected(b, d, "none, or that of one state space");
    body_found(b, d, "%s: it waits for global memory, too", first_opcode(b, EFFECT_BIT(WIDE_FENCE)));
    body_hint(b, d,
              "leave it out, for fences of shared memory are placed from what rows say; of global memory: "
              "ww::fence_proxy_async_global()");
}

/* A function that is not inlined is compiled for the registers at entry, of which the task may have given some back. */
void audit_calls(body *b)
{
    const ir_task *t;
    if (!body_has(b, EFFECT_BIT(CALL)))
        return;
    body_undecided(b, "what the function that it calls does");
    int at_entry = emit_registers_at_entry(b->program);
    vec_each(t, &b->program->tasks) {
        bool calls = false;
        for (size_t i = 0; i < t->ops.len; i++)
            calls |= t->ops.at[i].kind == IR_WORK && t->ops.at[i].work == b->work;
        if (!calls || !t->registers || t->registers >= at_entry)
            continue;
        ww_diag *d = body_finding(
            b, WW_BODY_CALL,
            "work %s calls a function in task %s, which has given registers back: it has %d of %d", b->name,
            t->name, t->registers, at_entry);
        body_expected(b, d, "bodies that are inlined whole, without printf and assert");
        body_found(b, d, "%s", first_opcode(b, EFFECT_BIT(CALL)));
        return;
    }
}
