/* Recursive descent: a function takes the place where its piece starts and returns where it ends, NULL when the piece is
 * malformed. Strings are decoded into `out`, where one is given. */
#include "diag_json_reader.h"

static const char *value_end(const char *s);

static const char *blanks_end(const char *s)
{
    return s + strspn(s, " \t\r\n");
}

/* ---- strings ------------------------------------------------------------------------------------------ */

static void add_utf8(text *out, unsigned point)
{
    char bytes[3] = {(char)(0xE0 | point >> 12), (char)(0x80 | (point >> 6 & 0x3F)),
                     (char)(0x80 | (point & 0x3F))};
    char two[2] = {(char)(0xC0 | point >> 6), bytes[2]}, one = (char)point;
    if (point < 0x80)
        text_add_n(out, &one, 1);
    else if (point < 0x800)
        text_add_n(out, two, 2);
    else
        text_add_n(out, bytes, 3);
}

/* After a backslash. Surrogates are not needed here and refused. */
static const char *escape_end(const char *s, text *out)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    const char *letter = *s ? strchr(letters, *s) : NULL;
    if (letter) {
        text_add_n(out, &meanings[letter - letters], 1);
        return s + 1;
    }
    if (*s != 'u' || strspn(s + 1, "0123456789abcdefABCDEF") < 4)
        return NULL;
    unsigned point = (unsigned)strtoul((char[]){s[1], s[2], s[3], s[4], '\0'}, NULL, 16);
    if (point >= 0xD800 && point < 0xE000)
        return NULL;
    add_utf8(out, point);
    return s + 5;
}

static const char *string_end(const char *s, text *out)
{
    if (*s++ != '"')
        return NULL;
    while (s && *s != '"') {
        if ((unsigned char)*s < 0x20) /* the terminator as well */
            return NULL;
        if (*s == '\\') {
            s = escape_end(s + 1, out);
            continue;
        }
        text_add_n(out, s++, 1);
    }
    return s ? s + 1 : NULL;
}

static const char *string_skipped(const char *s)
{
    text ignored = {0};
    const char *end = string_end(s, &ignored);
    text_free(&ignored);
    return end;
}

/* ---- the other values --------------------------------------------------------------------------------- */

/* Whole numbers, as nothing else is written. */
static const char *number_end(const char *s)
{
    size_t digits = strspn(s, "0123456789");
    return digits && (digits == 1 || *s != '0') ? s + digits : NULL;
}

static const char *word_end(const char *s)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (strncmp(s, words[i], strlen(words[i])) == 0)
            return s + strlen(words[i]);
    return NULL;
}

/* Where a member's value starts, after its key in an object. */
static const char *member_value(const char *s, bool object)
{
    if (!object)
        return s;
    s = string_skipped(s);
    s = s ? blanks_end(s) : NULL;
    return s && *s == ':' ? blanks_end(s + 1) : NULL;
}

static const char *members_end(const char *s, bool object)
{
    char last = object ? '}' : ']';
    s = blanks_end(s + 1);
    if (*s == last)
        return s + 1;
    for (;;) {
        s = member_value(s, object);
        s = s ? value_end(s) : NULL;
        if (!s)
            return NULL;
        s = blanks_end(s);
        if (*s == last)
            return s + 1;
        if (*s != ',')
            return NULL;
        s = blanks_end(s + 1);
    }
}

static const char *value_end(const char *s)
{
    if (*s == '{' || *s == '[')
        return members_end(s, *s == '{');
    if (*s == '"')
        return string_skipped(s);
    return *s >= '0' && *s <= '9' ? number_end(s) : word_end(s);
}

bool json_valid(const char *s)
{
    s = value_end(blanks_end(s));
    return s && !*blanks_end(s);
}

/* ---- paths -------------------------------------------------------------------------------------------- */

static bool is_key(const char *s, const char *key, size_t len)
{
    text decoded = {0};
    (void)string_end(s, &decoded);
    bool same = decoded.len == len && memcmp(text_str(&decoded), key, len) == 0;
    text_free(&decoded);
    return same;
}

/* The member of the object or array at s that the first `len` bytes of key name. */
static const char *member(const char *s, const char *key, size_t len)
{
    bool object = *s == '{';
    if (!object && *s != '[')
        return NULL;
    unsigned long index = object ? 0 : strtoul(key, NULL, 10);
    s = blanks_end(s + 1);
    while (*s != '}' && *s != ']') {
        const char *value = member_value(s, object);
        if (object ? is_key(s, key, len) : index-- == 0)
            return value;
        s = blanks_end(value_end(value));
        if (*s == ',')
            s = blanks_end(s + 1);
    }
    return NULL;
}

const char *json_at(const char *s, const char *path)
{
    s = blanks_end(s);
    while (s && *path) {
        size_t len = strcspn(path, ".");
        s = member(s, path, len);
        path += len + (path[len] == '.');
    }
    return s;
}

bool json_is(const char *s, const char *path, const char *spelling)
{
    const char *at = json_at(s, path);
    size_t len = at ? (size_t)(value_end(at) - at) : 0;
    return at && len == strlen(spelling) && memcmp(at, spelling, len) == 0;
}

bool json_says(const char *s, const char *path, const char *expected)
{
    const char *at = json_at(s, path);
    text decoded = {0};
    bool same = at && *at == '"' && string_end(at, &decoded) && strcmp(text_str(&decoded), expected) == 0;
    text_free(&decoded);
    return same;
}
