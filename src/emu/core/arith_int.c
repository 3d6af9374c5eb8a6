/* arith_int.c: integer arithmetic (PTX ISA, sections 9.7.1 and 9.7.2). Everything wraps; signed sums and products are
 * formed in unsigned types, where C lets them wrap too. */
#include "emu/core/core.h"
#include "emu/core/decode.h"

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 s128;

/* ---- sums and products -------------------------------------------------------------------------------- */

/* Families of all integer types: with one handler for each width, as signedness makes no difference, or for each
 * type. */
#define FAMILY_ANY_SIGN(name, handler)                                                                       \
    const op_family family_##name = {.typed = {[PTX_U16] = handler##_16,                                     \
                                               [PTX_S16] = handler##_16,                                     \
                                               [PTX_U32] = handler##_32,                                     \
                                               [PTX_S32] = handler##_32,                                     \
                                               [PTX_U64] = handler##_64,                                     \
                                               [PTX_S64] = handler##_64}};

#define FAMILY_BY_SIGN(name, handler)                                                                        \
    const op_family family_##name = {.typed = {[PTX_U16] = handler##_u16,                                    \
                                               [PTX_S16] = handler##_s16,                                    \
                                               [PTX_U32] = handler##_u32,                                    \
                                               [PTX_S32] = handler##_s32,                                    \
                                               [PTX_U64] = handler##_u64,                                    \
                                               [PTX_S64] = handler##_s64}};

/* The same expression in each of the six types. */
#define BY_SIGN(HANDLER, name, ...)                                                                          \
    HANDLER(name##_u16, uint16_t, __VA_ARGS__)                                                               \
    HANDLER(name##_s16, int16_t, __VA_ARGS__)                                                                \
    HANDLER(name##_u32, uint32_t, __VA_ARGS__)                                                               \
    HANDLER(name##_s32, int32_t, __VA_ARGS__)                                                                \
    HANDLER(name##_u64, uint64_t, __VA_ARGS__)                                                               \
    HANDLER(name##_s64, int64_t, __VA_ARGS__)                                                                \
    FAMILY_BY_SIGN(name, name)

#define SAME_1(name, T, expression) HANDLER_1(name, T, T, expression)
#define SAME_2(name, T, expression) HANDLER_2(name, T, T, T, expression)
#define SAME_3(name, T, expression) HANDLER_3(name, T, T, T, T, expression)

HANDLER_2(sub_int_16, uint16_t, uint16_t, uint16_t, a - b)
HANDLER_2(sub_int_32, uint32_t, uint32_t, uint32_t, a - b)
HANDLER_2(sub_int_64, uint64_t, uint64_t, uint64_t, a - b)
FAMILY_ANY_SIGN(sub_int, sub_int)

static int32_t saturate_s32(int64_t value)
{
    return (int32_t)(value < INT32_MIN ? INT32_MIN : value > INT32_MAX ? INT32_MAX : value);
}

HANDLER_2(add_int_16, uint16_t, uint16_t, uint16_t, a + b)
HANDLER_2(add_int_32, uint32_t, uint32_t, uint32_t, a + b)
HANDLER_2(add_int_64, uint64_t, uint64_t, uint64_t, a + b)
HANDLER_2(add_sat_s32, int32_t, int32_t, int32_t, saturate_s32((int64_t)a + b))
HANDLER_2(sub_sat_s32, int32_t, int32_t, int32_t, saturate_s32((int64_t)a - b))
/* Packed halves: each wraps on its own. */
HANDLER_2(add_16x2, uint32_t, uint32_t, uint32_t, ((a & 0xffff0000) + (b & 0xffff0000)) | ((a + b) & 0xffff))

const op_family family_add_int = {.typed = {[PTX_U16] = add_int_16,
                                            [PTX_S16] = add_int_16,
                                            [PTX_U32] = add_int_32,
                                            [PTX_S32] = add_int_32,
                                            [PTX_U64] = add_int_64,
                                            [PTX_S64] = add_int_64,
                                            [PTX_U16X2] = add_16x2,
                                            [PTX_S16X2] = add_16x2}};
const op_family family_add_sat = {.typed = {[PTX_S32] = add_sat_s32}};
const op_family family_sub_sat = {.typed = {[PTX_S32] = sub_sat_s32}};

HANDLER_2(mul_lo_16, uint16_t, uint16_t, uint16_t, PRODUCT((uint32_t)a, b))
HANDLER_2(mul_lo_32, uint32_t, uint32_t, uint32_t, PRODUCT(a, b))
HANDLER_2(mul_lo_64, uint64_t, uint64_t, uint64_t, PRODUCT(a, b))
FAMILY_ANY_SIGN(mul_lo, mul_lo)

/* High halves. */
#define HIGH_u16(a, b) ((uint32_t)(a) * (b) >> 16)
#define HIGH_s16(a, b) ((int32_t)(a) * (b) >> 16)
#define HIGH_u32(a, b) ((uint64_t)(a) * (b) >> 32)
#define HIGH_s32(a, b) ((int64_t)(a) * (b) >> 32)
#define HIGH_u64(a, b) ((uint64_t)((u128)(a) * (b) >> 64))
#define HIGH_s64(a, b) ((int64_t)((s128)(a) * (b) >> 64))

#define MUL_HIGH(name, T) HANDLER_2(mul_hi_##name, T, T, T, HIGH_##name(a, b))
MUL_HIGH(u16, uint16_t)
MUL_HIGH(s16, int16_t)
MUL_HIGH(u32, uint32_t)
MUL_HIGH(s32, int32_t)
MUL_HIGH(u64, uint64_t)
MUL_HIGH(s64, int64_t)
FAMILY_BY_SIGN(mul_hi, mul_hi)

HANDLER_2(mul_wide_u16, uint32_t, uint16_t, uint16_t, PRODUCT((uint32_t)a, b))
HANDLER_2(mul_wide_s16, int32_t, int16_t, int16_t, PRODUCT(a, b))
HANDLER_2(mul_wide_u32, uint64_t, uint32_t, uint32_t, PRODUCT((uint64_t)a, b))
HANDLER_2(mul_wide_s32, int64_t, int32_t, int32_t, PRODUCT((int64_t)a, b))
const op_family family_mul_wide = {.typed = {[PTX_U16] = mul_wide_u16,
                                             [PTX_S16] = mul_wide_s16,
                                             [PTX_U32] = mul_wide_u32,
                                             [PTX_S32] = mul_wide_s32}};

HANDLER_3(mad_lo_16, uint16_t, uint16_t, uint16_t, uint16_t, PRODUCT((uint32_t)a, b) + c)
HANDLER_3(mad_lo_32, uint32_t, uint32_t, uint32_t, uint32_t, PRODUCT(a, b) + c)
HANDLER_3(mad_lo_64, uint64_t, uint64_t, uint64_t, uint64_t, PRODUCT(a, b) + c)
FAMILY_ANY_SIGN(mad_lo, mad_lo)

#define MAD_HIGH(name, T, U) HANDLER_3(mad_hi_##name, T, T, T, T, (U)HIGH_##name(a, b) + (U)c)
MAD_HIGH(u16, uint16_t, uint32_t)
MAD_HIGH(s16, int16_t, uint32_t)
MAD_HIGH(u32, uint32_t, uint32_t)
MAD_HIGH(s32, int32_t, uint32_t)
MAD_HIGH(u64, uint64_t, uint64_t)
MAD_HIGH(s64, int64_t, uint64_t)
FAMILY_BY_SIGN(mad_hi, mad_hi)

HANDLER_3(mad_hi_sat, int32_t, int32_t, int32_t, int32_t, saturate_s32((int64_t)HIGH_s32(a, b) + c))
const op_family family_mad_hi_sat = {.typed = {[PTX_S32] = mad_hi_sat}};

HANDLER_3(mad_wide_u16, uint32_t, uint16_t, uint16_t, uint32_t, PRODUCT((uint32_t)a, b) + c)
HANDLER_3(mad_wide_s16, uint32_t, int16_t, int16_t, uint32_t, (uint32_t)PRODUCT(a, b) + c)
HANDLER_3(mad_wide_u32, uint64_t, uint32_t, uint32_t, uint64_t, PRODUCT((uint64_t)a, b) + c)
HANDLER_3(mad_wide_s32, uint64_t, int32_t, int32_t, uint64_t, (uint64_t)PRODUCT((int64_t)a, b) + c)
const op_family family_mad_wide = {.typed = {[PTX_U16] = mad_wide_u16,
                                             [PTX_S16] = mad_wide_s16,
                                             [PTX_U32] = mad_wide_u32,
                                             [PTX_S32] = mad_wide_s32}};

/* 24-bit operands, sign- or zero-extended. */
#define SIGNED_24(x) ((int64_t)((int32_t)((uint32_t)(x) << 8) >> 8))
#define UNSIGNED_24(x) ((uint64_t)((x)&0xffffff))
HANDLER_2(mul24_lo_u32, uint32_t, uint32_t, uint32_t, UNSIGNED_24(a) * UNSIGNED_24(b))
HANDLER_2(mul24_lo_s32, uint32_t, uint32_t, uint32_t, SIGNED_24(a) * SIGNED_24(b))
HANDLER_2(mul24_hi_u32, uint32_t, uint32_t, uint32_t, UNSIGNED_24(a) * UNSIGNED_24(b) >> 16)
HANDLER_2(mul24_hi_s32, uint32_t, uint32_t, uint32_t, SIGNED_24(a) * SIGNED_24(b) >> 16)
const op_family family_mul24_lo = {.typed = {[PTX_U32] = mul24_lo_u32, [PTX_S32] = mul24_lo_s32}};
const op_family family_mul24_hi = {.typed = {[PTX_U32] = mul24_hi_u32, [PTX_S32] = mul24_hi_s32}};

HANDLER_3(mad24_lo_u32, uint32_t, uint32_t, uint32_t, uint32_t, UNSIGNED_24(a) * UNSIGNED_24(b) + c)
HANDLER_3(mad24_lo_s32, uint32_t, uint32_t, uint32_t, uint32_t, (uint64_t)(SIGNED_24(a) * SIGNED_24(b)) + c)
const op_family family_mad24_lo = {.typed = {[PTX_U32] = mad24_lo_u32, [PTX_S32] = mad24_lo_s32}};

BY_SIGN(SAME_3, sad, (a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a) + (uint64_t)c)

/* ---- quotients ---------------------------------------------------------------------------------------- */

/* Divided by zero, quotient and remainder are all ones, as on a device; the most negative number divided by -1 wraps
 * to itself. */
#define DIVIDE_unsigned(T, a, b) ((b) ? (a) / (b) : (T)~UINT64_C(0))
#define REMAIN_unsigned(T, a, b) ((b) ? (a) % (b) : (T)~UINT64_C(0))
#define DIVIDE_signed(T, a, b) ((b) == -1 ? (T)(0 - (uint64_t)(a)) : (b) ? (T)((a) / (b)) : (T)-1)
#define REMAIN_signed(T, a, b) ((b) == -1 ? (T)0 : (b) ? (T)((a) % (b)) : (T)-1)

#define QUOTIENT(name, T, sign)                                                                              \
    HANDLER_2(div_##name, T, T, T, DIVIDE_##sign(T, a, b))                                                   \
    HANDLER_2(rem_##name, T, T, T, REMAIN_##sign(T, a, b))
QUOTIENT(u16, uint16_t, unsigned)
QUOTIENT(s16, int16_t, signed)
QUOTIENT(u32, uint32_t, unsigned)
QUOTIENT(s32, int32_t, signed)
QUOTIENT(u64, uint64_t, unsigned)
QUOTIENT(s64, int64_t, signed)
FAMILY_BY_SIGN(div_int, div)
FAMILY_BY_SIGN(rem, rem)

/* ---- sign and order ----------------------------------------------------------------------------------- */

BY_SIGN(SAME_2, min_int_wide, a < b ? a : b)
BY_SIGN(SAME_2, max_int_wide, a > b ? a : b)
/* abs of an unsigned number does not exist, but keeps the six types together. */
BY_SIGN(SAME_1, abs_int, a > 0 ? (uint64_t)a : 0 - (uint64_t)a)
BY_SIGN(SAME_1, neg_int, 0 - (uint64_t)a)

/* min, max of packed 16-bit halves. */
#define PACKED_PICK(name, T, relation)                                                                       \
    static uint32_t name##_bits(uint32_t a, uint32_t b)                                                      \
    {                                                                                                        \
        T al = (T)a, bl = (T)b, ah = (T)(a >> 16), bh = (T)(b >> 16);                                        \
        T low = al relation bl ? al : bl, high = ah relation bh ? ah : bh;                                   \
        return (uint32_t)(uint16_t)high << 16 | (uint16_t)low;                                               \
    }                                                                                                        \
    HANDLER_2(name, uint32_t, uint32_t, uint32_t, name##_bits(a, b))
PACKED_PICK(min_u16x2, uint16_t, <)
PACKED_PICK(min_s16x2, int16_t, <)
PACKED_PICK(max_u16x2, uint16_t, >)
PACKED_PICK(max_s16x2, int16_t, >)
const op_family family_min_packed = {.typed = {[PTX_U16X2] = min_u16x2, [PTX_S16X2] = min_s16x2}};
const op_family family_max_packed = {.typed = {[PTX_U16X2] = max_u16x2, [PTX_S16X2] = max_s16x2}};

/* ---- extended precision (PTX ISA, section 9.7.2): the carry of a warp's lanes is one word -------------- */

/* What `choice` of an extended-precision op says. */
enum { CARRY_IN = 1, CARRY_OUT = 2 };

#define CARRY_HANDLER(name, T, in_default, sum_expression, carry_expression)                                 \
    static void name(warp *w, const op *o, uint32_t mask)                                                    \
    {                                                                                                        \
        T *d = REG(w, o->arg[0]);                                                                            \
        const T *as = REG(w, o->arg[1]), *bs = REG(w, o->arg[2]);                                            \
        uint32_t carries = 0;                                                                                \
        EACH_LANE(mask)                                                                                      \
        {                                                                                                    \
            T a = as[lane], b = bs[lane],                                                                    \
              in = o->choice & CARRY_IN ? (T)(w->carry >> lane & 1) : in_default;                            \
            T sum = (T)(sum_expression);                                                                     \
            d[lane] = sum;                                                                                   \
            carries |= (uint32_t)(carry_expression) << lane;                                                 \
        }                                                                                                    \
        if (o->choice & CARRY_OUT)                                                                           \
            predicate_write(&w->carry, mask, carries);                                                       \
    }

/* A carry leaves when the sum wrapped. A difference is a + ~b + 1, so its carry is set when there is no borrow: the ISA
 * does not say so, but compilers rely on it (addc behind subc.cc). */
CARRY_HANDLER(add_carry_32, uint32_t, 0, a + b + in, sum < a || (in && sum == a))
CARRY_HANDLER(add_carry_64, uint64_t, 0, a + b + in, sum < a || (in && sum == a))
CARRY_HANDLER(sub_carry_32, uint32_t, 1, a + ~b + in, a > b || (in && a == b))
CARRY_HANDLER(sub_carry_64, uint64_t, 1, a + ~b + in, a > b || (in && a == b))

static bool finish_carry(decoder *d, op *o, const opcode *code)
{
    (void)d;
    size_t base = strcspn(code->full, ".");
    bool in = base > 0 && code->full[base - 1] == 'c';
    o->choice = (uint8_t)((in ? CARRY_IN : 0) | (opcode_has(code, "cc") ? CARRY_OUT : 0));
    return true;
}

const op_family family_add_carry = {.finish = finish_carry,
                                    .typed = {[PTX_U32] = add_carry_32,
                                              [PTX_S32] = add_carry_32,
                                              [PTX_U64] = add_carry_64,
                                              [PTX_S64] = add_carry_64}};
const op_family family_sub_carry = {.finish = finish_carry,
                                    .typed = {[PTX_U32] = sub_carry_32,
                                              [PTX_S32] = sub_carry_32,
                                              [PTX_U64] = sub_carry_64,
                                              [PTX_S64] = sub_carry_64}};

/* mad{c}.lo/.hi{.cc}: a product's half, plus c and the carry. */
#define MAD_CARRY(name, T, product_expression)                                                               \
    static void name(warp *w, const op *o, uint32_t mask)                                                    \
    {                                                                                                        \
        T *d = REG(w, o->arg[0]);                                                                            \
        const T *as = REG(w, o->arg[1]), *bs = REG(w, o->arg[2]), *cs = REG(w, o->arg[3]);                   \
        uint32_t carries = 0;                                                                                \
        EACH_LANE(mask)                                                                                      \
        {                                                                                                    \
            T a = as[lane], b = bs[lane], c = cs[lane], in = (T)(w->carry >> lane & 1);                      \
            T product = (T)(product_expression), sum;                                                        \
            in = o->choice & CARRY_IN ? in : 0;                                                              \
            sum = (T)((T)(product + c) + in);                                                                \
            d[lane] = sum;                                                                                   \
            carries |= (uint32_t)(sum < product || (in && sum == product)) << lane;                          \
        }                                                                                                    \
        if (o->choice & CARRY_OUT)                                                                           \
            predicate_write(&w->carry, mask, carries);                                                       \
    }
MAD_CARRY(mad_lo_carry_32, uint32_t, PRODUCT(a, b))
MAD_CARRY(mad_lo_carry_64, uint64_t, PRODUCT(a, b))
MAD_CARRY(mad_hi_carry_u32, uint32_t, HIGH_u32(a, b))
MAD_CARRY(mad_hi_carry_s32, uint32_t, HIGH_s32((int32_t)a, (int32_t)b))
MAD_CARRY(mad_hi_carry_u64, uint64_t, HIGH_u64(a, b))
MAD_CARRY(mad_hi_carry_s64, uint64_t, HIGH_s64((int64_t)a, (int64_t)b))
const op_family family_mad_lo_carry = {.finish = finish_carry,
                                       .typed = {[PTX_U32] = mad_lo_carry_32,
                                                 [PTX_S32] = mad_lo_carry_32,
                                                 [PTX_U64] = mad_lo_carry_64,
                                                 [PTX_S64] = mad_lo_carry_64}};
const op_family family_mad_hi_carry = {.finish = finish_carry,
                                       .typed = {[PTX_U32] = mad_hi_carry_u32,
                                                 [PTX_S32] = mad_hi_carry_s32,
                                                 [PTX_U64] = mad_hi_carry_u64,
                                                 [PTX_S64] = mad_hi_carry_s64}};

/* ---- dot products of small integers (dp4a, dp2a) ------------------------------------------------------ */

static int32_t byte_of(uint32_t word, uint32_t index, bool is_signed)
{
    uint8_t byte = (uint8_t)(word >> (8 * index));
    return is_signed ? (int8_t)byte : byte;
}

static int32_t half_of(uint32_t word, uint32_t index, bool is_signed)
{
    uint16_t half = (uint16_t)(word >> (16 * index));
    return is_signed ? (int16_t)half : half;
}

static void run_dp4a(warp *w, const op *o, uint32_t mask)
{
    uint32_t *d = REG(w, o->arg[0]);
    const uint32_t *a = REG(w, o->arg[1]), *b = REG(w, o->arg[2]), *c = REG(w, o->arg[3]);
    EACH_LANE(mask)
    {
        uint32_t sum = c[lane];
        for (uint32_t i = 0; i < 4; i++)
            sum += (uint32_t)(byte_of(a[lane], i, o->type == PTX_S32) *
                              byte_of(b[lane], i, o->type2 == PTX_S32));
        d[lane] = sum;
    }
}

static void run_dp2a(warp *w, const op *o, uint32_t mask)
{
    uint32_t *d = REG(w, o->arg[0]), first = o->choice ? 2 : 0;
    const uint32_t *a = REG(w, o->arg[1]), *b = REG(w, o->arg[2]), *c = REG(w, o->arg[3]);
    EACH_LANE(mask)
    {
        uint32_t sum = c[lane];
        for (uint32_t i = 0; i < 2; i++)
            sum += (uint32_t)(half_of(a[lane], i, o->type == PTX_S32) *
                              byte_of(b[lane], first + i, o->type2 == PTX_S32));
        d[lane] = sum;
    }
}

static bool finish_dp2a(decoder *d, op *o, const opcode *code)
{
    (void)d;
    o->choice = opcode_has(code, "hi");
    return true;
}

const op_family family_dp4a = {.any = run_dp4a};
const op_family family_dp2a = {.any = run_dp2a, .finish = finish_dp2a};
