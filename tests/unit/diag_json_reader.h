/* A reader of JSON for tests, which shares nothing with the writer: it accepts RFC 8259 and nothing else. */
#ifndef WW_TESTS_DIAG_JSON_READER_H
#define WW_TESTS_DIAG_JSON_READER_H

#include "base/base.h"

/* Whether s is one JSON value with nothing but blanks around it. */
bool json_valid(const char *s);

/* The value at a path such as "findings.0.line" in a valid text; NULL when there is none. */
const char *json_at(const char *s, const char *path);

/* Whether the value at the path is spelled like that: a number, true, false, null, [] or {}. */
bool json_is(const char *s, const char *path, const char *spelling);
/* Whether it is a string, and which. */
bool json_says(const char *s, const char *path, const char *expected);

#endif
