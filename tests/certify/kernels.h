/* kernels: the example programs and the feature kernels, for tests of certificates. */
#ifndef WW_TESTS_CERTIFY_KERNELS_H
#define WW_TESTS_CERTIFY_KERNELS_H

#include "warpwright/warpwright.h"

enum { EXAMPLE_COUNT = 4 };

extern const char *const example_names[EXAMPLE_COUNT];
ww_kernel *example_declare(int example); /* freed by the caller */

typedef void kernel_visit(const char *name, ww_kernel *k, void *context);
void each_feature(kernel_visit *visit, void *context);

#endif
