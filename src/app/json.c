/* The writer of JSON: indented by two blanks a level, so that people can read and compare it as well. */
#include "app/json.h"

/* ---- strings ------------------------------------------------------------------------------------------ */

/* Well-formed sequences of more than one byte (The Unicode Standard, table 3-7): by the first byte, the range of the
 * second and the length. The bytes after the second are 80 to BF. */
static const struct {
    unsigned char first, last, low, high;
    size_t len;
} sequences[] = {
    {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3},
    {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
    {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
};

size_t json_sequence(const unsigned char *s)
{
    for (size_t i = 0; i < ARRAY_LEN(sequences); i++) {
        if (s[0] < sequences[i].first || s[0] > sequences[i].last)
            continue;
        if (s[1] < sequences[i].low || s[1] > sequences[i].high)
            return 0;
        for (size_t at = 2; at < sequences[i].len; at++)
            if (s[at] < 0x80 || s[at] > 0xBF)
                return 0;
        return sequences[i].len;
    }
    return 0;
}

/* The escape of two characters that JSON has for c, or NULL. */
static const char *short_escape(unsigned char c)
{
    static const char *const escapes[256] = {['"'] = "\\\"", ['\\'] = "\\\\", ['\b'] = "\\b", ['\f'] = "\\f",
                                             ['\n'] = "\\n", ['\r'] = "\\r",  ['\t'] = "\\t"};
    return escapes[c];
}

/* Appends the character that s starts with; returns its length in bytes. */
static size_t add_character(text *out, const unsigned char *s)
{
    const char *escape = short_escape(*s);
    size_t len = *s < 0x80 ? 1 : json_sequence(s);
    if (escape)
        text_add(out, escape);
    else if (*s < 0x20)
        text_printf(out, "\\u%04x", *s);
    else if (len)
        text_add_n(out, (const char *)s, len);
    else
        text_add(out, "\\ufffd");
    return len ? len : 1;
}

static void add_string(text *out, const char *s)
{
    text_add(out, "\"");
    for (const unsigned char *at = (const unsigned char *)s; *at;)
        at += add_character(out, at);
    text_add(out, "\"");
}

/* ---- structure ---------------------------------------------------------------------------------------- */

static void new_line(json *j)
{
    text_printf(j->out, "\n%*s", 2 * j->depth, "");
}

/* Where the next value stands: after a comma, on a line of its own, behind its key. */
static void begin(json *j, const char *key)
{
    if (j->filled)
        text_add(j->out, ",");
    if (j->depth)
        new_line(j);
    if (key) {
        add_string(j->out, key);
        text_add(j->out, ": ");
    }
    j->filled = true;
}

static void opening(json *j, const char *key, const char *bracket)
{
    begin(j, key);
    text_add(j->out, bracket);
    j->depth++;
    j->filled = false;
}

static void closing(json *j, const char *bracket)
{
    j->depth--;
    if (j->filled)
        new_line(j);
    text_add(j->out, bracket);
    j->filled = true;
}

void json_object(json *j, const char *key)
{
    opening(j, key, "{");
}

void json_object_end(json *j)
{
    closing(j, "}");
}

void json_array(json *j, const char *key)
{
    opening(j, key, "[");
}

void json_array_end(json *j)
{
    closing(j, "]");
}

void json_string(json *j, const char *key, const char *value)
{
    if (!value) {
        json_null(j, key);
        return;
    }
    begin(j, key);
    add_string(j->out, value);
}

void json_number(json *j, const char *key, uint64_t value)
{
    begin(j, key);
    text_printf(j->out, "%llu", (unsigned long long)value);
}

void json_signed(json *j, const char *key, int64_t value)
{
    begin(j, key);
    text_printf(j->out, "%lld", (long long)value);
}

void json_bool(json *j, const char *key, bool value)
{
    begin(j, key);
    text_add(j->out, value ? "true" : "false");
}

void json_null(json *j, const char *key)
{
    begin(j, key);
    text_add(j->out, "null");
}
