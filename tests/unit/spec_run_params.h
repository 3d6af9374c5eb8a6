/* Parameters of spec_run_test's kernels. */
#ifndef SPEC_RUN_PARAMS_H
#define SPEC_RUN_PARAMS_H

#include "ww/types.h"

/* What a work body was told the last time it was called, and how often it was called. */
struct spec_note {
    int calls, offset, start, end, step, stage, tile_m, valid;
};

enum { SPEC_PLACES = 8 };

struct spec_run_params {
    int trips, tiles;
    struct spec_note *notes; /* SPEC_PLACES a CTA */
    int *out;
};

#endif
