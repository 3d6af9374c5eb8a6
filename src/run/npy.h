/* npy: NumPy's .npy files as matrices.
 *
 * Read: format 1.0, 2.0 and 3.0; '<f2', '<f4' and '<f8' (the last rounded to float); C and Fortran order;
 * rank 1 (one row) or 2; at least one element. Written: format 1.0, '<f4', C order, rank 2. The format is
 * told in NumPy's documentation, "NPY format" (numpy.lib.format). */
#ifndef WW_RUN_NPY_H
#define WW_RUN_NPY_H

#include "run/matrix.h"

/* False with error set, and nothing to free, when the file cannot be read or is not such an array. */
bool npy_read(const char *path, matrix *out, text *error);
/* The same from memory. */
bool npy_parse(const void *data, size_t len, matrix *out, text *error);

bool npy_write(const char *path, const matrix *m, text *error);

#endif
