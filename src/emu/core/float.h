/* float.h: what the floating-point handlers share: bits, NaNs, flushing, clamping and rounding modes. */
#ifndef WW_EMU_CORE_FLOAT_H
#define WW_EMU_CORE_FLOAT_H

#include <fenv.h>
#include <math.h>

#include "emu/core/core.h"
#include "emu/num/num.h"

/* Every NaN that f32 arithmetic makes is this one (PTX ISA, section 5.2.3 and 9.7.3). */
static inline float float_canonical(float value)
{
    return value == value ? value : num_f32_from_bits(NUM_F32_NAN);
}

/* cvt.rn.bf16.f32: the upper half, rounded to nearest even. */
static inline uint16_t float_to_bf16(float value)
{
    uint32_t bits = num_f32_bits(value);
    uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return (uint16_t)(value == value ? rounded : 0x7fff);
}

/* Rounded to an integral value, ties to even: adding 2^23 leaves no bits for a fraction. */
static inline float float_round(float value)
{
    float magnitude = fabsf(value), rounded = magnitude + 0x1p23f - 0x1p23f;
    return magnitude < 0x1p23f ? copysignf(rounded, value) : value;
}

/* .ftz: subnormals become zeros of their sign. */
static inline float float_flush(float value)
{
    uint32_t bits = num_f32_bits(value);
    return bits & UINT32_C(0x7f800000) ? value : num_f32_from_bits(bits & UINT32_C(0x80000000));
}

/* .sat: clamped to 0..1, NaN to +0. */
static inline float float_saturate(float value)
{
    return value > 0.0f ? (value < 1.0f ? value : 1.0f) : 0.0f;
}

static inline double double_saturate(double value)
{
    return value > 0.0 ? (value < 1.0 ? value : 1.0) : 0.0;
}

/* The host's rounding mode for an op's modifiers. Loads and stores of the lanes do not move across fesetround,
 * a call the compiler cannot see into, so neither does the arithmetic between them. */
static inline int float_rounding(const op *o)
{
    return o->modifiers & MOD(RZ)   ? FE_TOWARDZERO
           : o->modifiers & MOD(RM) ? FE_DOWNWARD
           : o->modifiers & MOD(RP) ? FE_UPWARD
                                    : FE_TONEAREST;
}

/* a + b with the last bit set when the sum is inexact ("rounded to odd"): rounding it again, to a format with
 * at least two bits less, rounds the exact sum correctly (Boldo and Melquiond). */
static inline double double_add_odd(double a, double b)
{
    double sum = a + b, part = sum - a;
    double error = (a - (sum - part)) + (b - part); /* exact: Knuth's TwoSum */
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    if (error != 0.0 && !(bits & 1) && isfinite(sum))
        bits = (error > 0.0) == (sum > 0.0) ? bits + 1 : bits - 1;
    memcpy(&sum, &bits, sizeof bits);
    return sum;
}

/* The same for a conversion: rounding the result once more, to f16 or bf16, rounds `value` correctly. */
static inline float double_to_float_odd(double value)
{
    float narrow = (float)value;
    uint32_t bits = num_f32_bits(narrow);
    double back = (double)narrow;
    if (back == value || value != value || (bits & 1))
        return narrow;
    bool away = (back > value) == (value > 0.0); /* the rounding went away from zero */
    return num_f32_from_bits(away ? bits - 1 : bits + 1);
}

#endif
