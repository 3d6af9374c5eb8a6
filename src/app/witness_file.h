/* witness_file: a counterexample as JSON; docs/witness.md says what each member means. */
#ifndef WW_APP_WITNESS_FILE_H
#define WW_APP_WITNESS_FILE_H

#include "base/base.h"
#include "warpwright/witness.h"

void witness_write(text *out, const ww_witness *w);

/* Everything is checked: kinds, ranges, that references are to what is there. In the arena; NULL with why in error. */
const ww_witness *witness_read(const char *s, size_t len, arena *a, text *error);

#endif
