/* ww_run_replay: a witness on the emulator. Its events become a script; what the script's last events did is compared with
 * what the witness says they do. */
#include "api/replay_values.h"
#include "api/run.h"

typedef struct replay {
    ww_run *run;
    const ww_witness *w;
    const ir_program *program;
    emu_step *steps;
    emu_script script;
    emu_told told;
    int turn[2]; /* of `second` and of `first`: see turned */
    bool onward; /* the warp of `second` goes on to what takes the values made there */
    replay_answers answers;
    text notes; /* what the values could not be made to be */
} replay;

/* ---- warps of a task ----------------------------------------------------------------------------------- */

/* The prover knows slots, and that warps of a task do the same; how they divide a slot's bytes is their bodies' business. So
 * where two warps touch none in common, others of their tasks take their places, all in turn: the second event's task is
 * turned by turn[0], the first one's by turn[1]. If that is the same task, the warp of the first event then also changes its
 * place with each other one. */
enum { WARPGROUP = 4 };

/* A warpgroup stays together. */
static int rotated(const ww_witness_task *t, int warp, int by)
{
    int index = warp - t->first_warp, group = index / WARPGROUP;
    if (t->warps % WARPGROUP)
        return t->first_warp + (index + by) % t->warps;
    group = (group + by / WARPGROUP) % (t->warps / WARPGROUP);
    return t->first_warp + group * WARPGROUP + (index + by) % WARPGROUP;
}

static const ww_event *event_or_null(const ww_witness *w, int event)
{
    return event < 0 ? NULL : &w->events[event];
}

static bool is_of(const ww_event *e, int cta, int task)
{
    return e && e->cta == cta && e->task == task;
}

static int turned(const replay *p, int cta, int task, int warp)
{
    const ww_witness_task *t = &p->w->tasks[task];
    const ww_event *first = event_or_null(p->w, p->w->first), *second = event_or_null(p->w, p->w->second);
    bool of_first = is_of(first, cta, task), of_second = is_of(second, cta, task);
    if (t->warps < 1 || (!of_first && !of_second))
        return warp;
    if (!of_second)
        return rotated(t, warp, p->turn[1]);
    int place = rotated(t, warp, p->turn[0]);
    if (!of_first || first->warp == second->warp)
        return place;
    int from = rotated(t, first->warp, p->turn[0]), to = rotated(t, from, p->turn[1]);
    if (to == rotated(t, second->warp, p->turn[0]))
        return place;
    return place == from ? to : place == to ? from : place;
}

static int turned_warp(const replay *p, const ww_event *e)
{
    return turned(p, e->cta, e->task, e->warp);
}

/* The next pair of places; false after the last. */
static bool next_turn(replay *p)
{
    const ww_witness *w = p->w;
    const int events[] = {w->second, w->first};
    for (int i = 0; i < 2; i++) {
        int warps = events[i] < 0 ? 1 : w->tasks[w->events[events[i]].task].warps;
        if (++p->turn[i] < warps)
            return true;
        p->turn[i] = 0;
    }
    return false;
}

/* ---- the script ---------------------------------------------------------------------------------------- */

/* The wait of a named barrier is done by the arrival before it. */
static bool has_no_mark(const replay *p, const ww_event *e)
{
    if (e->task >= (int)p->program->tasks.len || e->op >= (int)p->program->tasks.at[e->task].ops.len)
        return false;
    const ir_op *op = &p->program->tasks.at[e->task].ops.at[e->op];
    return op->kind == IR_WAIT && p->program->barriers.at[op->barrier].side == IR_NAMED;
}

static emu_step_kind step_kind(const replay *p, const ww_event *e)
{
    if (e->kind == WW_EVENT_LANDING)
        return EMU_STEP_LAND;
    return has_no_mark(p, e) ? EMU_STEP_NONE : EMU_STEP_PASS;
}

/* The operation that takes a value which `second` makes, if its warp comes there without a wait and in a straight line; -1. A
 * body that is declared to read may only hand an address on: then this is where memory is touched, and it is no more
 * ordered than the body. */
static int next_taker(const replay *p)
{
    const ww_event *e = p->w->second < 0 ? NULL : &p->w->events[p->w->second];
    if (!e || e->task >= (int)p->program->tasks.len || e->op >= (int)p->program->tasks.at[e->task].ops.len)
        return -1;
    const ir_task *t = &p->program->tasks.at[e->task];
    for (int at = e->op + 1; at < (int)t->ops.len; at++) {
        const ir_op *op = &t->ops.at[at];
        bool passes = op->kind == IR_WORK || op->kind == IR_ADVANCE || op->kind == IR_FORGET ||
                      op->kind == IR_PROBE || op->kind == IR_FENCE || op->kind == IR_EXPECT ||
                      op->kind == IR_COPY_ARRIVE;
        if (!passes)
            return -1;
        for (int i = 0; op->kind == IR_WORK && i < op->work->in_count; i++)
            if (op->in[i] >= 0 && t->values.at[op->in[i]].producer == e->op)
                return at;
    }
    return -1;
}

static void go_onward(replay *p)
{
    const ww_event *e = &p->w->events[p->w->second];
    int taker = next_taker(p);
    for (int at = e->op + 1; at <= taker; at++)
        if (ir_is_event(&p->program->tasks.at[e->task].ops.at[at]))
            p->steps[p->script.count++] = (emu_step){.kind = EMU_STEP_PASS,
                                                     .cta = (uint32_t)e->cta,
                                                     .warp = (uint32_t)turned_warp(p, e),
                                                     .mark = (uint32_t)at};
    p->script.second = p->script.count - 1;
}

static void write_script(replay *p)
{
    const ww_witness *w = p->w;
    for (int i = 0; i < w->event_count; i++) {
        const ww_event *e = &w->events[i];
        p->steps[i] = (emu_step){.kind = step_kind(p, e),
                                 .cta = (uint32_t)e->cta,
                                 .warp = (uint32_t)turned_warp(p, e),
                                 .mark = (uint32_t)e->op,
                                 .of = e->of < 0 ? SIZE_MAX : (size_t)e->of,
                                 .to = (uint32_t)e->to};
    }
    p->script =
        (emu_script){.steps = p->steps,
                     .count = (size_t)w->event_count,
                     .answers = p->answers.at,
                     .answer_count = p->answers.len,
                     .then_run = ww_fault_ending_of(w->fault) != WW_ENDING_STOP,
                     .first = w->first < 0 ? SIZE_MAX : (size_t)w->first,
                     .second = w->second < 0 || w->fault == WW_FAULT_DEADLOCK ? SIZE_MAX : (size_t)w->second,
                     .watches = w->barrier && w->barrier_offset != UINT32_MAX,
                     .barrier_cta = (uint32_t)w->barrier_cta,
                     .barrier_offset = w->barrier_offset};
    if (p->onward)
        go_onward(p);
}

/* ---- deadlocks ----------------------------------------------------------------------------------------- */

static const emu_stuck *stuck_at(const replay *p, const ww_witness_waiter *x)
{
    const ww_event *e = &p->w->events[x->event];
    for (size_t i = 0; i < p->told.stuck.len; i++) {
        const emu_stuck *s = &p->told.stuck.at[i];
        if (s->cta == (uint32_t)e->cta && s->warp == (uint32_t)e->warp &&
            s->barrier_cta == (uint32_t)x->barrier_cta && s->barrier_offset == x->barrier_offset)
            return s;
    }
    return NULL;
}

static bool judge_deadlock(const replay *p, text *out)
{
    bool all = p->told.status == EMU_DEADLOCK && p->w->waiter_count > 0;
    for (int i = 0; i < p->w->waiter_count; i++) {
        const ww_witness_waiter *x = &p->w->waiters[i];
        bool hardware = x->barrier_offset == UINT32_MAX, found = hardware || stuck_at(p, x);
        text_printf(out, "  predicted: task %s waits for %s, phase %u: %s\n",
                    p->w->tasks[p->w->events[x->event].task].name, x->barrier, x->phase,
                    hardware ? "a hardware barrier, see below"
                    : found  ? "it does"
                             : "it does not");
        all &= found;
    }
    text_add(out, text_str(&p->told.report));
    return all;
}

/* ---- accesses ------------------------------------------------------------------------------------------ */

static bool in_range(const replay *p, const emu_touch *t, uint32_t *from, uint32_t *end)
{
    const ww_witness *w = p->w;
    if (t->tensor != w->tensor || t->cta != (uint32_t)w->memory_cta)
        return false;
    *from = t->offset > w->memory_offset ? t->offset : w->memory_offset;
    *end = t->offset + t->bytes < w->memory_offset + w->memory_bytes ? t->offset + t->bytes
                                                                     : w->memory_offset + w->memory_bytes;
    return *from < *end;
}

typedef struct overlap {
    const emu_touch *a, *b;
    uint32_t from, end;
} overlap;

static bool find_overlap(const replay *p, const emu_touches *seconds, overlap *found)
{
    const emu_touch *a, *b;
    uint32_t from, end, other_from, other_end;
    vec_each(a, &p->told.touches[0]) {
        if (!in_range(p, a, &from, &end))
            continue;
        vec_each(b, seconds) {
            if (!in_range(p, b, &other_from, &other_end))
                continue;
            *found =
                (overlap){a, b, from > other_from ? from : other_from, end < other_end ? end : other_end};
            if (found->from < found->end)
                return true;
        }
    }
    return false;
}

static void ptx_line(const replay *p, uint32_t line, text *out)
{
    const char *at = text_str(&p->run->built.ptx);
    for (uint32_t n = 1; n < line && at; n++) {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    if (!at || !line)
        return;
    at += strspn(at, " \t");
    text_printf(out, "PTX line %u: %.*s", line, (int)strcspn(at, "\n"), at);
}

static void tell_access(const replay *p, const emu_touch *t, int number, text *out)
{
    const ww_event *e = &p->w->events[number];
    text_printf(out, "  event %d, %s of task %s, warp %d%s: %s %u to %u; ", number + 1, e->text,
                p->w->tasks[e->task].name, turned_warp(p, e),
                p->onward && number == p->w->second ? ", with what takes its values" : "",
                t->tensor ? "columns" : "bytes", t->offset, t->offset + t->bytes - 1);
    ptx_line(p, t->line, out);
    text_add(out, "\n");
}

/* A body that is declared to read may hand an address on, and touch nothing. */
static void tell_untouched(const replay *p, text *out)
{
    const int events[] = {p->w->first, p->w->second};
    uint32_t from, end;
    for (int which = 0; which < 2; which++) {
        bool any = false;
        const emu_touch *t;
        vec_each(t, &p->told.touches[which])
            any |= in_range(p, t, &from, &end);
        if (!any && events[which] >= 0)
            text_printf(out, "  event %d, %s: its body touches nothing of %s itself\n", events[which] + 1,
                        p->w->events[events[which]].text, which ? p->w->memory : p->w->other_memory);
    }
    text_printf(out, "  the two events touched no common byte of %s\n",
                p->w->memory ? p->w->memory : "memory");
}

/* The two accesses, and what both touch. */
static bool tell_overlap(const replay *p, const emu_touches *seconds, text *out)
{
    const ww_witness *w = p->w;
    overlap o;
    if (w->first < 0 || w->second < 0 || !find_overlap(p, seconds, &o))
        return false;
    tell_access(p, o.a, w->first, out);
    tell_access(p, o.b, w->second, out);
    text_printf(out, "  both touch %s %u to %u of %s", o.a->tensor ? "columns" : "bytes", o.from, o.end - 1,
                w->memory);
    return true;
}

/* The emulator tells which bytes have no fence behind the first access. */
static bool judge_fences(const replay *p, text *out)
{
    if (tell_overlap(p, &p->told.unfenced, out)) {
        text_printf(out, "; between the two there is no %s\n",
                    p->w->tensor ? "pair of tcgen05.fence::before_thread_sync and ::after_thread_sync"
                                 : "fence.proxy.async of any thread of the CTA");
        return true;
    }
    if (tell_overlap(p, &p->told.touches[1], out))
        text_add(out, "; but a fence lies between the two\n");
    else
        tell_untouched(p, out);
    return false;
}

/* Nothing orders the two if the first is still under way when the second comes, or if they follow each other: what was taken
 * to be under way may be done at once. */
static bool judge_accesses(const replay *p, text *out)
{
    const ww_witness *w = p->w;
    bool adjacent = w->second == w->first + 1, race = w->fault == WW_FAULT_RACE;
    bool in_flight = w->in_flight && p->told.in_flight;
    if (!tell_overlap(p, &p->told.touches[1], out)) {
        tell_untouched(p, out);
        return false;
    }
    text_add(out, in_flight      ? "; the first had not ended when the second came\n"
                  : !race        ? "\n"
                  : adjacent     ? "; nothing happened between them\n"
                  : w->in_flight ? "; but the first had ended when the second came\n"
                                 : "; but the two are not next to each other\n");
    return !race || in_flight || adjacent;
}

/* ---- phases -------------------------------------------------------------------------------------------- */

static uint32_t arrivals_of(const replay *p)
{
    for (size_t i = 0; i < p->program->barriers.len; i++) {
        const ir_barrier *b = &p->program->barriers.at[i];
        if (p->w->barrier_offset >= b->offset && p->w->barrier_offset < b->offset + 8 * (uint32_t)b->stages)
            return b->arrivals;
    }
    return 0;
}

static void tell_barrier(const replay *p, const char *when, const emu_barrier_state *s, text *out)
{
    text_printf(out, "  %s: %s has completed %u phases; %u of %u arrivals and %d bytes missing\n", when,
                p->w->barrier, s->completed, s->pending, arrivals_of(p), s->bytes);
}

/* One arrival too many is a fault; or it ends the phase and begins the next one. */
static bool is_too_many(const replay *p)
{
    const emu_barrier_state *before = &p->told.before, *after = &p->told.after;
    if (before->completed != p->w->barrier_completed || before->pending != p->w->barrier_pending)
        return false;
    return (p->told.status == EMU_FAULT && strstr(text_str(&p->told.report), "one too many")) ||
           after->completed > before->completed + 1 ||
           (after->completed > before->completed && after->pending < arrivals_of(p));
}

static bool is_wrong_phase(const replay *p)
{
    const ww_witness *w = p->w;
    const emu_barrier_state *before = &p->told.before, *after = &p->told.after;
    switch (w->fault) {
    case WW_FAULT_EARLIER_PHASE: return before->completed + 1 < w->wanted;
    case WW_FAULT_EARLY_WAIT:
        return before->completed + 1 < w->wanted && p->told.passed && after->completed < w->wanted;
    case WW_FAULT_LAPPED: return before->completed > w->wanted;
    case WW_FAULT_TOO_MANY_ARRIVALS: return is_too_many(p);
    default: return after->bytes < 0; /* too many bytes */
    }
}

static bool judge_phase(const replay *p, text *out)
{
    const ww_witness *w = p->w;
    const ww_event *e = w->second < 0 ? NULL : &w->events[w->second];
    if (!e || !p->script.watches) {
        text_add(out, "  the witness names no barrier to look at\n");
        return false;
    }
    tell_barrier(p, "before the last event", &p->told.before, out);
    text_printf(
        out, "  event %d, %s of task %s, warp %d, is meant for phase %u%s\n", w->second + 1, e->text,
        w->tasks[e->task].name, e->warp, w->wanted,
        w->fault == WW_FAULT_EARLY_WAIT ? p->told.passed ? "; the wait returns" : "; the wait does not return"
        : w->fault == WW_FAULT_LAPPED   ? p->told.passed ? "; the wait returns, a phase later"
                                                         : "; the wait does not return: it has missed it"
                                        : "");
    if (p->told.status != EMU_FAULT)
        tell_barrier(p, "after it", &p->told.after, out);
    text_add(out, text_str(&p->told.report));
    return is_wrong_phase(p);
}

/* ---- the end ------------------------------------------------------------------------------------------- */

/* The end of a CTA while something asynchronous is under way is a fault. */
static bool ended_too_early(const replay *p)
{
    return p->told.status == EMU_FAULT && strstr(text_str(&p->told.report), "has not been waited for");
}

/* Whether all steps were made; landings that nobody waits for need not come before the end. */
static bool all_done(const replay *p)
{
    size_t i = p->told.done;
    while (p->w->fault == WW_FAULT_LEFTOVER && ended_too_early(p) && i < p->script.count &&
           p->steps[i].kind == EMU_STEP_LAND)
        i++;
    return i == p->script.count;
}

static bool judge_end(const replay *p, text *out)
{
    text_add(out, text_str(&p->told.report));
    if (p->told.status == EMU_FAULT)
        return ended_too_early(p);
    if (p->told.status != EMU_OK || !p->script.watches)
        return false;
    tell_barrier(p, "at the end", &p->told.after, out);
    return p->told.after.completed == p->w->barrier_completed &&
           p->told.after.pending == p->w->barrier_pending;
}

static bool judge(const replay *p, text *out)
{
    if (!all_done(p))
        return false;
    switch (p->w->fault) {
    case WW_FAULT_DEADLOCK: return judge_deadlock(p, out);
    case WW_FAULT_UNFENCED: return judge_fences(p, out);
    case WW_FAULT_RACE:
    case WW_FAULT_CLOBBERED: return judge_accesses(p, out);
    case WW_FAULT_LEFTOVER: return judge_end(p, out);
    default: return judge_phase(p, out);
    }
}

static void tell_divergence(const replay *p, text *out)
{
    const ww_event *e =
        &p->w->events[p->told.done < (size_t)p->w->event_count ? p->told.done
                                                               : (size_t)p->w->event_count - 1];
    text_printf(out,
                "not reproduced: diverged at event %zu of %zu, %s of task %s, warp %d of CTA %d\n  %s%s\n",
                p->told.done + 1, p->script.count, e->text, p->w->tasks[e->task].name, e->warp, e->cta,
                text_str(&p->told.diverged), text_str(&p->told.report));
}

static void tell(const replay *p, ww_replay *out)
{
    text seen = {0}, all = {0};
    out->reproduced = judge(p, &seen);
    out->events = p->told.done < (size_t)p->w->event_count ? (int)p->told.done : p->w->event_count;
    text_add(&all, text_str(&p->notes));
    if (!all_done(p))
        tell_divergence(p, &all);
    else
        text_printf(&all, "%s: %s, after all %d events\n%s",
                    out->reproduced ? "reproduced" : "not reproduced", ww_fault_text(p->w->fault),
                    out->events, text_str(&seen));
    out->text = arena_strdup(&p->run->kernel->arena, text_str(&all));
    text_free(&seen);
    text_free(&all);
}

/* ---- runs ---------------------------------------------------------------------------------------------- */

static bool run_once(replay *p, device_launch *launch)
{
    emu_told_free(&p->told);
    p->told = (emu_told){0};
    write_script(p);
    launch->script = &p->script;
    launch->told = &p->told;
    if (device_launch_kernel(p->run->device, p->run->module, launch))
        return true;
    run_fail(p->run, device_error(p->run->device));
    return false;
}

/* What is told is the first run that shows the fault, else the very first one. */
static void replay_turns(replay *p, device_launch *launch, ww_replay *out)
{
    ww_replay again = {0};
    while (!out->reproduced && next_turn(p) && run_once(p, launch)) {
        tell(p, &again);
        if (again.reproduced)
            *out = again;
    }
}

static void replay_all(replay *p, device_launch *launch, ww_replay *out)
{
    ww_replay again = {0};
    if (!run_once(p, launch))
        return;
    tell(p, out);
    if (!p->w->memory || p->told.done < p->script.count)
        return;
    replay_turns(p, launch, out);
    p->onward = next_taker(p) >= 0;
    if (out->reproduced || !p->onward || !run_once(p, launch))
        return;
    tell(p, &again);
    if (!again.reproduced)
        replay_turns(p, launch, &again);
    if (again.reproduced)
        *out = again;
}

static size_t most_operations(const ir_program *p)
{
    size_t most = 0;
    for (size_t i = 0; i < p->tasks.len; i++)
        if (p->tasks.at[i].ops.len > most)
            most = p->tasks.at[i].ops.len;
    return most;
}

/* ---- the face ------------------------------------------------------------------------------------------ */

static bool fits(ww_run *r, const ww_witness *w)
{
    if (!run_usable(r))
        return false;
    if (!r->marked || ww_run_on_gpu(r))
        run_fail(r, "a witness is replayed by the emulator, in a run that was opened with marks");
    else if (strcmp(w->kernel, r->kernel->name) != 0 || w->declaration != ir_hash(r->kernel->program))
        run_fail(r, "the witness is not of this kernel, or of another declaration of it");
    else if (!w->event_count)
        run_fail(r, "the witness has no events");
    return !ww_run_error(r);
}

void ww_run_replay(ww_run *r, const ww_launch *launch, const ww_witness *w, ww_replay *out)
{
    *out = (ww_replay){.text = ""};
    if (!fits(r, w))
        return;
    replay p = {.run = r, .w = w, .program = r->kernel->program};
    size_t bytes = r->kernel->options.params_bytes;
    unsigned char *params = base_alloc(bytes + 1);
    ww_launch patched = *launch;
    device_launch to;
    memcpy(params, launch->params, bytes);
    replay_set_values(r->kernel, w, params, &patched, &p.answers, &p.notes);
    patched.params = params;
    p.steps = base_alloc(sizeof *p.steps * ((size_t)w->event_count + most_operations(p.program) + 1));
    if (run_fill_launch(r, &patched, &to))
        replay_all(&p, &to, out);
    emu_told_free(&p.told);
    vec_free(&p.answers);
    text_free(&p.notes);
    free(p.steps);
    free(params);
}
