/* json: writing a JSON value (RFC 8259) piece by piece. Members of an object have a key, elements of an array none (NULL).
 * What was opened must be closed in turn. json_read.h reads it. */
#ifndef WW_APP_JSON_H
#define WW_APP_JSON_H

#include "base/base.h"

typedef struct json {
    text *out;
    int depth;
    bool filled; /* the innermost object or array has a member */
} json;

void json_object(json *j, const char *key);
void json_object_end(json *j);
void json_array(json *j, const char *key);
void json_array_end(json *j);

/* NULL becomes null. Bytes that are no UTF-8 become U+FFFD. */
void json_string(json *j, const char *key, const char *value);
void json_number(json *j, const char *key, uint64_t value);
void json_signed(json *j, const char *key, int64_t value);
void json_bool(json *j, const char *key, bool value);
void json_null(json *j, const char *key);

/* The length of the well-formed UTF-8 sequence of more than one byte that s starts with; 0 when there is none. Looks at up
 * to 4 bytes, and never past a zero. */
size_t json_sequence(const unsigned char *s);

#endif
