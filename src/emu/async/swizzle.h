/* swizzle.h: how the TMA and the tensor cores scatter 16-byte chunks over the banks of shared memory.
 *
 * A swizzle is a function of the shared address alone (PTX ISA, section 5.5.7, "Swizzling Modes"): the
 * index of a chunk within its span is XORed with the number of the 128-byte line it lies in.
 *
 *   mode   span   chunk bits   line bits   repeats every
 *   32B     32 B      4            7           256 B
 *   64B     64 B     4-5          7-8          512 B
 *   128B   128 B     4-6          7-9        1,024 B */
#ifndef WW_EMU_ASYNC_SWIZZLE_H
#define WW_EMU_ASYNC_SWIZZLE_H

#include "emu/emu.h"

/* Bytes within which a mode moves chunks; 16 where it moves none. */
static inline uint32_t swizzle_span(emu_swizzle mode)
{
    return UINT32_C(16) << mode;
}

static inline uint32_t swizzle_address(emu_swizzle mode, uint32_t address)
{
    uint32_t chunk_bits = swizzle_span(mode) - 16;
    return address ^ (address >> 3 & chunk_bits);
}

#endif
