/* A counterexample as a timeline: a column a task (in a cluster, a task of a CTA), a row an event. What several warps of a
 * task do alike, one after the other, is one row; otherwise the cell says which warp it is. What the event does to barriers
 * and memory stands behind the columns. */
#include "base/base.h"
#include "warpwright/witness.h"

enum { LEAST_WIDTH = 5, GAP = 2 };

typedef struct column {
    int cta, task;
    size_t width;
} column;

/* Events first .. last - 1: the same operation of several warps. */
typedef struct row {
    int first, end;
    int column;
    const char *cell;
} row;

typedef struct timeline {
    const ww_witness *w;
    arena arena;
    VEC(column) columns;
    VEC(row) rows;
} timeline;

const char *ww_fault_text(ww_fault_kind kind)
{
    static const char *const texts[] = {
#define WW_FAULT(name, text, ending) [WW_FAULT_##name] = (text),
#include "warpwright/witness_faults.def"
#undef WW_FAULT
    };
    return texts[kind];
}

ww_fault_ending ww_fault_ending_of(ww_fault_kind kind)
{
    static const ww_fault_ending endings[] = {
#define WW_FAULT(name, text, ending) [WW_FAULT_##name] = WW_ENDING_##ending,
#include "warpwright/witness_faults.def"
#undef WW_FAULT
    };
    return endings[kind];
}

/* ---- columns and rows ---------------------------------------------------------------------------------- */

static int column_of(const timeline *t, const ww_event *e)
{
    for (size_t i = 0; i < t->columns.len; i++)
        if (t->columns.at[i].cta == e->cta && t->columns.at[i].task == e->task)
            return (int)i;
    return -1;
}

static void add_column(timeline *t, const ww_event *e)
{
    if (column_of(t, e) >= 0)
        return;
    column c = {e->cta, e->task, LEAST_WIDTH};
    vec_push(&t->columns, c);
}

/* By CTA, then in the order of declaration. */
static void sort_columns(timeline *t)
{
    for (size_t i = 1; i < t->columns.len; i++) {
        column c = t->columns.at[i];
        size_t n = i;
        for (; n > 0; n--) {
            const column *before = &t->columns.at[n - 1];
            if (before->cta < c.cta || (before->cta == c.cta && before->task < c.task))
                break;
            t->columns.at[n] = *before;
        }
        t->columns.at[n] = c;
    }
}

static bool is_alike(const ww_event *a, const ww_event *b)
{
    return a->kind == b->kind && a->kind == WW_EVENT_STEP && a->cta == b->cta && a->task == b->task &&
           a->op == b->op && a->trip == b->trip && a->tile == b->tile && a->blocked == b->blocked;
}

static int row_end(const ww_witness *w, int first)
{
    int end = first + 1;
    while (end < w->event_count && end != w->second && first != w->first && end != w->first &&
           is_alike(&w->events[first], &w->events[end]) && w->events[end].warp != w->events[first].warp)
        end++;
    return end;
}

/* "acquire(ring)", "w2: acquire(ring)", "(tma_load lands)" */
static const char *cell_text(timeline *t, const row *r)
{
    const ww_event *e = &t->w->events[r->first];
    int warps = t->w->tasks[e->task].warps, warp = e->warp - t->w->tasks[e->task].first_warp;
    text out = {0};
    if (r->end - r->first < warps && r->end - r->first == 1)
        text_printf(&out, "w%d: ", warp);
    else if (r->end - r->first < warps)
        text_printf(&out, "w%d..w%d: ", warp,
                    t->w->events[r->end - 1].warp - t->w->tasks[e->task].first_warp);
    text_printf(&out, e->kind == WW_EVENT_LANDING ? "(%s)" : "%s", e->text);
    const char *s = arena_strdup(&t->arena, text_str(&out));
    text_free(&out);
    return s;
}

static void lay_out(timeline *t)
{
    const ww_witness *w = t->w;
    for (int i = 0; i < w->event_count; i++)
        add_column(t, &w->events[i]);
    sort_columns(t);
    for (int i = 0; i < w->event_count;) {
        row r = {i, row_end(w, i), column_of(t, &w->events[i]), NULL};
        r.cell = cell_text(t, &r);
        vec_push(&t->rows, r);
        i = r.end;
    }
}

static const char *head_text(timeline *t, const column *c)
{
    const ww_witness_task *task = &t->w->tasks[c->task];
    const char *cta = t->w->ctas > 1 ? arena_printf(&t->arena, "%d:", c->cta) : "";
    return task->warps > 1 ? arena_printf(&t->arena, "%s%s x%d", cta, task->name, task->warps)
                           : arena_printf(&t->arena, "%s%s", cta, task->name);
}

static void widen(timeline *t, size_t first_row)
{
    column *c;
    vec_each(c, &t->columns) {
        size_t head = strlen(head_text(t, c));
        c->width = head > c->width ? head : c->width;
    }
    for (size_t i = first_row; i < t->rows.len; i++) {
        column *of = &t->columns.at[t->rows.at[i].column];
        size_t len = strlen(t->rows.at[i].cell);
        of->width = len > of->width ? len : of->width;
    }
}

/* ---- printing ------------------------------------------------------------------------------------------ */

static void print_cell(FILE *out, const char *s, size_t columns, size_t width)
{
    (void)fprintf(out, "%s%*s", s, (int)(width + GAP - columns), "");
}

static void print_head(timeline *t, FILE *out)
{
    (void)fprintf(out, "%4s  ", "");
    column *c;
    vec_each(c, &t->columns) {
        const char *head = head_text(t, c);
        print_cell(out, head, strlen(head), c->width);
    }
    (void)fprintf(out, "\n");
}

static const char *place_text(timeline *t, const ww_event *e)
{
    if (e->tile >= 0 && e->trip >= 0)
        return arena_printf(&t->arena, "tile %lld, trip %lld: ", (long long)e->tile, (long long)e->trip);
    if (e->trip >= 0)
        return arena_printf(&t->arena, "trip %lld: ", (long long)e->trip);
    return e->tile >= 0 ? arena_printf(&t->arena, "tile %lld: ", (long long)e->tile) : "";
}

static void print_row(timeline *t, const row *r, size_t number, FILE *out)
{
    (void)fprintf(out, "%4zu  ", number);
    for (size_t i = 0; i < t->columns.len; i++) {
        bool here = (int)i == r->column;
        print_cell(out, here ? r->cell : "\xc2\xb7", here ? strlen(r->cell) : 1, t->columns.at[i].width);
    }
    const ww_event *last = &t->w->events[r->end - 1];
    (void)fprintf(out, "%s%s\n", place_text(t, last), last->does);
}

static void print_values(const ww_witness *w, FILE *out)
{
    (void)fprintf(out, "counterexample of kernel %s: %s", w->kernel, ww_fault_text(w->fault));
    for (int i = 0; i < w->value_count; i++) {
        const ww_witness_value *v = &w->values[i];
        (void)fprintf(out, "%s%s%s = %lld", i ? ", " : "; with ", v->name,
                      v->kind == WW_VALUE_TILES  ? " tiles"
                      : v->kind == WW_VALUE_SKIP ? " skipped"
                                                 : "",
                      (long long)v->value);
        if (v->trip >= 0)
            (void)fprintf(out, " in trip %lld", (long long)v->trip);
        if (v->tile >= 0)
            (void)fprintf(out, " of tile %lld", (long long)v->tile);
    }
    (void)fprintf(out, "\n\n");
}

static const char *event_text(timeline *t, int number)
{
    const ww_event *e = &t->w->events[number];
    const char *cta = t->w->ctas > 1 ? arena_printf(&t->arena, " of CTA %d", e->cta) : "";
    return arena_printf(&t->arena, "%s (task %s, warp %d%s; %s:%d)", e->text, t->w->tasks[e->task].name,
                        e->warp, cta, e->file ? e->file : "?", e->line);
}

static void print_waiters(timeline *t, FILE *out)
{
    for (int i = 0; i < t->w->waiter_count; i++) {
        const ww_witness_waiter *x = &t->w->waiters[i];
        (void)fprintf(out, "  task %s waits at %s for %s, phase %u (parity %u): ",
                      t->w->tasks[t->w->events[x->event].task].name, t->w->events[x->event].text, x->barrier,
                      x->phase, (x->phase - 1) & 1);
        if (x->pending || !x->bytes)
            (void)fprintf(out, "%u arrivals%s", x->pending, x->bytes ? " and " : "");
        if (x->bytes)
            (void)fprintf(out, "%lld bytes", (long long)x->bytes);
        (void)fprintf(out, " missing; %s\n", x->arrivers);
    }
}

static void print_memory(timeline *t, FILE *out)
{
    const ww_witness *w = t->w;
    (void)fprintf(out, "  %s: %s\n  and %s: %s\n  both in %s %u to %u%s%s; ", event_text(t, w->first),
                  w->events[w->first].does, event_text(t, w->second), w->events[w->second].does,
                  w->tensor ? "columns" : "bytes", w->memory_offset, w->memory_offset + w->memory_bytes - 1,
                  w->tensor ? " of tensor memory" : " of shared memory",
                  w->ctas > 1 ? arena_printf(&t->arena, " of CTA %d", w->memory_cta) : "");
    (void)fprintf(
        out, "%s\n",
        w->fault == WW_FAULT_CLOBBERED ? "the second finds what the first left"
        : w->fault == WW_FAULT_UNFENCED
            ? "the second comes after the first, without a fence between threads and engines"
        : w->in_flight
            ? "the first is still under way when the second comes, and no barrier says that it has ended"
            : "no barrier lies between them");
}

static void print_phase(timeline *t, FILE *out)
{
    const ww_witness *w = t->w;
    (void)fprintf(out, "  %s: %s has completed %u phases when it comes; ", event_text(t, w->second),
                  w->barrier, w->barrier_completed);
    switch (w->fault) {
    case WW_FAULT_LAPPED: (void)fprintf(out, "it is to see phase %u end\n", w->wanted); break;
    case WW_FAULT_EARLY_WAIT:
        (void)fprintf(out, "it is meant for phase %u, whose parity is that of the last one\n", w->wanted);
        break;
    case WW_FAULT_EARLIER_PHASE: (void)fprintf(out, "it is meant for phase %u\n", w->wanted); break;
    default:
        (void)fprintf(out, "%u arrivals are missing in phase %u\n", w->barrier_pending, w->wanted);
        break;
    }
}

static void print_fault(timeline *t, FILE *out)
{
    const ww_witness *w = t->w;
    (void)fprintf(out, "\nWW%d %s: %s\n", (int)w->code, ww_fault_text(w->fault), w->message);
    if (w->fault == WW_FAULT_DEADLOCK)
        print_waiters(t, out);
    else if (w->memory && w->first >= 0 && w->second >= 0)
        print_memory(t, out);
    else if (w->second >= 0 && w->barrier)
        print_phase(t, out);
}

void ww_witness_print(const ww_witness *w, FILE *out, int rows)
{
    timeline t = {.w = w};
    lay_out(&t);
    size_t left_out = rows > 0 && t.rows.len > (size_t)rows ? t.rows.len - (size_t)rows : 0;
    widen(&t, left_out);
    print_values(w, out);
    print_head(&t, out);
    if (!t.rows.len)
        (void)fprintf(out, "      initial state\n");
    if (left_out)
        (void)fprintf(out, "      ... %zu rows before these\n", left_out);
    for (size_t i = left_out; i < t.rows.len; i++)
        print_row(&t, &t.rows.at[i], i + 1, out);
    print_fault(&t, out);
    vec_free(&t.columns);
    vec_free(&t.rows);
    arena_free(&t.arena);
}
