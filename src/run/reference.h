/* reference: what D = A . B^T should be, and how far a result is from it.
 *
 * A is M x K, B is N x K, both row-major. Sums are taken in double over inputs already rounded to the
 * kernel's element type, so that the difference is the kernel's own rounding. Large problems are checked on a
 * sample: some rows, chosen at random, each over all columns. */
#ifndef WW_RUN_REFERENCE_H
#define WW_RUN_REFERENCE_H

#include "run/matrix.h"

typedef struct reference {
    size_t rows, cols; /* of the whole D */
    size_t *row;       /* which rows were computed, ascending */
    size_t row_count;  /* = rows unless it is a sample */
    double *at;        /* row_count x cols */
} reference;

/* Computes all rows when max_rows is 0 or at least A's rows, else max_rows of them chosen by seed. A and B
 * must have as many columns. threads 0: as many as the host has cores. Free with reference_free. */
reference reference_gemm(const matrix *a, const matrix *b, size_t max_rows, uint64_t seed, uint32_t threads);
void reference_free(reference *r);

typedef struct reference_error {
    double relative; /* ||out - ref|| / ||ref|| over what was compared, Frobenius; NaN counts as infinite */
    double max_absolute; /* the largest |out - ref| */
    size_t compared;     /* elements */
    size_t
        nan_count; /* NaNs in the whole of out: with an output filled with NaN first, what was not written */
    bool sampled;  /* not all rows were compared */
} reference_error;

/* out must be rows x cols. */
reference_error reference_compare(const reference *r, const matrix *out);

#endif
