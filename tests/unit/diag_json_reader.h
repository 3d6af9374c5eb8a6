/* What stands at a path of a JSON text, for tests. It is read by json_read, which shares nothing with the writer. */
#ifndef WW_TESTS_DIAG_JSON_READER_H
#define WW_TESTS_DIAG_JSON_READER_H

#include "base/base.h"

/* Whether s is one JSON value with nothing but blanks around it. */
bool json_valid(const char *s);

/* Whether there is a value at a path such as "findings.0.line". */
bool json_has(const char *s, const char *path);
/* Whether it is spelled like that: a whole number, true, false, null, [] or {}. */
bool json_is(const char *s, const char *path, const char *spelling);
/* Whether it is a string, and which. */
bool json_says(const char *s, const char *path, const char *expected);

#endif
