/* Resources: buffers, pipeline, work table; queues. Everything is copied into the kernel's arena. */
#include "model/model.h"
#include "model/names.h"

#include <ctype.h>

enum { MAX_SWIZZLE = 1024, COPY_UNIT = 16 };

static bool is_power_of_two(uint32_t v)
{
    return v && !(v & (v - 1));
}

static void bad_work(ww_resource *r, const char *work, const char *found, const char *expected)
{
    diag_list *diags = &r->kernel->diags;
    ww_diag *d =
        diag_add(diags, WW_BAD_WORK, r->place, "work method %s of resource %s is malformed", work, r->name);
    diag_expected(diags, d, "%s", expected);
    diag_found(diags, d, "%s", found);
}

/* Splits "type name": the name is the last identifier. */
static bool split_value(arena *a, const char *declared, model_value *v)
{
    size_t len = strlen(declared), start;
    while (len && isspace((unsigned char)declared[len - 1]))
        len--;
    for (start = len; start && (isalnum((unsigned char)declared[start - 1]) || declared[start - 1] == '_');
         start--)
        ;
    size_t type = start;
    while (type && isspace((unsigned char)declared[type - 1]))
        type--;
    v->name = arena_strndup(a, declared + start, len - start);
    v->type = arena_strndup(a, declared, type);
    return type && name_is_identifier(v->name);
}

static int read_values(ww_resource *r, const char *work, const char *const *declared, model_value *values)
{
    int n = 0;
    for (; n < WW_MAX_VALUES && declared[n]; n++)
        if (!split_value(&r->kernel->arena, declared[n], &values[n]))
            bad_work(r, work, declared[n], "\"type name\"");
    return n;
}

static int find_buffer(const ww_resource *r, const char *name)
{
    for (int i = 0; i < r->buffer_count; i++)
        if (strcmp(r->buffers[i].name, name) == 0)
            return i;
    return -1;
}

static void read_copies(ww_resource *r, model_work *w)
{
    for (int i = 0; i < WW_MAX_COPIES && w->declared->copies[i].buffer; i++) {
        const ww_copy *copy = &w->declared->copies[i];
        int buffer = find_buffer(r, copy->buffer);
        if (buffer < 0) {
            bad_work(r, w->declared->name, copy->buffer, "the name of one of the resource's buffers");
            continue;
        }
        if (!copy->bytes || copy->bytes % COPY_UNIT)
            bad_work(r, w->declared->name, copy->buffer, "a copy of a positive multiple of 16 bytes");
        w->copy_buffer[w->copy_count++] = buffer;
        w->copy_bytes += copy->bytes;
    }
    if (w->copy_count && w->declared->side != WW_PRODUCER)
        bad_work(r, w->declared->name, "copies in consumer work", "copies only in producer work");
}

static void read_work(ww_resource *r, const ww_work *declared)
{
    arena *a = &r->kernel->arena;
    ww_work *copy = arena_new(a, ww_work);
    *copy = *declared;
    copy->name = arena_strdup(a, declared->name);
    model_work w = {.declared = copy};
    if (!name_is_identifier(copy->name))
        bad_work(r, copy->name, copy->name, "a C identifier as its name");
    if (model_find_work(r, copy->name) >= 0)
        bad_work(r, copy->name, "a second row of that name", "one row a name");
    w.function = arena_printf(a, "%s_%s", r->type, copy->name);
    w.in_count = read_values(r, copy->name, copy->in, w.in);
    w.out_count = read_values(r, copy->name, copy->out, w.out);
    read_copies(r, &w);
    vec_push(&r->work, w);
}

static void read_buffers(ww_resource *r, const ww_buffer *declared)
{
    diag_list *diags = &r->kernel->diags;
    for (int i = 0; i < WW_MAX_BUFFERS && declared[i].name; i++) {
        model_buffer b = {arena_strdup(&r->kernel->arena, declared[i].name), declared[i].bytes,
                          declared[i].align, 0};
        if (!b.align)
            b.align = 128;
        if (!is_power_of_two(b.align) || b.align > 1024) {
            ww_diag *d = diag_add(diags, WW_BAD_VALUE, r->place, "alignment of buffer %s of resource %s",
                                  b.name, r->name);
            diag_expected(diags, d, "a power of two up to 1024");
            diag_found(diags, d, "%u", b.align);
            b.align = 1024;
        }
        if (!b.bytes || b.bytes > 1u << 20) {
            ww_diag *d =
                diag_add(diags, WW_BAD_VALUE, r->place, "size of buffer %s of resource %s", b.name, r->name);
            diag_expected(diags, d, "1 to 1048576 bytes a stage");
            diag_found(diags, d, "%u", b.bytes);
            b.bytes = b.align;
        }
        if (find_buffer(r, b.name) >= 0)
            (void)diag_add(diags, WW_BAD_NAME, r->place, "resource %s has two buffers named %s", r->name,
                           b.name);
        r->buffers[r->buffer_count++] = b;
    }
}

static void check_pipeline(ww_resource *r)
{
    diag_list *diags = &r->kernel->diags;
    ww_pipeline *p = &r->pipeline;
    if (!model_pipeline_known(p->type)) {
        ww_diag *d = diag_add(diags, WW_BAD_VALUE, r->place, "pipeline type of resource %s", r->name);
        diag_found(diags, d, "%d", (int)p->type);
        p->type = WW_NO_PIPELINE;
    }
    if (p->type == WW_NO_PIPELINE)
        return;
    bool fills_memory = p->stages == WW_STAGES_MAX && r->buffer_count;
    if (!fills_memory && (p->stages < 1 || p->stages > WW_MAX_STAGES)) {
        ww_diag *d =
            diag_add(diags, WW_BAD_VALUE, r->place, "stages of the pipeline of resource %s", r->name);
        diag_expected(diags, d, "1 to %d%s", WW_MAX_STAGES,
                      r->buffer_count ? ", or WW_STAGES_MAX" : " (WW_STAGES_MAX needs a buffer to size by)");
        diag_found(diags, d, "%d", p->stages);
        p->stages = 1;
    }
    if (p->tx_bytes && !model_protocol_of(p->type)->full_tx) {
        ww_diag *d =
            diag_add(diags, WW_TX_BYTES, r->place, "resource %s: a pipeline of type %s carries no bytes",
                     r->name, model_protocol_of(p->type)->label);
        diag_expected(diags, d, "tx_bytes = 0");
        diag_found(diags, d, "%u", p->tx_bytes);
    }
}

static ww_resource *resource_new(ww_place place, ww_kernel *k, const char *name, const char *type)
{
    (void)model_closed(k, place, "a resource");
    ww_resource *r = arena_new(&k->arena, ww_resource);
    r->kernel = k;
    r->index = (int)k->resources.len;
    r->name = arena_strdup(&k->arena, name ? name : "");
    r->type = arena_strdup(&k->arena, type ? type : r->name);
    r->place = place;
    if (!name_is_identifier(r->name) || !name_is_identifier(r->type))
        (void)diag_add(&k->diags, WW_BAD_NAME, place, "resource \"%s\" of type \"%s\": not C identifiers",
                       r->name, r->type);
    for (size_t i = 0; i < k->resources.len; i++)
        if (strcmp(k->resources.at[i]->name, r->name) == 0) {
            ww_diag *d = diag_add(&k->diags, WW_BAD_NAME, place, "two resources are named %s", r->name);
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
    ww_resource *r = resource_new(place, k, name, options->type);
    r->pipeline = options->pipeline;
    read_buffers(r, options->buffers);
    check_pipeline(r);
    for (const ww_work *w = options->work; w && w->name; w++)
        read_work(r, w);
    return r;
}

ww_resource *ww_queue_static_at(ww_place place, ww_kernel *k, const char *name,
                                const ww_queue_options *options)
{
    ww_resource *r = resource_new(place, k, name, NULL);
    r->is_queue = true;
    if (options)
        r->queue = *options;
    for (int i = 0; i < 3; i++) {
        if (r->queue.tiles[i].kind == WW_BOUND_IMMEDIATE && r->queue.tiles[i].value == 0)
            r->queue.tiles[i].value = 1;
        if (r->queue.tiles[i].kind == WW_BOUND_DEVICE)
            (void)diag_add(
                &k->diags, WW_BAD_VALUE, place,
                "work queue %s: its extents are immediates or launch arguments, not device functions",
                r->name);
    }
    if (r->queue.swizzle < 0 || r->queue.swizzle > MAX_SWIZZLE) {
        ww_diag *d = diag_add(&k->diags, WW_BAD_VALUE, place, "swizzle of work queue %s", r->name);
        diag_expected(&k->diags, d, "0 to %d tiles", MAX_SWIZZLE);
        diag_found(&k->diags, d, "%d", r->queue.swizzle);
        r->queue.swizzle = 0;
    }
    return r;
}

int model_find_work(const ww_resource *r, const char *name)
{
    for (size_t i = 0; i < r->work.len; i++)
        if (strcmp(r->work.at[i].declared->name, name) == 0)
            return (int)i;
    return -1;
}

const char *model_nearest_work(const ww_resource *r, const char *name)
{
    const char *best = NULL;
    size_t best_distance = 0;
    for (size_t i = 0; i < r->work.len; i++)
        name_nearest(name, r->work.at[i].declared->name, &best, &best_distance);
    return best;
}

/* wgmma_reads may name resources declared later, so they are looked up when the declaration is complete. */
static void resolve_reads(ww_resource *r, model_work *w)
{
    ww_kernel *k = r->kernel;
    for (int i = 0; i < WW_MAX_BUFFERS && w->declared->wgmma_reads[i]; i++) {
        const char *name = w->declared->wgmma_reads[i];
        int found = -1;
        for (size_t j = 0; j < k->resources.len; j++)
            if (strcmp(k->resources.at[j]->name, name) == 0 && k->resources.at[j]->buffer_count)
                found = (int)j;
        if (found < 0)
            bad_work(r, w->declared->name, name, "wgmma_reads naming a resource with buffers");
        else
            w->wgmma_reads[w->wgmma_read_count++] = found;
    }
}

void model_resolve(ww_kernel *k)
{
    for (size_t i = 0; i < k->resources.len; i++) {
        ww_resource *r = k->resources.at[i];
        for (size_t j = 0; j < r->work.len; j++)
            resolve_reads(r, &r->work.at[j]);
    }
}
