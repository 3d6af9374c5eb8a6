/* The reader of JSON: a function a kind of value, down to JSON_MOST_DEPTH. */
#include "app/json_read.h"
#include "app/json.h"

typedef struct reader {
    const char *at, *start, *end;
    arena *arena;
    text *error;
    int depth;
} reader;

static bool read_value(reader *r, json_value *v);

/* ---- small parts --------------------------------------------------------------------------------------- */

static bool fail(reader *r, const char *what)
{
    size_t line = 1;
    for (const char *s = r->start; s < r->at; s++)
        line += *s == '\n';
    if (!r->error->len)
        text_printf(r->error, "line %zu: %s", line, what);
    return false;
}

static char peek(const reader *r)
{
    return r->at < r->end ? *r->at : '\0';
}

static void skip_blanks(reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r'))
        r->at++;
}

static bool accept(reader *r, char c)
{
    if (r->at == r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

/* ---- words and numbers --------------------------------------------------------------------------------- */

static bool read_word(reader *r, json_value *v)
{
    static const struct {
        const char *word;
        json_kind kind;
        bool boolean;
    } words[] = {{"null", JSON_NULL, false}, {"true", JSON_BOOL, true}, {"false", JSON_BOOL, false}};
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        size_t len = strlen(words[i].word);
        if ((size_t)(r->end - r->at) < len || memcmp(r->at, words[i].word, len) != 0)
            continue;
        r->at += len;
        v->kind = words[i].kind;
        v->boolean = words[i].boolean;
        return true;
    }
    return fail(r, "a value expected");
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool skip_digits(reader *r)
{
    const char *from = r->at;
    while (is_digit(peek(r)))
        r->at++;
    return r->at > from;
}

/* Digits of an integer; it does not fit: integer stays false. */
static void set_integer(json_value *v, const char *digits, const char *end, bool negative)
{
    uint64_t value = 0, limit = (uint64_t)INT64_MAX + negative;
    for (; digits < end; digits++) {
        uint64_t digit = (uint64_t)(*digits - '0');
        if (value > (limit - digit) / 10)
            return;
        value = 10 * value + digit;
    }
    v->integer = true;
    v->number = negative ? (int64_t)(0 - value) : (int64_t)value;
}

static bool read_number(reader *r, json_value *v)
{
    bool negative = accept(r, '-'), plain = true;
    const char *digits = r->at;
    v->kind = JSON_NUMBER;
    if (!accept(r, '0') && !skip_digits(r))
        return fail(r, "digits expected");
    const char *end = r->at;
    if (accept(r, '.')) {
        plain = false;
        if (!skip_digits(r))
            return fail(r, "digits expected behind the point");
    }
    if (accept(r, 'e') || accept(r, 'E')) {
        plain = false;
        if (!accept(r, '+'))
            (void)accept(r, '-');
        if (!skip_digits(r))
            return fail(r, "digits expected in the exponent");
    }
    if (plain)
        set_integer(v, digits, end, negative);
    return true;
}

/* ---- strings ------------------------------------------------------------------------------------------- */

static bool read_hex(reader *r, uint32_t *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++) {
        char c = peek(r), lower = (char)(c | 0x20);
        if (!is_digit(c) && (lower < 'a' || lower > 'f'))
            return fail(r, "four hexadecimal digits expected");
        *code = *code * 16 + (uint32_t)(is_digit(c) ? c - '0' : lower - 'a' + 10);
        r->at++;
    }
    return true;
}

static void add_utf8(text *out, uint32_t code)
{
    char bytes[4];
    size_t len = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = len - 1; i > 0; i--, code >>= 6)
        bytes[i] = (char)(0x80 | (code & 0x3F));
    bytes[0] = (char)(leads[len] | code);
    text_add_n(out, bytes, len);
}

/* \uXXXX, a pair of them beyond U+FFFF. */
static bool read_code(reader *r, text *out)
{
    uint32_t code, low;
    if (!read_hex(r, &code))
        return false;
    if (code >= 0xD800 && code < 0xDC00) {
        if (!accept(r, '\\') || !accept(r, 'u') || !read_hex(r, &low) || low < 0xDC00 || low > 0xDFFF)
            return fail(r, "half of a surrogate pair");
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    } else if (code == 0 || (code >= 0xDC00 && code <= 0xDFFF)) {
        return fail(r, code ? "half of a surrogate pair" : "U+0000 in a string");
    }
    add_utf8(out, code);
    return true;
}

static bool read_escape(reader *r, text *out)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    if (accept(r, 'u'))
        return read_code(r, out);
    const char *found = r->at < r->end && *r->at ? strchr(from, *r->at) : NULL;
    if (!found)
        return fail(r, "no such escape");
    r->at++;
    text_add_n(out, &to[found - from], 1);
    return true;
}

/* A character that stands for itself. */
static bool read_plain(reader *r, text *out)
{
    unsigned char c = (unsigned char)*r->at;
    size_t len = c < 0x80 ? 1 : 0;
    if (c < 0x20)
        return fail(r, "a control character in a string");
    if (!len && r->end - r->at >= 4)
        len = json_sequence((const unsigned char *)r->at);
    if (!len && r->end - r->at < 4) {
        unsigned char padded[4] = {0};
        memcpy(padded, r->at, (size_t)(r->end - r->at));
        len = json_sequence(padded);
    }
    if (!len)
        return fail(r, "bytes that are no UTF-8");
    text_add_n(out, r->at, len);
    r->at += len;
    return true;
}

static bool read_string(reader *r, const char **s)
{
    text out = {0};
    bool ok = accept(r, '"') || fail(r, "a string expected");
    while (ok && !accept(r, '"')) {
        if (r->at == r->end)
            ok = fail(r, "a string without an end");
        else
            ok = accept(r, '\\') ? read_escape(r, &out) : read_plain(r, &out);
    }
    if (ok)
        *s = arena_strndup(r->arena, text_str(&out), out.len);
    text_free(&out);
    return ok;
}

/* ---- arrays and objects -------------------------------------------------------------------------------- */

static bool read_key(reader *r, const json_value *object, json_value *member)
{
    if (!read_string(r, &member->key))
        return false;
    if (json_member(object, member->key))
        return fail(r, "a key that was there before");
    skip_blanks(r);
    return accept(r, ':') || fail(r, "':' expected");
}

static bool read_members(reader *r, json_value *v, char close)
{
    json_value **tail = &v->first;
    skip_blanks(r);
    if (accept(r, close))
        return true;
    do {
        json_value *member = arena_new(r->arena, json_value);
        skip_blanks(r);
        if ((v->kind == JSON_OBJECT && !read_key(r, v, member)) || !read_value(r, member))
            return false;
        *tail = member;
        tail = &member->next;
        v->count++;
        skip_blanks(r);
    } while (accept(r, ','));
    return accept(r, close) || fail(r, "',' or the end of the list expected");
}

static bool read_list(reader *r, json_value *v)
{
    v->kind = accept(r, '[') ? JSON_ARRAY : JSON_OBJECT;
    if (v->kind == JSON_OBJECT)
        r->at++;
    if (++r->depth > JSON_MOST_DEPTH)
        return fail(r, "too deep");
    bool ok = read_members(r, v, v->kind == JSON_ARRAY ? ']' : '}');
    r->depth--;
    return ok;
}

static bool read_value(reader *r, json_value *v)
{
    skip_blanks(r);
    char c = peek(r);
    if (c == '{' || c == '[')
        return read_list(r, v);
    if (c == '"') {
        v->kind = JSON_STRING;
        return read_string(r, &v->string);
    }
    return c == '-' || is_digit(c) ? read_number(r, v) : read_word(r, v);
}

/* ---- the face ------------------------------------------------------------------------------------------ */

const json_value *json_read(const char *s, size_t len, arena *a, text *error)
{
    reader r = {.at = s, .start = s, .end = s + len, .arena = a, .error = error};
    json_value *v = arena_new(a, json_value);
    if (len > JSON_MOST_BYTES) {
        (void)fail(&r, "too long");
        return NULL;
    }
    if (!read_value(&r, v))
        return NULL;
    skip_blanks(&r);
    if (r.at == r.end)
        return v;
    (void)fail(&r, "something behind the value");
    return NULL;
}

const json_value *json_member(const json_value *v, const char *key)
{
    for (const json_value *m = v && v->kind == JSON_OBJECT ? v->first : NULL; m; m = m->next)
        if (strcmp(m->key, key) == 0)
            return m;
    return NULL;
}
