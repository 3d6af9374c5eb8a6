/* D = A . B^T in double on all cores.
 *
 * Work is cut into panels of PANEL columns, which threads take in turn. For a panel, B's rows are laid out as
 * K x PANEL doubles, and the rows of A run over it one by one. The innermost loop goes over columns, so that
 * it vectorises without reordering any sum; the sums of a row and panel stay in registers, which wider panels
 * would overflow. */
#include "run/reference.h"
#include "run/random.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { PANEL = 4, THREAD_MAX = 256 };

typedef struct gemm_work {
    const matrix *a, *b;
    reference *out;
    atomic_size_t next_panel;
} gemm_work;

/* Columns beyond the last are zero. */
static void pack_panel(const matrix *b, size_t first_col, double *packed)
{
    memset(packed, 0, b->cols * PANEL * sizeof *packed);
    for (size_t j = 0; j < PANEL && first_col + j < b->rows; j++)
        for (size_t k = 0; k < b->cols; k++)
            packed[k * PANEL + j] = (double)b->at[(first_col + j) * b->cols + k];
}

static void multiply_row(const float *row, const double *packed, size_t depth, double sum[PANEL])
{
    memset(sum, 0, sizeof(double[PANEL]));
    for (size_t k = 0; k < depth; k++)
        for (size_t j = 0; j < PANEL; j++)
            sum[j] += (double)row[k] * packed[k * PANEL + j];
}

static void multiply_panel(gemm_work *w, size_t first_col, const double *packed)
{
    reference *r = w->out;
    size_t width = r->cols - first_col < PANEL ? r->cols - first_col : PANEL;
    for (size_t i = 0; i < r->row_count; i++) {
        double sum[PANEL];
        multiply_row(w->a->at + r->row[i] * w->a->cols, packed, w->a->cols, sum);
        memcpy(r->at + i * r->cols + first_col, sum, width * sizeof(double));
    }
}

static void *worker(void *argument)
{
    gemm_work *w = argument;
    size_t depth = w->b->cols;
    double *packed = base_alloc(depth * PANEL * sizeof *packed);
    for (;;) {
        size_t first_col = atomic_fetch_add(&w->next_panel, 1) * PANEL;
        if (first_col >= w->out->cols)
            break;
        pack_panel(w->b, first_col, packed);
        multiply_panel(w, first_col, packed);
    }
    free(packed);
    return NULL;
}

/* A thread that does not start is no loss: the others, and the caller's own, take its panels. */
static void run_workers(gemm_work *w, uint32_t threads)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t wanted = threads ? threads : cores > 0 ? (size_t)cores : 1;
    pthread_t started[THREAD_MAX];
    size_t count = 0;
    while (count + 1 < wanted && count < THREAD_MAX && pthread_create(&started[count], NULL, worker, w) == 0)
        count++;
    (void)worker(w);
    for (size_t i = 0; i < count; i++)
        (void)pthread_join(started[i], NULL);
}

/* Selection sampling: going over the rows once, each is taken with the chance that leaves the right number.
 */
static void choose_rows(reference *r, uint64_t seed)
{
    random_state random = random_seed(seed);
    size_t taken = 0;
    for (size_t row = 0; taken < r->row_count; row++)
        if (random_below(&random, r->rows - row) < r->row_count - taken)
            r->row[taken++] = row;
}

reference reference_gemm(const matrix *a, const matrix *b, size_t max_rows, uint64_t seed, uint32_t threads)
{
    assert(a->cols == b->cols);
    reference r = {.rows = a->rows, .cols = b->rows};
    r.row_count = max_rows && max_rows < r.rows ? max_rows : r.rows;
    r.row = base_alloc(r.row_count * sizeof *r.row);
    r.at = base_alloc(r.row_count * r.cols * sizeof *r.at);
    choose_rows(&r, seed);
    gemm_work work = {.a = a, .b = b, .out = &r};
    atomic_init(&work.next_panel, 0);
    run_workers(&work, threads);
    return r;
}

void reference_free(reference *r)
{
    free(r->row);
    free(r->at);
    *r = (reference){0};
}

static size_t count_nans(const matrix *m)
{
    size_t count = 0;
    for (size_t i = 0; i < m->rows * m->cols; i++)
        count += isnan(m->at[i]) ? 1 : 0;
    return count;
}

/* 0 / 0 is no error: both are zero everywhere. */
static double ratio(double difference, double norm)
{
    if (isnan(difference))
        return (double)INFINITY;
    return difference > 0.0 ? sqrt(difference) / sqrt(norm) : 0.0;
}

reference_error reference_compare(const reference *r, const matrix *out)
{
    assert(out->rows == r->rows && out->cols == r->cols);
    reference_error e = {
        .compared = r->row_count * r->cols, .nan_count = count_nans(out), .sampled = r->row_count < r->rows};
    double difference = 0.0, norm = 0.0;
    for (size_t i = 0; i < r->row_count; i++) {
        const float *got = out->at + r->row[i] * r->cols;
        const double *wanted = r->at + i * r->cols;
        for (size_t j = 0; j < r->cols; j++) {
            double d = (double)got[j] - wanted[j];
            difference += d * d;
            norm += wanted[j] * wanted[j];
            if (!(fabs(d) <= e.max_absolute))
                e.max_absolute = isnan(d) ? (double)INFINITY : fabs(d);
        }
    }
    e.relative = ratio(difference, norm);
    return e;
}
