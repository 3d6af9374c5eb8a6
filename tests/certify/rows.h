/* rows: the small kernels of tests/prove and tests/rules in one list. */
#ifndef WW_TESTS_CERTIFY_ROWS_H
#define WW_TESTS_CERTIFY_ROWS_H

#include "mini_row.h"

/* The next one, or NULL; begin with 0. */
const mini_row *row_at(size_t i);

/* Declares it and proves it without the rules. False: the declaration itself is refused. Freed by the caller either way. */
bool row_prove(const mini_row *r, mini *m, bool *proved);

#endif
