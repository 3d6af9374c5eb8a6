/* words_params: what kernels that pass rows of words from in to out are told. A CTA has `trips` rows of its own in each;
 * kernels say in their schedules what becomes of them on the way. */
#ifndef WORDS_PARAMS_H
#define WORDS_PARAMS_H

#include "ww/types.h"

enum {
    ROW_WORDS = 256,
    ROW_BYTES = 4 * ROW_WORDS,
    LOW_BYTES = 256, /* a row in two pieces of different size */
    HIGH_BYTES = ROW_BYTES - LOW_BYTES
};

struct words_params {
    const uint32_t *in; /* ROW_WORDS a row, row after row, CTA after CTA */
    uint32_t *out;      /* likewise */
    uint32_t *notes;    /* whatever else a kernel has to say */
    int trips;          /* rows of a CTA */
    int pairs;          /* half of them */
    int more;           /* of a second loop */
};

#endif
