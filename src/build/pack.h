/* pack: several texts end to end in one, and back. Integers are in the host's order. */
#ifndef WW_BUILD_PACK_H
#define WW_BUILD_PACK_H

#include "base/base.h"

/* Appends all lengths, then all contents. */
void pack_texts(const text *const *parts, size_t count, text *packed);

/* Appends each content to its part. False, with nothing appended, when packed is not made of just so many texts. */
bool unpack_texts(const char *packed, size_t len, text *const *parts, size_t count);

#endif
