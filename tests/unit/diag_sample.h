/* A kernel with the mistakes one asks for, for tests of how findings are shown. Its places are in "sample.c". */
#ifndef WW_TESTS_DIAG_SAMPLE_H
#define WW_TESTS_DIAG_SAMPLE_H

#include "warpwright/warpwright.h"

typedef enum diag_mistake {
    DIAG_UNUSED_VALUE = 1,  /* WW108, a warning */
    DIAG_NO_RELEASE = 2,    /* WW203 */
    DIAG_ARRIVALS = 4,      /* WW204 */
    DIAG_BAD_NAME = 8,      /* WW102 */
    DIAG_DEADLOCK = 16,     /* WW301: the rules see nothing */
    DIAG_UNUSED_TWICE = 32, /* with DIAG_UNUSED_VALUE: by the same call, made twice */
    DIAG_UNPROVED = 64,     /* WW306: loops whose bounds the prover does not relate */
} diag_mistake;

typedef struct diag_sample {
    unsigned mistakes;
    bool backwards; /* declares its tasks in the other order */
    ww_resource *first, *second;
} diag_sample;

ww_kernel *diag_sample_kernel(diag_sample *sample);

#endif
