/* script.c: an interleaving that is given beforehand (emu.h, "scripts").
 *
 * Warps stop at marks. When none can run, the next step is made: a warp passes its mark and runs to its next one, or what a
 * step issued lands. So a step is over before the next begins, and nothing else happens meanwhile. A step whose warp is
 * not at its mark, though nothing else can help it there, or is at another one, ends the launch: the program does not do
 * what the script says. */
#include "emu/core/core.h"
#include "emu/core/decode.h"

enum { TOUCHES_MAX = 4096 };

void emu_told_free(emu_told *told)
{
    text_free(&told->report);
    text_free(&told->diverged);
    vec_free(&told->touches[0]);
    vec_free(&told->touches[1]);
    vec_free(&told->unfenced);
    vec_free(&told->stuck);
}

void script_start(cluster *c)
{
    const emu_launch *launch = c->grid->launch;
    if (launch->script && c->index == 0)
        c->script = (script_run){.script = launch->script, .told = launch->told};
}

uint8_t *script_scratch(cluster *c, uint64_t bytes)
{
    return arena_alloc(&c->script.scratch, bytes ? bytes : 1);
}

/* ---- the watched barrier ------------------------------------------------------------------------------- */

static uint32_t watched_offset(const cluster *c)
{
    return c->grid->program->dynamic_base + c->script.script->barrier_offset;
}

void script_completed(cluster *c, const cta *owner, uint32_t offset)
{
    const emu_script *s = c->script.script;
    if (s->watches && owner->rank == s->barrier_cta && offset == watched_offset(c))
        c->script.completed++;
}

static void look_at_barrier(const cluster *c, emu_barrier_state *state)
{
    const emu_script *s = c->script.script;
    state->completed = c->script.completed;
    if (s->watches && s->barrier_cta < c->cta_count)
        (void)mbarrier_missing(&c->ctas[s->barrier_cta], watched_offset(c), &state->pending, &state->bytes);
}

/* ---- accesses ------------------------------------------------------------------------------------------ */

static uint32_t line_of(const warp *w)
{
    const program *p = GRID(w)->program;
    return w->pc && w->pc <= p->op_count ? p->ops[w->pc - 1].line : 0;
}

/* Makes a touch longer that ends where the new one begins, or holds it. */
static bool extends(emu_touch *old, const emu_touch *t)
{
    bool alike =
        old->tensor == t->tensor && old->cta == t->cta && old->line == t->line && old->write == t->write;
    if (!alike || t->offset < old->offset || t->offset > old->offset + old->bytes)
        return false;
    uint32_t end = t->offset + t->bytes;
    if (end > old->offset + old->bytes)
        old->bytes = end - old->offset;
    return true;
}

static uint32_t base_of(const warp *w, const cta *c, bool tensor)
{
    if (!tensor)
        return GRID(w)->program->dynamic_base;
    return c->tmem.owned ? (uint32_t)__builtin_ctz(c->tmem.owned) * TMEM_UNIT : 0;
}

static void note(emu_touches *list, emu_touch t)
{
    for (size_t i = list->len; i-- > 0;)
        if (extends(&list->at[i], &t))
            return;
    if (list->len < TOUCHES_MAX)
        vec_push(list, t);
}

void script_touch(const warp *w, const cta *c, uint32_t offset, uint32_t bytes, bool write, bool tensor)
{
    const script_run *run = &CLUSTER(w)->script;
    size_t step = w->step - 1;
    uint32_t base = base_of(w, c, tensor);
    if (!w->step || (step != run->script->first && step != run->script->second) || offset < base)
        return;
    note(&run->told->touches[step == run->script->second], (emu_touch){.tensor = tensor,
                                                                       .write = write,
                                                                       .cta = c->rank,
                                                                       .offset = offset - base,
                                                                       .bytes = bytes,
                                                                       .line = line_of(w)});
}

void script_unfenced(const warp *w, const cta *c, size_t by, emu_touch where)
{
    const script_run *run = &CLUSTER(w)->script;
    uint32_t base = base_of(w, c, where.tensor);
    if (!script_runs(CLUSTER(w)) || where.offset < base || w->step != run->script->second + 1 ||
        by != run->script->first + 1)
        return;
    where.offset -= base;
    where.line = line_of(w);
    note(&run->told->unfenced, where);
}

void script_touch_lanes(const warp *w, uint32_t mask, uint8_t *const *at, uint32_t bytes, bool write)
{
    const cluster *c = CLUSTER(w);
    if (!w->step)
        return;
    EACH_LANE(mask)
    {
        for (uint32_t rank = 0; rank < c->cta_count; rank++) {
            const cta *to = &c->ctas[rank];
            uintptr_t offset = (uintptr_t)at[lane] - (uintptr_t)to->shared;
            if (offset < to->shared_bytes)
                script_touch(w, to, (uint32_t)offset, bytes, write, false);
        }
    }
}

/* ---- steps --------------------------------------------------------------------------------------------- */

static _Noreturn void stop(cluster *c)
{
    c->status = EMU_STOPPED;
    longjmp(c->failed, 1);
}

static warp *warp_of(cluster *c, const emu_step *s)
{
    if (s->cta >= c->cta_count || s->warp >= c->ctas[s->cta].warp_count)
        return NULL;
    return &c->ctas[s->cta].warps[s->warp];
}

/* All lanes that live wait at one mark. */
static bool is_at_mark(const warp *w)
{
    return w->live && w->group_count == 1 && w->groups[0].wait.kind == WAIT_MARK && !w->granted;
}

static void diverge(cluster *c, const emu_step *s, const warp *w)
{
    text *out = &c->script.told->diverged;
    text_printf(out, "step %zu lets warp %u of CTA rank %u pass mark %u, but ", c->script.next + 1, s->warp,
                s->cta, s->mark);
    if (w)
        report_where(w, out);
    else
        text_add(out, "there is no such warp");
}

_Noreturn void script_fail(cluster *c)
{
    const emu_step *s = &c->script.script->steps[c->script.next];
    diverge(c, s, warp_of(c, s));
    stop(c);
}

static void before(cluster *c)
{
    const emu_script *s = c->script.script;
    if (c->script.next != s->second)
        return;
    look_at_barrier(c, &c->script.told->before);
    c->script.told->in_flight = s->first != SIZE_MAX && async_queue_has(c, s->first + 1);
}

/* Something that was issued outside of all steps can help a warp to its mark. */
static bool pass(cluster *c, const emu_step *s)
{
    warp *w = warp_of(c, s);
    if (!w || !w->live)
        script_fail(c);
    if (!is_at_mark(w))
        return async_queue_land(c, 0, EVERY_CTA);
    if (w->groups[0].wait.id != s->mark)
        script_fail(c);
    before(c);
    w->granted = true;
    w->step = ++c->script.next;
    c->script.told->done = c->script.next;
    return true;
}

/* Several copies of one step to one barrier land at once; further landings then find nothing to do. */
static void land(cluster *c, const emu_step *s)
{
    (void)async_queue_land(c, s->of + 1, s->to);
}

void script_finish(cluster *c)
{
    script_run *run = &c->script;
    const emu_script *s = run->script;
    look_at_barrier(c, &run->told->after);
    if (s->second < s->count) {
        const warp *w = warp_of(c, &s->steps[s->second]);
        run->told->passed = w && (!w->live || is_at_mark(w));
    }
    run->ended = true;
}

static bool finish(cluster *c)
{
    script_finish(c);
    if (!c->script.script->then_run)
        stop(c);
    cluster_effect(c);
    return true;
}

bool script_advance(cluster *c)
{
    const script_run *run = &c->script;
    if (run->next == run->script->count)
        return finish(c);
    const emu_step *s = &run->script->steps[run->next];
    if (s->kind == EMU_STEP_PASS)
        return pass(c, s);
    before(c);
    if (s->kind == EMU_STEP_LAND)
        land(c, s);
    c->script.told->done = ++c->script.next;
    cluster_effect(c);
    return true;
}

void script_note_stuck(cluster *c)
{
    for (uint32_t i = 0; i < c->cta_count; i++)
        for (uint32_t n = 0; n < c->ctas[i].warp_count; n++) {
            const warp *w = &c->ctas[i].warps[n];
            for (uint32_t k = 0; w->live && k < w->group_count; k++) {
                const wait *what = &w->groups[k].wait;
                if (what->kind != WAIT_MBARRIER)
                    continue;
                emu_stuck stuck = {i, n, what->cta->rank, what->address - c->grid->program->dynamic_base};
                vec_push(&c->script.told->stuck, stuck);
            }
        }
}

/* ---- the instructions ---------------------------------------------------------------------------------- */

static void run_mark(warp *w, const op *o, uint32_t mask)
{
    if (w->groups[w->current].wait.kind == WAIT_MARK) {
        w->groups[w->current].wait.kind = WAIT_NOTHING;
        w->granted = false;
        return;
    }
    if (script_runs(CLUSTER(w)) && divergence_gather(w, mask, w->live))
        warp_wait(w, (wait){.kind = WAIT_MARK, .id = o->arg[0]});
}

const op_family family_mark = {.any = run_mark};

static bool is_about(int64_t wanted, int32_t here)
{
    return wanted < 0 || here < 0 || wanted == here;
}

static const emu_answer *find_answer(const warp *w, uint32_t number, int32_t a, int32_t b)
{
    const emu_script *s = CLUSTER(w)->script.script;
    for (size_t i = 0; i < s->answer_count; i++) {
        const emu_answer *x = &s->answers[i];
        if (x->number == number && w->index >= x->first_warp && w->index < x->end_warp && is_about(x->a, a) &&
            is_about(x->b, b))
            return x;
    }
    return NULL;
}

static void run_answer(warp *w, const op *o, uint32_t mask)
{
    int32_t *value = REG(w, o->arg[1]);
    const int32_t *a = REG(w, o->arg[2]), *b = REG(w, o->arg[3]);
    if (!CLUSTER(w)->script.script)
        return;
    EACH_LANE(mask)
    {
        const emu_answer *x = find_answer(w, o->arg[0], a[lane], b[lane]);
        if (x)
            value[lane] = x->value;
    }
}

const op_family family_answer = {.any = run_answer};
