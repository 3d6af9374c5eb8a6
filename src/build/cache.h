/* cache: results of compiles on disk, one file a result, named by its key. */
#ifndef WW_BUILD_CACHE_H
#define WW_BUILD_CACHE_H

#include "build/build.h"

typedef struct cache_key {
    uint64_t half[2]; /* two hashes of the same input, from different seeds */
} cache_key;

/* Fills ptx, cubin and log of out. False when there is no such entry, or it is damaged. */
bool cache_load(const char *folder, cache_key key, build_output *out);
/* Stores them. Failing to is no error: the next compile tries again. */
void cache_store(const char *folder, cache_key key, const build_output *out);

#endif
