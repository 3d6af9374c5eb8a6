/* swizzle: where the 32-, 64- and 128-byte swizzles put a byte.
 *
 * TMA, wgmma and tcgen05 share these layouts. With 128 bytes: rows of 128 bytes, eight rows an atom of 1024;
 * within an atom, the 16-byte chunk c of row r lies in place c ^ r, so that eight rows' equal chunks fall
 * into eight different banks. The narrower ones have rows of 64 and 32 bytes, eight rows an atom of 512 and
 * 256, and exclusive-or the chunk with the number of the 128-byte line in the atom.
 *
 *     byte    ... 10 | 9 8 7 | 6 5 4             | 3 2 1 0     line of 128 bytes = bits 7-9, chunk = bits 4-6
 *     128 B   ... 10 | 9 8 7 | (6 5 4) ^ (9 8 7) | 3 2 1 0
 *     64 B    ... 10 | 9 8 7 | 6 (5 4) ^ (8 7)   | 3 2 1 0
 *     32 B    ... 10 | 9 8 7 | 6 5 (4 ^ 7)       | 3 2 1 0 */
#ifndef WW_SWIZZLE_CUH
#define WW_SWIZZLE_CUH

#include "types.h"

namespace ww
{

/* The place of byte `offset`, counted from a 1024-byte aligned tile of 128-byte rows. Its own inverse. */
WW_HOST_DEVICE constexpr uint32_t swizzle_128(uint32_t offset)
{
    return offset ^ (((offset >> 7) & 7u) << 4);
}

/* The same for rows of 64 bytes, from a tile aligned to 512. */
WW_HOST_DEVICE constexpr uint32_t swizzle_64(uint32_t offset)
{
    return offset ^ (((offset >> 7) & 3u) << 4);
}

/* The same for rows of 32 bytes, from a tile aligned to 256. */
WW_HOST_DEVICE constexpr uint32_t swizzle_32(uint32_t offset)
{
    return offset ^ (((offset >> 7) & 1u) << 4);
}

} // namespace ww

#endif
