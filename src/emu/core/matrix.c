/* matrix.c: matrices of a warp: ldmatrix, stmatrix, movmatrix and mma.sync (PTX ISA, section 9.7.14).
 *
 * An 8x8 matrix of 16-bit elements has its rows in lanes 4r .. 4r+3, two elements each: element (r, c) is half c % 2
 * of lane 4r + c / 2. In memory each row is 16 bytes anywhere; lanes 8i .. 8i+7 give the addresses of the rows
 * of matrix i. */
#include "emu/async/async.h"
#include "emu/core/core.h"
#include "emu/core/decode.h"

enum { ROWS = 8, ROW_BYTES = 16 };

/* False while lanes of the warp are still to come. */
static bool whole_warp(warp *w, uint32_t mask)
{
    if (!divergence_aligned(w, mask))
        return false;
    if (mask != ALL_LANES)
        warp_fault(w, "executed by lanes 0x%08x: the whole warp is needed", mask);
    return true;
}

/* Where element (row, column) is: the half of a lane, lane * 2 + half. */
static uint32_t fragment_index(uint32_t row, uint32_t column)
{
    return (row * 4 + column / 2) * 2 + column % 2;
}

/* ---- ldmatrix, stmatrix ------------------------------------------------------------------------------- */

/* Row pointers of the op's matrices, 8 each. Lanes beyond give no addresses. */
static void row_pointers(warp *w, const op *o, memory_access access, uint8_t **at)
{
    uint32_t lanes = o->count * ROWS;
    memory_lanes(w, o, lanes == WARP_LANES ? ALL_LANES : (UINT32_C(1) << lanes) - 1, ROW_BYTES, access, at);
}

static void run_ldmatrix(warp *w, const op *o, uint32_t mask)
{
    uint8_t *at[WARP_LANES];
    uint16_t loaded[4][2 * WARP_LANES];
    bool trans = o->modifiers & MOD(TRANS);
    if (!whole_warp(w, mask))
        return;
    row_pointers(w, o, MEMORY_READ, at);
    for (uint32_t m = 0; m < o->count; m++)
        for (uint32_t r = 0; r < ROWS; r++)
            for (uint32_t c = 0; c < ROWS; c++)
                memcpy(&loaded[m][trans ? fragment_index(c, r) : fragment_index(r, c)],
                       at[m * ROWS + r] + 2 * c, 2);
    for (uint32_t m = 0; m < o->count; m++)
        memcpy(REG(w, o->list[m]), loaded[m], sizeof loaded[m]);
}

static void run_stmatrix(warp *w, const op *o, uint32_t mask)
{
    uint8_t *at[WARP_LANES];
    bool trans = o->modifiers & MOD(TRANS);
    if (!whole_warp(w, mask))
        return;
    row_pointers(w, o, MEMORY_WRITE, at);
    for (uint32_t m = 0; m < o->count; m++) {
        const uint16_t *from = REG(w, o->list[m]);
        for (uint32_t r = 0; r < ROWS; r++)
            for (uint32_t c = 0; c < ROWS; c++)
                memcpy(at[m * ROWS + r] + 2 * c, &from[trans ? fragment_index(c, r) : fragment_index(r, c)],
                       2);
    }
    cluster_effect(CLUSTER(w));
}

static bool finish_matrices(decoder *d, op *o, const opcode *code, bool load)
{
    const ptx_instruction *i = d->instruction;
    ptx_space ignored = PTX_SHARED;
    o->count = (uint8_t)opcode_number(code, 'x', 0);
    o->run = load ? run_ldmatrix : run_stmatrix;
    if (i->operand_count != 2 || (o->count != 1 && o->count != 2 && o->count != 4))
        return decode_refuse(d, "operands of this form");
    uint32_t *list = decode_list(d, o->count);
    o->list = list;
    o->list_len = o->count;
    if (o->space == PTX_GENERIC)
        o->space = PTX_SHARED;
    return decode_vector(d, &i->operands[load ? 0 : 1], load, 32, PTX_B32, list, o->count) &&
           decode_address(d, &i->operands[load ? 1 : 0], &o->address[0], &ignored);
}

static bool finish_ldmatrix(decoder *d, op *o, const opcode *code)
{
    return finish_matrices(d, o, code, true);
}

static bool finish_stmatrix(decoder *d, op *o, const opcode *code)
{
    return finish_matrices(d, o, code, false);
}

const op_family family_ldmatrix = {.finish = finish_ldmatrix};
const op_family family_stmatrix = {.finish = finish_stmatrix};

/* movmatrix: transposes. */
static void run_movmatrix(warp *w, const op *o, uint32_t mask)
{
    uint16_t *d = REG(w, o->arg[0]), from[2 * WARP_LANES];
    if (!whole_warp(w, mask))
        return;
    memcpy(from, REG(w, o->arg[1]), sizeof from);
    for (uint32_t r = 0; r < ROWS; r++)
        for (uint32_t c = 0; c < ROWS; c++)
            d[fragment_index(c, r)] = from[fragment_index(r, c)];
}

const op_family family_movmatrix = {.any = run_movmatrix};

/* ---- mma.sync ----------------------------------------------------------------------------------------- */

/* mma.m16n8 is a warp's part of a wgmma with n = 8 and A in registers: their fragments are the same. B, which mma
 * has in registers, is laid out in memory as wgmma wants it: K-major without swizzle, 16-byte chunks of eight
 * rows, one chunk after the other. */
typedef struct mma_form {
    async_wgmma shape;
    uint32_t a_count, b_count, d_count;
} mma_form;

enum { LEADING_BYTES = 128, B_BYTES = 256 };
#define B_DESCRIPTOR ((uint64_t)(LEADING_BYTES >> 4) << 16 | (uint64_t)(B_BYTES >> 4) << 32)

/* Register i of lane l holds 4 bytes of column l / 4, at byte 16 * i + 4 * (l % 4) along K. */
static void lay_out_b(const warp *w, const op *o, const mma_form *form, uint8_t *b)
{
    memset(b, 0, B_BYTES);
    for (uint32_t i = 0; i < form->b_count; i++) {
        const uint32_t *from = REG(w, o->list[form->d_count + form->a_count + i]);
        for (uint32_t lane = 0; lane < WARP_LANES; lane++)
            memcpy(b + i * LEADING_BYTES + lane / 4 * 16 + lane % 4 * 4, &from[lane], 4);
    }
}

/* list: D, A, B, C */
static void run_mma(warp *w, const op *o, uint32_t mask)
{
    const mma_form *form = o->extra;
    uint32_t d[4 * WARP_LANES], a[4 * WARP_LANES] = {0};
    uint8_t b[B_BYTES];
    const char *error = NULL;
    if (!whole_warp(w, mask))
        return;
    const uint32_t *c_list = o->list + form->d_count + form->a_count + form->b_count;
    for (uint32_t i = 0; i < form->d_count; i++)
        memcpy(d + i * WARP_LANES, REG(w, c_list[i]), sizeof(uint32_t) * WARP_LANES);
    for (uint32_t i = 0; i < form->a_count; i++)
        memcpy(a + i * WARP_LANES, REG(w, o->list[form->d_count + i]), sizeof(uint32_t) * WARP_LANES);
    lay_out_b(w, o, form, b);
    if (!async_wgmma_run(&form->shape, 0, b, B_BYTES, 0, B_DESCRIPTOR, a, d, &error))
        warp_fault(w, "%s", error);
    for (uint32_t i = 0; i < form->d_count; i++)
        memcpy(REG(w, o->list[i]), d + i * WARP_LANES, sizeof(uint32_t) * WARP_LANES);
}

/* The shapes that fit: half a K is a K with zeros behind it. */
static const struct mma_row {
    const char *shape;
    ptx_type operand;
    async_type element;
    uint8_t k, a_count, b_count;
} mma_rows[] = {
    {"m16n8k16", PTX_F16, ASYNC_F16, 16, 4, 2},   {"m16n8k16", PTX_BF16, ASYNC_BF16, 16, 4, 2},
    {"m16n8k8", PTX_F16, ASYNC_F16, 16, 2, 1},    {"m16n8k8", PTX_BF16, ASYNC_BF16, 16, 2, 1},
    {"m16n8k8", PTX_TF32, ASYNC_TF32, 8, 4, 2},   {"m16n8k4", PTX_TF32, ASYNC_TF32, 8, 2, 1},
    {"m16n8k32", PTX_S8, ASYNC_S8, 32, 4, 2},     {"m16n8k32", PTX_U8, ASYNC_U8, 32, 4, 2},
    {"m16n8k16", PTX_S8, ASYNC_S8, 32, 2, 1},     {"m16n8k16", PTX_U8, ASYNC_U8, 32, 2, 1},
    {"m16n8k32", PTX_E4M3, ASYNC_E4M3, 32, 4, 2}, {"m16n8k32", PTX_E5M2, ASYNC_E5M2, 32, 4, 2},
};

static bool find_form(decoder *d, const opcode *code, mma_form *form)
{
    const struct mma_row *a = NULL, *b = NULL;
    for (size_t i = 0; i < ARRAY_LEN(mma_rows) && code->type_count == 4; i++) {
        if (!opcode_has(code, mma_rows[i].shape))
            continue;
        if (mma_rows[i].operand == code->types[1])
            a = &mma_rows[i];
        if (mma_rows[i].operand == code->types[2])
            b = &mma_rows[i];
    }
    if (!a || !b || code->types[0] != code->types[3])
        return decode_refuse(d, "an mma of this shape and these types");
    ptx_type result = code->types[0];
    form->shape = (async_wgmma){.n = 8, .k = a->k, .a = a->element, .b = b->element, .scale_d = true};
    form->shape.scale_a = form->shape.scale_b = 1;
    form->shape.saturate = opcode_has(code, "satfinite");
    form->shape.d = result == PTX_F16 ? ASYNC_F16 : result == PTX_S32 ? ASYNC_S32 : ASYNC_F32;
    form->a_count = a->a_count;
    form->b_count = b->b_count;
    form->d_count = async_wgmma_d_registers(&form->shape);
    return true;
}

static bool finish_mma(decoder *d, op *o, const opcode *code)
{
    const ptx_instruction *i = d->instruction;
    mma_form *form = arena_new(d->arena, mma_form);
    o->extra = form;
    o->run = run_mma;
    if (i->operand_count != 4 || !find_form(d, code, form))
        return decode_refuse(d, "an mma of this form");
    uint32_t a = form->d_count, b = a + form->a_count, c = b + form->b_count;
    uint32_t *list = decode_list(d, c + form->d_count);
    o->list = list;
    o->list_len = c + form->d_count;
    return decode_vector(d, &i->operands[0], true, 32, PTX_F32, list, form->d_count) &&
           decode_vector(d, &i->operands[1], false, 32, PTX_B32, list + a, form->a_count) &&
           decode_vector(d, &i->operands[2], false, 32, PTX_B32, list + b, form->b_count) &&
           decode_vector(d, &i->operands[3], false, 32, PTX_F32, list + c, form->d_count);
}

const op_family family_mma = {.finish = finish_mma};
