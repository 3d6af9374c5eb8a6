/* tensor_core.h: the arithmetic of Hopper's tensor cores, one row of A against a slab of B. */
#ifndef WW_EMU_ASYNC_TENSOR_CORE_H
#define WW_EMU_ASYNC_TENSOR_CORE_H

#include "emu/async/operand.h"

/* accumulators[i] = row `row` of a times lane i of b, plus accumulators[i], for all SLAB_WIDTH lanes.
 * accumulators are encodings of d (ASYNC_F32, or ASYNC_F16 in the low half). */
void tensor_core_row(const operand_slab *a, uint32_t row, const operand_slab *b, async_type d,
                     uint32_t *accumulators);

/* The same for integers: modulo 2^32, or clamped to the range of s32. */
void tensor_core_row_s32(const operand_slab *a, uint32_t row, const operand_slab *b, bool saturate,
                         uint32_t *accumulators);

#endif
