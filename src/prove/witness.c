/* Diagnostics from findings: who, where, with which values, what is missing and who would have to bring it. */
#include "prove/witness.h"

typedef struct teller {
    const machine *m;
    const plan *p;
    const steady_result *result;
    diag_list list;
} teller;

/* ---- names --------------------------------------------------------------------------------------------- */

static const ir_op *op_at(const plan *p, int agent_index, int op)
{
    return &plan_task_of(p, agent_index)->ops.at[op];
}

static const char *task_name(const teller *t, int agent_index)
{
    return plan_task_of(t->p, agent_index)->name;
}

static void step_text(const teller *t, int agent_index, int op, text *out)
{
    witness_step_name(t->p, agent_index, op, out);
}

static const ir_barrier *barrier_of(const teller *t, int stage)
{
    return plan_barrier_of(t->p, stage);
}

static void stage_text(const teller *t, int stage, text *out)
{
    witness_stage_name(t->p, stage, out);
}

static void slot_text(const teller *t, int slot, text *out)
{
    witness_slot_name(t->p, slot, out);
}

static const char *values_of(const teller *t)
{
    witness_run run = {t->m, t->result};
    return witness_values(&run);
}

/* " in trip 3 of its loop, tile 1, CTA 2" */
static const char *where(const teller *t, int agent_index)
{
    const agent *a = &t->m->now.agents[agent_index];
    text out = {0};
    if (a->in_loop)
        text_printf(&out, " in trip %lld of its loop", (long long)a->trip);
    if (a->in_tile_loop)
        text_printf(&out, "%s tile %lld", a->in_loop ? "," : " in", (long long)a->tile);
    if (t->p->ranks > 1)
        text_printf(&out, "%s CTA %d", out.len ? "," : " in", t->p->agents[agent_index].rank);
    const char *s = arena_strdup(&t->p->kernel->arena, text_str(&out));
    text_free(&out);
    return s;
}

/* ---- deadlock: who waits for whom ---------------------------------------------------------------------- */

static bool arrives_on(const ir_op *op, int barrier)
{
    return ir_is_arrival(op) && op->barrier == barrier;
}

static const ir_op *arrival_of(const ir_task *task, int barrier)
{
    for (size_t i = 0; i < task->ops.len; i++)
        if (arrives_on(&task->ops.at[i], barrier))
            return &task->ops.at[i];
    return NULL;
}

static void missing_text(const teller *t, int stage, text *out)
{
    const barrier_state *b = &t->m->now.barriers[stage];
    uint32_t expected = barrier_of(t, stage)->arrivals;
    if (!expected)
        text_add(out, "an arrival, for a barrier that expects none never completes, is");
    if (b->pending)
        text_printf(out, "%u of %u arrivals", b->pending, expected);
    if (b->tx)
        text_printf(out, "%s%lld bytes", b->pending ? " and " : "", (long long)b->tx);
}

/* "task load has ended", "task load waits at acquire(smem_ab)" */
static void state_text(const teller *t, int agent_index, text *out)
{
    const agent *a = &t->m->now.agents[agent_index];
    text_printf(out, "task %s ", task_name(t, agent_index));
    if (a->status == AGENT_DONE) {
        text_add(out, "has ended");
        return;
    }
    text_add(out, "waits at ");
    step_text(t, agent_index, a->pc, out);
    text_printf(out, " for ");
    stage_text(t, a->stage, out);
}

/* One state a task: that of its first warp which has not ended. */
static int spokesman(const teller *t, int task)
{
    int found = -1;
    for (int i = 0; i < t->p->agent_count; i++)
        if (t->p->agents[i].task == task && (found < 0 || t->m->now.agents[found].status == AGENT_DONE))
            found = i;
    return found;
}

static void arrivers_text(const teller *t, int stage, text *out)
{
    bool any = false;
    for (size_t i = 0; i < t->p->program->tasks.len; i++) {
        int who = spokesman(t, (int)i);
        if (who < 0 || !arrival_of(&t->p->program->tasks.at[i], t->p->stages[stage].barrier))
            continue;
        text_add(out, any ? "; " : "");
        state_text(t, who, out);
        any = true;
    }
    if (!any)
        text_add(out, "no task arrives on it");
}

void witness_arrivers(const machine *m, int stage, text *out)
{
    const teller t = {.m = m, .p = m->plan};
    arrivers_text(&t, stage, out);
}

static ww_diag *tell_waiter(teller *t, int agent_index, const char *values)
{
    const agent *a = &t->m->now.agents[agent_index];
    const ir_op *op = op_at(t->p, agent_index, a->pc);
    text step = {0}, stage = {0}, missing = {0}, arrivers = {0};
    step_text(t, agent_index, a->pc, &step);
    stage_text(t, a->stage, &stage);
    missing_text(t, a->stage, &missing);
    arrivers_text(t, a->stage, &arrivers);
    uint32_t phase = t->m->now.barriers[a->stage].count + 1;
    ww_diag *d =
        diag_add(&t->list, WW_DEADLOCK, op->place, "%s%stask %s waits for ever at %s%s", values ? values : "",
                 values ? ", " : "", task_name(t, agent_index), text_str(&step), where(t, agent_index));
    diag_expected(&t->list, d, "phase %u of %s to complete (parity %u)", phase, text_str(&stage),
                  (phase - 1) & 1);
    diag_found(&t->list, d, "%s missing; %s", text_str(&missing), text_str(&arrivers));
    text_free(&step);
    text_free(&stage);
    text_free(&missing);
    text_free(&arrivers);
    return d;
}

static bool is_told(const teller *t, int agent_index)
{
    const agent *a = &t->m->now.agents[agent_index];
    for (int i = 0; i < agent_index; i++)
        if (t->p->agents[i].crew == t->p->agents[agent_index].crew &&
            t->m->now.agents[i].status == AGENT_BLOCKED && t->m->now.agents[i].pc == a->pc &&
            t->m->now.agents[i].stage == a->stage)
            return true;
    return false;
}

/* Where to look first: an arrival that would end the first wait. */
static void relate_arrival(teller *t, ww_diag *d, int stage)
{
    for (size_t i = 0; i < t->p->program->tasks.len; i++) {
        const ir_op *op = arrival_of(&t->p->program->tasks.at[i], t->p->stages[stage].barrier);
        if (!op)
            continue;
        diag_related(&t->list, d, op->place, "task %s arrives here, if it gets so far",
                     t->p->program->tasks.at[i].name);
        return;
    }
}

static void tell_stuck(teller *t, const finding *f)
{
    ww_diag *first = tell_waiter(t, f->agent, values_of(t));
    diag_hint(&t->list, first,
              "make the tasks fill and empty the same number of slots, in an order that does not close "
              "a circle");
    relate_arrival(t, first, f->stage);
    for (int i = f->agent + 1; i < t->p->agent_count; i++)
        if (t->m->now.agents[i].status == AGENT_BLOCKED && !is_told(t, i))
            tell_waiter(t, i, NULL)->severity = WW_NOTE;
}

/* ---- counts -------------------------------------------------------------------------------------------- */

/* Starts a finding about what an agent is about to do with a barrier stage. */
static ww_diag *tell_agent(teller *t, const finding *f, ww_code code, const char *what)
{
    text step = {0}, stage = {0};
    step_text(t, f->agent, f->op, &step);
    if (f->stage >= 0)
        stage_text(t, f->stage, &stage);
    ww_diag *d = diag_add(&t->list, code, op_at(t->p, f->agent, f->op)->place, "%s, task %s: %s%s %s%s%s",
                          values_of(t), task_name(t, f->agent), text_str(&step), where(t, f->agent), what,
                          stage.len ? " " : "", text_str(&stage));
    text_free(&step);
    text_free(&stage);
    return d;
}

static void tell_too_many(teller *t, const finding *f)
{
    ww_diag *d = tell_agent(t, f, WW_OVER_ARRIVAL, "arrives once too often on");
    diag_expected(&t->list, d, "%u arrivals in phase %u", barrier_of(t, f->stage)->arrivals,
                  t->m->now.barriers[f->stage].count + 1);
    diag_found(&t->list, d, "%lld more", (long long)f->number);
    diag_hint(&t->list, d, "one commit or release by each warp for each slot");
}

static void tell_wrong_phase(teller *t, const finding *f)
{
    ww_diag *d = tell_agent(t, f, WW_OVER_ARRIVAL, "may arrive while an earlier phase is open on");
    diag_expected(&t->list, d, "completion %lld of the barrier to happen before the arrival",
                  (long long)f->number - 1);
    diag_found(&t->list, d, "no chain of barriers from that completion to task %s", task_name(t, f->agent));
    diag_hint(&t->list, d, "wait for the slot before arriving on it, with as many waits as arrivals");
}

static void tell_bytes(teller *t, const finding *f)
{
    ww_diag *d = tell_agent(t, f, WW_OVER_ARRIVAL, "brings more bytes than were announced on");
    diag_expected(&t->list, d, "%u bytes a phase", barrier_of(t, f->stage)->tx_bytes);
    diag_found(&t->list, d, "%lld too many", (long long)f->number);
    diag_hint(&t->list, d, "the copies of one bracket bring what its acquire announces");
}

/* ---- laps ---------------------------------------------------------------------------------------------- */

static void tell_early_wait(teller *t, const finding *f)
{
    ww_diag *d = tell_agent(t, f, WW_LAPPED, "may return two phases early, on");
    diag_expected(&t->list, d, "completion %lld to happen before the wait for completion %lld",
                  (long long)f->number - 1, (long long)f->number);
    diag_found(&t->list, d, "no chain of barriers from that completion to task %s", task_name(t, f->agent));
    diag_hint(&t->list, d,
              "wait for each phase of the barrier, or let another barrier order the task after it");
}

static void tell_lapped(teller *t, const finding *f)
{
    text stage = {0};
    stage_text(t, f->stage, &stage);
    int who = f->agent < 0 ? f->other_agent : f->agent;
    ww_diag *d =
        diag_add(&t->list, WW_LAPPED, op_at(t->p, who, f->op)->place,
                 "%s, task %s completes phase %lld of %s before task %s is sure to have seen the last one",
                 values_of(t), task_name(t, who), (long long)f->number, text_str(&stage),
                 task_name(t, f->other_agent));
    diag_expected(&t->list, d, "each wait of task %s to happen before the next phase ends",
                  task_name(t, f->other_agent));
    diag_found(&t->list, d, "no chain of barriers from that wait to this arrival");
    diag_hint(&t->list, d,
              "let task %s release what it waits for, so that its slots are not given away early",
              task_name(t, f->other_agent));
    text_free(&stage);
}

static void tell_probe(teller *t, const finding *f)
{
    ww_diag *d = tell_agent(t, f, WW_LAPPED, "trusts a probe of another phase or slot than");
    text asked = {0};
    stage_text(t, f->other_op, &asked);
    diag_expected(&t->list, d, "a probe of the slot and phase that are waited for (phase %lld)",
                  (long long)f->number);
    diag_found(&t->list, d, "a probe of %s", text_str(&asked));
    diag_hint(&t->list, d, "probe after the cursor has moved on");
    text_free(&asked);
}

/* ---- races --------------------------------------------------------------------------------------------- */

/* Work on what the tensor core consumes, which is not auxiliary. Where two CTAs share an MMA, one of them issues it and
 * waits for the slots; the other's calls of such work are reads that wait for nothing. */
static bool is_follower_read(const teller *t, int who, int op)
{
    const ir_op *o = op_at(t->p, who, op);
    if (t->p->program->cluster.v < 2 || o->kind != IR_WORK || o->resource < 0)
        return false;
    const ww_resource *r = t->p->program->kernel->resources.at[o->resource];
    const ww_work *w = o->work->declared;
    return model_pipelined(r) && r->kind == MODEL_MEMORY && w->side == WW_CONSUMER && !w->auxiliary &&
           model_protocol_of(r->pipeline.type)->consumer == MODEL_UMMA;
}

static const char *race_hint(const teller *t, const finding *f)
{
    const plan_agent *a = &t->p->agents[f->agent], *b = &t->p->agents[f->other_agent];
    if (is_follower_read(t, f->agent, f->op) || is_follower_read(t, f->other_agent, f->other_op))
        return ".auxiliary = true for work that only makes descriptors of the slot: else it counts as a "
               "read, also in the CTA "
               "of the pair that does not wait for the slot";
    if (a->crew == b->crew && a->warp != b->warp && !t->p->slots[f->slot].pipelined)
        return "ww_sync between the two, by all warps that share the memory; or .part in both work rows, if "
               "each "
               "warp or warpgroup has a part of its own";
    if (ir_effects[f->other_kind].maker == IR_BY_TENSOR_PIPE)
        return "wait for a barrier that the tensor core arrives on after this work (commit or release by its "
               "task)";
    if (f->other_kind == IR_BULK_READ)
        return "release the slot after a work body that waits for the bulk store (.bulk_wait)";
    if (f->other_kind == IR_WGMMA_READ)
        return "release the slot after a work body that waits for the wgmma group (.wgmma_wait)";
    if (f->other_kind == IR_COPY_IN)
        return "wait for the slot's full barrier before touching what the copy brings";
    return "order the two by a pipeline: the first closes the slot that the second opens";
}

static void tell_race(teller *t, const finding *f)
{
    text step = {0}, slot = {0}, other_slot = {0};
    step_text(t, f->other_agent, f->other_op, &step);
    slot_text(t, f->slot, &slot);
    slot_text(t, f->other_slot, &other_slot);
    ww_diag *d = tell_agent(t, f, WW_RACE, ir_effects[f->kind].verb);
    d->message = arena_printf(t->list.arena, "%s %s, and nothing orders it after task %s", d->message,
                              text_str(&slot), task_name(t, f->other_agent));
    diag_expected(&t->list, d, "a chain of barriers from %s of task %s to this access", text_str(&step),
                  task_name(t, f->other_agent));
    diag_found(&t->list, d, "%s, which %s %s, unordered", text_str(&step), ir_effects[f->other_kind].verb,
               text_str(&other_slot));
    diag_hint(&t->list, d, "%s", race_hint(t, f));
    diag_related(&t->list, d, op_at(t->p, f->other_agent, f->other_op)->place, "the other access");
    text_free(&step);
    text_free(&slot);
    text_free(&other_slot);
}

/* Ordered as in tell_race, but for the fence. */
static void tell_unfenced(teller *t, const finding *f)
{
    bool tensor = plan_buffer_of(t->p, f->slot)->space == IR_TENSOR;
    const char *fence =
        tensor ? "tcgen05.fence::before_thread_sync and ::after_thread_sync" : "fence.proxy.async";
    text step = {0}, slot = {0};
    step_text(t, f->other_agent, f->other_op, &step);
    slot_text(t, f->slot, &slot);
    ww_diag *d = tell_agent(t, f, WW_UNFENCED, ir_effects[f->kind].verb);
    d->message = arena_printf(t->list.arena, "%s %s, after task %s and without a fence", d->message,
                              text_str(&slot), task_name(t, f->other_agent));
    diag_expected(&t->list, d, "%s between %s of task %s and this access", fence, text_str(&step),
                  task_name(t, f->other_agent));
    diag_found(&t->list, d, "barriers alone");
    diag_hint(&t->list, d, "work rows that say what their bodies access: fences are placed from them");
    diag_related(&t->list, d, op_at(t->p, f->other_agent, f->other_op)->place, "the other access");
    text_free(&step);
    text_free(&slot);
}

static void tell_clobbered(teller *t, const finding *f)
{
    text slot = {0}, other_slot = {0}, step = {0};
    slot_text(t, f->slot, &slot);
    slot_text(t, f->other_slot, &other_slot);
    step_text(t, f->other_agent, f->other_op, &step);
    ww_diag *d = tell_agent(t, f, WW_RACE, ir_effects[f->kind].verb);
    d->message =
        arena_printf(t->list.arena, "%s %s, which has been overwritten", d->message, text_str(&slot));
    diag_expected(&t->list, d, "%s filled again before it is read", text_str(&slot));
    diag_found(&t->list, d, "%s of task %s, which wrote %s, in the same memory", text_str(&step),
               task_name(t, f->other_agent), text_str(&other_slot));
    diag_hint(&t->list, d,
              "use the phases of an alias group one after the other; views of one buffer share it (.shares)");
    diag_related(&t->list, d, op_at(t->p, f->other_agent, f->other_op)->place, "the write");
    text_free(&slot);
    text_free(&other_slot);
    text_free(&step);
}

/* ---- leftovers ----------------------------------------------------------------------------------------- */

static ww_diag *tell_stage(teller *t, const finding *f, const char *what)
{
    text stage = {0};
    const ir_barrier *b = barrier_of(t, f->stage);
    stage_text(t, f->stage, &stage);
    ww_diag *d = diag_add(&t->list, WW_LEFTOVER, t->p->kernel->resources.at[b->resource]->place, "%s, %s %s",
                          values_of(t), text_str(&stage), what);
    text_free(&stage);
    relate_arrival(t, d, f->stage);
    if (d->related.file)
        d->related_why = arena_strdup(t->list.arena, "an arrival on it");
    return d;
}

static void tell_half_phase(teller *t, const finding *f)
{
    text missing = {0};
    missing_text(t, f->stage, &missing);
    ww_diag *d = tell_stage(t, f, "is left in the middle of a phase");
    diag_expected(&t->list, d, "all arrivals and bytes of a phase, or none");
    diag_found(&t->list, d, "%s missing at the end", text_str(&missing));
    diag_hint(&t->list, d, "make all tasks of one side commit (release) the same number of slots");
    text_free(&missing);
}

static void tell_unseen(teller *t, const finding *f)
{
    bool full = barrier_of(t, f->stage)->side == IR_FULL;
    ww_diag *d = tell_stage(
        t, f, full ? "is filled and nobody waits for it" : "is arrived on and nobody waits for it");
    diag_expected(&t->list, d, "a wait for phase %u before the end", t->m->now.barriers[f->stage].count);
    diag_found(&t->list, d,
               full ? "a filled slot that is never consumed" : "an arrival that may come after the end");
    diag_hint(&t->list, d, "make the consumers wait for as many slots as the producers fill");
}

static void tell_unfinished(teller *t, const finding *f)
{
    bool bulk = t->p->agents[f->agent].warp_itself;
    ww_diag *d = diag_add(&t->list, WW_LEFTOVER, plan_task_of(t->p, f->agent)->task->place,
                          "%s, %s of task %s may be at work when the kernel ends", values_of(t),
                          bulk ? "a bulk store" : "the tensor core or a copy", task_name(t, f->agent));
    if (bulk) {
        diag_expected(&t->list, d,
                      "a work body that waits for all groups (.bulk_wait = WW_BULK_WAIT(0)) at the end");
        diag_found(&t->list, d, "%d groups in flight", t->m->now.agents[f->agent].groups[GROUP_BULK]);
    } else {
        diag_expected(&t->list, d, "a barrier that it arrives on after its last work, and a wait for it");
        diag_found(&t->list, d, "nobody who knows that it has finished");
    }
    diag_hint(&t->list, d, "wait for it before the task ends");
}

static void tell_unbalanced(teller *t, const finding *f)
{
    int full = f->other_agent; /* a stage here */
    ww_diag *d = tell_stage(t, f, "does not balance");
    diag_expected(&t->list, d, "%u releases of the slot, one for each time it was filled",
                  t->m->now.barriers[full].count);
    diag_found(&t->list, d, "%u", t->m->now.barriers[f->stage].count);
    diag_hint(&t->list, d, "one release for each wait");
}

/* ---- outside the model --------------------------------------------------------------------------------- */

static void tell_drift(teller *t, const finding *f)
{
    ww_diag *d = tell_agent(t, f, WW_UNPROVABLE, "may stay behind while other tasks are two tiles further");
    diag_texts(&t->list, d, "tasks of one work queue that are at most one tile apart", "two tiles or more",
               "let the tasks of a work queue be at most one tile apart");
}

static void tell_trip_drift(teller *t, const finding *f)
{
    ww_diag *d = tell_agent(t, f, WW_UNPROVABLE, "may ask for its condition while others are far ahead");
    diag_expected(&t->list, d, "tasks that ask for one condition at most %d trips apart", PLAN_TRIPS - 1);
    diag_found(&t->list, d, "%d trips or more", PLAN_TRIPS);
    diag_hint(&t->list, d, "let tasks with a condition be at most %d trips apart", PLAN_TRIPS - 1);
}

static const ww_diag *tell_entangled(teller *t)
{
    text name = {0};
    witness_value_name(t->p, t->result->entangled, &name);
    bool choice = plan_is_choice(&t->p->values[t->result->entangled]);
    ww_diag *d = diag_add(&t->list, WW_UNPROVABLE, t->p->kernel->place, "no steady state was found for %s",
                          text_str(&name));
    diag_expected(&t->list, d, "a configuration that comes again after some trips");
    if (choice)
        diag_found(&t->list, d, "ever new configurations: more answers at a time than can be told apart");
    else
        diag_found(&t->list, d, "ever new configurations: tasks that drift apart by as much as %s grows",
                   text_str(&name));
    diag_hint(&t->list, d, "%s",
              choice
                  ? "shorter rings between tasks that ask for one condition"
                  : "loops that synchronise with each other should have the same bounds and the same pace");
    text_free(&name);
    return t->list.first;
}

static void (*const tellers[])(teller *, const finding *) = {
    [FAULT_STUCK] = tell_stuck,
    [FAULT_TOO_MANY] = tell_too_many,
    [FAULT_WRONG_PHASE] = tell_wrong_phase,
    [FAULT_TOO_MANY_BYTES] = tell_bytes,
    [FAULT_EARLY_WAIT] = tell_early_wait,
    [FAULT_LAPPED] = tell_lapped,
    [FAULT_OTHER_PROBE] = tell_probe,
    [FAULT_RACE] = tell_race,
    [FAULT_UNFENCED] = tell_unfenced,
    [FAULT_CLOBBERED] = tell_clobbered,
    [FAULT_HALF_PHASE] = tell_half_phase,
    [FAULT_UNSEEN] = tell_unseen,
    [FAULT_UNBALANCED] = tell_unbalanced,
    [FAULT_UNFINISHED] = tell_unfinished,
    [FAULT_DRIFT] = tell_drift,
    [FAULT_TRIP_DRIFT] = tell_trip_drift,
};

static const ww_diag *tell_too_long(teller *t)
{
    ww_diag *d = diag_add(&t->list, WW_UNPROVABLE, t->p->kernel->place,
                          "the loops of kernel %s are too long to execute", t->p->kernel->name);
    diag_expected(&t->list, d, "at most %llu operations over all constant loops",
                  (unsigned long long)t->m->most_events);
    diag_found(&t->list, d, "more");
    diag_hint(&t->list, d, "a launch argument as their bound: then all lengths are proved at once");
    return t->list.first;
}

static bool is_optional(const teller *t, int agent_index, int op)
{
    return agent_index >= 0 && op >= 0 && t->p->tasks[t->p->agents[agent_index].task].ops[op].optional;
}

/* Whether the finding takes two blocks that conditions of the trip may leave out, or a write that is left out where it was
 * taken as made: then it need not be one. */
static bool is_doubtful(const teller *t, const finding *f)
{
    if (f->fault == FAULT_CLOBBERED)
        return t->p->has_options;
    return (f->fault == FAULT_RACE || f->fault == FAULT_UNFENCED) && is_optional(t, f->agent, f->op) &&
           is_optional(t, f->other_agent, f->other_op);
}

static void doubt(teller *t, const finding *f)
{
    ww_diag *d = t->list.first;
    if (!is_doubtful(t, f))
        return;
    d->code = WW_UNPROVABLE;
    d->message =
        arena_printf(t->list.arena, "if conditions of the trip go together in the worst way: %s", d->message);
}

const ww_diag *witness_of(const machine *m, const steady_result *result)
{
    teller t = {.m = m, .p = m->plan, .result = result};
    diag_list_init(&t.list, &m->plan->kernel->arena);
    if (result->entangled >= 0)
        return tell_entangled(&t);
    if (result->too_long)
        return tell_too_long(&t);
    tellers[m->finding.fault](&t, &m->finding);
    doubt(&t, &m->finding);
    return t.list.first;
}
