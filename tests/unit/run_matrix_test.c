/* Matrices and their 16-bit images. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "run/matrix.h"
#include "run/random.h"

/* Exact values, ties to even on either side, for both formats. */
static void rounding_is_to_the_nearest_even(void **state)
{
    (void)state;
    static const struct {
        device_element element;
        float from, to;
    } cases[] = {
        {DEVICE_BF16, 1.0f, 1.0f},
        {DEVICE_BF16, 0x1.01p0f, 0x1.00p0f}, /* half way, to even: down */
        {DEVICE_BF16, 0x1.03p0f, 0x1.04p0f}, /* half way, to even: up */
        {DEVICE_BF16, 0x1.011p0f, 0x1.02p0f},
        {DEVICE_F16, 0x1.002p0f, 0x1.000p0f},
        {DEVICE_F16, 0x1.006p0f, 0x1.008p0f},
        {DEVICE_F16, 0x1.p-24f, 0x1.p-24f},
        {DEVICE_F32, 0x1.000002p0f, 0x1.000002p0f},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        matrix m = matrix_new(1, 1);
        m.at[0] = cases[i].from;
        matrix_round(&m, cases[i].element);
        assert_memory_equal(m.at, &cases[i].to, sizeof(float));
        matrix_free(&m);
    }
}

static void packed_rows_stand_apart_and_come_back(void **state)
{
    (void)state;
    static const device_element elements[] = {DEVICE_F16, DEVICE_BF16, DEVICE_F32};
    for (size_t i = 0; i < ARRAY_LEN(elements); i++) {
        matrix m = matrix_new(3, 5), back = matrix_new(3, 5);
        random_state r = random_seed(i);
        random_fill_uniform(&r, &m);
        matrix_round(&m, elements[i]);
        size_t used = 5 * matrix_element_bytes(elements[i]), row_bytes = 32;
        unsigned char packed[3 * 32];
        memset(packed, 0xaa, sizeof packed);
        matrix_pack(&m, elements[i], row_bytes, packed);
        for (size_t row = 0; row < 3; row++)
            for (size_t byte = used; byte < row_bytes; byte++)
                assert_int_equal(packed[row * row_bytes + byte], 0xaa); /* the gap is not touched */
        matrix_unpack(&back, elements[i], row_bytes, packed);
        assert_memory_equal(m.at, back.at, 15 * sizeof(float));
        matrix_free(&m);
        matrix_free(&back);
    }
}

static void a_bf16_is_the_upper_half_of_a_float(void **state)
{
    (void)state;
    matrix m = matrix_new(1, 2);
    m.at[0] = 1.0f;
    m.at[1] = -2.0f;
    uint16_t packed[2];
    matrix_pack(&m, DEVICE_BF16, sizeof packed, packed);
    assert_int_equal(packed[0], 0x3f80);
    assert_int_equal(packed[1], 0xc000);
    matrix_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounding_is_to_the_nearest_even),
        cmocka_unit_test(packed_rows_stand_apart_and_come_back),
        cmocka_unit_test(a_bf16_is_the_upper_half_of_a_float),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
