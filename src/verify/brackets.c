/* Brackets: producer work stands between acquire and commit, consumer work between wait and release, on every
 * path.
 *
 * The walk remembers how many slots are open and the operation that opened or closed one last. Where cursors
 * may run ahead (advance_on_acquire, advance_on_wait) up to `stages` slots may be open, else one. The first
 * mistake of a task with a side of a resource is reported; what follows from it would only repeat it. */
#include "verify/rules.h"

enum { OPEN, LAST_OPENED, LAST_CLOSED }; /* words of the state; operations are stored plus 1, 0: none */

typedef struct bracket {
    const rule_run *run;
    const ww_resource *resource;
    ww_side side;
} bracket;

static ww_diag *report(path_walk *w, ww_code code, int op, const char *what)
{
    const bracket *b = w->rule;
    text step = {0};
    capture_step_text(&w->task->task->schedule->steps.at[w->task->ops.at[op].step], &step);
    ww_diag *d = diag_add(b->run->diags, code, w->task->ops.at[op].place, "task %s: %s %s, %s", w->task->name,
                          text_str(&step), what, path_where(w, op));
    text_free(&step);
    *rule_broken(b->run, (size_t)w->task->task->index, (size_t)b->resource->index) = true;
    w->stop = true;
    return d;
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
    diag_expected(b->run->diags, d, "%s(%s) between two calls of %s", close, b->resource->name, open);
    diag_found(b->run->diags, d, "two calls of %s without it: both address the same slot", open);
    diag_hint(b->run->diags, d,
              "add ww_%s(s, %s) after the work; to run ahead on purpose, declare .advance_on_%s = true",
              close, b->resource->name, open);
    relate(w, d, s->word[LAST_OPENED], "the slot was opened here");
}

static void report_too_far_ahead(path_walk *w, int op, const path_state *s)
{
    const bracket *b = w->rule;
    const char *open = rule_open_name(b->side), *close = rule_close_name(b->side);
    int stages = b->resource->pipeline.stages;
    ww_diag *d = report(w, WW_DOUBLE_OPEN, op, "opens more slots than there are");
    diag_expected(b->run->diags, d, "at most %d slots open (stages)", stages);
    diag_found(b->run->diags, d, "%d calls of %s ahead of %s", stages + 1, open, close);
    diag_hint(b->run->diags, d, "as many calls of ww_%s(s, %s) as of ww_%s", close, b->resource->name, open);
    relate(w, d, s->word[LAST_OPENED], "the last slot was opened here");
}

static bool on_open(path_walk *w, int op, path_state *s)
{
    const bracket *b = w->rule;
    bool ahead = rule_runs_ahead(b->resource, b->side);
    if (s->word[OPEN] && !ahead) {
        report_second_open(w, op, s);
        return false;
    }
    if (s->word[OPEN] == (uint32_t)b->resource->pipeline.stages) {
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
    if (s->word[OPEN]) {
        s->word[OPEN]--;
        s->word[LAST_CLOSED] = (uint32_t)op + 1;
        return true;
    }
    const char *open = rule_open_name(b->side), *close = rule_close_name(b->side);
    ww_diag *d = report(w, WW_BRACKET, op, "closes a slot, and none is open");
    diag_expected(b->run->diags, d, "%s(%s) before it", open, b->resource->name);
    diag_found(b->run->diags, d, s->word[LAST_CLOSED] ? "a second %s for one %s" : "%s without %s", close,
               open);
    diag_hint(b->run->diags, d, "one ww_%s(s, %s) for each ww_%s, in this order", close, b->resource->name,
              open);
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
    if (s->word[OPEN])
        return true;
    const char *open = rule_open_name(b->side), *close = rule_close_name(b->side);
    const char *name = b->resource->name;
    int other = other_opener(w, op);
    ww_diag *d = report(w, WW_BRACKET, op, "works on a slot that is not open");
    diag_expected(b->run->diags, d, "the work between %s(%s) and %s(%s)", open, name, close, name);
    diag_found(b->run->diags, d,
               s->word[LAST_CLOSED] ? "the slot was given away by %s(%s)" : "no %s(%s) before it",
               s->word[LAST_CLOSED] ? close : open, name);
    if (other >= 0) {
        const char *other_name = rule_resource(b->run, w->task->ops.at[other].resource)->name;
        diag_hint(b->run->diags, d, "ww_%s(s, %s) instead of ww_%s(s, %s)", open, name, open, other_name);
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

static void bracket_end(path_walk *w, const path_state *s)
{
    const bracket *b = w->rule;
    if (!s->word[OPEN])
        return;
    const char *close = rule_close_name(b->side);
    int op = (int)s->word[LAST_OPENED] - 1;
    ww_diag *d = report(w, WW_BRACKET, op, "opens a slot that is never closed");
    diag_expected(b->run->diags, d, "%s(%s) after it, on every path", close, b->resource->name);
    diag_found(b->run->diags, d, "the end of the task with %u slot%s open", s->word[OPEN],
               s->word[OPEN] > 1 ? "s" : "");
    diag_hint(b->run->diags, d, "add ww_%s(s, %s)", close, b->resource->name);
}

/* A side that no task closes has been reported as such (coverage). */
static bool closed_by_someone(const rule_run *run, int r, ww_side side)
{
    for (size_t i = 0; i < run->program->tasks.len; i++)
        if (rule_first_event(run->program, &run->program->tasks.at[i], r, side, RULE_CLOSE) >= 0)
            return true;
    return false;
}

void verify_brackets(const rule_run *run)
{
    for (size_t i = 0; i < run->program->tasks.len; i++)
        for (size_t r = 0; r < run->kernel->resources.len; r++)
            for (int side = WW_CONSUMER; side <= WW_PRODUCER; side++) {
                bracket b = {run, run->kernel->resources.at[r], (ww_side)side};
                if (!model_pipelined(b.resource) || !closed_by_someone(run, (int)r, b.side))
                    continue;
                path_walk w = {.program = run->program,
                               .task = &run->program->tasks.at[i],
                               .step = bracket_step,
                               .end = bracket_end,
                               .rule = &b};
                paths_walk(&w, (path_state){{0}});
            }
}
