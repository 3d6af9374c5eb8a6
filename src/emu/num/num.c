/* num.c: conversions driven by the table of formats.
 *
 * Encoding takes a value apart into sign, exponent and a 53-bit significand, finds the quantum (the value
 * of one unit in the last place of the result), keeps whole quanta and rounds by what is left over. The
 * kept quanta plus the exponent field are one integer: a carry out of the fraction moves the exponent up
 * by itself, and a subnormal is merely the case whose exponent field is zero. */
#include "emu/num/num.h"

#include <assert.h>
#include <math.h>

typedef enum specials { IEEE, NAN_ONLY, NONE, POWER } specials;

typedef struct format_row {
    const char *name;
    uint8_t sign, exponent, fraction;
    int16_t bias;
    specials specials;
} format_row;

static const format_row formats[NUM_FORMAT_COUNT] = {
#define NUM_FORMAT(name, sign, exponent, fraction, bias, specials)                                           \
    {#name, sign, exponent, fraction, bias, specials},
#include "emu/num/formats.def"
#undef NUM_FORMAT
};

/* A finite nonzero value: (-1)^negative * significand * 2^(exponent - 52), significand in [2^52, 2^53). */
typedef struct parts {
    bool negative;
    int exponent;
    uint64_t significand;
} parts;

static uint32_t magnitude_mask(const format_row *f)
{
    return (UINT32_C(1) << (f->exponent + f->fraction)) - 1;
}

static uint32_t sign_bit(const format_row *f, bool negative)
{
    return negative && f->sign ? UINT32_C(1) << (f->exponent + f->fraction) : 0;
}

static uint32_t infinity(const format_row *f)
{
    return magnitude_mask(f) >> f->fraction << f->fraction;
}

uint32_t num_bits(num_format format)
{
    const format_row *f = &formats[format];
    return (uint32_t)f->sign + f->exponent + f->fraction;
}

/* All the canonical NaNs of PTX are the largest magnitude, so one expression serves as "NaN, or else the
 * largest". */
uint32_t num_nan(num_format format)
{
    return magnitude_mask(&formats[format]);
}

uint32_t num_max_finite(num_format format)
{
    const format_row *f = &formats[format];
    switch (f->specials) {
    case IEEE: return infinity(f) - 1;
    case NAN_ONLY:
    case POWER: return magnitude_mask(f) - 1;
    case NONE: break;
    }
    return magnitude_mask(f);
}

const char *num_name(num_format format)
{
    return formats[format].name;
}

/* ---- encoding ------------------------------------------------------------------------------------ */

static parts take_apart(double value)
{
    parts p = {.negative = signbit(value) != 0};
    double fraction = frexp(fabs(value), &p.exponent); /* in [1/2, 1) */
    p.significand = (uint64_t)ldexp(fraction, 53);
    p.exponent -= 1;
    return p;
}

/* Whether the quanta kept of a value go up by one. dropped is what they leave out, in units of 2^-64
 * quanta, any lower bits ORed into the last. */
static bool rounds_up(uint64_t kept, uint64_t dropped, bool negative, num_rounding rounding)
{
    const uint64_t half = UINT64_C(1) << 63;
    switch (rounding) {
    case NUM_RN: return dropped > half || (dropped == half && (kept & 1));
    case NUM_RNA: return dropped >= half;
    case NUM_RZ: return false;
    case NUM_RM: return negative && dropped;
    case NUM_RP: return !negative && dropped;
    }
    return false;
}

/* significand >> shift with rounding. */
static uint64_t shift_round(const parts *p, int shift, num_rounding rounding)
{
    uint64_t kept, dropped;
    if (shift == 0) {
        kept = p->significand;
        dropped = 0;
    } else if (shift < 64) {
        kept = p->significand >> shift;
        dropped = p->significand << (64 - shift);
    } else {
        kept = 0;
        dropped = 1; /* below half a quantum: the significand has 53 bits */
    }
    return kept + rounds_up(kept, dropped, p->negative, rounding);
}

static uint32_t overflow(const format_row *f, num_format format, bool negative, num_rounding rounding,
                         unsigned options)
{
    bool away = rounds_up(1, UINT64_MAX, negative, rounding);
    if ((options & NUM_SATFINITE) || !away || f->specials == NONE)
        return num_max_finite(format);
    return f->specials == IEEE ? infinity(f) : num_nan(format);
}

/* Values whose only field is the exponent: zero and what lies below become the smallest power. The sign is
 * ignored. */
static uint32_t encode_power(const format_row *f, num_format format, double value, num_rounding rounding,
                             unsigned options)
{
    if (value == 0)
        return 0;
    parts p = take_apart(fabs(value));
    bool inexact = p.significand != UINT64_C(1) << 52;
    int exponent = p.exponent + f->bias;
    if (exponent < 0)
        return 0;
    exponent += (rounding == NUM_RP && inexact) ? 1 : 0;
    return exponent > (int)num_max_finite(format) ? overflow(f, format, false, rounding, options)
                                                  : (uint32_t)exponent;
}

static uint32_t encode_finite(const format_row *f, num_format format, double value, num_rounding rounding,
                              unsigned options)
{
    parts p = take_apart(value);
    int least = 1 - f->bias;
    int exponent = p.exponent < least ? least : p.exponent;
    uint64_t quanta = shift_round(&p, exponent - f->fraction - (p.exponent - 52), rounding);
    uint64_t magnitude = ((uint64_t)(exponent - least) << f->fraction) + quanta;
    if (magnitude > num_max_finite(format))
        magnitude = overflow(f, format, p.negative, rounding, options);
    return (uint32_t)magnitude | sign_bit(f, p.negative);
}

uint32_t num_encode(num_format format, double value, num_rounding rounding, unsigned options)
{
    assert(format < NUM_FORMAT_COUNT);
    const format_row *f = &formats[format];
    if (isnan(value))
        return num_nan(format);
    if ((options & NUM_RELU) && signbit(value))
        value = 0;
    if (signbit(value) && !f->sign && f->specials != POWER)
        value = 0;
    if (isinf(value))
        return overflow(f, format, false, NUM_RN, options) | sign_bit(f, signbit(value) != 0);
    if (f->specials == POWER)
        return encode_power(f, format, value, rounding, options);
    if (value == 0)
        return sign_bit(f, signbit(value) != 0);
    return encode_finite(f, format, value, rounding, options);
}

/* ---- decoding ------------------------------------------------------------------------------------ */

static bool is_nan(const format_row *f, uint32_t magnitude)
{
    switch (f->specials) {
    case IEEE: return magnitude > infinity(f);
    case NAN_ONLY:
    case POWER: return magnitude == magnitude_mask(f);
    case NONE: break;
    }
    return false;
}

float num_decode(num_format format, uint32_t bits)
{
    assert(format < NUM_FORMAT_COUNT);
    const format_row *f = &formats[format];
    uint32_t magnitude = bits & magnitude_mask(f);
    bool negative = f->sign && (bits >> (f->exponent + f->fraction) & 1);
    if (is_nan(f, magnitude))
        return num_f32_from_bits(NUM_F32_NAN);
    if (f->specials == IEEE && magnitude == infinity(f))
        return negative ? -INFINITY : INFINITY;
    if (f->specials == POWER)
        return (float)ldexp(1, (int)magnitude - f->bias);
    uint32_t exponent = magnitude >> f->fraction;
    uint32_t fraction = magnitude & ((UINT32_C(1) << f->fraction) - 1);
    uint32_t quanta = exponent ? fraction | UINT32_C(1) << f->fraction : fraction;
    double value = ldexp(quanta, (int)(exponent ? exponent : 1) - f->bias - f->fraction);
    return (float)(negative ? -value : value);
}

/* ---- short ways ---------------------------------------------------------------------------------- */

uint16_t num_f32_to_f16(float value)
{
    uint32_t bits = num_f32_bits(value), magnitude = bits & 0x7fffffff;
    uint32_t sign = bits >> 16 & 0x8000;
    if (magnitude >= 0x47800000) /* 2^16 and more: infinity or NaN */
        return magnitude > 0x7f800000 ? 0x7fff : (uint16_t)(sign | 0x7c00);
    if (magnitude < 0x38800000) { /* below 2^-14: in 0.5's binade the last place is f16's quantum, 2^-24 */
        uint32_t quanta = num_f32_bits(num_f32_from_bits(magnitude) + 0.5f) - 0x3f000000;
        return (uint16_t)(sign | quanta);
    }
    magnitude += 0xfff + (magnitude >> 13 & 1);
    return (uint16_t)(sign | (magnitude - 0x38000000) >> 13);
}

uint16_t num_f32_to_f16_rz(float value)
{
    return (uint16_t)num_encode(NUM_F16, (double)value, NUM_RZ, 0);
}

uint16_t num_f32_to_bf16(float value)
{
    uint32_t bits = num_f32_bits(value);
    if ((bits & 0x7fffffff) > 0x7f800000)
        return 0x7fff;
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

uint16_t num_f32_to_bf16_rz(float value)
{
    uint32_t bits = num_f32_bits(value);
    return (bits & 0x7fffffff) > 0x7f800000 ? 0x7fff : (uint16_t)(bits >> 16);
}

/* .rna is older than the other roundings: sm_90 cuts a NaN short, and with .satfinite counts it down by
 * one. */
static uint32_t tf32_nan(uint32_t bits, num_rounding rounding, unsigned options)
{
    if (rounding != NUM_RNA)
        return num_nan(NUM_TF32) << 13;
    return (bits >> 13 << 13) - ((options & NUM_SATFINITE) ? UINT32_C(1) << 13 : 0);
}

uint32_t num_tf32_round(float value, num_rounding rounding, unsigned options)
{
    if (value != value)
        return tf32_nan(num_f32_bits(value), rounding, options);
    return num_encode(NUM_TF32, (double)value, rounding, options) << 13;
}
