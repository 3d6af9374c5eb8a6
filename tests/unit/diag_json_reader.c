#include "diag_json_reader.h"

#include "app/json_read.h"

#include <stdlib.h>

static const json_value *read_text(const char *s, arena *a)
{
    text why = {0};
    const json_value *v = json_read(s, strlen(s), a, &why);
    text_free(&why);
    return v;
}

bool json_valid(const char *s)
{
    arena a = {0};
    bool valid = read_text(s, &a) != NULL;
    arena_free(&a);
    return valid;
}

static const json_value *member(const json_value *v, const char *key)
{
    if (v->kind == JSON_OBJECT)
        return json_member(v, key);
    unsigned long index = strtoul(key, NULL, 10);
    const json_value *at = v->kind == JSON_ARRAY ? v->first : NULL;
    while (at && index--)
        at = at->next;
    return at;
}

/* The value at a path such as "findings.0.line"; NULL when there is none. */
static const json_value *value_at(const char *s, const char *path, arena *a)
{
    const json_value *v = read_text(s, a);
    while (v && *path) {
        size_t len = strcspn(path, ".");
        v = member(v, arena_strndup(a, path, len));
        path += len + (path[len] == '.');
    }
    return v;
}

bool json_has(const char *s, const char *path)
{
    arena a = {0};
    bool has = value_at(s, path, &a) != NULL;
    arena_free(&a);
    return has;
}

static void spell(const json_value *v, text *out)
{
    switch (v->kind) {
    case JSON_NULL: text_add(out, "null"); break;
    case JSON_BOOL: text_add(out, v->boolean ? "true" : "false"); break;
    case JSON_NUMBER:
        if (v->integer)
            text_printf(out, "%lld", (long long)v->number);
        break;
    case JSON_STRING: text_printf(out, "\"%s\"", v->string); break;
    case JSON_ARRAY: text_add(out, v->first ? "[...]" : "[]"); break;
    case JSON_OBJECT: text_add(out, v->first ? "{...}" : "{}"); break;
    }
}

bool json_is(const char *s, const char *path, const char *spelling)
{
    arena a = {0};
    text spelled = {0};
    const json_value *v = value_at(s, path, &a);
    if (v)
        spell(v, &spelled);
    bool is = v && strcmp(text_str(&spelled), spelling) == 0;
    text_free(&spelled);
    arena_free(&a);
    return is;
}

bool json_says(const char *s, const char *path, const char *expected)
{
    arena a = {0};
    const json_value *v = value_at(s, path, &a);
    bool says = v && v->kind == JSON_STRING && strcmp(v->string, expected) == 0;
    arena_free(&a);
    return says;
}
