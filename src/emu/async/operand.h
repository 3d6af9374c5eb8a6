/* operand.h: a slab of a wgmma operand, taken apart for the tensor core.
 *
 * A slab is up to SLAB_WIDTH rows of A or columns of B (its lanes) by all of one instruction's K. Numbers are
 * kept as the tensor core sees them: a significand with its sign, below 2, and an exponent; a subnormal keeps
 * the format's least exponent, a zero has one below all others. */
#ifndef WW_EMU_ASYNC_OPERAND_H
#define WW_EMU_ASYNC_OPERAND_H

#include "emu/async/async.h"
#include "emu/async/descriptor.h"

enum {
    SLAB_WIDTH = 32,
    SLAB_DEPTH = 32, /* K of the 8-bit types */
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
    bool special;                              /* some lane holds an infinity or a NaN */
    uint32_t raw[SLAB_DEPTH][SLAB_WIDTH];      /* encodings */
    float significand[SLAB_DEPTH][SLAB_WIDTH]; /* 0 for infinities and NaNs; of integers, unused */
    int32_t exponent[SLAB_DEPTH][SLAB_WIDTH];  /* of integers, the value */
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

/* One line of accumulators or operands taken apart. Returns whether any is special. */
bool operand_split(const operand_format *format, const uint32_t *restrict raw, float *restrict significand,
                   int32_t *restrict exponent);

#endif
