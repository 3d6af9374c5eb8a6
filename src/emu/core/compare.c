/* compare.c: comparison and selection (PTX ISA, sections 9.7.5, 9.7.6 and 9.7.7: setp, set, selp, slct).
 *
 * A comparison makes a byte a lane, in a loop that vectorises; the bytes are then gathered into a bit a lane. */
#include "emu/core/decode.h"
#include "emu/core/float.h"

typedef enum comparison {
    CMP_EQ,
    CMP_NE,
    CMP_LT,
    CMP_LE,
    CMP_GT,
    CMP_GE,
    CMP_EQU, /* the unordered ones hold when an operand is NaN */
    CMP_NEU,
    CMP_LTU,
    CMP_LEU,
    CMP_GTU,
    CMP_GEU,
    CMP_NUM,
    CMP_NAN,
} comparison;

/* lo, ls, hi, hs are lt, le, gt, ge of unsigned integers. */
#define COMPARISONS "eq ne lt le gt ge equ neu ltu leu gtu geu num nan lo ls hi hs"

typedef enum combination { COMBINE_NONE, COMBINE_AND, COMBINE_OR, COMBINE_XOR } combination;

/* ---- bits of a comparison ----------------------------------------------------------------------------- */

/* Bit i of the result is byte i, which is 0 or 1; 8 bytes are gathered by one multiplication. */
static uint32_t gather_bits(const uint8_t bytes[WARP_LANES])
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < 4; i++) {
        uint64_t eight;
        memcpy(&eight, bytes + 8 * i, sizeof eight);
        bits |= (uint32_t)(eight * UINT64_C(0x0102040810204080) >> 56) << (8 * i);
    }
    return bits;
}

#define COMPARE_CASE(kind, relation)                                                                         \
    case kind:                                                                                               \
        for (uint32_t lane = 0; lane < WARP_LANES; lane++)                                                   \
            flags[lane] = a[lane] relation b[lane];                                                          \
        break;

#define COMPARE_INT(name, T)                                                                                 \
    static uint32_t name(const void *left, const void *right, comparison how)                                \
    {                                                                                                        \
        const T *a = left, *b = right;                                                                       \
        uint8_t flags[WARP_LANES];                                                                           \
        switch (how) {                                                                                       \
            COMPARE_CASE(CMP_EQ, ==)                                                                         \
            COMPARE_CASE(CMP_LT, <)                                                                          \
            COMPARE_CASE(CMP_LE, <=)                                                                         \
            COMPARE_CASE(CMP_GT, >)                                                                          \
            COMPARE_CASE(CMP_GE, >=)                                                                         \
            COMPARE_CASE(CMP_NE, !=)                                                                         \
        default: memset(flags, 0, sizeof flags); break;                                                      \
        }                                                                                                    \
        return gather_bits(flags);                                                                           \
    }
COMPARE_INT(compare_u16, uint16_t)
COMPARE_INT(compare_s16, int16_t)
COMPARE_INT(compare_u32, uint32_t)
COMPARE_INT(compare_s32, int32_t)
COMPARE_INT(compare_u64, uint64_t)
COMPARE_INT(compare_s64, int64_t)

/* f32 without .ftz: the unordered comparisons are the others' opposites. */
#define COMPARE_NOT(kind, relation)                                                                          \
    case kind:                                                                                               \
        for (uint32_t lane = 0; lane < WARP_LANES; lane++)                                                   \
            flags[lane] = !(a[lane] relation b[lane]);                                                       \
        break;

static uint32_t compare_f32(const void *left, const void *right, comparison how)
{
    const float *a = left, *b = right;
    uint8_t flags[WARP_LANES];
    switch (how) {
        COMPARE_CASE(CMP_EQ, ==)
        COMPARE_CASE(CMP_LT, <)
        COMPARE_CASE(CMP_LE, <=)
        COMPARE_CASE(CMP_GT, >)
        COMPARE_CASE(CMP_GE, >=)
        COMPARE_CASE(CMP_NEU, !=)
        COMPARE_NOT(CMP_LTU, >=)
        COMPARE_NOT(CMP_LEU, >)
        COMPARE_NOT(CMP_GTU, <=)
        COMPARE_NOT(CMP_GEU, <)
    default:
        for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
            bool nan = a[lane] != a[lane] || b[lane] != b[lane];
            flags[lane] = how == CMP_NAN   ? nan
                          : how == CMP_NUM ? !nan
                          : how == CMP_EQU ? nan || a[lane] == b[lane]
                                           : !nan && a[lane] != b[lane];
        }
        break;
    }
    return gather_bits(flags);
}

static bool compare_double(double a, double b, comparison how)
{
    bool unordered = a != a || b != b;
    switch (how) {
    case CMP_EQ: return a == b;
    case CMP_NE: return !unordered && a != b;
    case CMP_LT: return a < b;
    case CMP_LE: return a <= b;
    case CMP_GT: return a > b;
    case CMP_GE: return a >= b;
    case CMP_EQU: return unordered || a == b;
    case CMP_NEU: return a != b;
    case CMP_LTU: return unordered || a < b;
    case CMP_LEU: return unordered || a <= b;
    case CMP_GTU: return unordered || a > b;
    case CMP_GEU: return unordered || a >= b;
    case CMP_NUM: return !unordered;
    default: return unordered;
    }
}

/* ---- lanes as doubles --------------------------------------------------------------------------------- */

static void load_f32(const op *o, const float *from, double *to)
{
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
        to[lane] = (double)(o->modifiers & MOD(FTZ) ? float_flush(from[lane]) : from[lane]);
}

static double half_value(const op *o, uint16_t half, bool bf16)
{
    bool subnormal = !(half & (bf16 ? 0x7f80 : 0x7c00));
    if (subnormal && (o->modifiers & MOD(FTZ)))
        return 0.0;
    return (double)(bf16 ? num_bf16_to_f32(half) : num_f16_to_f32(half));
}

/* One half of each lane of a packed register, or a 16-bit register. */
static void load_half(const op *o, ptx_type type, const void *from, uint32_t high, double *to)
{
    bool packed = type == PTX_F16X2 || type == PTX_BF16X2, bf16 = type == PTX_BF16 || type == PTX_BF16X2;
    const uint16_t *halves = from;
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
        to[lane] = half_value(o, packed ? halves[2 * lane + high] : halves[lane], bf16);
}

static void load_lanes(const op *o, ptx_type type, const void *from, uint32_t high, double *to)
{
    if (type == PTX_F64)
        memcpy(to, from, sizeof(double) * WARP_LANES);
    else if (type == PTX_F32)
        load_f32(o, from, to);
    else
        load_half(o, type, from, high, to);
}

static uint32_t compare_floats(const op *o, ptx_type type, const void *left, const void *right, uint32_t high)
{
    double a[WARP_LANES], b[WARP_LANES];
    uint32_t bits = 0;
    load_lanes(o, type, left, high, a);
    load_lanes(o, type, right, high, b);
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
        bits |= (uint32_t)compare_double(a[lane], b[lane], (comparison)o->choice) << lane;
    return bits;
}

/* The comparison of two registers, a bit a lane; `high`: of packed halves the upper ones. */
static uint32_t compare(const op *o, ptx_type type, const void *a, const void *b, uint32_t high)
{
    comparison how = (comparison)o->choice;
    switch (type) {
    case PTX_B16:
    case PTX_U16: return compare_u16(a, b, how);
    case PTX_S16: return compare_s16(a, b, how);
    case PTX_B32:
    case PTX_U32: return compare_u32(a, b, how);
    case PTX_S32: return compare_s32(a, b, how);
    case PTX_B64:
    case PTX_U64: return compare_u64(a, b, how);
    case PTX_S64: return compare_s64(a, b, how);
    case PTX_F32:
        if (!(o->modifiers & MOD(FTZ)))
            return compare_f32(a, b, how);
        return compare_floats(o, type, a, b, high);
    default: return compare_floats(o, type, a, b, high);
    }
}

static uint32_t combine(const warp *w, const op *o, uint32_t bits, uint32_t argument)
{
    if (o->choice2 == COMBINE_NONE)
        return bits;
    uint32_t c = PREDICATE_READ(w, argument);
    return o->choice2 == COMBINE_AND ? bits & c : o->choice2 == COMBINE_OR ? bits | c : bits ^ c;
}

/* `third`: the operand that goes with a boolean operation, and only with one. */
static bool finish_comparison(decoder *d, op *o, const opcode *code, uint32_t third)
{
    int how = opcode_pick(code, COMPARISONS, -1);
    if (how < 0)
        return decode_refuse(d, "a comparison expected");
    o->choice = (uint8_t)(how > CMP_NAN ? how - CMP_NAN - 1 + CMP_LT : how);
    o->choice2 = (uint8_t)opcode_pick(code, "- and or xor", COMBINE_NONE);
    if ((o->choice2 == COMBINE_NONE) != (third == ARG_NONE))
        return decode_refuse(d, "a third operand goes with .and, .or or .xor");
    return true;
}

/* ---- setp --------------------------------------------------------------------------------------------- */

/* setp p|q: p = (a cmp b) op c, q = !(a cmp b) op c; of packed halves p is the lower, q the upper one. */
static void run_setp(warp *w, const op *o, uint32_t mask)
{
    const void *a = REG(w, o->arg[2]), *b = REG(w, o->arg[3]);
    bool packed = o->type == PTX_F16X2 || o->type == PTX_BF16X2;
    uint32_t bits = compare(o, (ptx_type)o->type, a, b, 0);
    uint32_t other = packed ? compare(o, (ptx_type)o->type, a, b, 1) : ~bits;
    uint32_t p = combine(w, o, bits, o->arg[4]), q = combine(w, o, other, o->arg[4]);
    predicate_write(&PREDICATE(w, o->arg[1]), mask, q);
    predicate_write(&PREDICATE(w, o->arg[0]), mask, p);
}

/* The usual case: one destination, nothing combined. */
#define SETP_SIMPLE(name, T)                                                                                 \
    static void setp_##name(warp *w, const op *o, uint32_t mask)                                             \
    {                                                                                                        \
        uint32_t bits = compare_##name(REG(w, o->arg[2]), REG(w, o->arg[3]), (comparison)o->choice);         \
        predicate_write(&PREDICATE(w, o->arg[0]), mask, bits);                                               \
    }
SETP_SIMPLE(u32, uint32_t)
SETP_SIMPLE(s32, int32_t)
SETP_SIMPLE(u64, uint64_t)
SETP_SIMPLE(s64, int64_t)
SETP_SIMPLE(f32, float)

static bool finish_setp(decoder *d, op *o, const opcode *code)
{
    static op_run *const simple[PTX_TYPE_COUNT] = {
        [PTX_B32] = setp_u32, [PTX_U32] = setp_u32, [PTX_S32] = setp_s32, [PTX_B64] = setp_u64,
        [PTX_U64] = setp_u64, [PTX_S64] = setp_s64, [PTX_F32] = setp_f32,
    };
    if (!finish_comparison(d, o, code, o->arg[4]))
        return false;
    o->run = run_setp;
    if (simple[o->type] && o->choice2 == COMBINE_NONE && o->arg[1] == 0 && !(o->modifiers & MOD(FTZ)))
        o->run = simple[o->type];
    return true;
}

const op_family family_setp = {.finish = finish_setp};

/* ---- set ---------------------------------------------------------------------------------------------- */

/* set.cmp.dtype.stype: all ones, or 1.0, where the comparison holds. */
static void run_set(warp *w, const op *o, uint32_t mask)
{
    uint32_t *d = REG(w, o->arg[0]);
    uint32_t bits = compare(o, (ptx_type)o->type2, REG(w, o->arg[1]), REG(w, o->arg[2]), 0);
    uint32_t yes = o->type == PTX_F32 ? UINT32_C(0x3f800000) : ALL_LANES;
    bits = combine(w, o, bits, o->arg[3]);
    LANE_LOOP(mask, d[lane] = bits >> lane & 1 ? yes : 0)
}

/* set of packed halves: 1.0 or all ones in each half. */
static void run_set_packed(warp *w, const op *o, uint32_t mask)
{
    uint32_t *d = REG(w, o->arg[0]);
    const void *a = REG(w, o->arg[1]), *b = REG(w, o->arg[2]);
    uint32_t low = combine(w, o, compare(o, (ptx_type)o->type2, a, b, 0), o->arg[3]);
    uint32_t high = combine(w, o, compare(o, (ptx_type)o->type2, a, b, 1), o->arg[3]);
    uint32_t yes = o->type == PTX_F16X2 ? 0x3c00 : o->type == PTX_BF16X2 ? 0x3f80 : 0xffff;
    EACH_LANE(mask)
    {
        d[lane] = (low >> lane & 1 ? yes : 0) | (high >> lane & 1 ? yes << 16 : 0);
    }
}

static bool finish_set(decoder *d, op *o, const opcode *code)
{
    ptx_type source = (ptx_type)o->type2;
    bool packed = source == PTX_F16X2 || source == PTX_BF16X2;
    if (!finish_comparison(d, o, code, o->arg[3]))
        return false;
    if (ptx_type_bits((ptx_type)o->type) != 32)
        return decode_refuse(d, "only 32-bit results");
    o->run = packed ? run_set_packed : run_set;
    return true;
}

const op_family family_set = {.finish = finish_set};

/* ---- selp, slct --------------------------------------------------------------------------------------- */

#define SELP(name, T)                                                                                        \
    static void name(warp *w, const op *o, uint32_t mask)                                                    \
    {                                                                                                        \
        T *d = REG(w, o->arg[0]);                                                                            \
        const T *a = REG(w, o->arg[1]), *b = REG(w, o->arg[2]);                                              \
        uint32_t bits = PREDICATE_READ(w, o->arg[3]);                                                        \
        LANE_LOOP(mask, d[lane] = bits >> lane & 1 ? a[lane] : b[lane])                                      \
    }
SELP(selp_16, uint16_t)
SELP(selp_32, uint32_t)
SELP(selp_64, uint64_t)

/* By width alone. */
static bool finish_by_width(decoder *d, op *o, op_run *of_16, op_run *of_32, op_run *of_64)
{
    uint32_t bits = ptx_type_bits((ptx_type)o->type);
    o->run = bits == 16 ? of_16 : bits == 32 ? of_32 : bits == 64 ? of_64 : NULL;
    return o->run || decode_refuse(d, "not for type .%s", ptx_type_name((ptx_type)o->type));
}

static bool finish_selp(decoder *d, op *o, const opcode *code)
{
    (void)code;
    return finish_by_width(d, o, selp_16, selp_32, selp_64);
}

const op_family family_selp = {.finish = finish_selp};

/* slct: a where c >= 0, else b; c is s32 or f32, and -0 counts as >= 0, NaN does not. */
static uint32_t not_negative(const warp *w, const op *o)
{
    uint32_t bits = 0;
    const int32_t *s = REG(w, o->arg[3]);
    const float *f = REG(w, o->arg[3]);
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
        bits |= (uint32_t)(o->type2 == PTX_F32 ? f[lane] >= 0.0f : s[lane] >= 0) << lane;
    return bits;
}

#define SLCT(name, T)                                                                                        \
    static void name(warp *w, const op *o, uint32_t mask)                                                    \
    {                                                                                                        \
        T *d = REG(w, o->arg[0]);                                                                            \
        const T *a = REG(w, o->arg[1]), *b = REG(w, o->arg[2]);                                              \
        uint32_t bits = not_negative(w, o);                                                                  \
        EACH_LANE(mask)                                                                                      \
        {                                                                                                    \
            d[lane] = bits >> lane & 1 ? a[lane] : b[lane];                                                  \
        }                                                                                                    \
    }
SLCT(slct_16, uint16_t)
SLCT(slct_32, uint32_t)
SLCT(slct_64, uint64_t)

static bool finish_slct(decoder *d, op *o, const opcode *code)
{
    (void)code;
    return finish_by_width(d, o, slct_16, slct_32, slct_64);
}

const op_family family_slct = {.finish = finish_slct};
