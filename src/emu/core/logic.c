/* logic.c: bits: logic, shifts, fields and permutations (PTX ISA, sections 9.7.1, 9.7.8). */
#include "emu/core/core.h"
#include "emu/core/decode.h"

/* ---- logic -------------------------------------------------------------------------------------------- */

#define LOGIC(name, expression)                                                                              \
    static void name##_pred(warp *w, const op *o, uint32_t mask)                                             \
    {                                                                                                        \
        uint32_t a = PREDICATE_READ(w, o->arg[1]), b = PREDICATE_READ(w, o->arg[2]);                         \
        predicate_write(&PREDICATE(w, o->arg[0]), mask, expression);                                         \
    }                                                                                                        \
    HANDLER_2(name##_16, uint16_t, uint16_t, uint16_t, expression)                                           \
    HANDLER_2(name##_32, uint32_t, uint32_t, uint32_t, expression)                                           \
    HANDLER_2(name##_64, uint64_t, uint64_t, uint64_t, expression)                                           \
    const op_family family_##name = {                                                                        \
        .typed = {                                                                                           \
            [PTX_PRED] = name##_pred, [PTX_B16] = name##_16, [PTX_B32] = name##_32, [PTX_B64] = name##_64}};
LOGIC(and, (a & b))
LOGIC(or, a | b)
LOGIC(xor, a ^ b)

static void not_pred(warp *w, const op *o, uint32_t mask)
{
    predicate_write(&PREDICATE(w, o->arg[0]), mask, ~PREDICATE_READ(w, o->arg[1]));
}

#define BITS_1(name, expression)                                                                             \
    HANDLER_1(name##_16, uint16_t, uint16_t, expression)                                                     \
    HANDLER_1(name##_32, uint32_t, uint32_t, expression)                                                     \
    HANDLER_1(name##_64, uint64_t, uint64_t, expression)
BITS_1(not, ~a)
BITS_1(cnot, a == 0)
const op_family family_not = {
    .typed = {[PTX_PRED] = not_pred, [PTX_B16] = not_16, [PTX_B32] = not_32, [PTX_B64] = not_64}};
const op_family family_cnot = {.typed = {[PTX_B16] = cnot_16, [PTX_B32] = cnot_32, [PTX_B64] = cnot_64}};

/* Bits of y where those of s are set, of x elsewhere. */
static inline uint32_t choose(uint32_t s, uint32_t x, uint32_t y)
{
    return x ^ (s & (x ^ y));
}

/* lop3.b32 d, a, b, c, table: bit i of d is bit (a_i b_i c_i) of the table. t holds all ones or zeros for each
 * bit of the table. */
static inline uint32_t lookup3(uint32_t a, uint32_t b, uint32_t c, const uint32_t *t)
{
    uint32_t low = choose(b, choose(c, t[0], t[1]), choose(c, t[2], t[3]));
    uint32_t high = choose(b, choose(c, t[4], t[5]), choose(c, t[6], t[7]));
    return choose(a, low, high);
}

static void run_lop3(warp *w, const op *o, uint32_t mask)
{
    uint32_t *d = REG(w, o->arg[0]), t[8];
    const uint32_t *a = REG(w, o->arg[1]), *b = REG(w, o->arg[2]), *c = REG(w, o->arg[3]);
    for (uint32_t i = 0; i < 8; i++)
        t[i] = o->arg[4] >> i & 1 ? ALL_LANES : 0;
    LANE_LOOP(mask, d[lane] = lookup3(a[lane], b[lane], c[lane], t))
}

const op_family family_lop3 = {.any = run_lop3};

/* ---- shifts ------------------------------------------------------------------------------------------- */

/* Amounts are 32 bits wide whatever is shifted; all bits have left at the width. */
HANDLER_2(shl_16, uint16_t, uint16_t, uint32_t, b < 16 ? (uint32_t)a << b : 0)
HANDLER_2(shl_32, uint32_t, uint32_t, uint32_t, b < 32 ? a << b : 0)
HANDLER_2(shl_64, uint64_t, uint64_t, uint32_t, b < 64 ? a << b : 0)
HANDLER_2(shr_u16, uint16_t, uint16_t, uint32_t, b < 16 ? a >> b : 0)
HANDLER_2(shr_u32, uint32_t, uint32_t, uint32_t, b < 32 ? a >> b : 0)
HANDLER_2(shr_u64, uint64_t, uint64_t, uint32_t, b < 64 ? a >> b : 0)
HANDLER_2(shr_s16, int16_t, int16_t, uint32_t, a >> (b < 16 ? b : 15))
HANDLER_2(shr_s32, int32_t, int32_t, uint32_t, a >> (b < 32 ? b : 31))
HANDLER_2(shr_s64, int64_t, int64_t, uint32_t, a >> (b < 64 ? b : 63))
const op_family family_shl = {.typed = {[PTX_B16] = shl_16, [PTX_B32] = shl_32, [PTX_B64] = shl_64}};
const op_family family_shr = {.typed = {[PTX_B16] = shr_u16,
                                        [PTX_B32] = shr_u32,
                                        [PTX_B64] = shr_u64,
                                        [PTX_U16] = shr_u16,
                                        [PTX_U32] = shr_u32,
                                        [PTX_U64] = shr_u64,
                                        [PTX_S16] = shr_s16,
                                        [PTX_S32] = shr_s32,
                                        [PTX_S64] = shr_s64}};

/* shf: the 64 bits b:a shifted by c; left gives the upper word of the result, right the lower one. */
static uint32_t funnel(uint32_t a, uint32_t b, uint32_t c, bool left, bool wrap)
{
    uint64_t both = (uint64_t)b << 32 | a;
    uint32_t n = wrap ? c & 31 : c < 32 ? c : 32;
    return left ? (uint32_t)(both << n >> 32) : (uint32_t)(both >> n);
}

HANDLER_3(run_shf_l, uint32_t, uint32_t, uint32_t, uint32_t,
          funnel(a, b, c, true, (o->modifiers & MOD(WRAP)) != 0))
HANDLER_3(run_shf_r, uint32_t, uint32_t, uint32_t, uint32_t,
          funnel(a, b, c, false, (o->modifiers & MOD(WRAP)) != 0))
const op_family family_shf_l = {.any = run_shf_l};
const op_family family_shf_r = {.any = run_shf_r};

/* ---- counting ----------------------------------------------------------------------------------------- */

static uint32_t leading_zeros_64(uint64_t a)
{
    return a ? (uint32_t)__builtin_clzll(a) : 64;
}

HANDLER_1(popc_32, uint32_t, uint32_t, __builtin_popcount(a))
HANDLER_1(popc_64, uint32_t, uint64_t, __builtin_popcountll(a))
HANDLER_1(clz_32, uint32_t, uint32_t, leading_zeros_64(a) - 32)
HANDLER_1(clz_64, uint32_t, uint64_t, leading_zeros_64(a))
const op_family family_popc = {.typed = {[PTX_B32] = popc_32, [PTX_B64] = popc_64}};
const op_family family_clz = {.typed = {[PTX_B32] = clz_32, [PTX_B64] = clz_64}};

/* bfind: position of the highest bit that is not a copy of the sign; -1 if there is none. */
static uint32_t find_high(uint64_t a, uint32_t width, bool shift_amount)
{
    uint32_t zeros = leading_zeros_64(a << (64 - width));
    if (zeros >= width)
        return ALL_LANES;
    return shift_amount ? zeros : width - 1 - zeros;
}

#define SHIFT_AMOUNT (o->modifiers & MOD(SHIFTAMT))
HANDLER_1(bfind_u32, uint32_t, uint32_t, find_high(a, 32, SHIFT_AMOUNT))
HANDLER_1(bfind_s32, uint32_t, int32_t, find_high((uint32_t)(a < 0 ? ~a : a), 32, SHIFT_AMOUNT))
HANDLER_1(bfind_u64, uint32_t, uint64_t, find_high(a, 64, SHIFT_AMOUNT))
HANDLER_1(bfind_s64, uint32_t, int64_t, find_high((uint64_t)(a < 0 ? ~a : a), 64, SHIFT_AMOUNT))
const op_family family_bfind = {
    .typed = {[PTX_U32] = bfind_u32, [PTX_S32] = bfind_s32, [PTX_U64] = bfind_u64, [PTX_S64] = bfind_s64}};

static uint64_t reverse(uint64_t a, uint32_t width)
{
    uint64_t d = 0;
    for (uint32_t i = 0; i < width; i++, a >>= 1)
        d = d << 1 | (a & 1);
    return d;
}

HANDLER_1(brev_32, uint32_t, uint32_t, reverse(a, 32))
HANDLER_1(brev_64, uint64_t, uint64_t, reverse(a, 64))
const op_family family_brev = {.typed = {[PTX_B32] = brev_32, [PTX_B64] = brev_64}};

/* fns: position of the offset-th set bit of a mask, from bit `base` upwards, or downwards when negative. */
static uint32_t find_nth_set(uint32_t a, uint32_t base, int32_t offset)
{
    uint32_t found = ALL_LANES;
    int32_t step = offset < 0 ? -1 : 1, missing = offset < 0 ? -offset : offset;
    if (offset == 0)
        return base < 32 && (a >> base & 1) ? base : found;
    for (int32_t pos = (int32_t)base; pos >= 0 && pos < 32; pos += step)
        if ((a >> pos & 1) && --missing == 0)
            return (uint32_t)pos;
    return found;
}

HANDLER_3(run_fns, uint32_t, uint32_t, uint32_t, int32_t, find_nth_set(a, b, c > -33 && c < 33 ? c : 33))
const op_family family_fns = {.any = run_fns};

/* ---- fields ------------------------------------------------------------------------------------------- */

/* bfe (PTX ISA, section 9.7.1.19): len bits of a from pos on; beyond them, and beyond the top bit, the sign. */
static uint64_t extract(uint64_t a, uint32_t pos, uint32_t len, uint32_t width, bool is_signed)
{
    pos &= 0xff;
    len &= 0xff;
    uint32_t top = pos + len - 1 < width - 1 ? pos + len - 1 : width - 1;
    uint64_t sign = is_signed && len ? a >> top & 1 : 0;
    uint64_t field = pos < width ? a >> pos : 0;
    uint32_t have = pos < width ? (len < width - pos ? len : width - pos) : 0;
    uint64_t keep = have >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << have) - 1;
    return (field & keep) | (sign ? ~keep : 0);
}

HANDLER_3(bfe_u32, uint32_t, uint32_t, uint32_t, uint32_t, extract(a, b, c, 32, false))
HANDLER_3(bfe_s32, uint32_t, uint32_t, uint32_t, uint32_t, extract(a, b, c, 32, true))
HANDLER_3(bfe_u64, uint64_t, uint64_t, uint32_t, uint32_t, extract(a, b, c, 64, false))
HANDLER_3(bfe_s64, uint64_t, uint64_t, uint32_t, uint32_t, extract(a, b, c, 64, true))
const op_family family_bfe = {
    .typed = {[PTX_U32] = bfe_u32, [PTX_S32] = bfe_s32, [PTX_U64] = bfe_u64, [PTX_S64] = bfe_s64}};

/* bfi: len bits of a over those of b from pos on. */
static uint64_t insert(uint64_t a, uint64_t b, uint32_t pos, uint32_t len, uint32_t width)
{
    pos &= 0xff;
    len &= 0xff;
    if (pos >= width)
        return b;
    uint64_t field = len >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << len) - 1;
    field <<= pos;
    return (b & ~field) | (a << pos & field);
}

#define INSERT(name, T, width)                                                                               \
    static void name(warp *w, const op *o, uint32_t mask)                                                    \
    {                                                                                                        \
        T *d = REG(w, o->arg[0]);                                                                            \
        const T *a = REG(w, o->arg[1]), *b = REG(w, o->arg[2]);                                              \
        const uint32_t *pos = REG(w, o->arg[3]), *len = REG(w, o->arg[4]);                                   \
        LANE_LOOP(mask, d[lane] = (T)insert(a[lane], b[lane], pos[lane], len[lane], width))                  \
    }
INSERT(bfi_32, uint32_t, 32)
INSERT(bfi_64, uint64_t, 64)
const op_family family_bfi = {.typed = {[PTX_B32] = bfi_32, [PTX_B64] = bfi_64}};

/* bmsk: `len` ones from bit `pos` on. szext: the low n bits of a, sign- or zero-extended. */
static uint32_t bit_mask(uint32_t pos, uint32_t len, bool wrap)
{
    if (wrap)
        pos &= 31, len &= 31;
    uint64_t ones = len >= 32 ? UINT32_MAX : (UINT64_C(1) << len) - 1;
    return pos < 32 ? (uint32_t)(ones << pos) : 0;
}

static uint32_t extend(uint32_t a, uint32_t n, bool is_signed, bool wrap)
{
    n = wrap ? n & 31 : n;
    if (n >= 32)
        return a;
    uint32_t keep = (UINT32_C(1) << n) - 1;
    bool sign = is_signed && n && (a >> (n - 1) & 1);
    return (a & keep) | (sign ? ~keep : 0);
}

HANDLER_2(run_bmsk, uint32_t, uint32_t, uint32_t, bit_mask(a, b, (o->modifiers & MOD(WRAP)) != 0))
HANDLER_2(run_szext, uint32_t, uint32_t, uint32_t,
          extend(a, b, o->type == PTX_S32, (o->modifiers & MOD(WRAP)) != 0))
const op_family family_bmsk = {.any = run_bmsk};
const op_family family_szext = {.any = run_szext};

/* ---- permutation of bytes ----------------------------------------------------------------------------- */

/* prmt (PTX ISA, section 9.7.9.7): each nibble of c picks one of the eight bytes b:a; its top bit asks for eight
 * copies of that byte's sign instead. */
static uint32_t permute(uint32_t a, uint32_t b, uint32_t c)
{
    uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t d = 0;
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t pick = c >> (4 * i) & 15;
        uint32_t byte = (uint32_t)(bytes >> (8 * (pick & 7))) & 0xff;
        if (pick & 8)
            byte = byte & 0x80 ? 0xff : 0;
        d |= byte << (8 * i);
    }
    return d;
}

/* The selectors that the special modes stand for, by the low two bits of c. */
static const uint32_t mode_selectors[][4] = {
    {0x3210, 0x4321, 0x5432, 0x6543}, /* f4e: four bytes forward */
    {0x5670, 0x6701, 0x7012, 0x0123}, /* b4e: four bytes backward */
    {0x0000, 0x1111, 0x2222, 0x3333}, /* rc8: one byte replicated */
    {0x3210, 0x3211, 0x3222, 0x3333}, /* ecl: edge clamp left */
    {0x0000, 0x1110, 0x2210, 0x3210}, /* ecr: edge clamp right */
    {0x1010, 0x3232, 0x1010, 0x3232}, /* rc16: one half replicated */
};

HANDLER_3(run_prmt, uint32_t, uint32_t, uint32_t, uint32_t, permute(a, b, c))

/* A constant selector that asks for no sign: each byte of d is a byte of b:a at a fixed place. */
static void run_prmt_fixed(warp *w, const op *o, uint32_t mask)
{
    uint32_t *d = REG(w, o->arg[0]), c = *(const uint32_t *)REG(w, o->arg[3]);
    const uint32_t *a = REG(w, o->arg[1]), *b = REG(w, o->arg[2]);
    uint32_t s0 = (c & 7) * 8, s1 = (c >> 4 & 7) * 8, s2 = (c >> 8 & 7) * 8, s3 = (c >> 12 & 7) * 8;
    LANE_LOOP(mask, uint64_t both = (uint64_t)b[lane] << 32 | a[lane];
              d[lane] = (uint32_t)((both >> s0 & 0xff) | (both >> s1 & 0xff) << 8 |
                                   (both >> s2 & 0xff) << 16 | (both >> s3 & 0xff) << 24))
}

static bool fixed_selector(const decoder *d, const op *o)
{
    if (!(o->arg[3] & ARG_CONSTANT))
        return false;
    uint32_t c;
    memcpy(&c, d->constants.at + (o->arg[3] & ~UINT32_C(3)), sizeof c);
    return !(c & 0x8888);
}
HANDLER_3(run_prmt_mode, uint32_t, uint32_t, uint32_t, uint32_t,
          permute(a, b, mode_selectors[o->choice][c & 3]))

static bool finish_prmt(decoder *d, op *o, const opcode *code)
{
    int mode = opcode_pick(code, "f4e b4e rc8 ecl ecr rc16", -1);
    o->run = mode >= 0 ? run_prmt_mode : fixed_selector(d, o) ? run_prmt_fixed : run_prmt;
    o->choice = (uint8_t)(mode < 0 ? 0 : mode);
    return true;
}

const op_family family_prmt = {.finish = finish_prmt};
