/* tensor.c: tensor copies in tiled mode (PTX ISA, section 5.5.3): a box of a tensor in global memory to or
 * from shared memory, where it lies densely, innermost dimension first, its 16-byte chunks swizzled.
 *
 * A box is walked row by row, a row being the elements along dimension 0. For each row the walk says where it
 * lies in both memories and which bytes of it are inside the tensor; load, store and reduce differ only in
 * what they do with that. */
#include "emu/async/async.h"
#include "emu/async/swizzle.h"
#include "emu/num/num.h"

enum { LINE_BYTES = 128, SHARED_LIMIT = 1 << 18 }; /* shared memory addresses fit 18 bits */

/* One row of a box. Bytes [inside, inside_end) of it are inside the tensor; global points at byte `inside`.
 */
typedef struct box_row {
    uint32_t smem_offset; /* before swizzling, from the box's first byte */
    uint32_t inside, inside_end;
    uint8_t *global; /* NULL when no byte is inside */
} box_row;

typedef struct box_walk {
    const emu_tensor *map;
    const int32_t *coord;
    const async_global *global;
    uint32_t row_bytes;
    uint32_t index[EMU_TENSOR_MAX_RANK]; /* of the row in the box; index[0] unused */
    uint32_t inside, inside_end;         /* the same for every row: clipping along dimension 0 */
    box_row row;
} box_walk;

/* ---- the walk ----------------------------------------------------------------------------------------- */

static uint64_t box_bytes(const emu_tensor *map)
{
    uint64_t bytes = async_element_bytes(map->element);
    for (uint32_t d = 0; d < map->rank; d++)
        bytes *= map->box[d];
    return bytes;
}

uint32_t async_tensor_box_bytes(const emu_tensor *map)
{
    uint64_t bytes = box_bytes(map);
    return bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes;
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

static bool walk_start(box_walk *walk, const emu_tensor *map, const int32_t *coord, uint32_t smem_address,
                       const async_global *global, const char **error)
{
    if (smem_address % LINE_BYTES != 0) {
        *error = "the shared address of a tensor copy is not a multiple of 128";
        return false;
    }
    if (box_bytes(map) > SHARED_LIMIT) {
        *error = "the box of a tensor copy is larger than shared memory";
        return false;
    }
    uint32_t element = async_element_bytes(map->element);
    int64_t box = map->box[0], extent = (int64_t)map->extent[0];
    *walk = (box_walk){.map = map, .coord = coord, .global = global, .row_bytes = map->box[0] * element};
    walk->inside = element * (uint32_t)clamp(-(int64_t)coord[0], 0, box);
    walk->inside_end = element * (uint32_t)clamp(extent - coord[0], 0, box);
    return true;
}

/* Device address of byte `inside` of the current row. False when the row is outside the tensor. */
static bool row_address(const box_walk *walk, uint64_t *address)
{
    const emu_tensor *map = walk->map;
    if (walk->inside >= walk->inside_end)
        return false;
    uint32_t element = async_element_bytes(map->element);
    *address = map->address + (uint64_t)(int64_t)walk->coord[0] * element + walk->inside;
    for (uint32_t d = 1; d < map->rank; d++) {
        int64_t at = (int64_t)walk->coord[d] + walk->index[d];
        if (at < 0 || (uint64_t)at >= map->extent[d])
            return false;
        *address += (uint64_t)at * map->stride_bytes[d - 1];
    }
    return true;
}

static bool row_locate(box_walk *walk, const char **error)
{
    uint64_t address;
    walk->row.global = NULL;
    walk->row.inside = walk->row.inside_end = 0;
    if (!row_address(walk, &address))
        return true;
    uint32_t bytes = walk->inside_end - walk->inside;
    walk->row.inside = walk->inside;
    walk->row.inside_end = walk->inside_end;
    walk->row.global = walk->global->map(walk->global->ctx, address, bytes);
    if (!walk->row.global)
        *error = "a tensor copy leaves its allocation in global memory";
    return walk->row.global != NULL;
}

/* Moves on to the next row; false after the last. */
static bool walk_next(box_walk *walk)
{
    walk->row.smem_offset += walk->row_bytes;
    for (uint32_t d = 1; d < walk->map->rank; d++) {
        if (++walk->index[d] < walk->map->box[d])
            return true;
        walk->index[d] = 0;
    }
    return false;
}

/* ---- what happens to a row ------------------------------------------------------------------------------
 */

/* The stretch of a row, from byte `at` to at most `end`, that is in one piece in swizzled shared memory. */
typedef struct row_piece {
    uint32_t smem; /* offset from the box's first byte */
    uint32_t bytes;
} row_piece;

static inline row_piece piece_at(const box_walk *walk, uint32_t smem_address, uint32_t at, uint32_t end)
{
    uint32_t offset = walk->row.smem_offset + at, bytes = end - at;
    if (walk->map->swizzle == EMU_SWIZZLE_NONE)
        return (row_piece){offset, bytes};
    uint32_t chunk_left = 16 - offset % 16;
    uint32_t swizzled = swizzle_address(walk->map->swizzle, smem_address + offset) - smem_address;
    return (row_piece){swizzled, bytes < chunk_left ? bytes : chunk_left};
}

static void row_load(const box_walk *walk, uint8_t *smem, uint32_t smem_address)
{
    const box_row *row = &walk->row;
    row_piece piece;
    if (row->inside_end - row->inside < walk->row_bytes)
        for (uint32_t at = 0; at < walk->row_bytes; at += piece.bytes) {
            piece = piece_at(walk, smem_address, at, walk->row_bytes);
            memset(smem + piece.smem, 0, piece.bytes);
        }
    for (uint32_t at = row->inside; at < row->inside_end; at += piece.bytes) {
        piece = piece_at(walk, smem_address, at, row->inside_end);
        memcpy(smem + piece.smem, row->global + (at - row->inside), piece.bytes);
    }
}

static void row_store(const box_walk *walk, const uint8_t *smem, uint32_t smem_address)
{
    const box_row *row = &walk->row;
    row_piece piece;
    for (uint32_t at = row->inside; at < row->inside_end; at += piece.bytes) {
        piece = piece_at(walk, smem_address, at, row->inside_end);
        memcpy(row->global + (at - row->inside), smem + piece.smem, piece.bytes);
    }
}

static bool row_reduce(const box_walk *walk, async_reduction reduction, const uint8_t *smem,
                       uint32_t smem_address, const char **error)
{
    const box_row *row = &walk->row;
    emu_element element = walk->map->element;
    uint32_t element_bytes = async_element_bytes(element);
    row_piece piece;
    for (uint32_t at = row->inside; at < row->inside_end; at += piece.bytes) {
        piece = piece_at(walk, smem_address, at, row->inside_end);
        if (!async_reduce(element, reduction, row->global + (at - row->inside), smem + piece.smem,
                          piece.bytes / element_bytes, error))
            return false;
    }
    return true;
}

/* ---- the three operations --------------------------------------------------------------------------------
 */

bool async_tensor_load(const emu_tensor *map, const int32_t *coord, uint8_t *smem, uint32_t smem_address,
                       const async_global *global, const char **error)
{
    box_walk walk;
    if (!walk_start(&walk, map, coord, smem_address, global, error))
        return false;
    do {
        if (!row_locate(&walk, error))
            return false;
        row_load(&walk, smem, smem_address);
    } while (walk_next(&walk));
    return true;
}

bool async_tensor_store(const emu_tensor *map, const int32_t *coord, const uint8_t *smem,
                        uint32_t smem_address, const async_global *global, const char **error)
{
    box_walk walk;
    if (!walk_start(&walk, map, coord, smem_address, global, error))
        return false;
    do {
        if (!row_locate(&walk, error))
            return false;
        row_store(&walk, smem, smem_address);
    } while (walk_next(&walk));
    return true;
}

bool async_tensor_reduce(const emu_tensor *map, const int32_t *coord, async_reduction reduction,
                         const uint8_t *smem, uint32_t smem_address, const async_global *global,
                         const char **error)
{
    box_walk walk;
    if (!walk_start(&walk, map, coord, smem_address, global, error))
        return false;
    do {
        if (!row_locate(&walk, error) || !row_reduce(&walk, reduction, smem, smem_address, error))
            return false;
    } while (walk_next(&walk));
    return true;
}
