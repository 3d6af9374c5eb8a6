/* matrix: a dense row-major matrix of float, what files are read into and results compared in. */
#ifndef WW_RUN_MATRIX_H
#define WW_RUN_MATRIX_H

#include "base/base.h"
#include "run/device.h"

typedef struct matrix {
    size_t rows, cols;
    float *at; /* rows * cols, free with matrix_free */
} matrix;

matrix matrix_new(size_t rows, size_t cols); /* zeroed */
void matrix_free(matrix *m);

/* Rounds every element to F16 or BF16 (F32 leaves them), so that the values are those a kernel is given. */
void matrix_round(matrix *m, device_element element);

/* Packs the matrix as F16, BF16 or F32 (2, 2 or 4 bytes an element), rows row_bytes apart; gaps between rows
 * are left alone. Unpacking is the way back. */
size_t matrix_element_bytes(device_element element);
void matrix_pack(const matrix *m, device_element element, size_t row_bytes, void *to);
void matrix_unpack(matrix *m, device_element element, size_t row_bytes, const void *from);

#endif
