/* Golden files: expected output kept under tests/golden, compared to the byte.
 *
 * A difference fails the test and prints it as a diff. With WW_UPDATE_GOLDEN=1 in the environment the file is
 * written instead: look at what `git diff` says before committing it. */
#ifndef WW_TESTS_REPORT_GOLDEN_H
#define WW_TESTS_REPORT_GOLDEN_H

#include "base/base.h"

/* `path` is relative to the repository, e.g. "tests/golden/gemm.table". */
void golden_check(const char *path, const text *actual);

#endif
