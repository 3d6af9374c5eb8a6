/* The JSON form of a counterexample. Tables say which member of a struct is which member of an object; writing and reading
 * walk through the same tables. */
#include "app/witness_file.h"
#include "app/json.h"
#include "app/json_read.h"
#include "warpwright/diag.h"

#include <limits.h>
#include <stdio.h>

enum { VERSION = 2, MOST_WARPS = 32, MOST_CTAS = 16 };

typedef enum field_kind {
    FIELD_INT,    /* -1 and more; -1 is null */
    FIELD_LONG,   /* int64_t, likewise */
    FIELD_SIGNED, /* int64_t, any */
    FIELD_UINT,   /* uint32_t; UINT32_MAX is null */
    FIELD_HASH,   /* uint64_t, 16 hexadecimal digits */
    FIELD_BOOL,
    FIELD_STRING, /* may be null */
    FIELD_WORD,   /* an int: one of the words */
    FIELD_CODE,   /* ww_code */
    FIELD_TASK,   /* an int: a task, by its name */
} field_kind;

typedef struct field {
    const char *name;
    field_kind kind;
    size_t offset;
    const char *const *words; /* ended by NULL */
} field;

static const char *const fault_words[] = {
#define WW_FAULT(name, text, ending) text,
#include "warpwright/witness_faults.def"
#undef WW_FAULT
    NULL};
static const char *const event_words[] = {"step", "landing", NULL};
static const char *const value_words[] = {"launch", "device", "tiles", "skip", "condition", NULL};

#define FIELD(type, name, kind) WORDS(type, name, kind, NULL)
#define WORDS(type, name, kind, words)                                                                       \
    {                                                                                                        \
#name, kind, offsetof(type, name), words                                                             \
    }

static const field head_fields[] = {
    FIELD(ww_witness, kernel, FIELD_STRING),
    FIELD(ww_witness, declaration, FIELD_HASH),
    FIELD(ww_witness, ctas, FIELD_INT),
    FIELD(ww_witness, code, FIELD_CODE),
    WORDS(ww_witness, fault, FIELD_WORD, fault_words),
    FIELD(ww_witness, message, FIELD_STRING),
    {0},
};
static const field task_fields[] = {
    FIELD(ww_witness_task, name, FIELD_STRING),
    FIELD(ww_witness_task, first_warp, FIELD_INT),
    FIELD(ww_witness_task, warps, FIELD_INT),
    {0},
};
static const field value_fields[] = {
    WORDS(ww_witness_value, kind, FIELD_WORD, value_words),
    FIELD(ww_witness_value, name, FIELD_STRING),
    FIELD(ww_witness_value, key, FIELD_INT),
    FIELD(ww_witness_value, value, FIELD_SIGNED),
    FIELD(ww_witness_value, tile, FIELD_LONG),
    FIELD(ww_witness_value, trip, FIELD_LONG),
    {0},
};
static const field event_fields[] = {
    WORDS(ww_event, kind, FIELD_WORD, event_words),
    FIELD(ww_event, cta, FIELD_INT),
    FIELD(ww_event, task, FIELD_TASK),
    FIELD(ww_event, warp, FIELD_INT),
    FIELD(ww_event, op, FIELD_INT),
    FIELD(ww_event, of, FIELD_INT),
    FIELD(ww_event, to, FIELD_INT),
    FIELD(ww_event, tile, FIELD_LONG),
    FIELD(ww_event, trip, FIELD_LONG),
    FIELD(ww_event, blocked, FIELD_BOOL),
    FIELD(ww_event, text, FIELD_STRING),
    FIELD(ww_event, does, FIELD_STRING),
    FIELD(ww_event, file, FIELD_STRING),
    FIELD(ww_event, line, FIELD_INT),
    {0},
};
static const field fault_fields[] = {
    FIELD(ww_witness, first, FIELD_INT),
    FIELD(ww_witness, second, FIELD_INT),
    FIELD(ww_witness, barrier, FIELD_STRING),
    FIELD(ww_witness, barrier_cta, FIELD_INT),
    FIELD(ww_witness, barrier_offset, FIELD_UINT),
    FIELD(ww_witness, barrier_completed, FIELD_UINT),
    FIELD(ww_witness, barrier_pending, FIELD_UINT),
    FIELD(ww_witness, wanted, FIELD_UINT),
    FIELD(ww_witness, memory, FIELD_STRING),
    FIELD(ww_witness, other_memory, FIELD_STRING),
    FIELD(ww_witness, tensor, FIELD_BOOL),
    FIELD(ww_witness, in_flight, FIELD_BOOL),
    FIELD(ww_witness, memory_cta, FIELD_INT),
    FIELD(ww_witness, memory_offset, FIELD_UINT),
    FIELD(ww_witness, memory_bytes, FIELD_UINT),
    {0},
};
static const field waiter_fields[] = {
    FIELD(ww_witness_waiter, event, FIELD_INT),
    FIELD(ww_witness_waiter, barrier, FIELD_STRING),
    FIELD(ww_witness_waiter, barrier_cta, FIELD_INT),
    FIELD(ww_witness_waiter, barrier_offset, FIELD_UINT),
    FIELD(ww_witness_waiter, phase, FIELD_UINT),
    FIELD(ww_witness_waiter, pending, FIELD_UINT),
    FIELD(ww_witness_waiter, bytes, FIELD_SIGNED),
    FIELD(ww_witness_waiter, arrivers, FIELD_STRING),
    {0},
};

/* Arrays of structs: where the witness keeps the pointer, and the count. Tasks come first: events name them. */
static const struct table {
    const char *name;
    const field *fields;
    size_t size, at, count;
} tables[] = {
    {"tasks", task_fields, sizeof(ww_witness_task), offsetof(ww_witness, tasks),
     offsetof(ww_witness, task_count)},
    {"values", value_fields, sizeof(ww_witness_value), offsetof(ww_witness, values),
     offsetof(ww_witness, value_count)},
    {"events", event_fields, sizeof(ww_event), offsetof(ww_witness, events),
     offsetof(ww_witness, event_count)},
    {"waiters", waiter_fields, sizeof(ww_witness_waiter), offsetof(ww_witness, waiters),
     offsetof(ww_witness, waiter_count)},
};

/* ---- writing ------------------------------------------------------------------------------------------- */

#define AT(type, base, offset) (*(type *)(void *)((char *)(base) + (offset)))
/* A pointer to a row of whatever type. */
static const char *pointer_at(const void *base, size_t offset)
{
    const char *p;
    memcpy(&p, (const char *)base + offset, sizeof p);
    return p;
}

#define CONST_AT(type, base, offset) (*(const type *)(const void *)((const char *)(base) + (offset)))

static void put_long(json *j, const char *name, int64_t value)
{
    if (value == -1)
        json_null(j, name);
    else
        json_signed(j, name, value);
}

static void put_hash(json *j, const char *name, uint64_t value)
{
    char digits[17];
    (void)snprintf(digits, sizeof digits, "%016llx", (unsigned long long)value);
    json_string(j, name, digits);
}

static void put_code(json *j, const char *name, ww_code code)
{
    char digits[16];
    (void)snprintf(digits, sizeof digits, "WW%d", (int)code);
    json_string(j, name, digits);
}

static void put_uint(json *j, const char *name, uint32_t value)
{
    if (value == UINT32_MAX)
        json_null(j, name);
    else
        json_number(j, name, value);
}

static void put_field(json *j, const field *f, const void *from, const ww_witness *w)
{
    switch (f->kind) {
    case FIELD_INT: put_long(j, f->name, CONST_AT(int, from, f->offset)); break;
    case FIELD_LONG: put_long(j, f->name, CONST_AT(int64_t, from, f->offset)); break;
    case FIELD_SIGNED: json_signed(j, f->name, CONST_AT(int64_t, from, f->offset)); break;
    case FIELD_UINT: put_uint(j, f->name, CONST_AT(uint32_t, from, f->offset)); break;
    case FIELD_HASH: put_hash(j, f->name, CONST_AT(uint64_t, from, f->offset)); break;
    case FIELD_BOOL: json_bool(j, f->name, CONST_AT(bool, from, f->offset)); break;
    case FIELD_STRING: json_string(j, f->name, CONST_AT(char *, from, f->offset)); break;
    case FIELD_WORD: json_string(j, f->name, f->words[CONST_AT(int, from, f->offset)]); break;
    case FIELD_CODE: put_code(j, f->name, (ww_code)CONST_AT(int, from, f->offset)); break;
    case FIELD_TASK: json_string(j, f->name, w->tasks[CONST_AT(int, from, f->offset)].name); break;
    }
}

static void put_fields(json *j, const field *fields, const void *from, const ww_witness *w)
{
    for (const field *f = fields; f->name; f++)
        put_field(j, f, from, w);
}

static void put_table(json *j, const struct table *t, const ww_witness *w)
{
    const char *rows = pointer_at(w, t->at);
    json_array(j, t->name);
    for (int i = 0; i < CONST_AT(int, w, t->count); i++) {
        json_object(j, NULL);
        put_fields(j, t->fields, rows + (size_t)i * t->size, w);
        json_object_end(j);
    }
    json_array_end(j);
}

void witness_write(text *out, const ww_witness *w)
{
    json j = {.out = out};
    json_object(&j, NULL);
    json_number(&j, "version", VERSION);
    put_fields(&j, head_fields, w, w);
    for (size_t i = 0; i < ARRAY_LEN(tables); i++)
        put_table(&j, &tables[i], w);
    json_object(&j, "at");
    put_fields(&j, fault_fields, w, w);
    json_object_end(&j);
    json_object_end(&j);
    text_add(out, "\n");
}

/* ---- reading ------------------------------------------------------------------------------------------- */

typedef struct loader {
    ww_witness *w;
    arena *arena;
    text *error;
} loader;

static bool fail(const loader *l, const char *name, const char *expected)
{
    if (!l->error->len)
        text_printf(l->error, "%s: expected %s", name, expected);
    return false;
}

static bool take_integer(const loader *l, const field *f, const json_value *v, int64_t least, int64_t most,
                         int64_t *to)
{
    if (v->kind != JSON_NUMBER || !v->integer || v->number < least || v->number > most)
        return fail(l, f->name, "an integer in range");
    *to = v->number;
    return true;
}

static bool take_number(const loader *l, const field *f, const json_value *v, int64_t least, int64_t most,
                        int64_t absent, int64_t *to)
{
    if (v->kind != JSON_NULL)
        return take_integer(l, f, v, least, most, to);
    *to = absent;
    return true;
}

static bool take_word(const loader *l, const field *f, const json_value *v, void *to)
{
    for (int i = 0; v->kind == JSON_STRING && f->words[i]; i++)
        if (strcmp(f->words[i], v->string) == 0) {
            AT(int, to, f->offset) = i;
            return true;
        }
    return fail(l, f->name, "one of its words");
}

static bool take_task(const loader *l, const field *f, const json_value *v, void *to)
{
    for (int i = 0; v->kind == JSON_STRING && i < l->w->task_count; i++)
        if (strcmp(l->w->tasks[i].name, v->string) == 0) {
            AT(int, to, f->offset) = i;
            return true;
        }
    return fail(l, f->name, "the name of a task");
}

static bool take_hash(const loader *l, const field *f, const json_value *v, void *to)
{
    static const char digits[] = "0123456789abcdef";
    uint64_t hash = 0;
    if (v->kind != JSON_STRING || strlen(v->string) != 16 || strspn(v->string, digits) != 16)
        return fail(l, f->name, "16 hexadecimal digits");
    for (const char *c = v->string; *c; c++)
        hash = hash << 4 | (uint64_t)(strchr(digits, *c) - digits);
    AT(uint64_t, to, f->offset) = hash;
    return true;
}

static bool take_string(const loader *l, const field *f, const json_value *v, void *to)
{
    if (v->kind != JSON_STRING && v->kind != JSON_NULL)
        return fail(l, f->name, "a string or null");
    AT(const char *, to, f->offset) = v->string;
    return true;
}

static bool take_code(const loader *l, const field *f, const json_value *v, void *to)
{
    ww_code code = v->kind == JSON_STRING ? ww_code_from_text(v->string) : WW_NO_CODE;
    AT(int, to, f->offset) = (int)code;
    return code != WW_NO_CODE || fail(l, f->name, "the code of a diagnostic");
}

static bool take_field(const loader *l, const field *f, const json_value *v, void *to)
{
    int64_t n = 0;
    bool ok = true;
    switch (f->kind) {
    case FIELD_INT:
        ok = take_number(l, f, v, 0, INT_MAX, -1, &n);
        AT(int, to, f->offset) = (int)n;
        return ok;
    case FIELD_LONG:
        ok = take_number(l, f, v, 0, INT64_MAX, -1, &n);
        AT(int64_t, to, f->offset) = n;
        return ok;
    case FIELD_SIGNED:
        ok = take_integer(l, f, v, INT64_MIN, INT64_MAX, &n);
        AT(int64_t, to, f->offset) = n;
        return ok;
    case FIELD_UINT:
        ok = take_number(l, f, v, 0, UINT32_MAX - 1, UINT32_MAX, &n);
        AT(uint32_t, to, f->offset) = (uint32_t)n;
        return ok;
    case FIELD_BOOL:
        AT(bool, to, f->offset) = v->boolean;
        return v->kind == JSON_BOOL || fail(l, f->name, "true or false");
    case FIELD_HASH: return take_hash(l, f, v, to);
    case FIELD_STRING: return take_string(l, f, v, to);
    case FIELD_WORD: return take_word(l, f, v, to);
    case FIELD_CODE: return take_code(l, f, v, to);
    case FIELD_TASK: return take_task(l, f, v, to);
    }
    return false;
}

static bool take_fields(const loader *l, const field *fields, const json_value *object, void *to)
{
    for (const field *f = fields; f->name; f++) {
        const json_value *v = json_member(object, f->name);
        if (!v)
            return fail(l, f->name, "this member");
        if (!take_field(l, f, v, to))
            return false;
    }
    return true;
}

static bool take_table(const loader *l, const struct table *t, const json_value *all)
{
    const json_value *list = json_member(all, t->name);
    if (!list || list->kind != JSON_ARRAY || list->count > INT_MAX / 2)
        return fail(l, t->name, "an array");
    char *rows = arena_alloc(l->arena, (list->count + 1) * t->size);
    memcpy((char *)l->w + t->at, &rows, sizeof rows);
    for (const json_value *v = list->first; v; v = v->next) {
        if (v->kind != JSON_OBJECT)
            return fail(l, t->name, "objects");
        if (!take_fields(l, t->fields, v, rows))
            return false;
        rows += t->size;
        AT(int, l->w, t->count)++;
    }
    return true;
}

/* ---- what must hold besides ---------------------------------------------------------------------------- */

static bool tasks_are_sound(const loader *l)
{
    for (int i = 0; i < l->w->task_count; i++) {
        const ww_witness_task *t = &l->w->tasks[i];
        if (!t->name || t->first_warp < 0 || t->warps < 1 || t->first_warp > MOST_WARPS - 1 ||
            t->warps > MOST_WARPS - t->first_warp)
            return fail(l, "tasks", "a name, and warps of the CTA");
    }
    return true;
}

static bool event_is_sound(const loader *l, int number)
{
    const ww_event *e = &l->w->events[number];
    const ww_witness_task *t = &l->w->tasks[e->task];
    bool here =
        e->cta >= 0 && e->cta < l->w->ctas && e->warp >= t->first_warp && e->warp < t->first_warp + t->warps;
    if (!here || e->op < 0 || !e->text || !e->does)
        return fail(l, "events", "a CTA of the cluster, a warp of the task, an operation and texts");
    bool landing = e->kind == WW_EVENT_LANDING;
    if (landing ? e->of < 0 || e->of >= number || l->w->events[e->of].kind != WW_EVENT_STEP : e->of != -1)
        return fail(l, "of", "an earlier step, of landings alone");
    if (landing ? e->to < 0 || e->to >= l->w->ctas : e->to != -1)
        return fail(l, "to", "a CTA of the cluster, of landings alone");
    return true;
}

static bool events_are_sound(const loader *l)
{
    const ww_witness *w = l->w;
    for (int i = 0; i < w->event_count; i++)
        if (!event_is_sound(l, i))
            return false;
    for (int i = 0; i < w->waiter_count; i++)
        if (w->waiters[i].event < 0 || w->waiters[i].event >= w->event_count || !w->waiters[i].barrier ||
            !w->waiters[i].arrivers)
            return fail(l, "waiters", "an event and a barrier");
    return (w->first < w->event_count && w->second < w->event_count) ||
           fail(l, "at", "events that are there");
}

static bool is_sound(const loader *l)
{
    const ww_witness *w = l->w;
    if (!w->kernel || !w->message || w->ctas < 1 || w->ctas > MOST_CTAS)
        return fail(l, "kernel, message, ctas", "two strings, and 1 to 16");
    for (int i = 0; i < w->value_count; i++)
        if (!w->values[i].name)
            return fail(l, "values", "names");
    if ((w->memory && !w->other_memory) || w->memory_cta < 0 || w->barrier_cta < 0)
        return fail(l, "at", "both places in memory, and CTAs");
    return events_are_sound(l);
}

const ww_witness *witness_read(const char *s, size_t len, arena *a, text *error)
{
    const json_value *all = json_read(s, len, a, error), *version = json_member(all, "version");
    loader l = {arena_new(a, ww_witness), a, error};
    if (!all)
        return NULL;
    if (!version || version->kind != JSON_NUMBER || !version->integer || version->number != VERSION) {
        (void)fail(&l, "version", "2");
        return NULL;
    }
    bool ok = take_fields(&l, head_fields, all, l.w);
    for (size_t i = 0; ok && i < ARRAY_LEN(tables); i++) {
        ok = take_table(&l, &tables[i], all);
        ok = ok && (i || tasks_are_sound(&l)); /* before events speak of them */
    }
    ok = ok && take_fields(&l, fault_fields, json_member(all, "at"), l.w) && is_sound(&l);
    return ok ? l.w : NULL;
}
