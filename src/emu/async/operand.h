/* operand.h: a slab of a wgmma operand, taken apart for the tensor core.
 *
 * A slab is up to SLAB_WIDTH rows of A or columns of B (its lanes) by all of one instruction's K. Numbers
 * are kept as the tensor core sees them: a significand with its sign, below 2, and an exponent; a
 * subnormal keeps the format's least exponent, a zero has one below all others. */
#ifndef WW_EMU_ASYNC_OPERAND_H
#define WW_EMU_ASYNC_OPERAND_H

#include "emu/async/async.h"
#include "emu/async/clones.h"
#include "emu/async/descriptor.h"

enum {
    SLAB_WIDTH = 32,
    SLAB_DEPTH = 32, /* K of the 8-bit types */
    MODERATE_EXPONENT = 30,
    EXPONENT_OF_ZERO =
        -1000, /* below every product of numbers, also when added to another operand's exponent */
};

/* How operands of a type lie in memory and registers. */
typedef struct operand_format {
    uint8_t bytes;
    uint8_t unused_bits;                  /* low bits that the tensor core does not read */
    uint8_t exponent_bits, fraction_bits; /* 0: an integer */
    bool has_infinity;                    /* otherwise only the all-ones magnitude is special, a NaN */
    bool is_signed;
} operand_format;

const operand_format *operand_format_of(async_type type);

/* What infinities and NaNs do is decided apart from the arithmetic. */
typedef enum operand_class { OPERAND_FINITE, OPERAND_INFINITE, OPERAND_NAN } operand_class;

operand_class operand_classify(const operand_format *format, uint32_t raw);

typedef struct operand_slab {
    const operand_format *format;
    bool moderate; /* no exponent is beyond MODERATE_EXPONENT: products may be taken of values */
    bool special;  /* some lane holds an infinity or a NaN */
    _Alignas(64) uint32_t raw[SLAB_DEPTH][SLAB_WIDTH]; /* encodings */
    _Alignas(
        64) float significand[SLAB_DEPTH][SLAB_WIDTH]; /* 0 for infinities and NaNs; of integers, unused */
    _Alignas(64) float value[SLAB_DEPTH][SLAB_WIDTH];  /* significand * 2^exponent, where moderate */
    _Alignas(64) int32_t exponent[SLAB_DEPTH][SLAB_WIDTH]; /* of integers, the value */
} operand_slab;

/* Where a slab's lanes come from. */
typedef struct operand_source {
    async_type type;
    bool mn_major;
    bool negate; /* imm-scale -1 */
    const uint8_t *smem;
    uint32_t smem_bytes;
    descriptor descriptor;
} operand_source;

/* Lanes first .. first + count - 1 from shared memory; the slab's other lanes become zeros. count and first
 * are multiples of 8. False when the descriptor leads outside shared memory. */
bool operand_load(operand_slab *slab, const operand_source *source, uint32_t first, uint32_t count);

/* The 16 rows of a warp from A's fragment in registers, [4][32 lanes]. */
void operand_from_registers(operand_slab *slab, const operand_source *source, const uint32_t *registers);

/* Takes one line of encodings apart. Returns whether any is special. Inline, so that each caller has it
 * as vector code and, where the format is a constant, with its constants. */
static ALWAYS_INLINE bool operand_split(const operand_format *format, const uint32_t *restrict raw,
                                        float *restrict significand, int32_t *restrict exponent)
{
    const int32_t fraction_bits = format->fraction_bits, exponent_bits = format->exponent_bits;
    const int32_t one = 1 << fraction_bits, fraction_mask = one - 1;
    const int32_t magnitude_mask = (int32_t)((UINT32_C(1) << (fraction_bits + exponent_bits)) - 1);
    const int32_t least_special = format->has_infinity ? magnitude_mask & ~fraction_mask : magnitude_mask;
    const int32_t bias = (1 << (exponent_bits - 1)) - 1;
    const float unit = 1.0f / (float)one;
    int32_t special = 0;
    for (int i = 0; i < SLAB_WIDTH; i++) {
        int32_t magnitude = (int32_t)raw[i] & magnitude_mask, field = magnitude >> fraction_bits;
        int32_t finite = magnitude < least_special ? -1 : 0;
        int32_t quanta = ((magnitude & fraction_mask) | (field > 0 ? one : 0)) & finite;
        int32_t sign = (int32_t)raw[i] & ~magnitude_mask ? -1 : 0;
        significand[i] = (float)((quanta ^ sign) - sign) * unit;
        exponent[i] = quanta > 0 ? (field > 1 ? field : 1) - bias : EXPONENT_OF_ZERO;
        special |= ~finite;
    }
    return special != 0;
}

#endif
