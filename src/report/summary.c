/* Under the schedule table: registers, shared memory, arrivals, values. Each block recomputes what it shows
 * from the IR and compares with what the IR declares, so that a disagreement is visible here too. */
#include "report/summary.h"
#include "report/cells.h"

#include "capture/capture.h"

enum { WARP_LANES = 32, POOL_REGISTERS = 65536, REGISTER_UNIT = 8, MOST_REGISTERS = 256, BARRIER_BYTES = 8 };

static const char *resource_name(const ir_program *p, int resource)
{
    return p->kernel->resources.at[resource]->name;
}

static const char *side_name(ir_side side)
{
    return side == IR_FULL ? "full" : "empty";
}

/* ---- registers -------------------------------------------------------------------------------------- */

/* What every thread starts with under __launch_bounds__(threads, 1): an even share in allocation units. */
static int starting_registers(int warps)
{
    int share = POOL_REGISTERS / (warps * WARP_LANES) / REGISTER_UNIT * REGISTER_UNIT;
    return share > MOST_REGISTERS ? MOST_REGISTERS : share;
}

static void put_registers(const char *name, int warps, int registers, const char *remark, FILE *out)
{
    (void)fprintf(out, "  %-20s %2d x 32 x %3d = %6d%s\n", name, warps, registers,
                  warps * WARP_LANES * registers, remark);
}

static bool sets_registers(const ir_program *p)
{
    bool any = false;
    for (size_t i = 0; i < p->tasks.len; i++)
        any = any || p->tasks.at[i].registers;
    return any;
}

/* The sum over tasks and over warps without a task, one line each. */
static int put_register_split(const ir_program *p, int start, FILE *out)
{
    int idle = p->warps, sum = 0;
    for (size_t i = 0; i < p->tasks.len; i++) {
        const ir_task *t = &p->tasks.at[i];
        int registers = t->registers ? t->registers : start;
        put_registers(t->name, t->warps, registers, t->registers ? "" : "  as started", out);
        sum += t->warps * WARP_LANES * registers;
        idle -= t->warps;
    }
    if (idle > 0)
        put_registers("(no task)", idle, start, "  as started", out);
    return sum + (idle > 0 ? idle * WARP_LANES * start : 0);
}

void summary_registers(const ir_program *p, FILE *out)
{
    if (p->warps <= 0)
        return;
    int start = starting_registers(p->warps), pool = start * p->warps * WARP_LANES;
    if (!sets_registers(p)) {
        (void)fprintf(out, "\nregisters: as compiled, at most %d a thread (%d threads share %d)\n",
                      start == MOST_REGISTERS ? MOST_REGISTERS - 1 : start, p->warps * WARP_LANES,
                      POOL_REGISTERS);
        return;
    }
    (void)fprintf(out, "\nregisters (warps x lanes x registers)\n");
    int sum = put_register_split(p, start, out);
    (void)fprintf(out,
                  "  %-20s %17d of %d (%d threads start with %d each; the multiprocessor has %d), %d %s\n",
                  "sum", sum, pool, p->warps * WARP_LANES, start, POOL_REGISTERS, abs(pool - sum),
                  sum > pool ? "TOO MANY" : "spare");
}

/* ---- shared memory ---------------------------------------------------------------------------------- */

typedef struct extent {
    uint32_t offset, bytes, unit;
    int stages;
    const char *resource, *part; /* "smem_ab", "a" */
} extent;

typedef VEC(extent) extent_list;

static int extent_order(const void *a, const void *b)
{
    const extent *x = a, *y = b;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return strcmp(x->part, y->part);
}

static void list_extents(const ir_program *p, extent_list *list)
{
    for (size_t i = 0; i < p->buffers.len; i++) {
        const ir_buffer *b = &p->buffers.at[i];
        extent e = {b->offset, b->stage_bytes * (uint32_t)b->stages, b->stage_bytes,
                    b->stages, resource_name(p, b->resource),        b->name};
        vec_push(list, e);
    }
    for (size_t i = 0; i < p->barriers.len; i++) {
        const ir_barrier *b = &p->barriers.at[i];
        extent e = {b->offset,
                    BARRIER_BYTES * (uint32_t)b->stages,
                    BARRIER_BYTES,
                    b->stages,
                    resource_name(p, b->resource),
                    b->side == IR_FULL ? "full barriers" : "empty barriers"};
        vec_push(list, e);
    }
    if (list->len)
        qsort(list->at, list->len, sizeof *list->at, extent_order);
}

static void put_extent(const extent *e, uint32_t *end, FILE *out)
{
    if (e->offset > *end)
        (void)fprintf(out, "  %6u %7u  %16s (padding)\n", *end, e->offset - *end, "");
    (void)fprintf(out, "  %6u %7u  %3d x %-10u %s.%s%s\n", e->offset, e->bytes, e->stages, e->unit,
                  e->resource, e->part, e->offset < *end ? "  OVERLAPS" : "");
    if (e->offset + e->bytes > *end)
        *end = e->offset + e->bytes;
}

void summary_memory(const ir_program *p, FILE *out)
{
    extent_list list = {0};
    list_extents(p, &list);
    uint32_t end = 0, capacity = model_smem_capacity(p->kernel);
    (void)fprintf(out, "\nshared memory\n");
    if (list.len)
        (void)fprintf(out, "  offset   bytes  stages           what\n");
    const extent *e;
    vec_each(e, &list)
        put_extent(e, &end, out);
    (void)fprintf(out, "  total  %7u of %u bytes, %u %s\n", end, capacity,
                  end > capacity ? end - capacity : capacity - end, end > capacity ? "TOO MANY" : "spare");
    vec_free(&list);
}

/* ---- arrivals --------------------------------------------------------------------------------------- */

/* The operation by which a task arrives on a barrier; NULL when it does not. A schedule may hold it several
 * times (under guards): each phase sees one of them. */
static const ir_op *arrival_of(const ir_task *t, int barrier)
{
    for (size_t i = 0; i < t->ops.len; i++) {
        const ir_op *op = &t->ops.at[i];
        if ((op->kind == IR_ARRIVE || op->kind == IR_EXPECT) && op->barrier == barrier)
            return op;
    }
    return NULL;
}

static uint32_t put_contribution(const ir_task *t, const ir_op *op, bool first, FILE *out)
{
    bool all = op->lanes == MODEL_LANES_ALL;
    (void)fprintf(out, "%s%s by %s: %d warp%s x %s", first ? "" : "; ", t->name,
                  capture_verb_name((ww_verb)op->verb), t->warps, t->warps == 1 ? "" : "s",
                  all ? "32 lanes" : "1 lane");
    return cell_arrivals(t, op);
}

static uint32_t put_contributions(const ir_program *p, int barrier, FILE *out)
{
    uint32_t sum = 0;
    bool first = true;
    for (size_t i = 0; i < p->tasks.len; i++) {
        const ir_op *op = arrival_of(&p->tasks.at[i], barrier);
        if (!op)
            continue;
        sum += put_contribution(&p->tasks.at[i], op, first, out);
        first = false;
    }
    if (first)
        (void)fputs("nobody", out);
    return sum;
}

/* Whether an earlier operation of the task calls the same work method: a peeled or guarded repetition. */
static bool called_before(const ir_task *t, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (t->ops.at[i].kind == IR_WORK && t->ops.at[i].work == t->ops.at[at].work)
            return true;
    return false;
}

static void put_task_copies(const ir_program *p, const ir_task *t, int barrier, const char **before,
                            FILE *out)
{
    for (size_t i = 0; i < t->ops.len; i++) {
        const ir_op *op = &t->ops.at[i];
        for (int e = 0; e < op->effect_count; e++) {
            const ir_effect *effect = &op->effects[e];
            if (effect->kind != IR_COPY_IN || effect->barrier != barrier || called_before(t, i))
                continue;
            (void)fprintf(out, "%s%s %u", *before, p->buffers.at[effect->buffer].name, effect->bytes);
            *before = " + ";
        }
    }
}

/* The copies that complete on a barrier, as a sum: " of a 16384 + b 32768". */
static void put_copies(const ir_program *p, int barrier, FILE *out)
{
    const char *before = " of ";
    for (size_t i = 0; i < p->tasks.len; i++)
        put_task_copies(p, &p->tasks.at[i], barrier, &before, out);
}

static int barrier_name_width(const ir_program *p)
{
    int width = 7; /* of the heading */
    for (size_t i = 0; i < p->barriers.len; i++) {
        const ir_barrier *b = &p->barriers.at[i];
        int len = (int)(strlen(resource_name(p, b->resource)) + 1 + strlen(side_name(b->side)));
        width = len > width ? len : width;
    }
    return width;
}

static void put_barrier(const ir_program *p, int barrier, int width, FILE *out)
{
    const ir_barrier *b = &p->barriers.at[barrier];
    const char *side = side_name(b->side);
    (void)fprintf(out, "  %s.%-*s  %6d  %8u  ", resource_name(p, b->resource),
                  width - 1 - (int)strlen(resource_name(p, b->resource)), side, b->stages, b->arrivals);
    uint32_t sum = put_contributions(p, barrier, out);
    if (sum != b->arrivals)
        (void)fprintf(out, "  MISMATCH: %u arrive", sum);
    if (b->tx_bytes) {
        (void)fprintf(out, "; %u bytes", b->tx_bytes);
        put_copies(p, barrier, out);
    }
    (void)fputs("\n", out);
}

void summary_arrivals(const ir_program *p, FILE *out)
{
    if (p->barriers.len == 0)
        return;
    int width = barrier_name_width(p);
    (void)fprintf(out, "\narrivals a phase\n  %-*s  stages  arrivals  who, how many and why\n", width,
                  "barrier");
    for (size_t i = 0; i < p->barriers.len; i++)
        put_barrier(p, (int)i, width, out);
}

/* ---- values ----------------------------------------------------------------------------------------- */

/* Every work call that takes a value: "smem_ab.tma_load as k (line 35)". */
static void put_uses(const ir_program *p, const ir_task *t, int value, FILE *out)
{
    const char *before = " -> ";
    for (size_t i = 0; i < t->ops.len; i++) {
        const ir_op *op = &t->ops.at[i];
        for (int j = 0; op->kind == IR_WORK && j < op->work->in_count; j++) {
            if (op->in[j] != value)
                continue;
            (void)fprintf(out, "%s%s.%s as %s (line %d)", before, resource_name(p, op->resource),
                          op->work->declared->name, op->work->in[j].name, op->place.line);
            before = ", ";
        }
    }
    if (before[1] == '-')
        (void)fputs(" -> nobody", out);
}

static void put_value(const ir_program *p, const ir_task *t, int value, FILE *out)
{
    const ir_value *v = &t->values.at[value];
    const ir_op *maker = &t->ops.at[v->producer];
    (void)fprintf(out, "  %s: %s %s = %s.%s (line %d)", t->name, v->type, v->name,
                  resource_name(p, maker->resource), maker->work->declared->name, maker->place.line);
    put_uses(p, t, value, out);
    (void)fputs(v->hoisted ? ", outlives its block\n" : "\n", out);
}

void summary_values(const ir_program *p, FILE *out)
{
    bool any = false;
    for (size_t i = 0; i < p->tasks.len; i++)
        for (size_t v = 0; v < p->tasks.at[i].values.len; v++) {
            if (!any)
                (void)fprintf(out, "\nvalues between work calls\n");
            put_value(p, &p->tasks.at[i], (int)v, out);
            any = true;
        }
}
