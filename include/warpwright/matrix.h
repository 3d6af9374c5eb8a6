/* Matrices on the host: what inputs are read into and results compared in. */
#ifndef WARPWRIGHT_MATRIX_H
#define WARPWRIGHT_MATRIX_H

#include "warpwright/run.h"

/* Dense, row-major. Free with ww_matrix_free; a zeroed one is empty. */
typedef struct ww_matrix {
    size_t rows, cols;
    float *at;
} ww_matrix;

/* Reads a NumPy file (float16, float32 or float64, rank 1 or 2). False with a message on stderr. */
bool ww_matrix_read(const char *path, ww_matrix *m);
/* Writes a NumPy file of float32. False with a message on stderr. */
bool ww_matrix_write(const char *path, const ww_matrix *m);
/* Normally distributed numbers (mean 0, variance 1), the same for the same seed. */
ww_matrix ww_matrix_random(size_t rows, size_t cols, uint64_t seed);
ww_matrix ww_matrix_new(size_t rows, size_t cols); /* zeros */
void ww_matrix_free(ww_matrix *m);

/* Rounds each number to an element type (to nearest, ties to even), as packing it would. */
void ww_matrix_round(ww_matrix *m, ww_element element);
/* Uploads m as rows of `element`s, row_bytes apart; the gaps become zero. */
void ww_matrix_upload(ww_run *r, uint64_t to, const ww_matrix *m, ww_element element, size_t row_bytes);
/* Fills m, whose size is set, from such rows. */
void ww_matrix_download(ww_run *r, ww_matrix *m, uint64_t from, ww_element element, size_t row_bytes);

struct ww_comparison;

/* Compares d with A . B^T (A is M x K, B is N x K), summed in double over a and b as they are; a and b should
 * be rounded to what the kernel was given. More than max_rows rows: that many rows, chosen at random by seed.
 */
void ww_compare_gemm(const ww_matrix *a, const ww_matrix *b, const ww_matrix *d, size_t max_rows,
                     uint64_t seed, struct ww_comparison *c);

#endif
