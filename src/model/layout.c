/* Placement of all memory: buffers in dynamic shared memory, then the mbarriers, then the word through which
 * tcgen05.alloc hands over tensor memory; buffers in tensor memory. pack.c says where blocks go; here is
 * what the blocks are. A buffer is one block: stages - 1 strides (its size, rounded up to its alignment) and
 * its size; so padding behind its last stage is free for others. Dynamic shared memory itself is aligned to
 * 1024, the largest alignment there is.
 *
 * WW_STAGES_MAX is resolved by trying: all such resources get the same depth, the greatest that fits, each
 * rounded down to a multiple of its interleave strides, but not below one. What must be equally deep,
 * members of a group and those who share a buffer, is rounded to a common multiple. Where nothing fits the
 * smallest depth is kept, and the capacity rule speaks. */
#include "model/layout.h"

#include "model/pack.h"

enum { BARRIER_BYTES = 8, SLOT_BYTES = 4, LEAST_COLUMNS = 32 };

/* ---- shared buffers: whose memory a buffer uses -------------------------------------------------------- */

static model_buffer *shared_by(const ww_kernel *k, const model_buffer *b)
{
    ww_resource *owner = k->resources.at[b->shares->index];
    int found = model_find_buffer(owner, b->name);
    return found < 0 ? NULL : &owner->buffers[found];
}

/* Where the chain of sharing ends. */
static model_buffer *memory_of(const ww_kernel *k, model_buffer *b)
{
    while (b->shares)
        b = shared_by(k, b);
    return b;
}

static ww_diag *refuse_share(ww_resource *r, const model_buffer *b, const char *why)
{
    diag_list *diags = &r->kernel->diags;
    ww_diag *d = diag_add(diags, WW_BAD_VALUE, r->place, "buffer %s of resource %s cannot share %s's: %s",
                          b->name, r->name, b->shares->name, why);
    diag_expected(diags, d, "the name of a resource of this kernel with such a buffer, and no circle");
    diag_found(diags, d, ".shares = %s: %s", b->shares->name, why);
    diag_hint(diags, d, "leave .shares out, and the buffer has memory of its own");
    if (b->shares->kernel == r->kernel && b->shares != r)
        diag_related(diags, d, b->shares->place, "resource %s", b->shares->name);
    return d;
}

/* Whether a buffer of that name and size is there. */
static bool is_shareable(ww_resource *r, const model_buffer *b)
{
    diag_list *diags = &r->kernel->diags;
    if (b->shares->kernel != r->kernel) {
        (void)refuse_share(r, b, "that is a resource of another kernel");
        return false;
    }
    const model_buffer *other = shared_by(r->kernel, b);
    if (!other) {
        ww_diag *d = refuse_share(r, b, "it has none of that name");
        diag_hint(diags, d, "both buffers bear the name that both resources' work bodies use");
        return false;
    }
    if (other->bytes == b->bytes)
        return true;
    ww_diag *d = refuse_share(r, b, "the sizes differ");
    diag_expected(diags, d, "%u bytes a stage", other->bytes);
    diag_found(diags, d, "%u", b->bytes);
    return false;
}

/* Whether following the chain from b leads back to b. */
static bool is_circular(const ww_kernel *k, const model_buffer *b)
{
    const model_buffer *at = b;
    for (size_t steps = 0; at->shares && steps <= k->resources.len; steps++) {
        at = shared_by(k, at);
        if (at == b)
            return true;
    }
    return false;
}

/* Cuts what cannot be shared, links first, so that every chain ends. */
static void check_shares(ww_kernel *k, bool (*sound)(ww_resource *r, const model_buffer *b))
{
    for (size_t i = 0; i < k->resources.len; i++) {
        ww_resource *r = k->resources.at[i];
        for (int b = 0; b < r->buffer_count; b++)
            if (r->buffers[b].shares && !sound(r, &r->buffers[b]))
                r->buffers[b].shares = NULL;
    }
}

static bool is_straight(ww_resource *r, const model_buffer *b)
{
    if (!is_circular(r->kernel, b))
        return true;
    ww_diag *d = refuse_share(r, b, "the sharing goes in a circle");
    diag_hint(&r->kernel->diags, d, "one resource of the circle has the memory: leave out .shares there");
    return false;
}

static bool is_as_deep(ww_resource *r, const model_buffer *b)
{
    int stages = model_stages(b->shares);
    if (model_stages(r) == stages)
        return true;
    diag_list *diags = &r->kernel->diags;
    ww_diag *d = refuse_share(r, b, "the numbers of stages differ");
    diag_expected(diags, d, "%d", stages);
    diag_found(diags, d, "%d", model_stages(r));
    return false;
}

/* All who share one memory have the strictest alignment among them, and with it one distance from stage to
 * stage. */
static void align_shared(ww_kernel *k)
{
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < k->resources.len; i++) {
            ww_resource *r = k->resources.at[i];
            for (int b = 0; b < r->buffer_count; b++) {
                model_buffer *own = &r->buffers[b], *memory = memory_of(k, own);
                if (memory->align < own->align)
                    memory->align = own->align;
                own->align = memory->align;
            }
        }
}

/* ---- depths -------------------------------------------------------------------------------------------- */

static bool spread(bool *marks, int a, int b)
{
    bool grown = marks[a] != marks[b];
    marks[a] = marks[b] = marks[a] || marks[b];
    return grown;
}

/* Marks, by resource, r and what must be as deep: its group and whom it shares buffers with, in turn. */
static bool *equally_deep(const ww_kernel *k, const ww_resource *r)
{
    bool *marks = base_alloc(k->resources.len * sizeof *marks);
    memset(marks, 0, k->resources.len * sizeof *marks);
    marks[r->index] = true;
    for (bool grown = true; grown;) {
        grown = false;
        for (int i = 0; i < (int)k->resources.len; i++) {
            const ww_resource *other = k->resources.at[i];
            grown |= other->in_group && spread(marks, i, other->in_group->index);
            for (int b = 0; b < other->buffer_count; b++)
                grown |= other->buffers[b].shares && spread(marks, i, other->buffers[b].shares->index);
        }
    }
    return marks;
}

static int common_multiple(int a, int b)
{
    int m = a;
    while (m % b && m <= WW_MAX_STAGES)
        m += a;
    return m;
}

/* The depth of the marked is a multiple of this; more than WW_MAX_STAGES: there is none. */
static int depth_unit(const ww_kernel *k, const bool *marks)
{
    int unit = 1;
    for (size_t i = 0; i < k->resources.len; i++) {
        const ww_resource *r = k->resources.at[i];
        if (!marks[i] || !model_pipelined(r))
            continue;
        for (int end = MODEL_END_ACQUIRE; end <= MODEL_END_RELEASE && unit <= WW_MAX_STAGES; end++)
            unit = common_multiple(unit, model_stride(&r->pipeline, (model_end)end));
    }
    return unit;
}

static bool is_deepest(const ww_resource *r)
{
    return model_pipelined(r) && r->pipeline.stages == WW_STAGES_MAX;
}

/* The first of those that must be equally deep speaks for all. */
static int checked_unit(ww_kernel *k, ww_resource *r)
{
    bool *marks = equally_deep(k, r);
    int unit = depth_unit(k, marks);
    size_t first = 0;
    while (!marks[first] || !is_deepest(k->resources.at[first]))
        first++;
    free(marks);
    if (unit <= WW_MAX_STAGES)
        return unit;
    if (first != (size_t)r->index)
        return 1;
    ww_diag *d = diag_add(&k->diags, WW_STRIDE, r->place,
                          "resource %s: no number of stages is a multiple of all its strides", r->name);
    diag_expected(&k->diags, d, "a common multiple of at most %d", WW_MAX_STAGES);
    diag_found(&k->diags, d, "WW_STAGES_MAX, and strides whose least common multiple is greater");
    diag_hint(&k->diags, d, "equal strides, or strides that divide each other");
    return 1;
}

/* Stages of every resource as they stand, by index; freed by the caller. */
static int *current_depths(const ww_kernel *k)
{
    int *stages = base_alloc((k->resources.len + 1) * sizeof *stages);
    for (size_t i = 0; i < k->resources.len; i++)
        stages[i] = model_stages(k->resources.at[i]);
    return stages;
}

/* ---- mbarriers ----------------------------------------------------------------------------------------- */

static uint32_t barrier_words(const ww_resource *r, const int *stages)
{
    if (r->kind == MODEL_ORDERED)
        return (uint32_t)r->turns;
    if (r->kind == MODEL_GROUP && !r->member_count)
        return 0;
    if (r->kind == MODEL_GROUP) {
        int arrays = r->mode == WW_FUSED_MERGE ? 2 : r->member_count + 1;
        return (uint32_t)(arrays * stages[r->members[0]->index]);
    }
    return model_pipelined(r) && !r->in_group ? 2 * (uint32_t)stages[r->index] : 0;
}

static uint32_t barrier_bytes(const ww_kernel *k, const int *stages)
{
    uint32_t words = 0;
    for (size_t i = 0; i < k->resources.len; i++)
        words += barrier_words(k->resources.at[i], stages);
    return words * BARRIER_BYTES;
}

uint32_t model_barrier_bytes(const ww_kernel *k)
{
    int *stages = current_depths(k);
    uint32_t bytes = barrier_bytes(k, stages);
    free(stages);
    return bytes;
}

/* ---- one trial of placing everything ------------------------------------------------------------------- */

typedef VEC(pack_item) item_list;

typedef struct layout {
    item_list bytes, columns; /* what has memory of its own, by resource, then as declared */
    uint64_t data_bytes, used_columns;
    uint64_t barriers_offset, slot_offset, total;
} layout;

static void add_memory(layout *l, const ww_resource *r, int stages)
{
    for (int i = 0; i < r->buffer_count; i++) {
        const model_buffer *b = &r->buffers[i];
        uint64_t stride = round_up(b->bytes, b->align);
        pack_item item = {(uint64_t)(stages - 1) * stride + b->bytes, b->align, r->alias_group,
                          r->alias_phase, 0};
        if (!b->shares)
            vec_push(&l->bytes, item);
    }
    for (int i = 0; i < r->tmem_count; i++) {
        uint64_t columns = (uint64_t)r->tmem[i].columns;
        uint32_t lowest_bit = (uint32_t)(columns & (~columns + 1));
        pack_item item = {(uint64_t)stages * columns, lowest_bit, r->alias_group, r->alias_phase, 0};
        vec_push(&l->columns, item);
    }
}

/* Tensor memory asks for no alignment; blocks get that of their own size (the largest power of two in it) as
 * long as it costs nothing. */
static uint64_t pack_columns(item_list *list)
{
    if (!list->len)
        return 0;
    size_t bytes = list->len * sizeof *list->at;
    uint64_t aligned = pack_items(list->at, list->len);
    pack_item *plain = base_alloc(bytes);
    memcpy(plain, list->at, bytes);
    for (size_t i = 0; i < list->len; i++)
        plain[i].align = 1;
    uint64_t least = pack_items(plain, list->len);
    if (least < aligned)
        memcpy(list->at, plain, bytes);
    free(plain);
    return least < aligned ? least : aligned;
}

static layout layout_try(const ww_kernel *k, const int *stages)
{
    layout l = {0};
    for (size_t i = 0; i < k->resources.len; i++)
        add_memory(&l, k->resources.at[i], stages[i]);
    l.data_bytes = pack_items(l.bytes.at, l.bytes.len);
    l.used_columns = pack_columns(&l.columns);
    l.barriers_offset = (l.data_bytes + BARRIER_BYTES - 1) / BARRIER_BYTES * BARRIER_BYTES;
    l.slot_offset = l.barriers_offset + barrier_bytes(k, stages);
    l.total = l.used_columns ? l.slot_offset + SLOT_BYTES : l.slot_offset;
    return l;
}

static void layout_free(layout *l)
{
    vec_free(&l->bytes);
    vec_free(&l->columns);
}

static bool layout_fits(const ww_kernel *k, const int *stages)
{
    layout l = layout_try(k, stages);
    bool fits = l.total <= model_smem_capacity(k) && l.used_columns <= WW_TMEM_COLUMNS;
    layout_free(&l);
    return fits;
}

/* ---- the result ---------------------------------------------------------------------------------------- */

/* What is refused for its size may be past 32 bits. */
static uint32_t clip(uint64_t value)
{
    return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

static model_usage usage_of(const item_list *list, uint64_t used)
{
    uint64_t sum = 0;
    const pack_item *item;
    vec_each(item, list)
        sum += item->size;
    return (model_usage){clip(used), clip(sum > used ? sum - used : 0)};
}

/* Powers of two from 32 (PTX ISA, "tcgen05.alloc"). */
static int columns_to_allocate(uint64_t used)
{
    int columns = LEAST_COLUMNS;
    while ((uint64_t)columns < used && columns < INT32_MAX / 2)
        columns *= 2;
    return used ? columns : 0;
}

static void set_offsets(ww_kernel *k, const layout *l)
{
    const pack_item *bytes = l->bytes.at, *columns = l->columns.at;
    for (size_t i = 0; i < k->resources.len; i++) {
        ww_resource *r = k->resources.at[i];
        for (int b = 0; b < r->buffer_count; b++)
            if (!r->buffers[b].shares)
                r->buffers[b].offset = clip(bytes++->offset);
        for (int t = 0; t < r->tmem_count; t++)
            r->tmem[t].offset = (int)(clip(columns++->offset) & INT32_MAX);
    }
    for (size_t i = 0; i < k->resources.len; i++)
        for (int b = 0; b < k->resources.at[i]->buffer_count; b++) {
            model_buffer *own = &k->resources.at[i]->buffers[b];
            own->offset = memory_of(k, own)->offset;
        }
}

static void set_layout(ww_kernel *k)
{
    int *stages = current_depths(k);
    layout l = layout_try(k, stages);
    set_offsets(k, &l);
    k->smem_data_bytes = clip(l.data_bytes);
    k->barriers_offset = clip(l.barriers_offset);
    k->tmem_slot_offset = clip(l.slot_offset);
    k->smem_bytes = clip(l.total);
    k->tmem_columns = columns_to_allocate(l.used_columns);
    k->smem_usage = usage_of(&l.bytes, l.data_bytes);
    k->tmem_usage = usage_of(&l.columns, l.used_columns);
    layout_free(&l);
    free(stages);
}

/* ---- WW_STAGES_MAX ------------------------------------------------------------------------------------- */

static int *depth_units(ww_kernel *k)
{
    int *units = base_alloc((k->resources.len + 1) * sizeof *units);
    for (size_t i = 0; i < k->resources.len; i++)
        units[i] = is_deepest(k->resources.at[i]) ? checked_unit(k, k->resources.at[i]) : 0;
    return units;
}

static int rounded_depth(int depth, int unit)
{
    return depth > unit ? depth / unit * unit : unit;
}

/* Leaves the depths of the first trial that fits, or of the last. */
static void resolve_depths(ww_kernel *k)
{
    int *stages = current_depths(k), *units = depth_units(k);
    bool any = false, fits = false;
    for (size_t i = 0; i < k->resources.len; i++)
        any |= units[i] > 0;
    for (int depth = WW_MAX_STAGES; any && depth >= 1 && !fits; depth--) {
        for (size_t i = 0; i < k->resources.len; i++)
            if (units[i])
                stages[i] = rounded_depth(depth, units[i]);
        fits = layout_fits(k, stages);
    }
    for (size_t i = 0; i < k->resources.len; i++)
        if (units[i])
            k->resources.at[i]->pipeline.stages = stages[i];
    free(stages);
    free(units);
}

int layout_fitting_stages(const ww_kernel *k, const ww_resource *r)
{
    int *stages = current_depths(k), found = 0;
    bool *marks = equally_deep(k, r);
    int unit = depth_unit(k, marks);
    for (int depth = WW_MAX_STAGES / unit * unit; model_pipelined(r) && depth >= unit && !found;
         depth -= unit) {
        for (size_t i = 0; i < k->resources.len; i++)
            if (marks[i] && model_pipelined(k->resources.at[i]))
                stages[i] = depth;
        found = layout_fits(k, stages) ? depth : 0;
    }
    free(marks);
    free(stages);
    return found;
}

void model_layout(ww_kernel *k)
{
    check_shares(k, is_shareable);
    check_shares(k, is_straight);
    align_shared(k);
    resolve_depths(k);
    check_shares(k, is_as_deep);
    set_layout(k);
}
