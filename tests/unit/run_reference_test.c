/* The reference GEMM against three plain loops, and the measures of error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "run/random.h"
#include "run/reference.h"

#include <math.h>

static matrix random_matrix(size_t rows, size_t cols, uint64_t seed)
{
    matrix m = matrix_new(rows, cols);
    random_state r = random_seed(seed);
    random_fill_uniform(&r, &m);
    matrix_round(&m, DEVICE_BF16);
    return m;
}

/* The sum of one element, in order of k: what the reference must give to the last bit. */
static double plain_sum(const matrix *a, const matrix *b, size_t row, size_t col)
{
    double sum = 0.0;
    for (size_t k = 0; k < a->cols; k++)
        sum += (double)a->at[row * a->cols + k] * (double)b->at[col * b->cols + k];
    return sum;
}

static void expect_plain_sums(const reference *r, const matrix *a, const matrix *b)
{
    for (size_t i = 0; i < r->row_count; i++)
        for (size_t col = 0; col < r->cols; col++)
            assert_true(r->at[i * r->cols + col] == plain_sum(a, b, r->row[i], col));
}

/* Sizes about the blocks' edges, with one thread and with several. */
static void it_agrees_with_plain_loops(void **state)
{
    (void)state;
    static const size_t sizes[][3] = {{1, 1, 1}, {4, 8, 16}, {5, 9, 7}, {37, 10, 64}, {3, 70, 1}, {8, 8, 0}};
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        matrix a = random_matrix(sizes[i][0], sizes[i][2], 2 * i);
        matrix b = random_matrix(sizes[i][1], sizes[i][2], 2 * i + 1);
        for (uint32_t threads = 1; threads <= 3; threads += 2) {
            reference r = reference_gemm(&a, &b, 0, 0, threads);
            assert_int_equal(r.row_count, a.rows);
            expect_plain_sums(&r, &a, &b);
            reference_free(&r);
        }
        matrix_free(&a);
        matrix_free(&b);
    }
}

static void a_sample_is_made_of_distinct_rows(void **state)
{
    (void)state;
    matrix a = random_matrix(100, 20, 1), b = random_matrix(11, 20, 2);
    reference r = reference_gemm(&a, &b, 17, 5, 0), again = reference_gemm(&a, &b, 17, 5, 0);
    assert_int_equal(r.row_count, 17);
    for (size_t i = 1; i < r.row_count; i++)
        assert_true(r.row[i - 1] < r.row[i] && r.row[i] < 100);
    assert_memory_equal(r.row, again.row, 17 * sizeof *r.row);
    expect_plain_sums(&r, &a, &b);
    reference_free(&r);
    reference_free(&again);
    r = reference_gemm(&a, &b, 100, 5, 0);
    matrix out = matrix_new(100, 11);
    assert_false(reference_compare(&r, &out).sampled);
    reference_free(&r);
    matrix_free(&a);
    matrix_free(&b);
    matrix_free(&out);
}

/* D = 3 4 / 0 0, so that norms can be done by hand. */
static reference three_four(void)
{
    matrix a = matrix_new(2, 1), b = matrix_new(2, 1);
    a.at[0] = 1.0f;
    b.at[0] = 3.0f;
    b.at[1] = 4.0f;
    reference r = reference_gemm(&a, &b, 0, 0, 1);
    matrix_free(&a);
    matrix_free(&b);
    return r;
}

static void errors_are_measured(void **state)
{
    (void)state;
    reference r = three_four();
    matrix out = matrix_new(2, 2);
    out.at[0] = 3.0f;
    out.at[1] = 4.0f;
    reference_error e = reference_compare(&r, &out);
    assert_true(e.relative == 0.0 && e.max_absolute == 0.0);
    assert_int_equal(e.nan_count, 0);
    assert_int_equal(e.compared, 4);
    out.at[1] = 4.5f;
    e = reference_compare(&r, &out);
    assert_true(e.max_absolute == 0.5);
    assert_true(fabs(e.relative - 0.1) < 1e-15); /* 0.5 of a norm of 5 */
    reference_free(&r);
    matrix_free(&out);
}

static void an_element_never_written_shows(void **state)
{
    (void)state;
    reference r = three_four();
    matrix out = matrix_new(2, 2);
    out.at[0] = 3.0f;
    out.at[1] = NAN;
    reference_error e = reference_compare(&r, &out);
    assert_int_equal(e.nan_count, 1);
    assert_true(isinf(e.relative) && isinf(e.max_absolute));
    reference_free(&r);
    matrix_free(&out);
}

/* Outside the sampled rows too. */
static void a_sample_still_counts_all_nans(void **state)
{
    (void)state;
    matrix a = random_matrix(50, 4, 1), b = random_matrix(3, 4, 2), out = matrix_new(50, 3);
    reference r = reference_gemm(&a, &b, 1, 0, 1);
    for (size_t i = 0; i < 150; i++)
        out.at[i] = NAN;
    for (size_t col = 0; col < 3; col++)
        out.at[r.row[0] * 3 + col] = (float)r.at[col];
    reference_error e = reference_compare(&r, &out);
    assert_true(e.sampled && e.relative < 1e-6);
    assert_int_equal(e.nan_count, 147);
    assert_int_equal(e.compared, 3);
    reference_free(&r);
    matrix_free(&a);
    matrix_free(&b);
    matrix_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_agrees_with_plain_loops),
        cmocka_unit_test(a_sample_is_made_of_distinct_rows),
        cmocka_unit_test(errors_are_measured),
        cmocka_unit_test(an_element_never_written_shows),
        cmocka_unit_test(a_sample_still_counts_all_nans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
