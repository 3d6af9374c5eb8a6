/* sample: which combinations of the matrix are tried. */
#ifndef MATRIX_SAMPLE_H
#define MATRIX_SAMPLE_H

#include "matrix.h"

typedef struct sample {
    VEC(uint32_t) indexes;
    size_t classes;
    uint32_t legal, one_reason, more_reasons; /* of the whole matrix */
} sample;

/* Every two values together, in each class. */
sample sample_pairs(void);
/* Every legal combination, and of the others as before. */
sample sample_full(void);
void sample_free(sample *s);

#endif
