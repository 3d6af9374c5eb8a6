/* descriptor.h: the 64-bit matrix descriptor of wgmma (PTX ISA, section 9.7.15.5.1.2.2) and the address
 * it gives to each 16-byte chunk of an operand.
 *
 *   bits     field
 *   0-13     start address >> 4
 *   16-29    leading byte offset >> 4
 *   32-45    stride byte offset >> 4
 *   49-51    base offset: (address where the swizzle pattern starts >> 7) & 7, 0 when that is a multiple of
 * 1,024 62-63    layout: 0 no swizzle, 1 128B, 2 64B, 3 32B
 *
 * An operand is a matrix of MN (the rows of A or the columns of B) by K; its chunks lie along K (K-major)
 * or along MN (MN-major). A line is what runs across the chunks. Eight lines of a swizzle span each (16
 * bytes without swizzle) make the unit that the offsets repeat:
 *
 *                       chunk c of line l is at start + ...
 *   K-major, none       c * leading + (l / 8) * stride + (l % 8) * 16
 *   K-major, swizzled   c * 16 + (l / 8) * stride + (l % 8) * span
 *   MN-major, none      c * stride + (l / 8) * leading + (l % 8) * 16
 *   MN-major, swizzled  (c % s) * 16 + (c / s) * leading + (l / 8) * stride + (l % 8) * span     s = span /
 * 16
 *
 * and then swizzled as an address, counted from where the pattern starts. All of it was checked against
 * an H200 with 168 descriptors, starts inside a pattern and base offsets that match no address included. */
#ifndef WW_EMU_ASYNC_DESCRIPTOR_H
#define WW_EMU_ASYNC_DESCRIPTOR_H

#include "emu/async/async.h"
#include "emu/async/swizzle.h"

typedef struct descriptor {
    uint32_t start, leading, stride,
        pattern; /* bytes; pattern: where the swizzle pattern starts, modulo 1,024 */
    emu_swizzle swizzle;
} descriptor;

static inline descriptor descriptor_decode(uint64_t bits)
{
    static const emu_swizzle layouts[] = {EMU_SWIZZLE_NONE, EMU_SWIZZLE_128B, EMU_SWIZZLE_64B,
                                          EMU_SWIZZLE_32B};
    return (descriptor){
        .start = (uint32_t)(bits & 0x3fff) << 4,
        .leading = (uint32_t)(bits >> 16 & 0x3fff) << 4,
        .stride = (uint32_t)(bits >> 32 & 0x3fff) << 4,
        .pattern = (uint32_t)(bits >> 49 & 7) << 7,
        .swizzle = layouts[bits >> 62],
    };
}

/* Shared address of a chunk; may lie anywhere below 2^25. */
static inline uint32_t descriptor_chunk(const descriptor *d, bool mn_major, uint32_t line, uint32_t chunk)
{
    uint32_t span = swizzle_span(d->swizzle), chunks = span / 16, offset;
    if (d->swizzle == EMU_SWIZZLE_NONE)
        offset =
            mn_major ? chunk * d->stride + line / 8 * d->leading : chunk * d->leading + line / 8 * d->stride;
    else
        offset = line / 8 * d->stride +
                 (mn_major ? chunk % chunks * 16 + chunk / chunks * d->leading : chunk * 16);
    uint32_t address = d->start + offset + line % 8 * span;
    return swizzle_address(d->swizzle, address - d->pattern) + d->pattern;
}

/* The chunks of rows or columns first .. first + count - 1 of an operand: K of an instruction is 32 bytes. */
static inline void descriptor_chunks(const descriptor *d, bool mn_major, uint32_t first, uint32_t count,
                                     async_chunk *tell, void *context)
{
    const uint32_t per_chunk = 8, depth = 16; /* only 16-bit types may be MN-major */
    for (uint32_t k = 0; mn_major && k < depth; k++)
        for (uint32_t mn = first; mn < first + count; mn += per_chunk)
            tell(context, descriptor_chunk(d, true, k, mn / per_chunk));
    for (uint32_t mn = first; !mn_major && mn < first + count; mn++)
        for (uint32_t chunk = 0; chunk < 2; chunk++)
            tell(context, descriptor_chunk(d, false, mn, chunk));
}

#endif
