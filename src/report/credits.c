/* Stages that no schedule can use: a ring is deeper than its producer ever gets ahead of its consumers.
 *
 * What the tasks do (run.h) is played against each other, with counted barriers and no data: a barrier stage completes a phase
 * when each task that arrives on it has done so once more (twice, if it stands for two members of a group). One ring at a
 * time, its consumers are stopped before release number n; all others go on as far as they can. The fills that are then not
 * released are the stages in use; the most of them, for any n, is what the ring can use. Conditions are tried both ways. This
 * is advice and proves nothing: lanes and tasks of single CTAs are left out. */
#include "report/run.h"
#include "report/summary.h"

typedef struct credits {
    const ir_program *p;
    const run *run;
    arena *memory;
    int ring, stages; /* under test */
    int stage_count;  /* of all barriers */
    int allowed;      /* releases that each of its consumers may make */
    int *first_stage; /* by barrier */
    int *share;       /* [barrier][task]: arrivals that the task makes a phase; 0: none */
    int *arrived;     /* [stage][task] */
    int *released;    /* by task: of the ring */
    int *filled;      /* by task: slots of the ring that it has opened for filling */
    size_t *next;     /* by task: its next event */
} credits;

static bool is_arrival(const ir_op *op)
{
    return ir_is_arrival(op) && op->barrier >= 0;
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
            if (is_arrival(op) && !counted_before(&c->p->tasks.at[t], i))
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

/* ---- events: false: the task waits --------------------------------------------------------------------- */

static bool pass_wait(credits *c, size_t task, const ir_op *op, const run_event *e)
{
    if (completed(c, op->barrier, e->slot) < e->number)
        return false;
    c->filled[task] += concerns_ring(c, op, IR_EMPTY) && op->resource == c->ring;
    return true;
}

/* The tensor core releases when it is done, and its warp goes on meanwhile; threads stop before the release. */
static bool pass_arrival(credits *c, size_t task, const ir_op *op, const run_event *e)
{
    if (concerns_ring(c, op, IR_EMPTY)) {
        if (c->released[task] >= c->allowed)
            return op->kind == IR_UMMA_COMMIT;
        c->released[task]++;
    }
    ++*arrived_of(c, op->barrier, e->slot, task);
    return true;
}

static bool pass(credits *c, size_t task)
{
    const run_task *t = &c->run->tasks[task];
    if (c->next[task] == t->events.len)
        return false;
    const run_event *e = &t->events.at[c->next[task]];
    const ir_op *op = &c->p->tasks.at[task].ops.at[e->op];
    if ((op->kind == IR_WAIT && !pass_wait(c, task, op, e)) ||
        (is_arrival(op) && !pass_arrival(c, task, op, e)))
        return false;
    c->next[task]++;
    return true;
}

/* ---- experiments --------------------------------------------------------------------------------------- */

/* Slots opened for filling beyond the releases. */
static int run_until_stuck(credits *c, int allowed)
{
    size_t tasks = c->p->tasks.len;
    bool moved = true;
    int most = 0;
    c->allowed = allowed;
    memset(c->arrived, 0, (size_t)c->stage_count * tasks * sizeof *c->arrived);
    memset(c->released, 0, tasks * sizeof *c->released);
    memset(c->filled, 0, tasks * sizeof *c->filled);
    memset(c->next, 0, tasks * sizeof *c->next);
    while (moved) {
        moved = false;
        for (size_t t = 0; t < tasks; t++)
            while (pass(c, t))
                moved = true;
    }
    for (size_t t = 0; t < tasks; t++)
        most = c->filled[t] - allowed > most ? c->filled[t] - allowed : most;
    return most;
}

/* Of one ring, in one of the runs. */
static int stages_used(credits *c, const run *r, int ring)
{
    int most = 0;
    c->run = r;
    c->ring = ring;
    c->stages = model_stages(c->p->kernel->resources.at[ring]);
    for (int n = 0; n <= c->stages && most < c->stages; n++) {
        int used = run_until_stuck(c, n);
        most = used > most ? used : most;
    }
    return most;
}

/* ---- what is looked at --------------------------------------------------------------------------------- */

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

static void prepare(credits *c)
{
    const ir_program *p = c->p;
    c->first_stage = arena_array(c->memory, int, p->barriers.len + 1);
    for (size_t b = 0; b < p->barriers.len; b++) {
        c->first_stage[b] = c->stage_count;
        c->stage_count += p->barriers.at[b].stages;
    }
    c->share = arena_array(c->memory, int, p->barriers.len * p->tasks.len + 1);
    c->arrived = arena_array(c->memory, int, (size_t)c->stage_count * p->tasks.len + 1);
    c->released = arena_array(c->memory, int, p->tasks.len + 1);
    c->filled = arena_array(c->memory, int, p->tasks.len + 1);
    c->next = arena_array(c->memory, size_t, p->tasks.len + 1);
    find_shares(c);
}

static void print_rings(credits *c, const run *with, const run *without, FILE *out)
{
    bool titled = false;
    for (size_t i = 0; i < c->p->kernel->resources.len; i++) {
        const ww_resource *r = c->p->kernel->resources.at[i];
        int stages = model_stages(r);
        if (r->kind != MODEL_MEMORY || stages < 2)
            continue;
        int used = stages_used(c, with, (int)i), other = stages_used(c, without, (int)i);
        used = other > used ? other : used;
        if (used >= stages || !used)
            continue;
        (void)fputs(titled ? "" : "\nstages that no producer gets far enough ahead to use\n", out);
        titled = true;
        (void)fprintf(out, "  %-20s %d of %d: at most %d %s filled and not released\n", r->name,
                      stages - used, stages, used, used == 1 ? "is" : "are");
    }
}

/* As many as fill the deepest ring once a tile, and a few more. */
static int tiles_to_run(const ir_program *p)
{
    int deepest = 0;
    for (size_t i = 0; i < p->kernel->resources.len; i++) {
        int stages = model_stages(p->kernel->resources.at[i]);
        deepest = stages > deepest ? stages : deepest;
    }
    return deepest + 2;
}

void summary_idle_stages(const ir_program *p, FILE *out)
{
    if (!is_simple(p))
        return;
    arena memory = {0};
    credits c = {.p = p, .memory = &memory};
    int tiles = tiles_to_run(p);
    run *with = run_new(p, tiles, true), *without = run_new(p, tiles, false);
    prepare(&c);
    if (!with->cut && !without->cut) /* what has been cut off would be missed */
        print_rings(&c, with, without, out);
    run_free(with);
    run_free(without);
    arena_free(&memory);
}
