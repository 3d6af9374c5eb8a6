/* Number formats: every encoding, every rounding and every tie against a slow reference, which knows of a
 * format only the list of its values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "emu/num/num.h"

#include <math.h>

/* ---- the reference ------------------------------------------------------------------------------- */

/* A format by the book: what each magnitude is worth, as a formula written out. */
typedef struct book_row {
    num_format format;
    int exponent_bits, fraction_bits;
    uint32_t finite; /* magnitudes 0 .. finite are numbers */
    bool has_sign, has_infinity, has_nan;
} book_row;

static const book_row book[] = {
    {NUM_F16, 5, 10, 0x7bff, true, true, true},   {NUM_BF16, 8, 7, 0x7f7f, true, true, true},
    {NUM_TF32, 8, 10, 0x3fbff, true, true, true}, {NUM_E5M2, 5, 2, 0x7b, true, true, true},
    {NUM_E4M3, 4, 3, 0x7e, true, false, true},    {NUM_UE4M3, 4, 3, 0x7e, false, false, true},
    {NUM_E3M2, 3, 2, 0x1f, true, false, false},   {NUM_E2M3, 2, 3, 0x1f, true, false, false},
    {NUM_E2M1, 2, 1, 0x7, true, false, false},
};

static double magnitude_value(const book_row *row, uint32_t magnitude)
{
    int bias = (1 << (row->exponent_bits - 1)) - 1;
    double fraction = (double)(magnitude & ((1u << row->fraction_bits) - 1)) / (1 << row->fraction_bits);
    int exponent = (int)(magnitude >> row->fraction_bits);
    return exponent == 0 ? fraction * pow(2, 1 - bias) : (1 + fraction) * pow(2, exponent - bias);
}

static uint32_t sign_of(const book_row *row, bool negative)
{
    return negative ? 1u << (row->exponent_bits + row->fraction_bits) : 0;
}

/* The greatest magnitude whose value is not above value. */
static uint32_t floor_magnitude(const book_row *row, double value)
{
    uint32_t low = 0, high = row->finite;
    while (low < high) {
        uint32_t middle = (low + high + 1) / 2;
        if (magnitude_value(row, middle) <= value)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* The neighbour that a rounding chooses, as if the format went on above its largest number. */
static uint32_t reference_encode(const book_row *row, double value, num_rounding rounding)
{
    bool negative = signbit(value) != 0;
    double magnitude = fabs(value);
    uint32_t below = floor_magnitude(row, magnitude);
    double low = magnitude_value(row, below), high = magnitude_value(row, below + 1);
    bool up = false;
    switch (rounding) {
    case NUM_RN:
        up = magnitude - low > high - magnitude || (magnitude - low == high - magnitude && below % 2);
        break;
    case NUM_RNA: up = magnitude - low >= high - magnitude; break;
    case NUM_RZ: up = false; break;
    case NUM_RM: up = negative && magnitude > low; break;
    case NUM_RP: up = !negative && magnitude > low; break;
    }
    if (low == magnitude)
        up = false;
    uint32_t result = below + up;
    if (result > row->finite && !row->has_nan)
        result = row->finite;
    return result | sign_of(row, negative);
}

/* ---- exhaustive checks --------------------------------------------------------------------------- */

#define EACH_ROW(row) for (const book_row *row = book; row != book + ARRAY_LEN(book); row++)

static void decode_gives_the_value_of_every_encoding(void **state)
{
    (void)state;
    EACH_ROW(row)
    for (uint32_t bits = 0; bits < 1u << num_bits(row->format); bits++) {
        uint32_t magnitude = bits & (sign_of(row, true) - 1);
        bool negative = row->has_sign && (bits & sign_of(row, true));
        float got = num_decode(row->format, bits);
        if (magnitude <= row->finite) {
            double want = magnitude_value(row, magnitude);
            assert_true((double)got == (negative ? -want : want));
            assert_int_equal(signbit(got) != 0, negative);
        } else if (row->has_infinity && magnitude == row->finite + 1) {
            assert_true(isinf(got) && (signbit(got) != 0) == negative);
        } else {
            assert_int_equal(num_f32_bits(got), NUM_F32_NAN);
        }
    }
}

static void encode_undoes_decode(void **state)
{
    (void)state;
    EACH_ROW(row)
    for (uint32_t bits = 0; bits < 1u << num_bits(row->format); bits++) {
        float value = num_decode(row->format, bits);
        for (num_rounding rounding = NUM_RN; rounding <= NUM_RP; rounding++) {
            uint32_t back = num_encode(row->format, (double)value, rounding, 0);
            assert_int_equal(back, value != value ? num_nan(row->format) : bits);
        }
    }
}

static void expect_rounded(const book_row *row, double value)
{
    for (num_rounding rounding = NUM_RN; rounding <= NUM_RP; rounding++) {
        uint32_t want = reference_encode(row, value, rounding);
        uint32_t got = num_encode(row->format, value, rounding, 0);
        if (got != want)
            fail_msg("%s of %a, rounding %d: %x, not %x", num_name(row->format), value, rounding, got, want);
    }
}

/* Between each two neighbours: the tie, a hair to either side of it, and a hair beside the neighbours. */
static void every_gap_rounds_as_the_reference(void **state)
{
    (void)state;
    EACH_ROW(row)
    for (uint32_t magnitude = 0; magnitude<row->finite; magnitude += row->finite> 0x8000 ? 7 : 1) {
        double low = magnitude_value(row, magnitude), high = magnitude_value(row, magnitude + 1);
        double tie = (low + high) / 2;
        double points[] = {tie, nextafter(tie, 0), nextafter(tie, HUGE_VAL), nextafter(low, HUGE_VAL),
                           nextafter(high, 0)};
        for (size_t i = 0; i < ARRAY_LEN(points); i++) {
            expect_rounded(row, points[i]);
            if (row->has_sign)
                expect_rounded(row, -points[i]);
        }
    }
}

static void far_values_round_to_the_ends(void **state)
{
    (void)state;
    EACH_ROW(row)
    {
        double max = magnitude_value(row, row->finite), next = magnitude_value(row, row->finite + 1);
        uint32_t top = row->has_infinity || row->has_nan ? row->finite + 1 : row->finite;
        assert_int_equal(num_max_finite(row->format), row->finite);
        assert_int_equal(num_encode(row->format, nextafter((max + next) / 2, 0), NUM_RN, 0), row->finite);
        assert_int_equal(num_encode(row->format, 1e300, NUM_RN, 0), top);
        assert_int_equal(num_encode(row->format, 1e300, NUM_RN, NUM_SATFINITE), row->finite);
        assert_int_equal(num_encode(row->format, 1e300, NUM_RZ, 0), row->finite);
        assert_int_equal(num_encode(row->format, 1e300, NUM_RM, 0), row->finite);
        assert_int_equal(num_encode(row->format, HUGE_VAL, NUM_RZ, 0), top);
        assert_int_equal(num_encode(row->format, HUGE_VAL, NUM_RN, NUM_SATFINITE), row->finite);
        assert_int_equal(num_encode(row->format, 1e-300, NUM_RN, 0), 0);
        assert_int_equal(num_encode(row->format, 1e-300, NUM_RP, 0), 1);
        assert_int_equal(num_encode(row->format, 4.9e-324, NUM_RP, 0), 1); /* a subnormal of f64 */
    }
}

static void nan_becomes_canonical_or_the_largest_number(void **state)
{
    (void)state;
    EACH_ROW(row)
    {
        uint32_t want = sign_of(row, true) - 1; /* all ones below the sign */
        assert_int_equal(num_nan(row->format), want);
        assert_int_equal(num_encode(row->format, NAN, NUM_RN, 0), want);
        assert_int_equal(num_encode(row->format, -NAN, NUM_RN, NUM_SATFINITE | NUM_RELU), want);
    }
}

static void relu_and_unsigned_formats_lose_what_is_negative(void **state)
{
    (void)state;
    EACH_ROW(row)
    {
        assert_int_equal(num_encode(row->format, -1.0, NUM_RN, NUM_RELU), 0);
        assert_int_equal(num_encode(row->format, -0.0, NUM_RN, NUM_RELU), 0);
        assert_int_equal(num_encode(row->format, -HUGE_VAL, NUM_RN, NUM_RELU), 0);
        assert_int_equal(num_encode(row->format, -0.0, NUM_RN, 0), row->has_sign ? sign_of(row, true) : 0);
    }
    assert_int_equal(num_encode(NUM_UE4M3, -3.0, NUM_RN, 0), 0);
}

/* ---- single formats ------------------------------------------------------------------------------ */

static void ue8m0_holds_powers_only(void **state)
{
    (void)state;
    for (uint32_t bits = 0; bits < 255; bits++) {
        double value = ldexp(1, (int)bits - 127);
        assert_true((double)num_decode(NUM_UE8M0, bits) == value);
        assert_int_equal(num_encode(NUM_UE8M0, value, NUM_RZ, 0), bits);
        assert_int_equal(num_encode(NUM_UE8M0, -value, NUM_RP, 0), bits); /* the sign is not looked at */
        assert_int_equal(num_encode(NUM_UE8M0, value * 1.5, NUM_RZ, 0), bits);
        assert_int_equal(num_encode(NUM_UE8M0, value * 1.5, NUM_RP, NUM_SATFINITE),
                         bits < 254 ? bits + 1 : 254);
    }
    assert_int_equal(num_f32_bits(num_decode(NUM_UE8M0, 255)), NUM_F32_NAN);
    assert_int_equal(num_encode(NUM_UE8M0, 0, NUM_RP, 0), 0);
    assert_int_equal(num_encode(NUM_UE8M0, 0x1p-140, NUM_RP, 0), 0);
    assert_int_equal(num_encode(NUM_UE8M0, 0x1.8p127, NUM_RP, 0), 255);
    assert_int_equal(num_encode(NUM_UE8M0, HUGE_VAL, NUM_RZ, NUM_SATFINITE), 254);
    assert_int_equal(num_encode(NUM_UE8M0, NAN, NUM_RZ, NUM_SATFINITE), 255);
}

static void f32_agrees_with_the_host(void **state)
{
    (void)state;
    uint64_t seed = 88172645463325252u;
    for (int i = 0; i < 200000; i++) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        double value = ldexp((double)(int64_t)seed, (int)(seed >> 7 & 511) - 320);
        assert_int_equal(num_encode(NUM_F32, value, NUM_RN, 0), num_f32_bits((float)value));
    }
    assert_int_equal(num_encode(NUM_F32, 1 + 0x1p-24, NUM_RZ, 0), 0x3f800000);
    assert_int_equal(num_encode(NUM_F32, 1 + 0x1p-24, NUM_RP, 0), 0x3f800001);
    assert_int_equal(num_encode(NUM_F32, 0x1.fffffffp127, NUM_RZ, 0), 0x7f7fffff);
    assert_int_equal(num_encode(NUM_F32, 0x1.8p-149, NUM_RN, 0), 2);
}

static void values_of_documentation(void **state)
{
    (void)state;
    assert_true(num_decode(NUM_E4M3, 0x7e) == 448 && num_decode(NUM_E5M2, 0x7b) == 57344);
    assert_true(num_decode(NUM_E2M1, 0x7) == 6 && num_decode(NUM_E2M3, 0x1f) == 7.5f);
    assert_true(num_decode(NUM_E3M2, 0x1f) == 28 && num_decode(NUM_F16, 0x7bff) == 65504);
    assert_int_equal(num_encode(NUM_E2M1, 2.5, NUM_RN, NUM_SATFINITE), 0x4); /* 2 and 3 are as near: even */
    assert_int_equal(num_encode(NUM_E2M1, 100, NUM_RN, NUM_SATFINITE), 0x7);
    assert_int_equal(num_encode(NUM_E4M3, 464, NUM_RN, 0),
                     0x7e); /* half-way to 480, which is the NaN: even */
    assert_int_equal(num_encode(NUM_E4M3, 465, NUM_RN, 0), 0x7f);
}

/* ---- short ways ---------------------------------------------------------------------------------- */

static void short_decodes_equal_the_table(void **state)
{
    (void)state;
    for (uint32_t bits = 0; bits < 65536; bits++) {
        assert_int_equal(num_f32_bits(num_f16_to_f32((uint16_t)bits)),
                         num_f32_bits(num_decode(NUM_F16, bits)));
        if ((bits & 0x7fff) <= 0x7f80)
            assert_int_equal(num_f32_bits(num_bf16_to_f32((uint16_t)bits)),
                             num_f32_bits(num_decode(NUM_BF16, bits)));
    }
    for (uint32_t bits = 0; bits < 256; bits++) {
        assert_int_equal(num_f32_bits(num_e4m3_to_f32((uint8_t)bits)),
                         num_f32_bits(num_decode(NUM_E4M3, bits)));
        assert_int_equal(num_f32_bits(num_e5m2_to_f32((uint8_t)bits)),
                         num_f32_bits(num_decode(NUM_E5M2, bits)));
    }
}

/* Every upper half of an f32 with lower halves that make ties and near-ties in each format. */
static void short_encodes_equal_the_table(void **state)
{
    (void)state;
    static const uint32_t lows[] = {0,      1,      0xfff,  0x1000, 0x1001, 0x2000,
                                    0x3000, 0x7fff, 0x8000, 0x8001, 0xffff};
    for (uint32_t high = 0; high < 65536; high++)
        for (size_t i = 0; i < ARRAY_LEN(lows); i++) {
            float value = num_f32_from_bits(high << 16 | lows[i]);
            double exact = (double)value;
            assert_int_equal(num_f32_to_f16(value), num_encode(NUM_F16, exact, NUM_RN, 0));
            assert_int_equal(num_f32_to_f16_rz(value), num_encode(NUM_F16, exact, NUM_RZ, 0));
            assert_int_equal(num_f32_to_bf16(value), num_encode(NUM_BF16, exact, NUM_RN, 0));
            assert_int_equal(num_f32_to_bf16_rz(value), num_encode(NUM_BF16, exact, NUM_RZ, 0));
        }
}

static void tf32_is_an_f32_with_short_fraction(void **state)
{
    (void)state;
    assert_int_equal(num_tf32_round(1, NUM_RN, 0), 0x3f800000);
    assert_int_equal(num_tf32_round(1 + 0x1p-11f, NUM_RN, 0), 0x3f800000);
    assert_int_equal(num_tf32_round(1 + 0x1p-11f, NUM_RNA, 0), 0x3f802000);
    assert_int_equal(num_tf32_round(-1 - 0x1p-11f, NUM_RNA, 0), 0xbf802000);
    assert_int_equal(num_tf32_round(1 + 0x1.8p-11f, NUM_RZ, 0), 0x3f800000);
    assert_int_equal(num_tf32_round(-2, NUM_RN, NUM_RELU), 0);
    assert_int_equal(num_tf32_round(0x1.ffffp127f, NUM_RNA, 0), 0x7f800000);
    assert_int_equal(num_tf32_round(0x1.ffffp127f, NUM_RNA, NUM_SATFINITE), 0x7f7fe000);
    /* What an H200 makes of NaNs. */
    assert_int_equal(num_tf32_round(num_f32_from_bits(0x7f800001), NUM_RN, 0), 0x7fffe000);
    assert_int_equal(num_tf32_round(num_f32_from_bits(0x7f807fff), NUM_RNA, 0), 0x7f806000);
    assert_int_equal(num_tf32_round(num_f32_from_bits(0x7f807fff), NUM_RNA, NUM_SATFINITE), 0x7f804000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decode_gives_the_value_of_every_encoding),
        cmocka_unit_test(encode_undoes_decode),
        cmocka_unit_test(every_gap_rounds_as_the_reference),
        cmocka_unit_test(far_values_round_to_the_ends),
        cmocka_unit_test(nan_becomes_canonical_or_the_largest_number),
        cmocka_unit_test(relu_and_unsigned_formats_lose_what_is_negative),
        cmocka_unit_test(ue8m0_holds_powers_only),
        cmocka_unit_test(f32_agrees_with_the_host),
        cmocka_unit_test(values_of_documentation),
        cmocka_unit_test(short_decodes_equal_the_table),
        cmocka_unit_test(short_encodes_equal_the_table),
        cmocka_unit_test(tf32_is_an_f32_with_short_fraction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
