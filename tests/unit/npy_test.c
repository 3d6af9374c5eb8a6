/* NumPy files: what is written is read back, each accepted form, and each way to be malformed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "run/npy.h"
#include "build/process.h"
#include "run/random.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

/* A file of the given format version: signature, header, then body. */
static text make_file(unsigned major, const char *header, const void *body, size_t body_bytes)
{
    text file = {0};
    size_t len = strlen(header);
    const unsigned char start[12] = {0x93,
                                     'N',
                                     'U',
                                     'M',
                                     'P',
                                     'Y',
                                     (unsigned char)major,
                                     0,
                                     (unsigned char)(len & 0xff),
                                     (unsigned char)(len >> 8),
                                     0,
                                     0};
    text_add_n(&file, (const char *)start, major == 1 ? 10 : 12);
    text_add_n(&file, header, len);
    text_add_n(&file, body, body_bytes);
    return file;
}

static void expect_matrix(const text *file, size_t rows, size_t cols, const float *elements)
{
    matrix m;
    text error = {0};
    if (!npy_parse(file->at, file->len, &m, &error))
        fail_msg("%s", text_str(&error));
    assert_int_equal(m.rows, rows);
    assert_int_equal(m.cols, cols);
    assert_memory_equal(m.at, elements, rows * cols * sizeof *elements);
    matrix_free(&m);
}

static const float six[6] = {1.0f, -2.5f, 3.0f, 4.0f, 0.0f, 6.5f};

static void what_is_written_is_read_back(void **state)
{
    (void)state;
    text folder = {0}, path = {0}, error = {0};
    assert_true(process_temporary_folder(&folder));
    text_printf(&path, "%s/m.npy", text_str(&folder));
    matrix written = matrix_new(37, 5), read;
    const size_t written_bytes = 185 * sizeof(float);
    random_state r = random_seed(1);
    random_fill_normal(&r, &written);
    assert_true(npy_write(text_str(&path), &written, &error));
    assert_true(npy_read(text_str(&path), &read, &error));
    assert_int_equal(read.rows, 37);
    assert_int_equal(read.cols, 5);
    assert_memory_equal(read.at, written.at, written_bytes);
    text file = {0};
    assert_true(file_read(text_str(&path), &file));
    assert_int_equal((file.len - written_bytes) % 64, 0); /* the format asks for it */
    assert_int_equal(remove(text_str(&path)), 0);
    assert_int_equal(rmdir(text_str(&folder)), 0);
    matrix_free(&written);
    matrix_free(&read);
    text_free(&file);
    text_free(&path);
    text_free(&folder);
}

static void all_three_versions_are_read(void **state)
{
    (void)state;
    const char *header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n";
    for (unsigned major = 1; major <= 3; major++) {
        text file = make_file(major, header, six, sizeof six);
        expect_matrix(&file, 2, 3, six);
        text_free(&file);
    }
}

static void keys_come_in_any_order_and_spacing(void **state)
{
    (void)state;
    static const char *const headers[] = {
        "{\"shape\":(2,3),\"descr\":\"<f4\",\"fortran_order\":False}",
        "  { 'fortran_order' : False , 'shape' : ( 2 , 3 , ) , 'descr' : '<f4' } \n",
    };
    for (size_t i = 0; i < ARRAY_LEN(headers); i++) {
        text file = make_file(1, headers[i], six, sizeof six);
        expect_matrix(&file, 2, 3, six);
        text_free(&file);
    }
}

static void fortran_order_is_transposed(void **state)
{
    (void)state;
    text file = make_file(1, "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }\n", six, sizeof six);
    const float rows[6] = {six[0], six[2], six[4], six[1], six[3], six[5]};
    expect_matrix(&file, 2, 3, rows);
    text_free(&file);
}

static void a_vector_is_one_row(void **state)
{
    (void)state;
    text file = make_file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }\n", six, sizeof six);
    expect_matrix(&file, 1, 6, six);
    text_free(&file);
}

static void half_and_double_become_float(void **state)
{
    (void)state;
    const uint16_t halves[4] = {0x3c00, 0xc100, 0x0001, 0x7c00}; /* 1, -2.5, the least subnormal, infinity */
    const float from_halves[4] = {1.0f, -2.5f, 0x1p-24f, INFINITY};
    text file =
        make_file(1, "{'descr': '<f2', 'fortran_order': False, 'shape': (2, 2), }", halves, sizeof halves);
    expect_matrix(&file, 2, 2, from_halves);
    text_free(&file);
    const double doubles[2] = {0.1, -1e300};
    const float from_doubles[2] = {0.1f, -INFINITY};
    file =
        make_file(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }", doubles, sizeof doubles);
    expect_matrix(&file, 1, 2, from_doubles);
    text_free(&file);
}

/* Each malformed header, with a body of six floats, and a part of what is said about it. */
static const struct {
    const char *header, *said;
} malformed[] = {
    {"", "no dictionary"},
    {"[]", "no dictionary"},
    {"{}", "lacks 'descr'"},
    {"{'descr': '<f4', 'shape': (2, 3)}", "lacks 'descr'"},
    {"{'descr': '<f4', 'fortran_order': False}", "lacks 'descr'"},
    {"{'descr': '>f4', 'fortran_order': False, 'shape': (2, 3)}", "type '>f4'"},
    {"{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3)}", "type '<i4'"},
    {"{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (2, 3)}", "lacks a quoted word"},
    {"{'descr': '<f4, 'fortran_order': False, 'shape': (2, 3)}", "are not read"},
    {"{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2, 3)}", "neither True nor False"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': 6}", "no tuple"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': ()}", "a single number"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 3)}", "more than 2"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (-2, 3)}", "no number"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (2 3)}", "not closed"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3}", "not closed"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)", "not closed"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)} x", "something follows"},
    {"{'descr': '<f4', 'order': False, 'shape': (2, 3)}", "unknown word"},
    {"{'descr' '<f4', 'fortran_order': False, 'shape': (2, 3)}", "no value"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (0, 3)}", "no elements"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4)}", "not 2 x 4"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2)}", "not 2 x 2"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967298)}", "which is not"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999, 3)}", "too large"},
    {"{'a word that is far too long to be one of the three': '<f4'}", "too long"},
};

static void expect_refusal(const void *data, size_t len, const char *said)
{
    matrix m;
    text error = {0};
    assert_false(npy_parse(data, len, &m, &error));
    if (!strstr(text_str(&error), said))
        fail_msg("expected \"%s\" in \"%s\"", said, text_str(&error));
    assert_null(m.at);
    text_free(&error);
}

static void malformed_headers_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(malformed); i++) {
        text file = make_file(1, malformed[i].header, six, sizeof six);
        expect_refusal(file.at, file.len, malformed[i].said);
        text_free(&file);
    }
}

static void malformed_starts_are_refused(void **state)
{
    (void)state;
    expect_refusal("", 0, "signature");
    expect_refusal("PK\3\4 an archive, which .npz is", 30, "signature");
    expect_refusal("\x93NUMPY\4\0\2\0{}", 12, "format 4.0");
    expect_refusal("\x93NUMPY\1\1\2\0{}", 12, "format 1.1");
    expect_refusal("\x93NUMPY\1\0\3\0{}", 12, "inside its header");
    expect_refusal("\x93NUMPY\2\0\2\0{", 11, "before its header");
    expect_refusal("\x93NUMPY\2\0\377\377\377\377{}", 14, "inside its header");
}

/* No cut and no flipped byte reads past the end; the sanitizer watches over this. */
static void every_cut_and_flip_is_safe(void **state)
{
    (void)state;
    text file =
        make_file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", six, sizeof six);
    for (size_t len = 0; len < file.len; len++) {
        char *exact = base_alloc(len); /* of this size and no more */
        memcpy(exact, file.at, len);
        matrix m;
        text error = {0};
        assert_false(npy_parse(exact, len, &m, &error));
        assert_true(error.len > 0);
        text_free(&error);
        free(exact);
    }
    random_state r = random_seed(2);
    for (int i = 0; i < 20000; i++) {
        char *mutant = base_alloc(file.len);
        memcpy(mutant, file.at, file.len);
        for (uint64_t flips = 1 + random_below(&r, 3); flips; flips--)
            mutant[random_below(&r, file.len - sizeof six)] = (char)random_next(&r);
        matrix m;
        text error = {0};
        bool ok = npy_parse(mutant, file.len, &m, &error);
        assert_true(ok == (error.len == 0));
        if (ok)
            assert_true(m.rows * m.cols == 6 || m.rows * m.cols == 12 || m.rows * m.cols == 3);
        matrix_free(&m);
        text_free(&error);
        free(mutant);
    }
    text_free(&file);
}

static void a_missing_file_is_named(void **state)
{
    (void)state;
    matrix m;
    text error = {0};
    assert_false(npy_read("/nonexistent/a.npy", &m, &error));
    assert_string_equal(text_str(&error), "/nonexistent/a.npy: No such file or directory");
    error.len = 0;
    m = matrix_new(1, 1);
    assert_false(npy_write("/nonexistent/a.npy", &m, &error));
    assert_non_null(strstr(text_str(&error), "cannot be written"));
    matrix_free(&m);
    text_free(&error);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(all_three_versions_are_read),
        cmocka_unit_test(keys_come_in_any_order_and_spacing),
        cmocka_unit_test(fortran_order_is_transposed),
        cmocka_unit_test(a_vector_is_one_row),
        cmocka_unit_test(half_and_double_become_float),
        cmocka_unit_test(malformed_headers_are_refused),
        cmocka_unit_test(malformed_starts_are_refused),
        cmocka_unit_test(every_cut_and_flip_is_safe),
        cmocka_unit_test(a_missing_file_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
