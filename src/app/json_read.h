/* json_read: reading JSON (RFC 8259) into a tree, strictly: one value, nothing after it, no comments, no trailing commas,
 * strings of well-formed UTF-8 without U+0000, keys of an object all different. Bounded in depth and in size. */
#ifndef WW_APP_JSON_READ_H
#define WW_APP_JSON_READ_H

#include "base/base.h"

enum { JSON_MOST_DEPTH = 32, JSON_MOST_BYTES = 64 << 20 };

typedef enum json_kind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT } json_kind;

typedef struct json_value {
    json_kind kind;
    const char *key; /* of a member of an object; else NULL */
    bool boolean;
    bool integer;   /* NUMBER: it has no fraction and no exponent, and fits in */
    int64_t number; /* ... this */
    const char *string;
    size_t count; /* members, elements */
    struct json_value *first, *next;
} json_value;

/* In the arena; NULL with "line N: what" in error. */
const json_value *json_read(const char *s, size_t len, arena *a, text *error);

/* NULL: v is no object, or has no such member. */
const json_value *json_member(const json_value *v, const char *key);

#endif
