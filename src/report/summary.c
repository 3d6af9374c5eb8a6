/* Under the schedule table: registers and memories. Each block recomputes what it shows from the IR and compares with
 * what the IR declares, so that a disagreement is visible here too. */
#include "report/summary.h"

enum { WARP_LANES = 32, POOL_REGISTERS = 65536, REGISTER_UNIT = 8, MOST_REGISTERS = 256, BARRIER_BYTES = 8 };

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

/* ---- shared and tensor memory ----------------------------------------------------------------------- */

/* Buffers whose memory others use too (other phases of an alias group, buffers that share) may overlap; `remark` says
 * so. */
typedef struct extent {
    uint32_t offset, bytes, unit;
    int stages;
    const char *name, *remark;
    bool aliased;
} extent;

typedef VEC(extent) extent_list;

static int extent_order(const void *a, const void *b)
{
    const extent *x = a, *y = b;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return strcmp(x->name, y->name);
}

static const model_buffer *declared_buffer(const ww_resource *r, const char *name)
{
    for (int i = 0; i < r->buffer_count; i++)
        if (strcmp(r->buffers[i].name, name) == 0)
            return &r->buffers[i];
    return NULL;
}

static const char *remark_of(const ww_resource *r, const ir_buffer *b, arena *a)
{
    const model_buffer *declared = b->space == IR_SHARED ? declared_buffer(r, b->name) : NULL;
    if (declared && declared->shares)
        return arena_printf(a, "  shares %s's", declared->shares->name);
    if (r->alias_group >= 0)
        return arena_printf(a, "  phase %d of alias %d", r->alias_phase, r->alias_group);
    return "";
}

/* Whether another resource's buffer is this one. */
static bool is_shared(const ir_program *p, const ww_resource *r, const ir_buffer *b)
{
    for (size_t i = 0; i < p->kernel->resources.len && b->space == IR_SHARED; i++) {
        const model_buffer *other = declared_buffer(p->kernel->resources.at[i], b->name);
        if (other && other->shares == r)
            return true;
    }
    return false;
}

/* From the first byte to the last: what pads the last stage belongs to nobody. */
static uint32_t buffer_bytes(const ww_resource *r, const ir_buffer *b)
{
    const model_buffer *declared = b->space == IR_SHARED ? declared_buffer(r, b->name) : NULL;
    return (uint32_t)(b->stages - 1) * b->stage_bytes + (declared ? declared->bytes : b->stage_bytes);
}

static void list_buffers(const ir_program *p, ir_space space, extent_list *list, arena *a)
{
    const ir_buffer *b;
    vec_each(b, &p->buffers) {
        const ww_resource *r = p->kernel->resources.at[b->resource];
        if (b->space != space)
            continue;
        extent e = {b->offset, buffer_bytes(r, b), b->stage_bytes, b->stages, NULL, NULL, false};
        e.name = arena_printf(a, "%s.%s", r->name, b->name);
        e.remark = remark_of(r, b, a);
        e.aliased = *e.remark || is_shared(p, r, b);
        vec_push(list, e);
    }
}

static const char *barriers_name(const ir_program *p, const ir_barrier *b, arena *a)
{
    text name = {0};
    summary_barrier_name(p, b, &name);
    const char *copy = arena_printf(a, "%s barriers", text_str(&name));
    text_free(&name);
    return copy;
}

static void list_barriers(const ir_program *p, extent_list *list, arena *a)
{
    const ir_barrier *b;
    vec_each(b, &p->barriers) {
        if (b->side == IR_NAMED)
            continue;
        extent e = {b->offset, BARRIER_BYTES * (uint32_t)b->stages, BARRIER_BYTES, b->stages, NULL, "",
                    false};
        e.name = barriers_name(p, b, a);
        vec_push(list, e);
    }
    extent slot = {p->kernel->tmem_slot_offset, 4, 4, 1, "address of tensor memory", "", false};
    if (p->kernel->tmem_columns)
        vec_push(list, slot);
}

static void put_extent(const extent *e, uint32_t *end, FILE *out)
{
    if (e->offset > *end)
        (void)fprintf(out, "  %6u %7u  %16s (padding)\n", *end, e->offset - *end, "");
    (void)fprintf(out, "  %6u %7u  %3d x %-10u %s%s%s%s\n", e->offset, e->bytes, e->stages, e->unit, e->name,
                  e->aliased ? "*" : "", e->remark, e->offset < *end && !e->aliased ? "  OVERLAPS" : "");
    if (e->offset + e->bytes > *end)
        *end = e->offset + e->bytes;
}

/* Prints the extents by offset, "*" at those whose memory others use too, and frees them. Returns where they end. */
static uint32_t put_extents(extent_list *list, const char *heading, FILE *out)
{
    uint32_t end = 0;
    bool aliased = false;
    if (list->len) {
        qsort(list->at, list->len, sizeof *list->at, extent_order);
        (void)fprintf(out, "%s\n", heading);
    }
    const extent *e;
    vec_each(e, list) {
        put_extent(e, &end, out);
        aliased |= e->aliased;
    }
    if (aliased)
        (void)fputs("  (* others use this memory, too)\n", out);
    vec_free(list);
    return end;
}

static void put_saving(const model_usage *usage, const char *unit, FILE *out)
{
    if (usage->saved)
        (void)fprintf(out, "  aliases save %u %s\n", usage->saved, unit);
}

static void put_shared_memory(const ir_program *p, arena *a, FILE *out)
{
    extent_list list = {0};
    list_buffers(p, IR_SHARED, &list, a);
    list_barriers(p, &list, a);
    (void)fprintf(out, "\nshared memory\n");
    uint32_t end = put_extents(&list, "  offset   bytes  stages           what", out);
    uint32_t capacity = model_smem_capacity(p->kernel);
    (void)fprintf(out, "  total  %7u of %u bytes, %u %s\n", end, capacity,
                  end > capacity ? end - capacity : capacity - end, end > capacity ? "TOO MANY" : "spare");
    put_saving(&p->kernel->smem_usage, "bytes", out);
}

static void put_tensor_memory(const ir_program *p, arena *a, FILE *out)
{
    extent_list list = {0};
    if (!p->kernel->tmem_columns)
        return;
    list_buffers(p, IR_TENSOR, &list, a);
    (void)fprintf(out, "\ntensor memory, of each CTA\n");
    uint32_t end = put_extents(&list, "  column columns  stages           what", out);
    (void)fprintf(out, "  total  %7u of %d columns, %d allocated%s\n", end, WW_TMEM_COLUMNS,
                  p->kernel->tmem_columns, end > WW_TMEM_COLUMNS ? ", TOO MANY" : "");
    put_saving(&p->kernel->tmem_usage, "columns", out);
}

void summary_memory(const ir_program *p, FILE *out)
{
    arena a = {0};
    put_shared_memory(p, &a, out);
    put_tensor_memory(p, &a, out);
    arena_free(&a);
}
