/* Rules whose cases want a declaration of several lines. */
#ifndef WW_TESTS_DECLARED_H
#define WW_TESTS_DECLARED_H

#include "warpwright/diag.h"
#include "warpwright/kernel.h"
#include "warpwright/schedule.h"

typedef struct declared_case {
    const char *name; /* NULL ends */
    void (*declare)(ww_kernel *k);
    ww_code code;     /* of the first error of the rules; 0: accepted, and proved */
    const char *says; /* part of its message */
    const char *arch;
    ww_cluster cluster;
} declared_case;

typedef struct declared_params {
    int trips, tiles;
} declared_params;

extern const declared_case declared[];

#endif
