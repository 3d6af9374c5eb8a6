/* Work tables: rows are copied, taken apart and checked when a resource is declared; what they name of other resources
 * is looked up when the declaration is complete. */
#include "model/model.h"
#include "model/names.h"

#include <ctype.h>

enum { COPY_UNIT = 16, MOST_COPY_BYTES = 1 << 20, MOST_GROUPS_WAITED = 8 };

static void bad_work(ww_resource *r, const char *work, const char *found, const char *expected)
{
    diag_list *diags = &r->kernel->diags;
    ww_diag *d =
        diag_add(diags, WW_BAD_WORK, r->place, "work method %s of resource %s is malformed", work, r->name);
    diag_expected(diags, d, "%s", expected);
    diag_found(diags, d, "%s", found);
    diag_hint(diags, d, "mend the row of %s in the work table of %s", work, r->name);
}

int model_find_buffer(const ww_resource *r, const char *name)
{
    for (int i = 0; i < r->buffer_count; i++)
        if (strcmp(r->buffers[i].name, name) == 0)
            return i;
    return -1;
}

static int find_tmem(const ww_resource *r, const char *name)
{
    for (int i = 0; i < r->tmem_count; i++)
        if (strcmp(r->tmem[i].name, name) == 0)
            return i;
    return -1;
}

/* ---- values ----------------------------------------------------------------------------------------- */

static size_t trimmed(const char *s, size_t len)
{
    while (len && isspace((unsigned char)s[len - 1]))
        len--;
    return len;
}

/* Splits the first `len` characters of "type name": the name is the last identifier. */
static bool split_value(arena *a, const char *declared, size_t len, model_value *v)
{
    size_t start = len = trimmed(declared, len);
    while (start && (isalnum((unsigned char)declared[start - 1]) || declared[start - 1] == '_'))
        start--;
    size_t type = trimmed(declared, start);
    v->name = arena_strndup(a, declared + start, len - start);
    v->type = arena_strndup(a, declared, type);
    return type && name_is_identifier(v->name);
}

/* "type name = default": the default may be any C++ expression. */
static const char *default_of(arena *a, const char *declared)
{
    const char *equals = strchr(declared, '=');
    if (!equals)
        return NULL;
    do
        equals++;
    while (isspace((unsigned char)*equals));
    return arena_strndup(a, equals, trimmed(equals, strlen(equals)));
}

static bool taken(const model_value *values, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (strcmp(values[i].name, name) == 0)
            return true;
    return false;
}

static int read_values(ww_resource *r, const char *work, const char *const *declared, int most,
                       model_value *values, const char **defaults)
{
    int n = 0;
    for (; n < most && declared[n]; n++) {
        const char *equals = defaults ? strchr(declared[n], '=') : NULL;
        size_t len = equals ? (size_t)(equals - declared[n]) : strlen(declared[n]);
        if (!split_value(&r->kernel->arena, declared[n], len, &values[n]))
            bad_work(r, work, declared[n],
                     defaults ? "\"type name\" or \"type name = default\"" : "\"type name\"");
        (void)model_name_taken(r->kernel, r->place, "a value of a work method", values[n].name);
        if (taken(values, n, values[n].name))
            bad_work(r, work, declared[n], "a name of its own for each input, output and constant");
        if (!defaults)
            continue;
        defaults[n] = default_of(&r->kernel->arena, declared[n]);
        if (defaults[n] && !*defaults[n])
            bad_work(r, work, declared[n], "a default after the =");
    }
    return n;
}

/* ---- memory ----------------------------------------------------------------------------------------- */

static void read_copies(ww_resource *r, model_work *w)
{
    for (int i = 0; i < WW_MAX_COPIES && w->declared->copies[i].buffer; i++) {
        const ww_copy *copy = &w->declared->copies[i];
        int buffer = model_find_buffer(r, copy->buffer);
        if (buffer < 0) {
            bad_work(r, w->declared->name, copy->buffer, "the name of one of the resource's buffers");
            continue;
        }
        if (!copy->bytes || copy->bytes % COPY_UNIT || copy->bytes > MOST_COPY_BYTES)
            bad_work(r, w->declared->name, copy->buffer, "a copy of a positive multiple of 16 bytes");
        if ((unsigned)copy->reach > WW_REACH_B)
            bad_work(r, w->declared->name, copy->buffer, "a copy to WW_REACH_OWN, WW_REACH_A or WW_REACH_B");
        w->copy_buffer[w->copy_count++] = buffer;
        w->copy_bytes += copy->bytes;
    }
    if (w->copy_count && w->declared->side != WW_PRODUCER)
        bad_work(r, w->declared->name, "copies in consumer work", "copies only in producer work");
}

/* Bits of the buffers it touches: all of them unless it names some. */
static void read_touched(ww_resource *r, model_work *w)
{
    const char *const *names = w->declared->touches;
    if (!names[0])
        w->touched = ((1u << r->buffer_count) - 1) | ((1u << r->tmem_count) - 1) << WW_MAX_BUFFERS;
    for (int i = 0; i < WW_MAX_BUFFERS && names[i]; i++) {
        int buffer = model_find_buffer(r, names[i]), tmem = find_tmem(r, names[i]);
        if (buffer >= 0)
            w->touched |= 1u << buffer;
        else if (tmem >= 0)
            w->touched |= 1u << (WW_MAX_BUFFERS + tmem);
        else
            bad_work(r, w->declared->name, names[i], "touches naming buffers of the resource");
    }
}

static void check_waits(ww_resource *r, const ww_work *w)
{
    if (w->wgmma_wait < 0 || w->wgmma_wait > MOST_GROUPS_WAITED)
        bad_work(r, w->name, "wgmma_wait", "WW_WGMMA_WAIT(0) to WW_WGMMA_WAIT(7)");
    if (w->bulk_wait < 0 || w->bulk_wait > MOST_GROUPS_WAITED)
        bad_work(r, w->name, "bulk_wait", "WW_BULK_WAIT(0) to WW_BULK_WAIT(7)");
    if (w->bulk_store && (w->side != WW_CONSUMER || !r->buffer_count))
        bad_work(r, w->name, "bulk_store", "bulk_store in consumer work of a resource with buffers");
}

/* ---- rows ------------------------------------------------------------------------------------------- */

static void copy_texts(arena *a, const char **texts, int most)
{
    for (int i = 0; i < most && texts[i]; i++)
        texts[i] = arena_strdup(a, texts[i]);
}

static ww_work *copy_row(arena *a, const ww_work *declared)
{
    ww_work *copy = arena_new(a, ww_work);
    *copy = *declared;
    copy->name = arena_strdup(a, declared->name);
    copy_texts(a, copy->in, WW_MAX_VALUES);
    copy_texts(a, copy->out, WW_MAX_VALUES);
    copy_texts(a, copy->constants, WW_MAX_CONSTANTS);
    copy_texts(a, copy->touches, WW_MAX_BUFFERS);
    copy_texts(a, copy->wgmma_reads, WW_MAX_BUFFERS);
    copy_texts(a, copy->umma_reads, WW_MAX_BUFFERS);
    for (int i = 0; i < WW_MAX_COPIES && copy->copies[i].buffer; i++)
        copy->copies[i].buffer = arena_strdup(a, copy->copies[i].buffer);
    return copy;
}

static void read_row(ww_resource *r, const ww_work *declared)
{
    arena *a = &r->kernel->arena;
    const ww_work *copy = copy_row(a, declared);
    model_work w = {.declared = copy};
    if (!name_is_identifier(copy->name))
        bad_work(r, copy->name, copy->name, "a C identifier as its name");
    if ((unsigned)copy->side > WW_PRODUCER)
        bad_work(r, copy->name, "another side", "WW_CONSUMER or WW_PRODUCER");
    if ((unsigned)copy->part > WW_PART_WARP)
        bad_work(r, copy->name, "part", "WW_PART_ALL, WW_PART_WARPGROUP or WW_PART_WARP");
    if (model_find_work(r, copy->name) >= 0)
        bad_work(r, copy->name, "a second row of that name", "one row a name");
    w.function = arena_printf(a, "%s_%s", r->type, copy->name);
    w.in_count = read_values(r, copy->name, copy->in, WW_MAX_VALUES, w.in, NULL);
    w.out_count = read_values(r, copy->name, copy->out, WW_MAX_VALUES, w.out, w.defaults);
    w.constant_count = read_values(r, copy->name, copy->constants, WW_MAX_CONSTANTS, w.constants, NULL);
    read_copies(r, &w);
    read_touched(r, &w);
    check_waits(r, copy);
    vec_push(&r->work, w);
}

void model_read_work(ww_resource *r, const ww_work *table)
{
    for (const ww_work *w = table; w && w->name; w++)
        read_row(r, w);
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

/* ---- what other resources are named ----------------------------------------------------------------- */

static int resolve_names(ww_resource *r, const model_work *w, const char *const *names, const char *expected,
                         int *found)
{
    ww_kernel *k = r->kernel;
    int n = 0;
    for (int i = 0; i < WW_MAX_BUFFERS && names[i]; i++) {
        int at = -1;
        for (size_t j = 0; j < k->resources.len; j++) {
            const ww_resource *other = k->resources.at[j];
            if (strcmp(other->name, names[i]) == 0 && (other->buffer_count || other->tmem_count))
                at = (int)j;
        }
        if (at < 0)
            bad_work(r, w->declared->name, names[i], expected);
        else
            found[n++] = at;
    }
    return n;
}

/* Reads may name resources declared later, so they are looked up when the declaration is complete. */
void model_resolve_work(ww_resource *r)
{
    for (size_t i = 0; i < r->work.len; i++) {
        model_work *w = &r->work.at[i];
        w->wgmma_read_count = resolve_names(r, w, w->declared->wgmma_reads,
                                            "wgmma_reads naming a resource with buffers", w->wgmma_reads);
        w->umma_read_count = resolve_names(r, w, w->declared->umma_reads,
                                           "umma_reads naming a resource with buffers", w->umma_reads);
        if (w->wgmma_read_count)
            (void)model_needs(r->kernel, r->place, MODEL_WGMMA_UNIT, w->declared->name);
        if (w->umma_read_count)
            (void)model_needs(r->kernel, r->place, MODEL_TCGEN05, w->declared->name);
    }
}
