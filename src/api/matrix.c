/* The public face of the run layer's matrices. */
#include "warpwright/warpwright.h"
#include "api/run.h"
#include "run/npy.h"
#include "run/random.h"
#include "run/reference.h"

#include <stdio.h>

static matrix inner(const ww_matrix *m)
{
    return (matrix){m->rows, m->cols, m->at};
}

static ww_matrix outer(matrix m)
{
    return (ww_matrix){m.rows, m.cols, m.at};
}

bool ww_matrix_read(const char *path, ww_matrix *m)
{
    matrix read = {0};
    text error = {0};
    bool ok = npy_read(path, &read, &error);
    if (!ok)
        (void)fprintf(stderr, "%s\n", text_str(&error));
    *m = outer(read);
    text_free(&error);
    return ok;
}

bool ww_matrix_write(const char *path, const ww_matrix *m)
{
    matrix written = inner(m);
    text error = {0};
    bool ok = npy_write(path, &written, &error);
    if (!ok)
        (void)fprintf(stderr, "%s\n", text_str(&error));
    text_free(&error);
    return ok;
}

ww_matrix ww_matrix_new(size_t rows, size_t cols)
{
    return outer(matrix_new(rows, cols));
}

ww_matrix ww_matrix_random(size_t rows, size_t cols, uint64_t seed)
{
    matrix m = matrix_new(rows, cols);
    random_state state = random_seed(seed);
    random_fill_normal(&state, &m);
    return outer(m);
}

void ww_matrix_free(ww_matrix *m)
{
    matrix freed = inner(m);
    matrix_free(&freed);
    *m = (ww_matrix){0};
}

void ww_matrix_round(ww_matrix *m, ww_element element)
{
    matrix rounded = inner(m);
    matrix_round(&rounded, run_element(element));
}

void ww_matrix_upload(ww_run *r, uint64_t to, const ww_matrix *m, ww_element element, size_t row_bytes)
{
    matrix source = inner(m);
    void *bytes = base_alloc(m->rows * row_bytes);
    memset(bytes, 0, m->rows * row_bytes);
    matrix_pack(&source, run_element(element), row_bytes, bytes);
    ww_run_upload(r, to, bytes, m->rows * row_bytes);
    free(bytes);
}

void ww_matrix_download(ww_run *r, ww_matrix *m, uint64_t from, ww_element element, size_t row_bytes)
{
    matrix target = inner(m);
    void *bytes = base_alloc(m->rows * row_bytes);
    memset(bytes, 0xff, m->rows * row_bytes);
    ww_run_download(r, bytes, from, m->rows * row_bytes);
    matrix_unpack(&target, run_element(element), row_bytes, bytes);
    free(bytes);
}

void ww_compare_gemm(const ww_matrix *a, const ww_matrix *b, const ww_matrix *d, size_t max_rows,
                     uint64_t seed, struct ww_comparison *c)
{
    matrix ma = inner(a), mb = inner(b), md = inner(d);
    reference ref = reference_gemm(&ma, &mb, max_rows, seed, 0);
    reference_error e = reference_compare(&ref, &md);
    reference_free(&ref);
    c->output_hash = hash_bytes(HASH_SEED, d->at, d->rows * d->cols * sizeof *d->at);
    c->relative_error = e.relative;
    c->max_error = e.max_absolute;
    c->compared = e.compared;
    c->unwritten = e.nan_count;
    c->method = e.sampled ? "fp64 sums, random rows" : "fp64 sums, all rows";
}

static bool all_bits_set(const unsigned char *at, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (at[i] != 0xff)
            return false;
    return true;
}

static void compare_bytes(const unsigned char *expected, const unsigned char *found, size_t count,
                          size_t element_bytes, ww_comparison *c)
{
    uint64_t differ = 0;
    for (size_t i = 0; i < count * element_bytes; i += element_bytes) {
        if (memcmp(expected + i, found + i, element_bytes) == 0)
            continue;
        differ++;
        c->unwritten += all_bits_set(found + i, element_bytes);
    }
    c->compared = count;
    c->max_error = (double)differ;
    c->relative_error = count ? (double)differ / (double)count : 0;
    c->limit = 0;
    c->method = "bit for bit";
    c->output_hash = hash_bytes(HASH_SEED, found, count * element_bytes);
}

void ww_compare_exact(ww_run *r, const void *expected, uint64_t at, size_t count, size_t element_bytes,
                      ww_comparison *c)
{
    unsigned char *found = base_alloc(count * element_bytes);
    memset(found, 0xff, count * element_bytes);
    ww_run_download(r, found, at, count * element_bytes);
    compare_bytes(expected, found, count, element_bytes, c);
    free(found);
}
