/* includes: a hash of every header a source can reach, for the cache's key. */
#ifndef WW_BUILD_INCLUDES_H
#define WW_BUILD_INCLUDES_H

#include "base/base.h"

/* Folds into hash the contents of all headers that source includes, directly or through others. A header is
 * looked for beside the file that includes it, then in folders, in order; one that is in none of them (the
 * compiler's own) counts by its name. Conditions are not evaluated, so the set is at least what the compiler
 * reads. False when that cannot be known: an #include whose name is a macro. */
bool includes_hash(const char *source, const char *const *folders, size_t folder_count, uint64_t *hash);

#endif
