/* wgmma.c: one warp's part of wgmma.mma_async: checks the shape, walks D block by block, and moves
 * accumulators between their fragment in registers and rows. Operands are operand.c's business, arithmetic
 * tensor_core.c's.
 *
 * D's fragment (PTX ISA, section 9.7.15.5.1.1; r a row of the warp's 16, c a column):
 *
 *   lane      4 * (r % 8) + (c % 8) / 2
 *   register  f32, s32: 4 * (c / 8) + 2 * (r / 8) + c % 2
 *             f16:      2 * (c / 8) + r / 8, in the half c % 2
 */
#include "emu/async/async.h"
#include "emu/async/tensor_core.h"

enum { WARP_ROWS = 16, MAX_N = 256 };

/* ---- checks -------------------------------------------------------------------------------------- */

/* The combinations of wgmma.mma_async (PTX ISA, section 9.7.15.5.2), with FP8 and integer types each a
 * family. */
typedef enum family { HALF, BRAIN, TENSOR, EIGHT, INTEGER, ACCUMULATOR } family;

static family family_of(async_type type)
{
    static const family families[] = {
        [ASYNC_F16] = HALF,   [ASYNC_BF16] = BRAIN,      [ASYNC_TF32] = TENSOR,
        [ASYNC_E4M3] = EIGHT, [ASYNC_E5M2] = EIGHT,      [ASYNC_S8] = INTEGER,
        [ASYNC_U8] = INTEGER, [ASYNC_F32] = ACCUMULATOR, [ASYNC_S32] = ACCUMULATOR,
    };
    return families[type];
}

static bool is_accumulator_of(async_type d, family operands)
{
    if (operands == INTEGER)
        return d == ASYNC_S32;
    return d == ASYNC_F32 || (d == ASYNC_F16 && (operands == HALF || operands == EIGHT));
}

static const char *check_shape(const async_wgmma *shape)
{
    if ((unsigned)shape->a > ASYNC_S32 || (unsigned)shape->b > ASYNC_S32)
        return "wgmma: unknown operand type";
    family operands = family_of(shape->a);
    if (operands == ACCUMULATOR || operands != family_of(shape->b))
        return "wgmma: operand types do not go together";
    if (!is_accumulator_of(shape->d, operands))
        return "wgmma: the accumulator type does not go with the operands";
    if (shape->n < 8 || shape->n > MAX_N || shape->n % 8 != 0)
        return "wgmma: N is not a multiple of 8 from 8 to 256";
    if (operands == INTEGER && shape->n > 32 && shape->n % 16 != 0)
        return "wgmma: N of integer operands above 32 is not a multiple of 16";
    if (shape->k != 32u / operand_format_of(shape->a)->bytes)
        return "wgmma: K does not go with the operand type";
    if ((shape->a_mn_major || shape->b_mn_major) && operands != HALF && operands != BRAIN)
        return "wgmma: only 16-bit operands may be MN-major";
    return NULL;
}

uint32_t async_wgmma_d_registers(const async_wgmma *shape)
{
    return shape->d == ASYNC_F16 ? shape->n / 4 : shape->n / 2;
}

/* ---- fragments ----------------------------------------------------------------------------------- */

/* The four lanes that hold a row's part of a register. */
static uint32_t *lanes_of(uint32_t *d, uint32_t index, uint32_t row)
{
    return d + (size_t)index * 32 + (size_t)(row % 8) * 4;
}

/* Columns first .. first + count - 1 of a row, from registers and back. */

static void row_gather_words(uint32_t *d, uint32_t row, uint32_t first, uint32_t count, uint32_t *values)
{
    for (uint32_t c = 0; c < count; c += 8) {
        uint32_t index = (first + c) / 2 + row / 8 * 2;
        const uint32_t *even = lanes_of(d, index, row), *odd = lanes_of(d, index + 1, row);
        for (uint32_t lane = 0; lane < 4; lane++) {
            values[c + 2 * lane] = even[lane];
            values[c + 2 * lane + 1] = odd[lane];
        }
    }
}

static void row_scatter_words(uint32_t *d, uint32_t row, uint32_t first, uint32_t count,
                              const uint32_t *values)
{
    for (uint32_t c = 0; c < count; c += 8) {
        uint32_t index = (first + c) / 2 + row / 8 * 2;
        uint32_t *even = lanes_of(d, index, row), *odd = lanes_of(d, index + 1, row);
        for (uint32_t lane = 0; lane < 4; lane++) {
            even[lane] = values[c + 2 * lane];
            odd[lane] = values[c + 2 * lane + 1];
        }
    }
}

static void row_gather_halves(uint32_t *d, uint32_t row, uint32_t first, uint32_t count, uint32_t *values)
{
    for (uint32_t c = 0; c < count; c += 8) {
        const uint32_t *both = lanes_of(d, (first + c) / 4 + row / 8, row);
        for (uint32_t lane = 0; lane < 4; lane++) {
            values[c + 2 * lane] = both[lane] & 0xffff;
            values[c + 2 * lane + 1] = both[lane] >> 16;
        }
    }
}

static void row_scatter_halves(uint32_t *d, uint32_t row, uint32_t first, uint32_t count,
                               const uint32_t *values)
{
    for (uint32_t c = 0; c < count; c += 8) {
        uint32_t *both = lanes_of(d, (first + c) / 4 + row / 8, row);
        for (uint32_t lane = 0; lane < 4; lane++)
            both[lane] = values[c + 2 * lane] | values[c + 2 * lane + 1] << 16;
    }
}

/* ---- the multiplication -------------------------------------------------------------------------- */

static void multiply_block(const async_wgmma *shape, const operand_slab *a, const operand_slab *b,
                           uint32_t first, uint32_t count, uint32_t *d)
{
    const bool halves = shape->d == ASYNC_F16;
    for (uint32_t row = 0; row < WARP_ROWS; row++) {
        uint32_t values[SLAB_WIDTH] = {0};
        if (shape->scale_d && halves)
            row_gather_halves(d, row, first, count, values);
        else if (shape->scale_d)
            row_gather_words(d, row, first, count, values);
        if (shape->d == ASYNC_S32)
            tensor_core_row_s32(a, row, b, shape->saturate, values);
        else
            tensor_core_row(a, row, b, shape->d, values);
        if (halves)
            row_scatter_halves(d, row, first, count, values);
        else
            row_scatter_words(d, row, first, count, values);
    }
}

static bool fail(const char **error, const char *what)
{
    *error = what;
    return false;
}

/* NOLINTNEXTLINE(readability-function-size): as many operands as the instruction has */
bool async_wgmma_run(const async_wgmma *shape, uint32_t warp, const uint8_t *smem, uint32_t smem_bytes,
                     uint64_t desc_a, uint64_t desc_b, const uint32_t *a_regs, uint32_t *d,
                     const char **error)
{
    const char *wrong = check_shape(shape);
    if (wrong)
        return fail(error, wrong);
    if (a_regs && shape->a_mn_major)
        return fail(error, "wgmma: A in registers cannot be M-major");
    operand_source source_a = {shape->a, shape->a_mn_major, shape->scale_a < 0,
                               smem,     smem_bytes,        descriptor_decode(desc_a)};
    operand_source source_b = {shape->b, shape->b_mn_major, shape->scale_b < 0,
                               smem,     smem_bytes,        descriptor_decode(desc_b)};
    operand_slab a, b;
    if (a_regs)
        operand_from_registers(&a, &source_a, a_regs);
    else if (!operand_load(&a, &source_a, WARP_ROWS * warp, WARP_ROWS))
        return fail(error, "wgmma: the descriptor of A leads outside shared memory");
    for (uint32_t first = 0; first < shape->n; first += SLAB_WIDTH) {
        uint32_t count = shape->n - first < SLAB_WIDTH ? shape->n - first : SLAB_WIDTH;
        if (!operand_load(&b, &source_b, first, count))
            return fail(error, "wgmma: the descriptor of B leads outside shared memory");
        multiply_block(shape, &a, &b, first, count, d);
    }
    return true;
}

void async_wgmma_chunks(const async_wgmma *shape, uint32_t warp, uint64_t desc_a, uint64_t desc_b,
                        bool a_in_registers, async_chunk *tell, void *context)
{
    descriptor a = descriptor_decode(desc_a), b = descriptor_decode(desc_b);
    if (!a_in_registers)
        descriptor_chunks(&a, shape->a_mn_major, WARP_ROWS * warp, WARP_ROWS, tell, context);
    descriptor_chunks(&b, shape->b_mn_major, 0, shape->n, tell, context);
}
