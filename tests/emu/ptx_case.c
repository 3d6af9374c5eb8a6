/* ptx_case.c: reads the header of a one-file emulator test, see ptx_case.h. */
#include "ptx_case.h"

#include <stdio.h>

static bool wrong(ptx_case *c, const char *fmt, const char *what)
{
    c->error = arena_printf(&c->arena, fmt, what);
    return false;
}

/* The next blank-separated word of *line, or NULL. */
static char *word(char **line)
{
    char *p = *line + strspn(*line, " \t");
    if (!*p)
        return NULL;
    char *end = p + strcspn(p, " \t");
    *line = *end ? end + 1 : end;
    *end = '\0';
    return p;
}

static uint64_t integer(char **line)
{
    char *w = word(line);
    return w ? strtoull(w, NULL, 0) : 0;
}

/* ---- values ------------------------------------------------------------------------------------------- */

typedef struct value_list {
    VEC(uint8_t) bytes;
    uint32_t element;
    bool is_float;
} value_list;

static bool read_type(const char *name, value_list *v)
{
    static const char *const names[] = {"u8", "u16", "u32", "u64", "s32", "s64", "f32", "f64"};
    static const uint8_t bytes[] = {1, 2, 4, 8, 4, 8, 4, 8};
    for (size_t i = 0; name && i < ARRAY_LEN(names); i++)
        if (strcmp(name, names[i]) == 0) {
            v->element = bytes[i];
            v->is_float = name[0] == 'f';
            return true;
        }
    return false;
}

static void add_bits(value_list *v, uint64_t bits)
{
    for (uint32_t i = 0; i < v->element; i++) {
        uint8_t byte = (uint8_t)(bits >> (8 * i));
        vec_push(&v->bytes, byte);
    }
}

static void add_number(value_list *v, double value)
{
    float narrow = (float)value;
    uint64_t bits = 0;
    if (v->element == 4)
        memcpy(&bits, &narrow, 4);
    else
        memcpy(&bits, &value, 8);
    add_bits(v, bits);
}

static void add_one(value_list *v, const char *text_of_value)
{
    bool hex = strncmp(text_of_value, "0x", 2) == 0;
    if (v->is_float && !hex)
        add_number(v, strtod(text_of_value, NULL));
    else if (*text_of_value == '-')
        add_bits(v, (uint64_t)strtoll(text_of_value, NULL, 0));
    else
        add_bits(v, strtoull(text_of_value, NULL, 0));
}

static void add_range(value_list *v, const char *first, const char *last)
{
    const char *slash = strchr(last, '/');
    long long from = strtoll(first, NULL, 0), to = strtoll(last, NULL, 0);
    long long step = slash ? strtoll(slash + 1, NULL, 0) : from <= to ? 1 : -1;
    for (long long i = from; step > 0 ? i <= to : i >= to; i += step) {
        if (v->is_float)
            add_number(v, (double)i);
        else
            add_bits(v, (uint64_t)i);
    }
}

static void add_values(value_list *v, char *w)
{
    char *dots = strstr(w, ".."), *times = strchr(w, 'x');
    if (*w == '?') { /* not known yet: see --show of run_ptx */
        for (unsigned long n = strtoul(w + 1, NULL, 10); n > 0; n--)
            add_bits(v, 0);
        return;
    }
    bool repeat = times && times != w && !(times == w + 1 && *w == '0');
    if (repeat) {
        for (unsigned long n = strtoul(w, NULL, 10); n > 0; n--)
            add_values(v, times + 1);
    } else if (dots) {
        add_range(v, w, dots + 2);
    } else {
        add_one(v, w);
    }
}

/* ---- lines -------------------------------------------------------------------------------------------- */

static uint8_t *keep(ptx_case *c, value_list *v)
{
    uint8_t *copy = arena_alloc(&c->arena, v->bytes.len + 1);
    if (v->bytes.len)
        memcpy(copy, v->bytes.at, v->bytes.len);
    return copy;
}

static void place_param(ptx_case *c, ptx_buffer *b, size_t bytes, size_t align)
{
    c->block_bytes = (c->block_bytes + align - 1) / align * align;
    b->param_offset = c->block_bytes;
    c->block_bytes += bytes;
}

static bool buffer_line(ptx_case *c, char *line, const char *kind)
{
    value_list v = {0};
    ptx_buffer b = {0};
    char *w;
    bool in = kind[0] == 'i', out = strcmp(kind, "in") != 0;
    if (!read_type(word(&line), &v))
        return wrong(c, "%s needs a type", kind);
    b.element = v.element;
    b.is_float = v.is_float;
    while ((w = word(&line)) && strcmp(w, "->") != 0)
        add_values(&v, w);
    b.bytes = v.bytes.len;
    if (in)
        b.initial = keep(c, &v);
    if (in && out) {
        v.bytes.len = 0;
        while ((w = word(&line)))
            add_values(&v, w);
    }
    if (out)
        b.expected = keep(c, &v);
    bool same = v.bytes.len == b.bytes && b.bytes > 0;
    vec_free(&v.bytes);
    b.address = 1;
    place_param(c, &b, 8, 8);
    vec_push(&c->params, b);
    return same || wrong(c, "%s: no values, or not as many after as before", kind);
}

static bool scalar_line(ptx_case *c, char *line)
{
    value_list v = {0};
    ptx_buffer b = {0};
    if (!read_type(word(&line), &v))
        return wrong(c, "%s needs a type", "scalar");
    char *w = word(&line);
    if (!w)
        return wrong(c, "%s needs a value", "scalar");
    add_one(&v, w);
    place_param(c, &b, v.element, v.element);
    memcpy(c->block + b.param_offset, v.bytes.at, v.element);
    vec_free(&v.bytes);
    vec_push(&c->params, b);
    return true;
}

/* The map is encoded by ptx_case_prepare, when its buffer has an address: until then the tensor itself waits
 * in `initial`. */
static bool map_line(ptx_case *c, char *line)
{
    static const char *const types[] = {"u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f64", "bf16"};
    emu_tensor *t = arena_new(&c->arena, emu_tensor);
    ptx_buffer b = {.initial = (uint8_t *)t};
    char *w = word(&line);
    for (size_t i = 0; w && i < ARRAY_LEN(types); i++)
        if (strcmp(w, types[i]) == 0)
            t->element = (emu_element)i;
    uint32_t *box = NULL, extents = 0, boxes = 0;
    while ((w = word(&line))) {
        if (strcmp(w, "in") == 0)
            b.element = (uint32_t)integer(&line);
        else if (strcmp(w, "box") == 0)
            box = t->box;
        else if (strcmp(w, "swizzle") == 0) {
            uint64_t bytes = integer(&line);
            t->swizzle = bytes == 32 ? EMU_SWIZZLE_32B : bytes == 64 ? EMU_SWIZZLE_64B : EMU_SWIZZLE_128B;
        } else if (strcmp(w, "extent") != 0 && box && boxes < EMU_TENSOR_MAX_RANK)
            box[boxes++] = (uint32_t)strtoul(w, NULL, 0);
        else if (strcmp(w, "extent") != 0 && extents < EMU_TENSOR_MAX_RANK)
            t->extent[extents++] = strtoull(w, NULL, 0);
    }
    t->rank = extents;
    place_param(c, &b, EMU_TENSOR_MAP_BYTES, 64);
    b.bytes = EMU_TENSOR_MAP_BYTES;
    vec_push(&c->params, b);
    return (extents && extents == boxes) || wrong(c, "%s needs as many extents as box sizes", "map");
}

static void dims_line(char *line, uint32_t dims[3])
{
    for (int i = 0; i < 3; i++) {
        char *w = word(&line);
        dims[i] = w ? (uint32_t)strtoul(w, NULL, 0) : 1;
    }
}

static bool expect_line(ptx_case *c, char *line)
{
    c->how = arena_strdup(&c->arena, word(&line));
    line += strspn(line, " ");
    if (*line)
        vec_push(&c->texts, arena_strdup(&c->arena, line));
    return true;
}

static bool name_line(ptx_case *c, char *line, bool role)
{
    uint32_t first = (uint32_t)integer(&line), second = (uint32_t)integer(&line);
    const char *name = arena_strdup(&c->arena, line + strspn(line, " "));
    if (role) {
        emu_warp_name w = {first, second, name};
        vec_push(&c->roles, w);
    } else {
        emu_range_name r = {first, second, name};
        vec_push(&c->ranges, r);
    }
    return true;
}

static bool directive(ptx_case *c, char *line)
{
    char *w = word(&line);
    if (!w)
        return true;
    if (strcmp(w, "expect") == 0)
        return expect_line(c, line);
    if (strcmp(w, "in") == 0 || strcmp(w, "out") == 0 || strcmp(w, "inout") == 0)
        return buffer_line(c, line, w);
    if (strcmp(w, "scalar") == 0)
        return scalar_line(c, line);
    if (strcmp(w, "map") == 0)
        return map_line(c, line);
    if (strcmp(w, "name") == 0 || strcmp(w, "role") == 0)
        return name_line(c, line, *w == 'r');
    if (strcmp(w, "grid") == 0)
        dims_line(line, c->launch.grid);
    else if (strcmp(w, "block") == 0)
        dims_line(line, c->launch.block);
    else if (strcmp(w, "cluster") == 0)
        dims_line(line, c->launch.cluster);
    else if (strcmp(w, "dynamic") == 0)
        c->launch.dynamic_shared_bytes = (uint32_t)integer(&line);
    else if (strcmp(w, "check-fences") == 0)
        c->launch.check_fences = true;
    else if (strcmp(w, "check-races") == 0)
        c->launch.check_races = true;
    else if (strcmp(w, "sms") == 0)
        c->launch.sm_count = (uint32_t)integer(&line);
    else if (strcmp(w, "threads") == 0)
        c->launch.host_threads = (uint32_t)integer(&line);
    else if (strcmp(w, "limit") == 0)
        c->launch.max_instructions = integer(&line);
    else if (strcmp(w, "kernel") == 0)
        c->launch.kernel = arena_strdup(&c->arena, word(&line));
    else if (strcmp(w, "async") == 0)
        c->async = arena_strdup(&c->arena, word(&line));
    return true; /* anything else is prose */
}

/* ---- files -------------------------------------------------------------------------------------------- */

/* The name behind the first .entry. */
static const char *only_entry(ptx_case *c)
{
    const char *p = strstr(text_str(&c->source), ".entry");
    if (!p)
        return NULL;
    p += strlen(".entry");
    p += strspn(p, " \t\n");
    return arena_strndup(&c->arena, p, strcspn(p, " \t\n("));
}

/* Comment lines at the start; one that begins with three blanks continues the line before. */
static bool read_header(ptx_case *c)
{
    text line = {0};
    bool ok = true;
    const char *p = text_str(&c->source);
    while (ok && p[0] == '/' && p[1] == '/') {
        size_t len = strcspn(p, "\n");
        bool continues = strncmp(p, "//   ", 5) == 0;
        if (!continues && line.len) {
            ok = directive(c, line.at);
            line.len = 0;
        }
        text_add_n(&line, p + 2, len - 2);
        p += len + (p[len] == '\n');
    }
    if (ok && line.len)
        ok = directive(c, line.at);
    text_free(&line);
    return ok;
}

bool ptx_case_read(ptx_case *c, const char *path)
{
    *c = (ptx_case){.path = path, .how = "ok"};
    c->launch.grid[0] = c->launch.grid[1] = c->launch.grid[2] = 1;
    c->launch.block[0] = 32;
    c->launch.block[1] = c->launch.block[2] = 1;
    if (!file_read(path, &c->source))
        return wrong(c, "cannot read %s", path);
    if (!read_header(c))
        return false;
    if (!c->launch.kernel)
        c->launch.kernel = only_entry(c);
    c->launch.names = (emu_names){c->ranges.at, c->ranges.len, c->roles.at, c->roles.len};
    c->launch.params = c->block;
    c->launch.param_bytes = c->block_bytes;
    return true;
}

void ptx_case_free(ptx_case *c)
{
    vec_free(&c->texts);
    vec_free(&c->params);
    vec_free(&c->ranges);
    vec_free(&c->roles);
    text_free(&c->source);
    arena_free(&c->arena);
}

/* Dense strides, then the vendor's order of things: encode into the parameter block. */
static const char *encode_map(ptx_case *c, const ptx_buffer *b)
{
    static const uint32_t element_bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2};
    emu_tensor t = *(const emu_tensor *)(const void *)b->initial;
    uint64_t stride = element_bytes[t.element];
    t.address = c->params.at[b->element].address;
    for (uint32_t d = 0; d + 1 < t.rank; d++)
        t.stride_bytes[d] = stride *= t.extent[d];
    return emu_tensor_map_encode(&t, c->block + b->param_offset);
}

void ptx_case_prepare(ptx_case *c, emu_machine *m)
{
    ptx_buffer *b;
    vec_each(b, &c->params) {
        if (!b->address)
            continue;
        b->address = emu_alloc(m, b->bytes);
        if (b->initial)
            memcpy(emu_host_pointer(m, b->address, b->bytes), b->initial, b->bytes);
        memcpy(c->block + b->param_offset, &b->address, 8);
    }
    vec_each(b, &c->params)
        if (!b->address && b->bytes == EMU_TENSOR_MAP_BYTES) {
            const char *bad = encode_map(c, b);
            if (bad)
                c->error = bad;
        }
}
