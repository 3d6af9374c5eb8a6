/* Brackets: producer work stands between acquire and commit, consumer work between wait and release, on every
 * path.
 *
 * The walk remembers how many slots are open and the operation that opened or closed one last. Where cursors
 * may run ahead (advance_on_acquire, advance_on_wait) up to `stages` slots may be open, else one. Where one task opens
 * the slots and another closes them there is no bracket to keep, but work still follows the opening, or precedes the
 * closing; that both come equally often is for the prover. The first mistake of a task with a side of a resource is
 * reported; what follows from it would only repeat it. */
#include "verify/rules.h"

enum {
    OPEN,
    LAST_OPENED,
    LAST_CLOSED,
    WORKED
}; /* words of the state; operations are stored plus 1, 0: none */

typedef struct bracket {
    const rule_run *run;
    const ww_resource *resource;
    ww_side side;
    rule_part part;
} bracket;

/* Of a group's verb the first member speaks for all. */
static void mark_broken(const path_walk *w, const ww_resource *called_on)
{
    const bracket *b = w->rule;
    size_t task = (size_t)w->task->task->index;
    *rule_broken(b->run, task, (size_t)b->resource->index) = true;
    for (int i = 0; called_on->kind == MODEL_GROUP && i < called_on->member_count; i++)
        *rule_broken(b->run, task, (size_t)called_on->members[i]->index) = true;
}

static ww_diag *report(path_walk *w, ww_code code, int op, const char *what)
{
    const bracket *b = w->rule;
    text step = {0};
    rule_step_text(w->task, &w->task->ops.at[op], &step);
    ww_diag *d = rule_finding(b->run, code, w->task->ops.at[op].place,
                              ON({w->task}, {b->resource, b->resource->in_group,
                                             rule_resource(b->run, w->task->ops.at[op].resource)}),
                              "task %s: %s %s, %s", w->task->name, text_str(&step), what, path_where(w, op));
    text_free(&step);
    mark_broken(w, rule_resource(b->run, w->task->ops.at[op].resource));
    w->stop = true;
    return d;
}

/* What the verbs are called on: the resource, or its group. */
static const char *opened_on(const bracket *b)
{
    return rule_called_on(b->resource, rule_open_verb(b->side))->name;
}

static const char *closed_on(const bracket *b)
{
    return rule_called_on(b->resource, rule_close_verb(b->side))->name;
}

static void relate(path_walk *w, ww_diag *d, uint32_t op_plus_1, const char *why)
{
    const bracket *b = w->rule;
    if (op_plus_1)
        diag_related(b->run->diags, d, w->task->ops.at[op_plus_1 - 1].place, "%s", why);
}

/* ---- opening ---------------------------------------------------------------------------------------- */

static void report_second_open(path_walk *w, int op, const path_state *s)
{
    const bracket *b = w->rule;
    const char *open = rule_open_name(b->side), *close = rule_close_name(b->side);
    ww_diag *d = report(w, WW_DOUBLE_OPEN, op, "opens a slot while the last one is still open");
    diag_expected(b->run->diags, d, "%s(%s) between two calls of %s", close, closed_on(b), open);
    diag_found(b->run->diags, d, "two calls of %s without it: both address the same slot", open);
    if (rule_is_ring(b->resource))
        diag_hint(b->run->diags, d,
                  "add ww_%s(s, %s) after the work; to run ahead on purpose, declare .advance_on_%s = true",
                  close, closed_on(b), open);
    else
        diag_hint(b->run->diags, d, "add ww_%s(s, %s) after the work", close, closed_on(b));
    relate(w, d, s->word[LAST_OPENED], "the slot was opened here");
}

static void report_too_far_ahead(path_walk *w, int op, const path_state *s)
{
    const bracket *b = w->rule;
    const char *open = rule_open_name(b->side), *close = rule_close_name(b->side);
    int stages = model_stages(b->resource);
    ww_diag *d = report(w, WW_DOUBLE_OPEN, op, "opens more slots than there are");
    diag_expected(b->run->diags, d, "at most %d slots open (stages)", stages);
    diag_found(b->run->diags, d, "%d calls of %s ahead of %s", stages + 1, open, close);
    diag_hint(b->run->diags, d, "as many calls of ww_%s(s, %s) as of ww_%s", close, closed_on(b), open);
    relate(w, d, s->word[LAST_OPENED], "the last slot was opened here");
}

/* Split sides get a second cursor by themselves, except those of groups, whose members share it. */
static void report_stuck_cursor(path_walk *w, int op)
{
    const bracket *b = w->rule;
    const char *open = rule_open_name(b->side), *close = rule_close_name(b->side);
    ww_diag *d = report(w, WW_BRACKET, op, "opens a slot that another task closes, with one cursor for both");
    mark_broken(w, rule_called_on(b->resource, rule_close_verb(b->side)));
    diag_expected(b->run->diags, d, "%s and %s of a group in one task", open, close);
    diag_found(b->run->diags, d, "a cursor that only %s moves, and no %s in this task", close, close);
    diag_hint(b->run->diags, d, "ww_%s(s, %s) in task %s", close, closed_on(b), w->task->name);
}

/* An end alone: the walk only notes that slots have been opened. */
static bool on_lone_open(path_walk *w, int op, path_state *s)
{
    const bracket *b = w->rule;
    if (!rule_runs_ahead(b->resource, b->side)) {
        report_stuck_cursor(w, op);
        return false;
    }
    s->word[OPEN] = 1;
    s->word[LAST_OPENED] = (uint32_t)op + 1;
    return true;
}

static bool on_open(path_walk *w, int op, path_state *s)
{
    const bracket *b = w->rule;
    bool ahead = rule_runs_ahead(b->resource, b->side);
    if (b->part == RULE_OPENS)
        return on_lone_open(w, op, s);
    if (s->word[OPEN] && !ahead) {
        report_second_open(w, op, s);
        return false;
    }
    if (s->word[OPEN] == (uint32_t)model_stages(b->resource)) {
        report_too_far_ahead(w, op, s);
        return false;
    }
    s->word[OPEN]++;
    s->word[LAST_OPENED] = (uint32_t)op + 1;
    return true;
}

/* ---- closing and work ------------------------------------------------------------------------------- */

static bool on_close(path_walk *w, int op, path_state *s)
{
    const bracket *b = w->rule;
    s->word[WORKED] = 0;
    if (s->word[OPEN] || b->part == RULE_CLOSES) {
        s->word[OPEN] -= b->part != RULE_CLOSES;
        s->word[LAST_CLOSED] = (uint32_t)op + 1;
        return true;
    }
    const char *open = rule_open_name(b->side), *close = rule_close_name(b->side);
    ww_diag *d = report(w, WW_BRACKET, op, "closes a slot, and none is open");
    diag_expected(b->run->diags, d, "%s(%s) before it", open, opened_on(b));
    diag_found(b->run->diags, d, s->word[LAST_CLOSED] ? "a second %s for one %s" : "%s without %s", close,
               open);
    diag_hint(b->run->diags, d, "one ww_%s(s, %s) for each ww_%s, in this order", close, closed_on(b), open);
    relate(w, d, s->word[LAST_CLOSED], "the slot was closed here");
    return false;
}

/* The operation before op that opened a slot of another resource on this side, or -1 when the nearest one is
 * ours. */
static int other_opener(const path_walk *w, int op)
{
    const bracket *b = w->rule;
    for (int i = op - 1; i >= 0; i--) {
        int r = w->task->ops.at[i].resource;
        if (r >= 0 && rule_event_of(w->program, &w->task->ops.at[i], r, b->side) == RULE_OPEN)
            return r == b->resource->index ? -1 : i;
    }
    return -1;
}

static bool on_work(path_walk *w, int op, path_state *s)
{
    const bracket *b = w->rule;
    s->word[WORKED] = b->part == RULE_CLOSES ? (uint32_t)op + 1 : 0;
    if (s->word[OPEN] || b->part == RULE_CLOSES)
        return true;
    const char *open = rule_open_name(b->side), *close = rule_close_name(b->side);
    int other = other_opener(w, op);
    ww_diag *d = report(w, WW_BRACKET, op, "works on a slot that is not open");
    diag_expected(b->run->diags, d, "the work between %s(%s) and %s(%s)", open, opened_on(b), close,
                  closed_on(b));
    diag_found(b->run->diags, d,
               s->word[LAST_CLOSED] ? "the slot was given away by %s(%s)" : "no %s(%s) before it",
               s->word[LAST_CLOSED] ? close : open, s->word[LAST_CLOSED] ? closed_on(b) : opened_on(b));
    if (other >= 0) {
        const char *other_name = rule_resource(b->run, w->task->ops.at[other].resource)->name;
        diag_hint(b->run->diags, d, "ww_%s(s, %s) instead of ww_%s(s, %s)", open, opened_on(b), open,
                  other_name);
        diag_related(b->run->diags, d, w->task->ops.at[other].place, "the slot that is open belongs to %s",
                     other_name);
        return false;
    }
    diag_hint(b->run->diags, d, "move the work between ww_%s and ww_%s", open, close);
    relate(w, d, s->word[LAST_CLOSED], "the slot was closed here");
    return false;
}

static bool on_nothing(path_walk *w, int op, path_state *s)
{
    (void)w;
    (void)op;
    (void)s;
    return true;
}

static bool bracket_step(path_walk *w, int op, path_state *s)
{
    static path_step *const steps[] = {
        [RULE_NOTHING] = on_nothing, [RULE_OPEN] = on_open, [RULE_CLOSE] = on_close, [RULE_WORK] = on_work};
    const bracket *b = w->rule;
    return steps[rule_event_of(w->program, &w->task->ops.at[op], b->resource->index, b->side)](w, op, s);
}

static void report_unclosed(path_walk *w, const path_state *s)
{
    const bracket *b = w->rule;
    const char *close = rule_close_name(b->side);
    int op = (int)s->word[LAST_OPENED] - 1;
    ww_diag *d = report(w, WW_BRACKET, op, "opens a slot that is never closed");
    diag_expected(b->run->diags, d, "%s(%s) after it, on every path", close, closed_on(b));
    diag_found(b->run->diags, d, "the end of the task with %u slot%s open", s->word[OPEN],
               s->word[OPEN] > 1 ? "s" : "");
    diag_hint(b->run->diags, d, "add ww_%s(s, %s)", close, closed_on(b));
}

/* In a task that only closes slots. */
static void report_late_work(path_walk *w, const path_state *s)
{
    const bracket *b = w->rule;
    const char *close = rule_close_name(b->side);
    ww_diag *d =
        report(w, WW_BRACKET, (int)s->word[WORKED] - 1, "works on a slot that the task does not close");
    diag_expected(b->run->diags, d, "%s(%s) after it, on every path", close, closed_on(b));
    diag_found(b->run->diags, d, s->word[LAST_CLOSED] ? "the last %s(%s) before it" : "a path without %s(%s)",
               close, closed_on(b));
    diag_hint(b->run->diags, d, "move the work before ww_%s", close);
    relate(w, d, s->word[LAST_CLOSED], "the slot was closed here");
}

static void bracket_end(path_walk *w, const path_state *s)
{
    const bracket *b = w->rule;
    if (s->word[WORKED])
        report_late_work(w, s);
    else if (s->word[OPEN] && b->part == RULE_WHOLE)
        report_unclosed(w, s);
}

/* A side that no task closes has been reported as such (coverage). */
static bool closed_by_someone(const rule_run *run, int r, ww_side side)
{
    for (size_t i = 0; i < run->program->tasks.len; i++)
        if (rule_first_event(run->program, &run->program->tasks.at[i], r, side, RULE_CLOSE) >= 0)
            return true;
    return false;
}

static bool takes_part(const rule_run *run, const ir_task *t, int r, ww_side side)
{
    for (int event = RULE_OPEN; event <= RULE_WORK; event++)
        if (rule_first_event(run->program, t, r, side, (rule_event)event) >= 0)
            return true;
    return false;
}

static void check_side(const rule_run *run, const ir_task *t, const ww_resource *r, ww_side side)
{
    rule_part part = r->kind == MODEL_ORDERED ? RULE_WHOLE : rule_part_of(run->program, t, r, side);
    bracket b = {run, r, side, part};
    if (*rule_broken(run, (size_t)t->task->index, (size_t)r->index) || !takes_part(run, t, r->index, side))
        return;
    path_walk w = {.program = run->program, .task = t, .step = bracket_step, .end = bracket_end, .rule = &b};
    paths_walk(&w, (path_state){.word = {0}});
}

/* Turns of an ordered sequence are brackets of the producer's kind. */
void verify_brackets(const rule_run *run)
{
    for (size_t i = 0; i < run->program->tasks.len; i++)
        for (size_t j = 0; j < run->kernel->resources.len; j++) {
            const ir_task *t = &run->program->tasks.at[i];
            const ww_resource *r = run->kernel->resources.at[j];
            if (r->kind == MODEL_ORDERED)
                check_side(run, t, r, WW_PRODUCER);
            for (int side = WW_CONSUMER; rule_is_ring(r) && side <= WW_PRODUCER; side++)
                if (closed_by_someone(run, (int)j, (ww_side)side))
                    check_side(run, t, r, (ww_side)side);
        }
}
