/* Resources: memory and its pipeline; barriers without data. Everything is copied into the kernel's arena. */
#include "model/model.h"
#include "model/names.h"

enum {
    MOST_BUFFER_BYTES = 1 << 20,
    DEFAULT_ALIGN = 128,
    MOST_ALIGN = 1024,
    MOST_THREADS = 1024,
    WARPGROUP_THREADS = 128
};

static bool is_power_of_two(uint32_t v)
{
    return v && !(v & (v - 1));
}

/* What the hardware's swizzle pattern repeats after: a tile that starts elsewhere is scrambled. */
static uint32_t swizzle_span(ww_swizzle s)
{
    static const uint32_t spans[] = {
        [WW_SWIZZLE_NONE] = 0, [WW_SWIZZLE_32B] = 256, [WW_SWIZZLE_64B] = 512, [WW_SWIZZLE_128B] = 1024};
    return (size_t)s < ARRAY_LEN(spans) ? spans[s] : 0;
}

/* ---- buffers ------------------------------------------------------------------------------------------ */

static void check_align(ww_resource *r, model_buffer *b, ww_swizzle swizzle)
{
    diag_list *diags = &r->kernel->diags;
    uint32_t wanted = swizzle_span(swizzle);
    if ((unsigned)swizzle > WW_SWIZZLE_128B) {
        ww_diag *d =
            diag_add(diags, WW_BAD_VALUE, r->place, "swizzle of buffer %s of resource %s", b->name, r->name);
        diag_expected(diags, d, "WW_SWIZZLE_NONE to WW_SWIZZLE_128B");
        diag_found(diags, d, "%d", (int)swizzle);
        diag_hint(diags, d, "the swizzle of the tensor map that fills it; none: leave it out");
    }
    if (!b->align)
        b->align = wanted ? wanted : DEFAULT_ALIGN;
    if (!is_power_of_two(b->align) || b->align > MOST_ALIGN) {
        ww_diag *d = diag_add(diags, WW_BAD_VALUE, r->place, "alignment of buffer %s of resource %s", b->name,
                              r->name);
        diag_expected(diags, d, "a power of two up to %d", MOST_ALIGN);
        diag_found(diags, d, "%u", b->align);
        diag_hint(diags, d, "leave the alignment out");
        b->align = MOST_ALIGN;
    } else if (b->align < wanted) {
        ww_diag *d = diag_add(diags, WW_BAD_VALUE, r->place,
                              "alignment of the swizzled buffer %s of resource %s", b->name, r->name);
        diag_expected(diags, d, "at least %u, where the swizzle's pattern repeats", wanted);
        diag_found(diags, d, "%u", b->align);
        diag_hint(diags, d, "leave the alignment out");
        b->align = wanted;
    }
}

static void read_buffer(ww_resource *r, const ww_buffer *declared)
{
    diag_list *diags = &r->kernel->diags;
    model_buffer b = {.name = arena_strdup(&r->kernel->arena, declared->name),
                      .bytes = declared->bytes,
                      .align = declared->align,
                      .shares = declared->shares};
    check_align(r, &b, declared->swizzle);
    bool reserved =
        strcmp(b.name, "full") == 0 || strcmp(b.name, "empty") == 0; /* the barriers' names in the map */
    if (!name_is_identifier(b.name) || reserved)
        diag_texts(diags,
                   diag_add(diags, WW_BAD_NAME, r->place, "buffer \"%s\" of resource %s: %s", b.name, r->name,
                            reserved ? "the name is taken by the pipeline's barriers" : "not a C identifier"),
                   "letters, digits and _, no digit first; not \"full\" or \"empty\"", b.name,
                   "name it after what lies in it: \"a\", \"tile\"");
    if (!b.bytes || b.bytes > MOST_BUFFER_BYTES) {
        ww_diag *d =
            diag_add(diags, WW_BAD_VALUE, r->place, "size of buffer %s of resource %s", b.name, r->name);
        diag_expected(diags, d, "1 to %d bytes a stage", MOST_BUFFER_BYTES);
        diag_found(diags, d, "%u", b.bytes);
        diag_hint(diags, d, "the bytes of one stage: rows x columns x bytes of an element");
        b.bytes = b.align;
    }
    if (model_find_buffer(r, b.name) >= 0)
        diag_texts(
            diags,
            diag_add(diags, WW_BAD_NAME, r->place, "resource %s has two buffers named %s", r->name, b.name),
            "a name of its own for each buffer of a resource", b.name, "name one of them differently");
    r->buffers[r->buffer_count++] = b;
}

static void read_tmem(ww_resource *r, const ww_tmem *declared)
{
    diag_list *diags = &r->kernel->diags;
    model_tmem t = {.name = arena_strdup(&r->kernel->arena, declared->name), .columns = declared->columns};
    bool twice = model_find_buffer(r, t.name) >= 0;
    for (int i = 0; i < r->tmem_count; i++)
        twice |= strcmp(r->tmem[i].name, t.name) == 0;
    if (!name_is_identifier(t.name) || twice)
        diag_texts(diags,
                   diag_add(diags, WW_BAD_NAME, r->place,
                            "tensor memory \"%s\" of resource %s: not a C identifier, or taken twice", t.name,
                            r->name),
                   "letters, digits and _, no digit first; not the name of another buffer", t.name,
                   "name it differently");
    if (t.columns < 1 || t.columns > WW_TMEM_COLUMNS) {
        ww_diag *d = diag_add(diags, WW_BAD_VALUE, r->place, "columns of tensor memory %s of resource %s",
                              t.name, r->name);
        diag_expected(diags, d, "1 to %d columns a stage", WW_TMEM_COLUMNS);
        diag_found(diags, d, "%d", t.columns);
        diag_hint(diags, d, "columns of 32 bits: as many as the tile's n for a 32-bit accumulator");
        t.columns = 1;
    }
    r->tmem[r->tmem_count++] = t;
}

static void read_memory(ww_resource *r, const ww_resource_options *options)
{
    for (int i = 0; i < WW_MAX_BUFFERS && options->buffers[i].name; i++)
        read_buffer(r, &options->buffers[i]);
    for (int i = 0; i < WW_MAX_BUFFERS && options->tmem[i].name; i++)
        read_tmem(r, &options->tmem[i]);
    if (r->tmem_count) {
        text what = {0};
        text_printf(&what, "resource %s: tensor memory", r->name);
        (void)model_needs(r->kernel, r->place, MODEL_TCGEN05, text_str(&what));
        text_free(&what);
    }
}

/* ---- resources ---------------------------------------------------------------------------------------- */

/* A type becomes a struct; a resource's name only begins names of variables, so keywords do no harm there. */
static void check_taken(ww_resource *r, model_kind kind)
{
    if (kind == MODEL_MEMORY)
        (void)model_name_taken(r->kernel, r->place,
                               strcmp(r->name, r->type) == 0 ? "a resource" : "the type of a resource",
                               r->type);
    if (r->name[0] == '_' && strcmp(r->name, r->type) != 0)
        (void)model_name_taken(r->kernel, r->place, "a resource", r->name);
}

ww_resource *model_resource_new(ww_place place, ww_kernel *k, const char *name, const char *type,
                                model_kind kind)
{
    (void)model_closed(k, place, "a resource");
    ww_resource *r = arena_new(&k->arena, ww_resource);
    r->kernel = k;
    r->kind = kind;
    r->index = (int)k->resources.len;
    r->name = arena_strdup(&k->arena, name ? name : "");
    r->type = arena_strdup(&k->arena, type ? type : r->name);
    r->place = place;
    r->alias_group = r->alias_phase = -1;
    if (!name_is_identifier(r->name) || !name_is_identifier(r->type))
        diag_texts(&k->diags,
                   diag_add(&k->diags, WW_BAD_NAME, place,
                            "resource \"%s\" of type \"%s\": not C identifiers", r->name, r->type),
                   "letters, digits and _, no digit first", name_is_identifier(r->name) ? r->type : r->name,
                   "name it as its C++ struct is named");
    check_taken(r, kind);
    for (size_t i = 0; i < k->resources.len; i++)
        if (strcmp(k->resources.at[i]->name, r->name) == 0) {
            ww_diag *d = diag_add(&k->diags, WW_BAD_NAME, place, "two resources are named %s", r->name);
            diag_texts(&k->diags, d, "a name of its own for each resource", r->name,
                       "another name; .type says whose struct and work bodies it uses");
            diag_related(&k->diags, d, k->resources.at[i]->place, "the other one");
        }
    vec_push(&k->resources, r);
    return r;
}

ww_resource *ww_resource_new_at(ww_place place, ww_kernel *k, const char *name,
                                const ww_resource_options *options)
{
    ww_resource_options none = {0};
    if (!options)
        options = &none;
    ww_resource *r = model_resource_new(place, k, name, options->type, MODEL_MEMORY);
    r->pipeline = options->pipeline;
    read_memory(r, options);
    model_check_pipeline(r);
    model_read_work(r, options->work);
    return r;
}

/* ---- barriers without data ---------------------------------------------------------------------------- */

/* Ids are dealt when the declaration is complete (capture_complete). */
ww_resource *ww_named_barrier_new_at(ww_place place, ww_kernel *k, const char *name, int threads)
{
    ww_resource *r = model_resource_new(place, k, name, NULL, MODEL_NAMED_BARRIER);
    r->threads = threads;
    if (threads < 0 || threads > MOST_THREADS || threads % 32) {
        ww_diag *d = diag_add(&k->diags, WW_BAD_VALUE, place, "threads of named barrier %s", r->name);
        diag_expected(&k->diags, d, "a multiple of 32 up to %d, or 0 to have them counted", MOST_THREADS);
        diag_found(&k->diags, d, "%d", threads);
        diag_hint(&k->diags, d, "0");
        r->threads = 0;
    }
    return r;
}

ww_resource *ww_warpgroup_barrier_new_at(ww_place place, ww_kernel *k, const char *name)
{
    ww_resource *r = model_resource_new(place, k, name, NULL, MODEL_NAMED_BARRIER);
    r->by_warpgroup = true;
    r->threads = WARPGROUP_THREADS;
    return r;
}

ww_resource *ww_ordered_sequence_new_at(ww_place place, ww_kernel *k, const char *name)
{
    ww_resource *r = model_resource_new(place, k, name, NULL, MODEL_ORDERED);
    (void)model_needs(k, place, MODEL_BULK, "an ordered sequence");
    return r;
}

ww_resource *ww_pdl_wait_new_at(ww_place place, ww_kernel *k, const char *name)
{
    ww_resource *r = model_resource_new(place, k, name, NULL, MODEL_PDL_WAIT);
    (void)model_needs(k, place, MODEL_BULK, "programmatic dependent launch");
    return r;
}

ww_resource *ww_pdl_launch_new_at(ww_place place, ww_kernel *k, const char *name)
{
    ww_resource *r = model_resource_new(place, k, name, NULL, MODEL_PDL_LAUNCH);
    (void)model_needs(k, place, MODEL_BULK, "programmatic dependent launch");
    return r;
}

/* ---- completing the declaration ----------------------------------------------------------------------- */

static void resolve_multicast(ww_resource *r)
{
    bool a = false, b = false;
    if (!model_pipelined(r) || r->pipeline.multicast != WW_MULTICAST_AUTO)
        return;
    for (size_t i = 0; i < r->work.len; i++)
        for (int c = 0; c < r->work.at[i].copy_count; c++) {
            a |= r->work.at[i].declared->copies[c].reach == WW_REACH_A;
            b |= r->work.at[i].declared->copies[c].reach == WW_REACH_B;
        }
    r->pipeline.multicast = a && b ? WW_MULTICAST_MN
                            : a    ? WW_MULTICAST_M
                            : b    ? WW_MULTICAST_N
                                   : WW_MULTICAST_NONE;
}

/* Constants of the generated memory map: the resource's name, then what it has. */
typedef VEC(const char *) name_list;

static void add_map_names(ww_resource *r, name_list *names)
{
    arena *a = &r->kernel->arena;
    static const char *const arrays[] = {"full", "empty"};
    for (int i = 0; i < r->buffer_count; i++)
        vec_push(names, arena_printf(a, "%s_%s", r->name, r->buffers[i].name));
    for (int i = 0; i < r->tmem_count; i++)
        vec_push(names, arena_printf(a, "%s_%s_column", r->name, r->tmem[i].name));
    for (size_t i = 0; i < ARRAY_LEN(arrays) && (r->kind == MODEL_GROUP || model_pipelined(r)); i++)
        vec_push(names, arena_printf(a, "%s_%s", r->name, arrays[i]));
}

static bool is_listed(const name_list *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names->at[i], name) == 0)
            return true;
    return false;
}

/* Whether a name of the resource, or of its memory, has been refused. */
static bool has_bad_name(const ww_kernel *k, const ww_resource *r)
{
    for (const ww_diag *d = k->diags.first; d; d = d->next)
        if (d->code == WW_BAD_NAME && d->place.file == r->place.file && d->place.line == r->place.line)
            return true;
    return false;
}

/* Resource a with a buffer b_c and resource a_b with a buffer c would share a name. */
static void check_map_names(ww_kernel *k)
{
    name_list names = {0};
    vec_push(&names, "ww_barriers");
    vec_push(&names, "ww_tmem_slot");
    for (size_t i = 0; i < k->resources.len; i++) {
        ww_resource *r = k->resources.at[i];
        if (has_bad_name(k, r))
            continue;
        size_t others = names.len;
        add_map_names(r, &names);
        for (size_t n = others; n < names.len; n++)
            if (is_listed(&names, n, names.at[n])) {
                ww_diag *d = diag_add(&k->diags, WW_BAD_NAME, r->place,
                                      "resource %s: %s stands for two things in the generated memory map",
                                      r->name, names.at[n]);
                diag_texts(&k->diags, d, "RESOURCE_BUFFER, a name of its own for each buffer", names.at[n],
                           "name the resource or its buffer differently");
            }
    }
    vec_free(&names);
}

void model_resolve(ww_kernel *k)
{
    check_map_names(k);
    for (size_t i = 0; i < k->resources.len; i++) {
        model_resolve_work(k->resources.at[i]);
        resolve_multicast(k->resources.at[i]);
    }
    model_resolve_groups(k);
}
