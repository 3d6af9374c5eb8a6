/* Stages that no schedule can use: a ring is deeper than its producer ever gets ahead of its consumers.
 *
 * The program is run task by task, with counted barriers and no data: a barrier stage completes a phase when each task that
 * arrives on it has done so once more (twice, if it stands for two members of a group). One ring at a time, its consumers are
 * stopped before release number n; all others go on as far as they can. The fills that are then not released are the stages in
 * use; the most of them, for any n, is what the ring can use. Symbolic bounds are more than the ring is deep, conditions are
 * tried both ways. This is advice and proves nothing: lanes and tasks of single CTAs are left out. */
#include "report/summary.h"

enum { MORE_TRIPS = 3, MOST_TILES = 8, DEAD = -1 };

typedef struct runner {
    int pc; /* DEAD: has ended */
    int trip, trips, tile;
    int *slot, *lap; /* by cursor */
} runner;

typedef struct credits {
    const ir_program *p;
    arena *memory;
    int ring, stages; /* under test */
    int allowed;      /* releases that each of its consumers may make */
    bool condition;   /* what when_true and when_false see */
    int *first_stage; /* by barrier */
    int *share;       /* [barrier][task]: arrivals that the task makes a phase; 0: none */
    int *arrived;     /* [stage][task] */
    int *released;    /* by task: of the ring */
    int *filled;      /* by task: slots of the ring that it has opened for filling */
    runner *runners;  /* by task */
} credits;

static bool is_arrival(const ir_op *op)
{
    return op->kind == IR_ARRIVE || op->kind == IR_EXPECT || op->kind == IR_COPY_ARRIVE ||
           op->kind == IR_UMMA_COMMIT;
}

static int *share_of(const credits *c, int barrier, size_t task)
{
    return &c->share[(size_t)barrier * c->p->tasks.len + task];
}

static int *arrived_of(const credits *c, int barrier, int stage, size_t task)
{
    return &c->arrived[(size_t)(c->first_stage[barrier] + stage) * c->p->tasks.len + task];
}

/* ---- the barriers ------------------------------------------------------------------------------------- */

/* Whether an earlier operation of the task stands for the same arrival. */
static bool counted_before(const ir_task *t, size_t at)
{
    const ir_op *op = &t->ops.at[at];
    for (size_t i = 0; i < at; i++) {
        const ir_op *other = &t->ops.at[i];
        if (is_arrival(other) && other->barrier == op->barrier && other->resource == op->resource &&
            other->verb == op->verb && other->kind == op->kind)
            return true;
    }
    return false;
}

static void find_shares(credits *c)
{
    for (size_t t = 0; t < c->p->tasks.len; t++)
        for (size_t i = 0; i < c->p->tasks.at[t].ops.len; i++) {
            const ir_op *op = &c->p->tasks.at[t].ops.at[i];
            if (is_arrival(op) && op->barrier >= 0 && !counted_before(&c->p->tasks.at[t], i))
                ++*share_of(c, op->barrier, t);
        }
}

static int completed(const credits *c, int barrier, int stage)
{
    int least = INT32_MAX;
    for (size_t t = 0; t < c->p->tasks.len; t++) {
        int share = *share_of(c, barrier, t);
        int phases = share ? *arrived_of(c, barrier, stage, t) / share : INT32_MAX;
        least = phases < least ? phases : least;
    }
    return least;
}

static bool concerns_ring(const credits *c, const ir_op *op, ir_side side)
{
    const ww_resource *r = c->p->kernel->resources.at[c->ring];
    const ww_resource *owner = side == IR_FULL ? model_full_owner(r) : model_empty_owner(r);
    return op->barrier >= 0 && c->p->barriers.at[op->barrier].side == side &&
           c->p->barriers.at[op->barrier].resource == owner->index;
}

/* ---- operations: false: the task waits, or has ended ---------------------------------------------------- */

static bool run_wait(credits *c, size_t task, const ir_op *op)
{
    runner *r = &c->runners[task];
    const ir_cursor *cursor = &c->p->tasks.at[task].cursors.at[op->cursor];
    if (op->drain) {
        r->pc = DEAD;
        return false;
    }
    if (completed(c, op->barrier, r->slot[op->cursor]) < r->lap[op->cursor] + 1 - (int)cursor->parity)
        return false;
    c->filled[task] += concerns_ring(c, op, IR_EMPTY) && op->resource == c->ring;
    return true;
}

/* The tensor core releases when it is done, and its warp goes on meanwhile; threads stop before the release. */
static bool run_arrival(credits *c, size_t task, const ir_op *op)
{
    const runner *r = &c->runners[task];
    if (concerns_ring(c, op, IR_EMPTY)) {
        if (c->released[task] >= c->allowed)
            return op->kind == IR_UMMA_COMMIT;
        c->released[task]++;
    }
    ++*arrived_of(c, op->barrier, r->slot[op->cursor], task);
    return true;
}

static void run_advance(credits *c, size_t task, const ir_op *op)
{
    runner *r = &c->runners[task];
    const ir_cursor *cursor = &c->p->tasks.at[task].cursors.at[op->cursor];
    r->slot[op->cursor] += cursor->stride;
    if (r->slot[op->cursor] >= cursor->stages) {
        r->slot[op->cursor] -= cursor->stages;
        r->lap[op->cursor]++;
    }
}

static int64_t bound_value(const credits *c, const ww_bound *b, int64_t symbolic)
{
    (void)c;
    return b->kind == WW_BOUND_IMMEDIATE ? b->value : symbolic;
}

static int trips_in(const credits *c, const ir_op *loop)
{
    int64_t start = bound_value(c, &loop->start, 0), step = bound_value(c, &loop->stride, 1);
    int64_t end = bound_value(c, &loop->end, start + (c->stages + MORE_TRIPS) * step);
    int64_t span = step > 0 ? end - start : start - end, size = step > 0 ? step : -step;
    int64_t trips = span > 0 ? (span + size - 1) / size : 0;
    return trips < 4 * (WW_MAX_STAGES + MORE_TRIPS) ? (int)trips : 4 * (WW_MAX_STAGES + MORE_TRIPS);
}

static bool guard_holds(const credits *c, const runner *r, const ir_op *op)
{
    switch (op->guard) {
    case IR_GUARD_FIRST: return r->trip == 0;
    case IR_GUARD_LAST: return r->trip + 1 == r->trips;
    case IR_GUARD_EVERY: return r->trip >= op->first && (r->trip - op->first) % op->period == 0;
    case IR_GUARD_TRUE: return c->condition;
    case IR_GUARD_FALSE: return !c->condition;
    case IR_GUARD_NOT_SKIPPED: return true;
    }
    return true;
}

static void run_loop(credits *c, runner *r, const ir_op *op)
{
    r->trip = 0;
    r->trips = trips_in(c, op);
    r->pc = r->trips ? r->pc + 1 : op->match + 1;
}

static int tiles_of(const credits *c)
{
    return c->stages + MORE_TRIPS < MOST_TILES ? c->stages + MORE_TRIPS : MOST_TILES;
}

/* Blocks move the program counter themselves. */
static bool run_block(credits *c, runner *r, const ir_op *op)
{
    switch (op->kind) {
    case IR_TILE_LOOP: r->tile = 0, r->pc++; return true;
    case IR_TILE_LOOP_END: r->pc = ++r->tile < tiles_of(c) ? op->match + 1 : r->pc + 1; return true;
    case IR_LOOP: run_loop(c, r, op); return true;
    case IR_LOOP_END: r->pc = ++r->trip < r->trips ? op->match + 1 : r->pc + 1; return true;
    case IR_GUARD: r->pc = guard_holds(c, r, op) ? r->pc + 1 : op->match + 1; return true;
    default: return false;
    }
}

static bool run_op(credits *c, size_t task)
{
    runner *r = &c->runners[task];
    const ir_task *t = &c->p->tasks.at[task];
    if (r->pc == DEAD || (size_t)r->pc >= t->ops.len)
        return false;
    const ir_op *op = &t->ops.at[r->pc];
    if (run_block(c, r, op))
        return true;
    if ((op->kind == IR_WAIT && !run_wait(c, task, op)) ||
        (is_arrival(op) && op->barrier >= 0 && !run_arrival(c, task, op)))
        return false;
    if (op->kind == IR_ADVANCE)
        run_advance(c, task, op);
    r->pc++;
    return true;
}

/* ---- experiments ---------------------------------------------------------------------------------------- */

static void reset(credits *c, int stage_count)
{
    size_t tasks = c->p->tasks.len;
    memset(c->arrived, 0, (size_t)stage_count * tasks * sizeof *c->arrived);
    memset(c->released, 0, tasks * sizeof *c->released);
    memset(c->filled, 0, tasks * sizeof *c->filled);
    for (size_t t = 0; t < tasks; t++) {
        runner *r = &c->runners[t];
        size_t cursors = c->p->tasks.at[t].cursors.len;
        r->pc = r->trip = r->trips = r->tile = 0;
        memset(r->slot, 0, cursors * sizeof *r->slot);
        memset(r->lap, 0, cursors * sizeof *r->lap);
    }
}

/* Slots opened for filling beyond the releases. */
static int run_until_stuck(credits *c, int stage_count, int allowed)
{
    bool moved = true;
    int most = 0;
    c->allowed = allowed;
    reset(c, stage_count);
    while (moved) {
        moved = false;
        for (size_t t = 0; t < c->p->tasks.len; t++)
            while (run_op(c, t))
                moved = true;
    }
    for (size_t t = 0; t < c->p->tasks.len; t++)
        most = c->filled[t] - allowed > most ? c->filled[t] - allowed : most;
    return most;
}

static int stages_used(credits *c, int stage_count)
{
    int most = 0;
    for (int condition = 0; condition < 2; condition++)
        for (int n = 0; n <= c->stages && most < c->stages; n++) {
            c->condition = condition;
            int used = run_until_stuck(c, stage_count, n);
            most = used > most ? used : most;
        }
    return most;
}

/* ---- what is looked at ----------------------------------------------------------------------------------- */

static bool is_simple(const ir_program *p)
{
    for (size_t t = 0; t < p->tasks.len; t++) {
        if (p->tasks.at[t].only_cta >= 0)
            return false;
        for (size_t i = 0; i < p->tasks.at[t].cursors.len; i++)
            if (p->tasks.at[t].cursors.at[i].lane != IR_LANE_NONE)
                return false;
    }
    return true;
}

static int prepare(credits *c)
{
    const ir_program *p = c->p;
    int stages = 0;
    c->first_stage = arena_array(c->memory, int, p->barriers.len + 1);
    for (size_t b = 0; b < p->barriers.len; b++) {
        c->first_stage[b] = stages;
        stages += p->barriers.at[b].stages;
    }
    c->share = arena_array(c->memory, int, p->barriers.len * p->tasks.len + 1);
    c->arrived = arena_array(c->memory, int, (size_t)stages * p->tasks.len + 1);
    c->released = arena_array(c->memory, int, p->tasks.len + 1);
    c->filled = arena_array(c->memory, int, p->tasks.len + 1);
    c->runners = arena_array(c->memory, runner, p->tasks.len + 1);
    for (size_t t = 0; t < p->tasks.len; t++) {
        c->runners[t].slot = arena_array(c->memory, int, p->tasks.at[t].cursors.len + 1);
        c->runners[t].lap = arena_array(c->memory, int, p->tasks.at[t].cursors.len + 1);
    }
    find_shares(c);
    return stages;
}

void summary_idle_stages(const ir_program *p, FILE *out)
{
    arena memory = {0};
    credits c = {.p = p, .memory = &memory};
    int stage_count = is_simple(p) ? prepare(&c) : 0;
    bool titled = false;
    for (size_t i = 0; stage_count && i < p->kernel->resources.len; i++) {
        const ww_resource *r = p->kernel->resources.at[i];
        c.ring = (int)i;
        c.stages = model_stages(r);
        int used = r->kind == MODEL_MEMORY && c.stages > 1 ? stages_used(&c, stage_count) : c.stages;
        if (used >= c.stages || !used)
            continue;
        (void)fputs(titled ? "" : "\nstages that no producer gets far enough ahead to use\n", out);
        titled = true;
        (void)fprintf(out, "  %-20s %d of %d: at most %d %s filled and not released\n", r->name,
                      c.stages - used, c.stages, used, used == 1 ? "is" : "are");
    }
    arena_free(&memory);
}
