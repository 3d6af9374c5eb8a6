/* Empty slots: where cursors run ahead, work addresses the slot that was opened last. Opened at the wrong place, one slot is
 * worked on twice and another is handed on with nothing done to it: synchronised, and wrong.
 *
 * A slot that is handed on without work may be meant: a first result that nobody needs, the last token of a stream. So it
 * is refused in two cases only: another slot was open beside it, which took the work in its place; or on the same path the
 * same work was done twice to one slot. Otherwise a slot that is committed empty by a task that fills others is told of (a
 * warning), and one that is released unread is not. Work under a guard that does not hold, or in a loop without trips,
 * counts as done: leaving it out was the author's choice. Where one task opens the slots and another closes them, the one
 * of the two that works is looked at.
 *
 * Rings whose slots count bytes need no such rule on the producer's side: a slot without copies does not complete. */
#include "verify/rules.h"

/* Words of the state: bits 0 to 63 of WORKED and BESIDE (two words each) are the open slots, the oldest first. METHODS: which
 * work was done to the slot last opened (to the one closed next, in a task that only closes). Operations are stored plus 1. */
enum { OPEN, WORKED, BESIDE = WORKED + 2, METHODS = BESIDE + 2, TWICE, EMPTY, WORDS };
enum { METHOD_BITS = 31 };
static const uint32_t left_out = 1u << METHOD_BITS;
_Static_assert((int)WORDS <= (int)PATH_WORDS && WW_MAX_STAGES <= 64, "a bit a slot");

typedef struct slot_rule {
    const rule_run *run;
    const ww_resource *resource;
    ww_side side;
    rule_part part;
    int empty; /* an operation that hands on an empty slot (or opens it, for another to close), plus 1 */
} slot_rule;

static rule_event event_of(const path_walk *w, int op)
{
    const slot_rule *rule = w->rule;
    return rule_event_of(w->program, &w->task->ops.at[op], rule->resource->index, rule->side);
}

/* ---- bits of the open slots ---------------------------------------------------------------------------- */

static uint64_t bits(const path_state *s, int word)
{
    return (uint64_t)s->word[word + 1] << 32 | s->word[word];
}

static void set_bits(path_state *s, int word, uint64_t value)
{
    s->word[word] = (uint32_t)value;
    s->word[word + 1] = (uint32_t)(value >> 32);
}

static uint64_t up_to(uint32_t n)
{
    return n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

/* ---- what is reported ---------------------------------------------------------------------------------- */

static void report(path_walk *w, uint32_t empty, uint32_t twice)
{
    const slot_rule *rule = w->rule;
    diag_list *diags = rule->run->diags;
    const char *open = rule_open_name(rule->side), *name = rule->resource->name;
    const char *opened_on = rule_called_on(rule->resource, rule_open_verb(rule->side))->name;
    const ir_op *op = &w->task->ops.at[empty - 1];
    text step = {0};
    rule_step_text(w->task, op, &step);
    ww_diag *d = rule_finding(rule->run, WW_EMPTY_SLOT, op->place,
                              ON({w->task}, {rule->resource, rule_resource(rule->run, op->resource)}),
                              "task %s: %s %s a slot of %s on which the task has not worked", w->task->name,
                              text_str(&step), rule->part == RULE_OPENS ? "opens" : "hands on", name);
    diag_expected(diags, d, "work on each slot, after the %s that opens it and before the next", open);
    diag_found(diags, d,
               twice ? "the same work twice on one slot, and none on another"
                     : "work on a slot that was open beside it, and none on this one");
    diag_hint(diags, d,
              "ww_%s(s, %s) before the work that belongs to its slot: work goes to the slot opened last",
              open, opened_on);
    if (twice)
        diag_related(diags, d, w->task->ops.at[twice - 1].place, "done a second time here");
    text_free(&step);
    w->stop = true;
}

/* False when both halves of a mistake have been seen. */
static bool note(path_walk *w, path_state *s, int word, int op)
{
    slot_rule *rule = w->rule;
    if (word == EMPTY && !rule->empty)
        rule->empty = op + 1;
    if (!s->word[word])
        s->word[word] = (uint32_t)op + 1;
    if (!rule_runs_ahead(rule->resource, rule->side) || !s->word[EMPTY] || !s->word[TWICE])
        return true;
    report(w, s->word[EMPTY], s->word[TWICE]);
    return false;
}

/* ---- steps --------------------------------------------------------------------------------------------- */

/* The slot that the task has worked on so far is over; op opened or closed it. */
static bool finish_slot(path_walk *w, path_state *s, int op)
{
    bool worked = s->word[METHODS] != 0;
    s->word[METHODS] = 0;
    return worked || note(w, s, EMPTY, op);
}

static bool on_open(path_walk *w, int op, path_state *s)
{
    const slot_rule *rule = w->rule;
    if (rule->part == RULE_OPENS) {
        bool fine = !s->word[OPEN] || finish_slot(w, s, (int)s->word[OPEN] - 1);
        s->word[OPEN] = (uint32_t)op + 1; /* here: which call has opened the slot */
        return fine;
    }
    uint32_t open = ++s->word[OPEN];
    s->word[METHODS] = 0;
    if (open > 1)
        set_bits(s, BESIDE, bits(s, BESIDE) | up_to(open));
    return open <= WW_MAX_STAGES; /* more have been refused */
}

static bool on_close(path_walk *w, int op, path_state *s)
{
    const slot_rule *rule = w->rule;
    if (rule->part == RULE_CLOSES)
        return finish_slot(w, s, op);
    if (!s->word[OPEN])
        return false; /* likewise */
    bool worked = bits(s, WORKED) & 1, beside = bits(s, BESIDE) & 1;
    s->word[OPEN]--;
    set_bits(s, WORKED, bits(s, WORKED) >> 1);
    set_bits(s, BESIDE, bits(s, BESIDE) >> 1);
    if (!s->word[OPEN])
        s->word[METHODS] = 0;
    if (worked || !beside)
        return worked || note(w, s, EMPTY, op);
    report(w, (uint32_t)op + 1, 0);
    return false;
}

/* Which of the task's works on this ring it is: a bit each, 0 for those past the first few. */
static uint32_t method_bit(const path_walk *w, int op)
{
    int number = 0;
    for (int i = 0; i < op; i++) {
        if (event_of(w, i) != RULE_WORK)
            continue;
        if (w->task->ops.at[i].work == w->task->ops.at[op].work)
            break;
        number++;
    }
    return number < METHOD_BITS ? 1u << number : 0;
}

static void mark_worked(const path_walk *w, path_state *s, uint32_t method)
{
    const slot_rule *rule = w->rule;
    s->word[METHODS] |= method;
    if (rule->part == RULE_WHOLE && s->word[OPEN])
        set_bits(s, WORKED, bits(s, WORKED) | UINT64_C(1) << (s->word[OPEN] - 1));
}

static bool on_work(path_walk *w, int op, path_state *s)
{
    uint32_t method = method_bit(w, op);
    bool again = s->word[METHODS] & method;
    mark_worked(w, s, method ? method : left_out);
    return !again || note(w, s, TWICE, op);
}

static bool slot_step(path_walk *w, int op, path_state *s)
{
    switch (event_of(w, op)) {
    case RULE_OPEN: return on_open(w, op, s);
    case RULE_CLOSE: return on_close(w, op, s);
    case RULE_WORK: return on_work(w, op, s);
    default: return true;
    }
}

/* A block is left out that works on a slot opened before it. */
static void slot_left_out(path_walk *w, int block, path_state *s)
{
    bool works = false;
    for (int i = block + 1; i < w->task->ops.at[block].match; i++) {
        if (event_of(w, i) == RULE_OPEN)
            return;
        works |= event_of(w, i) == RULE_WORK;
    }
    if (works)
        mark_worked(w, s, left_out);
}

static void slot_end(path_walk *w, const path_state *s)
{
    const slot_rule *rule = w->rule;
    path_state last = *s;
    if (rule->part == RULE_OPENS && s->word[OPEN])
        (void)finish_slot(w, &last, (int)s->word[OPEN] - 1);
}

/* ---- tasks --------------------------------------------------------------------------------------------- */

static bool works(const rule_run *run, const ir_task *t, const ww_resource *r, ww_side side)
{
    return rule_first_event(run->program, t, r->index, side, RULE_WORK) >= 0;
}

/* Whether a task of the other half of a split side works on the slots too. */
static bool shares_the_work(const rule_run *run, const ir_task *t, const ww_resource *r, ww_side side)
{
    rule_part mine = rule_part_of(run->program, t, r, side);
    for (size_t i = 0; mine != RULE_WHOLE && i < run->program->tasks.len; i++) {
        const ir_task *other = &run->program->tasks.at[i];
        if (other != t && rule_part_of(run->program, other, r, side) != RULE_WHOLE &&
            rule_part_of(run->program, other, r, side) != mine && works(run, other, r, side))
            return true;
    }
    return false;
}

static void warn(const path_walk *w)
{
    const slot_rule *rule = w->rule;
    diag_list *diags = rule->run->diags;
    const ww_resource *r = rule->resource;
    const ir_op *op = &w->task->ops.at[rule->empty - 1];
    text step = {0};
    rule_step_text(w->task, op, &step);
    ww_diag *d = rule_finding(rule->run, WW_EMPTY_COMMIT, op->place,
                              ON({w->task}, {rule->resource, rule_resource(rule->run, op->resource)}),
                              "task %s: %s %s a slot of %s that is not filled", w->task->name,
                              text_str(&step), rule->part == RULE_OPENS ? "opens" : "hands on", r->name);
    diag_expected(diags, d, "work on each slot, as on the others");
    diag_found(diags, d, "none, on a path without a guard that says so");
    diag_hint(diags, d, "put the work under the guard that leaves it out, or fill the slot");
    text_free(&step);
}

/* Of memory that is committed: whoever waits for it looks at what was there before. */
static bool is_worth_a_warning(const slot_rule *rule)
{
    const ww_resource *r = rule->resource;
    return rule->empty && rule->side == WW_PRODUCER && (r->buffer_count || r->tmem_count);
}

static void check_task(const rule_run *run, const ir_task *t, const ww_resource *r, ww_side side)
{
    if (*rule_broken(run, (size_t)t->task->index, (size_t)r->index) || !works(run, t, r, side) ||
        shares_the_work(run, t, r, side))
        return;
    slot_rule rule = {run, r, side, rule_part_of(run->program, t, r, side), 0};
    path_walk w = {.program = run->program,
                   .task = t,
                   .step = slot_step,
                   .left_out = slot_left_out,
                   .end = slot_end,
                   .rule = &rule};
    paths_walk(&w, (path_state){.word = {0}});
    if (!w.stop && is_worth_a_warning(&rule))
        warn(&w);
}

static bool is_looked_at(const ww_resource *r, ww_side side)
{
    bool counted = model_protocol_of(r->pipeline.type)->full_by == MODEL_BY_EXPECT;
    return side == WW_PRODUCER ? !counted : rule_runs_ahead(r, side);
}

void verify_empty_slots(const rule_run *run)
{
    for (size_t i = 0; i < run->program->tasks.len; i++)
        for (size_t j = 0; j < run->kernel->resources.len; j++) {
            const ww_resource *r = run->kernel->resources.at[j];
            for (int side = WW_CONSUMER; rule_is_ring(r) && side <= WW_PRODUCER; side++)
                if (is_looked_at(r, (ww_side)side))
                    check_task(run, &run->program->tasks.at[i], r, (ww_side)side);
        }
}
