/* num: the number formats of PTX and exact conversions between them and the host's float and double.
 *
 * Two layers. num_encode and num_decode are driven by the table in formats.def and do every format,
 * rounding and saturation. Beside them stand short ways for the formats kernels convert by the million
 * (f16, bf16, tf32). Encodings are kept in the low bits of an integer, except those of num_tf32_round,
 * which are those of a register.
 *
 * Conversions are exact: the value is rounded once, whatever its source. Subnormals are kept (the caller
 * flushes where .ftz asks for it). A NaN becomes the canonical NaN of its destination, as cvt of the PTX
 * ISA says (section 9.7.9.21): its payload and sign are lost. */
#ifndef WW_EMU_NUM_H
#define WW_EMU_NUM_H

#include "base/base.h"

typedef enum num_format {
#define NUM_FORMAT(name, sign, exponent, fraction, bias, specials) NUM_##name,
#include "emu/num/formats.def"
#undef NUM_FORMAT
    NUM_FORMAT_COUNT
} num_format;

typedef enum num_rounding {
    NUM_RN,  /* to nearest, ties to even */
    NUM_RNA, /* to nearest, ties away from zero */
    NUM_RZ,  /* towards zero */
    NUM_RM,  /* towards minus infinity */
    NUM_RP,  /* towards plus infinity */
} num_rounding;

#define NUM_F32_NAN UINT32_C(0x7fffffff) /* the canonical NaN of f32 */

enum num_option {
    NUM_SATFINITE =
        1,        /* .satfinite: what exceeds the range, infinity too, becomes the largest finite number */
    NUM_RELU = 2, /* .relu: what is negative becomes +0, NaN the canonical NaN */
};

/* value in the given format. A NaN becomes the format's canonical NaN; where it has none, its largest
 * number (cvt, .e2m1x2 and its like). Without NUM_SATFINITE an overflow gives infinity (or the largest
 * finite number, when the rounding is away from that infinity); a format without infinity gives its NaN,
 * or saturates when it has none. A negative value becomes 0 in an unsigned format, the smallest power in
 * UE8M0. */
uint32_t num_encode(num_format format, double value, num_rounding rounding, unsigned options);

/* The value of an encoding; bits above the format's are ignored. Exact: every format is a subset of f32. */
float num_decode(num_format format, uint32_t bits);

uint32_t num_bits(num_format format); /* width of an encoding: 4..32 */
uint32_t num_nan(num_format format);  /* canonical NaN; the largest number where the format has no NaN */
uint32_t num_max_finite(num_format format); /* the largest finite number */
const char *num_name(num_format format);    /* "F16" */

/* ---- short ways ---------------------------------------------------------------------------------- */

static inline uint32_t num_f32_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float num_f32_from_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Without branches, so that loops over it vectorise: the exponent and fraction move to where f32 has them,
 * and one exact multiplication by 2^112 moves the bias, for subnormals as well. */
static inline float num_f16_to_f32(uint16_t half)
{
    uint32_t magnitude = (uint32_t)(half & 0x7fff) << 13;
    uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    uint32_t finite = num_f32_bits(num_f32_from_bits(magnitude) * 0x1p112f);
    uint32_t infinity = magnitude >= UINT32_C(0x7c00) << 13 ? UINT32_C(0x7f800000) : 0;
    uint32_t bits = finite | infinity | sign;
    return num_f32_from_bits(magnitude > UINT32_C(0x7c00) << 13 ? NUM_F32_NAN : bits);
}

static inline float num_bf16_to_f32(uint16_t bits)
{
    return num_f32_from_bits((uint32_t)bits << 16);
}

/* Both FP8 formats are short binary16s: E5M2 is its upper half, E4M3 needs another multiplication. */
static inline float num_e5m2_to_f32(uint8_t bits)
{
    return num_f16_to_f32((uint16_t)(bits << 8));
}

static inline float num_e4m3_to_f32(uint8_t bits)
{
    uint32_t magnitude = (uint32_t)(bits & 0x7f) << 20;
    uint32_t sign = (uint32_t)(bits & 0x80) << 24;
    uint32_t finite = num_f32_bits(num_f32_from_bits(magnitude) * 0x1p120f);
    return num_f32_from_bits(magnitude == UINT32_C(0x7f) << 20 ? NUM_F32_NAN : finite | sign);
}

uint16_t num_f32_to_f16(float value);     /* cvt.rn.f16.f32 */
uint16_t num_f32_to_f16_rz(float value);  /* cvt.rz.f16.f32 */
uint16_t num_f32_to_bf16(float value);    /* cvt.rn.bf16.f32 */
uint16_t num_f32_to_bf16_rz(float value); /* cvt.rz.bf16.f32 */

/* The register of a tf32: value with its low 13 bits rounded away (cvt.rna.tf32.f32 and its like). */
uint32_t num_tf32_round(float value, num_rounding rounding, unsigned options);

#endif
