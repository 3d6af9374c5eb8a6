/* What a program does in small instances, as text: for each task, lane and resource the work done on it in order, with the
 * values it gets, where each value was made, and which filling of which ring it touches.
 *
 * Where two programs agree in this and both are free of faults, each piece of work finds the same data in both: the
 * fillings of a ring follow each other, and only the order of work on different resources may differ. The walk is the
 * test's own; it shares no code with the prover or the explorer. */
#include "mutate.h"

enum { MOST_LINES = 4000, INSTANCES = 4 };

typedef struct instance {
    int argument, device, tiles;
    unsigned bits; /* of conditions and of skipped tiles: bit (tile + trip) % 4 */
} instance;

static const instance instances[INSTANCES] = {{1, 1, 1, 0}, {2, 11, 2, 5}, {4, 2, 2, 2}, {42, 3, 1, 15}};

typedef struct walk {
    const ir_program *program;
    const ir_task *task;
    instance of;
    int warp, tile, depth;
    int64_t trip, trips;   /* of the innermost loop */
    int64_t *place, *held; /* of each cursor */
    int *made;             /* how often each value has been made */
    text *lines;           /* of each resource */
    int count;
} walk;

static void walk_ops(walk *w, int from, int to);

static int64_t bound_of(const walk *w, const ww_bound *b)
{
    if (b->kind == WW_BOUND_IMMEDIATE)
        return b->value;
    /* Functions of different names give different values. */
    int value = b->kind == WW_BOUND_ARGUMENT ? w->of.argument : w->of.device + (int)(strlen(b->name) % 3);
    return value < b->min ? b->min : value;
}

/* ---- work ----------------------------------------------------------------------------------------------- */

static void add_values(const walk *w, const ir_op *op, text *line)
{
    for (int i = 0; i < op->work->in_count; i++) {
        int v = op->in[i];
        if (v < 0) {
            text_add(line, " ?");
            continue;
        }
        const ir_op *maker = &w->task->ops.at[w->task->values.at[v].producer];
        text_printf(line, " %s.%s#%d", maker->work->function, w->task->values.at[v].name, w->made[v]);
    }
    for (int i = 0; i < op->work->out_count; i++)
        if (op->out[i] >= 0)
            w->made[op->out[i]]++;
}

static void add_effects(const walk *w, const ir_op *op, text *line)
{
    for (int i = 0; i < op->effect_count; i++) {
        const ir_effect *e = &op->effects[i];
        const ir_buffer *b = &w->program->buffers.at[e->buffer];
        int64_t at = e->cursor < 0 ? -1 : e->held ? w->held[e->cursor] : w->place[e->cursor];
        text_printf(line, " %d:%s.%s[%lld] %u to %d %d", (int)e->kind,
                    w->program->kernel->resources.at[b->resource]->name, b->name, (long long)at, e->bytes,
                    (int)e->to, (int)e->reach);
    }
}

/* The line belongs to the work's own resource and to each whose memory it touches. */
static void add_line(walk *w, const ir_op *op, const text *line)
{
    text_printf(&w->lines[op->resource], "    %s\n", text_str(line));
    for (int i = 0; i < op->effect_count; i++) {
        int r = w->program->buffers.at[op->effects[i].buffer].resource;
        if (r != op->resource)
            text_printf(&w->lines[r], "    %s\n", text_str(line));
    }
}

static void walk_work(walk *w, const ir_op *op)
{
    text line = {0};
    text_printf(&line, "%s tile %d gate %d", op->work->function, w->tile, (int)op->gate);
    for (int i = 0; i < op->work->constant_count; i++)
        text_printf(&line, " <%d>", op->constants[i]);
    if (op->cursor >= 0)
        text_printf(&line, " at %lld", (long long)(op->held ? w->held[op->cursor] : w->place[op->cursor]));
    add_values(w, op, &line);
    add_effects(w, op, &line);
    if (w->count++ < MOST_LINES)
        add_line(w, op, &line);
    text_free(&line);
}

/* ---- blocks --------------------------------------------------------------------------------------------- */

static void walk_loop(walk *w, int at, const ir_op *op)
{
    int64_t start = bound_of(w, &op->start), end = bound_of(w, &op->end), step = bound_of(w, &op->stride);
    int64_t before = w->trip, trips_before = w->trips;
    int64_t span = step > 0 ? end - start : start - end, size = step > 0 ? step : -step;
    w->trips = size && span > 0 ? (span + size - 1) / size : 0;
    for (w->trip = 0; w->trip < w->trips && w->count < MOST_LINES; w->trip++)
        walk_ops(w, at + 1, op->match);
    w->trip = before;
    w->trips = trips_before;
}

static bool bit(const walk *w, int64_t i)
{
    return w->of.bits >> (i & 3) & 1;
}

static bool guard_holds(const walk *w, const ir_op *op)
{
    switch (op->guard) {
    case IR_GUARD_FIRST: return w->trip == 0;
    case IR_GUARD_LAST: return w->trip == w->trips - 1;
    case IR_GUARD_NOT_SKIPPED: return !bit(w, w->tile);
    case IR_GUARD_EVERY: return w->trip >= op->first && (w->trip - op->first) % op->period == 0;
    case IR_GUARD_TRUE: return bit(w, op->key + w->tile + w->trip);
    default: return !bit(w, op->key + w->tile + w->trip);
    }
}

static void walk_tiles(walk *w, int at, const ir_op *op)
{
    for (w->tile = 0; w->tile < w->of.tiles; w->tile++)
        walk_ops(w, at + 1, op->match);
}

static void advance(walk *w, const ir_op *op)
{
    w->held[op->cursor] = w->place[op->cursor];
    w->place[op->cursor] += w->task->cursors.at[op->cursor].stride;
}

static void walk_ops(walk *w, int from, int to)
{
    for (int i = from; i < to; i++) {
        const ir_op *op = &w->task->ops.at[i];
        if (op->kind == IR_WORK)
            walk_work(w, op);
        else if (op->kind == IR_ADVANCE && !op->drain)
            advance(w, op);
        else if (op->kind == IR_LOOP)
            walk_loop(w, i, op);
        else if (op->kind == IR_TILE_LOOP)
            walk_tiles(w, i, op);
        else if (op->kind == IR_GUARD && guard_holds(w, op))
            walk_ops(w, i + 1, op->match);
        if (op->match > i)
            i = op->match;
    }
}

/* ---- tasks ---------------------------------------------------------------------------------------------- */

static int64_t place_at_start(const ir_cursor *c, int warp)
{
    if (c->lane == IR_LANE_BY_WARP)
        return c->lane_warps ? warp / c->lane_warps : warp;
    return c->lane == IR_LANE_FIXED ? c->first : 0;
}

static void write_lines(const walk *w, text *out)
{
    const ir_program *p = w->program;
    for (size_t r = 0; r < p->kernel->resources.len; r++) {
        if (w->lines[r].len)
            text_printf(out, "  %s\n%s", p->kernel->resources.at[r]->name, text_str(&w->lines[r]));
        text_free(&w->lines[r]);
    }
}

static void *room(size_t count, size_t size)
{
    void *bytes = base_alloc((count + 1) * size);
    memset(bytes, 0, (count + 1) * size);
    return bytes;
}

static void trace_warp(const ir_program *p, const ir_task *t, instance of, int warp, text *out)
{
    walk w = {.program = p, .task = t, .of = of, .warp = warp};
    w.place = room(t->cursors.len, sizeof *w.place);
    w.held = room(t->cursors.len, sizeof *w.held);
    w.made = room(t->values.len, sizeof *w.made);
    w.lines = room(p->kernel->resources.len, sizeof *w.lines);
    for (size_t i = 0; i < t->cursors.len; i++)
        w.place[i] = w.held[i] = place_at_start(&t->cursors.at[i], warp);
    text_printf(out, "task %s of CTA %d warp %d\n", t->name, t->only_cta, warp);
    walk_ops(&w, 0, (int)t->ops.len);
    write_lines(&w, out);
    free(w.place);
    free(w.held);
    free(w.made);
    free(w.lines);
}

void trace_program(const ir_program *p, text *out)
{
    for (int i = 0; i < INSTANCES; i++)
        for (size_t t = 0; t < p->tasks.len; t++)
            for (int warp = 0; warp < p->tasks.at[t].warps; warp++)
                trace_warp(p, &p->tasks.at[t], instances[i], warp, out);
}
