/* names: identifiers and near misses. */
#ifndef WW_MODEL_NAMES_H
#define WW_MODEL_NAMES_H

#include "base/base.h"

bool name_is_identifier(const char *s);
/* By whom an identifier is taken where generated code uses it as it is: "a keyword of C++", ...; NULL: by nobody. */
const char *name_taken_by(const char *s);

/* Keeps in *best the candidate closest to `wanted` so far (NULL at first); one more than half of it wrong is
 * no match. */
void name_nearest(const char *wanted, const char *candidate, const char **best, size_t *best_distance);

#endif
