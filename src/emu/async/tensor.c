/* tensor.c: tensor copies in tiled mode (PTX ISA, section 5.5.3): a box of a tensor in global memory to
 * or from shared memory, where it lies densely, innermost dimension first, its 16-byte chunks swizzled.
 *
 * A box is walked row by row, a row being the elements along dimension 0. For each row the walk says
 * where it lies in both memories and which bytes of it are inside the tensor; load, store and reduce
 * differ only in what they do with that.
 *
 * Compared with an H200, byte for byte, on random tensors of all element types, ranks and swizzles: 1,500
 * loads, 800 stores, and 20 to 30 of each reduction that it carries out. */
#include "emu/async/async.h"
#include "emu/async/swizzle.h"
#include "emu/num/num.h"

enum { CHUNK_BYTES = 16, LINE_BYTES = 128, SHARED_LIMIT = 1 << 18 }; /* shared addresses fit 18 bits */

/* How a row is clipped where the tensor ends along dimension 0. Loads clip by elements; stores and
 * reductions by whole chunks, so that up to 15 bytes after the end of a row are written with what shared
 * memory holds (seen on an H200). */
typedef enum clip_unit { CLIP_ELEMENTS, CLIP_CHUNKS } clip_unit;

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
    uint32_t row_bytes, pitch;           /* of a row in shared memory, and from one row to the next */
    uint32_t index[EMU_TENSOR_MAX_RANK]; /* of the row in the box; index[0] unused */
    uint32_t inside, inside_end;         /* the same for every row: clipping along dimension 0 */
    uint32_t padding;                    /* bytes of them after the end of the tensor's rows */
    box_row row;
} box_walk;

/* ---- the walk ------------------------------------------------------------------------------------ */

static uint64_t box_bytes(const emu_tensor *map)
{
    uint64_t bytes = async_element_bytes(map->element);
    for (uint32_t d = 0; d < map->rank; d++)
        bytes *= map->box[d];
    return bytes;
}

/* Rows shorter than the swizzle span still lie a span apart. */
static uint32_t row_pitch(const emu_tensor *map)
{
    uint32_t row = map->box[0] * async_element_bytes(map->element);
    return map->swizzle == EMU_SWIZZLE_NONE ? row : round_up(row, swizzle_span(map->swizzle));
}

static uint32_t saturate(uint64_t bytes)
{
    return bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes;
}

uint32_t async_tensor_box_bytes(const emu_tensor *map)
{
    return saturate(box_bytes(map));
}

uint32_t async_tensor_box_span(const emu_tensor *map)
{
    uint64_t row = (uint64_t)map->box[0] * async_element_bytes(map->element);
    return saturate(box_bytes(map) / row * row_pitch(map));
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* What an H200 answers with a trap (its "illegal instruction"), as an error text; NULL when all is well. */
static const char *check_copy(const emu_tensor *map, const int32_t *coord, uint32_t smem_address,
                              clip_unit unit)
{
    if (smem_address % LINE_BYTES != 0)
        return "the shared address of a tensor copy is not a multiple of 128";
    if (async_tensor_box_span(map) > SHARED_LIMIT)
        return "the box of a tensor copy is larger than shared memory";
    if ((int64_t)coord[0] * async_element_bytes(map->element) % CHUNK_BYTES != 0)
        return "the innermost coordinate of a tensor copy is not a multiple of 16 bytes";
    for (uint32_t d = 0; d < map->rank && unit == CLIP_CHUNKS; d++)
        if (coord[d] < 0)
            return "a coordinate of a tensor store or reduction is negative";
    return NULL;
}

static bool walk_start(box_walk *walk, const emu_tensor *map, const int32_t *coord, uint32_t smem_address,
                       const async_global *global, clip_unit unit, const char **error)
{
    const char *wrong = check_copy(map, coord, smem_address, unit);
    if (wrong) {
        *error = wrong;
        return false;
    }
    uint32_t element = async_element_bytes(map->element), row_bytes = map->box[0] * element;
    int64_t first = (int64_t)coord[0] * element, end = (int64_t)map->extent[0] * element;
    int64_t end_written = unit == CLIP_CHUNKS ? (end + CHUNK_BYTES - 1) / CHUNK_BYTES * CHUNK_BYTES : end;
    *walk = (box_walk){
        .map = map,
        .coord = coord,
        .global = global,
        .row_bytes = row_bytes,
        .pitch = row_pitch(map),
        .inside = (uint32_t)clamp(-first, 0, row_bytes),
        .inside_end = (uint32_t)clamp(end_written - first, 0, row_bytes),
    };
    walk->padding = walk->inside_end - (uint32_t)clamp(end - first, 0, row_bytes);
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

/* Finds the row in global memory. Padding that a store would write past the end of an allocation is left
 * out: on the hardware it falls on bytes that nobody owns. */
static bool row_locate(box_walk *walk, const char **error)
{
    const async_global *global = walk->global;
    box_row *row = &walk->row;
    uint64_t address;
    row->global = NULL;
    row->inside = row->inside_end = 0;
    if (!row_address(walk, &address))
        return true;
    row->inside = walk->inside;
    row->inside_end = walk->inside_end;
    row->global = global->map(global->ctx, address, row->inside_end - row->inside);
    if (!row->global && walk->padding) {
        row->inside_end -= walk->padding;
        row->global = global->map(global->ctx, address, row->inside_end - row->inside);
    }
    if (!row->global)
        *error = "a tensor copy leaves its allocation in global memory";
    return row->global != NULL;
}

/* Moves on to the next row; false after the last. */
static bool walk_next(box_walk *walk)
{
    walk->row.smem_offset += walk->pitch;
    for (uint32_t d = 1; d < walk->map->rank; d++) {
        if (++walk->index[d] < walk->map->box[d])
            return true;
        walk->index[d] = 0;
    }
    return false;
}

/* ---- what happens to a row ----------------------------------------------------------------------- */

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

/* A load of a tf32 type rounds; the FTZ types keep subnormals all the same. */
static void round_loaded(emu_element element, uint8_t *at, uint32_t bytes)
{
    if (element != EMU_TF32 && element != EMU_TF32_FTZ)
        return;
    for (uint8_t *end = at + bytes; at != end; at += 4) {
        uint32_t word;
        memcpy(&word, at, sizeof word);
        word = num_tf32_round(num_f32_from_bits(word), NUM_RN, 0);
        memcpy(at, &word, sizeof word);
    }
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
        round_loaded(walk->map->element, smem + piece.smem, piece.bytes);
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

/* ---- the three operations ------------------------------------------------------------------------ */

bool async_tensor_load(const emu_tensor *map, const int32_t *coord, uint8_t *smem, uint32_t smem_address,
                       const async_global *global, const char **error)
{
    box_walk walk;
    if (!walk_start(&walk, map, coord, smem_address, global, CLIP_ELEMENTS, error))
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
    if (!walk_start(&walk, map, coord, smem_address, global, CLIP_CHUNKS, error))
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
    if (!walk_start(&walk, map, coord, smem_address, global, CLIP_CHUNKS, error))
        return false;
    do {
        if (!row_locate(&walk, error) || !row_reduce(&walk, reduction, smem, smem_address, error))
            return false;
    } while (walk_next(&walk));
    return true;
}
