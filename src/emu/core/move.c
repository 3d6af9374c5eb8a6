/* move.c: mov in all its forms, and addresses of one space seen from another (PTX ISA, sections 9.7.9.3 to
 * 9.7.9.5, 9.7.9.20, and 9.7.9.23, 9.7.9.24 for clusters). */
#include "emu/core/decode.h"
#include "emu/core/special.h"

/* ---- mov ---------------------------------------------------------------------------------------------- */

HANDLER_1(mov_16, uint16_t, uint16_t, a)
HANDLER_1(mov_32, uint32_t, uint32_t, a)
HANDLER_1(mov_64, uint64_t, uint64_t, a)

static void mov_128(warp *w, const op *o, uint32_t mask)
{
    uint8_t *d = REG(w, o->arg[0]);
    const uint8_t *a = REG(w, o->arg[1]);
    EACH_LANE(mask)
    {
        memmove(d + 16 * lane, a + 16 * lane, 16);
    }
}

static void mov_pred(warp *w, const op *o, uint32_t mask)
{
    predicate_write(&PREDICATE(w, o->arg[0]), mask, PREDICATE_READ(w, o->arg[1]));
}

static void mov_moving(warp *w, const op *o, uint32_t mask)
{
    uint64_t value = special_moving_value(w, (ptx_special)o->choice);
    void *d = REG(w, o->arg[0]);
    EACH_LANE(mask)
    {
        if (o->width == 8)
            ((uint64_t *)d)[lane] = value;
        else
            ((uint32_t *)d)[lane] = (uint32_t)value;
    }
}

/* {a, b} to one register, the first element lowest; list holds the elements, o->width the bytes of each. */
static void mov_pack(warp *w, const op *o, uint32_t mask)
{
    uint32_t element = o->width, whole = element * o->count;
    uint8_t *d = REG(w, o->arg[0]);
    uint32_t stride = element == 1 ? 2 : element;
    EACH_LANE(mask)
    {
        uint8_t all[16];
        for (uint32_t i = 0; i < o->count; i++)
            memcpy(all + i * element, (const uint8_t *)REG(w, o->list[i]) + lane * stride, element);
        memcpy(d + lane * whole, all, whole);
    }
}

static void mov_unpack(warp *w, const op *o, uint32_t mask)
{
    uint32_t element = o->width, whole = element * o->count;
    const uint8_t *a = REG(w, o->arg[0]);
    uint32_t stride = element == 1 ? 2 : element;
    EACH_LANE(mask)
    {
        uint8_t all[16];
        memcpy(all, a + lane * whole, whole);
        for (uint32_t i = 0; i < o->count; i++)
            memcpy((uint8_t *)REG(w, o->list[i]) + lane * stride, all + i * element, element);
    }
}

/* The usual pairs. */
#define PACK_PAIR(name, T, W, bits)                                                                          \
    static void pack_##name(warp *w, const op *o, uint32_t mask)                                             \
    {                                                                                                        \
        W *d = REG(w, o->arg[0]);                                                                            \
        const T *low = REG(w, o->list[0]), *high = REG(w, o->list[1]);                                       \
        LANE_LOOP(mask, d[lane] = (W)((W)high[lane] << bits | low[lane]))                                    \
    }                                                                                                        \
    static void unpack_##name(warp *w, const op *o, uint32_t mask)                                           \
    {                                                                                                        \
        T *low = REG(w, o->list[0]), *high = REG(w, o->list[1]);                                             \
        const W *a = REG(w, o->arg[0]);                                                                      \
        W from[WARP_LANES]; /* a sink may be both halves' destination */                                     \
        memcpy(from, a, sizeof from);                                                                        \
        LANE_LOOP(mask, low[lane] = (T)from[lane])                                                           \
        LANE_LOOP(mask, high[lane] = (T)(from[lane] >> bits))                                                \
    }
PACK_PAIR(16, uint16_t, uint32_t, 16)
PACK_PAIR(32, uint32_t, uint64_t, 32)

static op_run *vector_handler(const op *o, bool pack)
{
    if (o->count == 2 && o->width == 2)
        return pack ? pack_16 : unpack_16;
    if (o->count == 2 && o->width == 4)
        return pack ? pack_32 : unpack_32;
    return pack ? mov_pack : mov_unpack;
}

static bool finish_vector(decoder *d, op *o, uint32_t bits)
{
    const ptx_operand *to = &d->instruction->operands[0], *from = &d->instruction->operands[1];
    bool pack = from->kind == PTX_OPERAND_VECTOR;
    const ptx_operand *vector = pack ? from : to, *scalar = pack ? to : from;
    if (to->kind == from->kind || vector->count < 2 || vector->count > 4 || bits % vector->count)
        return decode_refuse(d, "a vector on one side, of 2 or 4 elements, expected");
    uint32_t element = bits / vector->count, *list = decode_list(d, vector->count);
    if (element < 8)
        return decode_refuse(d, "elements of less than 8 bits");
    o->list = list;
    o->list_len = vector->count;
    o->count = (uint8_t)vector->count;
    o->width = (uint8_t)(element / 8);
    o->run = vector_handler(o, pack);
    if (!decode_vector(d, vector, !pack, element, PTX_NO_TYPE, list, vector->count))
        return false;
    return pack ? decode_destination(d, scalar, bits, &o->arg[0])
                : decode_source(d, scalar, bits, PTX_NO_TYPE, &o->arg[0]);
}

static bool finish_moving(decoder *d, op *o, const ptx_operand *from)
{
    uint32_t bits = ptx_special_bits((ptx_special)from->index);
    o->choice = (uint8_t)from->index;
    o->width = (uint8_t)(bits / 8);
    o->run = mov_moving;
    return decode_destination(d, &d->instruction->operands[0], bits, &o->arg[0]);
}

static bool finish_mov(decoder *d, op *o, const opcode *code)
{
    const ptx_instruction *i = d->instruction;
    uint32_t bits = ptx_type_bits(code->types[0]);
    if (i->operand_count != 2)
        return decode_refuse(d, "two operands expected");
    const ptx_operand *to = &i->operands[0], *from = &i->operands[1];
    if (to->kind == PTX_OPERAND_VECTOR || from->kind == PTX_OPERAND_VECTOR)
        return finish_vector(d, o, bits);
    if (from->kind == PTX_OPERAND_SPECIAL && from->index >= PTX_SPECIAL_CLOCK)
        return finish_moving(d, o, from);
    o->run = bits == 1 ? mov_pred : bits == 16 ? mov_16 : bits == 32 ? mov_32 : bits == 64 ? mov_64 : mov_128;
    if (bits == 8)
        return decode_refuse(d, "not for 8 bits");
    return decode_destination(d, to, bits, &o->arg[0]) &&
           decode_source(d, from, bits, code->types[0], &o->arg[1]);
}

const op_family family_mov = {.finish = finish_mov};

/* ---- cvta, isspacep ----------------------------------------------------------------------------------- */

static uint64_t window_of(ptx_space space)
{
    switch (space) {
    case PTX_SHARED: return WINDOW_SHARED;
    case PTX_LOCAL: return WINDOW_LOCAL;
    case PTX_PARAM: return WINDOW_PARAM;
    default: return 0; /* global, const: a generic address is theirs */
    }
}

static void run_cvta(warp *w, const op *o, uint32_t mask)
{
    uint64_t *d = REG(w, o->arg[0]);
    const uint64_t *a = REG(w, o->arg[1]);
    uint64_t window = window_of((ptx_space)o->space);
    LANE_LOOP(mask, d[lane] = a[lane] | window)
}

static void run_cvta_to(warp *w, const op *o, uint32_t mask)
{
    uint64_t *d = REG(w, o->arg[0]);
    const uint64_t *a = REG(w, o->arg[1]);
    uint64_t window = window_of((ptx_space)o->space);
    LANE_LOOP(mask, d[lane] = a[lane] & ~window)
}

static bool finish_cvta(decoder *d, op *o, const opcode *code)
{
    (void)d;
    o->run = opcode_has(code, "to") ? run_cvta_to : run_cvta;
    return true;
}

const op_family family_cvta = {.finish = finish_cvta};

static bool in_space(const warp *w, const op *o, uint64_t address)
{
    uint64_t window = address & WINDOW_MASK;
    if (window != window_of((ptx_space)o->space))
        return false;
    if (o->space == PTX_SHARED && !(o->modifiers & MOD(SHARED_CLUSTER)))
        return (address & ~WINDOW_MASK) >> SHARED_RANK_SHIFT == w->cta->rank;
    const memory_block *b = window ? NULL : memory_find(&GRID(w)->memory, address, 1);
    return o->space != PTX_CONST || (b && b->read_only);
}

static void run_isspacep(warp *w, const op *o, uint32_t mask)
{
    const uint64_t *a = REG(w, o->arg[1]);
    uint32_t bits = 0;
    EACH_LANE(mask)
    {
        bits |= (uint32_t)in_space(w, o, a[lane]) << lane;
    }
    predicate_write(&PREDICATE(w, o->arg[0]), mask, bits);
}

const op_family family_isspacep = {.any = run_isspacep};

/* ---- mapa, getctarank --------------------------------------------------------------------------------- */

/* The same offset in the shared memory of another CTA of the cluster. Without a space, a and d are generic. */
static uint64_t map_to_rank(warp *w, uint32_t lane, uint64_t address, uint32_t rank)
{
    const uint64_t offset_mask = (UINT64_C(1) << SHARED_RANK_SHIFT) - 1;
    if (rank >= CLUSTER(w)->cta_count)
        lane_fault(w, lane, "CTA %u of a cluster of %u", rank, CLUSTER(w)->cta_count);
    return (address & (WINDOW_MASK | offset_mask)) | (uint64_t)rank << SHARED_RANK_SHIFT;
}

static void run_mapa_32(warp *w, const op *o, uint32_t mask)
{
    uint32_t *d = REG(w, o->arg[0]);
    const uint32_t *a = REG(w, o->arg[1]), *rank = REG(w, o->arg[2]);
    EACH_LANE(mask)
    {
        d[lane] = (uint32_t)map_to_rank(w, lane, a[lane], rank[lane]);
    }
}

static void run_mapa_64(warp *w, const op *o, uint32_t mask)
{
    uint64_t *d = REG(w, o->arg[0]);
    const uint64_t *a = REG(w, o->arg[1]);
    const uint32_t *rank = REG(w, o->arg[2]);
    EACH_LANE(mask)
    {
        d[lane] = map_to_rank(w, lane, a[lane], rank[lane]);
    }
}

const op_family family_mapa = {.typed = {[PTX_U32] = run_mapa_32, [PTX_U64] = run_mapa_64}};

static void run_getctarank(warp *w, const op *o, uint32_t mask)
{
    uint32_t *d = REG(w, o->arg[0]);
    const void *a = REG(w, o->arg[1]);
    EACH_LANE(mask)
    {
        uint64_t address = o->arg[1] & ARG_WIDE ? ((const uint64_t *)a)[lane] : ((const uint32_t *)a)[lane];
        d[lane] = (uint32_t)((address & ~WINDOW_MASK) >> SHARED_RANK_SHIFT);
    }
}

const op_family family_getctarank = {.any = run_getctarank};
