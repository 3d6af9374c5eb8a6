/* swizzle: where the 128-byte swizzle puts a byte.
 *
 * TMA and wgmma share the layout: rows of 128 bytes, eight rows an atom of 1024; within an atom, the 16-byte
 * chunk c of row r lies in place c ^ r, so that eight rows' equal chunks fall into eight different banks.
 *
 *     byte   ... 10 | 9 8 7 | 6 5 4 | 3 2 1 0      row in the atom = bits 7-9, chunk = bits 4-6
 *     image  ... 10 | 9 8 7 | (6 5 4) ^ (9 8 7) | 3 2 1 0 */
#ifndef WW_SWIZZLE_CUH
#define WW_SWIZZLE_CUH

#include "types.h"

namespace ww
{

/* The place of byte `offset`, counted from a 1024-byte aligned tile of 128-byte rows. Its own inverse. */
WW_HOST_DEVICE uint32_t swizzle_128(uint32_t offset)
{
    return offset ^ (((offset >> 7) & 7u) << 4);
}

} // namespace ww

#endif
